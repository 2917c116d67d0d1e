"""Files within a folder to bytes: never from outside of it, never more of them than asked for."""

import os
import stat
from pathlib import Path
from typing import BinaryIO

from vademecum.sources import _inflate
from vademecum.sources._faults import BadFile
from vademecum.sources._files import Refused

SUFFIXES = ("", *_inflate.SUFFIXES)
"""How a file may be compressed; of two that differ in this alone, the first counts."""

_CHUNK_BYTES = 256 * 1024


def inside(root: Path, file: str) -> Path:
    """Where a file really is.

    Args:
        root: The folder, as `os.path.realpath` gives it.
        file: A path relative to it.

    Raises:
        BadFile: `outside`, `dangling-link`.
    """
    try:
        real = Path(os.path.realpath(root / file, strict=True))
    except OSError as error:
        fault = "dangling-link" if (root / file).is_symlink() else "unreadable"
        raise BadFile(fault, f"It cannot be read: {error.strerror}.") from error
    except ValueError as error:  # a NUL
        raise BadFile("unreadable", "It cannot be read: no file has such a name.") from error
    if not real.is_relative_to(root):
        raise BadFile("outside", "It leads out of the source's folder, and is not followed.")
    return real


def read_inflated(root: Path, file: str, limit_bytes: int) -> bytes:
    """Read a file of a folder, inflated as its suffix says.

    Args:
        root: The folder, as `os.path.realpath` gives it.
        file: A path relative to it; `.gz`, `.bz2`, `.xz` and `.zst` are inflated.
        limit_bytes: The most the file or the result may hold.

    Raises:
        BadFile: `outside`, `dangling-link`, `unreadable`, `damaged-archive`, or `too-large` (decided
            without inflating more than `limit_bytes`).
    """
    path = inside(root, file)
    try:
        # Non-blocking: a pipe in the file's place must not hold us up.
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
        with open(os.open(path, flags), "rb", buffering=0) as stream:  # noqa: PTH123 - a descriptor is not a path
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise BadFile("unreadable", "It is not a regular file.")
            if status.st_size > limit_bytes:
                raise _too_large(limit_bytes)
            return _inflate.inflate(_read(stream, limit_bytes), Path(file).suffix, limit_bytes)
    except Refused as refused:
        raise BadFile(refused.fault, refused.message) from refused
    except OSError as error:
        raise BadFile("unreadable", f"It cannot be read: {error.strerror}.") from error


def _read(stream: BinaryIO, limit_bytes: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := stream.read(_CHUNK_BYTES):
        pieces.append(piece)
        size += len(piece)
        if size > limit_bytes:
            raise _too_large(limit_bytes)
    return b"".join(pieces)


def _too_large(limit_bytes: int) -> BadFile:
    return BadFile("too-large", f"It holds more than {limit_bytes:,} bytes.")
