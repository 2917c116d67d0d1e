"""`vademecum extensions`: what other packages add, and whether it can be used."""

import json
from collections.abc import Sequence

from vademecum.cli._command import Options
from vademecum.core.errors import ConfigError
from vademecum.extensions import KINDS, Extension, find, installed
from vademecum.text.printable import printable


def list_extensions(asked: Options) -> int:
    """Import each extension, and print whether it can be used; return 1 if one cannot."""
    rows = [(extension, _fault(extension)) for kind in KINDS for extension in installed(kind).values()]
    if asked.json:
        listed = [
            {"kind": one.kind, "name": one.name, "package": one.package, "fault": fault}
            for one, fault in rows
        ]
        print(json.dumps({"extensions": listed}))
    elif not rows:
        print("No extensions are installed.")
    else:
        for extension, fault in rows:
            print(f"{extension.kind:9}  {printable(extension.name, 40):16}  {extension.package}")
            print(f"{'':9}  {fault}\n" if fault else "", end="")
    return 1 if any(fault for _, fault in rows) else 0


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
