"""The web server's whole life: checked, started, and ended so that running answers come to their end."""

import logging
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable
from functools import partial

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from vademecum.core.errors import ConfigError, VademecumError
from vademecum.server.web.keys import Keys
from vademecum.server.web.metrics import SHARED
from vademecum.server.web.settings import ServerSettings

_WAITING = 1024
_KEPT_ALIVE_S = 30


def run(settings: ServerSettings, on_ready: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        settings: How.
        on_ready: Told where, once connections are taken; they may wait a moment for the first worker.

    Raises:
        ConfigError: It can not listen there, or may not: another address than this machine's own needs API keys.
        StoreError: The keys can not be read.
    """
    check_place(settings)
    listener = listen(settings)
    config = configured(settings)
    on_ready(address(settings, listener))
    for number in (signal.SIGTERM, signal.SIGINT):  # uvicorn raises what it has caught once more at its end
        signal.signal(number, lambda _number, _frame: None)
    try:
        if settings.workers == 1:
            uvicorn.Server(config).run(sockets=[listener])
        else:
            _run_workers(config, listener)
    except SystemExit as stop:
        raise ConfigError(
            "The server can not start.", hint="What is wrong stands above, in the log."
        ) from stop


def _run_workers(config: uvicorn.Config, listener: socket.socket) -> None:
    with tempfile.TemporaryDirectory(prefix="vademecum-metrics-") as shared:
        os.environ[SHARED] = shared  # the workers are started with it
        workers = Multiprocess(config, sockets=[listener])
        workers.run()
    if any(one.exitcode == STARTUP_FAILURE for one in workers.processes):
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
        loop="asyncio",
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
    from vademecum.server.web.app import create_app  # noqa: PLC0415 - the parent of several workers needs none
    from vademecum.server.web.logging import set_up_logging  # noqa: PLC0415 - the same

    set_up_logging()
    try:
        return create_app(settings)
    except VademecumError as error:
        if settings.workers == 1:
            raise
        logging.getLogger("vademecum.server").error("%s %s", error.message, error.hint)  # noqa: TRY400 - it is told, not searched for
        sys.exit(STARTUP_FAILURE)
