"""`vademecum backup` and `vademecum restore`: everything that Vademecum keeps, in one file."""

import json

from vademecum.cli._command import Options
from vademecum.text.printable import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from vademecum.library.backup import Backup


def back_up(asked: Options) -> int:
    """Write a backup; return the exit code."""
    from vademecum.library import backup  # noqa: PLC0415 - other commands need none of it

    made = backup.back_up(asked.file, backup.roots(), indexes=not asked.without_indexes)
    _print(asked, made, f"Wrote {printable(str(made.file))}: {_size(made)}")
    for path in made.left_out if not asked.json else ():
        print(f"  left out: {path} (a link, or a name that is not UTF-8)")
    return 0


def restore(asked: Options) -> int:
    """Restore a backup, or only check it; return the exit code."""
    from vademecum.library import backup  # noqa: PLC0415 - the same

    if asked.check:
        found = backup.check(asked.file)
        _print(
            asked,
            found,
            f"The backup is valid: {_size(found)}, made by version {printable(found.version)} at {printable(found.created)}",
        )
        return 0
    found = backup.restore(asked.file, backup.roots(), replace=asked.replace)
    _print(asked, found, f"Restored {_size(found)}")
    for folder in found.kept if not asked.json else ():
        print(f"  the previous data is in {printable(str(folder))}")
    return 0


def _print(asked: Options, found: "Backup", text: str) -> None:
    print(json.dumps(found.to_dict()) if asked.json else text)


def _size(found: "Backup") -> str:
    return f"{found.files:,} files, {found.size_bytes / 1e6:,.1f} MB"
