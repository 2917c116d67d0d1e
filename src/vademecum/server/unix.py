"""HTTP/1.1 over a Unix socket: connections, threads, and shutdown.

A thread a connection, and at most so many at once; the rest wait in the kernel. The thread reads one request,
has it answered, and closes the connection. Only the user who runs the service, and root, are listened to.
"""

import os
import select
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from traceback import format_exc

from vademecum.core.errors import VademecumError
from vademecum.server.exchange import Refusal, Reply, Request, read_request, send
from vademecum.server.problems import refused

_AT_ONCE = 64
_PATIENCE_S = 10.0

Handler = Callable[[Request, socket.socket], Reply | None]
"""Answers a request; `None` when it has written the reply itself."""


class UnixServer:
    """Serves connections until it is stopped.

    Args:
        listener: Accepts connections. It stays open.
        handle: Called in the connection's own thread.
        headers: Of every reply.
        idle_timeout_s: Stop when nobody has asked for so long; `None` for never.
    """

    def __init__(
        self,
        listener: socket.socket,
        handle: Handler,
        *,
        headers: tuple[tuple[str, str], ...] = (),
        idle_timeout_s: float | None = None,
    ) -> None:
        self._listener, self._handle, self._headers = listener, handle, headers
        self._idle_timeout_s = idle_timeout_s
        self._awake, self._bell = socket.socketpair()
        self._bell.setblocking(False)
        self._changed = threading.Condition()
        self._active = 0
        self._last_s = time.monotonic()
        self._stopping = False

    @property
    def bell(self) -> int:
        """A descriptor; what is written to it wakes the server, to see whether it is to stop."""
        return self._bell.fileno()

    def serve(self) -> None:
        """Accept connections until `stop`, or until nobody has come for long enough."""
        self._listener.setblocking(False)
        while not self._stopping and self._wait_for_one():
            with suppress(BlockingIOError, ConnectionAbortedError):
                connection, _ = self._listener.accept()
                self._start(connection)

    def stop(self) -> None:
        """Accept nothing more. It may be called by a signal's handler, and by any thread."""
        self._stopping = True
        with suppress(OSError):
            self._bell.send(b"!")

    def finish(self) -> None:
        """Wait for the requests at hand, but not forever."""
        end_s = time.monotonic() + _PATIENCE_S
        with self._changed:
            while self._active and time.monotonic() < end_s:
                self._changed.wait(end_s - time.monotonic())

    def _wait_for_one(self) -> bool:
        """Wait until somebody comes; False when it is time to end."""
        watched = select.poll()
        for one in (self._listener, self._awake):
            watched.register(one, select.POLLIN)
        while not self._stopping:
            with self._changed:
                while self._active >= _AT_ONCE and not self._stopping:
                    self._changed.wait(1.0)
                rest_s = self._rest_s()
            if rest_s is not None and rest_s <= 0:
                return False
            ready = watched.poll(None if rest_s is None else 1000 * rest_s)
            if any(descriptor == self._listener.fileno() for descriptor, _ in ready):
                return True
        return False

    def _rest_s(self) -> float | None:
        """How long to wait at most; only an idle server grows tired of it."""
        if self._idle_timeout_s is None:
            return None
        if self._active:
            return self._idle_timeout_s
        return self._last_s + self._idle_timeout_s - time.monotonic()

    def _start(self, connection: socket.socket) -> None:
        with self._changed:
            self._active += 1
        try:
            threading.Thread(target=self._serve_one, args=(connection,), daemon=True).start()
        except RuntimeError:  # no more threads are to be had
            self._ended(connection)

    def _serve_one(self, connection: socket.socket) -> None:
        try:
            with suppress(OSError):  # the other side has gone
                self._exchange(connection)
        finally:
            self._ended(connection)

    def _ended(self, connection: socket.socket) -> None:
        connection.close()
        with self._changed:
            self._active -= 1
            self._last_s = time.monotonic()
            self._changed.notify_all()

    def _exchange(self, connection: socket.socket) -> None:
        try:
            check_peer(connection)
            request = read_request(connection)
            reply = self._handle(request, connection) if request else None
        except (VademecumError, Refusal) as error:
            reply = refused(error)
        except OSError:
            raise
        except Exception:  # noqa: BLE001 - a fault of ours: one request fails, the service goes on
            print(format_exc(), file=sys.stderr, flush=True)  # noqa: T201 - the journal's
            reply = refused(Refusal(500, "FAULT", "The service has a fault; its journal says more."))
        if reply is not None:
            send(connection, reply._replace(headers=(*self._headers, *reply.headers)))


def check_peer(connection: socket.socket) -> None:
    """Refuse who is neither this user nor root.

    Raises:
        Refusal: The other side is somebody else.
    """
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", peer)
    if uid not in {os.geteuid(), 0}:
        raise Refusal(403, "OTHER_USER", "This service answers the user who runs it.")
