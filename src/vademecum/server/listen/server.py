"""Run uvicorn for the web server and for the background service."""

import asyncio
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import uvicorn

STOPPING_S = 10
"""The time that running requests have to finish when the server stops, in seconds."""


class Server(uvicorn.Server):
    """A server that reports when it has started, and that can stop when it is idle.

    Args:
        on_ready: Called when the server has started.
        on_stop: Called in the event loop when the server begins to stop.
        idle_rest_s: Returns the time, in seconds, after which an idle server stops; 0 or less to stop now, None to keep
            running.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        on_ready: Callable[[], object],
        on_stop: Callable[[], object] = lambda: None,
        idle_rest_s: Callable[[], float | None] = lambda: None,
    ) -> None:
        super().__init__(config)
        self._on_ready, self._on_stop, self._idle_rest_s = on_ready, on_stop, idle_rest_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and report it."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        if self.started:
            with suppress(OSError):  # standard output may be closed
                self._on_ready()

    async def main_loop(self) -> None:
        """Wait until the server is stopped, or has been idle for long enough.

        uvicorn's own loop wakes up ten times a second to update the date header. Without that header, this loop sleeps.
        """
        if self.config.date_header:
            await super().main_loop()
            return
        await self.on_tick(0)
        while not self.should_exit:
            rest_s = self._idle_rest_s()
            if rest_s is not None and rest_s <= 0:
                break
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), rest_s)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop, after running requests have finished."""
        self._on_stop()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop because of a signal."""
        super().handle_exit(sig, frame)
        self._wake()

    def stop(self) -> None:
        """Stop, or if the server has not started yet, stop once it has. Signal handlers can call this."""
        self.should_exit = True
        self._wake()

    def _wake(self) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._stopped.set)


def catch_signals(server: Server) -> None:
    """Stop the server on SIGTERM and SIGINT until uvicorn installs its own handlers, and again after it has removed them.

    At its end, uvicorn raises the signals again that it has caught.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: server.stop())
