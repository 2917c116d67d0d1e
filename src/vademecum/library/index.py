"""An open generation: all its segments searched as one."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from math import inf
from operator import itemgetter
from threading import Thread
from typing import NamedTuple

from vademecum.core.candidates import Page, PassageScore, Place
from vademecum.core.errors import IndexCorrupt, IndexStale, StoreError
from vademecum.core.passages import SparseVector
from vademecum.library.generations import Generations
from vademecum.library.manifest import Manifest, SegmentInfo
from vademecum.library.segments import Segment, check_sizes
from vademecum.providers.builtin import WordTable
from vademecum.retrieval import rules
from vademecum.retrieval.lexical import exact
from vademecum.stores.edge import EdgeReader
from vademecum.stores.flat import Counts, Groups, name_hash

_TRIES = 50
"""How often an index that is replaced while it is being opened is opened again."""


class _Found(NamedTuple):
    """A document or passage that a hit stands for; of a document `number` is 0."""

    score: float
    place: Place
    kind: int
    hit: int
    number: int


_Search = Callable[[EdgeReader, int], list[tuple[int, float]]]
_Expand = Callable[[float, int, int], list[_Found]]


class Index:
    """One generation, open for reading. It goes on working when a newer one is published.

    Args:
        manifest: The generation.
        generations: Where it is.

    Raises:
        FileNotFoundError: A newer generation has swept it away meanwhile.
        IndexCorrupt: It can not be read, or likewise.
        IndexStale: It was built by other rules; its numbers can not be compared with a question's.
    """

    def __init__(self, manifest: Manifest, generations: Generations) -> None:
        self.manifest = manifest
        folder = generations.generation(manifest.number)
        check_sizes(folder, manifest.files)
        self._terms = Counts(folder / "terms.bin")
        self._links = Counts(folder / "links.bin")
        self._common = Groups(folder / "common.bin")
        self._table = WordTable()
        made_by = f"{rules.NAME} {self._table.name}"
        if not all(info.recipe.endswith(made_by) for info in manifest.segments):
            message = "The index was built by other rules, or with another word table, than this version's."
            raise IndexStale(message, hint="Bring it up to date with: ragadmin reindex")
        self.segments = _opened(manifest, generations)

    def frequency(self, term: int) -> int:
        """See `SearchIndex`."""
        return self._terms.get(term)

    def total(self) -> int:
        """See `SearchIndex`."""
        return self.manifest.total

    def named(self, name: str) -> list[Place]:
        """See `SearchIndex`."""
        hashed = name_hash(name)
        found = []
        for position, segment in enumerate(self.segments):
            for document in segment.flat.names.get(hashed):
                strings = segment.flat.strings(segment.flat.document(document))
                lowered = name.lower()
                if document not in segment.dead and any(
                    lowered in {one.lower(), one.lower().partition("(")[0]} for one in strings.names
                ):
                    found.append((strings.reference, self._id(position, document), Place(position, document)))
        return [place for _, _, place in sorted(found)]

    def pages(self, query: SparseVector, limit: int) -> list[tuple[Place, float]]:
        """See `SearchIndex`."""
        query = exact(query)
        found = self._best(lambda edge, count: edge.pages(query, count), self._alive, limit)
        return [(one.place, one.score) for one in found]

    def passages(self, query: SparseVector, limit: int) -> list[tuple[Place, PassageScore]]:
        """See `SearchIndex`."""
        query = exact(query)
        found = self._best(lambda edge, count: edge.passages(query, count), self._carriers, limit)
        return [(one.place, PassageScore(one.number, one.kind, one.hit, one.score)) for one in found]

    def embed(self, terms: Iterable[str]) -> list[float]:
        """See `SearchIndex`."""
        return self._table.embed(terms)

    def nearest(self, meaning: str, vector: list[float], limit: int) -> list[tuple[Place, float]]:
        """See `SearchIndex`."""
        found = self._best(lambda edge, count: edge.nearest(meaning, vector, count), self._alive, limit)
        return [(one.place, one.score) for one in found]

    def _best(self, search: _Search, expand: _Expand, limit: int) -> list[_Found]:
        """The best of what the hits of all segments stand for, ties by document id, whatever segment it is in.

        Of each segment some more hits than `limit` are looked at, since not all stand for something, and ever
        more while what comes next might still belong among the best.
        """
        if limit < 1:
            return []
        count = limit + limit // 4 + 8
        while True:
            hits: list[tuple[float, int, int]] = []
            known_above = -inf
            for position, segment in enumerate(self.segments):
                of_segment = search(segment.edge, count)
                hits += [(score, position, hit) for hit, score in of_segment]
                if len(of_segment) == count:
                    known_above = max(known_above, of_segment[-1][1])
            hits.sort(key=itemgetter(0), reverse=True)
            found = _first(hits, known_above, expand, limit)
            if found is not None:
                found.sort(key=lambda one: (-one.score, self._id(*one.place), one.number))
                return found[:limit]
            count *= 2

    def _alive(self, score: float, position: int, document: int) -> list[_Found]:
        if document in self.segments[position].dead:
            return []
        return [_Found(score, Place(position, document), 0, document, 0)]

    def _carriers(self, score: float, position: int, text: int) -> list[_Found]:
        """The live passages that carry a text; none for a text that too many documents share."""
        common = self._common[position]
        at = bisect_left(common, text)
        if at < len(common) and common[at] == text:
            return []
        flat, dead = self.segments[position].flat, self.segments[position].dead
        found = []
        for number in flat.occurrences[text]:
            passage = flat.passage(number)
            if passage.document not in dead:
                found.append(_Found(score, Place(position, passage.document), passage.kind, text, number))
        return found

    def _id(self, segment: int, document: int) -> tuple[str, bytes]:
        """What names a document in whatever segment it is: its alias and digest."""
        opened = self.segments[segment]
        return opened.info.alias, opened.flat.document(document).digest

    def nearness(self, meaning: str, vector: list[float], places: Sequence[Place]) -> list[float]:
        """See `SearchIndex`."""
        found = {s: self.segments[s].edge.nearness(meaning, vector, n) for s, n in self._by_segment(places)}
        return [found[place.segment].get(place.document, 0.0) for place in places]

    def page(self, place: Place) -> Page:
        """See `SearchIndex`."""
        flat = self.segments[place.segment].flat
        record = flat.document(place.document)
        strings = flat.strings(record)
        linked = max((self._links.get(name_hash(name)) for name in strings.names), default=0)
        return Page(
            reference=strings.reference,
            names=strings.names,
            summary=strings.summary,
            links=strings.links,
            first_passage=record.first_passage,
            passages=record.passages,
            linked=linked,
        )

    def passage_text(self, place: Place, passage: int) -> str:
        """See `SearchIndex`."""
        flat = self.segments[place.segment].flat
        return flat.words(flat.document(place.document), flat.passage(passage))

    def page_terms(self, places: Sequence[Place], terms: Sequence[int]) -> list[list[float]]:
        """See `SearchIndex`."""
        by_segment = self._by_segment(places)
        return self._terms_of(
            places, terms, {s: self.segments[s].edge.page_terms(n, terms) for s, n in by_segment}
        )

    def passage_terms(self, texts: Sequence[tuple[int, int]], terms: Sequence[int]) -> list[list[float]]:
        """See `SearchIndex`."""
        by_segment = self._by_segment(texts)
        return self._terms_of(
            texts, terms, {s: self.segments[s].edge.passage_terms(n, terms) for s, n in by_segment}
        )

    @staticmethod
    def _by_segment(places: Iterable[tuple[int, int]]) -> list[tuple[int, list[int]]]:
        grouped: dict[int, list[int]] = {}
        for segment, number in places:
            grouped.setdefault(segment, []).append(number)
        return list(grouped.items())

    @staticmethod
    def _terms_of(
        places: Sequence[tuple[int, int]], terms: Sequence[int], found: dict[int, list[dict[int, float]]]
    ) -> list[list[float]]:
        columns = range(len(terms))
        return [[found[segment][column].get(number, 0.0) for column in columns] for segment, number in places]


def _first(
    hits: Iterable[tuple[float, int, int]], known_above: float, expand: _Expand, limit: int
) -> list[_Found] | None:
    """What the first hits stand for, until there is enough and all that scores as much as the last of it.

    `None` if that depends on hits that are not among those given, which are all with more than `known_above`.
    """
    found: list[_Found] = []
    for score, position, hit in hits:
        if len(found) >= limit and score < found[limit - 1].score:
            return found
        if score <= known_above:
            return None
        found += expand(score, position, hit)
    return found


def _opened(manifest: Manifest, generations: Generations) -> list[Segment]:
    """The segments, each opened by a thread of its own: the engine lets go of the interpreter meanwhile."""
    found: dict[int, Segment] = {}
    faults: list[BaseException] = []

    def open_one(position: int, info: SegmentInfo) -> None:
        try:
            found[position] = Segment(generations.segment(info.name), info)
        except BaseException as fault:  # noqa: BLE001 - raised again below, in the thread that asked
            faults.append(fault)

    threads = [Thread(target=open_one, args=numbered) for numbered in enumerate(manifest.segments)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return [found[position] for position in range(len(threads))]


def open_index(generations: Generations) -> Index:
    """Open the current generation.

    One that is replaced meanwhile may have been swept away in part, so the newer one is opened instead.

    Raises:
        IndexMissing: Nothing has been built.
        IndexCorrupt: The index can not be read.
        IndexStale: It was built by other rules than this version's.
    """
    for _ in range(_TRIES):
        manifest = generations.current()
        try:
            index = Index(manifest, generations)
        except (OSError, IndexCorrupt) as error:
            if not generations.is_current(manifest):
                continue
            if isinstance(error, IndexCorrupt):
                raise
            message = f"A part of the index can not be read: {error}"
            raise IndexCorrupt(message, hint="Build it anew with: ragadmin reindex --full") from error
        if generations.is_current(manifest):
            return index
    message = f"The index in {generations.folder} was replaced {_TRIES} times while it was being opened."
    raise StoreError(message, hint="Try again when it is not being written all the time.")
