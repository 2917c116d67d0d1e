"""`vademecum backup` and `vademecum restore`: everything that Vademecum keeps, in one file."""

from vademecum.cli._command import Options
from vademecum.cli._output import print_result
from vademecum.library import backup
from vademecum.text.printable import printable


def back_up(asked: Options) -> int:
    """Write a backup; return the exit code."""
    made = backup.back_up(asked.file, backup.roots(), indexes=not asked.without_indexes)
    lines = [f"Wrote {printable(str(made.file))}: {_size(made)}"]
    lines += [f"  left out: {path} (a link, or a name that is not UTF-8)" for path in made.left_out]
    print_result(made.to_dict(), lines, as_json=asked.json)
    return 0


def restore(asked: Options) -> int:
    """Restore a backup, or only check it; return the exit code."""
    if asked.check:
        found = backup.check(asked.file)
        made = f"made by version {printable(found.version)} at {printable(found.created)}"
        lines = [f"The backup is valid: {_size(found)}, {made}"]
    else:
        found = backup.restore(asked.file, backup.roots(), replace=asked.replace)
        lines = [f"Restored {_size(found)}"]
        lines += [f"  the previous data is in {printable(str(folder))}" for folder in found.kept]
    print_result(found.to_dict(), lines, as_json=asked.json)
    return 0


def _size(found: backup.Backup) -> str:
    return f"{found.files:,} files, {found.size_bytes / 1e6:,.1f} MB"
