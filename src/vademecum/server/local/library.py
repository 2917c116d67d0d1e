"""The library of the background service. Questions are answered in order, by as many processes as the load is worth.

A reindex runs in a child process, so questions are answered in the meantime.
"""

import asyncio
import os
import time
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from vademecum.core.answers import Answer, Hit
from vademecum.core.errors import IndexLocked, StoreError
from vademecum.core.settings import Presenter
from vademecum.files.places import Places
from vademecum.index.catalog.catalog import CatalogEntry
from vademecum.index.generations import Generations
from vademecum.library.internal import InternalLibrary
from vademecum.server.errors import HttpError
from vademecum.server.local.answering import Answering, Helper, HelperLost
from vademecum.server.local.reindex import Reindex

_WORTH_A_HELPER = 4
"""The number of questions that wait for each process, beyond which another process is started."""

_IDLE_S = 60.0
"""The time without questions after which a helper is ended, in seconds."""


class LocalLibrary:
    """A library, as the routes of the background service use it."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self._answering = Answering(places)
        self._thread = ThreadPoolExecutor(1, "question")
        self._processes = len(os.sched_getaffinity(0))
        self._helpers: list[Helper] = []
        self._starting: asyncio.Task[None] | None = None
        # (order, helper): the smallest is taken first, and `None` is this process
        self._free: asyncio.PriorityQueue[tuple[int, Helper | None]] = asyncio.PriorityQueue()
        self._free.put_nowait((0, None))
        self._waiting = 0
        self._reindex: Reindex | None = None
        self._began_s = time.monotonic()
        self._questions = 0

    def warm(self) -> None:
        """Open the index and answer a question in the background, so that the first user does not wait."""
        self._thread.submit(self._answering.warm)

    async def ask(self, question: str, *, no_model: bool = False, **options: Any) -> tuple[Answer, Presenter]:
        """Answer a question; see `Library.ask`.

        The service does not call models, because other questions would have to wait. If the configuration names a model,
        clients ask in their own process.

        Returns:
            The answer, and the configured format.
        """
        answer, presenter = await self._answered("ask", question, no_model=no_model, **options)
        if answer is None:
            message = "A model is configured to write the answer. The service does not call models."
            raise HttpError(409, "MODEL_ASKED", message)
        return answer, presenter

    async def search(
        self, question: str, limit: int, *, sources: Sequence[str] = (), sections: Sequence[str] = ()
    ) -> list[Hit]:
        """Search; see `Library.search`."""
        hits: list[Hit] = await self._answered("search", question, limit, sources, sections)
        return hits

    async def sources(self) -> list[CatalogEntry]:
        """List the sources; see `Library.sources`."""
        return await asyncio.to_thread(InternalLibrary.open(self.places).sources)

    def reindex(self, *, full: bool, sources: Collection[str] | None) -> Reindex:
        """Return a new reindex. It runs while its snapshots are read."""
        if self._is_reindexing:
            message = f"Another process is writing the index in {self.places.index_folder}."
            raise IndexLocked(message, hint="Wait until it is done, then try again.")
        self._reindex = Reindex(self.places, full=full, sources=sources)
        return self._reindex

    def health(self) -> dict[str, Any]:
        """Return the status of the service."""
        from vademecum import __version__  # noqa: PLC0415 - loaded when its value is first asked for

        return {
            "status": "ok",
            "version": __version__,
            "generation": self._generation(),
            "processes": 1 + len(self._running()),
            "questions": self._questions,
            "uptime_s": round(time.monotonic() - self._began_s, 3),
            "reindexing": self._is_reindexing,
            "memory_bytes": memory_bytes(),
            "pid": os.getpid(),
            "data": str(self.places.data),
            "config": str(self.places.config),
        }

    def cancel(self) -> None:
        """Cancel a running reindex. Its last snapshot then has the state `cancelled`."""
        if self._reindex:
            self._reindex.cancel()

    def close(self) -> None:
        """Wait for the running question, end the helpers, and close the library."""
        self._thread.shutdown(cancel_futures=True)
        for helper in self._running():
            helper.end()
        self._answering.close()

    @property
    def _is_reindexing(self) -> bool:
        return self._reindex is not None and self._reindex.is_running

    async def _answered(self, name: str, *values: Any, **options: Any) -> Any:
        """Call a method of an `Answering`, in this process if it is free, or else in a helper.

        A caller that is cancelled while it waits is dropped. A helper that is lost gives its question to another process.
        """
        while True:
            self._waiting += 1
            try:
                self._add_helper()
                order, helper = await self._free.get()
            finally:
                self._waiting -= 1
            if helper and not helper.is_running:
                continue
            self._questions += name == "ask"
            call = asyncio.ensure_future(self._called(helper, name, values, options))
            call.add_done_callback(partial(self._release, order, helper))
            with suppress(HelperLost):
                return await asyncio.shield(call)

    async def _called(self, helper: Helper | None, name: str, values: Any, options: Any) -> Any:
        if helper:
            return await helper.call(name, *values, **options)
        work = partial(getattr(self._answering, name), *values, **options)
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _release(self, order: int, helper: Helper | None, call: "asyncio.Future[Any]") -> None:
        self._free.put_nowait((order, helper))
        call.exception()  # its caller may be gone

    def _running(self) -> list[Helper]:
        self._helpers = [helper for helper in self._helpers if helper.is_running]
        return self._helpers

    def _add_helper(self) -> None:
        """Start a helper in the background if enough questions wait to be worth it, and a processor is left."""
        processes = 1 + len(self._running())
        is_starting = self._starting is not None and not self._starting.done()
        if not is_starting and processes < self._processes and self._waiting > _WORTH_A_HELPER * processes:
            self._starting = asyncio.create_task(self._start_helper())

    async def _start_helper(self) -> None:
        with suppress(HelperLost):  # without it, questions wait longer
            helper = await Helper.start(self.places)
            self._helpers.append(helper)
            self._free.put_nowait((id(helper), helper))
            asyncio.get_running_loop().call_later(_IDLE_S, self._end_if_idle, helper)

    def _end_if_idle(self, helper: Helper) -> None:
        loop = asyncio.get_running_loop()
        if helper.idle_since_s <= loop.time() - _IDLE_S:
            helper.end()
        elif helper.is_running:
            loop.call_later(_IDLE_S, self._end_if_idle, helper)

    def _generation(self) -> int | None:
        """Return the number of the current generation; `None` if none can be read."""
        with suppress(StoreError):
            return Generations(self.places.index_folder).current().number
        return None


def memory_bytes() -> int:
    """Return the anonymous memory of this process (RssAnon). Mapped files are not counted, because the kernel can drop them."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0
