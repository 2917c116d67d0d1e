"""Worker processes: started, monitored, and stopped with their server."""

import errno
import json
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from vademecum.core.errors import DiskFull, StoreError, VademecumError
from vademecum.files.locks import locked
from vademecum.files.write import replace_file
from vademecum.library.service.client import error_of
from vademecum.server.errors import problem
from vademecum.server.metrics import SHARED, forget, make_room

_FAULT = "fault.json"
"""Where a worker says why it cannot start."""

_FOLDER = "workers-"
"""What the folder is called in which workers share figures and turns, before what chance adds."""

_PARENT_LOOK_S = 1.0


class _Workers(Multiprocess):
    """Workers of which the first that has started is told, and which do not outlive this process."""

    def __init__(
        self, config: uvicorn.Config, sockets: list[socket.socket], on_ready: Callable[[], None]
    ) -> None:
        super().__init__(config, sockets)
        self._on_ready: Callable[[], None] | None = on_ready

    def init_processes(self) -> None:
        """Start them."""
        super().init_processes()
        self._close_ends_of_workers()

    def _close_ends_of_workers(self) -> None:
        """Close the workers' ends of their pipes here, so that the death of one ends the wait for its reply at once."""
        for worker in self.processes:
            worker.child_conn.close()

    def keep_subprocess_alive(self) -> None:
        """Look after them."""
        before = {process.pid for process in self.processes}
        super().keep_subprocess_alive()
        self._close_ends_of_workers()
        for pid in before - {process.pid for process in self.processes}:
            if pid is not None:
                forget(pid)
        if (
            self._on_ready
            and not self.should_exit.is_set()
            and any(process.is_ready() for process in self.processes)
        ):
            with suppress(OSError):  # nobody has to listen
                self._on_ready()
            self._on_ready = None

    def terminate_all(self) -> None:
        """End them; nobody can connect any more."""
        for listener in self.sockets:
            listener.close()
        super().terminate_all()

    def run(self) -> None:
        """Have them work until they are told to end."""
        try:
            super().run()
        except BaseException:
            self.terminate_all()
            self.join_all()
            raise


def run_workers(
    config: uvicorn.Config,
    listeners: list[socket.socket],
    told_to_stop: Callable[[], bool],
    on_ready: Callable[[], None],
    folder: Path,
) -> None:
    """Serve by several processes, until they are told to end.

    Args:
        config: How.
        listeners: The sockets that they share.
        told_to_stop: Whether this process has been told to end before they began.
        on_ready: Told once the first of them has started.
        folder: Where a folder is made for what they share.

    Raises:
        StoreError: What they share cannot be kept.
        VademecumError: What keeps them from starting.
        SystemExit: They cannot start, and do not say why.
    """
    with _shared_folder(folder) as shared:
        os.environ[SHARED] = shared  # the workers are started with it
        log = logging.getLogger("uvicorn.error")
        log.addFilter(lambda record: "failed to start" not in str(record.msg))  # the worker says why
        workers = _Workers(config, listeners, on_ready)
        if told_to_stop():  # before the workers could be
            workers.should_exit.set()
        workers.run()
        if any(process.exitcode == STARTUP_FAILURE for process in workers.processes):
            if (told := Path(shared, _FAULT)).exists():
                raise error_of(json.loads(told.read_bytes()))
            sys.exit(STARTUP_FAILURE)


@contextmanager
def _shared_folder(folder: Path) -> Iterator[str]:
    """A folder for what workers share while they work; those that killed servers left are removed.

    Raises:
        StoreError: It cannot be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in folder.glob(f"{_FOLDER}*"):
            with suppress(OSError), locked(old, patience_s=0):
                shutil.rmtree(old)
        made = tempfile.TemporaryDirectory(prefix=_FOLDER, dir=folder, ignore_cleanup_errors=True)
        holding = locked(Path(made.name), patience_s=0)
    except OSError as error:
        message = f"{folder} cannot be used: {error.strerror}."
        raise StoreError(message, hint="Check its permissions and the free space on the disk.") from error
    with made as shared, holding:
        yield shared


def begin_worker(shared: Path) -> None:
    """Do what only one of several workers does.

    Raises:
        DiskFull: There is no room for its figures.
        StoreError: They cannot be kept for another reason.
    """
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    try:
        make_room(shared)
    except OSError as error:
        kind = DiskFull if error.errno in {errno.ENOSPC, errno.EDQUOT} else StoreError
        message = f"{shared} cannot be used: {error.strerror}."
        raise kind(message, hint="Check its permissions and the free space on the disk.") from error


def _end_with(parent: int) -> None:
    """End this process when the one that started it has: nobody else would tell it to."""
    while os.getppid() == parent:
        time.sleep(_PARENT_LOOK_S)
    os.kill(os.getpid(), signal.SIGTERM)


def tell(error: VademecumError) -> None:
    """Leave word of what keeps this worker from starting, for the process that began it."""
    replace_file(Path(os.environ[SHARED], _FAULT), json.dumps(problem(error)))
