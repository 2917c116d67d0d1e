"""An open generation: all its segments searched as one."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

from vademecum.core.candidates import Page, PassageScore, Place
from vademecum.core.errors import IndexCorrupt, StoreError
from vademecum.core.passages import SparseVector
from vademecum.library.generations import Generations
from vademecum.library.manifest import Manifest
from vademecum.library.segments import Segment, check_sizes
from vademecum.providers.builtin import WordTable
from vademecum.retrieval.lexical import exact
from vademecum.stores.edge import EdgeReader
from vademecum.stores.flat import Counts, Groups, name_hash

_TRIES = 50
"""How often an index that is replaced while it is being opened is opened again."""


_DocumentId = tuple[str, bytes]


class Index:
    """One generation, open for reading. It goes on working when a newer one is published.

    Args:
        manifest: The generation.
        generations: Where it is.

    Raises:
        FileNotFoundError: A newer generation has swept it away meanwhile.
        IndexCorrupt: It can not be read, or likewise.
    """

    def __init__(self, manifest: Manifest, generations: Generations) -> None:
        self.manifest = manifest
        folder = generations.generation(manifest.number)
        check_sizes(folder, manifest.files)
        self._terms = Counts(folder / "terms.bin")
        self._links = Counts(folder / "links.bin")
        self._common = Groups(folder / "common.bin")
        self._table = WordTable()
        self.segments = [Segment(generations.segment(info.name), info) for info in manifest.segments]

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
        return self._best_documents(lambda edge, count: edge.pages(query, count), limit)

    def passages(self, query: SparseVector, limit: int) -> list[tuple[Place, PassageScore]]:
        """See `SearchIndex`."""
        query = exact(query)
        found: list[tuple[float, _DocumentId, int, Place, PassageScore]] = []
        for position, segment in enumerate(self.segments):
            common = self._common[position]

            def carriers(text: int, segment: Segment = segment, common: memoryview = common) -> list[int]:
                if _holds(common, text):
                    return []
                numbers = segment.flat.occurrences[text]
                return [
                    number for number in numbers if segment.flat.passage(number).document not in segment.dead
                ]

            for number, text, score in _best(partial(segment.edge.passages, query), carriers, limit):
                passage = segment.flat.passage(number)
                scored = PassageScore(number, passage.kind, text, score)
                place = Place(position, passage.document)
                found.append((-score, self._id(*place), number, place, scored))
        found.sort(key=lambda one: one[:3])
        return [(place, scored) for *_, place, scored in found[:limit]]

    def embed(self, terms: Iterable[str]) -> list[float]:
        """See `SearchIndex`."""
        return self._table.embed(terms)

    def nearest(self, meaning: str, vector: list[float], limit: int) -> list[tuple[Place, float]]:
        """See `SearchIndex`."""
        return self._best_documents(lambda edge, count: edge.nearest(meaning, vector, count), limit)

    def _best_documents(
        self, search: Callable[[EdgeReader, int], list[tuple[int, float]]], limit: int
    ) -> list[tuple[Place, float]]:
        """The best live documents of all segments, ties by document id, whichever segment they are in."""
        found: list[tuple[float, _DocumentId, int, Place]] = []
        for position, segment in enumerate(self.segments):

            def alive(document: int, dead: AbstractSet[int] = segment.dead) -> list[int]:
                return [] if document in dead else [document]

            for document, _, score in _best(partial(search, segment.edge), alive, limit):
                found.append((-score, self._id(position, document), document, Place(position, document)))
        found.sort(key=lambda one: one[:3])
        return [(place, -negative) for negative, _, _, place in found[:limit]]

    def _id(self, segment: int, document: int) -> _DocumentId:
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


def _best(
    search: Callable[[int], list[tuple[int, float]]], expand: Callable[[int], list[int]], limit: int
) -> list[tuple[int, int, float]]:
    """What the best hits of one segment expand to, as (number, hit, score), best first.

    At least `limit` of them if there are so many, and all that score as much as the last of these: which of
    them count is for the caller to say.
    """
    count = limit + limit // 4 + 8
    while True:
        hits = search(count)
        found = [(number, hit, score) for hit, score in hits for number in expand(hit)]
        if len(hits) < count or limit < 1 or (len(found) >= limit and hits[-1][1] < found[limit - 1][2]):
            return found
        count *= 2


def _holds(ascending: memoryview, number: int) -> bool:
    position = bisect_left(ascending, number)
    return position < len(ascending) and ascending[position] == number


def open_index(generations: Generations) -> Index:
    """Open the current generation.

    One that is replaced meanwhile may have been swept away in part, so the newer one is opened instead.

    Raises:
        IndexMissing: Nothing has been built.
        IndexCorrupt: The index can not be read.
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
