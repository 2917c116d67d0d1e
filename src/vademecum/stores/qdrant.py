"""The Qdrant store: a collection for each kind of row, and one for each kind and length of vector.

There are no transactions. A generation is published by creating a collection that has its number in its name; the
server (a cluster, by consensus) lets only one writer do this. The collection with the largest number is current, and
its metadata contain the manifest.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from threading import Lock
from typing import Any, TypeVar
from warnings import catch_warnings, simplefilter

from vademecum.core.errors import IndexLocked, StoreError
from vademecum.core.stores import KINDS, Kind, Published, Row
from vademecum.stores._address import Address, address_of
from vademecum.stores._records import LAYOUT, batches, id_of, key_of, record_of, row_of

try:
    from httpx import HTTPError
    from pydantic import ValidationError
    from qdrant_client import QdrantClient, models
    from qdrant_client.common.client_exceptions import QdrantException
    from qdrant_client.http.exceptions import ApiException, UnexpectedResponse
except ImportError as error:
    message = f"Qdrant needs the extra qdrant ({error.name} is not installed)."
    raise StoreError(message, hint="Install it with: pip install 'vademecum[qdrant]'") from error

_TIMEOUT_S = 60
_PAGE = 500
_MOST_SEGMENTS = 100_000
_ENOUGH = 2
_REPLICATE = "Add ?replication_factor=2 to ragadmin.store, and build it again with: ragadmin reindex --full"

_OLDEST = (1, 16)
"""The first version that supports metadata of collections."""

Value = TypeVar("Value")


class QdrantStore:
    """A store of rows in Qdrant, 1.16 or newer.

    Args:
        url: `qdrant://KEY@host:port/NAME`, with the options `replication_factor` (the number of nodes that store each
            row), `write_consistency` (the number of those nodes that a write waits for; replicated rows are read from a
            majority), `shards`, and `timeout` in seconds.
        client: The client of the server; by default made from the address.

    Raises:
        StoreError: The address is invalid.
    """

    def __init__(self, url: str, client: "QdrantClient | None" = None) -> None:
        address = address_of(
            url, port=6333, options=("replication_factor", "write_consistency", "shards", "timeout")
        )
        self.name, self._prefix, self._warnings = str(address), address.name, address.warnings
        self._copies = address.number("replication_factor", 1)
        self._spread: dict[str, Any] = {
            "replication_factor": self._copies,
            "write_consistency_factor": address.number("write_consistency", self._copies // 2 + 1),
            **({"shard_number": address.number("shards", 1)} if "shards" in address.options else {}),
        }
        self._reading: dict[str, Any] = (
            {"consistency": models.ReadConsistencyType.MAJORITY} if self._copies > 1 else {}
        )
        self._is_own = client is None
        self._client = client or _client_of(address)
        self._known: set[str] = set()
        self._lock = Lock()

    def write(self, segment: str, kind: Kind, rows: Iterable[Row]) -> None:
        """See `core.stores.Store`."""
        for batch in batches(rows, _PAGE):
            ids = {row.key: id_of(segment, kind, row.key) for row in batch}
            place = self._made(kind)
            points = [
                models.PointStruct(id=ids[row.key], payload={"segment": segment, **record_of(row)}, vector={})
                for row in batch
            ]
            self._call(self._client.upsert, place, points)
            for length in {len(row.vector) for row in batch if row.vector}:
                points = [
                    models.PointStruct(
                        id=ids[row.key], payload={"segment": segment}, vector={"near": list(row.vector)}
                    )
                    for row in batch
                    if len(row.vector) == length
                ]
                self._call(self._client.upsert, self._made(kind, length), points)
            for place in self._near(kind) if any(not row.vector for row in batch) else ():
                gone = models.PointIdsList(points=[ids[row.key] for row in batch if not row.vector])
                self._call(self._client.delete, place, gone)

    def rows(self, segment: str, kind: Kind, keys: Collection[int]) -> dict[int, Row]:
        """See `core.stores.Store`."""
        ids = [id_of(segment, kind, key) for key in keys]
        found: dict[int, Row] = {}
        place = self._named(kind)
        if ids and not self._is_there(place):
            return found
        for start in range(0, len(ids), _PAGE):
            some = ids[start : start + _PAGE]
            for point in self._call(self._client.retrieve, place, some, **self._reading):
                key = key_of(str(point.id))
                found[key] = row_of(key, point.payload, self.name)
        return found

    def scan(self, segment: str, kind: Kind) -> Iterator[Row]:
        """See `core.stores.Store`."""
        place = self._named(kind)
        start: Any = None
        while self._is_there(place):
            found, start = self._call(
                self._client.scroll,
                place,
                _of(segment),
                limit=_PAGE,
                offset=start,
                with_payload=True,
                **self._reading,
            )
            for point in found:  # sorted by id, and therefore by key
                yield row_of(key_of(str(point.id)), point.payload, self.name)
            if start is None:
                return

    def nearest(self, segment: str, kind: Kind, vector: Sequence[float], limit: int) -> list[int]:
        """See `core.stores.Store`."""
        place = self._named(kind, len(vector))
        if limit < 1 or not any(vector) or not self._is_there(place):
            return []
        answer = self._call(
            self._client.query_points,
            place,
            list(vector),
            using="near",
            query_filter=_of(segment),
            search_params=models.SearchParams(exact=True),
            limit=limit,
            with_payload=False,
            **self._reading,
        )
        return [key_of(str(point.id)) for point in answer.points]

    def segments(self) -> set[str]:
        """See `core.stores.Store`."""
        found: set[str] = set()
        for place in self._own():
            if "-after-" not in place:
                answer = self._call(
                    self._client.facet, place, "segment", limit=_MOST_SEGMENTS, exact=True, **self._reading
                )
                found.update(str(hit.value) for hit in answer.hits)
        return found

    def drop(self, segment: str) -> None:
        """See `core.stores.Store`."""
        for place in self._own():
            if "-after-" not in place:
                self._call(self._client.delete, place, models.FilterSelector(filter=_of(segment)))

    def current(self) -> Published | None:
        """See `core.stores.Store`."""
        while markers := self._markers():
            metadata = self._metadata(markers[-1])
            if metadata is not None:  # it was not replaced in the meantime
                try:
                    return Published(int(metadata["number"]), str(metadata["manifest"]))
                except (KeyError, TypeError, ValueError) as error:
                    raise self._foreign(markers[-1]) from error
        return None

    def publish(self, generation: Published, *, replaces: int) -> None:
        """See `core.stores.Store`."""
        before = self.current()
        is_next = (before.number if before else 0) == replaces
        name = f"{self._prefix}-after-{replaces:08}"
        if is_next:
            metadata = {"number": generation.number, "manifest": generation.manifest}
            is_next = self._create(name, metadata, {})
        markers = self._markers()
        if is_next and markers[-1] != name:  # too late: there are newer generations
            self._call(self._client.delete_collection, name)
            is_next = False
        if not is_next:
            message = f"Another process has published an index in {self.name} meanwhile."
            raise IndexLocked(message, hint="Run it again: it starts from the newer index.")
        for old in markers[:-1]:
            self._call(self._client.delete_collection, old)

    def check(self) -> list[str]:
        """See `core.stores.Store`."""
        version = str(self._call(self._client.info).version)
        numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
        if self._is_own and numbers < _OLDEST:
            message = (
                f"{self.name} is Qdrant {version[:20]}; {'.'.join(map(str, _OLDEST))} or newer is needed."
            )
            raise StoreError(message, hint="Update the server.")
        own = self._own()
        status = self._call(self._client.cluster_status) if self._is_own else None
        nodes = len(getattr(status, "peers", None) or {})
        copies = [self._call(self._client.get_collection, name).config.params for name in own]
        if nodes > 1 and any((params.replication_factor or 1) < _ENOUGH for params in copies):
            message = (
                f"{self.name} has {nodes} nodes, and collections that only one of them has. {_REPLICATE}"
            )
            return [*self._warnings, message]
        return self._warnings

    def close(self) -> None:
        """See `core.stores.Store`."""
        if self._is_own:
            self._client.close()

    def _named(self, kind: Kind, length: int = 0) -> str:
        return f"{self._prefix}-{kind}" + (f"-{length}" if length else "")

    def _own(self) -> list[str]:
        """Return the names of the collections of this store."""
        names = [made.name for made in self._call(self._client.get_collections).collections]
        return sorted(name for name in names if self._is_named(name))

    def _is_named(self, name: str) -> bool:
        kind, _, number = name.removeprefix(f"{self._prefix}-").partition("-")
        return name.startswith(f"{self._prefix}-") and (
            (kind in KINDS and (not number or number.isdecimal())) or (kind == "after" and number.isdecimal())
        )

    def _markers(self) -> list[str]:
        """Return the collections of generations, oldest first."""
        return [name for name in self._own() if "-after-" in name]

    def _near(self, kind: Kind) -> list[str]:
        """Return the collections of the vectors of a kind."""
        return [name for name in self._own() if name.startswith(f"{self._prefix}-{kind}-")]

    def _is_there(self, name: str) -> bool:
        """Return whether this store has a collection with this name."""
        if name in self._known:
            return True
        metadata = self._metadata(name)
        if metadata is None:
            return False
        if metadata.get("vademecum") != LAYOUT:
            raise self._foreign(name)
        with self._lock:
            self._known.add(name)
        return True

    def _made(self, kind: Kind, length: int = 0) -> str:
        """Return the name of a collection, creating it if necessary."""
        name = self._named(kind, length)
        if not self._is_there(name):
            vectors = (
                {
                    "near": models.VectorParams(
                        size=length,
                        distance=models.Distance.DOT,
                        hnsw_config=models.HnswConfigDiff(m=0),  # no graph: every search is exact
                    )
                }
                if length
                else {}
            )
            self._create(name, {}, vectors)
            self._is_there(name)
            # each segment is searched separately, so its points are stored together
            schema = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
            self._call(self._client.create_payload_index, name, "segment", schema)
        return name

    def _create(self, name: str, metadata: dict[str, Any], vectors: "dict[str, models.VectorParams]") -> bool:
        """Create a collection. Return False if it already exists."""
        try:
            return self._call(
                self._client.create_collection,
                name,
                vectors_config=vectors,
                metadata={"vademecum": LAYOUT, **metadata},
                **self._spread,
            )
        except StoreError:
            if self._metadata(name) is None:
                raise
            return False

    def _metadata(self, name: str) -> dict[str, Any] | None:
        """Return the metadata of a collection, or None if it does not exist."""
        if not self._call(self._client.collection_exists, name):
            return None
        return self._call(self._client.get_collection, name).config.metadata or {}

    def _foreign(self, name: str) -> StoreError:
        message = f"The collection {name} in {self.name} was made by another program, or another version of this one."
        return StoreError(message, hint="Use another name at the end of ragadmin.store.")

    def _call(self, method: Callable[..., Value], *arguments: Any, **options: Any) -> Value:
        """Call a method of the client and return its result. Errors are raised as `StoreError`."""
        try:
            return method(*arguments, **options)
        except UnexpectedResponse as error:
            said = (error.content or b"").decode("utf-8", "replace")[:200]
            hint = _HINTS.get(error.status_code or 0, "Check the server's log.")
            raise StoreError(
                f"{self.name} answers with status {error.status_code}: {said}", hint=hint
            ) from None
        except (
            ApiException,
            QdrantException,
            HTTPError,
            ValidationError,
            AssertionError,
            ValueError,
            OSError,
        ) as error:
            lines = str(error).splitlines()
            message = f"{self.name}: {lines[0][:200] if lines else type(error).__name__}"
            raise StoreError(message, hint=_UNREACHED) from None


_UNREACHED = "Check that the server runs, and the address and key of ragadmin.store."
_HINTS = {
    401: "Check the key in ragadmin.store, or in the variable QDRANT_API_KEY.",
    403: "The key has no right to this. Reading needs a key of the collections; reindexing needs one that may make them.",
    507: "The server's disk is full. Free some space there, and run it again.",
}


def _of(segment: str) -> "models.Filter":
    """Return the filter for the points of a segment."""
    return models.Filter(must=[models.FieldCondition(key="segment", match=models.MatchValue(value=segment))])


def _client_of(address: Address) -> "QdrantClient":
    with catch_warnings():
        simplefilter("ignore")  # the warning about a key without TLS; `check` reports it if it matters
        return QdrantClient(
            url=address.url,
            api_key=address.key.reveal() if address.key else None,
            timeout=address.number("timeout", _TIMEOUT_S),
            check_compatibility=False,
        )
