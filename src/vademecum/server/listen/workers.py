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
"""The file in which a worker reports why it cannot start."""

_FOLDER = "workers-"
"""The prefix of the folder in which workers share metrics and turns. A random suffix follows."""

_PARENT_LOOK_S = 1.0


class _Workers(Multiprocess):
    """Worker processes that report when the first of them has started, and that do not outlive this process."""

    def __init__(
        self, config: uvicorn.Config, sockets: list[socket.socket], on_ready: Callable[[], None]
    ) -> None:
        super().__init__(config, sockets)
        self._on_ready: Callable[[], None] | None = on_ready

    def init_processes(self) -> None:
        """Start the workers."""
        super().init_processes()
        self._close_ends_of_workers()

    def _close_ends_of_workers(self) -> None:
        """Close the workers' pipe ends in this process, so that waiting for the reply of a dead worker ends at once."""
        for worker in self.processes:
            worker.child_conn.close()

    def keep_subprocess_alive(self) -> None:
        """Replace dead workers, and report when the first worker has started."""
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
            with suppress(OSError):  # nobody may be listening
                self._on_ready()
            self._on_ready = None

    def terminate_all(self) -> None:
        """Close the listening sockets, and stop the workers."""
        for listener in self.sockets:
            listener.close()
        super().terminate_all()

    def run(self) -> None:
        """Run the workers until they are stopped."""
        try:
            super().run()
        except BaseException:
            self.terminate_all()
            self.join_all()
            raise


def run_workers(
    config: uvicorn.Config,
    listeners: list[socket.socket],
    is_stopping: Callable[[], bool],
    on_ready: Callable[[], None],
    folder: Path,
) -> None:
    """Serve with several processes until they are stopped."""
    with _shared_folder(folder) as shared:
        os.environ[SHARED] = shared  # the workers inherit it
        log = logging.getLogger("uvicorn.error")
        log.addFilter(lambda record: "failed to start" not in str(record.msg))  # the worker reports it
        workers = _Workers(config, listeners, on_ready)
        if is_stopping():  # before the workers existed
            workers.should_exit.set()
        workers.run()
        if any(process.exitcode == STARTUP_FAILURE for process in workers.processes):
            if (fault := Path(shared, _FAULT)).exists():
                raise error_of(json.loads(fault.read_bytes()))
            sys.exit(STARTUP_FAILURE)


@contextmanager
def _shared_folder(folder: Path) -> Iterator[str]:
    """Create a temporary folder that the workers share. Folders that killed servers left behind are removed."""
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
    """Prepare this process as one of several workers: watch its parent, and allocate its metrics files."""
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    try:
        make_room(shared)
    except OSError as error:
        kind = DiskFull if error.errno in {errno.ENOSPC, errno.EDQUOT} else StoreError
        message = f"{shared} cannot be used: {error.strerror}."
        raise kind(message, hint="Check its permissions and the free space on the disk.") from error


def _end_with(parent: int) -> None:
    """Stop this process when its parent has ended, because nothing else would stop it."""
    while os.getppid() == parent:
        time.sleep(_PARENT_LOOK_S)
    os.kill(os.getpid(), signal.SIGTERM)


def share_fault(error: VademecumError) -> None:
    """Report to the parent process why this worker cannot start."""
    replace_file(Path(os.environ[SHARED], _FAULT), json.dumps(problem(error)))
