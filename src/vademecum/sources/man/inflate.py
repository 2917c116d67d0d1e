"""The files of manual pages to bytes, never more of them than asked for."""

import os
import stat
from pathlib import Path

from vademecum.sources._faults import BadFile
from vademecum.sources._files import Refused
from vademecum.sources._inflate import inflate

LIMIT_BYTES = 16 * 1024 * 1024


def read_inflated(path: Path, limit_bytes: int = LIMIT_BYTES) -> bytes:
    """Read a file, inflated as its suffix says.

    Args:
        path: A regular file; `.gz`, `.bz2`, `.xz` and `.zst` are inflated.
        limit_bytes: The most the result may hold.

    Raises:
        BadFile: `unreadable`, `damaged-archive`, or `too-large` (decided without inflating more
            than `limit_bytes`).
    """
    raw = _read(path, limit_bytes)
    try:
        return inflate(raw, path.suffix, limit_bytes)
    except Refused as refused:
        raise BadFile(refused.fault, refused.message) from refused


def _read(path: Path, limit_bytes: int) -> bytes:
    try:
        # Non-blocking: a pipe in the file's place must not hold us up.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 - a descriptor is not a path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise BadFile("unreadable", "It is not a regular file.")
            raw = file.read(limit_bytes + 1)
            while raw and len(raw) <= limit_bytes and (more := file.read(limit_bytes)):
                raw += more
    except OSError as error:
        raise BadFile("unreadable", f"It cannot be read: {error.strerror}.") from error
    if len(raw) > limit_bytes:
        raise _too_large(limit_bytes)
    return raw


def _too_large(limit_bytes: int) -> BadFile:
    return BadFile("too-large", f"It holds more than {limit_bytes:,} bytes.")
