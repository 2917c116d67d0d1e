"""The Weaviate store: a class for each kind of row, with a named vector for each vector length.

There are no transactions. A generation is published by creating a class that has its number in its name; the cluster,
by consensus, lets only one writer do this. The class with the largest number is current, and its description contains
the manifest.
"""

import json
import re
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar

from vademecum.core.errors import IndexLocked, StoreError
from vademecum.core.stores import KINDS, Kind, Published, Row
from vademecum.stores._address import address_of
from vademecum.stores._records import LAYOUT, batches, id_of, key_of, record_of, row_of

try:
    import weaviate
    from weaviate.classes.config import (
        Configure,
        ConsistencyLevel,
        DataType,
        Property,
        Tokenization,
        VectorDistances,
    )
    from weaviate.classes.data import DataObject
    from weaviate.classes.init import AdditionalConfig, Auth, Timeout
    from weaviate.classes.query import Filter, Sort
    from weaviate.exceptions import (
        UnexpectedStatusCodeError,
        WeaviateBaseError,
        WeaviateConnectionError,
        WeaviateStartUpError,
        WeaviateTimeoutError,
    )
except ImportError as error:
    message = f"Weaviate needs the extra weaviate ({error.name} is not installed)."
    raise StoreError(message, hint="Install it with: pip install 'vademecum[weaviate]'") from error

_TIMEOUT_S = 60
_PAGE = 500
_ENOUGH = 2
_EXACT = 1_000_000
"""The number of vectors up to which Weaviate compares all of them. No segment has as many."""

_IS_UPDATING = "read-only due to: UpdateVectorIndexConfigs"
_PAUSES_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""How long to wait for a class that is read-only because a named vector was added to it a moment ago."""

_REPLICATE = "Add ?replication_factor=3 to ragadmin.store, and build it again with: ragadmin reindex --full"

_OLDEST = (1, 31)
"""The first version that can add a named vector to an existing class."""

_READABLE = ("source_alias", "source_type", "language", "title")
"""The fields that the server can filter by."""

_KIND_NAMES: dict[Kind, str] = {kind: kind.title().replace("_", "") for kind in KINDS}

Value = TypeVar("Value")


class WeaviateStore:
    """A store of rows in Weaviate, 1.31 or newer.

    Documents are in the class `Document`. The names of all other classes begin with the last part of the address, which
    is `vademecum` by default. With another name, the class of documents begins with it, too.

    Args:
        url: `weaviate://KEY@host:port/NAME`, with the options `grpc_port` and `replication_factor` (the number of nodes
            that store each row).

    Raises:
        StoreError: The address is invalid.
    """

    def __init__(self, url: str) -> None:
        self._address = address_of(url, port=8080, options=("grpc_port", "replication_factor"))
        self.name = str(self._address)
        name = self._address.name.replace("-", "_")
        self._prefix = name[0].upper() + name[1:]
        self._copies = self._address.number("replication_factor", 1)
        self._grpc_port = int(self._address.options.get("grpc_port", "50051"))
        self._connected: weaviate.WeaviateClient | None = None
        self._known: dict[str, set[str]] = {}
        self._lock = Lock()

    def write(self, segment: str, kind: Kind, rows: Iterable[Row]) -> None:
        """See `core.stores.Store`."""
        is_registered = False
        for batch in batches(rows, _PAGE):
            if not is_registered:
                self._insert("Segment", [DataObject({"segment": segment}, uuid=id_of(segment, kind, 0))])
                is_registered = True
            self._insert(
                _KIND_NAMES[kind],
                [
                    DataObject(
                        {"segment": segment, "number": row.key, **record_of(row), **_readable(row)},
                        uuid=id_of(segment, kind, row.key),
                        vector={_near(len(row.vector)): list(row.vector)} if row.vector else None,
                    )
                    for row in batch
                ],
            )

    def rows(self, segment: str, kind: Kind, keys: Collection[int]) -> dict[int, Row]:
        """See `core.stores.Store`."""
        ids = [id_of(segment, kind, key) for key in keys]
        found: dict[int, Row] = {}
        name = self._named(_KIND_NAMES[kind])
        if not ids or not self._is_there(name):
            return found
        for start in range(0, len(ids), _PAGE):
            asked = ids[start : start + _PAGE]
            with self._client() as client:
                answer = self._of(client, name).query.fetch_objects_by_ids(
                    asked, limit=len(asked), return_properties=["fields", "data"]
                )
            for entry in answer.objects:
                key = key_of(str(entry.uuid))
                found[key] = row_of(key, entry.properties, self.name)
        return found

    def scan(self, segment: str, kind: Kind) -> Iterator[Row]:
        """See `core.stores.Store`."""
        name = self._named(_KIND_NAMES[kind])
        last = -1
        while self._is_there(name):
            with self._client() as client:
                answer = self._of(client, name).query.fetch_objects(
                    filters=_in(segment) & Filter.by_property("number").greater_than(last),
                    sort=Sort.by_property("number"),
                    limit=_PAGE,
                    return_properties=["fields", "data"],
                )
            for entry in answer.objects:
                last = key_of(str(entry.uuid))
                yield row_of(last, entry.properties, self.name)
            if len(answer.objects) < _PAGE:
                return

    def nearest(self, segment: str, kind: Kind, vector: Sequence[float], limit: int) -> list[int]:
        """See `core.stores.Store`."""
        name, near = self._named(_KIND_NAMES[kind]), _near(len(vector))
        if limit < 1 or not any(vector) or not self._is_there(name, near):
            return []
        with self._client() as client:
            answer = self._of(client, name).query.near_vector(
                list(vector), target_vector=near, filters=_in(segment), limit=limit, return_properties=[]
            )
        return [key_of(str(entry.uuid)) for entry in answer.objects]

    def segments(self) -> set[str]:
        """See `core.stores.Store`."""
        name = self._named("Segment")
        if not self._is_there(name):
            return set()
        with self._client() as client:
            found = self._of(client, name).iterator(return_properties=["segment"])
            return {str(entry.properties["segment"]) for entry in found}

    def drop(self, segment: str) -> None:
        """See `core.stores.Store`."""
        for part in (*_KIND_NAMES.values(), "Segment"):  # the last marks that there is something to drop
            name = self._named(part)
            if self._is_there(name):
                with self._client() as client:
                    collection = self._of(client, name)
                    while collection.data.delete_many(_in(segment)).matches:
                        pass

    def current(self) -> Published | None:
        """See `core.stores.Store`."""
        published = self._published()
        return published[-1][1] if published else None

    def publish(self, generation: Published, *, replaces: int) -> None:
        """See `core.stores.Store`."""
        before = self._published()
        is_next = (before[-1][1].number if before else 0) == replaces
        name = self._named(f"After{replaces:08}")
        if is_next:
            is_next = self._create(name, number=generation.number, manifest=generation.manifest)
        published = self._published()
        if is_next and published[-1][0] != name:  # too late: there are newer generations
            self._delete(name)
            is_next = False
        if not is_next:
            message = f"Another process has published an index in {self.name} meanwhile."
            raise IndexLocked(message, hint="Run it again: it starts from the newer index.")
        for old, _ in published[:-1]:
            self._delete(old)

    def check(self) -> list[str]:
        """See `core.stores.Store`."""
        with self._client() as client:
            version = str(client.get_meta().get("version", ""))
            nodes = len(client.cluster.nodes())
            name = self._named(_KIND_NAMES["document"])
            copies = self._copies
            if nodes > 1 and client.collections.exists(name):
                copies = client.collections.use(name).config.get().replication_config.factor
        numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
        if numbers < _OLDEST:
            oldest = ".".join(map(str, _OLDEST))
            message = f"{self.name} is Weaviate {version[:20]}; {oldest} or newer is needed."
            raise StoreError(message, hint="Update the server.")
        if nodes > 1 and copies < _ENOUGH:
            message = f"{self.name} has {nodes} nodes, and classes that only one of them has. {_REPLICATE}"
            return [*self._address.warnings, message]
        return self._address.warnings

    def close(self) -> None:
        """See `core.stores.Store`."""
        with self._lock:
            if self._connected:
                self._connected.close()
            self._connected = None

    def _named(self, part: str) -> str:
        is_plain = part == _KIND_NAMES["document"] and self._prefix == "Vademecum"
        return part if is_plain else self._prefix + part

    def _published(self) -> list[tuple[str, Published]]:
        """Return the published, undeleted generations with the names of their classes, oldest first."""
        pattern = re.compile(re.escape(self._named("After")) + r"\d{8}")
        with self._client() as client:
            classes = client.collections.list_all(simple=True)
        found = []
        for name in sorted(filter(pattern.fullmatch, classes)):
            says = self._described(name, classes[name].description)
            found.append((name, Published(int(says["number"]), str(says["manifest"]))))
        return found

    def _described(self, name: str, description: str | None) -> dict[str, Any]:
        """Return the contents of the description of a class."""
        try:
            says = json.loads(description or "")
            if says["vademecum"] == LAYOUT:
                return dict(says)
        except (ValueError, KeyError, TypeError):
            pass
        message = (
            f"The class {name} in {self.name} was made by another program, or another version of this one."
        )
        raise StoreError(message, hint="Use another name at the end of ragadmin.store.")

    def _is_there(self, name: str, vector: str = "") -> bool:
        """Return whether this store has a class with this name and this named vector."""
        if vector in self._known.get(name, {None}):
            return True
        with self._client() as client:
            if not client.collections.exists(name):
                return False
            says = client.collections.use(name).config.get(simple=True)
        self._described(name, says.description)
        with self._lock:
            self._known[name] = {"", *(says.vector_config or {})}
        return vector in self._known[name]

    def _insert(self, part: str, objects: "list[DataObject[Any, Any]]") -> None:
        """Add objects to a class, or replace them. The class is created if necessary."""
        name = self._named(part)
        if not self._is_there(name):
            self._create(name)
            self._is_there(name)
        for vector in {near for entry in objects if entry.vector for near in map(str, entry.vector)}:
            if not self._is_there(name, vector):
                with self._client() as client:
                    index = Configure.VectorIndex.hnsw(
                        distance_metric=VectorDistances.DOT, flat_search_cutoff=_EXACT
                    )
                    added = Configure.Vectors.self_provided(name=vector, vector_index_config=index)
                    client.collections.use(name).config.add_vector(vector_config=added)
        for pause_s in (*_PAUSES_S, 0.0):
            with self._client() as client:
                answer = self._of(client, name).data.insert_many(objects)
            if not answer.has_errors:
                return
            said = next(iter(answer.errors.values())).message
            if not pause_s or _IS_UPDATING not in said:
                raise StoreError(f"{self.name}: {said[:300]}", hint=_SEE_LOG)
            time.sleep(pause_s)  # repeating is safe: the objects have fixed ids

    def _create(self, name: str, **says: object) -> bool:
        """Create a class. Return False if it already exists."""
        unindexed: Any = {"index_filterable": False, "index_searchable": False}
        with self._client() as client:
            try:
                client.collections.create(
                    name,
                    description=json.dumps({"vademecum": LAYOUT, **says}),
                    properties=[
                        Property(name="segment", data_type=DataType.TEXT, tokenization=Tokenization.FIELD),
                        Property(
                            name="number",
                            data_type=DataType.INT,
                            index_filterable=False,
                            index_range_filters=True,
                        ),
                        Property(name="fields", data_type=DataType.TEXT, **unindexed),
                        Property(name="data", data_type=DataType.TEXT, **unindexed),
                        *(
                            Property(name=field, data_type=DataType.TEXT, tokenization=Tokenization.FIELD)
                            for field in _READABLE
                        ),
                    ],
                    vector_config=None,
                    replication_config=Configure.replication(factor=self._copies),
                )
            except UnexpectedStatusCodeError:
                if not client.collections.exists(name):
                    raise
                return False
        return True

    def _delete(self, name: str) -> None:
        with self._client() as client:
            client.collections.delete(name)

    def _of(self, client: "weaviate.WeaviateClient", name: str) -> Any:
        """Return a class whose reads and writes need a majority of its replicas."""
        collection = client.collections.use(name)
        return collection.with_consistency_level(ConsistencyLevel.QUORUM) if self._copies > 1 else collection

    @contextmanager
    def _client(self) -> "Iterator[weaviate.WeaviateClient]":
        """Yield the connected client. Errors are raised as `StoreError`."""
        address, timeout = self._address, Timeout(init=5, query=_TIMEOUT_S, insert=_TIMEOUT_S)
        try:
            with self._lock:
                if self._connected is None:
                    made = weaviate.WeaviateClient(
                        weaviate.connect.ConnectionParams.from_params(
                            *(address.host, address.port, address.is_secure),
                            *(address.host, self._grpc_port, address.is_secure),
                        ),
                        auth_client_secret=Auth.api_key(address.key.reveal()) if address.key else None,
                        additional_config=AdditionalConfig(timeout=timeout),
                        skip_init_checks=True,  # they query a package registry for the newest version of the client
                    )
                    try:
                        made.connect()
                    except BaseException:
                        made.close()
                        raise
                    self._connected = made
            yield self._connected
        except UnexpectedStatusCodeError as error:
            hint = _HINTS.get(error.status_code, _SEE_LOG)
            raise StoreError(f"{self.name}: {_first_line(error)}", hint=hint) from None
        except WeaviateStartUpError:  # its own message is uninformative
            message = f"{self.name} cannot be reached, by HTTP and by gRPC."
            hint = f"{_UNREACHED} gRPC has a port of its own: ?grpc_port=50051"
            raise StoreError(message, hint=hint) from None
        except (WeaviateConnectionError, WeaviateTimeoutError, OSError) as error:
            raise StoreError(f"{self.name}: {_first_line(error)}", hint=_UNREACHED) from None
        except WeaviateBaseError as error:
            raise StoreError(f"{self.name}: {_first_line(error)}", hint=_SEE_LOG) from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:  # raised by the client
            message = f"{self.name} answers what a Weaviate server does not."
            raise StoreError(message, hint=_UNREACHED) from error


_SEE_LOG = "Check the server's log."
_UNREACHED = "Check that the server runs, and the address and key of ragadmin.store."
_HINTS = {
    401: "Check the key in ragadmin.store, or in the variable WEAVIATE_API_KEY.",
    403: "The key has no right to this.",
}


def _near(length: int) -> str:
    """Return the name of the vectors of a length."""
    return f"near_{length}"


def _readable(row: Row) -> dict[str, str]:
    return {field: str(row.fields[field]) for field in _READABLE if field in row.fields}


def _in(segment: str) -> Any:
    """Return the filter for the objects of a segment."""
    return Filter.by_property("segment").equal(segment)


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0][:300] if lines else type(error).__name__
