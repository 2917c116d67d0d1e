"""Extensions: the sources, stores, providers and commands that other packages add.

A package declares them as entry points, in its `pyproject.toml`:

    [project.entry-points."vademecum.sources"]
    mbox = "vademecum_mbox:MboxSource"         # a `Source`; mbox is its type

    [project.entry-points."vademecum.stores"]
    redis = "vademecum_redis:RedisStore"       # a `Store`, made from an address such as redis://localhost/notes

    [project.entry-points."vademecum.providers"]
    vllm = "vademecum_vllm"                    # a module with `open_chat` and `open_embedder`

    [project.entry-points."vademecum.commands"]
    mail = "vademecum_mbox.cli:mail"           # a function of the arguments: the command `vademecum mail`

An extension is imported when its name is first used, and cannot replace what is built in. `vademecum.testing` tests sources
and stores. `vademecum extensions` lists what is installed.
"""

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from vademecum.core.errors import ConfigError
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal["sources", "stores", "providers", "commands"]

KINDS: tuple[Kind, ...] = ("sources", "stores", "providers", "commands")


class Extension(NamedTuple):
    """Something that another package adds.

    Attributes:
        kind: What it is.
        name: The name by which it is used.
        package: The package that adds it, with its version.
        entry: Its entry point.
    """

    kind: Kind
    name: str
    package: str
    entry: "EntryPoint"

    def load(self) -> Any:
        """Import it.

        Raises:
            ConfigError: It cannot be imported, for whatever reason.
        """
        try:
            return self.entry.load()
        except Exception as error:
            why = printable(str(error) or type(error).__name__, 200)
            message = f"{self.package} cannot be used: importing its entry point {self.name} (vademecum.{self.kind}) failed: {why}"
            hint = f"Install the package again, or remove it: pip uninstall {self.package.split()[0]}"
            raise ConfigError(message, hint=hint) from error


def installed(kind: Kind) -> dict[str, Extension]:
    """Return the installed extensions of a kind, by name. None of them is imported.

    This reads the metadata of all packages, which takes about 40 ms, so it is only done for names that are not built in.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415 - see above

    found = {}
    for entry in entry_points(group=f"vademecum.{kind}"):
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown package"
        found[entry.name] = Extension(kind, entry.name, printable(package, 100), entry)
    return dict(sorted(found.items()))


def find(kind: Kind, name: str) -> Extension | None:
    """Return the extension of a kind with a name, or None."""
    return installed(kind).get(name)
