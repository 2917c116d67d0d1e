"""Whether a source changed since the index took it in, told from its folders alone.

A file that is added, removed or replaced by rename, which is how package managers and editors write, changes
its folder's modification time. So some ten `stat` calls stand for a look at 20,000 files. A file that is
written in place goes unnoticed until the next reindex, which compares every file.
"""

import os
from collections.abc import Sequence

from vademecum.library.catalog import CatalogEntry


def look(entry: CatalogEntry) -> dict[str, int]:
    """The modification times of a source's folders, in nanoseconds; empty when it can not be read."""
    seen = {}
    try:
        with os.scandir(entry.location) as found:
            for one in found:
                if _is_section(one.name) and one.is_dir():
                    seen[one.name] = one.stat().st_mtime_ns
    except OSError:
        return {}
    return dict(sorted(seen.items()))


def changed(entries: Sequence[CatalogEntry]) -> list[str]:
    """What makes the index stale: a sentence for each source that is not as the index has it."""
    found = []
    for entry in entries:
        if entry.seen is None:
            continue  # never taken in: the index holds nothing of it that could be old
        if not (now := look(entry)):
            found.append(f"{entry.alias} can not be read now; {entry.location} is gone or empty.")
        elif now != entry.seen:
            found.append(f"{entry.alias} has changed since the index was built.")
    return found


def _is_section(name: str) -> bool:
    """Whether a folder's name is that of a section of the manual (`man1`, `man3p`, `mann`)."""
    return name.startswith("man") and (name[3:4].isdigit() or (len(name) == 4 and name[3].isalpha()))
