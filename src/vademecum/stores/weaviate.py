"""The Weaviate engine: a class for each kind of object, with terms that are searched by BM25, and exact vectors.

Documents are in the class `Document`. The names of all other classes, such as `VademecumPassage`, begin with the last part
of the address, which is `vademecum` by default; with another name, the class of documents begins with it, too. From
epoch 2 on, the names end in its number: `Document_2`.

There are no transactions. A generation is published by creating a class that has the number of the replaced one in its
name; the cluster, by consensus, lets only one writer do this. The class with the largest number is current, and its
description contains the manifest.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from operator import mul
from threading import Lock
from typing import Any

from vademecum.core.engines import (
    FIELDS,
    UNREMOVED,
    Described,
    FieldType,
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
from vademecum.stores.address import address_of

try:
    import weaviate
    from weaviate.classes.config import (
        Configure,
        ConsistencyLevel,
        DataType,
        Property,
        StopwordsPreset,
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

_LAYOUT = 2  # version 1 had the rows of segments
_OLDEST = (1, 31)
_REPAIRED = (1, 37, 10)  # the first version that searches well in what it has not yet written to its files
_TIMEOUT_S = 60
_PAGE = 200

_PARTS: Mapping[Kind, str] = {"document": "Document", "passage": "Passage", "words": "Words"}
_OLD_PARTS = "Need|Name|Text|PageWords|PassageWords|NeedWords|Table|Segment"  # of version 1

_SEARCHED = ["terms", "heading_terms"]  # without weights, which many versions misread or overrate
_RANKING: Any = {"bm25_k1": 1.2, "bm25_b": 0.6, "stopwords_preset": StopwordsPreset.NONE}
"""The parameters of BM25, as `retrieval.methods` has them for passages."""

_UNINDEXED: Any = {"index_filterable": False, "index_searchable": False}
_TYPES: Mapping[FieldType, Any] = {
    "name": {"data_type": DataType.TEXT, "tokenization": Tokenization.FIELD, "index_searchable": False},
    "number": {"data_type": DataType.INT, "index_filterable": False, "index_range_filters": True},
    "text": {"data_type": DataType.TEXT, **_UNINDEXED},
    "terms": {"data_type": DataType.TEXT, "tokenization": Tokenization.WHITESPACE, "index_filterable": False},
}


class WeaviateEngine:
    """An engine in Weaviate, 1.31 or newer.

    Args:
        url: `weaviate://KEY@host:port/NAME`, with the options `grpc_port` and `replication_factor` (the number of nodes
            that store each object).
    """

    def __init__(self, url: str) -> None:
        self._address = address_of(url, port=8080, options=("grpc_port", "replication_factor"))
        self.name, self.epoch, self.by_tokens = str(self._address), 1, True
        name = self._address.name.replace("-", "_")
        self._prefix = name[0].upper() + name[1:]
        self._mark = {"vademecum": _LAYOUT, "index": self._address.name}
        self._copies = self._address.number("replication_factor", 1)
        self._grpc_port = int(self._address.options.get("grpc_port", "50051"))
        self._connected: weaviate.WeaviateClient | None = None
        self._known: set[str] = set()
        self._lock = Lock()
        self.frequencies = objects.Frequencies(self.read).of

    def write(self, generation: int, items: Iterable[Item]) -> None:
        """See `core.engines.Engine`."""
        for batch in objects.batches(items, _PAGE):
            for kind in FIELDS:
                of_kind = {id_of(item.key): item for item in batch if item.kind == kind}
                if of_kind:
                    written = (
                        (number, objects.printable_fields(item, generation), list(item.vector))
                        for number, item in of_kind.items()
                    )
                    self._insert(self._made(kind), written)

    def remove(self, generation: int, kind: Kind, keys: Collection[str]) -> None:
        """See `core.engines.Engine`."""
        passages: list[tuple[Kind, str]] = [("passage", "document")] if kind == "document" else []
        change = {"removed": generation}
        for part, field in (*passages, (kind, "key")):
            name, done = self._named(part), set[object]()
            while keys and self._is_there(name):
                which = _is_any(field, keys) & Filter.by_property("removed").equal(UNREMOVED)
                with self._client() as client:
                    ask = self._of(client, name).query
                    answer = ask.fetch_objects(filters=which, limit=_PAGE, include_vector=True)
                found = {entry.uuid: entry for entry in answer.objects if entry.uuid not in done}
                if not found:
                    break
                # objects are written again, which is three times faster than to change one field of each
                self._insert(name, ((uuid, of.properties | change, of.vector) for uuid, of in found.items()))
                done |= found.keys()

    def find(self, query: Query) -> list[Item]:
        """See `core.engines.Engine`."""
        name = self._named(query.kind)
        if not self._is_there(name) or not all(query.filters.values()):
            return []
        with self._client() as client:
            ask = self._of(client, name).query
            requests = [
                partial(ask.bm25, words, query_properties=_SEARCHED, limit=search.limit)
                for search in query.searches
                if (words := " ".join(search.tokens.values()))
            ]
            if query.vector and query.nearest:
                requests.append(partial(ask.near_vector, list(query.vector), limit=query.nearest))
            if not query.searches and not query.vector:
                order, fields = Sort.by_property("key"), objects.short_fields(query.kind)
                listed = partial(ask.fetch_objects, sort=order, limit=query.limit, return_properties=fields)
                requests = [listed]
            options = {"filters": _seen(query), "include_vector": bool(query.vector)}
            with ThreadPoolExecutor(len(requests) or 1) as pool:
                asked = [pool.submit(request, **options) for request in requests]
                found = {entry.uuid: entry for answer in asked for entry in answer.result().objects}
        return [self._item(query, entry) for entry in found.values()]

    def _item(self, query: Query, entry: Any) -> Item:
        vector = entry.vector.get("default", ())
        cosine = sum(map(mul, vector, query.vector)) if len(vector) == len(query.vector) > 0 else None
        return objects.item_of(query.kind, {**entry.properties, "cosine": cosine}, self.name)

    def records(
        self, of: Described, words: Sequence[Wanted], vector: Sequence[float], limit: int
    ) -> list[Record]:
        """See `core.engines.Records`."""
        options: dict[str, Any] = {"limit": limit, "include_vector": bool(vector)}
        with self._client() as client:
            ask: Any = client.collections.use(of.collection).query
            answers = [] if words or vector else [ask.fetch_objects(**options)]
            if words:
                said = " ".join(word.forms[0] for word in words)
                answers.append(ask.bm25(said, query_properties=[of.text], **options))
            if vector:
                answers.append(ask.near_vector(list(vector), target_vector=of.vector or None, **options))
        found = {str(entry.uuid): entry for answer in answers for entry in answer.objects}
        return [
            Record(
                number, entry.properties, objects.cosine_of(entry.vector.get(of.vector or "default"), vector)
            )
            for number, entry in found.items()
        ]

    def read(self, kind: Kind, keys: Collection[str]) -> dict[str, Item]:
        """See `core.engines.Engine`."""
        name, found = self._named(kind), []
        ids = list(map(id_of, keys)) if keys and self._is_there(name) else []
        for start in range(0, len(ids), _PAGE):
            with self._client() as client:
                some = ids[start : start + _PAGE]
                found += self._of(client, name).query.fetch_objects_by_ids(some, limit=_PAGE).objects
        items = (objects.item_of(kind, entry.properties, self.name) for entry in found)
        return {item.key: item for item in items}

    def current(self) -> Published | None:
        """See `core.engines.Engine`."""
        published = self._published()
        return published[-1][1] if published else None

    def publish(self, published: Published, *, replaces: int) -> None:
        """See `core.engines.Engine`."""
        before = self.current()
        name = f"{self._prefix}After{replaces:08}"
        is_next = (before.number if before else 0) == replaces and self._create(name, **published._asdict())
        after = self._published()
        if is_next and after[-1][0] != name:  # too late: there are newer generations
            self._delete([name])
            is_next = False
        if not is_next:
            raise objects.overtaken(self.name)
        self.epoch = published.epoch
        gone = Filter.by_property("removed")
        which = gone.greater_or_equal(1) & gone.less_or_equal(published.number - 1)
        for place in filter(self._is_there, map(self._named, FIELDS)):
            with self._client() as client:
                while self._of(client, place).data.delete_many(which).matches:
                    pass
        older = {self._named(kind, epoch) for kind in FIELDS for epoch in range(1, self.epoch - 1)}
        self._delete([*older, *(old for old, _ in after[:-1])])

    def check(self) -> list[str]:
        """See `core.engines.Engine`."""
        with self._client() as client:
            version = str(client.get_meta().get("version", ""))
            nodes = len(client.cluster.nodes())
            name, copies = self._named("document"), self._copies
            if nodes > 1 and client.collections.exists(name):
                copies = client.collections.use(name).config.get().replication_config.factor
        numbers = objects.check_version(self.name, "Weaviate", version, _OLDEST)
        warnings = [*self._address.warnings]
        if numbers < _REPAIRED:
            message = f"{self.name} is Weaviate {version}, which overlooks words that were written in the last minute."
            warnings.append(f"{message} Update it to {'.'.join(map(str, _REPAIRED))} or newer.")
        if nodes > 1 and copies < 2:
            warnings.append(objects.kept_once(self.name, nodes, "replication_factor=3"))
        return warnings

    def clear(self) -> None:
        """See `core.engines.Engine`."""
        own = "|".join((*_PARTS.values(), _OLD_PARTS))
        pattern = rf"({self._named('document', 1)}|{self._prefix}({own}))(_\d+)?|{self._prefix}After\d+"
        self._delete(name for name in self._classes() if re.fullmatch(pattern, name))

    def close(self) -> None:
        """See `core.engines.Engine`."""
        with self._lock:
            if self._connected:
                self._connected.close()
            self._connected = None

    def _named(self, kind: Kind, epoch: int = 0) -> str:
        number = epoch or self.epoch
        is_plain = kind == "document" and self._prefix == "Vademecum"
        return ("" if is_plain else self._prefix) + _PARTS[kind] + (f"_{number}" if number > 1 else "")

    def _classes(self) -> dict[str, dict[str, Any]]:
        """Return what the descriptions of all classes say, by their names."""
        with self._client() as client:
            classes = client.collections.list_all(simple=True)
        return {name: _said(config.description) for name, config in classes.items()}

    def _published(self) -> list[tuple[str, Published]]:
        """Return the published, undeleted generations with the names of their classes, oldest first."""
        classes = self._classes()
        found = []
        for name in sorted(name for name in classes if re.fullmatch(rf"{self._prefix}After\d{{8}}", name)):
            self._check_mark(name, classes[name])
            found.append((name, Published(*(classes[name][field] for field in Published._fields))))
        return found

    def _check_mark(self, name: str, says: Mapping[str, Any]) -> None:
        """Check that a class belongs to this index."""
        if not self._mark.items() <= says.items():
            raise objects.foreign(self.name, f"The class {name}")

    def _is_there(self, name: str) -> bool:
        """Return whether this index has a class with this name."""
        if name not in self._known:
            with self._client() as client:
                if not client.collections.exists(name):
                    return False
                says = client.collections.use(name).config.get(simple=True)
            self._check_mark(name, _said(says.description))
            self._known.add(name)
        return True

    def _made(self, kind: Kind) -> str:
        """Return the name of a class, creating it if necessary."""
        name = self._named(kind)
        if not self._is_there(name):
            self._create(name, FIELDS[kind])
            self._is_there(name)
        return name

    def _insert(self, name: str, written: Iterable[tuple[Any, Mapping[str, Any], Any]]) -> None:
        """Add objects to a class, or replace them. They are given by their identifiers, fields and vectors."""
        made: list[Any] = [
            DataObject(of, uuid=number, vector=vector or None) for number, of, vector in written
        ]
        with self._client() as client:
            answer = self._of(client, name).data.insert_many(made)
        if answer.has_errors:
            raise objects.failed(self.name, next(iter(answer.errors.values())).message)

    def _create(self, name: str, fields: Mapping[str, FieldType] = {}, **says: object) -> bool:
        """Create a class. Return False if it already exists."""
        index = Configure.VectorIndex.flat(distance_metric=VectorDistances.COSINE)  # every search is exact
        with self._client() as client:
            try:
                client.collections.create(
                    name,
                    description=json.dumps({**self._mark, **says}),
                    properties=[Property(name=field, **_TYPES[of]) for field, of in fields.items()],
                    vector_config=Configure.Vectors.self_provided(vector_index_config=index),
                    inverted_index_config=Configure.inverted_index(**_RANKING),
                    replication_config=Configure.replication(factor=self._copies),
                )
            except UnexpectedStatusCodeError:
                if not client.collections.exists(name):
                    raise
                return False
        return True

    def _delete(self, names: Iterable[str]) -> None:
        """Delete classes, except those of other programs and indexes."""
        classes = self._classes()
        for name in names:
            says = classes.get(name, {})
            if "vademecum" in says and says.get("index", self._address.name) == self._address.name:
                with self._client() as client:
                    client.collections.delete(name)
            self._known.discard(name)

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
            raise objects.failed(self.name, error, _HINTS.get(error.status_code, objects.SEE_LOG)) from None
        except WeaviateStartUpError:  # its own message is uninformative
            message = f"{self.name} cannot be reached, by HTTP and by gRPC."
            hint = f"{objects.UNREACHED} gRPC has a port of its own: ?grpc_port=50051"
            raise StoreError(message, hint=hint) from None
        except (WeaviateConnectionError, WeaviateTimeoutError, OSError) as error:
            raise objects.failed(self.name, error, objects.UNREACHED) from None
        except WeaviateBaseError as error:
            raise objects.failed(self.name, error) from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:  # raised by the client
            raise objects.no_server(self.name, "Weaviate") from error


_HINTS = {
    401: "Check the key in ragadmin.store, or in the variable WEAVIATE_API_KEY.",
    403: "The key has no right to this.",
}


def _is_any(field: str, values: Collection[str]) -> Any:
    return Filter.by_property(field).contains_any(list(values))


def _seen(query: Query) -> Any:
    """Return the condition for the generation and the filters of a query, or None if it has none."""
    conditions = [_is_any(field, values) for field, values in query.filters.items()]
    if number := query.generation:
        added, removed = Filter.by_property("added"), Filter.by_property("removed")
        is_left = removed.equal(UNREMOVED) | removed.greater_than(number)
        conditions += [added.less_or_equal(number), is_left]
    if query.after:
        conditions.append(Filter.by_property("key").greater_than(query.after))
    return Filter.all_of(conditions) if conditions else None


def _said(description: str | None) -> dict[str, Any]:
    """Return what the description of a class says; {} if it is not one of ours."""
    try:
        return dict(json.loads(description or ""))
    except (ValueError, TypeError):
        return {}
