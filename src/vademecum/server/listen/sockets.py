"""The socket that the service listens on: its own, in a private folder, or one from systemd."""

import os
import socket
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from vademecum.core.errors import ConfigError
from vademecum.files.locks import acquire

_LONGEST_PATH = 107
"""The maximum length of a socket path in bytes (a limit of the kernel)."""

_FIRST_HANDED = 3
_WAITING = 128
_CONNECT_S = 1.0


class Place(NamedTuple):
    """A listening socket.

    Attributes:
        path: The socket file, which is removed at the end; `None` if the parent process passed the socket.
        lock: A descriptor that holds the folder's lock while it is open; -1 if the parent process passed the socket.
    """

    listener: socket.socket
    path: Path | None
    lock: int

    def leave(self) -> None:
        """Stop listening, remove the socket file, and release the lock."""
        self.listener.close()
        if self.path:
            with suppress(OSError):
                self.path.unlink()
        if self.lock >= 0:
            os.close(self.lock)


def handed_over() -> Place | None:
    """Return the listening socket that the parent process passed (sd_listen_fds(3)), or `None`."""
    pid, count = os.environ.pop("LISTEN_PID", ""), os.environ.pop("LISTEN_FDS", "")
    os.environ.pop("LISTEN_FDNAMES", None)
    if pid != str(os.getpid()) or not count.isdigit() or count == "0":
        return None
    hint = "Create the socket unit with: ragadmin service install"
    if count != "1":
        raise ConfigError(f"{count} sockets were passed, but the service uses one.", hint=hint)
    os.set_inheritable(_FIRST_HANDED, False)
    try:
        listener = socket.socket(fileno=_FIRST_HANDED)
        accepts = listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    except OSError as error:
        raise ConfigError(
            f"The file descriptor passed is not a socket: {error.strerror}.", hint=hint
        ) from error
    if listener.family != socket.AF_UNIX or listener.type != socket.SOCK_STREAM or not accepts:
        raise ConfigError("The socket passed is not a listening Unix stream socket.", hint=hint)
    return Place(listener, None, -1)


def listen(path: Path) -> Place:
    """Listen on a new socket. The socket file of a dead service is replaced."""
    if len(os.fsencode(path)) > _LONGEST_PATH:
        message = f"The path of the socket is longer than {_LONGEST_PATH} bytes: {path}"
        raise ConfigError(message, hint="Set XDG_RUNTIME_DIR to a folder with a shorter path.")
    try:
        _make_private(path.parent)
        lock = os.open(
            path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
    except OSError as error:
        raise _unusable(path, error) from error
    try:
        return Place(_bound(path, lock), path, lock)
    except BaseException as error:
        os.close(lock)
        if isinstance(error, OSError):
            raise _unusable(path, error) from error
        raise


def _make_private(folder: Path) -> None:
    """Create the folder, or check that it is private."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    above = folder.parent.stat()
    if above.st_uid not in {os.geteuid(), 0} or above.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _not_ours(folder.parent, "Other users can write to it, or it belongs to another user.")
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise _not_ours(folder, "It is not a folder.")
    if found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise _not_ours(folder, "It must belong to you and have mode 0700.")


def _bound(path: Path, lock: int) -> socket.socket:
    """Return a listening socket, after checking that no other service listens."""
    try:
        acquire(lock, patience_s=0)
    except BlockingIOError:
        raise _taken(path) from None
    if _answers(path):
        raise _taken(path)
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(os.fspath(path))
        listener.listen(_WAITING)
    except BaseException:
        listener.close()
        raise
    finally:
        os.umask(before)
    return listener


def _answers(path: Path) -> bool:
    """Return whether a process listens there, for example systemd for a service that has not started yet."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_CONNECT_S)
        try:
            connection.connect(os.fspath(path))
        except TimeoutError:
            return True
        except OSError:
            return False
        return True


def _taken(path: Path) -> ConfigError:
    message = f"Another service already listens on {path}."
    return ConfigError(message, hint="See: ragadmin service status. To start another one, stop it first.")


def _not_ours(folder: Path, why: str) -> ConfigError:
    message = f"The folder {folder} cannot hold the socket. {why}"
    hint = "Set XDG_RUNTIME_DIR to a private folder (mode 0700), or fix the problem with this folder."
    return ConfigError(message, hint=hint)


def _unusable(path: Path, error: OSError) -> ConfigError:
    message = f"The service cannot listen on {path}: {error.strerror}."
    return ConfigError(message, hint="Set XDG_RUNTIME_DIR to a private folder (mode 0700).")
