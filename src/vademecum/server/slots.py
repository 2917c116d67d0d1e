"""Concurrency limits: threads for blocking work, a queue, and status 503 when the queue is full.

A search holds the interpreter lock, so a few threads handle all retrieval. A stream mostly waits for its model, so it
has its own thread.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from vademecum.server.errors import HttpError
from vademecum.server.settings import ServerSettings

_T = TypeVar("_T")

_WAITING_EACH = 100
"""The maximum number of waiting callers for each slot. Further callers would wait in vain."""


class Slots:
    """The slots for blocking work. Calls to models have their own limits, see `providers.call_limit`."""

    def __init__(self, settings: ServerSettings) -> None:
        self._retrieving = _Places("look-ups", settings.retrievals, settings.waiting_s)
        self._streaming = _Places("answers", settings.streams, settings.waiting_s)
        self._lookups = ThreadPoolExecutor(settings.retrievals, "retrieval")
        self._streams = ThreadPoolExecutor(settings.streams, "stream")

    async def run(self, work: Callable[[], _T]) -> _T:
        """Run short blocking work in a thread: a retrieval, an answer without a model, file access."""
        async with self._retrieving.one():
            return await asyncio.get_running_loop().run_in_executor(self._lookups, work)

    @asynccontextmanager
    async def stream(self, work: Callable[[], Any]) -> AsyncIterator["asyncio.Future[Any]"]:
        """Start long-running work in a thread. The thread is free again when the work is done."""
        async with self._streaming.one():
            done = asyncio.get_running_loop().run_in_executor(self._streams, work)
            try:
                yield done
            finally:
                await asyncio.wait([done])
                if not done.cancelled():
                    done.exception()  # a client that disconnected does not retrieve it

    async def run_apart(self, work: Callable[[], _T], close: Callable[[], object] = lambda: None) -> _T:
        """Run work that waits for a model or another machine, in its own thread."""
        async with self.stream(work) as done:
            try:
                result: _T = await asyncio.shield(done)
            except asyncio.CancelledError:
                close()
                raise
            return result

    def close(self) -> None:
        """Accept no more work."""
        self._lookups.shutdown(wait=False, cancel_futures=True)
        self._streams.shutdown(wait=False, cancel_futures=True)


class _Places:
    """A number of slots, and a queue for them with a maximum length and a timeout."""

    def __init__(self, what: str, count: int, patience_s: float) -> None:
        self._what = what
        self._count = count
        self._patience_s = patience_s
        self._semaphore = asyncio.Semaphore(count)
        self._waiting = 0

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Hold a slot while the context is open."""
        await self._take()
        try:
            yield
        finally:
            self._semaphore.release()

    async def _take(self) -> None:
        if self._semaphore.locked() and self._waiting >= _WAITING_EACH * self._count:
            raise self._busy()
        self._waiting += 1
        try:
            async with asyncio.timeout(self._patience_s):
                await self._semaphore.acquire()
        except TimeoutError:
            raise self._busy() from None
        finally:
            self._waiting -= 1

    def _busy(self) -> HttpError:
        message = f"The server is busy: too many {self._what} are running."
        return HttpError(503, "BUSY", message, "Try again in a moment.", (("Retry-After", "1"),))
