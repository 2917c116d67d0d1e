"""Run the service: open its socket, serve, and shut down."""

import signal
import threading
from collections.abc import Callable
from pathlib import Path

from vademecum.files.folders import socket_file
from vademecum.files.places import Places
from vademecum.server.interrupts import keep_ignoring
from vademecum.server.place import handed_over, listen
from vademecum.server.routes import Routes
from vademecum.server.service import Service
from vademecum.server.unix import UnixServer


def run(places: Places, *, idle_timeout_s: float | None, on_ready: Callable[[str], None]) -> None:
    """Serve until SIGTERM, SIGINT (unless it was ignored before), or long enough without a question.

    Args:
        places: The folders of the library.
        idle_timeout_s: How long is long enough; `None` for never.
        on_ready: Told where it listens.

    Raises:
        ConfigError: It cannot listen.
    """
    keep_ignoring()
    place = handed_over() or listen(Path(socket_file()))
    try:
        service = Service(places)
        routes = Routes(service)
        server = UnixServer(
            place.listener, routes.handle, headers=routes.headers, idle_timeout_s=idle_timeout_s
        )
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda _number, _frame: server.stop())
        signal.set_wakeup_fd(
            server.bell
        )  # a signal just before it waits would else be heard after the next question
        on_ready(str(place.path or place.listener.getsockname()))
        threading.Thread(target=service.warm, daemon=True).start()
        server.serve()
    finally:
        signal.set_wakeup_fd(-1)
        place.leave()
    service.stop()
    server.finish()
