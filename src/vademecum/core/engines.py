"""The interfaces of servers: an engine, which keeps the passages of an index as readable objects, and collections of others.

An engine only finds candidates. What they score, how they are ranked, and what is quoted from them is computed here, from
their text and from the frequencies of words, so that a candidate has the same score with every engine.

Generations are numbers. An object that was added by generation A and removed by generation R is seen by generation G if
A <= G < R. Writers add objects with the number of the next generation, which nobody sees until it is published.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol
from urllib.parse import parse_qsl, urlsplit
from uuid import NAMESPACE_URL, uuid5

from vademecum.core.passages import TermSteps

Kind = Literal["document", "passage", "words"]
"""A whole document; a passage; and a part of the table of the frequencies of words."""

FieldType = Literal["name", "text", "terms", "number"]
"""Text that is filtered by as a whole; text to read; terms separated by spaces, which are searched; and an integer."""

_OF_ALL: Mapping[str, FieldType] = {
    "key": "name",
    "source_alias": "name",
    "added": "number",
    "removed": "number",
}
_OF_DOCUMENTS: Mapping[str, FieldType] = {
    **_OF_ALL,
    "source_type": "name",
    "language": "name",
    "document": "name",
    "title": "name",
    "url": "text",
    "passages": "number",
    "terms": "terms",
    "heading_terms": "terms",
}

FIELDS: Mapping[Kind, Mapping[str, FieldType]] = {
    "document": {
        **_OF_DOCUMENTS, "reference": "name", "path": "name", "names": "text", "summary": "text",
        "links": "text", "text": "text", "windows": "number",
    },
    "passage": {
        **_OF_DOCUMENTS, "reference": "name", "heading": "text", "anchor": "name", "position": "number", "start": "number",
        "end": "number", "chunk_text": "text", "outline": "text", "tasks": "text",
    },
    "words": {**_OF_ALL, "bucket": "number", "counts": "text"},
}  # fmt: skip
"""The fields of each kind of object, with their types. `start` and `end` are code points of the document's text; `position`
is the place among its `passages`, of which `windows` are objects; `outline` is that of `core.passages.outline_of`; `tasks` are
pairs of an instruction and its commands, as JSON; `counts` has a line for each term, with the number of windows that have it, in
1/64."""

UNREMOVED = 0
"""The value of `removed` of objects that no generation has removed."""


NO_WEIGHTS = TermSteps([], [])


class Item(NamedTuple):
    """An object of an engine.

    Attributes:
        kind: Its kind.
        key: `<alias>:<sha256>` of a document, with `:<n>` for a passage, `<alias>:words:<bucket>` for words.
        fields: The values of `FIELDS`, except `key`, `added` and `removed`.
        weights: The weights of its terms by number, for engines that search with them; empty in what is read.
        vector: A dense vector of length 1; () for none, and in what is read.
        added: The generation that added it.
        removed: The generation that removed it, or `UNREMOVED`.
        cosine: The inner product of its vector and that of the query; None if either has none.
    """

    kind: Kind
    key: str
    fields: Mapping[str, str | int]
    weights: TermSteps = NO_WEIGHTS
    vector: Sequence[float] = ()
    added: int = 0
    removed: int = UNREMOVED
    cosine: float | None = None

    def text(self, field: str) -> str:
        """Return a field as text; "" if it is missing."""
        return str(self.fields.get(field, ""))

    def number(self, field: str) -> int:
        """Return a numeric field; 0 if it is missing."""
        return int(self.fields.get(field, 0))

    def is_seen(self, generation: int) -> bool:
        """Return whether a generation has the object."""
        return self.added <= generation and (self.removed == UNREMOVED or self.removed > generation)


def id_of(key: str) -> str:
    """Return the identifier of an object, the same for every build and engine.

    >>> id_of("notes:5f1c:3")
    '13eb11ca-86eb-57ae-bfb0-0ca54c185d9c'
    """
    return str(uuid5(NAMESPACE_URL, key))


class Search(NamedTuple):
    """A search by words: the weights of terms by number, in 1/128, a limit, and, for engines with `by_tokens`, the terms as they are in fields."""

    terms: Mapping[int, int]
    limit: int
    tokens: Mapping[int, str] = {}


class Query(NamedTuple):
    """A request to an engine: the union of several searches, in one request.

    Attributes:
        generation: The generation to search; 0 for all objects, whatever their generations.
        searches: The searches by words. If there are none, and no vector, all objects are returned in the order of their keys.
        vector: The vector that all found objects are compared with; () for none.
        nearest: How many of the objects nearest to it are found, too.
        filters: For a field of type `name`, the values that it may have. An empty collection allows none.
        kind: The kind of the objects.
        after: Return only objects whose keys follow this one; for queries without searches and vector.
        limit: How many objects such a query returns.
        text: The question as it was asked, for collections that were not filled by Vademecum.
    """

    generation: int
    searches: Sequence[Search] = ()
    vector: Sequence[float] = ()
    nearest: int = 0
    filters: Mapping[str, Collection[str]] = {}
    kind: Kind = "passage"
    after: str = ""
    limit: int = 1000
    text: str = ""


class Published(NamedTuple):
    """The current generation: its number, from 1, the set of collections that it is in, from 1, and a description of its contents as JSON.

    Other rules of indexing need a new set of collections.
    """

    number: int
    epoch: int
    manifest: str


class Engine(Protocol):
    """Objects on a server. It is thread-safe. `vademecum.testing.engines.EngineContract` tests an implementation.

    Every method raises `StoreError`, or a subclass, if the server cannot be reached, rejects the request, or sends an
    invalid response. The current generation then remains current.

    Attributes:
        name: Its kind and location, without secrets, such as `postgres://library.example/vademecum`.
        epoch: The set of collections that all methods except `current` and `publish` use; at first 1.
        by_tokens: Whether it searches for tokens; otherwise it uses the weights of objects by number.
    """

    name: str
    epoch: int
    by_tokens: bool

    def write(self, generation: int, items: Iterable[Item]) -> None:
        """Add objects, or replace those with the same keys, as `added` by a generation and not removed."""
        ...

    def remove(self, generation: int, kind: Kind, keys: Collection[str]) -> None:
        """Mark objects as removed by a generation; of documents, their passages first."""
        ...

    def find(self, query: Query) -> list[Item]:
        """Return the objects that a query finds, without weights, in one request, and in no particular order."""
        ...

    def read(self, kind: Kind, keys: Collection[str]) -> dict[str, Item]:
        """Return objects by key, whatever their generations. Missing ones are omitted."""
        ...

    def frequencies(
        self, published: Published, terms: Collection[int] | None = None
    ) -> dict[int, tuple[str, int]]:
        """Return the token of each of these terms that is known, or of all, and the number of windows that have it, in 1/64."""
        ...

    def current(self) -> Published | None:
        """Return the current generation, or None if nothing has been published."""
        ...

    def publish(self, published: Published, *, replaces: int) -> None:
        """Make a generation current atomically. Then delete objects that neither it nor the one before it has.

        Args:
            published: The new generation.
            replaces: The number of the previous generation, or 0 if there is none.

        Raises:
            IndexLocked: A different generation is current, because another process has published one.
        """
        ...

    def check(self) -> list[str]:
        """Check that the server responds, and that its version and its collections are supported.

        Returns:
            Recommended changes, as sentences; empty if there are none.
        """
        ...

    def clear(self) -> None:
        """Delete everything that any version of Vademecum has stored under this address."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


# --- collections of others ----------------------------------------------------------------------------------


class Described(NamedTuple):
    """The description of a collection. A field of a mapping within a record is written with a dot: `metadata.title`.

    Attributes:
        address: The address of the collection, without secrets: `qdrant://host:6333/NAME`.
        text: The field with the text.
        title: The field with the title; "" for none.
        url: The field with the URL; "" for none.
        vector: The name of the vector; "" for the only one.
        embedder: The embedder that the vectors were made with, `PROVIDER:MODEL`; "" to search by words alone.
    """

    address: str
    text: str
    title: str = ""
    url: str = ""
    vector: str = ""
    embedder: str = ""

    @property
    def collection(self) -> str:
        """The name of the collection: the option `table`, or the path of the address."""
        parts = urlsplit(self.address)
        return dict(parse_qsl(parts.query)).get("table") or parts.path.strip("/")


class Wanted(NamedTuple):
    """A word to search for: its forms, that of the question first, and its weight, which is the greater the rarer it is."""

    forms: tuple[str, ...]
    weight: float


class Record(NamedTuple):
    """A record that a server has found.

    Attributes:
        id: Its identifier.
        fields: Its fields.
        cosine: The cosine of its vector and that of the question (-1 to 1); None if they were not compared.
    """

    id: str
    fields: Mapping[str, Any]
    cosine: float | None = None

    def text(self, field: str) -> str:
        """Return a field as text, without lone surrogates; "" if it is missing or no text.

        >>> Record("7", {"metadata": {"title": "Boiler"}}).text("metadata.title")
        'Boiler'
        """
        found: Any = self.fields
        for name in field.split("."):
            found = found.get(name) if isinstance(found, Mapping) else None
        return found.encode("utf-8", "replace").decode() if isinstance(found, str) else ""


class Records(Protocol):
    """A server with collections of others. It is thread-safe.

    Attributes:
        name: Its kind and location, without secrets.
    """

    name: str

    def records(
        self, of: Described, words: Sequence[Wanted], vector: Sequence[float], limit: int
    ) -> list[Record]:
        """Return records with any of the words, as many as the limit, and as many of the nearest to a vector.

        Args:
            of: The collection.
            words: The words. Without words and vector, any records are returned.
            vector: The vector of the question; () for none.
            limit: The maximum number of records for the words, and for the vector.

        Raises:
            StoreError: The server cannot be reached, has no such collection, or rejects the request.
        """
        ...

    def close(self) -> None:
        """Close the connections."""
        ...
