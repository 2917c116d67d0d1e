"""The OpenSearch engine: an index for each kind of object, spread over shards, which its BM25 and its k-NN plugin search.

Each shard has its own document frequencies, so that its scores differ from ours. They only choose candidates.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from logging import NullHandler, getLogger
from operator import mul
from threading import Lock
from typing import Any
from urllib.parse import unquote, urlsplit

from vademecum.core.engines import (
    FIELDS,
    Described,
    Item,
    Kind,
    Published,
    Query,
    Record,
    Search,
    Wanted,
    id_of,
)
from vademecum.core.errors import StoreError
from vademecum.stores import objects
from vademecum.stores.address import address_of

try:
    from opensearchpy import OpenSearch
    from opensearchpy.exceptions import (
        ConflictError,
        ConnectionError,  # noqa: A004 - of this library
        NotFoundError,
        OpenSearchException,
        RequestError,
        TransportError,
    )
except ImportError as error:
    message = f"OpenSearch needs the extra opensearch ({error.name} is not installed)."
    raise StoreError(message, hint="Install it with: pip install 'vademecum[opensearch]'") from error

getLogger("opensearch").addHandler(NullHandler())  # its messages are also raised as errors
_TIMEOUT_S = 60
_WRITTEN = 500
_OLDEST = (2, 4)
_LONGEST_NAME = 8000
"""The maximum length of indexed names in characters. Longer titles are stored, but not filtered by."""

_TYPES: Mapping[str, Mapping[str, Any]] = {
    "name": {"type": "keyword", "ignore_above": _LONGEST_NAME},
    "number": {"type": "integer"},
    "text": {"type": "text", "index": False},
}
_WEIGHED = "double f = {boost} * doc.freq / (1 - {b} + {b} * doc.length / {usual}.0); return query.boost * 2.2 * f / (1.2 + f);"
"""The weight of a term in a field as files compute it, with `retrieval.methods`: without the rarity, which is in the weight of a
question's term, and with a usual length, so that every shard has the same scores."""

_FIELDS = {"terms": (1.0, 0.6, 60), "heading_terms": (1.5, 0.3, 6)}
_SIMILARITY = {
    field: {"type": "scripted", "script": {"source": _WEIGHED.format(boost=boost, b=b, usual=usual)}}
    for field, (boost, b, usual) in _FIELDS.items()
}

_PARTS: Mapping[Kind, str] = {"passage": "", "document": "-documents", "words": "-words"}
_PRODUCT = (
    "def v = params._source.vector; if (v == null) { return 0; } double s = 2; "
    "for (int i = 0; i < params.q.length; i++) { s += v[i] * params.q[i]; } return s;"
)
"""Two more than the inner product, because scores must not be negative; 0 for an object without a vector."""


class OpenSearchEngine:
    """An engine in OpenSearch, 2.4 or newer.

    Args:
        url: `opensearch://user:password@host:port/NAME`, or `opensearch+https://`, with the options `shards`, `replicas`
            and `timeout` in seconds. Passages are in the index NAME, the rest in indexes whose names begin with it.
    """

    def __init__(self, url: str) -> None:
        self._address = address = address_of(url, port=9200, options=("shards", "replicas", "timeout"))
        self.name, self.epoch, self.by_tokens = str(address), 1, True
        self.frequencies = objects.Frequencies(self.read).of
        user = unquote(urlsplit(url).username or "") if urlsplit(url).password else "admin"
        self._client = OpenSearch(
            hosts=[{"host": address.host, "port": address.port}],
            http_auth=(user, address.key.reveal()) if address.key else None,
            use_ssl=address.is_secure,
            verify_certs=True,
            timeout=address.number("timeout", _TIMEOUT_S),
            max_retries=2,
            retry_on_timeout=False,
        )
        self._known: dict[str, bool] = {}
        self._making = Lock()

    def write(self, generation: int, items: Iterable[Item]) -> None:
        """See `core.engines.Engine`."""
        for batch in objects.batches(items, _WRITTEN):
            lines: list[Mapping[str, Any]] = []
            for item in batch:
                self._make(item.kind, len(item.vector))
                lines.append({"index": {"_index": self._named(item.kind), "_id": id_of(item.key)}})
                vector = {"vector": [round(value, 7) for value in item.vector]} if item.vector else {}
                lines.append({**objects.printable_fields(item, generation), **vector})
            with self._errors():
                answer = self._client.bulk(body=lines, params={"refresh": "true"})
                for result in answer["items"] if answer["errors"] else ():
                    if failed := result["index"].get("error"):
                        raise objects.failed(self.name, failed.get("reason"))

    def remove(self, generation: int, kind: Kind, keys: Collection[str]) -> None:
        """See `core.engines.Engine`."""
        script = {"source": "ctx._source.removed = params.generation", "params": {"generation": generation}}
        parts: list[tuple[Kind, str]] = [("passage", "document")] if kind == "document" else []
        for part, field in (*parts, (kind, "key")):
            query = {"bool": {"filter": [{"terms": {field: list(keys)}}, {"term": {"removed": 0}}]}}
            if keys and self._is_there(self._named(part)):
                with self._errors():
                    params = {"refresh": "true", "conflicts": "proceed"}
                    body = {"query": query, "script": script}
                    self._client.update_by_query(index=self._named(part), body=body, params=params)

    def find(self, query: Query) -> list[Item]:
        """See `core.engines.Engine`."""
        name, filters = self._named(query.kind), _filters(query)
        if not self._is_there(name):
            return []
        bodies = [_by_words(search, filters) for search in query.searches]
        if query.vector and query.nearest:
            bodies.append(_by_vector(query, filters, has_plugin=self._known[name]))
        if not query.searches and not query.vector:
            within = {"bool": {"filter": filters}}
            listed = {
                "query": within,
                "sort": ["key"],
                "size": query.limit,
                "_source": objects.short_fields(query.kind),
            }
            bodies.append(listed | ({"search_after": [query.after]} if query.after else {}))
        if not bodies:
            return []
        found = {hit["_id"]: hit["_source"] for hit in self._hits(name, bodies)}
        return [self._item(query.kind, source, query.vector) for source in found.values()]

    def _hits(self, name: str, bodies: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Yield what several searches of an index find, in one request."""
        with self._errors():
            lines = [line for body in bodies for line in ({"index": name}, body)]
            for answer in self._client.msearch(body=lines)["responses"]:
                if "error" in answer or answer["_shards"]["failed"]:
                    reason = answer.get("error", {}).get("reason", "some of its shards do not answer")
                    raise objects.failed(self.name, reason)
                yield from answer["hits"]["hits"]

    def records(
        self, of: Described, words: Sequence[Wanted], vector: Sequence[float], limit: int
    ) -> list[Record]:
        """See `core.engines.Records`. Vectors are searched by the plugin."""
        field, queries = of.vector or "embedding", [] if words or vector else [_Body(match_all={})]
        if words:
            said = " ".join(word.forms[0] for word in words)
            queries.append({"match": {of.text: {"query": said}}})
        if vector:
            queries.append({"knn": {field: {"vector": list(vector), "k": limit}}})
        fields = {} if vector else {"_source": {"excludes": [field]}}
        bodies = [{"query": query, "size": limit, **fields} for query in queries]
        hits = {hit["_id"]: hit["_source"] for hit in self._hits(of.collection, bodies)}
        return [
            Record(number, source, objects.cosine_of(source.pop(field, None), vector))
            for number, source in hits.items()
        ]

    def read(self, kind: Kind, keys: Collection[str]) -> dict[str, Item]:
        """See `core.engines.Engine`."""
        name = self._named(kind)
        if not keys or not self._is_there(name):
            return {}
        with self._errors():
            answer = self._client.mget(body={"ids": list(map(id_of, keys))}, index=name)
            items = [self._item(kind, hit["_source"], ()) for hit in answer["docs"] if hit.get("found")]
        return {item.key: item for item in items}

    def _item(self, kind: Kind, source: Mapping[str, Any], vector: Sequence[float]) -> Item:
        own = source.get("vector")
        cosine = sum(map(mul, own, vector)) if own and len(own) == len(vector) else None
        return objects.item_of(kind, {**source, "cosine": cosine}, self.name)

    def current(self) -> Published | None:
        """See `core.engines.Engine`."""
        with self._errors():
            found = self._current()
            return Published(**found["_source"]) if found is not None else None

    def _current(self) -> dict[str, Any] | None:
        with self._errors(), suppress(NotFoundError):
            found: dict[str, Any] = self._client.get(index=self._place, id="current")
            return found
        return None

    def publish(self, published: Published, *, replaces: int) -> None:
        """See `core.engines.Engine`."""
        before = self._current()
        is_next = (before["_source"]["number"] if before else 0) == replaces
        if is_next:
            if not self._is_there(self._place):
                fields = {"number": {"type": "integer"}, "epoch": {"type": "integer"}}
                self._create(
                    self._place,
                    {**fields, "manifest": {"type": "text", "index": False}},
                    {"number_of_shards": 1},
                )
            expected = (
                {"if_seq_no": before["_seq_no"], "if_primary_term": before["_primary_term"]}
                if before
                else {"op_type": "create"}
            )
            try:
                with self._errors(passing=ConflictError):
                    self._client.index(
                        index=self._place, id="current", body=published._asdict(), params=expected
                    )
            except ConflictError:
                is_next = self._current_is(published)  # if only the answer to the first try was lost
        if not is_next:
            raise objects.overtaken(self.name)
        self.epoch = published.epoch
        self._sweep(published.number)

    def _current_is(self, published: Published) -> bool:
        found = self._current()
        return found is not None and found["_source"] == published._asdict()

    def _sweep(self, generation: int) -> None:
        """Delete what neither a generation nor the one before it has, and older collections."""
        gone = {"query": {"range": {"removed": {"gte": 1, "lte": generation - 1}}}}
        for kind in FIELDS:
            if self._is_there(self._named(kind)):
                with self._errors():
                    params = {"refresh": "true", "conflicts": "proceed"}
                    self._client.delete_by_query(index=self._named(kind), body=gone, params=params)
        for epoch in range(1, self.epoch - 1):
            for kind in FIELDS:
                self._delete(self._named(kind, epoch))

    def check(self) -> list[str]:
        """See `core.engines.Engine`."""
        with self._errors():
            version = str(self._client.info()["version"]["number"])
            nodes = int(self._client.cluster.health()["number_of_data_nodes"])
        objects.check_version(self.name, "OpenSearch", version, _OLDEST)
        if nodes > 1 and not self._copies:
            return [*self._address.warnings, objects.kept_once(self.name, nodes, "replicas=1")]
        return self._address.warnings

    def clear(self) -> None:
        """See `core.engines.Engine`."""
        self.check()
        names = [self._named(kind, 1) for kind in FIELDS]
        with self._errors():
            found = [
                entry["index"] for entry in self._client.cat.indices(params={"format": "json", "h": "index"})
            ]
        for name in found:
            if name == self._place or any(name == own or name.startswith(f"{own}.") for own in names):
                self._delete(name)
        self._known.clear()

    def close(self) -> None:
        """See `core.engines.Engine`."""
        self._client.close()

    @property
    def _copies(self) -> int:
        return self._address.number("replicas", 1) if "replicas" in self._address.options else 0

    @property
    def _place(self) -> str:
        return f"{self._prefix}-current"

    @property
    def _prefix(self) -> str:
        return self._address.name.lower()

    def _named(self, kind: Kind, epoch: int = 0) -> str:
        number = epoch or self.epoch
        return f"{self._prefix}{_PARTS[kind]}" + (f".{number}" if number > 1 else "")

    def _is_there(self, name: str) -> bool:
        """Return whether an index exists. Remember whether its vectors are indexed by the plugin."""
        if name not in self._known:
            with self._errors(), suppress(NotFoundError):
                mapping = self._client.indices.get_mapping(index=name)[name]["mappings"]
                self._known[name] = (
                    mapping.get("properties", {}).get("vector", {}).get("type") == "knn_vector"
                )
        return name in self._known

    def _make(self, kind: Kind, length: int) -> None:
        """Create the index of a kind, if it is missing."""
        name = self._named(kind)
        if self._is_there(name):
            return
        with self._making:
            fields: dict[str, Any] = {
                field: {"type": "text", "analyzer": "whitespace", "similarity": field}
                if of == "terms"
                else _TYPES[of]
                for field, of in FIELDS[kind].items()
            }
            settings = {"number_of_shards": self._address.number("shards", 1)}
            with self._errors():
                plugins = str(self._client.cat.plugins(params={"format": "json"})).lower()
            if length and "knn" in plugins:
                method = {"name": "hnsw", "engine": "lucene", "space_type": "innerproduct"}
                fields["vector"] = {"type": "knn_vector", "dimension": length, "method": method}
                settings["knn"] = True
            self._create(name, fields, settings)
            self._is_there(name)

    def _create(self, name: str, fields: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        body = {
            "mappings": {"dynamic": False, "properties": fields},
            "settings": {
                "index": {"number_of_replicas": self._copies, "similarity": _SIMILARITY, **settings}
            },
        }
        try:
            with self._errors(passing=RequestError):
                self._client.indices.create(index=name, body=body)
        except RequestError as error:
            if "already_exists" not in str(error.error):
                raise objects.failed(self.name, error.error) from None

    def _delete(self, name: str) -> None:
        with self._errors(), suppress(NotFoundError):
            self._client.indices.delete(index=name)
        self._known.pop(name, None)

    @contextmanager
    def _errors(self, passing: "type[Exception] | tuple[()]" = ()) -> Iterator[None]:
        """Raise the errors of the client as `StoreError`, except those of one class."""
        try:
            yield
        except passing:
            raise
        except ConnectionError as error:
            reason = type(error.info).__name__ if isinstance(error.info, Exception) else str(error.error)
            message = f"{self.name} cannot be reached ({reason[:100]})."
            raise StoreError(message, hint=objects.UNREACHED) from None
        except TransportError as error:
            hint = _HINTS.get(error.status_code if isinstance(error.status_code, int) else 0, objects.SEE_LOG)
            raise objects.failed(f"{self.name} answers {error.status_code}", error.error, hint) from None
        except OpenSearchException as error:
            raise objects.failed(self.name, error) from None
        except (KeyError, TypeError, AttributeError) as error:
            raise objects.no_server(self.name, "OpenSearch") from error


_HINTS = {
    401: "Check the user and password in ragadmin.store.",
    403: "The user has no right to this. Reading needs the indexes; reindexing needs the right to create them.",
    429: "The server is overloaded, or its disk is nearly full.",
}

_Body = dict[str, Any]


def _filters(query: Query) -> list[_Body]:
    found: list[_Body] = [{"terms": {name: list(allowed)}} for name, allowed in query.filters.items()]
    if query.generation:
        later = {"range": {"removed": {"gt": query.generation}}}
        unremoved = {"bool": {"should": [{"term": {"removed": 0}}, later], "minimum_should_match": 1}}
        found += [{"range": {"added": {"lte": query.generation}}}, unremoved]
    return found


def _by_words(search: Search, filters: Sequence[_Body]) -> _Body:
    """Return a search for tokens with our weights. Text and headings are added up, where files saturate their sum."""
    should = [
        {"term": {field: {"value": token, "boost": search.terms[term] / 128}}}
        for term, token in search.tokens.items()
        for field in _FIELDS
    ]
    return {
        "query": {"bool": {"should": should, "minimum_should_match": 1, "filter": list(filters)}},
        "size": search.limit,
    }


def _by_vector(query: Query, filters: Sequence[_Body], *, has_plugin: bool) -> _Body:
    """Return a search for the nearest vectors, by the plugin or by comparing all of them."""
    vector, most = list(query.vector), query.nearest
    if has_plugin:
        within = {"bool": {"filter": list(filters)}}
        return {"query": {"knn": {"vector": {"vector": vector, "k": most, "filter": within}}}, "size": most}
    script = {"source": _PRODUCT, "params": {"q": vector}}
    every = {"bool": {"filter": list(filters)}}
    return {"query": {"script_score": {"query": every, "script": script}}, "min_score": 0.5, "size": most}
