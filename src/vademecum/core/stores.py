"""The interface of a store: a server that keeps the segments of an index as rows, for many machines.

A segment never changes once a generation refers to it. A store therefore needs only rows (by segment, kind and key),
a nearest-neighbor search among the vectors of a kind, and one value that is replaced atomically. Terms, weights and
scores are computed by the library, so that a question has the same answer with every store.
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
"""The kinds of rows: a document; the vector of its one-line description; a passage; the passages with a text; a need;
its vector; the documents with a name; the postings of a term in documents, passage texts and needs; part of a table of
a segment or of a generation."""

KINDS: tuple[Kind, ...] = get_args(Kind)


class Row(NamedTuple):
    """A row of a segment.

    Attributes:
        key: The number of the row within its segment and kind, from 0 to 2**32 - 1.
        fields: Values for people and filters, as JSON without NUL and lone surrogates.
        data: The complete, exact content, in a format that only the library reads.
        vector: A dense vector of length 1 for the search; () for none. It is not read back, because `data`
            contains what is compared.
    """

    key: int
    fields: Mapping[str, Json] = {}
    data: bytes = b""
    vector: Sequence[float] = ()


class Published(NamedTuple):
    """The current generation: its number, counted from 1, and its manifest."""

    number: int
    manifest: str


class Store(Protocol):
    """Rows on a server. It is thread-safe. `vademecum.testing.stores.StoreContract` tests an implementation.

    Every method raises `StoreError`, or a subclass, if the server cannot be reached, rejects the request, or sends an
    invalid response. The current generation then remains current.

    Attributes:
        name: Its kind and location, without secrets, such as `postgres://library.example/vademecum`.
    """

    name: str

    def write(self, segment: str, kind: Kind, rows: Iterable[Row]) -> None:
        """Add rows, or replace those with the same keys. All are stored when the method returns."""
        ...

    def rows(self, segment: str, kind: Kind, keys: Collection[int]) -> dict[int, Row]:
        """Return the rows with these keys, without vectors. Missing keys are omitted."""
        ...

    def scan(self, segment: str, kind: Kind) -> Iterator[Row]:
        """Yield all rows of a kind, in ascending order of keys, without vectors."""
        ...

    def nearest(self, segment: str, kind: Kind, vector: Sequence[float], limit: int) -> list[int]:
        """Return the keys of approximately the `limit` rows whose vectors have the largest inner product with a vector.

        An approximate index may be used. The caller requests more rows than it needs, and compares them exactly.
        """
        ...

    def segments(self) -> set[str]:
        """Return the names of all segments that have rows."""
        ...

    def drop(self, segment: str) -> None:
        """Delete all rows of a segment, if any."""
        ...

    def current(self) -> Published | None:
        """Return the current generation, or None if nothing has been published."""
        ...

    def publish(self, generation: Published, *, replaces: int) -> None:
        """Make a generation current atomically: every reader sees either the previous one or this one.

        Args:
            generation: The new generation.
            replaces: The number of the previous generation, or 0 if there is none.

        Raises:
            IndexLocked: A different generation is current, because another process has published one.
        """
        ...

    def check(self) -> list[str]:
        """Check that the server responds, and that its version and schema are supported.

        Returns:
            Recommended changes, as sentences; empty if there are none.
        """
        ...

    def close(self) -> None:
        """Close the connections."""
        ...
