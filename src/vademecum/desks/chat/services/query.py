"""A query to several services: it is embedded once, and all calls can be cancelled together."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import NamedTuple, Protocol

from vademecum.ask.running_text.passages import Found
from vademecum.core.deadline import Deadline
from vademecum.core.errors import CollectionMissing, StreamClosed
from vademecum.core.models import Vector
from vademecum.core.protocols import Embedder
from vademecum.desks.chat.profile import CollectionSettings, Passage
from vademecum.library.collections import Collection
from vademecum.text.printable import printable

_HELPERS_SHARE, _HELPERS_S = 0.2, 10.0
LONGEST = 8000
"""The maximum number of characters of a question that are looked up."""


class Answered(NamedTuple):
    """The reply of a collection.

    Attributes:
        documents: The documents, best first; can be empty.
        local: The library's result for a collection of this machine; otherwise None.
    """

    settings: CollectionSettings
    documents: tuple[Passage, ...] = ()
    local: Found | None = None


class Closable(Protocol):
    """An open call."""

    def close(self) -> None:
        """Cancel the call, from any thread."""
        ...


class Calls:
    """The open calls of an answer in progress. Any thread can cancel all of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: set[Closable] = set()
        self._ended = False

    def check(self) -> None:
        """Check that the answer was not cancelled."""
        if self._ended:
            raise StreamClosed("The answer was cancelled.")

    @contextmanager
    def holding(self, call: Closable) -> Iterator[None]:
        """Register a call, so that `close` cancels it. The call is closed on exit."""
        with self._lock:
            self._open.add(call)
        try:
            self.check()
            yield
        finally:
            with self._lock:
                self._open.discard(call)
            call.close()

    def close(self) -> None:
        """Cancel all calls, including future ones."""
        with self._lock:
            self._ended = True
            calls = tuple(self._open)
        for call in calls:
            call.close()


class Query:
    """A question to services.

    Args:
        text: The question, with follow-ups rewritten to stand alone.
        may_see: Returns whether the caller may query a collection; by default any.
        where: Patterns of the names of the documents to query; empty for all.
        is_carried: Whether the text has words of earlier questions.
    """

    def __init__(
        self,
        text: str,
        deadline: Deadline,
        calls: Calls | None = None,
        may_see: Callable[[Collection], bool] = lambda _collection: True,
        where: tuple[str, ...] = (),
        *,
        is_carried: bool = False,
    ) -> None:
        self.text = text[:LONGEST]
        self.deadline = deadline
        self.calls = calls or Calls()
        self.may_see, self.where, self.is_carried = may_see, where, is_carried
        self._lock = Lock()
        self._vectors: dict[int, Vector] = {}

    def share(self) -> Deadline:
        """Return the deadline of a model that only helps with routing. It limits the cost of a model that hangs."""
        return Deadline(min(self.deadline.remaining_s * _HELPERS_SHARE, _HELPERS_S))

    def vector(self, embedder: Embedder) -> Vector:
        """Return the vector of the question, which is computed once per embedder."""
        with self._lock:
            known = self._vectors.get(id(embedder))
            if known is None:
                (known,) = embedder.embed([self.text], "query", self.deadline)
                self._vectors[id(embedder)] = known
            return known


def missing(name: str, where: str = "") -> CollectionMissing:
    """Return the error for a collection that does not exist, or that the caller may not see."""
    message = f"Collection {printable(name, 60)} not found{where}."
    return CollectionMissing(message, hint="List them with: GET /api/chat/collections")
