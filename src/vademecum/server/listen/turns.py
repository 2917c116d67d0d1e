"""Balance connections between workers that share a listening socket.

Every worker wakes when somebody connects, and the first one takes all that wait. Of 100 connections that stay open one of
two workers was seen to take 64 so, and their questions waited in its queue while the other was idle. Here the worker that took the
last connection lets the others go first for a moment; who is alone, or whose others are busy, takes it after that.
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
"""For uvicorn's setting `loop`."""

_STEP_S = 0.001
_STEPS = 10
"""For how many looks, each a step after the last, the others may go first."""

_PAUSE_S = 1.0
"""How long nobody is taken after the machine refused: it is out of file descriptors."""

_log = logging.getLogger("uvicorn.error")


class Turn:
    """Who took the last connection, in eight bytes that all workers map.

    Args:
        path: The file, which is made if it is not there.

    Raises:
        OSError: It cannot be made; there is no room, for one.
    """

    def __init__(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if not os.fstat(descriptor).st_size:
                # a hole that is mapped would end the process when there is no room to fill it
                os.write(descriptor, bytes(8))
            self._last = memoryview(mmap.mmap(descriptor, 8)).cast("q")
        finally:
            os.close(descriptor)
        self._own = os.getpid()

    @property
    def is_ours(self) -> bool:
        """Whether this process took the last one."""
        return self._last[0] == self._own

    def take(self) -> None:
        """Tell that it takes one."""
        self._last[0] = self._own


class Loop(asyncio.SelectorEventLoop):
    """asyncio's event loop, whose servers take connections in turns with those of other processes."""

    async def create_server(  # type: ignore[override]  # of asyncio's ways the one that uvicorn goes
        self,
        protocol_factory: Callable[[], asyncio.BaseProtocol],
        *,
        sock: socket.socket,
        backlog: int,
        ssl: None = None,
    ) -> "_Listening":
        """Listen on a socket that others listen on, too."""
        assert ssl is None  # noqa: S101 - the server speaks no TLS itself
        sock.setblocking(False)
        sock.listen(backlog)
        return _Listening(self, sock, protocol_factory, Turn(Path(os.environ[SHARED], "turn")))


class _Listening:
    """A listening socket, as far as uvicorn needs a server of asyncio."""

    def __init__(
        self, loop: Loop, listener: socket.socket, make: Callable[[], asyncio.BaseProtocol], turn: Turn
    ) -> None:
        self._loop, self._listener, self._make, self._turn = loop, listener, make, turn
        self._patience = _STEPS
        self._timer: asyncio.TimerHandle | None = None
        self._beginning: set[asyncio.Task[Any]] = set()
        self._watch()

    def close(self) -> None:
        """Take no more connections; those there are stay."""
        if self._timer:
            self._timer.cancel()
        self._loop.remove_reader(self._listener)

    async def wait_closed(self) -> None:
        """Return at once: `close` leaves nothing to be done."""

    def _watch(self) -> None:
        self._timer = None
        self._loop.add_reader(self._listener, self._ready)

    def _wait(self, seconds: float) -> None:
        self._loop.remove_reader(self._listener)
        self._timer = self._loop.call_later(seconds, self._watch)

    def _ready(self) -> None:
        """Somebody waits to be taken."""
        if not self._turn.is_ours:
            self._patience = _STEPS
        elif self._patience:
            # used up, it stays so until another takes one: a worker that hangs is waited for once
            self._patience -= 1
            self._wait(_STEP_S)
            return
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another worker was first, or the client is gone
        except OSError as error:
            _log.error("no connection can be taken: %s", error)
            self._wait(_PAUSE_S)
            return
        self._turn.take()
        connection.setblocking(False)
        task = self._loop.create_task(self._loop.connect_accepted_socket(self._make, connection))
        self._beginning.add(task)
        task.add_done_callback(self._beginning.discard)
