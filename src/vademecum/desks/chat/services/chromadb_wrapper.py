"""A wrapper server around Chroma that embeds queries itself.

It supports `GET` and `POST /collections`, `PUT /collections/{name}/metadata`, `POST /collections/{name}/documents`
and `POST /query`.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from vademecum.core.errors import ModelMissing, ReplyInvalid
from vademecum.desks.chat.services.chromadb import given_of
from vademecum.desks.chat.services.query import Answered, Query, missing
from vademecum.desks.chat.services.settings import settings_of
from vademecum.net import Client, Limits, Place

_LIMITS = Limits(timeout_s=30.0, retries=1)
_LONGEST_NAME = 512


class WrapperService:
    """A service on a wrapper server."""

    def __init__(self, client: Client, place: Place) -> None:
        client.allow(place)
        self._client = client
        self._place = place

    def names(self, query: Query) -> list[str]:
        """Return the names of the collections."""
        return list(self._collections(query))

    def ask(self, name: str, query: Query, limit: int) -> Answered:
        """See `OpenService`."""
        there = self._collections(query)
        if name not in there:
            raise missing(name, f" at {self._place}")
        body = {"query": query.text, "collection": name, "top_k": limit}
        try:
            data = self._call(query, "/query", "POST", body)
        except ModelMissing:  # it was removed between the two calls
            raise missing(name, f" at {self._place}") from None
        results = data.get("results") if isinstance(data, Mapping) else data
        if not isinstance(results, list):
            raise self._strange("a reply without results")
        found = []
        for place, result in enumerate(results[:limit], start=1):
            text = result.get("text") if isinstance(result, Mapping) else None
            if not isinstance(text, str):
                raise self._strange("a result without text")
            if text.strip():
                number = str(result.get("id") or f"{name}:{place}")
                found.append(
                    given_of(number, text, result.get("metadata"), result.get("distance"), self._strange)
                )
        return Answered(settings_of(there[name]), tuple(found))

    # --- changing collections ---

    def create(self, name: str, metadata: Mapping[str, Any], query: Query) -> None:
        """Create a collection."""
        self._call(query, "/collections", "POST", {"name": name, "metadata": dict(metadata)})

    def describe(self, name: str, metadata: Mapping[str, Any], query: Query) -> None:
        """Replace the metadata of a collection."""
        path = f"/collections/{quote(name, safe='')}/metadata"
        self._call(query, path, "PUT", {"metadata": dict(metadata)})

    def add(self, name: str, documents: Sequence[Mapping[str, Any]], query: Query) -> None:
        """Add documents, each `{text, metadata}`."""
        path = f"/collections/{quote(name, safe='')}/documents"
        self._call(query, path, "POST", {"documents": [dict(document) for document in documents]})

    # --- requests ---

    def _collections(self, query: Query) -> dict[str, Mapping[str, Any]]:
        """Return the collections with their metadata. Servers can list collections as names or as mappings."""
        data = self._call(query, "/collections", "GET", None)
        listed = data.get("collections") if isinstance(data, Mapping) else data
        if not isinstance(listed, list):
            raise self._strange("a reply without collections")
        found: dict[str, Mapping[str, Any]] = {}
        for one in listed:
            name = one.get("name") if isinstance(one, Mapping) else one
            if isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME and name.isprintable():
                metadata = one.get("metadata") if isinstance(one, Mapping) else None
                found[name] = metadata if isinstance(metadata, Mapping) else {}
        return found

    def _call(self, query: Query, path: str, method: str, body: object) -> Any:
        exchange = self._client.exchange(
            self._place, path, method=method, body=body, deadline=query.deadline, limits=_LIMITS
        )
        with query.calls.holding(exchange):
            return exchange.read_json()

    def _strange(self, what: str) -> ReplyInvalid:
        message = f"{self._place} returned {what}."
        return ReplyInvalid(message, hint="Check that url is the address of a server with this protocol.")
