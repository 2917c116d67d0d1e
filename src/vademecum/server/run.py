"""Run the web server: check its settings, start it, and let running answers finish at shutdown."""

import gc
import os
import socket
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import uvicorn
from uvicorn.config import STARTUP_FAILURE

from vademecum.core.errors import ConfigError, VademecumError
from vademecum.files.folders import socket_file
from vademecum.server.guard.keys import Keys
from vademecum.server.listen.connection import MOST_HEAD
from vademecum.server.listen.interrupts import keep_ignoring
from vademecum.server.listen.server import Server, catch_signals
from vademecum.server.listen.sockets import listen as listen_locally
from vademecum.server.listen.turns import LOOP
from vademecum.server.listen.workers import begin_worker, run_workers, share_fault
from vademecum.server.metrics import SHARED
from vademecum.server.settings import ServerSettings

_WAITING = 1024
_KEPT_ALIVE_S = 30
_HEALTHY_S = 15
"""The time, in seconds, after which an unresponsive worker is replaced. Starting on a slow disk takes some seconds."""

_OBJECTS_MADE = 10_000
"""The number of new objects after which the garbage collector runs. An answer creates thousands, but few cycles."""


def run(settings: ServerSettings, on_ready: Callable[[str], None]) -> None:
    """Serve until SIGTERM, or until SIGINT unless it was ignored at the start."""
    keep_ignoring()
    check_place(settings)
    listener = listen(settings)
    place = listen_locally(Path(socket_file())) if settings.unix_socket else None
    listeners = [listener, place.listener] if place else [listener]
    config = configured(settings)
    ready = partial(on_ready, address(settings, listener))
    server = Server(config, ready)
    catch_signals(server)
    try:
        if settings.workers == 1:
            server.run(sockets=listeners)
        else:
            run_workers(config, listeners, lambda: server.should_exit, ready, settings.folder)
    except SystemExit as stop:
        raise ConfigError("The server could not start.", hint="The log above gives the reason.") from stop
    finally:
        if place:
            place.leave()


def check_place(settings: ServerSettings) -> None:
    """Check that clients on other machines need a key."""
    if not settings.is_local and not Keys(settings.folder / "keys.json").are_needed:
        place = settings.host if not settings.is_loopback else "A server with --allow-host or --trust-proxy"
        message = f"{place} can be reached from other machines, and there are no API keys."
        hint = f"Create a key in {settings.folder}: vademecum keys add NAME. Or serve only this machine."
        raise ConfigError(message, hint=hint)


def listen(settings: ServerSettings) -> socket.socket:
    """Return a listening socket."""
    try:
        found = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, _, _, _, place = found[0]
        listener = socket.create_server(place[:2], family=family, backlog=_WAITING)
    except OSError as error:
        message = f"The server cannot listen on {settings.host}, port {settings.port}: {error.strerror}."
        raise ConfigError(message, hint="Use another port: vademecum serve --port N") from error
    listener.set_inheritable(True)
    # connections inherit this. asyncio would set it, but does not recognize a socket of `create_server` as TCP, so that
    # each response on a persistent connection would wait 40 ms for the client's acknowledgement
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def address(settings: ServerSettings, listener: socket.socket) -> str:
    """Return the URL of the server."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{listener.getsockname()[1]}"


def configured(settings: ServerSettings) -> uvicorn.Config:
    """Return the configuration of uvicorn. Proxy headers are not trusted: the client is the peer of the connection."""
    return uvicorn.Config(
        partial(_app, settings),
        factory=True,
        http="vademecum.server.listen.connection:Connection",
        ws="none",
        loop="asyncio" if settings.workers == 1 else LOOP,
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=MOST_HEAD,
        workers=settings.workers,
        limit_concurrency=settings.connections,
        timeout_keep_alive=_KEPT_ALIVE_S,
        timeout_worker_healthcheck=_HEALTHY_S,
        timeout_graceful_shutdown=max(1, round(settings.stopping_s)),
    )


def _app(settings: ServerSettings) -> object:
    """Create the app of a worker, in the process that runs it."""
    from vademecum.server.app import begin, create_app, create_doors  # noqa: PLC0415 - a parent of workers needs none
    from vademecum.server.log import set_up_logging  # noqa: PLC0415 - the same

    set_up_logging()
    try:
        if settings.workers > 1:
            begin_worker(Path(os.environ[SHARED]))
        app = create_app(settings)
        begin(app)
    except VademecumError as error:
        if settings.workers == 1:
            raise
        share_fault(error)
        sys.exit(STARTUP_FAILURE)
    gc.freeze()  # the existing objects are never freed
    gc.set_threshold(_OBJECTS_MADE, 20, 50)
    return create_doors(app) if settings.unix_socket else app
