"""The file of an archive, or the parts it was split into, as one stretch of bytes."""

import os
import re
import stat
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path
from string import ascii_lowercase

from vademecum.sources.zim.faults import BadArchive

_PART = re.compile(r"\.zim[a-z]{2}")
_ENDINGS = tuple(f"{first}{second}" for first in ascii_lowercase for second in ascii_lowercase)

Signature = tuple[tuple[int, int, int, int], ...]
"""Device, inode, size and time of change of every part."""


def find_parts(location: Path) -> list[Path]:
    """The files that hold an archive, in order.

    Args:
        location: The archive, its first part (`x.zimaa`), or `x.zim` where only parts of it are.

    Raises:
        BadArchive: `unreadable`, `not-an-archive` or `missing-part`.
    """
    if location.is_dir():
        raise BadArchive("not-an-archive", "It is a folder.")
    if _PART.fullmatch(location.suffix):
        stem = location.with_suffix(".zim")
        if not location.suffix.endswith("aa"):
            raise BadArchive("missing-part", "It is a later part of an archive; name the first, .zimaa.")
    elif location.exists() or not location.with_name(f"{location.name}aa").exists():
        return [location]
    else:
        stem = location
    # not by glob: what a name may hold has a meaning there
    here = set(_names(stem.parent))
    names = [f"{stem.name}{ending}" for ending in _ENDINGS]
    present = [name in here for name in names]
    count = present.index(False) if False in present else len(present)
    if any(present[count:]):
        raise BadArchive("missing-part", f"There is no {names[count]}, but a part after it.")
    return [stem.with_name(name) for name in names[:count]] or [location]


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names are all that is asked for
    except OSError as error:
        raise BadArchive("unreadable", f"Its folder cannot be listed: {error.strerror}.") from error


def signature(location: Path) -> Signature:
    """What changes when somebody replaces the archive or one of its parts.

    Raises:
        BadArchive: As `find_parts`.
    """
    try:
        return tuple(_signature(path.stat()) for path in find_parts(location))
    except OSError as error:
        raise BadArchive("unreadable", f"It cannot be opened: {error.strerror}.") from error


def _signature(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class Parts:
    """An archive's bytes. Nothing is mapped: a mapped file that shrinks ends the process.

    Args:
        location: As in `find_parts`.

    Raises:
        BadArchive: A part cannot be opened.
    """

    def __init__(self, location: Path) -> None:
        self._files: list[int] = []
        try:
            for path in find_parts(location):
                # Non-blocking: a pipe in the file's place must not hold us up.
                self._files.append(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
            found = [os.fstat(file) for file in self._files]
        except OSError as error:
            raise BadArchive("unreadable", f"It cannot be opened: {error.strerror}.") from error
        if not all(stat.S_ISREG(status.st_mode) for status in found):
            raise BadArchive("not-an-archive", "It is not a regular file.")
        self.signature = tuple(map(_signature, found))
        self._starts = [0, *accumulate(status.st_size for status in found)]
        self.size = self._starts[-1]
        self.count = len(found)

    def close(self) -> None:
        """Let go of the files; a second time does nothing."""
        while self._files:
            os.close(self._files.pop())

    def __del__(self) -> None:
        self.close()

    def read(self, start: int, count: int) -> bytes:
        """At most `count` bytes from `start`; fewer only where the archive ends.

        Raises:
            BadArchive: The disk, or the file since it was opened, does not give them.
        """
        end = min(start + count, self.size)
        if not 0 <= start < end:
            return b""
        pieces: list[bytes] = []
        number = bisect_right(self._starts, start) - 1
        try:
            while start < end:
                limit = min(end, self._starts[number + 1])
                piece = os.pread(self._files[number], limit - start, start - self._starts[number])
                if not piece and limit > start:
                    raise BadArchive("truncated", "It became shorter while it was read.")
                pieces.append(piece)
                start += len(piece)
                number += start == limit
        except OSError as error:
            raise BadArchive("unreadable", f"It cannot be read: {error.strerror}.") from error
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)
