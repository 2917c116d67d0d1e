"""A Chroma server, through version 2 of its HTTP API: collections with cosine or l2 distance, queried with local vectors."""

import math
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from vademecum.core.errors import ModelMissing, ReplyInvalid
from vademecum.core.protocols import Embedder
from vademecum.desks.chat.profile import Passage
from vademecum.desks.chat.services.query import Answered, Query, missing
from vademecum.desks.chat.services.settings import settings_of
from vademecum.net import Client, Exchange, Limits, Place
from vademecum.text.printable import printable

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,510}[A-Za-z0-9]")
_LIMITS = Limits(timeout_s=30.0, retries=1)
_PAGE = 1000


class ChromaService:
    """A service on a Chroma server.

    Args:
        embedder: The embedder of questions, which must be the one that embedded the documents.
    """

    def __init__(
        self, client: Client, place: Place, *, tenant: str, database: str, embedder: Embedder
    ) -> None:
        client.allow(place)
        self._client = client
        self._place = place
        self._path = (
            f"/api/v2/tenants/{quote(tenant, safe='')}/databases/{quote(database, safe='')}/collections"
        )
        self._embedder = embedder

    def names(self, query: Query) -> list[str]:
        """Return the names of the collections."""
        data = self._call(query, f"{self._path}?limit={_PAGE}")
        return sorted(mapping["name"] for mapping in _mappings(data) if isinstance(mapping.get("name"), str))

    def ask(self, name: str, query: Query, limit: int) -> Answered:
        """See `OpenService`."""
        if not _NAME.fullmatch(name):
            raise missing(name, f" at {self._place}")
        try:
            collection = self._call(query, f"{self._path}/{quote(name, safe='')}")
        except ModelMissing:
            raise missing(name, f" at {self._place}") from None
        number = collection.get("id") if isinstance(collection, Mapping) else None
        if not isinstance(number, str) or not re.fullmatch(r"[0-9a-fA-F-]{1,64}", number):
            raise self._strange("a collection without an id")
        scale = self._scale(name, collection)
        vector = query.vector(self._embedder)
        dimension = collection.get("dimension")
        if isinstance(dimension, int) and dimension != len(vector):
            message = f"The collection {name} holds vectors of {dimension} numbers; {self._embedder.name} makes {len(vector)}."
            raise ReplyInvalid(
                message, hint="Set embedding to the model that its documents were embedded with."
            )
        body = {
            "query_embeddings": [
                [component / math.hypot(*vector) for component in vector] if any(vector) else vector
            ],
            "n_results": limit,
            "include": ["documents", "metadatas", "distances"],
        }
        data = self._call(query, f"{self._path}/{number}/query", body)
        metadata = collection.get("metadata")
        return Answered(
            settings_of(metadata if isinstance(metadata, Mapping) else {}), tuple(self._given(data, scale))
        )

    def _scale(self, name: str, collection: Mapping[str, Any]) -> float:
        """Return what a distance is multiplied by to become a cosine distance, as the thresholds require.

        Chroma's default is l2, the squared distance, which is twice the cosine distance for vectors of length 1.
        """
        kept = collection.get("configuration_json")
        metadata = collection.get("metadata")
        space: object = metadata.get("hnsw:space") if isinstance(metadata, Mapping) else None
        for index in ("hnsw", "spann"):
            settings = kept.get(index) if isinstance(kept, Mapping) else None
            if isinstance(settings, Mapping) and isinstance(settings.get("space"), str):
                space = settings["space"]
        scale = {"cosine": 1.0, "l2": 0.5, None: 0.5}.get(space if isinstance(space, str) else None)
        if scale is None:
            message = f"The collection {name} at {self._place} uses the distance {printable(str(space), 20)}, neither cosine nor l2."
            raise ReplyInvalid(
                message, hint='Create it again with {"hnsw": {"space": "cosine"}} in its configuration.'
            )
        return scale

    def _given(self, data: object, scale: float) -> list[Passage]:
        rows = {}
        for key in ("ids", "documents", "metadatas", "distances"):
            column = data.get(key) if isinstance(data, Mapping) else None
            first = column[0] if isinstance(column, list) and column else None
            if not isinstance(first, list):
                raise self._strange(f"a result without {key}")
            rows[key] = first
        found = []
        for number, text, metadata, distance in zip(
            rows["ids"], rows["documents"], rows["metadatas"], rows["distances"], strict=False
        ):
            if isinstance(text, str) and text.strip():
                near = distance * scale if isinstance(distance, int | float) else distance
                found.append(given_of(str(number), text, metadata, near, self._strange))
        return found

    def _call(self, query: Query, path: str, body: object = None) -> Any:
        exchange: Exchange = self._client.exchange(
            self._place,
            path,
            method="GET" if body is None else "POST",
            body=body,
            deadline=query.deadline,
            limits=_LIMITS,
        )
        with query.calls.holding(exchange):
            return exchange.read_json()

    def _strange(self, what: str) -> ReplyInvalid:
        message = f"{self._place} returned {what}."
        return ReplyInvalid(
            message, hint="Check that url is the address of a Chroma server with API version 2."
        )


def given_of(number: str, text: str, metadata: object, distance: object, strange: Any) -> Passage:
    """Return a validated result of a server."""
    if isinstance(distance, bool) or not isinstance(distance, int | float) or not math.isfinite(distance):
        raise strange("a result without a distance")
    if not -0.001 <= distance <= 2.001:  # with a tolerance for rounding
        raise strange(f"the distance {distance:g}, which is not one of vectors of length 1")
    known = metadata if isinstance(metadata, Mapping) else {}

    def said(*names: str) -> str:
        return next((printable(known[name], 500) for name in names if isinstance(known.get(name), str)), "")

    return Passage(
        id=printable(number, 200),
        title=said("title", "name", "source", "filename", "file"),
        text=text,
        distance=min(2.0, max(0.0, float(distance))),
        url=said("url", "link"),
        heading=said("section", "heading"),
    )


def _mappings(data: object) -> list[Mapping[str, Any]]:
    return [one for one in data if isinstance(one, Mapping)] if isinstance(data, list) else []
