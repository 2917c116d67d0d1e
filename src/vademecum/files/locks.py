"""Locks between processes and threads, using `flock`. The operating system releases them when a process ends."""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path

_FILE = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_BUSY = frozenset({errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES})
_WAIT_S = 0.002


@contextmanager
def locked(path: Path, *, patience_s: float = inf) -> Iterator[None]:
    """Hold the lock of a folder, or of a file, which is made for its owner alone where it is missing.

    Args:
        path: The folder or file.
        patience_s: How long to wait for it.

    Raises:
        BlockingIOError: Somebody holds it for longer than that.
        OSError: It cannot be opened; a link or a pipe is not.
    """
    descriptor = os.open(path, _FOLDER) if path.is_dir() else os.open(path, _FILE, 0o600)
    try:
        acquire(descriptor, patience_s=patience_s)
        yield
    finally:
        os.close(descriptor)


def acquire(descriptor: int, *, shared: bool = False, patience_s: float = inf) -> None:
    """Lock what is open; it stays locked until it is closed.

    Args:
        descriptor: The file or folder.
        shared: Whether others may hold it, too, if they share it.
        patience_s: How long to wait for it.

    Raises:
        BlockingIOError: Somebody holds it for longer than that.
    """
    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    if patience_s == inf:
        fcntl.flock(descriptor, how)
        return
    end_s = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _BUSY:
                raise
            if time.monotonic() >= end_s:
                raise BlockingIOError(errno.EAGAIN, "Somebody else holds the lock.") from None
            time.sleep(_WAIT_S)
        else:
            return


def is_locked(path: Path) -> bool:
    """Whether somebody holds the lock of a file alone. It is tried for an instant, and shared: that turns no reader away."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        acquire(descriptor, shared=True, patience_s=0)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
