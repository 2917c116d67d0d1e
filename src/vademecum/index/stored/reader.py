"""Read an index in a store as if it were in files.

Rows are cached, up to a limit for all segments together, because questions often use the same documents and
terms. It is thread-safe.
"""

import json
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from struct import error as StructError  # noqa: N812 - a class, whatever its case
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from vademecum.core.documents import Block
from vademecum.core.errors import IndexCorrupt, IndexMissing
from vademecum.core.passages import TermSteps, blocks_in
from vademecum.core.stores import Kind, Row, Store
from vademecum.index.manifest import Manifest, SegmentInfo
from vademecum.index.segments import Segment, Statistics
from vademecum.index.stored import rows as store_rows
from vademecum.stores.flat import Ahead, FlatReader, Postings, Strings, Vectors

if TYPE_CHECKING:
    from vademecum.core.settings import Method
    from vademecum.stores.flat import Counts, Groups

_KEPT_BYTES = 256_000_000
"""The maximum size of cached rows, as stored."""

_TOGETHER = 32
"""The number of passages that are read together. Passages of a document are neighbours."""

_REBUILD = "Rebuild it, on the machine that indexes, with: ragadmin reindex --full"

Value = TypeVar("Value")


class _Memory:
    """Counts cached rows of all segments. If the limit is exceeded, all caches are cleared."""

    def __init__(self) -> None:
        self._bytes = 0
        self._kept: list[_Kept[object]] = []

    def watch(self, kept: "_Kept[object]") -> None:
        """Register a cache."""
        self._kept.append(kept)

    def add(self, count: int) -> None:
        """Count additional cached bytes."""
        self._bytes += count
        if self._bytes > _KEPT_BYTES:
            self._bytes = 0
            for kept in self._kept:
                kept.forget()


class _Kept(Generic[Value]):
    """A cache of decoded rows of one kind in a segment.

    Args:
        store: The store.
        segment: Its name.
        kind: The kind of row.
        decode: Converts a row's data to a value.
        memory: Counts cached rows.
    """

    __slots__ = ("_decode", "_kind", "_known", "_memory", "_segment", "_store")

    def __init__(
        self, store: Store, segment: str, kind: Kind, decode: Callable[[bytes], Value], memory: _Memory
    ) -> None:
        self._store, self._segment, self._kind = store, segment, kind
        self._decode, self._memory = decode, memory
        self._known: dict[int, Value | None] = {}
        memory.watch(cast("_Kept[object]", self))

    def forget(self) -> None:
        """Clear the cache. Readers keep the values that they already have."""
        self._known = {}

    def has(self, key: int) -> bool:
        """Return whether a key is cached."""
        return key in self._known

    def several(self, keys: Iterable[int]) -> dict[int, Value | None]:
        """Return the values of keys; None for missing rows. Uncached rows are read together."""
        known = self._known
        wanted = dict.fromkeys(keys)
        values = {key: known[key] for key in wanted if key in known}
        missing = [key for key in wanted if key not in values]
        if missing:
            found = self._store.rows(self._segment, self._kind, missing)
            read = {key: self._decoded(found[key]) if key in found else None for key in missing}
            self._known.update(read)
            values.update(read)
            self._memory.add(sum(len(row.data) + _ROW_BYTES for row in found.values()))
        return values

    def get(self, key: int) -> Value | None:
        """Return the value of a key; None if the row is missing."""
        return self.several((key,))[key]

    def __getitem__(self, key: int) -> Value:
        found = self.get(key)
        if found is None:
            raise self.damaged(f"{self._kind} {key} is missing")
        return found

    def _decoded(self, row: Row) -> Value:
        try:
            return self._decode(row.data)
        except (StructError, ValueError, IndexError, TypeError) as error:
            raise self.damaged(f"{self._kind} {row.key}: {error}") from error

    def damaged(self, what: str) -> IndexCorrupt:
        """Return the exception for a damaged row."""
        message = f"The segment {self._segment} in {self._store.name} is damaged ({what})."
        return IndexCorrupt(message, hint=_REBUILD)


_ROW_BYTES = 200
"""The overhead of a row in bytes."""


class StoredFlat:
    """A segment's documents, passages and tables in a store, with the interface of `stores.flat.FlatReader`.

    Args:
        store: The store.
        segment: Its name.
        memory: Counts cached rows.

    Raises:
        IndexCorrupt: The segment is incomplete. Methods raise it for damaged and missing rows.
    """

    __slots__ = (
        "_ahead",
        "_documents",
        "_needs",
        "_passages",
        "_rows",
        "names",
        "need_words",
        "occurrences",
        "page_words",
        "passage_words",
    )

    def __init__(self, store: Store, segment: str, memory: _Memory) -> None:
        seal = store.rows(segment, "table", [store_rows.SEAL]).get(store_rows.SEAL)
        if seal is None:
            message = f"The segment {segment} in {store.name} is not whole."
            raise IndexCorrupt(message, hint=_REBUILD)
        self._rows: Mapping[str, int] = cast("Mapping[str, int]", seal.fields["rows"])
        self._documents = _Kept(store, segment, "document", store_rows.document_of, memory)
        self._passages = _Kept(store, segment, "passage", store_rows.passage_of, memory)
        self._needs = _Kept(store, segment, "need", store_rows.need_of, memory)
        texts = _Kept(store, segment, "text", store_rows.numbers_of, memory)
        names = _Kept(store, segment, "name", store_rows.numbers_of, memory)
        self._ahead = cast(
            "Mapping[Ahead, _Kept[object]]",
            {
                "document": self._documents,
                "passage": self._passages,
                "need": self._needs,
                "text": texts,
                "name": names,
            },
        )
        self.occurrences, self.names = _Lists(texts, self._rows["text"]), _Names(names)
        self.page_words, self.passage_words, self.need_words = (
            StoredPostings(_Kept(store, segment, kind, store_rows.postings_of, memory))
            for kind in store_rows.WORDS
        )

    def __len__(self) -> int:
        return self._rows["document"]

    def prefetch(self, kind: Ahead, numbers: Iterable[int]) -> None:
        """Read the rows that are needed next, all at once."""
        self._ahead[kind].several(numbers)

    def document(self, number: int) -> store_rows.StoredDocument:
        """A document's record."""
        return self._documents[number]

    def passage(self, number: int) -> store_rows.StoredPassage:
        """A passage's record."""
        if not self._passages.has(number):
            first = number - number % _TOGETHER
            self._passages.several(range(first, min(first + _TOGETHER, self._rows["passage"])))
        return self._passages[number]

    def need(self, number: int) -> tuple[int, str, tuple[int, ...], str]:
        """See `FlatReader.need`."""
        return self._needs[number]

    def strings(self, record: store_rows.StoredDocument) -> Strings:
        """A document's short fields."""
        key, fingerprint, reference, title, summary, names, links = json.loads(record.strings)
        return Strings(key, fingerprint, reference, title, summary, tuple(names), tuple(links))

    def text(self, record: store_rows.StoredDocument) -> str:
        """A document's whole text."""
        return record.text

    def words(self, record: store_rows.StoredDocument, passage: store_rows.StoredPassage) -> str:
        """A passage's words."""
        return record.text[passage.start : passage.end]

    def blocks(self, passage: store_rows.StoredPassage) -> tuple[Block, ...]:
        """See `FlatReader.blocks`."""
        return blocks_in(passage.outline)

    def label(self, label: str) -> str:
        """A heading path or anchor."""
        return label


class _Lists:
    """Lists of numbers by key, with the interface of `stores.flat.Groups`."""

    __slots__ = ("_count", "_kept")

    def __init__(self, kept: "_Kept[array[int]]", count: int) -> None:
        self._kept, self._count = kept, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, key: int) -> "array[int]":
        return self._kept[key]


class _Names:
    """Documents by the hash of a name, with the interface of `stores.flat.Names`."""

    __slots__ = ("_kept",)

    def __init__(self, kept: "_Kept[array[int]]") -> None:
        self._kept = kept

    def get(self, name: int) -> list[int]:
        """Return the documents with a hash, ascending."""
        return list(self._kept.get(name) or ())


class StoredPostings:
    """Postings in a store, one row per term, with the interface and the scores of `stores.flat.Postings`.

    The lists of a question's terms are read and summed here.
    """

    __slots__ = ("_kept",)

    def __init__(self, kept: "_Kept[tuple[array[int], array[int]]]") -> None:
        self._kept = kept

    def search(
        self, query: TermSteps, limit: int, among: Collection[int] | None = None, *, least: float = 0.0
    ) -> list[tuple[int, float]]:
        """See `stores.flat.Postings`."""
        return self._of(query.terms).search(query, limit, among, least=least)

    def weights(self, terms: Sequence[int], numbers: Collection[int]) -> list[dict[int, float]]:
        """See `stores.flat.Postings`."""
        return self._of(terms).weights(terms, numbers)

    def scores(self, query: TermSteps, numbers: Collection[int]) -> dict[int, float]:
        """See `stores.flat.Postings`."""
        return self._of(query.terms).scores(query, numbers)

    def _of(self, terms: Sequence[int]) -> Postings:
        found = self._kept.several(terms)
        return Postings.of({term: lists for term, lists in found.items() if lists and lists[0]})


class StoredVectors:
    """Vectors in a store, with the interface of `stores.flat.Vectors`, whose integers are used for exact comparison."""

    __slots__ = ("_kept", "_kind", "_segment", "_store")

    def __init__(self, store: Store, segment: str, kind: Kind, memory: _Memory) -> None:
        self._store, self._segment, self._kind = store, segment, kind
        self._kept = _Kept(store, segment, kind, bytes, memory)

    def nearest(
        self, vector: Sequence[float], limit: int, among: Collection[int] | None = None
    ) -> list[tuple[int, float]]:
        """See `stores.flat.Vectors`."""
        if limit < 1 or not any(vector):
            return []
        if among is None:
            among = self._store.nearest(self._segment, self._kind, vector, 3 * limit + 64)
        return self._of(vector, among).nearest(vector, limit)

    def nearness(self, vector: Sequence[float], numbers: Collection[int]) -> dict[int, float]:
        """See `stores.flat.Vectors`."""
        return self._of(vector, numbers).nearness(vector, numbers) if any(vector) else {}

    def _of(self, vector: Sequence[float], keys: Collection[int]) -> Vectors:
        found = {key: steps for key, steps in self._kept.several(keys).items() if steps is not None}
        if any(len(steps) != 2 * len(vector) for steps in found.values()):
            raise self._kept.damaged(f"a {self._kind} is not of {len(vector)} dimensions")
        return Vectors.of(found)


class StoredCounts:
    """A table of counts of a generation, with the interface of `stores.flat.Counts`. Parts are read on demand."""

    __slots__ = ("_firsts", "_parts", "_table")

    def __init__(self, parts: "_Kept[array[int]]", table: int) -> None:
        self._parts, self._table = parts, table
        self._firsts = parts[store_rows.part_of(table, 0)]

    def get(self, key: int) -> int:
        """Return the count of a key; 0 if it is missing."""
        part = bisect_right(self._firsts, key)
        if not part:
            return 0
        numbers = self._parts[store_rows.part_of(self._table, part)]
        half = len(numbers) // 2
        at = bisect_left(numbers, key, 0, half)
        return numbers[half + at] if at < half and numbers[at] == key else 0


class StoredGenerations:
    """The generations in a store, with the reading interface of `index.generations.Generations`.

    Args:
        store: The store.
    """

    __slots__ = ("_memory", "place", "store")

    def __init__(self, store: Store) -> None:
        self.store = store
        self.place = store.name
        self._memory = _Memory()

    def opening(self) -> AbstractContextManager[None]:
        """Start with an empty cache. If the generation is removed while it is opened, the newer one is opened instead."""
        self._memory = _Memory()
        return nullcontext()

    def current(self) -> Manifest:
        """Return the manifest of the current generation.

        Raises:
            IndexMissing: Nothing has been published.
            IndexCorrupt: The manifest cannot be read.
            StoreError: The store cannot be reached.
        """
        found = self.store.current()
        if found is None:
            message = f"{self.place} has no index yet."
            raise IndexMissing(message, hint="Build it, on the machine that indexes, with: ragadmin reindex")
        return Manifest.from_json(found.manifest, self.place)

    def is_current(self, manifest: Manifest) -> bool:
        """Return whether no newer generation has been published."""
        found = self.store.current()
        return found is not None and found.number == manifest.number

    def open_segment(self, info: SegmentInfo) -> Segment:
        """Open a segment for search."""
        vectors = {
            name: StoredVectors(self.store, info.name, kind, self._memory)
            for name, kind in store_rows.VECTORS.items()
        }
        flat = StoredFlat(self.store, info.name, self._memory)
        return Segment(
            info, cast("FlatReader", flat), cast("Mapping[str, Vectors]", vectors)
        )  # the like of them

    def statistics(self, manifest: Manifest) -> Statistics:
        """Open the statistics over all segments of a generation."""
        parts = _Kept(
            self.store, statistics_name(manifest.number), "table", store_rows.numbers_of, self._memory
        )
        terms = {method: StoredCounts(parts, table) for method, table in store_rows.TERMS.items()}
        common = [
            parts[store_rows.part_of(store_rows.COMMON, position)]
            for position in range(len(manifest.segments))
        ]
        links = StoredCounts(parts, store_rows.LINKS)
        return Statistics(
            cast("Mapping[Method, Counts]", terms), cast("Counts", links), cast("Groups", common)
        )


def statistics_name(number: int) -> str:
    """Return the segment name of the tables of a generation in a store."""
    return f"generation-{number:06d}"
