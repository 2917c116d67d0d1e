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
    """Hold the lock of a folder or file. A missing file is created with access for its owner only.

    Args:
        patience_s: How long to wait for the lock, in seconds.

    Raises:
        BlockingIOError: The lock was not released in this time.
        OSError: It cannot be opened. Links and pipes are never opened.
    """
    descriptor = os.open(path, _FOLDER) if path.is_dir() else os.open(path, _FILE, 0o600)
    try:
        acquire(descriptor, patience_s=patience_s)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def locked_folder(folder: Path, *, patience_s: float = 2.0) -> Iterator[None]:
    """Hold the lock of a private folder, which is created if it is missing. Raises as `locked`."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with locked(folder / ".lock", patience_s=patience_s):
        yield


def acquire(descriptor: int, *, shared: bool = False, patience_s: float = inf) -> None:
    """Lock an open file or folder, until it is closed.

    Args:
        descriptor: The descriptor of the file or folder.
        shared: Whether to acquire a shared lock instead of an exclusive one.
        patience_s: How long to wait for the lock, in seconds.

    Raises:
        BlockingIOError: The lock was not released in this time.
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
    """Return whether a process holds an exclusive lock of a file. The test is a brief shared lock, which does not affect readers."""
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
