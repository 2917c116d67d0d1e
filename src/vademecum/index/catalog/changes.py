"""Detect from folder metadata whether a source has changed since it was indexed.

Adding or removing a file, or replacing it by renaming, as package managers and editors do, changes the modification time of
its folder. So about ten `stat` calls replace a check of 20,000 files. A file that is written in place is not
noticed until the next reindex, which checks every file.

The state is a mapping from folders, relative to the source's location, to modification times; the location
itself is "". For a source that is a single file, it is that file's time and, as `*size`, its size.
"""

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from vademecum.index.catalog.catalog import SIZE, CatalogEntry

_MOST_FOLDERS = 64
"""The maximum number of watched folders, from the top down, because a question has no time for more."""

REINDEX = "ragadmin reindex"
"""The command that updates the index."""

GOES_ON = "See how it goes on with: ragadmin health"

SEE_HEALTH = "See what is wrong with: ragadmin health"


def look(entry: CatalogEntry) -> dict[str, int]:
    """Return the current state of a source; empty if it cannot be read."""
    try:
        found = Path(entry.location).stat()
        if not stat.S_ISDIR(found.st_mode):
            return {"": found.st_mtime_ns, SIZE: found.st_size}
        return _times(entry.location, ["", *_folders(entry)])
    except (OSError, ValueError):
        return {}


class Change(NamedTuple):
    """Why a source differs from the index.

    Attributes:
        remedy: How to fix it, on one line: a command if there is one.
    """

    said: str
    remedy: str = REINDEX

    @property
    def advice(self) -> str:
        """How to fix it, as a sentence."""
        return f"Bring it up to date with: {REINDEX}" if self.remedy == REINDEX else self.remedy


def changed(entries: Sequence[CatalogEntry]) -> list[Change]:
    """Return a change for each source that differs from the index."""
    found = []
    for entry in entries:
        if entry.seen is None or not entry.recipe:
            continue  # never taken in: the index holds nothing of it that could be old
        gone = (now := _again(entry.location, entry.seen)) is None
        instead = bring_back(entry) if gone else SEE_HEALTH
        if entry.status == "error":
            said = f"{entry.alias} cannot be read now; the index has it as it was."
            found.append(Change(said, instead))
        elif entry.growth:
            found.append(Change(entry.growth, GOES_ON))
        elif entry.status == "pending":
            found.append(Change(f"{entry.alias} was updated and has not been read since."))
        elif gone:
            said = f"{entry.alias} cannot be read now; {entry.location} is gone, or out of reach."
            found.append(Change(said, instead))
        elif now != entry.seen:
            found.append(Change(f"{entry.alias} has changed since the index was built."))
    return found


def bring_back(entry: CatalogEntry) -> str:
    """Return how to fix a source whose location no longer exists."""
    return f"Bring {entry.location} back, or: ragadmin sources remove {entry.alias}"


def _again(location: str, seen: dict[str, int]) -> dict[str, int] | None:
    """Return the current values of a stored state; `None` if the location no longer exists."""
    try:
        found = Path(location).stat()
        if SIZE in seen:
            return {"": found.st_mtime_ns, SIZE: found.st_size}
        return _times(location, seen)
    except (OSError, ValueError):
        return None


def watched(entries: Iterable[CatalogEntry]) -> list[str]:
    """Return the folders and files whose changes are changes of a source, without those that do not exist."""
    found: dict[str, None] = {}
    for entry in entries:
        for name in look(entry) or {}:
            found[entry.location if name in {"", SIZE} else f"{entry.location}/{name}"] = None
    return list(found)


def _times(location: str, names: Iterable[str]) -> dict[str, int]:
    """Return the modification times of existing folders."""
    found = {}
    for name in names:
        try:
            found[name] = os.stat(f"{location}/{name}").st_mtime_ns  # noqa: PTH116 - a Path for each costs as much again
        except OSError:
            continue
    return found


def _folders(entry: CatalogEntry) -> list[str]:
    """Return the folders of a source that can contain documents, from the top down, up to a limit."""
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
    """Return whether a folder name is that of a manual section (`man1`, `man3p`, `mann`)."""
    return name.startswith("man") and (name[3:4].isdigit() or (len(name) == 4 and name[3].isalpha()))
