"""An index in a store: how segments and statistics become rows, and how they are read from there as if they were files.

Of a row `data` holds all that is read, little-endian. What was read is kept, within limits, since questions come
back to the same few documents and terms.
"""

import json
import sys
from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from struct import Struct
from struct import error as StructError  # noqa: N812 - a class, whatever its case
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar, cast

from vademecum.core.errors import IndexCorrupt, IndexMissing
from vademecum.core.passages import TermSteps
from vademecum.core.settings import Method
from vademecum.core.stores import Kind, Row, Store
from vademecum.library.manifest import Manifest, SegmentInfo
from vademecum.library.segments import Segment, Statistics
from vademecum.retrieval import meaning
from vademecum.stores.flat import Counts, FlatReader, Postings, Strings, Vectors

if TYPE_CHECKING:
    from vademecum.core.trace import Json
    from vademecum.stores.flat import Groups

_DOCUMENT = Struct("<IIIIII32s")
_PASSAGE = Struct("<IIIIIBII")
_NEED = Struct("<II")
_VECTORS: Mapping[str, Kind] = {meaning.LINE: "line", meaning.NEED: "need"}
_WORDS: tuple[Literal["page_words", "passage_words", "need_words"], ...] = (
    "page_words",
    "passage_words",
    "need_words",
)

_SEAL = 255
"""The table that is written last: a segment that has none is not whole."""

_TERMS, _TEXT_TERMS, _LINKS, _COMMON = range(4)
_TABLE_OF: Mapping[Method, int] = {"manual-pages": _TERMS, "documents": _TEXT_TERMS}
_CHUNK = 4096
"""Entries of a table of counts in one row."""

_KEPT = 8192
"""Rows of a kind that are kept."""

_TOGETHER = 32
"""Passages that are read at once: those of a document are neighbours."""

_KEPT_POSTINGS = 4_000_000
"""Postings that are kept, 6 bytes each."""

_REBUILD = "Build it anew, on the machine that indexes, with: ragadmin reindex --full"


Value = TypeVar("Value")


class StoredDocument(NamedTuple):
    """A document's record, with its text and short fields."""

    first_passage: int
    passages: int
    first_need: int
    needs: int
    weight: int
    digest: bytes
    strings: str
    text: str


class StoredPassage(NamedTuple):
    """A passage's record, as `stores.flat.PassageRecord`, with its labels in place of their offsets."""

    document: int
    start: int
    end: int
    tag_end: int
    text: int
    kind: int
    heading: str
    anchor: str


def segment_rows(segment: Segment) -> Iterator[tuple[Kind, Iterator[Row]]]:
    """All rows of a segment, kind by kind, the seal last."""
    flat = segment.flat
    counted: dict[str, int] = {}

    def counting(kind: Kind, rows: Iterable[Row]) -> tuple[Kind, Iterator[Row]]:
        counted[kind] = 0

        def counted_rows() -> Iterator[Row]:
            for row in rows:
                counted[kind] += 1
                yield row

        return kind, counted_rows()

    yield counting(
        "document", (_document_row(flat, number, segment.info.alias) for number in range(len(flat)))
    )
    yield counting("passage", (_passage_row(flat, number) for number in range(segment.info.passages)))
    yield counting(
        "text", (Row(text, {}, _packed("I", flat.occurrences[text])) for text in range(len(flat.occurrences)))
    )
    yield counting("line", (Row(number, {}, b"", vector) for number, vector in segment.vectors(meaning.LINE)))
    yield counting("need", _need_rows(segment))
    yield counting(
        "name", (Row(hashed, {}, _packed("I", documents)) for hashed, documents in flat.names.each())
    )
    for kind in _WORDS:
        postings: Postings = getattr(flat, kind)
        yield counting(
            kind,
            (
                Row(term, {}, _packed("I", numbers) + _packed("H", steps))
                for term, numbers, steps in postings.each()
            ),
        )
    yield "table", iter([Row(_SEAL << 24, {"rows": dict(counted), "alias": segment.info.alias})])


def statistics_rows(statistics: Statistics) -> Iterator[Row]:
    """The rows of a generation's own tables."""
    for method, table in _TABLE_OF.items():
        yield from _counts_rows(table, statistics.terms[method])
    yield from _counts_rows(_LINKS, statistics.links)
    for position in range(len(statistics.common)):
        yield Row(_COMMON << 24 | position, {}, _packed("I", statistics.common[position]))


def _document_row(flat: FlatReader, number: int, alias: str) -> Row:
    record = flat.document(number)
    strings = flat.strings(record)
    listed = json.dumps(strings).encode()
    head = _DOCUMENT.pack(
        record.first_passage,
        record.passages,
        record.first_need,
        record.needs,
        record.weight,
        len(listed),
        record.digest,
    )
    fields: dict[str, Json] = {
        "source_alias": alias,
        "reference": _plain(strings.reference),
        "title": _plain(strings.title),
        "summary": _plain(strings.summary),
        "digest": record.digest.hex(),
    }
    return Row(number, fields, head + listed + flat.text(record).encode("utf-8", "surrogatepass"))


def _passage_row(flat: FlatReader, number: int) -> Row:
    found = flat.passage(number)
    heading, anchor = flat.label(found.heading).encode(), flat.label(found.anchor).encode()
    head = _PASSAGE.pack(
        found.document,
        found.start,
        found.end,
        found.tag_end,
        found.text,
        found.kind,
        len(heading),
        len(anchor),
    )
    return Row(number, {}, head + heading + anchor)


def _need_rows(segment: Segment) -> Iterator[Row]:
    vectors = dict(segment.vectors(meaning.NEED))
    for record in map(segment.flat.document, range(len(segment.flat))):
        for number in range(record.first_need, record.first_need + record.needs):
            document, text, passages = segment.flat.need(number)
            data = _NEED.pack(document, len(passages)) + _packed("I", passages) + text.encode()
            yield Row(number, {"text": _plain(text)}, data, vectors.get(number, ()))


def _counts_rows(table: int, counts: Counts) -> Iterator[Row]:
    """A directory of each chunk's first key, and the chunks: keys, then numbers."""
    pairs = iter(counts.items())
    firsts: list[int] = []
    while chunk := list(islice(pairs, _CHUNK)):
        firsts.append(chunk[0][0])
        keys, values = zip(*chunk, strict=True)
        yield Row(table << 24 | len(firsts), {}, _packed("I", keys) + _packed("I", values))
    yield Row(table << 24, {}, _packed("I", firsts))


class _Kept(Generic[Value]):
    """Rows of one kind of one segment, decoded; those that were read last are kept.

    Args:
        store: Where they are.
        segment: Its name.
        kind: Their kind.
        decode: What makes a value of a row's data.
    """

    __slots__ = ("_decode", "_kind", "_known", "_segment", "_store")

    def __init__(self, store: Store, segment: str, kind: Kind, decode: Callable[[bytes], Value]) -> None:
        self._store, self._segment, self._kind, self._decode = store, segment, kind, decode
        self._known: dict[int, Value | None] = {}

    def fetch(self, keys: Iterable[int]) -> None:
        """Read what of these is not known yet, at once."""
        missing = [key for key in keys if key not in self._known]
        if not missing:
            return
        if len(self._known) + len(missing) > _KEPT:
            self._known.clear()
        found = self._store.rows(self._segment, self._kind, missing)
        for key in missing:
            self._known[key] = self._decoded(found[key]) if key in found else None

    def has(self, key: int) -> bool:
        """Whether a key was read, and is kept."""
        return key in self._known

    def get(self, key: int) -> Value | None:
        """The value of a key; None where there is no such row."""
        if key not in self._known:
            self.fetch([key])
        return self._known[key]

    def __getitem__(self, key: int) -> Value:
        found = self.get(key)
        if found is None:
            raise self._damaged(f"{self._kind} {key} is missing")
        return found

    def _decoded(self, row: Row) -> Value:
        try:
            return self._decode(row.data)
        except (StructError, ValueError, IndexError, TypeError) as error:
            raise self._damaged(f"{self._kind} {row.key}: {error}") from error

    def _damaged(self, what: str) -> IndexCorrupt:
        message = f"The segment {self._segment} in {self._store.name} is damaged ({what})."
        return IndexCorrupt(message, hint=_REBUILD)


class StoredFlat:
    """A segment's documents, passages and tables in a store; as `stores.flat.FlatReader`.

    Args:
        store: Where it is.
        segment: Its name.

    Raises:
        IndexCorrupt: It is not whole; also by every method that finds a row damaged or missing.
    """

    __slots__ = (
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

    def __init__(self, store: Store, segment: str) -> None:
        seal = store.rows(segment, "table", [_SEAL << 24]).get(_SEAL << 24)
        if seal is None:
            message = f"The segment {segment} in {store.name} is not whole."
            raise IndexCorrupt(message, hint=_REBUILD)
        self._rows: Mapping[str, int] = cast("Mapping[str, int]", seal.fields["rows"])
        self._documents = _Kept(store, segment, "document", _document)
        self._passages = _Kept(store, segment, "passage", _passage)
        self._needs = _Kept(store, segment, "need", _need)
        self.occurrences = _Lists(_Kept(store, segment, "text", _numbers), self._rows["text"])
        self.names = _Names(_Kept(store, segment, "name", _numbers))
        self.page_words = StoredPostings(store, segment, "page_words")
        self.passage_words = StoredPostings(store, segment, "passage_words")
        self.need_words = StoredPostings(store, segment, "need_words")

    def __len__(self) -> int:
        return self._rows["document"]

    def prefetch(self, kind: Literal["document", "passage", "text"], numbers: Iterable[int]) -> None:
        """Read what will be asked for next, at once."""
        if kind == "document":
            self._documents.fetch(numbers)
        elif kind == "passage":
            self._passages.fetch(numbers)
        else:
            self.occurrences.fetch(numbers)

    def document(self, number: int) -> StoredDocument:
        """A document's record."""
        return self._documents[number]

    def passage(self, number: int) -> StoredPassage:
        """A passage's record."""
        if not self._passages.has(number):
            first = number - number % _TOGETHER
            self._passages.fetch(range(first, min(first + _TOGETHER, self._rows["passage"])))
        return self._passages[number]

    def need(self, number: int) -> tuple[int, str, tuple[int, ...]]:
        """A need: its document, its text, and the numbers of the passages that meet it."""
        return self._needs[number]

    def strings(self, record: StoredDocument) -> Strings:
        """A document's short fields."""
        *single, names, links = json.loads(record.strings)
        key, fingerprint, reference, title, summary = single
        return Strings(key, fingerprint, reference, title, summary, tuple(names), tuple(links))

    def text(self, record: StoredDocument) -> str:
        """A document's whole text."""
        return record.text

    def words(self, record: StoredDocument, passage: StoredPassage) -> str:
        """A passage's words."""
        return record.text[passage.start : passage.end]

    def label(self, label: str) -> str:
        """A heading path or anchor."""
        return label


class _Lists:
    """Lists of numbers, by key; as `stores.flat.Groups`."""

    __slots__ = ("_count", "_kept")

    def __init__(self, kept: "_Kept[array[int]]", count: int) -> None:
        self._kept, self._count = kept, count

    def __len__(self) -> int:
        return self._count

    def fetch(self, keys: Iterable[int]) -> None:
        """Read the lists of several keys at once."""
        self._kept.fetch(keys)

    def __getitem__(self, key: int) -> "array[int]":
        return self._kept[key]


class _Names:
    """The documents of a name's hash; as `stores.flat.Names`."""

    __slots__ = ("_kept",)

    def __init__(self, kept: "_Kept[array[int]]") -> None:
        self._kept = kept

    def get(self, name: int) -> list[int]:
        """The documents of a hash, ascending."""
        return list(self._kept.get(name) or ())


class StoredPostings:
    """Postings in a store, a row a term; as `stores.flat.Postings`, whose scores they have.

    The lists of a question's terms are read and added up here.
    """

    __slots__ = ("_count", "_kind", "_lists", "_segment", "_store")

    def __init__(self, store: Store, segment: str, kind: Kind) -> None:
        self._store, self._segment, self._kind = store, segment, kind
        self._lists: dict[int, tuple[array[int], array[int]]] = {}
        self._count = 0

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
        missing = [term for term in terms if term not in self._lists]
        if missing:
            if self._count > _KEPT_POSTINGS:
                self._lists, self._count, missing = {}, 0, list(terms)
            found = self._store.rows(self._segment, self._kind, missing)
            for term in missing:
                data = found[term].data if term in found else b""
                count, rest = divmod(len(data), 6)
                if rest:
                    message = (
                        f"The segment {self._segment} in {self._store.name} is damaged ({self._kind} {term})."
                    )
                    raise IndexCorrupt(message, hint=_REBUILD)
                self._lists[term] = _unpacked("I", data[: 4 * count]), _unpacked("H", data[4 * count :])
                self._count += count
        return Postings.of({term: self._lists[term] for term in terms if len(self._lists[term][0])})


class StoredVectors:
    """Vectors in a store; as `stores.flat.Vectors`, by whose whole numbers they are compared exactly."""

    __slots__ = ("_kind", "_segment", "_store")

    def __init__(self, store: Store, segment: str, kind: Kind) -> None:
        self._store, self._segment, self._kind = store, segment, kind

    def nearest(
        self, vector: Sequence[float], limit: int, among: Collection[int] | None = None
    ) -> list[tuple[int, float]]:
        """See `stores.flat.Vectors`."""
        if limit < 1 or not any(vector):
            return []
        keys = (
            self._store.nearest(self._segment, self._kind, vector, 3 * limit + 64) if among is None else among
        )
        return self._of(vector, keys).nearest(vector, limit)

    def nearness(self, vector: Sequence[float], numbers: Collection[int]) -> dict[int, float]:
        """See `stores.flat.Vectors`."""
        return self._of(vector, numbers).nearness(vector, numbers) if any(vector) else {}

    def _of(self, vector: Sequence[float], keys: Collection[int]) -> Vectors:
        found = self._store.rows(self._segment, self._kind, keys)
        return Vectors.of({key: row.vector for key, row in found.items() if row.vector}, len(vector))


class StoredCounts:
    """A table of counts of a generation; as `stores.flat.Counts`. A part is read when a key in it is asked for."""

    __slots__ = ("_chunks", "_firsts", "_table")

    def __init__(self, chunks: "_Kept[array[int]]", table: int) -> None:
        self._chunks, self._table = chunks, table
        self._firsts = chunks[table << 24]

    def get(self, key: int) -> int:
        """The number of a key, 0 where it is not in the table."""
        chunk = bisect_right(self._firsts, key)
        if not chunk:
            return 0
        numbers = self._chunks[self._table << 24 | chunk]
        half = len(numbers) // 2
        at = bisect_right(numbers, key, 0, half) - 1
        return numbers[half + at] if at >= 0 and numbers[at] == key else 0


class StoredGenerations:
    """The generations in a store; as `library.generations.Generations` for those who read.

    Args:
        store: Which.
    """

    __slots__ = ("place", "store")

    def __init__(self, store: Store) -> None:
        self.store = store
        self.place = store.name

    def opening(self) -> AbstractContextManager[None]:
        """What is current may be swept away while it is opened; then the newer one is opened."""
        return nullcontext()

    def current(self) -> Manifest:
        """The current generation.

        Raises:
            IndexMissing: Nothing was published.
            IndexCorrupt: The manifest cannot be read.
            StoreError: The store cannot be reached.
        """
        found = self.store.current()
        if found is None:
            message = f"There is no index in {self.place} yet."
            raise IndexMissing(message, hint="Build it, on the machine that indexes, with: ragadmin reindex")
        return Manifest.from_json(found.manifest, self.place)

    def is_current(self, manifest: Manifest) -> bool:
        """Whether no newer generation has been published."""
        found = self.store.current()
        return found is not None and found.number == manifest.number

    def open_segment(self, info: SegmentInfo) -> Segment:
        """Open a segment for search."""
        vectors = {name: StoredVectors(self.store, info.name, kind) for name, kind in _VECTORS.items()}
        flat = StoredFlat(self.store, info.name)
        return Segment(
            info, cast("FlatReader", flat), cast("Mapping[str, Vectors]", vectors)
        )  # the like of them

    def statistics(self, manifest: Manifest) -> Statistics:
        """What a generation knows of all its segments together."""
        chunks = _Kept(self.store, statistics_name(manifest.number), "table", _numbers)
        terms = {method: StoredCounts(chunks, table) for method, table in _TABLE_OF.items()}
        common = [chunks[_COMMON << 24 | position] for position in range(len(manifest.segments))]
        links = StoredCounts(chunks, _LINKS)
        return Statistics(
            cast("Mapping[Method, Counts]", terms), cast("Counts", links), cast("Groups", common)
        )


def statistics_name(number: int) -> str:
    """Under which the tables of a generation are in a store, as if they were a segment."""
    return f"generation-{number:06d}"


def is_whole(store: Store, segment: str) -> bool:
    """Whether a segment was written to its end."""
    return bool(store.rows(segment, "table", [_SEAL << 24]))


def _document(data: bytes) -> StoredDocument:
    first_passage, passages, first_need, needs, weight, length, digest = _DOCUMENT.unpack_from(data)
    start = _DOCUMENT.size
    strings, text = (
        data[start : start + length].decode(),
        data[start + length :].decode("utf-8", "surrogatepass"),
    )
    return StoredDocument(first_passage, passages, first_need, needs, weight, digest, strings, text)


def _passage(data: bytes) -> StoredPassage:
    *numbers, heading, anchor = _PASSAGE.unpack_from(data)
    start = _PASSAGE.size
    labels = data[start : start + heading], data[start + heading : start + heading + anchor]
    return StoredPassage(*numbers, *(label.decode() for label in labels))


def _need(data: bytes) -> tuple[int, str, tuple[int, ...]]:
    document, count = _NEED.unpack_from(data)
    end = _NEED.size + 4 * count
    return document, data[end:].decode(), tuple(_unpacked("I", data[_NEED.size : end]))


def _numbers(data: bytes) -> "array[int]":
    return _unpacked("I", data)


def _packed(code: Literal["I", "H"], numbers: Iterable[int]) -> bytes:
    packed = array(code, numbers)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _unpacked(code: Literal["I", "H"], data: bytes) -> "array[int]":
    numbers = array(code)
    numbers.frombytes(data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _plain(text: str) -> str:
    """A text as any server takes it: without NUL and lone surrogates."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()
