"""An open generation, which searches all of its segments as one."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from heapq import nlargest
from itertools import groupby
from math import inf
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, NamedTuple

from vademecum.core.candidates import DocumentId, FoundNeed, Page, PassageFacts, PassageScore, UnitNearness
from vademecum.core.errors import IndexStale, ProviderError, StoreError
from vademecum.core.passages import DOCUMENT_STEPS, QUESTION_STEPS, WHOLE, SparseVector, Wording
from vademecum.core.settings import EmbedderName, Method
from vademecum.index.embedding import Embedding
from vademecum.index.manifest import Manifest
from vademecum.index.reader.scope import Allowed, Limits
from vademecum.index.segments import Segment
from vademecum.index.unit_vectors import EmbeddedUnits
from vademecum.retrieval.english import english
from vademecum.retrieval.lexical import exact, rarity
from vademecum.retrieval.methods import method_of
from vademecum.retrieval.passages.features import facts_of
from vademecum.stores.flat import name_hash
from vademecum.text.words import number as number_of
from vademecum.text.words import terms as terms_of

if TYPE_CHECKING:
    from vademecum.index.generations import Generations
    from vademecum.stores.flat import Groups

_MOST_FACTS = 8192
"""The maximum number of passages, and of terms, whose data is cached. A vector has 1 kB."""

_MOST_MEANT = 2048
"""The maximum number of texts whose vectors are cached. A vector has 2 kB."""

_ENGLISH_WINDOWS = 500
"""The weight of general English, in windows, in the rarity of words. A few notes alone say little about rarity."""

_NO_TERM = 0

TERMS_OF = 60
"""How many passages at its beginning make up the terms of a document."""

_SIMILAR, _ALIKE = 40, 0.3
"""The maximum number of similar words, and their minimum cosine."""


class _Found(NamedTuple):
    """A document or passage that corresponds to a hit. For documents, `number` is 0."""

    score: float
    place: DocumentId
    kind: int
    hit: int
    number: int


_STEP = 1 / (DOCUMENT_STEPS * QUESTION_STEPS)
"""The minimum difference between two unequal word scores."""

_SCORE = attrgetter("score")
_Search = Callable[[Segment, int, Allowed | None, float], list[tuple[int, float]]]
_Expand = Callable[[float, int, int], list[_Found]]


class Index:
    """An open generation. It keeps working when a newer one is published.

    Of the statistics, `more` segments only add the words that no other segment has.
    """

    def __init__(
        self,
        manifest: Manifest,
        generations: "Generations",
        *,
        embedder: EmbedderName = "builtin",
        method: Method = "manual-pages",
        more: Sequence[Segment] = (),
    ) -> None:
        infos = [segment.info for segment in more]
        windows = WHOLE * sum(info.passages for info in infos if info.method == "documents")
        totals = {**manifest.totals, "documents": manifest.totals["documents"] + windows}
        manifest = manifest._replace(segments=(*manifest.segments, *infos), totals=totals)
        self.manifest, self.generations, self.embedder, self.method = manifest, generations, embedder, method
        self._methods = [info.method for info in manifest.segments]
        self._apart = False
        self._terms, self._links, common = generations.statistics(manifest)
        self._common: Groups | Sequence[Sequence[int]] = common
        self._embedding = Embedding(embedder)
        types = {entry.alias: entry.type for entry in manifest.sources}
        if not all(
            info.recipe.endswith(self._embedding.made_by(method_of(types.get(info.alias, ""), method)))
            for info in manifest.segments
        ):
            message = "The index was built by other rules, or with another embedder, than are in force now."
            raise IndexStale(message, hint="Bring it up to date with: ragadmin reindex")
        opened = map(generations.open_segment, manifest.segments[: len(manifest.segments) - len(more)])
        self.segments = [*opened, *more]
        self._units = EmbeddedUnits(
            generations.folder,
            {at: info.name for at, info in enumerate(manifest.segments) if info.method == "documents"},
        )
        self._new = {term: WHOLE for segment in more for term, *_ in segment.flat.page_words.each()}
        self.limits, self._allowed = Limits(), dict[int, Allowed]()
        self._parts: dict[Method, Index] = {}
        self._facts: dict[Hashable, PassageFacts] = {}
        self._carried: dict[tuple[int, int], list[tuple[DocumentId, int, int]]] = {}
        self._similar: dict[tuple[Method, str], Sequence[tuple[int, float]]] = {}
        self._meant: dict[tuple[str, int], Sequence[float]] = {}
        self._only: Collection[int] | None = None

    def fresh(self) -> "Index":
        """Return the view of the index that a question is asked of; of an index in files, the index itself."""
        return self

    def alone(self, segment: Segment) -> "Index":
        """Return an index of running text that has only the documents of a segment. The rarity of words does not change."""
        view = copy(self)
        view.segments, view._methods, view._apart = [segment], ["documents"], False  # noqa: SLF001 - of this class
        view._new = view._only = {term: WHOLE for term, *_ in segment.flat.page_words.each()}  # noqa: SLF001
        view._common, view._units = (), EmbeddedUnits(None, {})  # noqa: SLF001
        view._terms = {"documents": self._terms[self.method]}  # noqa: SLF001
        totals = {**self.manifest.totals, "documents": self.manifest.totals[self.method]}
        view.method, view.manifest = "documents", self.manifest._replace(totals=totals)
        view.limits, view._allowed, view._parts, view._facts = Limits(), {}, {}, {}  # noqa: SLF001
        view._carried, view._similar = {}, {}  # noqa: SLF001
        return view

    def limited(self, limits: Limits) -> "Index":
        """Return a view of the index that finds only documents within limits. The rarity of words does not change."""
        if not limits:
            return self
        view = copy(self)
        view.limits = limits
        view._carried, view._parts = {}, {}  # noqa: SLF001 - of this class
        view._allowed = (  # noqa: SLF001 - of this class
            {position: Allowed(segment, limits) for position, segment in view._searched()}  # noqa: SLF001
            if limits.are_of_documents
            else {}
        )
        return view

    def parts(self) -> "list[Index]":
        """Return a view of the index for each method of the documents within the limits, with only its documents."""
        found = dict.fromkeys(self._methods[position] for position, _ in self._searched())
        return [self._part(method) for method in sorted(found, reverse=True)]

    def running_text(self) -> "Index":
        """Return a view with only the documents of running text, or the index itself if none is within the limits."""
        return next((part for part in self.parts() if part.method == "documents"), self)

    def like(self, document: str) -> "Index":
        """Return a view with only the documents of the same method as a document; all of them if it is unknown."""
        place = self.place(document)
        return self._part(self._methods[place.segment]) if place else self

    def _part(self, method: Method) -> "Index":
        known = self._parts.get(method)
        if known is None:
            known = self._parts[method] = copy(self)
            known._keep_to(method)  # noqa: SLF001 - of this class
        return known

    def _keep_to(self, method: Method) -> None:
        self.method, self._apart = method, True
        self._carried, self._parts = {}, {}

    def places(self) -> Iterator[DocumentId]:
        """Yield all documents that may be found."""
        for position, segment in self._searched():
            for document in range(len(segment.flat)):
                if self._found(position, document):
                    yield DocumentId(position, document)

    def has_documents(self) -> bool:
        """Return whether any document may be found, now or by another question in a collection of others."""
        return bool(self.manifest.collections) or next(self.places(), None) is not None

    def _searched(self) -> list[tuple[int, Segment]]:
        """Return the segments within the limits, with their positions."""
        return [
            (position, segment)
            for position, segment in enumerate(self.segments)
            if self.limits.allow_source(segment.info.alias)
            and not (self._apart and self._methods[position] != self.method)
        ]

    def _found(self, position: int, document: int) -> bool:
        """Return whether a document is live and within the limits."""
        if self.limits.are_of_documents:
            return document in self._allowed[position].documents
        return document not in self.segments[position].dead

    def _among(self, position: int) -> Allowed | None:
        """Return the documents of a segment that are within the limits; `None` for all of them."""
        return self._allowed[position] if self.limits.are_of_documents else None

    def frequency(self, term: int) -> int:
        """See `SearchIndex`."""
        return 0 if self._only is not None and term not in self._only else self._in_all(term)

    def _in_all(self, term: int) -> int:
        return self._terms[self.method].get(term) or self._new.get(term, 0)

    def windows(self) -> float:
        """See `SearchIndex`."""
        return self.manifest.totals[self.method] / WHOLE

    def rarity(self, term: int) -> float:
        """See `SearchIndex`."""
        frequency, total = self._in_all(term), self.manifest.totals[self.method]
        if self.method == "documents":
            frequency += round(_ENGLISH_WINDOWS * WHOLE * english().share(term))
            total += _ENGLISH_WINDOWS * WHOLE
        return rarity(frequency, total)

    def rarest(self) -> float:
        """See `SearchIndex`."""
        return self.rarity(_NO_TERM)

    def named(self, name: str) -> list[DocumentId]:
        """See `SearchIndex`."""
        hashed = name_hash(name)
        found = []
        for position, segment in self._searched():
            for document in segment.flat.names.get(hashed):
                strings = segment.flat.strings(segment.flat.document(document))
                lowered = name.lower()
                if self._found(position, document) and any(
                    lowered in {one.lower(), one.lower().partition("(")[0]} for one in strings.names
                ):
                    found.append(
                        (strings.reference, self._id(position, document), DocumentId(position, document))
                    )
        return [place for _, _, place in sorted(found)]

    def pointed_to(self, reference: str) -> int:
        """Return the number of documents that link to a page, which need not exist in the index."""
        return self._links.get(name_hash(reference)) or 0

    def pages(self, query: SparseVector, limit: int) -> list[tuple[DocumentId, float]]:
        """See `SearchIndex`."""
        words = exact(query)
        found = self._best(
            lambda segment, count, allowed, least: segment.flat.page_words.search(
                words, count, allowed.pages if allowed else None, least=least
            ),
            self._alive,
            limit,
        )
        return [(one.place, one.score) for one in found]

    def passages(self, query: SparseVector, limit: int) -> list[tuple[DocumentId, PassageScore]]:
        """See `SearchIndex`."""
        words = exact(query)
        found = self._best(
            lambda segment, count, allowed, least: segment.flat.passage_words.search(
                words, count, allowed.texts if allowed else None, least=least
            ),
            self._carriers,
            limit,
        )
        return [(one.place, PassageScore(one.number, one.kind, one.hit, one.score)) for one in found]

    def searched(
        self, queries: Sequence[tuple[SparseVector, int]], terms: Iterable[int], few: int
    ) -> list[list[tuple[DocumentId, PassageScore]]]:
        """See `SearchIndex`."""
        del terms
        found = [self.passages(query, limit) if query.terms else [] for query, limit in queries]
        searched = self._searched()
        if sum(segment.info.passages for _, segment in searched) > few:
            return [*found, []]
        every = [
            (carrier.place, PassageScore(carrier.number, carrier.kind, carrier.hit, 0.0))
            for position, segment in searched
            for text in range(len(segment.flat.occurrences))
            for carrier in self._carriers(0.0, position, text)
        ]
        return [*found, every]

    def passage_nearness(
        self, terms: Iterable[int], passages: Sequence[tuple[DocumentId, int]]
    ) -> list[float]:
        """See `SearchIndex`."""
        vector = self._embedding.table.embed_numbers(terms)
        found: dict[tuple[int, int], float] = {}
        for position, numbers in self._by_segment((place.segment, passage) for place, passage in passages):
            near = self.segments[position].passage_nearness(vector, numbers)
            found |= {(position, number): near.get(number, 0.0) for number in numbers}
        return [found[place.segment, passage] for place, passage in passages]

    @property
    def is_embedded(self) -> bool:
        """Return whether all running text has been embedded by a transformer, so that its similarity is used."""
        return self._units.opened() is not None

    def unit_nearness(self, question: str) -> UnitNearness | None:
        """See `SearchIndex`."""
        if vectors := self._units.opened():
            with suppress(ProviderError):  # word scores suffice without it
                return vectors.compared(question, self._passage_at)
        return None

    def _passage_at(self, position: int, number: int) -> tuple[DocumentId, PassageScore] | None:
        """Return a passage, given by its number within its segment, or None if it may not be found."""
        passage = self.segments[position].flat.passage(number)
        if not self.limits.allow_source(self.segments[position].info.alias):
            return None
        if not self._found(position, passage.document):
            return None
        return DocumentId(position, passage.document), PassageScore(number, passage.kind, passage.text, 0.0)

    def facts(self, place: DocumentId, passage: int) -> PassageFacts:
        """See `SearchIndex`."""
        key = self._facts_key(place, passage)
        known = self._facts.get(key)
        if known is None:
            if len(self._facts) >= _MOST_FACTS:
                self._facts.clear()
            flat = self.segments[place.segment].flat
            document, record = flat.document(place.document), flat.passage(passage)
            known = self._facts[key] = facts_of(
                flat.strings(document).title,
                flat.label(record.heading),
                flat.words(document, record),
                passage - document.first_passage,
                document.passages,
            )
        return known

    def _facts_key(self, place: DocumentId, passage: int) -> Hashable:
        return place.segment, passage

    def document_terms(self, place: DocumentId) -> frozenset[int]:
        """See `SearchIndex`."""
        record = self.segments[place.segment].flat.document(place.document)
        numbers = range(record.first_passage, record.first_passage + min(record.passages, TERMS_OF))
        return frozenset[int]().union(*(self.facts(place, number).terms for number in numbers))

    def similar(self, term: str) -> Sequence[tuple[int, float]]:
        """See `SearchIndex`."""
        known = self._similar.get((self.method, term))
        if known is None:
            if len(self._similar) >= _MOST_FACTS:
                self._similar.clear()
            vector = self._embedding.table.embed([term])
            found = {
                number: near for number, near in english().similar(number_of(term)) if self.frequency(number)
            }
            for number, near in self._embedding.table.near(vector, _ALIKE):
                if self.frequency(number):
                    found[number] = max(near, found.get(number, 0.0))
            ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:_SIMILAR]
            known = self._similar[self.method, term] = [pair for pair in ordered if pair[1] >= _ALIKE]
        return known

    def embed(self, terms: Iterable[str]) -> list[float]:
        """See `SearchIndex`."""
        return self._embedding.table.embed(terms)

    def embed_text(self, text: str, most: int) -> Sequence[float]:
        """Return the vector of the first `most` terms of a text. The result is cached, because texts are quoted repeatedly."""
        known = self._meant.get((text, most))
        if known is None:
            if len(self._meant) >= _MOST_MEANT:
                self._meant.clear()
            known = self._meant[text, most] = array("d", self.embed(terms_of(text)[:most]))
        return known

    def vectors(self, question: Wording) -> Mapping[str, list[float]]:
        """See `SearchIndex`."""
        return self._embedding.question(question)

    def nearest(self, meaning: str, vector: list[float], limit: int) -> list[tuple[DocumentId, float]]:
        """See `SearchIndex`."""
        found = self._best(
            lambda segment, count, allowed, _least: segment.nearest(
                meaning, vector, count, allowed.pages if allowed else None
            ),
            self._alive,
            limit,
        )
        return [(one.place, one.score) for one in found]

    def needs(self, query: SparseVector, vector: list[float], limit: int) -> list[FoundNeed]:
        """See `SearchIndex`."""
        terms = exact(query)
        count = limit
        while True:
            found, seen = [], 0
            for position, segment in self._searched():
                allowed = self._among(position)
                of_segment = segment.needs(terms, vector, count, allowed.needs if allowed else None)
                seen = max(seen, len(of_segment))
                for number, words, cosine in of_segment:
                    document, text, passages, line = segment.flat.need(number)
                    place = DocumentId(position, document)
                    if self._found(position, document):
                        found.append(FoundNeed(place, text, passages, words, cosine, line))
            if not self.limits or seen < count or sum(need.words > 0 for need in found) >= limit:
                break
            count *= 2
        by_words = sorted([need for need in found if need.words], key=lambda need: (-need.words, need.text))
        by_meaning = sorted(found, key=lambda need: (-need.cosine, need.text))
        return list(dict.fromkeys((*by_meaning[:limit], *by_words[:limit])))

    def needs_of(self, query: SparseVector, vector: list[float], place: DocumentId) -> list[FoundNeed]:
        """Return all needs of a document, in order, each with its similarity to the question."""
        segment = self.segments[place.segment]
        record = segment.flat.document(place.document)
        numbers = range(record.first_need, record.first_need + record.needs)
        alike = segment.needs_among(exact(query), vector, numbers)
        needs = zip(map(segment.flat.need, numbers), alike, strict=True)
        return [
            FoundNeed(place, text, passages, words, cosine, line)
            for (_, text, passages, line), (words, cosine) in needs
        ]

    def _best(self, search: _Search, expand: _Expand, limit: int) -> list[_Found]:
        """Return the best documents or passages of all segments. Ties are ordered by document id, not by segment.

        More hits than `limit` are requested from each segment, because some correspond to nothing. The number is
        doubled as long as further hits might be among the best.
        """
        if limit < 1:
            return []
        count = limit + limit // 4 + 8
        while True:
            hits: list[tuple[float, int, int]] = []
            known_above = -inf
            least = 0.0  # the lowest score of the best so far; hits below it are not needed
            for position, segment in self._searched():
                of_segment = search(segment, count, self._among(position), least)
                hits += [(score, position, hit) for hit, score in of_segment]
                if len(of_segment) == count:
                    known_above = max(known_above, of_segment[-1][1])
                if len(hits) >= count:
                    least = nlargest(count, hits)[-1][0]
            if least:
                known_above = max(known_above, least - _STEP)
            hits.sort(key=itemgetter(0), reverse=True)
            found = _first(hits, known_above, expand, limit)
            if found is not None:
                return self._ordered(found)[:limit]
            count *= 2

    def prefetch(self, places: Iterable[DocumentId]) -> None:
        """See `SearchIndex`."""

    def _ordered(self, found: list[_Found]) -> list[_Found]:
        """Sort by score, best first. Document ids are read only for equal scores."""
        ordered: list[_Found] = []
        for _, of_score in groupby(sorted(found, key=_SCORE, reverse=True), _SCORE):
            tied = list(of_score)
            if len(tied) > 1:
                tied.sort(key=lambda one: (self._id(*one.place), one.number))
            ordered += tied
        return ordered

    def _alive(self, score: float, position: int, document: int) -> list[_Found]:
        if not self._found(position, document):
            return []
        return [_Found(score, DocumentId(position, document), 0, document, 0)]

    def _carriers(self, score: float, position: int, text: int) -> list[_Found]:
        """Return the live passages with a text; none if too many documents share it."""
        known = self._carried.get((position, text))
        if known is None:
            if len(self._carried) >= _MOST_FACTS:
                self._carried.clear()
            known = self._carried[position, text] = self._carrying(position, text)
        return [_Found(score, place, kind, text, number) for place, kind, number in known]

    def _carrying(self, position: int, text: int) -> list[tuple[DocumentId, int, int]]:
        common = self._common[position] if position < len(self._common) else ()
        at = bisect_left(common, text)
        if at < len(common) and common[at] == text:
            return []
        flat = self.segments[position].flat
        found = []
        for number in flat.occurrences[text]:
            passage = flat.passage(number)
            if self._found(position, passage.document):
                found.append((DocumentId(position, passage.document), passage.kind, number))
        return found

    def _id(self, segment: int, document: int) -> tuple[str, bytes]:
        """Return the alias and digest of a document, which identify it in any segment."""
        opened = self.segments[segment]
        return opened.info.alias, opened.flat.document(document).digest

    def nearness(self, meaning: str, vector: list[float], places: Sequence[DocumentId]) -> list[float]:
        """See `SearchIndex`."""
        found = {s: self.segments[s].nearness(meaning, vector, n) for s, n in self._by_segment(places)}
        return [found[place.segment].get(place.document, 0.0) for place in places]

    def page(self, place: DocumentId) -> Page:
        """See `SearchIndex`."""
        flat = self.segments[place.segment].flat
        record = flat.document(place.document)
        strings = flat.strings(record)
        linked = max((self._links.get(name_hash(name)) or 0 for name in strings.names), default=0)
        return Page(
            reference=strings.reference,
            names=strings.names,
            summary=strings.summary,
            links=strings.links,
            first_passage=record.first_passage,
            passages=record.passages,
            linked=linked,
            needs=record.needs,
        )

    def text(self, document: str) -> str:
        """Return the text of a document, which citations quote."""
        place = self.place(document)
        if place is None:
            message = f"The index has no document {document}."
            raise StoreError(message, hint="It may have changed: search again.")
        flat = self.segments[place.segment].flat
        return flat.text(flat.document(place.document))

    def place(self, document: str) -> DocumentId | None:
        """Return the location of a document `<alias>:<sha256>`, or None if it does not exist."""
        alias, _, digest = document.rpartition(":")
        hashed = name_hash(digest)
        for position, segment in enumerate(self.segments):
            if segment.info.alias == alias:
                for number in segment.flat.names.get(hashed):
                    found = (
                        number not in segment.dead and segment.flat.document(number).digest.hex() == digest
                    )
                    if found:
                        return DocumentId(position, number)
        return None

    def page_terms(self, places: Sequence[DocumentId], terms: Sequence[int]) -> list[list[float]]:
        """See `SearchIndex`."""
        by_segment = self._by_segment(places)
        return self._terms_of(
            places, terms, {s: self.segments[s].flat.page_words.weights(terms, n) for s, n in by_segment}
        )

    def passage_terms(self, texts: Sequence[tuple[int, int]], terms: Sequence[int]) -> list[list[float]]:
        """See `SearchIndex`."""
        by_segment = self._by_segment(texts)
        return self._terms_of(
            texts, terms, {s: self.segments[s].flat.passage_words.weights(terms, n) for s, n in by_segment}
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
    """Return what the first hits correspond to, at least `limit` results, with all that score the same as the last one.

    The result is None if it depends on missing hits. Any hit with a score of `known_above` or less may be missing.
    """
    found: list[_Found] = []
    for score, position, hit in hits:
        if len(found) >= limit and score < found[limit - 1].score:
            return found
        if score <= known_above:
            return None
        found += expand(score, position, hit)
    return found if len(found) >= limit or known_above == -inf else None
