"""The file of an archive, or its parts, as one sequence of bytes."""

import os
import re
import stat
import struct
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path
from string import ascii_lowercase
from typing import NamedTuple

from vademecum.files.read import Unreadable

_PART = re.compile(r"\.zim[a-z]{2}")
_ENDINGS = tuple(f"{first}{second}" for first in ascii_lowercase for second in ascii_lowercase)

Signature = tuple[tuple[int, int, int, int], ...]
"""The device, inode, size and modification time of every part."""


def find_parts(location: Path) -> list[Path]:
    """Return the files of an archive in order.

    Args:
        location: The archive, its first part (`x.zimaa`), or `x.zim` if only parts of it exist.
    """
    if location.is_dir():
        raise Unreadable("not-an-archive", "It is a folder.")
    if _PART.fullmatch(location.suffix):
        stem = location.with_suffix(".zim")
        if not location.suffix.endswith("aa"):
            raise Unreadable("missing-part", "It is a later part of an archive; name the first, .zimaa.")
    elif location.exists() or not location.with_name(f"{location.name}aa").exists():
        return [location]
    else:
        stem = location
    # not by glob: names may contain its special characters
    here = set(_names(stem.parent))
    names = [f"{stem.name}{ending}" for ending in _ENDINGS]
    present = [name in here for name in names]
    count = present.index(False) if False in present else len(present)
    if any(present[count:]):
        raise Unreadable("missing-part", f"There is no {names[count]}, but a part after it.")
    return [stem.with_name(name) for name in names[:count]] or [location]


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - only names are needed
    except OSError as error:
        raise Unreadable("unreadable", f"Its folder cannot be listed: {error.strerror}.") from error


def signature(location: Path) -> Signature:
    """Return a value that changes when the archive or one of its parts is replaced."""
    try:
        return tuple(_signature(path.stat()) for path in find_parts(location))
    except OSError as error:
        raise Unreadable("unreadable", f"It cannot be opened: {error.strerror}.") from error


def _signature(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class Parts:
    """The bytes of an archive. Nothing is mapped, because a mapped file that shrinks crashes the process."""

    def __init__(self, location: Path) -> None:
        self._files: list[int] = []
        try:
            for path in find_parts(location):
                # Non-blocking: a pipe in place of the file must not block us.
                self._files.append(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
            found = [os.fstat(file) for file in self._files]
        except OSError as error:
            raise Unreadable("unreadable", f"It cannot be opened: {error.strerror}.") from error
        if not all(stat.S_ISREG(status.st_mode) for status in found):
            raise Unreadable("not-an-archive", "It is not a regular file.")
        self.signature = tuple(map(_signature, found))
        self._starts = [0, *accumulate(status.st_size for status in found)]
        self.size = self._starts[-1]
        self.count = len(found)

    def close(self) -> None:
        """Close the files. Further calls do nothing."""
        while self._files:
            os.close(self._files.pop())

    def __del__(self) -> None:
        self.close()

    def read(self, start: int, count: int) -> bytes:
        """Return `count` bytes from `start`, or fewer at the end of the archive."""
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
                    raise Unreadable("truncated", "It became shorter while it was read.")
                pieces.append(piece)
                start += len(piece)
                number += start == limit
        except OSError as error:
            raise Unreadable("unreadable", f"It cannot be read: {error.strerror}.") from error
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


_LAYOUT = struct.Struct("<IHH16sIIQQQQIIQ")
_MAGIC = 0x044D495A
_VERSIONS = (5, 6)
_NO_TITLES = 2**64 - 1
_LONGEST_LIST = 64 * 1024
CHECKSUM_BYTES = 16


class Header(NamedTuple):
    """The locations of the structures. Positions are in bytes from the start of the archive.

    Attributes:
        major: The version of the format: 5, or 6 if clusters may be extended.
        minor: From 1 on, all content is in the namespace C.
        paths: The position of the list of directory entries by path, 8 bytes each.
        titles: The position of the list of entry numbers by title, 4 bytes each; 0 if there is none.
        pointers: The position of the list of clusters, 8 bytes each.
        checksum: The position of the MD5 of everything before it, which ends the archive.
        mimes: The MIME types that entries refer to by number.
        content: The namespace of articles: `b"C"`, or `b"A"` in old archives.
    """

    major: int
    minor: int
    entries: int
    clusters: int
    paths: int
    titles: int
    pointers: int
    checksum: int
    mimes: tuple[str, ...]
    content: bytes


def read_header(parts: Parts) -> Header:
    """Read and check the header and the MIME list."""
    raw = parts.read(0, _LAYOUT.size)
    if not raw.startswith(_MAGIC.to_bytes(4, "little")):
        raise Unreadable(
            "not-an-archive", "It is empty." if not raw else "It does not begin as a ZIM file does."
        )
    if len(raw) < _LAYOUT.size:
        raise Unreadable("too-small", f"It ends within its header, after {len(raw)} bytes.")
    (_, major, minor, _, entries, clusters, paths, titles, pointers, mime_list, _, _, checksum) = (
        _LAYOUT.unpack(raw)
    )
    if major not in _VERSIONS:
        raise Unreadable("unknown-version", f"Its format is version {major}.{minor}; known are 5 and 6.")
    if mime_list != _LAYOUT.size:
        raise Unreadable(
            "bad-header", f"Its list of MIME types is said to be at {mime_list}, not at {_LAYOUT.size}."
        )
    if checksum < _LAYOUT.size:
        raise Unreadable("bad-header", f"Its checksum is said to be at {checksum}, within the header.")
    _check_size(parts, checksum + CHECKSUM_BYTES)
    titles = 0 if titles == _NO_TITLES else titles
    for name, start, count, each in (
        ("directory", paths, entries, 8),
        ("title index", titles, entries if titles else 0, 4),
        ("list of clusters", pointers, clusters, 8),
    ):
        if start + count * each > checksum or (count and start < _LAYOUT.size):
            raise Unreadable("bad-header", f"Its {name} is said to be at {start}, outside of the archive.")
    first_cluster = int.from_bytes(parts.read(pointers, 8), "little") if clusters else 0
    others = (paths, titles, pointers, checksum, first_cluster)
    limit = min(
        place for place in others if place >= _LAYOUT.size
    )  # the list ends before the first other structure
    mimes = _read_mimes(parts.read(_LAYOUT.size, min(_LONGEST_LIST, limit - _LAYOUT.size)))
    return Header(
        major, minor, entries, clusters, paths, titles, pointers, checksum, mimes, b"C" if minor else b"A"
    )


def _check_size(parts: Parts, wanted: int) -> None:
    if parts.size == wanted:
        return
    if parts.size > wanted:
        raise Unreadable("bad-header", f"Its header says {wanted:,} bytes, but it has {parts.size:,}.")
    if parts.count > 1:
        raise Unreadable("missing-part", f"Its {parts.count} parts hold {parts.size:,} of {wanted:,} bytes.")
    raise Unreadable("truncated", f"It holds {parts.size:,} of {wanted:,} bytes.")


def _read_mimes(raw: bytes) -> tuple[str, ...]:
    """Read zero-terminated names. The last one is empty."""
    if raw.startswith(b"\0"):
        return ()
    end = raw.find(b"\0\0")
    if end < 0:
        raise Unreadable("bad-mime-list", "Its list of MIME types has no end.")
    return tuple(name.decode("utf-8", "replace") for name in raw[:end].split(b"\0"))
