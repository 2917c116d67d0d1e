"""What a template in work has that a request may speak of by name: accounts, partitions, kernel options, modules."""

from typing import NamedTuple

from vademecum.sources.image_template import Data
from vademecum.sources.image_template.template import mapping, mappings, text


class Context(NamedTuple):
    """Names in a template.

    Attributes:
        accounts: Of its accounts.
        partitions: Of its partitions: ids, labels and mount points.
        options: Of the options on the kernel's command line, without their values.
        modules: Of the modules that are loaded.
    """

    accounts: frozenset[str] = frozenset()
    partitions: frozenset[str] = frozenset()
    options: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()


def context_of(data: Data) -> Context:
    """The names in a template with all that it inherits."""
    system, disk = mapping(data.get("systemConfig")), mapping(data.get("disk"))
    kernel = mapping(system.get("kernel"))
    parts = [
        text(row.get(key)) for row in mappings(disk.get("partitions")) for key in ("id", "name", "mountPoint")
    ]
    return Context(
        accounts=frozenset(text(row.get("name")) for row in mappings(system.get("users"))),
        partitions=frozenset(name for name in parts if name not in {"", "none"}),
        options=frozenset(word.partition("=")[0] for word in text(kernel.get("cmdline")).split()),
        modules=frozenset(text(kernel.get("enableExtraModules")).split()),
    )
