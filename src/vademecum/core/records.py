"""Records of collections that other programs fill: how such a collection is described, and what a server is asked for.

Nothing is written to such a collection. Its server only finds records, by words and by a vector. They become documents of the
question, and are ranked and quoted like all others.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qsl, urlsplit


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
