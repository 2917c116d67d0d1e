"""Balance connections between workers that share a listening socket.

Every worker wakes up when a client connects, and the first one accepts all waiting connections. In one case, one of two
workers accepted 64 of 100 persistent connections, and their questions waited in its queue while the other was idle.
Here, the worker that accepted the last connection lets the others go first for a moment. If it is alone, or the others
are busy, it then accepts the connection.
"""

import asyncio
import logging
import mmap
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vademecum.server.metrics import SHARED

LOOP = f"{__name__}:Loop"
"""The value for uvicorn's setting `loop`."""

_STEP_S = 0.001
_STEPS = 10
"""The number of checks, `_STEP_S` apart, during which the other workers may go first."""

_PAUSE_S = 1.0
"""The pause, in seconds, after the system cannot accept a connection: it is out of file descriptors."""

_log = logging.getLogger("uvicorn.error")


class Turn:
    """The worker that accepted the last connection, in eight bytes that all workers map."""

    def __init__(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if not os.fstat(descriptor).st_size:
                # a mapped hole would end the process if there were no space to fill it
                os.write(descriptor, bytes(8))
            self._last = memoryview(mmap.mmap(descriptor, 8)).cast("q")
        finally:
            os.close(descriptor)
        self._own = os.getpid()

    @property
    def is_ours(self) -> bool:
        """Return whether this process accepted the last connection."""
        return self._last[0] == self._own

    def take(self) -> None:
        """Record that this process accepts a connection."""
        self._last[0] = self._own


class Loop(asyncio.SelectorEventLoop):
    """An asyncio event loop whose servers take turns with other processes to accept connections."""

    async def create_server(  # type: ignore[override]  # only the variant that uvicorn uses
        self,
        protocol_factory: Callable[[], asyncio.BaseProtocol],
        *,
        sock: socket.socket,
        backlog: int,
        ssl: None = None,
    ) -> "_Listening":
        """Listen on a socket that other processes also listen on."""
        assert ssl is None  # noqa: S101 - the server does not handle TLS itself
        sock.setblocking(False)
        sock.listen(backlog)
        return _Listening(self, sock, protocol_factory, Turn(Path(os.environ[SHARED], "turn")))


class _Listening:
    """A listening socket, with the part of asyncio's server interface that uvicorn needs."""

    def __init__(
        self, loop: Loop, listener: socket.socket, make: Callable[[], asyncio.BaseProtocol], turn: Turn
    ) -> None:
        self._loop, self._listener, self._make, self._turn = loop, listener, make, turn
        self._patience = _STEPS
        self._timer: asyncio.TimerHandle | None = None
        self._beginning: set[asyncio.Task[Any]] = set()
        self._watch()

    def close(self) -> None:
        """Accept no more connections. Existing ones stay open."""
        if self._timer:
            self._timer.cancel()
        self._loop.remove_reader(self._listener)

    async def wait_closed(self) -> None:
        """Return at once, because `close` leaves nothing to wait for."""

    def _watch(self) -> None:
        self._timer = None
        self._loop.add_reader(self._listener, self._ready)

    def _wait(self, seconds: float) -> None:
        self._loop.remove_reader(self._listener)
        self._timer = self._loop.call_later(seconds, self._watch)

    def _ready(self) -> None:
        """Accept a waiting connection, or let the other workers go first."""
        if not self._turn.is_ours:
            self._patience = _STEPS
        elif self._patience:
            # at 0, it stays there until another worker accepts: a hung worker is waited for only once
            self._patience -= 1
            self._wait(_STEP_S)
            return
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another worker was first, or the client has disconnected
        except OSError as error:
            _log.error("no connection can be taken: %s", error)
            self._wait(_PAUSE_S)
            return
        self._turn.take()
        connection.setblocking(False)
        task = self._loop.create_task(self._loop.connect_accepted_socket(self._make, connection))
        self._beginning.add(task)
        task.add_done_callback(self._beginning.discard)
