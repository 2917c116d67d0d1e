"""Run the background service: open its socket, serve, and shut down."""

from collections.abc import Callable
from pathlib import Path

import uvicorn

from vademecum.files.folders import socket_file
from vademecum.files.places import Places
from vademecum.server.listen.connection import MOST_HEAD
from vademecum.server.listen.interrupts import keep_ignoring
from vademecum.server.listen.server import STOPPING_S, Server, catch_signals
from vademecum.server.listen.sockets import handed_over, listen
from vademecum.server.local.app import LocalApp
from vademecum.server.local.library import LocalLibrary


def run(places: Places, *, idle_timeout_s: float | None, on_ready: Callable[[str], None]) -> None:
    """Serve until SIGTERM, SIGINT (unless it was ignored at the start), or until the service has been idle."""
    keep_ignoring()
    place = handed_over() or listen(Path(socket_file()))
    library = LocalLibrary(places)
    try:
        app = LocalApp(library)

        def ready() -> None:
            on_ready(str(place.path or place.listener.getsockname()))
            library.warm()

        server = Server(configured(app), ready, library.cancel, lambda: app.idle_rest_s(idle_timeout_s))
        catch_signals(server)
        server.run(sockets=[place.listener])
    finally:
        place.leave()
        library.close()


def configured(app: LocalApp) -> uvicorn.Config:
    """Return the configuration of uvicorn."""
    return uvicorn.Config(
        app,
        http="vademecum.server.listen.connection:Connection",
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=MOST_HEAD,
        date_header=False,
        timeout_graceful_shutdown=STOPPING_S,
    )
