"""Rank the passages of all documents for a question, for books, chat and other programs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from vademecum.answering.quote import best_units, quote
from vademecum.ask.gather import likeness, relevance
from vademecum.ask.hits import PassageHit, hit_at, hits_of
from vademecum.ask.kinds import Corpus
from vademecum.ask.running_text.location import locate
from vademecum.ask.running_text.nearness import nearness
from vademecum.ask.sites import Site
from vademecum.core.candidates import DocumentId
from vademecum.core.evidence import Draft, Evidence, ScoredPassage, Unit
from vademecum.core.passages import SECTION
from vademecum.index.reader.index import Index
from vademecum.retrieval.passages.features import Likeness, Met
from vademecum.retrieval.passages.ranking import Label, RankedPassage, labels, plain_passages, ranked_passages
from vademecum.retrieval.question.answer_kinds import asks_way
from vademecum.retrieval.question.definitions import without_asking
from vademecum.retrieval.question.quantities import asked_by
from vademecum.retrieval.question.question import Question, Term, analyse
from vademecum.retrieval.units.calibration import calibrate
from vademecum.retrieval.units.features import Nearness
from vademecum.retrieval.units.ranking import ScoredUnit, ranked_units

FAINT = 0.1
"""The minimum relevance of a quoted passage, as a share of the best one's."""

_SPOKEN_OF = 0.45
_TELLING = 0.45
"""The minimum similarity of a word to a term of the question, and the minimum rarity of that term, as a share of the rarest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A question, and an index that provides the statistics to score texts for it.

    Attributes:
        question: The analysed question.
        index: The index. It stays open for the lifetime of this object.
        site: The addresses of its documents.
    """

    question: Question
    index: Index
    site: Site | None = None

    def relevance(self) -> Callable[[str], float]:
        """Return a function that scores a text by the summed rarity of the question's terms in it."""
        return relevance(self.question, None)

    def likeness(self) -> Callable[[str], float]:
        """Return a function that scores a text by its similarity in meaning, from -1 to 1."""
        return likeness(self.question, self.index)

    def ranked(self, units: Sequence[Unit]) -> list[tuple[Unit, float]]:
        """Return units with their scores for the question, best first."""
        found = ranked_units(
            self.question, Likeness(self.question, self.index), units, nearness(self.question)
        )
        return [(one.unit, one.score) for one in found]

    def located(self, selection: str) -> list[PassageHit]:
        """Return the passages that a selection overlaps, in order and cut to it; none if no document contains it."""
        found = locate(self.index, selection)
        return self._cut(found.place, found.text, found.start, found.end) if found else []

    def between(self, document: str, start: int, end: int) -> list[PassageHit]:
        """Return the passages of a range of a document, in order and cut to the range; at least one.

        Args:
            document: `<alias>:<sha256>`.
            start: The first code point of the range in the document's text.
            end: The end of the range, exclusive.

        Raises:
            StoreError: The index has no such document.
        """
        text = self.index.text(document)
        place = self.index.place(document)
        assert place is not None  # noqa: S101 - it has the text
        return self._cut(place, text, start, end)

    def _cut(self, place: DocumentId, text: str, start: int, end: int) -> list[PassageHit]:
        """Return the passages that overlap a range; for a range between passages, such as a heading, the next passage."""
        flat = self.index.segments[place.segment].flat
        record = flat.document(place.document)
        numbers = range(record.first_passage, record.first_passage + record.passages)
        sections = [(one, passage) for one in numbers if (passage := flat.passage(one)).kind == SECTION]
        touched = [
            (one, max(passage.start, start), min(passage.end, end))
            for one, passage in sections
            if passage.start < end and start < passage.end
        ]
        if not touched:
            following = next((one for one, passage in sections if passage.start >= end), record.first_passage)
            touched = [(following, start, end)]
        hits: list[PassageHit] = []
        for number, first, last in touched:
            hit = hit_at(self.index, place, number, self.site, rank=len(hits) + 1)
            hits.append(replace(hit, start=first, end=last, text=text[first:last]))
        return hits

    def foreign(self, alias: str, digest: str, title: str, text: str) -> list[PassageHit]:
        """Return a text that is not in the index as one passage."""
        return [
            PassageHit(
                rank=1,
                passage=f"{alias}:{digest}:0",
                document=f"{alias}:{digest}",
                alias=alias,
                reference=alias,
                title=title,
                heading="",
                anchor="",
                url="",
                start=0,
                end=len(text),
                text=text,
                score=0.0,
                relevance=0.0,
                distance=1.0,
            )
        ]

    def scored(self, hit: PassageHit) -> PassageHit:
        """Return a passage scored by itself: by its share of the question's rarity, and by its meaning."""
        total = sum(term.weight for term in self.question.terms) or 1.0
        alike = self.likeness()(hit.text)
        score = self.relevance()(hit.text) / total + max(0.0, alike)
        return replace(hit, score=score, relevance=score / 2, distance=1.0 - alike)


def reading_of(corpus: Corpus, question: str, document: str = "") -> Reading:
    """Analyse a question, so that any text can be scored for it.

    Args:
        corpus: The documents that provide the vocabulary.
        question: The question.
        document: The `<alias>:<sha256>` of a document; its kind then determines the vocabulary.

    Raises:
        AnswerError: `question` contains no search term.
    """
    index = corpus.index.like(document) if document else corpus.index.running_text()
    return Reading(question=analyse(question, index), index=index, site=corpus.site)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The passages that were found for a question.

    Attributes:
        question: The analysed question.
        hits: The best passages, best first.
        answerability: The probability, from 0 to 1, that the documents contain an answer.
        confidence: The probability, from 0 to 1, that the first passages contain it; never above `answerability`.
        signals: The signals that these two are computed from, by name.
        units: The units of the best passages, best first.
        alike: The question's terms, and similar words.
        nearby: The similarity of the units of the passages to the question.
        index: The index that was searched. It stays open for the lifetime of this object.
    """

    question: Question
    hits: tuple[PassageHit, ...]
    answerability: float
    confidence: float
    signals: Mapping[str, float]
    units: Sequence[ScoredUnit]
    alike: Likeness
    nearby: Nearness
    index: Index

    def evidence(self, hits: Sequence[PassageHit] | None = None) -> list[Evidence]:
        """Return the documents of some hits (by default of all), best first, each with only the passages of these hits."""
        return evidence_of(self.index, self.hits if hits is None else hits)

    def chosen(self, most: int | None = None) -> list[PassageHit]:
        """Return the passages to answer from: those whose relevance is a sufficient share of the best one's."""
        return [hit for hit in self.hits[:most] if hit.relevance >= FAINT * self.hits[0].relevance]

    def quote(self, evidence: Sequence[Evidence]) -> Draft:
        """Return an answer that quotes the documents."""
        return quote(evidence, self.ranked, procedure=asks_way(self.question.text))

    def unmentioned(self, *, names: bool = False) -> list[str]:
        """Return the significant words of the question that no document contains.

        Args:
            names: Whether to consider only names and codes. An answer may paraphrase other words.
        """
        words: dict[str, bool] = {}
        telling = _TELLING * self.alike.rarest
        for term, news, near in zip(self.question.terms, self.alike.news, self.alike.nearest(), strict=True):
            is_name = not (term.word.isalpha() and (term.word.islower() or term.word.istitle()))
            lacks = not term.known and (is_name if names else near < _SPOKEN_OF and news >= telling)
            lacks = lacks and not self._states(term)
            words[term.word] = lacks and words.get(term.word, True)
        return [word for word, lacks in words.items() if lacks]

    def _states(self, term: Term) -> bool:
        """Return whether a unit of the best passages states a value for a term, such as `3 degrees` for `temperature`."""
        patterns = asked_by(term.text).values()
        return any(pattern.search(unit.unit.text) for pattern in patterns for unit in self.units)

    def ranked(self, units: Sequence[Unit]) -> list[tuple[Unit, float]]:
        """Return units with their scores for the question, best first."""
        known = {one.unit._replace(evidence=0): one.score for one in self.units}
        scores = [known.get(unit._replace(evidence=0)) for unit in units]
        if None in scores:  # of other passages than the best ones
            found = ranked_units(self.question, self.alike, units, nearness(self.question))
            return [(one.unit, one.score) for one in found]
        pairs = [(unit, score) for unit, score in zip(units, scores, strict=True) if score is not None]
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0].passage, pair[0].start))


def labelled_first(hits: Sequence[PassageHit], named: Sequence[Label]) -> list[PassageHit]:
    """Return the hits, those about another label behind those about the label asked for.

    A word of one letter is not indexed, so that "class B" and "class C" match the same passages. Hits without a label keep
    their positions, and every position keeps its score.
    """
    found = list(hits)
    for label in named:
        sides = [label.side(f"{hit.heading}\n{hit.text}") for hit in found]
        at = [place for place, side in enumerate(sides) if side]
        best = [found[place] for place in sorted(at, key=lambda place: -sides[place])]
        for place, hit in zip(at, best, strict=True):
            there = hits[place]
            found[place] = replace(hit, rank=there.rank, score=there.score, relevance=there.relevance)
    return found


def find(index: Index, question: str, limit: int, *, site: Site | None = None) -> Found:
    """Find the passages for a question.

    Raises:
        AnswerError: `question` contains no search term.
    """
    analysed = without_asking(analyse(question, index))
    alike = Likeness(analysed, index)
    near = index.unit_nearness(question)
    ranked = ranked_passages(analysed, alike, index, near)
    hits = labelled_first(hits_of(index, ranked[:limit], site), labels(analysed.text))
    nearby = nearness(analysed, near, [(found.place, found.passage.passage) for found in ranked[:limit]])
    units = ranked_units(analysed, alike, best_units(evidence_of(index, hits)), nearby)
    judged = calibrate(analysed, alike, ranked, units, index, by_transformer=nearby.by_transformer)
    return Found(
        question=analysed,
        hits=tuple(hits),
        answerability=judged.answerability,
        confidence=judged.confidence,
        signals=judged.signals,
        units=units,
        alike=alike,
        nearby=nearby,
        index=index,
    )


def find_plain(index: Index, question: str, limit: int, *, site: Site | None = None) -> list[PassageHit]:
    """Find passages by BM25 alone, as a baseline.

    Raises:
        AnswerError: `question` contains no search term.
    """
    analysed = analyse(question, index)
    found = plain_passages(analysed, index, limit)
    ranked = [RankedPassage(place, one, 0.0, (), Met((), ()), one.score, 0.0) for place, one in found]
    return hits_of(index, ranked, site)


def evidence_of(index: Index, hits: Sequence[PassageHit]) -> list[Evidence]:
    """Return the documents of some hits, in the order of their best hit, each with only the passages of these hits."""
    grouped: dict[str, list[PassageHit]] = {}
    for hit in hits:
        grouped.setdefault(hit.document, []).append(hit)
    return [
        Evidence(
            alias=of_document[0].alias,
            digest=document.rpartition(":")[2],
            reference=of_document[0].reference,
            title=of_document[0].title,
            summary="",
            text=index.text(document),
            passages=tuple(
                ScoredPassage(
                    SECTION,
                    one.start,
                    one.end,
                    one.start,
                    one.heading,
                    one.anchor,
                    one.score,
                    one.relevance,
                    one.blocks,
                )
                for one in of_document
            ),
        )
        for document, of_document in grouped.items()
    ]
