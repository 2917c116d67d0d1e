"""`vademecum extensions`: what other packages add, and whether it can be used."""

from collections.abc import Sequence

from vademecum.cli._command import Options
from vademecum.cli._output import print_result
from vademecum.core.errors import ConfigError
from vademecum.extensions import KINDS, Extension, find, installed
from vademecum.text.printable import printable


def list_extensions(asked: Options) -> int:
    """Import each extension, and print whether it can be used; return 1 if one cannot."""
    listed, lines = [], []
    for extension in (extension for kind in KINDS for extension in installed(kind).values()):
        kind, name, package, fault = extension.kind, extension.name, extension.package, _fault(extension)
        listed.append({"kind": kind, "name": name, "package": package, "fault": fault})
        lines.append(f"{kind:9}  {printable(name, 40):16}  {package}")
        lines += [f"{'':9}  {fault}"] if fault else []
    print_result({"extensions": listed}, lines or "No extensions are installed.", as_json=asked.json)
    return 1 if any(extension["fault"] for extension in listed) else 0


def run_extension(words: Sequence[str]) -> int | None:
    """Run the command that an extension adds, and return its exit code; None if no extension has this command."""
    extension = find("commands", words[0])
    return None if extension is None else int(extension.load()(list(words[1:])) or 0)


def _fault(extension: Extension) -> str:
    try:
        extension.load()
    except ConfigError as error:
        return error.message
    return ""
