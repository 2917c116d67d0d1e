"""The Qdrant engine: a collection for each kind of object, with a dense vector and a sparse one of our weights.

Passages are in the collection that the address names, such as `rag_embedding`, documents in `rag_embedding-documents`,
and the frequencies of words in `rag_embedding-words`. From epoch 2 on, the names end in its number: `rag_embedding-2`.

There are no transactions. A generation is published by creating a collection that has the number of the replaced one in
its name; the server (a cluster, by consensus) lets only one writer do this. The collection with the largest number is
current, and its metadata contain the manifest.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from math import ceil
from typing import Any, TypeVar
from warnings import catch_warnings, simplefilter

from vademecum.core.engines import (
    FIELDS,
    UNREMOVED,
    Described,
    Item,
    Kind,
    Published,
    Query,
    Record,
    Wanted,
    id_of,
)
from vademecum.core.errors import StoreError
from vademecum.stores import objects
from vademecum.stores.address import Address, address_of

try:
    from httpx import HTTPError
    from qdrant_client import QdrantClient, models
    from qdrant_client.common.client_exceptions import QdrantException
    from qdrant_client.http.exceptions import ApiException, UnexpectedResponse
except ImportError as error:
    message = f"Qdrant needs the extra qdrant ({error.name} is not installed)."
    raise StoreError(message, hint="Install it with: pip install 'vademecum[qdrant]'") from error

_LAYOUT = 2  # version 1 had the rows of segments
_OLDEST = (1, 16)  # the first version that supports metadata of collections
_PAGE = 500
_MOST_LISTED = 10_000_000

_SUFFIXES: Mapping[Kind, str] = {"document": "-documents", "passage": "", "words": "-words"}
_OURS = r"(?:-(?:after|documents|words|document|text|need|name|(?:page|passage|need)_words|table))?(?:-\d+)?"
"""The ends of the names of all collections, also of version 1."""

_SHARES = (1.0, 0.75, 0.5, 0.01)
"""The shares of a question's words that records of others are searched for, one after another."""

Value = TypeVar("Value")


class QdrantEngine:
    """An engine in Qdrant, 1.16 or newer.

    Args:
        url: `qdrant://KEY@host:port/NAME`, with the options `replication_factor` (the number of nodes that store each
            object), `write_consistency` (the number of those nodes that a write waits for; replicated objects are read
            from a majority), `shards`, and `timeout` in seconds.
        client: The client of the server; by default made from the address.
    """

    def __init__(self, url: str, client: "QdrantClient | None" = None) -> None:
        options = ("replication_factor", "write_consistency", "shards", "timeout")
        address = address_of(url, port=6333, options=options)
        self.name, self._prefix, self._warnings = str(address), address.name, address.warnings
        self.epoch, self.by_tokens = 1, False
        copies = address.number("replication_factor", 1)
        self._spread: dict[str, Any] = {
            "replication_factor": copies,
            "write_consistency_factor": address.number("write_consistency", copies // 2 + 1),
            **({"shard_number": address.number("shards", 1)} if "shards" in address.options else {}),
        }
        is_replicated = {"consistency": models.ReadConsistencyType.MAJORITY}
        self._reading: dict[str, Any] = is_replicated if copies > 1 else {}
        self._is_own = client is None
        self._client = client or _client_of(address)
        self._mark = {"vademecum": _LAYOUT, "index": self._prefix}
        self._lengths: dict[str, int] = {}
        self._indexed: set[str] = set()
        self._unlisted: tuple[Query | None, list[str]] = None, []
        self.frequencies = objects.Frequencies(self.read).of

    def write(self, generation: int, items: Iterable[Item]) -> None:
        """See `core.engines.Engine`."""
        for batch in objects.batches(items, _PAGE):
            for kind in FIELDS:
                if found := {item.key: item for item in batch if item.kind == kind}.values():
                    name = self._made(kind, max(len(item.vector) for item in found))
                    self._call(self._client.upsert, name, [_point(item, generation) for item in found])

    def remove(self, generation: int, kind: Kind, keys: Collection[str]) -> None:
        """See `core.engines.Engine`."""
        passages: list[tuple[Kind, str]] = [("passage", "document")] if kind == "document" else []
        for part, field in (*passages, (kind, "key")):
            name = self._named(part, self.epoch)
            if keys and self._length(name) is not None:
                which = models.Filter(must=[_is_any(field, keys), _between("removed", UNREMOVED, UNREMOVED)])
                self._call(self._client.set_payload, name, {"removed": generation}, which)

    def find(self, query: Query) -> list[Item]:
        """See `core.engines.Engine`."""
        name = self._named(query.kind, self.epoch)
        length = self._length(name)
        if length is None or not all(query.filters.values()):
            return []
        if not query.searches and not query.vector:
            return self._listed(name, query)
        vector = list(query.vector) if len(query.vector) == length else []
        parts = [
            models.Prefetch(
                query=_sparse(search.terms), using="terms", filter=_seen(query), limit=search.limit
            )
            for search in query.searches
            if search.terms
        ]
        if vector and query.nearest:
            parts.append(models.Prefetch(query=vector, filter=_seen(query), limit=query.nearest))
        if not parts:
            return []
        most = sum(part.limit or 0 for part in parts)
        union = models.FusionQuery(fusion=models.Fusion.RRF)
        requests = [models.QueryRequest(prefetch=parts, query=union, limit=most, with_payload=True)]
        if vector:  # scores the same objects, except those without a vector
            requests.append(models.QueryRequest(prefetch=parts, query=vector, limit=most))
        found, *scored = self._call(self._client.query_batch_points, name, requests, **self._reading)
        cosines = {point.id: point.score for answer in scored for point in answer.points}
        every = ({**(point.payload or {}), "cosine": cosines.get(point.id)} for point in found.points)
        return [objects.item_of(query.kind, fields, self.name) for fields in every]

    def _listed(self, name: str, query: Query) -> list[Item]:
        """Return objects in the order of their keys, without their texts.

        The server cannot sort by keys. For the first page of a list, they are all read from the index of this field.
        """
        continued, keys = self._unlisted
        if continued != query:
            self._index(query.kind, name)
            options = {"facet_filter": _seen(query), "limit": _MOST_LISTED, "exact": True, **self._reading}
            values = (str(hit.value) for hit in self._call(self._client.facet, name, "key", **options).hits)
            keys = sorted(key for key in values if key > query.after)
        found: list[Item] = []
        while keys and len(found) < query.limit:  # some may have been deleted in the meantime
            page, keys = keys[: query.limit - len(found)], keys[query.limit - len(found) :]
            found += self._retrieved(query.kind, page, objects.short_fields(query.kind))
        found.sort(key=lambda item: item.key)
        self._unlisted = query._replace(after=found[-1].key if found else query.after), keys
        return found

    def records(
        self, of: Described, words: Sequence[Wanted], vector: Sequence[float], limit: int
    ) -> list[Record]:
        """See `core.engines.Records`. Records with more of the words come first, since the server does not rank them."""
        options: dict[str, Any] = {"limit": limit, "with_payload": True, "with_vector": bool(vector)}
        having: list[Any] = [
            models.Filter(should=[_has(of.text, form) for form in word.forms]) for word in words
        ]
        counts = sorted({ceil(share * len(words)) for share in _SHARES} if words else (), reverse=True)
        filters = [
            models.Filter(min_should=models.MinShould(conditions=having, min_count=count)) for count in counts
        ]
        requests = [models.QueryRequest(filter=which, **options) for which in filters]
        if vector:
            requests.append(models.QueryRequest(query=list(vector), using=of.vector or None, **options))
        requests = requests or [models.QueryRequest(**options)]
        answers = self._call(self._client.query_batch_points, of.collection, requests)
        nearest = answers.pop().points if vector else []
        by_words = {str(point.id): point for answer in answers for point in answer.points}
        found = dict(islice(by_words.items(), limit)) | {str(point.id): point for point in nearest}
        return [
            Record(number, point.payload or {}, objects.cosine_of(_vector_of(point, of.vector), vector))
            for number, point in found.items()
        ]

    def read(self, kind: Kind, keys: Collection[str]) -> dict[str, Item]:
        """See `core.engines.Engine`."""
        return {item.key: item for item in self._retrieved(kind, keys)}

    def _retrieved(self, kind: Kind, keys: Collection[str], fields: Any = True) -> list[Item]:
        name, found = self._named(kind, self.epoch), []
        ids = list(map(id_of, keys)) if keys and self._length(name) is not None else []
        options = {"with_payload": fields, **self._reading}
        for start in range(0, len(ids), _PAGE):
            found += self._call(self._client.retrieve, name, ids[start : start + _PAGE], **options)
        return [objects.item_of(kind, point.payload or {}, self.name) for point in found]

    def current(self) -> Published | None:
        """See `core.engines.Engine`."""
        while markers := self._own(r"-after-\d{8}"):
            if info := self._info(markers[-1]):  # it was not replaced in the meantime
                metadata = info.config.metadata or {}
                if not metadata.keys() >= {*Published._fields}:
                    raise objects.foreign(self.name, f"The collection {markers[-1]}")
                return Published(*(metadata[field] for field in Published._fields))
        return None

    def publish(self, published: Published, *, replaces: int) -> None:
        """See `core.engines.Engine`."""
        before = self.current()
        name = f"{self._prefix}-after-{replaces:08}"
        is_next = (before.number if before else 0) == replaces and self._create(name, published._asdict())
        markers = self._own(r"-after-\d{8}")
        if is_next and markers[-1] != name:  # too late: there are newer generations
            self._call(self._client.delete_collection, name)
            is_next = False
        if not is_next:
            raise objects.overtaken(self.name)
        self.epoch = published.epoch
        gone = models.Filter(must=[_between("removed", 1, published.number - 1)])
        for kind in FIELDS:
            place = self._named(kind, self.epoch)
            if self._length(place) is not None:
                self._call(self._client.delete, place, models.FilterSelector(filter=gone))
        older = {self._named(kind, epoch) for kind in FIELDS for epoch in range(1, self.epoch - 1)}
        self._delete([*older.intersection(self._own()), *markers[:-1]])

    def check(self) -> list[str]:
        """See `core.engines.Engine`."""
        if not self._is_own:  # it is in this process
            return self._warnings
        version = str(self._call(self._client.info).version)
        objects.check_version(self.name, "Qdrant", version, _OLDEST)
        copies = [self._call(self._client.get_collection, name).config.params for name in self._own()]
        nodes = len(getattr(self._call(self._client.cluster_status), "peers", None) or {})
        if nodes > 1 and any((params.replication_factor or 1) < 2 for params in copies):
            return [*self._warnings, objects.kept_once(self.name, nodes, "replication_factor=2")]
        return self._warnings

    def clear(self) -> None:
        """See `core.engines.Engine`."""
        self._delete(self._own())
        self._lengths, self._indexed = {}, set()

    def close(self) -> None:
        """See `core.engines.Engine`."""
        if self._is_own:
            self._client.close()

    def _named(self, kind: Kind, epoch: int) -> str:
        return f"{self._prefix}{_SUFFIXES[kind]}{f'-{epoch}' if epoch > 1 else ''}"

    def _own(self, end: str = _OURS) -> list[str]:
        """Return the names of the collections of this index, and of those with such a name, in order."""
        pattern = re.compile(re.escape(self._prefix) + end)
        names = (made.name for made in self._call(self._client.get_collections).collections)
        return sorted(filter(pattern.fullmatch, names))

    def _delete(self, names: Iterable[str]) -> None:
        """Delete collections, except those of other programs and indexes."""
        for name in names:
            info = self._info(name)
            metadata = (info and info.config.metadata) or {}
            if "vademecum" in metadata and metadata.get("index", self._prefix) == self._prefix:
                self._call(self._client.delete_collection, name)

    def _length(self, name: str) -> int | None:
        """Return the length of the vectors of a collection, 0 if it has none, or None if it does not exist."""
        if name not in self._lengths:
            info = self._info(name)
            if info is None:
                return None
            if info.config.metadata != self._mark:
                raise objects.foreign(self.name, f"The collection {name}")
            self._lengths[name] = getattr(info.config.params.vectors, "size", 0)
        return self._lengths[name]

    def _made(self, kind: Kind, length: int) -> str:
        """Return the name of a collection for vectors of a length, creating it if necessary."""
        name = self._named(kind, self.epoch)
        if self._length(name) is None:
            graph = models.HnswConfigDiff(m=0)  # none: every search is exact
            size, distance = length or 256, models.Distance.COSINE  # of objects without vectors, too
            dense = models.VectorParams(size=size, distance=distance, hnsw_config=graph)
            sparse = {"terms": models.SparseVectorParams()}
            has_vectors = {"vectors_config": dense, "sparse_vectors_config": sparse}
            self._create(name, {}, **({} if kind == "words" else has_vectors))
        self._index(kind, name)
        return name

    def _index(self, kind: Kind, name: str) -> None:
        """Create the indexes of the fields of a collection that are missing."""
        if name in self._indexed:
            return
        known = self._call(self._client.get_collection, name).payload_schema
        for field, of in FIELDS[kind].items():
            if field not in known and (of == "name" or field in {"added", "removed"}):
                schema = (
                    models.PayloadSchemaType.KEYWORD if of == "name" else models.PayloadSchemaType.INTEGER
                )
                self._call(self._client.create_payload_index, name, field, schema)
        self._indexed.add(name)

    def _create(self, name: str, metadata: Mapping[str, Any], **options: Any) -> bool:
        """Create a collection. Return False if it already exists."""
        options = {"vectors_config": {}, "metadata": {**self._mark, **metadata}, **options, **self._spread}
        try:
            return self._call(self._client.create_collection, name, **options)
        except StoreError:
            if self._info(name) is None:
                raise
            return False

    def _info(self, name: str) -> "models.CollectionInfo | None":
        """Return the description of a collection, or None if it does not exist."""
        is_there = self._call(self._client.collection_exists, name)
        return self._call(self._client.get_collection, name) if is_there else None

    def _call(self, method: Callable[..., Value], *arguments: Any, **options: Any) -> Value:
        """Call a method of the client and return its result. Errors are raised as `StoreError`."""
        try:
            return method(*arguments, **options)
        except UnexpectedResponse as error:
            said = (error.content or b"").decode("utf-8", "replace")[:200]
            hint = _HINTS.get(error.status_code or 0, objects.SEE_LOG)
            raise objects.failed(f"{self.name} answers with status {error.status_code}", said, hint) from None
        except (ApiException, QdrantException, HTTPError, AssertionError, ValueError, OSError) as error:
            raise objects.failed(self.name, error, objects.UNREACHED) from None


_HINTS = {
    401: "Check the key in ragadmin.store, or in the variable QDRANT_API_KEY.",
    403: "The key has no right to this. Reading needs a key of the collections; reindexing needs one that may make them.",
    507: "The server's disk is full. Free some space there, and run it again.",
}


def _point(item: Item, generation: int) -> "models.PointStruct":
    """Return an object as the server keeps it. Its dense vector has no name."""
    vectors: dict[str, Any] = {"": list(item.vector)} if item.vector else {}
    if item.weights.terms:
        vectors["terms"] = _sparse(dict(zip(*item.weights, strict=True)))
    return models.PointStruct(
        id=id_of(item.key), payload=objects.printable_fields(item, generation), vector=vectors
    )


def _sparse(weights: Mapping[int, int]) -> "models.SparseVector":
    return models.SparseVector(indices=list(weights), values=list(map(float, weights.values())))


def _has(field: str, form: str) -> "models.FieldCondition":
    return models.FieldCondition(key=field, match=models.MatchText(text=form))


def _vector_of(point: Any, name: str) -> Any:
    return point.vector.get(name) if isinstance(point.vector, Mapping) else point.vector


def _is_any(field: str, values: Collection[str]) -> "models.FieldCondition":
    return models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))


def _between(field: str, least: int, most: int) -> "models.FieldCondition":
    return models.FieldCondition(key=field, range=models.Range(gte=least, lte=most))


def _seen(query: Query) -> "models.Filter":
    """Return the condition for the generation and the filters of a query."""
    must: list[Any] = [_is_any(field, values) for field, values in query.filters.items()]
    if query.generation:
        must.append(_between("added", 0, query.generation))
    return models.Filter(must=must, must_not=[_between("removed", 1, query.generation)])


def _client_of(address: Address) -> "QdrantClient":
    key, timeout = address.key.reveal() if address.key else None, address.number("timeout", 60)
    with catch_warnings():
        simplefilter("ignore")  # the warning about a key without TLS; `check` reports it if it matters
        return QdrantClient(url=address.url, api_key=key, timeout=timeout, check_compatibility=False)
