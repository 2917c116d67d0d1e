"""The web server's whole life: checked, started, and ended so that running answers come to their end."""

import errno
import fcntl
import gc
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
from functools import partial
from pathlib import Path
from threading import Thread

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from vademecum.core.errors import ConfigError, DiskFull, StoreError, VademecumError
from vademecum.library.client import error_of
from vademecum.library.replacing import replace_file
from vademecum.server.problems import problem
from vademecum.server.web.keys import Keys
from vademecum.server.web.metrics import SHARED, forget, make_room
from vademecum.server.web.settings import ServerSettings
from vademecum.server.web.turns import LOOP

_FAULT = "fault.json"
"""Where a worker says why it can not start."""

_SHARED = "workers-"
"""What the folder is called in which workers share figures and turns, before what chance adds."""

_WAITING = 1024
_KEPT_ALIVE_S = 30
_HEALTHY_S = 15
"""How long a worker may be deaf before it is taken for dead; starting on a slow disk takes some seconds."""

_PARENT_LOOK_S = 1.0
_OBJECTS_MADE = 10_000
"""After how many objects the garbage collector looks: an answer makes thousands, and hardly any that refer to each other in
a circle."""


def run(settings: ServerSettings, on_ready: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        settings: How.
        on_ready: Told where, once the server, or the first of its workers, has started.

    Raises:
        ConfigError: It can not listen there, or may not: another address than this machine's own needs API keys.
        StoreError: The keys, or what the workers share, can not be read.
        VademecumError: Something else keeps it from starting.
    """
    check_place(settings)
    listener = listen(settings)
    config = configured(settings)
    ready = partial(on_ready, address(settings, listener))
    server = _Server(config, ready)
    for number in (
        signal.SIGTERM,
        signal.SIGINT,
    ):  # before uvicorn's own, which raises them once more at its end
        signal.signal(number, lambda *_: server.stop())
    try:
        if settings.workers == 1:
            server.run(sockets=[listener])
        else:
            _run_workers(config, listener, server, ready, settings.folder)
    except SystemExit as stop:
        raise ConfigError(
            "The server can not start.", hint="What is wrong stands above, in the log."
        ) from stop


class _Server(uvicorn.Server):
    """A server that tells when it has started."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and tell."""
        await super().startup(sockets)
        if self.started:
            with suppress(OSError):  # nobody has to listen
                self._on_ready()

    def stop(self) -> None:
        """End it, or have it end once it has started."""
        self.should_exit = True


class _Workers(Multiprocess):
    """Workers of which the first that has started is told, and which do not outlive this process."""

    def __init__(
        self, config: uvicorn.Config, sockets: list[socket.socket], on_ready: Callable[[], None]
    ) -> None:
        super().__init__(config, sockets)
        self._on_ready: Callable[[], None] | None = on_ready

    def keep_subprocess_alive(self) -> None:
        """Look after them."""
        before = {one.pid for one in self.processes}
        super().keep_subprocess_alive()
        for pid in before - {one.pid for one in self.processes}:
            if pid is not None:
                forget(pid)
        if self._on_ready and not self.should_exit.is_set() and any(one.is_ready() for one in self.processes):
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


def _run_workers(
    config: uvicorn.Config,
    listener: socket.socket,
    server: _Server,
    on_ready: Callable[[], None],
    folder: Path,
) -> None:
    with _shared_folder(folder) as shared:
        os.environ[SHARED] = shared  # the workers are started with it
        log = logging.getLogger("uvicorn.error")
        log.addFilter(lambda record: "failed to start" not in str(record.msg))  # the worker says why
        workers = _Workers(config, [listener], on_ready)
        if server.should_exit:  # told so before the workers could be
            workers.should_exit.set()
        workers.run()
        if any(one.exitcode == STARTUP_FAILURE for one in workers.processes):
            if (told := Path(shared, _FAULT)).exists():
                raise error_of(json.loads(told.read_bytes()))
            sys.exit(STARTUP_FAILURE)


@contextmanager
def _shared_folder(folder: Path) -> Iterator[str]:
    """A folder for what workers share while they work; those that killed servers left are removed.

    Raises:
        StoreError: It can not be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in folder.glob(f"{_SHARED}*"):
            with suppress(OSError), _held(old):
                shutil.rmtree(old)
        made = tempfile.TemporaryDirectory(prefix=_SHARED, dir=folder, ignore_cleanup_errors=True)
        holding = _held(Path(made.name))
    except OSError as error:
        message = f"{folder} can not be used: {error.strerror}."
        raise StoreError(message, hint="Check its rights and the room on the disk.") from error
    with made as shared, holding:
        yield shared


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """A folder that is one process's own.

    Raises:
        BlockingIOError: It is another's.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def check_place(settings: ServerSettings) -> None:
    """See that nobody from elsewhere gets in without a key.

    Raises:
        ConfigError: They would.
        StoreError: The keys can not be read.
    """
    if not settings.is_local and not Keys(settings.folder / "keys.json").are_needed:
        message = f"Others can reach {settings.host}, and there are no API keys."
        raise ConfigError(
            message, hint="Make one first: vademecum keys add NAME. Or serve this machine alone."
        )


def listen(settings: ServerSettings) -> socket.socket:
    """A listening socket.

    Raises:
        ConfigError: It can not be had.
    """
    try:
        found = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, _, _, _, place = found[0]
        listener = socket.create_server(place[:2], family=family, backlog=_WAITING)
    except OSError as error:
        message = f"The server can not listen on {settings.host}, port {settings.port}: {error.strerror}."
        raise ConfigError(message, hint="Take another port: vademecum serve --port N") from error
    listener.set_inheritable(True)
    # taken over by its connections; asyncio would set it, but does not know a socket of `create_server` for one of TCP,
    # and each reply on a connection that stays open would wait 40 ms for the client's acknowledgement
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def address(settings: ServerSettings, listener: socket.socket) -> str:
    """Where a browser finds it."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{listener.getsockname()[1]}"


def configured(settings: ServerSettings) -> uvicorn.Config:
    """The configuration of uvicorn. Headers of proxies are not believed: who calls is who is at the other end."""
    return uvicorn.Config(
        partial(_app, settings),
        factory=True,
        http="vademecum.server.web.connections:Connection",
        ws="none",
        loop="asyncio" if settings.workers == 1 else LOOP,
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        workers=settings.workers,
        limit_concurrency=settings.connections,
        timeout_keep_alive=_KEPT_ALIVE_S,
        timeout_worker_healthcheck=_HEALTHY_S,
        timeout_graceful_shutdown=max(1, round(settings.stopping_s)),
    )


def _app(settings: ServerSettings) -> object:
    """The app of a worker, made where it runs."""
    from vademecum.server.web.app import begin, create_app  # noqa: PLC0415 - the parent of several workers needs none
    from vademecum.server.web.logging import set_up_logging  # noqa: PLC0415 - the same

    set_up_logging()
    try:
        if settings.workers > 1:
            _begin_worker(Path(os.environ[SHARED]))
        app = create_app(settings)
        begin(app)
    except VademecumError as error:
        if settings.workers == 1:
            raise
        replace_file(Path(os.environ[SHARED], _FAULT), json.dumps(problem(error)))
        sys.exit(STARTUP_FAILURE)
    gc.freeze()  # what is there by now stays
    gc.set_threshold(_OBJECTS_MADE, 20, 50)
    return app


def _begin_worker(shared: Path) -> None:
    """Do what only one of several workers does.

    Raises:
        DiskFull: There is no room for its figures.
        StoreError: They can not be kept for another reason.
    """
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    try:
        make_room(shared)
    except OSError as error:
        kind = DiskFull if error.errno in {errno.ENOSPC, errno.EDQUOT} else StoreError
        message = f"{shared} can not be used: {error.strerror}."
        raise kind(message, hint="Check its rights and the room on the disk.") from error


def _end_with(parent: int) -> None:
    """End this process when the one that started it has: nobody else would tell it to."""
    while os.getppid() == parent:
        time.sleep(_PARENT_LOOK_S)
    os.kill(os.getpid(), signal.SIGTERM)
