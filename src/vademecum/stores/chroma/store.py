"""The Chroma store: a collection for each segment and kind of row, using version 2 of the HTTP API.

There are no transactions. A generation is published by creating a collection that has its number in its name; the
server lets only one writer do this. The collection with the largest number is current, and its metadata contain the
manifest.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from threading import Lock
from typing import Any

from vademecum.core.errors import IndexLocked, StoreError
from vademecum.core.stores import Kind, Published, Row
from vademecum.net import Place
from vademecum.stores._address import address_of
from vademecum.stores._records import LAYOUT, batches, record_of, row_of
from vademecum.stores.chroma.server import PAGE, ChromaServer, Made, Missing

_NEAR = {"hnsw": {"space": "ip", "ef_construction": 200, "ef_search": 400}}
_PLAIN = {"hnsw": {"space": "l2", "ef_construction": 8, "ef_search": 8, "max_neighbors": 4}}


class ChromaStore:
    """A store of rows in Chroma, 1.0 or newer.

    Args:
        url: `chroma://KEY@host:port/NAME`, with the options `tenant` and `database`.

    Raises:
        StoreError: The address is invalid.
    """

    def __init__(self, url: str) -> None:
        address = address_of(url, port=8000, options=("tenant", "database"))
        self.name, self._prefix, self._warnings = str(address), address.name, address.warnings
        self._server = ChromaServer(
            Place("https" if address.is_secure else "http", address.host, address.port),
            name=self.name,
            key=address.key,
            hint="Check that the server runs, and the address and key of ragadmin.store.",
            **address.options,
        )
        self._ids: dict[str, str] = {}
        self._lock = Lock()

    def write(self, segment: str, kind: Kind, rows: Iterable[Row]) -> None:
        """See `core.stores.Store`."""
        plain, near = self._named(segment, kind), self._named(segment, kind, is_near=True)
        metadata = {"segment": segment, "kind": kind}
        for batch in batches(rows, PAGE):
            made = self._made(plain, metadata, _PLAIN)
            records = [record_of(row) for row in batch]
            points = [[math.cos(row.key), math.sin(row.key)] for row in batch]  # records need embeddings
            body = {"ids": [_id(row.key) for row in batch], "embeddings": points, "metadatas": records}
            self._server.ask(made, "upsert", body)
            known = self._find(near)
            if known and (gone := [_id(row.key) for row in batch if not row.vector]):
                self._server.ask(known, "delete", {"ids": gone})
            if with_vectors := [row for row in batch if row.vector]:
                made = self._made(near, metadata, _NEAR)
                body = {
                    "ids": [_id(row.key) for row in with_vectors],
                    "embeddings": [list(row.vector) for row in with_vectors],
                }
                self._server.ask(made, "upsert", body)

    def rows(self, segment: str, kind: Kind, keys: Collection[int]) -> dict[int, Row]:
        """See `core.stores.Store`."""
        ids = [_id(key) for key in keys]
        found: dict[int, Row] = {}
        for start in range(0, len(ids), PAGE):
            asked = {"ids": ids[start : start + PAGE], "include": ["metadatas"]}
            answer = self._ask(self._named(segment, kind), "get", asked)
            if answer is None:
                break
            names, records = self._listed(answer, "ids"), self._listed(answer, "metadatas")
            for name, record in zip(names, records, strict=True):
                key = self._key(name)
                found[key] = row_of(key, record, self.name)
        return found

    def scan(self, segment: str, kind: Kind) -> Iterator[Row]:
        """See `core.stores.Store`."""
        answer = self._ask(self._named(segment, kind), "get", {"include": []})
        keys = sorted(map(self._key, self._listed(answer, "ids"))) if answer else []
        for start in range(0, len(keys), PAGE):
            asked = keys[start : start + PAGE]
            found = self.rows(segment, kind, asked)
            yield from (found[key] for key in asked if key in found)

    def nearest(self, segment: str, kind: Kind, vector: Sequence[float], limit: int) -> list[int]:
        """See `core.stores.Store`."""
        if limit < 1 or not any(vector):
            return []
        asked = {"query_embeddings": [list(vector)], "n_results": limit, "include": []}
        answer = self._ask(self._named(segment, kind, is_near=True), "query", asked)
        return [self._key(name) for names in self._listed(answer, "ids") for name in names] if answer else []

    def segments(self) -> set[str]:
        """See `core.stores.Store`."""
        return {made.metadata["segment"] for made in self._all() if "segment" in made.metadata}

    def drop(self, segment: str) -> None:
        """See `core.stores.Store`."""
        for made in self._all():
            if made.metadata.get("segment") == segment:
                self._forget(made.name)
                self._server.delete(made.name)

    def current(self) -> Published | None:
        """See `core.stores.Store`."""
        published = self._published()
        return published[-1][1] if published else None

    def publish(self, generation: Published, *, replaces: int) -> None:
        """See `core.stores.Store`."""
        before = self._published()
        is_next = (before[-1][1].number if before else 0) == replaces
        name = f"{self._prefix}-after-{replaces}"
        metadata = self._marked({"number": generation.number, "manifest": generation.manifest})
        try:
            if is_next:
                self._server.make(name, metadata, once=True)
        except StoreError:
            is_next = False
            if self._server.find(name) is None:
                raise
        published = self._published()
        if is_next and published[-1][0] != name:  # too late: there are newer generations
            self._server.delete(name)
            is_next = False
        if not is_next:
            message = f"Another process has published an index in {self.name} meanwhile."
            raise IndexLocked(message, hint="Run it again: it starts from the newer index.")
        for old, _ in published[:-1]:
            self._server.delete(old)

    def check(self) -> list[str]:
        """See `core.stores.Store`."""
        self._server.check()
        self._all()
        return self._warnings

    def close(self) -> None:
        """See `core.stores.Store`."""
        self._server.close()

    def _named(self, segment: str, kind: Kind, *, is_near: bool = False) -> str:
        """Return the name of a collection. It is hashed, because the server restricts the characters of names."""
        return (
            f"{self._prefix}-{sha256(segment.encode()).hexdigest()[:32]}-{kind}{'-near' if is_near else ''}"
        )

    def _marked(self, metadata: dict[str, Any]) -> dict[str, Any]:
        return {"vademecum": LAYOUT, "place": self._prefix, **metadata}

    def _all(self) -> list[Made]:
        """Return all collections of this store."""
        return [
            made
            for made in self._server.collections()
            if made.metadata.get("place") == self._prefix and "vademecum" in made.metadata
        ]

    def _published(self) -> list[tuple[str, Published]]:
        """Return the published, undeleted generations with the names of their collections, oldest first."""
        found = [
            (made.name, Published(int(made.metadata["number"]), str(made.metadata["manifest"])))
            for made in self._all()
            if "manifest" in made.metadata
        ]
        return sorted(found, key=lambda named: int(named[0].rpartition("-")[2]))

    def _made(self, name: str, metadata: dict[str, Any], configuration: Mapping[str, Any]) -> str:
        """Return the id of a collection, creating it if necessary."""
        if known := self._ids.get(name):
            return known
        return self._remembered(self._server.make(name, self._marked(metadata), configuration))

    def _find(self, name: str) -> str | None:
        """Return the id of a collection, or None if it does not exist."""
        if known := self._ids.get(name):
            return known
        found = self._server.find(name)
        return self._remembered(found) if found else None

    def _ask(self, name: str, what: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Return the response of a collection, or None if it does not exist."""
        for _ in range(2):
            known = self._find(name)
            if known is None:
                return None
            try:
                answer = self._server.ask(known, what, body)
            except Missing:  # it was deleted, and perhaps created again
                self._forget(name)
                continue
            if not isinstance(answer, dict):
                raise self._server.strange()
            return answer
        return None

    def _remembered(self, made: Made) -> str:
        if made.metadata.get("vademecum") != LAYOUT:
            message = f"The collection {made.name} in {self.name} was made by another program, or another version of this one."
            raise StoreError(message, hint="Use another name at the end of ragadmin.store.")
        with self._lock:
            self._ids[made.name] = made.id
        return made.id

    def _forget(self, name: str) -> None:
        with self._lock:
            self._ids.pop(name, None)

    def _listed(self, answer: dict[str, Any], column: str) -> list[Any]:
        found = answer.get(column)
        if not isinstance(found, list):
            raise self._server.strange()
        return found

    def _key(self, name: object) -> int:
        try:
            return int(str(name), 16)
        except ValueError as error:
            raise self._server.strange() from error


def _id(key: int) -> str:
    return f"{key:08x}"
