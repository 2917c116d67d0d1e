"""Rank the passages of all documents for a question, for books, chat and other programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from vademecum.answering.quote import MOST_CHARACTERS, best_units, quote
from vademecum.ask.hits import hit_at, hits_of
from vademecum.ask.running_text.nearness import nearness
from vademecum.ask.running_text.whole import CHANCES, Whole, draft_of, places_of, whole_asked
from vademecum.ask.sites import Site
from vademecum.core.answers import Hit
from vademecum.core.errors import VademecumError
from vademecum.core.evidence import Draft, Evidence, ScoredPassage, Unit
from vademecum.core.passages import SECTION
from vademecum.index.reader.index import Index
from vademecum.retrieval.passages.features import Likeness, Met, terms_in
from vademecum.retrieval.passages.ranking import Label, RankedPassage, labels, plain_passages, ranked_passages
from vademecum.retrieval.question.definitions import without_asking
from vademecum.retrieval.question.question import Question, Term, analyse
from vademecum.retrieval.question.wanted import asked_by, asks_way, compared
from vademecum.retrieval.units.calibration import calibrate
from vademecum.retrieval.units.features import Nearness
from vademecum.retrieval.units.ranking import ScoredUnit, ranked_units

FAINT = 0.1
"""The minimum relevance of a quoted passage, as a share of the best one's."""

_SHOWN_PART, _SHOWN_LEAST = 3, 200
"""An answer shows at most this fraction (1/3) of a selection, or this number of characters of a short one."""

_SPOKEN_OF = 0.45
_TELLING = 0.45
"""The minimum similarity of a word to a term of the question, and the minimum rarity of that term, as a share of the rarest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The passages that were found for a question.

    Attributes:
        hits: The best passages, best first.
        answerability: The probability, from 0 to 1, that the documents contain an answer.
        confidence: The probability, from 0 to 1, that the first passages contain it; never above `answerability`.
        signals: The signals that these two are computed from, by name.
        units: The units of the best passages, best first.
        nearby: The similarity of the units of the passages to the question.
        index: The index that was searched. It stays open for the lifetime of this object.
        faults: The errors of collections of others that could not be searched.
        whole: What the question asks of the documents as a whole, if it does.
    """

    question: Question
    hits: tuple[Hit, ...]
    answerability: float
    confidence: float
    signals: Mapping[str, float]
    units: Sequence[ScoredUnit]
    alike: Likeness
    nearby: Nearness
    index: Index
    faults: Sequence[VademecumError] = ()
    whole: Whole | None = None

    def evidence(self, hits: Sequence[Hit] | None = None) -> list[Evidence]:
        """Return the documents of some hits (by default of all), best first, each with only the passages of these hits."""
        return evidence_of(self.index, self.hits if hits is None else hits)

    def chosen(self, most: int | None = None) -> list[Hit]:
        """Return the passages to answer from: those whose relevance is a sufficient share of the best one's."""
        return [hit for hit in self.hits[:most] if hit.relevance >= FAINT * self.hits[0].relevance]

    def quote(self, evidence: Sequence[Evidence], selected: int = 0) -> Draft:
        """Return an answer that quotes the documents, or sentences of a selection of that many characters, which the user already sees."""
        if self.whole:
            return draft_of(self.whole, evidence)[0]
        if selected:
            shown = min(max(_SHOWN_LEAST, selected // _SHOWN_PART), MOST_CHARACTERS)
            return quote(evidence, self.ranked, near=inf, characters=shown, whole=False)
        sides = [partial(_speaks_of, side) for side in compared(self.question.text)]
        return quote(evidence, self.ranked, procedure=asks_way(self.question.text), sides=sides)

    def unmentioned(self, *, names: bool = False) -> list[str]:
        """Return the significant words of the question that no document contains.

        Args:
            names: Whether to consider only names and codes. An answer may paraphrase other words.
        """
        words: dict[str, bool] = {}
        if self.whole:
            return []
        telling = _TELLING * self.alike.rarest
        for term, news, near in zip(self.question.terms, self.alike.news, self.alike.nearest(), strict=True):
            is_name = not (term.word.isalpha() and (term.word.islower() or term.word.istitle()))
            lacks = not term.known and (is_name if names else near < _SPOKEN_OF and news >= telling)
            lacks = lacks and not self._states(term)
            words[term.word] = lacks and words.get(term.word, True)
        return [*self.other_labels(), *(word for word, lacks in words.items() if lacks)]

    def other_labels(self) -> list[str]:
        """Return the labels of the question (`class C`) if the best passages have only others."""
        texts = [f"{unit.unit.heading}\n{unit.unit.text}" for unit in self.units]
        found = ((label, {label.side(text) for text in texts}) for label in labels(self.question.text))
        return [" ".join(label) for label, sides in found if -1 in sides and 1 not in sides]

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


def _speaks_of(terms: frozenset[int], unit: Unit) -> bool:
    """Return whether a part has one of these terms."""
    return not terms.isdisjoint(terms_in(unit.text))


def labelled_first(hits: Sequence[Hit], named: Sequence[Label]) -> list[Hit]:
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


def find(
    index: Index,
    question: str,
    limit: int,
    *,
    site: Site | None = None,
    faults: Sequence[VademecumError] = (),
) -> Found:
    """Find the passages for a question in an index, parts of which could not be searched because of `faults`."""
    analysed = without_asking(analyse(question, index))
    alike = Likeness(analysed, index)
    if (asked := whole_asked(question)) and (found := _found_whole(asked, analysed, alike, index, site)):
        return replace(found, faults=faults)
    near = index.unit_nearness(question)
    ranked = ranked_passages(analysed, alike, index, near)
    index.prefetch(passage.place for passage in ranked[:limit])
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
        faults=faults,
    )


def _found_whole(
    asked: Whole, question: Question, alike: Likeness, index: Index, site: Site | None
) -> Found | None:
    """Return what answers a question about the documents as a whole; None if these documents do not."""
    whole, places = places_of(asked, index)
    hits = [
        replace(hit_at(index, place, number, site, rank=rank), relevance=1.0 / rank)
        for rank, (place, number) in enumerate(places, 1)
    ]
    if not draft_of(whole, evidence_of(index, hits))[0].summary:
        return None
    chance = CHANCES[whole.kind] * (1 + whole.fit) / 2
    return Found(
        question=question,
        hits=tuple(hits),
        answerability=chance,
        confidence=chance,
        signals={},
        units=(),
        alike=alike,
        nearby=nearness(question),
        index=index,
        whole=whole,
    )


def with_word_distances(found: Found) -> Found:
    """Return the same with the distances of word vectors, even if a transformer ranked the passages."""
    index, terms = found.index, [term.number for term in found.question.terms]
    hits = []
    for hit in found.hits:
        place = index.place(hit.document)
        number = int(hit.passage.rpartition(":")[2])
        if place and found.nearby.by_transformer:
            first = index.segments[place.segment].flat.document(place.document).first_passage
            (cosine,) = index.passage_nearness(terms, [(place, first + number)])
            hits.append(replace(hit, distance=1.0 - cosine))
    return replace(found, hits=tuple(hits)) if hits else found


def find_plain(index: Index, question: str, limit: int, *, site: Site | None = None) -> list[Hit]:
    """Find passages by BM25 alone, as a baseline."""
    analysed = analyse(question, index)
    found = plain_passages(analysed, index, limit)
    ranked = [RankedPassage(place, one, 0.0, (), Met((), ()), one.score, 0.0) for place, one in found]
    return hits_of(index, ranked, site)


def evidence_of(index: Index, hits: Sequence[Hit]) -> list[Evidence]:
    """Return the documents of some hits, in the order of their best hit, each with only the passages of these hits."""
    grouped: dict[str, list[Hit]] = {}
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
