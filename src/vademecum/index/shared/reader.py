"""Search an index that is in an engine: the engine finds passages, and everything else is computed here, from their text.

For each question, the passages that the engine finds become a small segment of their own, in which the rest of the program
ranks and quotes them as if they were in files. Manual pages are searched in files: each machine has its own.
"""

import json
from bisect import bisect_left
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from operator import mul
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from vademecum.core.candidates import DocumentId, FoundNeed, PassageScore
from vademecum.core.engines import Engine, Item, Kind, Published, Query, Search
from vademecum.core.errors import IndexMissing
from vademecum.core.passages import DOCUMENT_STEPS, ITEM, QUESTION_STEPS, SECTION, SparseVector, Wording
from vademecum.core.word_counts import MARK, number_of
from vademecum.index.generations import Generations
from vademecum.index.manifest import Manifest, SegmentInfo
from vademecum.index.reader.index import Index
from vademecum.index.reader.scope import Limits
from vademecum.index.segments import Segment, Statistics
from vademecum.index.shared.contents import SEGMENT, contents_of, published_in
from vademecum.index.unit_vectors import EmbeddedUnits
from vademecum.retrieval.lexical import Window, bm25f, exact, weight_of
from vademecum.retrieval.meaning import NEED, PASSAGE
from vademecum.retrieval.methods import METHODS
from vademecum.stores.flat import FlatReader, Strings, in_steps
from vademecum.stores.flat.layout import DocumentRecord, PassageRecord
from vademecum.text.words import numbers_in
from vademecum.text.words import terms as terms_in

if TYPE_CHECKING:
    from vademecum.core.settings import Method

_MOST = 200
"""How many passages an engine that ranks by words of its own is asked for. Others rank by our weights."""

_MOST_NAMED, _TOGETHER, _MOST_TEXT = 2000, 100, 32_000_000
"""How many documents are in a filter, how many are read together, and the maximum size of cached ones in characters."""

_STEP = 1 / (DOCUMENT_STEPS * QUESTION_STEPS)


class _Documents:
    """Documents of an engine, cached. A document does not change: its key is a hash of its text."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[str, Item] = {}
        self._size = 0

    def read(self, keys: Iterable[str]) -> dict[str, Item]:
        """Return documents by key. Unknown ones are read together."""
        known, wanted = self._known, dict.fromkeys(keys)
        found = {key: known[key] for key in wanted if key in known}
        if len(found) < len(wanted):
            read = self._engine.read("document", [key for key in wanted if key not in found])
            self._size += sum(len(item.text("text")) for item in read.values())
            if self._size > _MOST_TEXT:
                self._known, self._size = {}, 0
            self._known.update(read)
            found |= read
        return found


class _Nothing:
    """Tables that only files have."""

    def get(self, _name: int) -> list[int]:
        return []

    def search(self, *_: object, **__: object) -> list[tuple[int, float]]:
        return []

    def scores(self, *_: object) -> dict[int, float]:
        return {}

    def weights(self, terms: Sequence[int], _numbers: Collection[int]) -> list[dict[int, float]]:
        return [{} for _ in terms]


class FoundFlat(FlatReader):
    """The documents and passages that were found for a question, with the interface of the files of a segment.

    The passages of a document have as many numbers as in files, whether they were found or not.
    """

    def __init__(
        self, documents: _Documents, read: "Callable[[Kind, Collection[str]], dict[str, Item]]"
    ) -> None:
        self._of_engine, self._read = documents, read
        self._keys: list[str] = []
        self._places: dict[str, int] = {}
        self._firsts: list[int] = []
        self._shown: list[Item] = []
        self._found: dict[int, Item] = {}
        self._records: dict[int, PassageRecord] = {}
        self._strings_of_labels: list[str] = [""]
        self._next = 0
        self.tasks: list[tuple[int, str, str]] = []
        self._adding = Lock()
        self.names = self.page_words = self.passage_words = self.need_words = _Nothing()  # type: ignore[assignment]

    def add(self, item: Item) -> tuple[int, int]:
        """Add a passage, or a document. Return the number of its document, and its own."""
        with self._adding:
            key = item.text("document")
            document = self._places.get(key)
            if document is None:
                document = self._places[key] = len(self._keys)
                self._keys.append(key)
                self._shown.append(item)
                self._firsts.append(self._next)
                self._next += max(1, item.number("passages"))
            number = self._firsts[document] + item.number("position")
            if item.kind == "passage" and number not in self._records:
                labels = len(self._strings_of_labels)
                self._strings_of_labels += [item.text("heading"), item.text("anchor"), item.text("outline")]
                start, end = item.number("start"), item.number("end")
                self._records[number] = PassageRecord(
                    document, start, end, start, 0, 0, labels, labels + 1, labels + 2, number, SECTION
                )
                self._found[number] = item
                tasks = json.loads(item.text("tasks") or "[]")
                self.tasks += [(document, text, line) for text, line in tasks]
            return document, number

    def key(self, number: int) -> str:
        """Return the key of a document."""
        return self._keys[number]

    def key_of(self, passage: int) -> str:
        """Return the key of a passage."""
        document = bisect_left(self._firsts, passage + 1) - 1
        return f"{self._keys[document]}:{passage - self._firsts[document]}"

    def __len__(self) -> int:
        return len(self._keys)

    def document(self, number: int) -> DocumentRecord:
        """See `FlatReader`."""
        item, first = self._shown[number], self._firsts[number]
        digest = bytes.fromhex(self._keys[number].rpartition(":")[2])
        weight = weight_of(item.text("reference"))
        return DocumentRecord(number, 0, 0, 0, first, item.number("passages"), 0, 0, weight, digest)

    def passage(self, number: int) -> PassageRecord:
        """See `FlatReader`. Passages that were not found are read with all of their document; entries of lists are empty."""
        if number not in self._records:
            document = max(0, bisect_left(self._firsts, number + 1) - 1)
            key, count = self._keys[document], self._shown[document].number("passages")
            for item in self._read("passage", [f"{key}:{at}" for at in range(count)]).values():
                self.add(item)
            with self._adding:
                for missing in range(self._firsts[document], self._firsts[document] + count):
                    empty = PassageRecord(document, 0, 0, 0, 0, 0, 0, 0, 0, missing, ITEM)
                    self._records.setdefault(missing, empty)
        return self._records[number]

    def strings(self, record: DocumentRecord) -> Strings:
        """See `FlatReader`."""
        found = self._whole(record)
        names, links = (tuple(filter(None, found.text(field).split("\n"))) for field in ("names", "links"))
        reference, title = found.text("reference"), found.text("title")
        return Strings(found.text("path"), "", reference, title, found.text("summary"), names, links)

    def text(self, record: DocumentRecord) -> str:
        """See `FlatReader`."""
        return self._whole(record).text("text")

    def words(self, record: DocumentRecord, passage: PassageRecord) -> str:
        """See `FlatReader`."""
        del record
        item = self._found.get(passage.text)
        return item.text("chunk_text") if item else ""

    def label(self, offset: int) -> str:
        """See `FlatReader`."""
        return self._strings_of_labels[offset]

    def is_within(self, limits: Limits, number: int) -> bool:
        """Return whether a document is within limits, without reading it."""
        return limits.allow(self._shown[number].text("reference"), self._shown[number].text("title"))

    def _whole(self, record: DocumentRecord) -> Item:
        key = self._keys[record.text_offset]
        found = self._of_engine.read([key]).get(key)
        if found is None:
            raise IndexMissing(f"The document {key} was removed from the index.", hint="Ask again.")
        return found


class FoundSegment(Segment):
    """The documents of a source that were found for a question."""

    __slots__ = ("cosines", "found")

    def __init__(self, info: SegmentInfo, documents: _Documents, engine: Engine) -> None:
        self.found = FoundFlat(documents, engine.read)
        super().__init__(info, self.found, {})
        self.cosines: dict[int, float] = {}

    def nearest(self, *_: object) -> list[tuple[int, float]]:
        """Find nothing: lines and needs are compared here."""
        return []

    def nearness(self, name: str, _: Sequence[float], numbers: Collection[int]) -> dict[int, float]:
        """Return the cosines of passages that the engine has computed."""
        return {
            number: self.cosines[number] for number in numbers if name == PASSAGE and number in self.cosines
        }


class SharedGenerations(Generations):
    """The generations of an index in an engine, with the manual pages of this machine, if it has an index of them."""

    __slots__ = ("_counts", "_listed", "_published", "documents", "engine")

    def __init__(self, engine: Engine, folder: Path) -> None:
        super().__init__(folder)
        self.engine, self.place = engine, engine.name
        self.documents = _Documents(engine)
        self._counts: tuple[str, Mapping[int, int]] = ("", {})
        self._published: dict[int, Published] = {}
        self._listed: tuple[tuple[object, ...], list[tuple[str, str, str]]] = ((), [])

    def current(self) -> Manifest:
        """Return the manifest of the current generation, with the manual pages of this machine."""
        return self._merged(*self._now())

    def _now(self) -> tuple[Published, Manifest | None]:
        with suppress(IndexMissing):
            return published_in(self.engine)[0], super().current()
        return published_in(self.engine)[0], None

    def _merged(self, published: Published, local: Manifest | None) -> Manifest:
        shared = contents_of(published, self.place).manifest(published.number)
        segments = tuple(info for info in shared.segments if info.method == "documents")
        if local is None:
            return shared._replace(segments=segments)
        own = tuple(info for info in local.segments if info.method == "manual-pages")
        names = {info.alias for info in own} | {entry.alias for entry in local.collections}
        sources = [entry for entry in local.sources if entry.alias in names]
        sources += [entry for entry in shared.sources if entry.alias not in names]
        totals = {**shared.totals, "manual-pages": local.totals["manual-pages"]}
        return shared._replace(segments=(*own, *segments), sources=tuple(sources), totals=totals)

    def is_current(self, manifest: Manifest) -> bool:
        """Return whether no newer generation has been published."""
        return self.current() == manifest

    def open_segment(self, info: SegmentInfo) -> Segment:
        """Open a segment of manual pages in files, or one of what will be found."""
        if info.name.startswith(SEGMENT):
            return FoundSegment(info, self.documents, self.engine)
        return super().open_segment(info)

    def statistics(self, manifest: Manifest) -> Statistics:
        """Return the statistics of a generation, whose running text is in the engine."""
        published, local = self._now()
        self.engine.epoch = published.epoch
        self._published[published.number] = published
        self._published.pop(published.number - 3, None)
        if self._counts[0] != published.manifest:
            found = self.engine.frequencies(published)
            self._counts = published.manifest, {term: count for term, (_, count) in found.items() if count}
        terms: dict[Method, Mapping[int, int]] = {"documents": self._counts[1], "manual-pages": {}}
        if local is None:
            return Statistics(terms, {}, ())
        own = super().statistics(local)
        places = {info.name: place for place, info in enumerate(local.segments)}
        common = [own.common[places[info.name]] for info in manifest.segments if info.name in places]
        return Statistics({**terms, "manual-pages": own.terms["manual-pages"]}, own.links, common)

    def tokens(self, generation: int, terms: Collection[int]) -> dict[int, str]:
        """Return the tokens of terms, if the engine searches for them."""
        published = self._published.get(generation)
        if published is None or not self.engine.by_tokens:
            return {}
        return {term: token for term, (token, _) in self.engine.frequencies(published, terms).items()}

    def listed(self, generation: int, aliases: Sequence[str]) -> list[tuple[str, str, str]]:
        """Return the key, reference and title of all documents of some sources. The last list is cached."""
        asked = (generation, *aliases)
        if self._listed[0] != asked:
            found = every(self.engine, Query(generation, kind="document", filters={"source_alias": aliases}))
            self._listed = asked, [(item.key, item.text("reference"), item.text("title")) for item in found]
        return self._listed[1]


def every(engine: Engine, query: Query) -> Iterator[Item]:
    """Yield all objects that a query without words and vector finds, in the order of their keys, without their texts."""
    while found := engine.find(query):
        yield from found
        if len(found) < query.limit:
            return
        query = query._replace(after=found[-1].key)


class SharedIndex(Index):
    """An index whose running text is in an engine. `fresh` gives the view that one question is asked of."""

    generations: SharedGenerations

    def __init__(self, manifest: Manifest, generations: SharedGenerations, **options: Any) -> None:
        super().__init__(manifest, generations, **options)
        self._units = EmbeddedUnits(None, {})

    def fresh(self) -> "Index":
        """Return a view of the index in which nothing has been found yet."""
        view = copy(self)
        shared = self.generations
        view.segments = [
            FoundSegment(segment.info, shared.documents, shared.engine)
            if isinstance(segment, FoundSegment)
            else segment
            for segment in self.segments
        ]
        view._carried, view._parts = {}, {}  # noqa: SLF001 - of this class
        return view

    def prefetch(self, places: Iterable[DocumentId]) -> None:
        """See `SearchIndex`."""
        by_segment = ((self.segments[place.segment], place.document) for place in places)
        found = [
            (segment.found, number) for segment, number in by_segment if isinstance(segment, FoundSegment)
        ]
        self.generations.documents.read(flat.key(number) for flat, number in found)

    def has_documents(self) -> bool:
        """See `Index`."""
        named = self.limits.documents and not self._named_documents()
        return (bool(self._shared()) and not named) or super().has_documents()

    def passages(self, query: SparseVector, limit: int) -> list[tuple[DocumentId, PassageScore]]:
        """See `SearchIndex`."""
        return self.searched([(query, limit)], (), 0)[0]

    def searched(
        self, queries: Sequence[tuple[SparseVector, int]], terms: Iterable[int], few: int
    ) -> list[list[tuple[DocumentId, PassageScore]]]:
        """See `SearchIndex`."""
        shared = self._shared()
        if not shared:
            return super().searched(queries, terms, few)
        weighed = [dict(zip(*exact(query), strict=True)) for query, _ in queries]
        tokens = self.generations.tokens(self.manifest.number, {term for of in weighed for term in of})
        first, *others = (limit for _, limit in queries)
        limits = [_MOST if self.generations.engine.by_tokens else first, *others]
        searches = [
            Search(weights, limit, {term: tokens[term] for term in weights if term in tokens})
            for weights, limit in zip(weighed, limits, strict=True)
            if weights
        ]
        are_few = sum(segment.info.passages for _, segment in shared) <= few
        vector = in_steps(self._embedding.table.embed_numbers(terms))
        query = Query(
            self.manifest.number,
            searches,
            vector if any(vector) else (),
            nearest=few if are_few else 0,
            filters=self._filters(),
        )
        found = self._added(self.generations.engine.find(query) if searches or are_few else [])
        every = [(of.place, PassageScore(of.number, SECTION, of.number, 0.0)) for of in found]
        return [
            *(
                self._with_local(self._best_of(found, weights), query, limit)
                for weights, (query, limit) in zip(weighed, queries, strict=True)
            ),
            every if are_few else [],
        ]

    def _with_local(
        self, found: list[tuple[DocumentId, PassageScore]], query: SparseVector, limit: int
    ) -> list[tuple[DocumentId, PassageScore]]:
        """Return the best of what was found in the engine, and in segments of records that were found for the question."""
        if query.terms and len(self._shared()) < len(self._searched()):
            found = [*found, *super().passages(query, limit)]
            found.sort(key=lambda pair: -pair[1].score)
        return found[:limit]

    def needs(self, query: SparseVector, vector: list[float], limit: int) -> list[FoundNeed]:
        """See `SearchIndex`. Of an engine, these are the tasks that the found passages show."""
        found, weights = super().needs(query, vector, limit), dict(zip(*exact(query), strict=True))
        for position, segment in self._shared():
            shown = [task for task in segment.found.tasks if self._found(position, task[0])]
            vectors = self._embedding.documents(NEED, [Wording(text, terms_in(text)) for _, text, _ in shown])
            for (document, text, line), own in zip(shown, vectors, strict=True):
                steps = bm25f([(numbers_in(text), METHODS["documents"].fields.need)])
                score = sum(step * weights.get(term, 0) for term, step in zip(*steps, strict=True)) * _STEP
                cosine = sum(map(mul, in_steps(own), in_steps(vector)))
                found.append(FoundNeed(DocumentId(position, document), text, (), score, cosine, line))
        return found

    def place(self, document: str) -> DocumentId | None:
        """See `Index`."""
        if found := super().place(document):
            return found
        alias = document.rpartition(":")[0]
        for position, segment in enumerate(self.segments):
            if segment.info.alias == alias and isinstance(segment, FoundSegment):
                item = self.generations.documents.read([document]).get(document)
                if item and item.is_seen(self.manifest.number):
                    return DocumentId(position, segment.found.add(item)[0])
        return None

    def places(self) -> Iterator[DocumentId]:
        """Yield the documents that may be found, those of the engine as they are listed."""
        for place in super().places():
            if not isinstance(self.segments[place.segment], FoundSegment):
                yield place
        listed = self._named_documents() if self._shared() else []
        for start in range(0, len(listed), _TOGETHER):
            self.generations.documents.read(listed[start : start + _TOGETHER])
            yield from filter(None, map(self.place, listed[start : start + _TOGETHER]))

    def _facts_key(self, place: DocumentId, passage: int) -> Hashable:
        segment = self.segments[place.segment]
        return (
            segment.found.key_of(passage) if isinstance(segment, FoundSegment) else (place.segment, passage)
        )

    def document_terms(self, place: DocumentId) -> frozenset[int]:
        """See `SearchIndex`."""
        segment = self.segments[place.segment]
        if not isinstance(segment, FoundSegment):
            return super().document_terms(place)
        key = segment.found.key(place.document)
        item = self.generations.documents.read([key]).get(key)
        return frozenset(map(number_of, item.text("terms").split())) if item else frozenset()

    def _shared(self) -> list[tuple[int, FoundSegment]]:
        """Return the segments of the engine that are searched."""
        return [(at, segment) for at, segment in self._searched() if isinstance(segment, FoundSegment)]

    def _aliases(self) -> list[str]:
        return [segment.info.alias for _, segment in self._shared()]

    def _found(self, position: int, document: int) -> bool:
        segment = self.segments[position]
        if isinstance(segment, FoundSegment):
            return not self.limits.are_of_documents or segment.found.is_within(self.limits, document)
        return super()._found(position, document)

    def _filters(self) -> dict[str, Collection[str]]:
        filters: dict[str, Collection[str]] = {"source_alias": self._aliases()}
        if self.limits.documents and len(named := self._named_documents()) <= _MOST_NAMED:
            filters["document"] = named
        return filters

    def _named_documents(self) -> list[str]:
        listed = self.generations.listed(self.manifest.number, self._aliases())
        return [key for key, reference, title in listed if self.limits.allow(reference, title)]

    def _added(self, items: Iterable[Item]) -> "list[_Passage]":
        """Add passages to their segments. Return those within the limits."""
        by_alias = {segment.info.alias: (position, segment) for position, segment in self._shared()}
        found = []
        for item in items:
            position, segment = by_alias[item.text("source_alias")]
            document, number = segment.found.add(item)
            if item.cosine is not None:
                segment.cosines[number] = item.cosine
            if self._found(position, document):
                found.append(_Passage(DocumentId(position, document), number, _window_of(item)))
        return found

    def _best_of(
        self, found: "Sequence[_Passage]", weights: Mapping[int, int]
    ) -> list[tuple[DocumentId, PassageScore]]:
        """Score passages by words as files do, and return those with any of them, best first."""
        scored = [(of.window.score(weights) * _STEP, of.place, of.number) for of in found]
        scored = [of for of in scored if of[0]]
        scored.sort(key=lambda of: (-of[0], self._id(*of[1]), of[2]))
        return [(place, PassageScore(number, SECTION, number, score)) for score, place, number in scored]


SharedGenerations.index_type = SharedIndex


class _Passage(NamedTuple):
    """A passage that was found."""

    place: DocumentId
    number: int
    window: Window


def _window_of(item: Item) -> Window:
    tokens, heading = item.text("terms").split(), item.text("heading_terms").split()
    body = next((at for at, token in enumerate(tokens) if token[0] == MARK), len(tokens))
    numbers = list(map(number_of, tokens))
    return Window(numbers[:body], list(map(number_of, heading)), numbers[body:], METHODS["documents"].fields)
