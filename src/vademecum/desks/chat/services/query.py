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
from vademecum.desks.chat.profile import Facts, Given
from vademecum.library.collections import Collection
from vademecum.text.printable import printable

_HELPERS_SHARE, _HELPERS_S = 0.2, 10.0
LONGEST = 8000
"""Characters of a question that are looked up."""


class Answered(NamedTuple):
    """What a collection gave.

    Attributes:
        facts: What it says of itself.
        documents: Best first; none when it has none.
        local: The same as the library found it, of a collection of this machine.
    """

    facts: Facts
    documents: tuple[Given, ...] = ()
    local: Found | None = None


class Closable(Protocol):
    """A call on its way."""

    def close(self) -> None:
        """End it, from any thread."""
        ...


class Calls:
    """The calls of an answer that is being made. Any thread may end them all."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: set[Closable] = set()
        self._ended = False

    def check(self) -> None:
        """See that it may go on.

        Raises:
            StreamClosed: It has been ended.
        """
        if self._ended:
            raise StreamClosed("The answer was ended before it was whole.")

    @contextmanager
    def holding(self, call: Closable) -> Iterator[None]:
        """Note a call, so that `close` ends it.

        Raises:
            StreamClosed: All has been ended.
        """
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
        """End them, and all that are still to come."""
        with self._lock:
            self._ended = True
            calls = tuple(self._open)
        for call in calls:
            call.close()


class Query:
    """A question as services are asked.

    Args:
        text: The question, follow-ups put so that they stand alone.
        deadline: For all of it.
        calls: Where calls are noted.
        may_see: Whether a collection may be asked by the caller; by default each.
        where: Patterns of what the documents are called that are asked; none for all.
    """

    def __init__(
        self,
        text: str,
        deadline: Deadline,
        calls: Calls | None = None,
        may_see: Callable[[Collection], bool] = lambda _collection: True,
        where: tuple[str, ...] = (),
    ) -> None:
        self.text = text[:LONGEST]
        self.deadline = deadline
        self.calls = calls or Calls()
        self.may_see, self.where = may_see, where
        self._lock = Lock()
        self._vectors: dict[int, Vector] = {}

    def share(self) -> Deadline:
        """The part of the time that a model may take which only helps to route: one that hangs costs no more than that."""
        return Deadline(min(self.deadline.remaining_s * _HELPERS_SHARE, _HELPERS_S))

    def vector(self, embedder: Embedder) -> Vector:
        """Its vector, made when it is first asked for.

        Raises:
            ProviderError: It cannot be had.
        """
        with self._lock:
            known = self._vectors.get(id(embedder))
            if known is None:
                (known,) = embedder.embed([self.text], "query", self.deadline)
                self._vectors[id(embedder)] = known
            return known


def missing(name: str, where: str = "") -> CollectionMissing:
    """What to raise for a collection that there is not, or not for the caller."""
    message = f"There is no collection named {printable(name, 60)}{where}."
    return CollectionMissing(message, hint="See which there are with: GET /api/chat/collections")
