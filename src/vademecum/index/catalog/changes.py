"""Detect from folder metadata whether a source has changed since it was indexed.

A file that is added, removed or replaced by rename, which is how package managers and editors write, changes
its folder's modification time. So some ten `stat` calls stand for a look at 20,000 files. A file that is
written in place goes unnoticed until the next reindex, which looks at every file.

What was seen is a mapping from folders, relative to the source's location, to modification times; the location
itself is "". Of a source that is one file it is that file's time and, under `*size`, its size.
"""

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from vademecum.index.catalog.catalog import CatalogEntry

_MOST_FOLDERS = 64
"""Of a source with more, the first are watched, from the top down: a question has no time for all."""

_SIZE = "*size"

REINDEX = "ragadmin reindex"
"""What brings the index up to date."""


def look(entry: CatalogEntry) -> dict[str, int]:
    """What there is to see of a source now; empty when it cannot be read."""
    try:
        found = Path(entry.location).stat()
        if not stat.S_ISDIR(found.st_mode):
            return {"": found.st_mtime_ns, _SIZE: found.st_size}
        return _times(entry.location, ["", *_folders(entry)])
    except (OSError, ValueError):
        return {}


class Change(NamedTuple):
    """Why a source is not as the index has it.

    Attributes:
        said: A sentence.
        remedy: What to do about it, one line: a command where there is one.
    """

    said: str
    remedy: str = REINDEX

    @property
    def advice(self) -> str:
        """What to do about it, as a sentence that may stand behind any other."""
        return f"Bring it up to date with: {REINDEX}" if self.remedy == REINDEX else self.remedy


def changed(entries: Sequence[CatalogEntry]) -> list[Change]:
    """What makes the index stale: a change for each source that is not as the index has it."""
    found = []
    for entry in entries:
        if entry.seen is None or not entry.recipe:
            continue  # never taken in: the index holds nothing of it that could be old
        gone = (now := _again(entry.location, entry.seen)) is None
        instead = bring_back(entry) if gone else "See what is wrong with: ragadmin health"
        if entry.status == "error":
            said = f"{entry.alias} cannot be read now; the index has it as it was."
            found.append(Change(said, instead))
        elif entry.status == "pending":
            found.append(Change(f"{entry.alias} was updated and has not been read since."))
        elif gone:
            said = f"{entry.alias} cannot be read now; {entry.location} is gone, or out of reach."
            found.append(Change(said, instead))
        elif now != entry.seen:
            found.append(Change(f"{entry.alias} has changed since the index was built."))
    return found


def bring_back(entry: CatalogEntry) -> str:
    """What to do about a source whose place is not there any more."""
    return f"Bring {entry.location} back, or: ragadmin sources remove {entry.alias}"


def _again(location: str, seen: dict[str, int]) -> dict[str, int] | None:
    """What was seen before, as it is now; `None` when the location is gone."""
    try:
        found = Path(location).stat()
        if _SIZE in seen:
            return {"": found.st_mtime_ns, _SIZE: found.st_size}
        return _times(location, seen)
    except (OSError, ValueError):
        return None


def _times(location: str, names: Iterable[str]) -> dict[str, int]:
    """The modification times of those of the folders that are there."""
    found = {}
    for name in names:
        try:
            found[name] = os.stat(f"{location}/{name}").st_mtime_ns  # noqa: PTH116 - a Path for each costs as much again
        except OSError:
            continue
    return found


def _folders(entry: CatalogEntry) -> list[str]:
    """The folders of a source that documents may come and go in, at most so many, from the top down."""
    found: list[str] = []
    level = [""]
    while level and len(found) < _MOST_FOLDERS:
        below = sorted(name for folder in level for name in _subfolders(entry.location, folder))
        if entry.type == "man":
            return [name for name in below if is_section(name)][:_MOST_FOLDERS]
        found += below
        level = below[:_MOST_FOLDERS]
    return found[:_MOST_FOLDERS]


def _subfolders(location: str, folder: str) -> list[str]:
    prefix = f"{folder}/" if folder else ""
    try:
        with os.scandir(f"{location}/{folder}") as inside:
            return [
                prefix + one.name
                for one in inside
                if not one.name.startswith(".") and one.is_dir(follow_symlinks=not folder)
            ]
    except OSError:
        return []


def is_section(name: str) -> bool:
    """Whether a folder's name is that of a section of the manual (`man1`, `man3p`, `mann`)."""
    return name.startswith("man") and (name[3:4].isdigit() or (len(name) == 4 and name[3].isalpha()))
