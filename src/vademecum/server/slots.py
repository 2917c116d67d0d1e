"""Concurrency limits: threads for blocking work, a queue, and status 503 when the queue is full.

A search holds the interpreter lock, so a few threads look up all questions; a stream waits for its
model most of the time and has a thread of its own.
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
"""How many may wait for one place; with more the last would wait in vain."""


class Slots:
    """The places there are.

    Args:
        settings: How many.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self._waiting_s = settings.waiting_s
        self._calls = settings.calls_a_model
        self._retrieving = _Places("look-ups", settings.retrievals, settings.waiting_s)
        self._streaming = _Places("answers", settings.streams, settings.waiting_s)
        self._models: dict[str, _Places] = {}
        self._lookups = ThreadPoolExecutor(settings.retrievals, "retrieval")
        self._streams = ThreadPoolExecutor(settings.streams, "stream")

    async def run(self, work: Callable[[], _T]) -> _T:
        """Do in a thread what blocks for a moment: a look-up, an answer without a model, a file.

        Raises:
            HttpError: Too many are waiting (503, with Retry-After).
            Exception: What `work` raises.
        """
        async with self._retrieving.one():
            return await asyncio.get_running_loop().run_in_executor(self._lookups, work)

    @asynccontextmanager
    async def stream(self, work: Callable[[], Any], model: str = "") -> AsyncIterator["asyncio.Future[Any]"]:
        """Begin in a thread what may take long; the thread is free again when the work is done.

        Args:
            work: It must end soon once its stream is closed.
            model: The model it will call, of which there may be a few calls at once; "" for none.

        Raises:
            HttpError: Too many are on their way.
        """
        async with self._streaming.one(), self._places_of(model).one():
            done = asyncio.get_running_loop().run_in_executor(self._streams, work)
            try:
                yield done
            finally:
                await asyncio.wait([done])
                if not done.cancelled():
                    done.exception()  # a client that left does not ask for it

    async def run_apart(
        self, work: Callable[[], _T], model: str = "", close: Callable[[], object] = lambda: None
    ) -> _T:
        """Do in a thread of its own what waits for others: a model, a service on another machine.

        Args:
            work: It must end soon once it is closed.
            model: The model it will call; "" for none.
            close: Ends the work; called when nobody waits for it any more.

        Raises:
            HttpError: Too many are on their way.
            Exception: What `work` raises.
        """
        async with self.stream(work, model) as done:
            try:
                result: _T = await asyncio.shield(done)
            except asyncio.CancelledError:
                close()
                raise
            return result

    def close(self) -> None:
        """Take no more work."""
        self._lookups.shutdown(wait=False, cancel_futures=True)
        self._streams.shutdown(wait=False, cancel_futures=True)

    def _places_of(self, model: str) -> "_Places":
        if not model:
            return _FREE
        return self._models.setdefault(model, _Places(f"calls of {model}", self._calls, self._waiting_s))


class _Places:
    """A number of places, and a queue of limited length and patience before them."""

    def __init__(self, what: str, count: int, patience_s: float) -> None:
        self._what = what
        self._count = count
        self._patience_s = patience_s
        self._semaphore = asyncio.Semaphore(count)
        self._waiting = 0

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """A place, until it is given back."""
        if self._count:
            await self._take()
        try:
            yield
        finally:
            if self._count:
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


_FREE = _Places("", 0, 0.0)
