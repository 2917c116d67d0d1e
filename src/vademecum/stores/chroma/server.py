"""The client of a Chroma server, for version 2 of its HTTP API."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote
from weakref import finalize

from vademecum.core.engines import Described, Record, Wanted
from vademecum.core.errors import ModelMissing, ProviderError, ProviderRefused, StoreError
from vademecum.stores.address import address_of
from vademecum.stores.objects import cosine_of

try:
    from vademecum.net import Client, Limits, Place, place_of
except ImportError as error:
    message = f"Chroma needs the extra chroma ({error.name} is not installed)."
    raise StoreError(message, hint="Install it with: pip install 'vademecum[chroma]'") from error

from vademecum.net.secret import Secret

LIMITS = Limits(timeout_s=60.0, retries=2, first_pause_s=0.2, answer_bytes=1 << 30, stream_bytes=1 << 30)
PAGE = 500
"""The number of records or collections per request."""

_SEEN = 5
"""How many times the wanted number of records with a word are read, in no order, and ranked here."""

_ID = re.compile(r"[0-9a-f-]{36}")
_OLD = "Check that the address names a Chroma server, 1.0 or newer."


class Missing(StoreError):
    """The server has no resource at this path."""


class Made(NamedTuple):
    """A collection: its id, name and metadata, and its distance function ("" if the server does not report it)."""

    id: str
    name: str
    metadata: Mapping[str, Any]
    space: str


class ChromaServer:
    """A client of a Chroma server, 1.0 or newer.

    Every method raises `StoreError` if the server cannot be reached, refuses, or returns an invalid response.

    Args:
        key: The key of the server; None for no key.
        hint: The hint of the error for a server that does not answer or refuses.
    """

    def __init__(
        self,
        place: Place,
        *,
        name: str,
        key: Secret | None = None,
        tenant: str = "default_tenant",
        database: str = "default_database",
        hint: str,
    ) -> None:
        self.name = name
        self._hint = hint
        self._place = place
        self._headers = {"x-chroma-token": key} if key else {}
        self._client = Client()
        self._client.allow(place)
        self.close = finalize(self, self._client.close)
        """Close the connections."""
        self._path = f"/tenants/{quote(tenant, safe='')}/databases/{quote(database, safe='')}/collections"

    def check(self) -> None:
        """Check that the server answers."""
        if not isinstance(self._call("GET", "/heartbeat"), dict):
            raise self.strange()

    def collections(self) -> Iterator[Made]:
        """Yield all collections."""
        offset = 0
        while True:
            answer = self._call("GET", f"{self._path}?limit={PAGE}&offset={offset}")
            if not isinstance(answer, list):
                raise self.strange()
            yield from map(self._checked, answer)
            if len(answer) < PAGE:
                return
            offset += PAGE

    def find(self, name: str) -> Made | None:
        """Return the collection with a name, or None."""
        try:
            return self._checked(self._call("GET", f"{self._path}/{name}"))
        except Missing:
            return None

    def make(
        self,
        name: str,
        metadata: Mapping[str, Any],
        configuration: Mapping[str, Any] | None = None,
        *,
        once: bool = False,
    ) -> Made:
        """Create a collection, or return the existing one. With `once`, an existing collection is an error."""
        body = {"name": name, "metadata": metadata, "configuration": configuration, "get_or_create": not once}
        limits = LIMITS._replace(retries=0) if once else LIMITS
        return self._checked(self._call("POST", self._path, body, limits))

    def delete(self, name: str) -> None:
        """Delete a collection, if it exists."""
        try:
            self._call("DELETE", f"{self._path}/{name}")
        except Missing:
            return

    def ask(self, collection: str, what: str, body: Mapping[str, Any]) -> Any:
        """Send a request to a collection, given by its id: `upsert`, `get`, `query` or `delete`."""
        return self._call("POST", f"{self._path}/{collection}/{what}", body)

    def records(
        self, of: Described, words: Sequence[Wanted], vector: Sequence[float], limit: int
    ) -> list[Record]:
        """See `core.engines.Records`. The field `document` is the document; the server does not rank what has a word."""
        made = self.find(of.collection)
        if made is None:
            raise StoreError(f"{self.name} has no collection {of.collection}.", hint=self._hint)
        columns = ["documents", "metadatas", *(["embeddings"] if vector else [])]
        forms = [{"$contains": form} for word in words for form in word.forms]
        which = {"where_document": {"$or": forms} if len(forms) > 1 else forms[0]} if forms else {}
        found: dict[str, Record] = {}
        if words or not vector:
            answer = self.ask(made.id, "get", {**which, "limit": _SEEN * limit, "include": columns})
            every = self._records(answer, vector)
            every.sort(key=lambda record: -_weight(words, record.text("document")))
            found = {record.id: record for record in every[:limit]}
        if vector:
            body = {"query_embeddings": [list(vector)], "n_results": limit, "include": columns}
            answer = self.ask(made.id, "query", body)
            first = {key: value[0] for key, value in answer.items() if isinstance(value, list) and value}
            found |= {record.id: record for record in self._records(first, vector)}
        return list(found.values())

    def _records(self, answer: Any, vector: Sequence[float]) -> list[Record]:
        try:
            rows = zip(answer["ids"], answer["documents"], answer["metadatas"], strict=True)
            vectors = answer.get("embeddings") or [None] * len(answer["ids"])
            return [
                Record(str(number), {**(fields or {}), "document": text or ""}, cosine_of(own, vector))
                for (number, text, fields), own in zip(rows, vectors, strict=True)
            ]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise self.strange() from error

    def strange(self) -> StoreError:
        """Return the error for an invalid response."""
        return StoreError(f"{self.name} answers what a Chroma server does not.", hint=_OLD)

    def _checked(self, entry: object) -> Made:
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            number, metadata = entry.get("id"), entry.get("metadata")
            if isinstance(number, str) and _ID.fullmatch(number):
                known = metadata if isinstance(metadata, dict) else {}
                return Made(number, entry["name"], known, _space(entry.get("configuration_json"), known))
        raise self.strange()

    def _call(self, method: str, path: str, body: object = None, limits: Limits = LIMITS) -> Any:
        exchange = self._client.exchange(
            self._place, f"/api/v2{path}", method=method, body=body, headers=self._headers, limits=limits
        )
        try:
            return exchange.read_json()
        except ModelMissing as error:
            raise Missing(f"{self.name} does not know {path}.", hint=_OLD) from error
        except ProviderRefused as error:
            raise StoreError(f"{self.name}: {error.message}", hint=self._hint) from error
        except ProviderError as error:
            raise StoreError(f"{self.name}: {error.message}", hint=self._hint) from error


def records_at(url: str) -> ChromaServer:
    """Return the server of an address such as `chroma://host:8000/NAME`."""
    address = address_of(url, port=8000, options=("tenant", "database"))
    hint = "Check that the server runs, and the name of the collection."
    return ChromaServer(
        place_of(address.url), name=str(address), key=address.key, hint=hint, **address.options
    )


def _weight(words: Sequence[Wanted], text: str) -> float:
    return sum(word.weight for word in words if any(form in text for form in word.forms))


def _space(configuration: object, metadata: Mapping[str, Any]) -> str:
    """Return the distance function of a collection."""
    for index in ("hnsw", "spann"):
        settings = configuration.get(index) if isinstance(configuration, dict) else None
        if isinstance(settings, dict) and isinstance(settings.get("space"), str):
            return str(settings["space"])
    return str(metadata.get("hnsw:space", ""))
