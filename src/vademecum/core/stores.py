"""The interface of a store: a server that keeps the segments of an index as rows, for many machines.

A segment never changes once a generation names it. So a store needs to know little: rows, by segment, kind and key;
the nearest vectors of a kind; and one name that is replaced in one step. Terms, weights and scores are the library's
own, whatever the store, so that the same question has the same answer everywhere.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, get_args

from vademecum.core.trace import Json

Kind = Literal[
    "document",
    "document_vector",
    "passage",
    "text",
    "need",
    "need_vector",
    "name",
    "page_words",
    "passage_words",
    "need_words",
    "table",
]
"""What a row holds: a document; the vector of its line; a passage; the passages that carry a text; a need; its vector; the
documents of a name; the postings of a term in documents, passage texts and needs; a part of a table of the whole segment,
or of a generation."""

KINDS: tuple[Kind, ...] = get_args(Kind)


class Row(NamedTuple):
    """A row of a segment.

    Attributes:
        key: Its number within its segment and kind, 0 to 2**32 - 1.
        fields: What a person or a filter may want to read of it: JSON without NUL and lone surrogates.
        data: All of it, exactly, in a form that the library alone reads.
        vector: Its dense vector of length 1, to be found by; () for none. It is not read again: what is compared is in `data`.
    """

    key: int
    fields: Mapping[str, Json] = {}
    data: bytes = b""
    vector: Sequence[float] = ()


class Published(NamedTuple):
    """The generation that is current: its number, counting up from 1, and its manifest."""

    number: int
    manifest: str


class Store(Protocol):
    """Rows on a server. One serves any number of threads. `vademecum.testing.stores.StoreContract` checks an implementation.

    Every method raises `StoreError`, or one of its subclasses, when the server cannot be reached, refuses, or answers
    what it should not; what was current stays current.

    Attributes:
        name: Its kind and place, without a secret, as in `postgres://library.example/vademecum`.
    """

    name: str

    def write(self, segment: str, kind: Kind, rows: Iterable[Row]) -> None:
        """Add rows, or replace those with the same keys. All of them are there when it returns."""
        ...

    def rows(self, segment: str, kind: Kind, keys: Collection[int]) -> dict[int, Row]:
        """The rows of these keys that there are, without their vectors."""
        ...

    def scan(self, segment: str, kind: Kind) -> Iterator[Row]:
        """All rows of a kind, keys ascending, likewise."""
        ...

    def nearest(self, segment: str, kind: Kind, vector: Sequence[float], limit: int) -> list[int]:
        """The keys of about the `limit` rows whose vectors have the largest inner product with this one.

        An approximate index may be used. The caller asks for more than it needs, and compares exactly.
        """
        ...

    def segments(self) -> set[str]:
        """The names of all segments that have a row."""
        ...

    def drop(self, segment: str) -> None:
        """Delete all rows of a segment, if there are any."""
        ...

    def current(self) -> Published | None:
        """The generation that is current; None when nothing was published."""
        ...

    def publish(self, generation: Published, *, replaces: int) -> None:
        """Make a generation current in one step: every reader sees the one before, or this one.

        Args:
            generation: The new one.
            replaces: The number of the one before, 0 for none.

        Raises:
            IndexLocked: Another one is current: somebody else has published meanwhile.
        """
        ...

    def check(self) -> list[str]:
        """See that the server answers, and is of a version and schema that can be used.

        Returns:
            What a person should change although it works, in sentences; nothing when all is well.
        """
        ...

    def close(self) -> None:
        """Give its connections back."""
        ...
