"""The web server's whole life: checked, started, and ended so that running answers come to their end."""

import gc
import json
import logging
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from vademecum.core.errors import ConfigError, VademecumError
from vademecum.library.client import error_of
from vademecum.library.replacing import replace_file
from vademecum.server.problems import problem
from vademecum.server.web.keys import Keys
from vademecum.server.web.metrics import SHARED
from vademecum.server.web.settings import ServerSettings
from vademecum.server.web.turns import LOOP

_FAULT = "fault.json"
"""Where a worker says why it can not start."""

_WAITING = 1024
_KEPT_ALIVE_S = 30
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
            _run_workers(config, listener, ready)
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
            self._on_ready()

    def stop(self) -> None:
        """End it, or have it end once it has started."""
        self.should_exit = True


class _Workers(Multiprocess):
    """Workers of which the first that has started is told."""

    def __init__(
        self, config: uvicorn.Config, sockets: list[socket.socket], on_ready: Callable[[], None]
    ) -> None:
        super().__init__(config, sockets)
        self._on_ready: Callable[[], None] | None = on_ready

    def keep_subprocess_alive(self) -> None:
        """Look after them."""
        super().keep_subprocess_alive()
        if self._on_ready and not self.should_exit.is_set() and any(one.is_ready() for one in self.processes):
            self._on_ready()
            self._on_ready = None


def _run_workers(config: uvicorn.Config, listener: socket.socket, on_ready: Callable[[], None]) -> None:
    with tempfile.TemporaryDirectory(prefix="vademecum-metrics-") as shared:
        os.environ[SHARED] = shared  # the workers are started with it
        log = logging.getLogger("uvicorn.error")
        log.addFilter(lambda record: "failed to start" not in str(record.msg))  # the worker says why
        workers = _Workers(config, [listener], on_ready)
        workers.run()
        if any(one.exitcode == STARTUP_FAILURE for one in workers.processes):
            if (told := Path(shared, _FAULT)).exists():
                raise error_of(json.loads(told.read_bytes()))
            sys.exit(STARTUP_FAILURE)


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
        timeout_graceful_shutdown=max(1, round(settings.stopping_s)),
    )


def _app(settings: ServerSettings) -> object:
    """The app of a worker, made where it runs."""
    from vademecum.server.web.app import begin, create_app  # noqa: PLC0415 - the parent of several workers needs none
    from vademecum.server.web.logging import set_up_logging  # noqa: PLC0415 - the same

    set_up_logging()
    try:
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
