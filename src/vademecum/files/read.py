"""Open untrusted files safely: no pipes, no more than a size limit, nothing outside the folder."""

import os
import stat
from pathlib import Path


class Unreadable(Exception):
    """A file, or a part of one, that cannot be read. The package that reads the file handles this exception.

    Args:
        fault: A fixed name, such as `unreadable`, `not-a-file`, `outside`, `too-large`, `damaged-archive`.
    """

    def __init__(self, fault: str, message: str) -> None:
        super().__init__(message)
        self.fault = fault
        self.message = message


def state_of(path: Path | None) -> tuple[int, int, int] | None:
    """Return values that change when a file is replaced; None if there is none."""
    try:
        status = path.stat() if path else None
    except OSError:
        return None
    return status and (status.st_ino, status.st_size, status.st_mtime_ns)


def open_file(path: Path, limit_bytes: int, *, follow: bool = False, odd: str = "not-a-file") -> int:
    """Open a regular file for reading.

    Args:
        path: The path. It may have changed since it was listed.
        limit_bytes: The maximum size of the file.
        follow: Whether to follow a symbolic link.
        odd: The name of the fault if it is not a regular file.

    Returns:
        The descriptor. The caller closes it.

    Raises:
        Unreadable: The file cannot be opened safely.
    """
    # Non-blocking: a pipe in the file's place must not hold us up.
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its name holds a zero byte"
        raise Unreadable("unreadable", f"It cannot be read: {reason}.") from error
    status = os.fstat(descriptor)
    fault = None
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        fault = Unreadable(odd, f"It is {what}.")
    elif status.st_size > limit_bytes:
        fault = too_large(limit_bytes)
    if fault:
        os.close(descriptor)
        raise fault
    return descriptor


def open_within(root: str, key: str, limit_bytes: int) -> int:
    """Open a file in a folder for reading. See `open_file`.

    Args:
        root: The folder, without symbolic links.
        key: The path relative to the folder.
        limit_bytes: The maximum size of the file.

    Raises:
        Unreadable: The file cannot be opened safely.
    """
    path = Path(root, key)
    try:
        folder = os.path.realpath(path.parent)
    except ValueError as error:
        raise Unreadable("unreadable", "It cannot be read: its name holds a zero byte.") from error
    descriptor = open_file(path, limit_bytes)
    if not is_within(root, folder):
        os.close(descriptor)
        raise Unreadable("outside", "A link leads out of the folder.")
    return descriptor


def read_open(descriptor: int, limit_bytes: int) -> bytes:
    """Read an open file, and close its descriptor.

    Raises:
        Unreadable: It cannot be read, or exceeds the limit by now.
    """
    try:
        with open(descriptor, "rb") as file:
            # no more than it holds: `read` sets aside all the memory it is asked for
            raw = file.read(min(limit_bytes, os.fstat(descriptor).st_size) + 1)
            while raw and len(raw) <= limit_bytes and (more := file.read(1 << 20)):
                raw += more
    except OSError as error:
        raise Unreadable("unreadable", f"It cannot be read: {error.strerror}.") from error
    if len(raw) > limit_bytes:
        raise too_large(limit_bytes)
    return raw


def too_large(limit_bytes: int) -> Unreadable:
    """Return the error for a file that exceeds a limit."""
    return Unreadable("too-large", f"It holds more than {limit_bytes:,} bytes.")


def is_within(root: str, real: str) -> bool:
    """Return whether a path without symbolic links is the folder `root` or is inside it."""
    return real == root or real.startswith(root.rstrip("/") + "/")
