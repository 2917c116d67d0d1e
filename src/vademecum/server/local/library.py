"""The library of the background service: one question at a time, answered with the newest index and settings.

A search holds the interpreter lock, so concurrent questions would gain nothing. One thread answers them in order.
A reindex runs in a child process, so questions are answered in the meantime.
"""

import asyncio
import os
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from vademecum.core.answers import Answer, Hit
from vademecum.core.errors import IndexLocked, StoreError, VademecumError
from vademecum.core.settings import Settings
from vademecum.files.places import Places
from vademecum.index.catalog.catalog import CatalogEntry
from vademecum.index.generations import Generations
from vademecum.library.internal import InternalLibrary
from vademecum.server.errors import HttpError
from vademecum.server.local.reindex import Reindex

_T = TypeVar("_T")
_Stamp = tuple[tuple[int, ...], ...]


class LocalLibrary:
    """A library, as the routes of the background service use it.

    Args:
        places: The folders of the library.
    """

    def __init__(self, places: Places) -> None:
        self.places = places
        self._library = InternalLibrary.open(places)
        self._questions_thread = ThreadPoolExecutor(1, "question")
        self._reindex: Reindex | None = None
        self._began_s = time.monotonic()
        self._seen: _Stamp = ()
        self._questions = 0

    def warm(self) -> None:
        """Open the index and answer a question in the background, so that the first user does not wait."""

        def warm() -> None:
            with suppress(VademecumError):
                self._freshen()
                self._library.search("manual page", limit=1)

        self._questions_thread.submit(warm)

    async def ask(self, question: str, *, no_model: bool = False, **options: Any) -> tuple[Answer, Settings]:
        """Answer a question; see `Library.ask`.

        The service does not call models, because other questions would have to wait. If the configuration names a model,
        clients ask in their own process.

        Args:
            question: As for `Library.ask`.
            no_model: Whether to quote the documents even if the configuration names a model.
            **options: As for `Library.ask`.

        Returns:
            The answer, and the settings that were in force.

        Raises:
            HttpError: A model is configured.
            VademecumError: As `Library.ask`.
        """

        def ask() -> tuple[Answer, Settings]:
            self._questions += 1
            self._freshen()
            if self._library.settings.model and not no_model:
                message = "A model is configured to write the answer. The service does not call models."
                raise HttpError(409, "MODEL_ASKED", message)
            return self._library.ask(question, **options), self._library.settings

        return await self._in_order(ask)

    async def search(
        self, question: str, limit: int, *, sources: Sequence[str] = (), sections: Sequence[str] = ()
    ) -> list[Hit]:
        """Search; see `Library.search`.

        Raises:
            VademecumError: As `Library.search`.
        """

        def search() -> list[Hit]:
            self._freshen()
            return self._library.search(question, limit=limit, sources=sources, sections=sections)

        return await self._in_order(search)

    async def sources(self) -> list[CatalogEntry]:
        """List the sources; see `Library.sources`.

        Raises:
            ConfigError: As `Library.sources`.
        """
        return await asyncio.to_thread(InternalLibrary.open(self.places).sources)

    def reindex(self, *, full: bool, sources: Collection[str] | None) -> Reindex:
        """Return a new reindex. It runs while its snapshots are read.

        Raises:
            IndexLocked: A reindex is running already.
        """
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
        """Wait for the running question, and close the library."""
        self._questions_thread.shutdown(cancel_futures=True)
        self._library.close()

    @property
    def _is_reindexing(self) -> bool:
        return self._reindex is not None and self._reindex.is_running

    async def _in_order(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._questions_thread, work)

    def _generation(self) -> int | None:
        """Return the number of the current generation; `None` if none can be read."""
        with suppress(StoreError):
            return Generations(self.places.index_folder).current().number
        return None

    def _freshen(self) -> None:
        """Use the newest index and settings. Unless one of two files has changed, this only looks at them."""
        now = (_stamp(self.places.index_folder / "CURRENT"), _stamp(self.places.settings_file))
        if now != self._seen:
            self._library.refresh()
            self._seen = now


def memory_bytes() -> int:
    """Return the anonymous memory of this process (RssAnon). Mapped files are not counted, because the kernel can drop them."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0


def _stamp(path: Path) -> tuple[int, ...]:
    """Return values that change when a file is replaced; empty if it does not exist."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_mtime_ns, found.st_size
