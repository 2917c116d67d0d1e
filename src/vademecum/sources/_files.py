"""Opening what lies in a folder that others write: never a pipe, never past a limit, never out of the folder."""

import os
import stat
from pathlib import Path


class Refused(Exception):
    """A file that is not read. It becomes a `Problem`.

    Args:
        fault: `unreadable`, `not-a-file`, `outside` or `too-large`.
        message: What happened.
    """

    def __init__(self, fault: str, message: str) -> None:
        super().__init__(message)
        self.fault = fault
        self.message = message


def open_within(root: str, key: str, limit_bytes: int) -> int:
    """Open a file for reading.

    Args:
        root: The folder, without symbolic links.
        key: The file's path within it. It may have become anything since it was listed.
        limit_bytes: The most the file may hold.

    Returns:
        Its descriptor, which the caller closes.

    Raises:
        Refused: It is not to be read.
    """
    path = Path(root, key)
    try:
        folder = os.path.realpath(path.parent)
        # Non-blocking: a pipe in the file's place must not hold us up.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its name holds a zero byte"
        raise Refused("unreadable", f"It cannot be read: {reason}.") from error
    refused = _refusal(os.fstat(descriptor), limit_bytes)
    if not is_within(root, folder):
        refused = Refused("outside", "A link leads out of the folder.")
    if refused:
        os.close(descriptor)
        raise refused
    return descriptor


def _refusal(status: os.stat_result, limit_bytes: int) -> Refused | None:
    if not stat.S_ISREG(status.st_mode):
        return Refused("not-a-file", "It is not a regular file.")
    return too_large(limit_bytes) if status.st_size > limit_bytes else None


def read_open(descriptor: int, limit_bytes: int) -> bytes:
    """All that an open file holds. The descriptor is closed.

    Raises:
        Refused: It cannot be read, or has grown past the limit.
    """
    try:
        with open(descriptor, "rb") as file:
            # no more than it holds: `read` sets aside all the memory it is asked for
            raw = file.read(min(limit_bytes, os.fstat(descriptor).st_size) + 1)
            while raw and len(raw) <= limit_bytes and (more := file.read(1 << 20)):
                raw += more
    except OSError as error:
        raise Refused("unreadable", f"It cannot be read: {error.strerror}.") from error
    if len(raw) > limit_bytes:
        raise too_large(limit_bytes)
    return raw


def too_large(limit_bytes: int) -> Refused:
    """The refusal of what holds more than a limit."""
    return Refused("too-large", f"It holds more than {limit_bytes:,} bytes.")


def is_within(root: str, real: str) -> bool:
    """Whether a path without symbolic links is the folder `root` or lies in it."""
    return real == root or real.startswith(root.rstrip("/") + "/")
