"""The library in the service: one question at a time, with the newest generation and settings.

A search holds the interpreter lock, so questions asked at once would gain nothing; a lock
keeps them in order. A reindex runs in a process of its own, and questions go on meanwhile.
"""

import os
import threading
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from vademecum.core.answers import Answer
from vademecum.core.errors import IndexLocked, StoreError, VademecumError
from vademecum.core.hits import Hit
from vademecum.core.limits import CONTEXT_TOKENS
from vademecum.core.settings import Settings
from vademecum.files.places import Places
from vademecum.index.catalog.catalog import CatalogEntry
from vademecum.index.generations import Generations
from vademecum.library.library import Library
from vademecum.server.exchange import Refusal
from vademecum.server.jobs import Job

_Stamp = tuple[tuple[int, ...], ...]


class Service:
    """What is behind the routes.

    Args:
        places: The folders of the library.
    """

    def __init__(self, places: Places) -> None:
        self.places = places
        self._library = Library.open(places)
        self._asking = threading.Lock()
        self._reindexing = threading.Lock()
        self._job: Job | None = None
        self._began_s = time.monotonic()
        self._seen: _Stamp = ()
        self._questions = 0

    def warm(self) -> None:
        """Open the index and touch what a question touches, so that the first one does not wait."""
        with suppress(VademecumError):
            self.search("manual page", 1)

    def ask(
        self,
        question: str,
        *,
        strict: bool = False,
        context_tokens: int = CONTEXT_TOKENS,
        sources: Sequence[str] = (),
        sections: Sequence[str] = (),
        conversation: str = "",
        no_model: bool = False,
    ) -> tuple[Answer, Settings]:
        """See `Library.ask`; with the settings that were in force.

        The service asks no model: seconds of waiting for one would keep all others from their answers. So where the
        configuration names one, each caller asks in a process of their own.

        Args:
            question: As there.
            strict: As there.
            context_tokens: As there.
            sources: As there.
            sections: As there.
            conversation: As there.
            no_model: Whether the answer is to be in the documents' own words, whatever the configuration says.

        Raises:
            Refusal: A model is to answer.
            VademecumError: As there.
        """
        with self._asking:
            self._questions += 1
            self._freshen()
            if self._library.settings.model and not no_model:
                raise Refusal(
                    409, "MODEL_ASKED", "A model is to write the answer, which takes a process of its own."
                )
            answer = self._library.ask(
                question,
                strict=strict,
                context_tokens=context_tokens,
                sources=sources,
                sections=sections,
                conversation=conversation,
            )
            return answer, self._library.settings

    def search(
        self, question: str, limit: int, *, sources: Sequence[str] = (), sections: Sequence[str] = ()
    ) -> list[Hit]:
        """See `Library.search`.

        Raises:
            VademecumError: As there.
        """
        with self._asking:
            self._freshen()
            return self._library.search(question, limit=limit, sources=sources, sections=sections)

    def sources(self) -> list[CatalogEntry]:
        """See `Library.sources`.

        Raises:
            ConfigError: As there.
        """
        return Library.open(self.places).sources()

    def reindex(self, *, full: bool, sources: Collection[str] | None) -> Job:
        """Begin a reindex; the caller follows it to its end, and then calls `Job.close`.

        Raises:
            IndexLocked: One is at work already.
        """
        if not self._reindexing.acquire(blocking=False):
            message = f"Another process is writing the index in {self.places.index_folder}."
            raise IndexLocked(message, hint="Wait until it is done, then try again.")
        try:
            self._job = Job(self.places, full=full, sources=sources, on_close=self._reindexing.release)
        except BaseException:
            self._reindexing.release()
            raise
        return self._job

    def health(self) -> dict[str, Any]:
        """What the service says of itself."""
        from vademecum import __version__  # noqa: PLC0415 - loaded when its value is first asked for

        return {
            "status": "ok",
            "version": __version__,
            "generation": self._generation(),
            "questions": self._questions,
            "uptime_s": round(time.monotonic() - self._began_s, 3),
            "reindexing": self._reindexing.locked(),
            "memory_bytes": memory_bytes(),
            "pid": os.getpid(),
            "data": str(self.places.data),
            "config": str(self.places.config),
        }

    def stop(self) -> None:
        """Cancel what is at work, and give back what is open."""
        if self._job:
            self._job.cancel()
        self._library.close()

    def _generation(self) -> int | None:
        """The number of the current generation; `None` when there is none that can be read."""
        with suppress(StoreError):
            return Generations(self.places.index_folder).current().number
        return None

    def _freshen(self) -> None:
        """Answer by what is on the disk now: a look at two files, unless one has changed."""
        now = (_stamp(self.places.index_folder / "CURRENT"), _stamp(self.places.settings_file))
        if now != self._seen:
            self._library.refresh()
            self._seen = now


def memory_bytes() -> int:
    """Memory that this process has for itself (RssAnon); pages of mapped files are the system's to keep or drop."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0


def _stamp(path: Path) -> tuple[int, ...]:
    """What changes when a file is replaced; empty when there is none."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_mtime_ns, found.st_size
