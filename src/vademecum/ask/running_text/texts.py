"""Rate running text (notes, books, archives) by passage, across all collections, and quote from it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from vademecum.answering.quote import RankUnits, best_units, offered_of
from vademecum.ask.hits import PassageHit, SourcedHit
from vademecum.ask.kinds import Corpus, Limits, Rated
from vademecum.ask.running_text.passages import FAINT, Found, find
from vademecum.core.answers import Hit, Reference
from vademecum.core.errors import AnswerError, VademecumError
from vademecum.core.evidence import Draft, DraftStatement, Evidence, ScoredPassage
from vademecum.core.trace import Json
from vademecum.index.reader.index import Index
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.units.calibration import THRESHOLD
from vademecum.text.printable import printable
from vademecum.text.sentences import cut

_NAMED = 3
_WITH_UNKNOWN = 0.65
"""The minimum answerability of a question with a word that no document mentions."""

_OFFERED = 10
"""The number of passages that a model can choose from."""

USUAL_SIMILARITY = 0.5
"""The cosine threshold that is common in other systems. It is applied only if the configuration says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedTexts(Rated):
    """Running text, rated for a question.

    Attributes:
        hits: The passages, best first.
        ranked: Ranks the units of passages for the question.
        unmet: The words of the question that a selection lacks; None if the analysis finds them.
        is_foreign: Whether the text is in no collection.
    """

    question: Question
    index: Index
    sources: Sequence[str]
    threshold: float
    answerability: float
    confidence: float
    reasons: Sequence[str]
    hits: Sequence[SourcedHit]
    ranked: RankUnits
    unmet: tuple[str, ...] | None = None
    is_foreign: bool = False
    sooner: ClassVar[float] = 0.25  # people who add notes want them
    least_guess: ClassVar[float] = 0.1

    @property
    def found(self) -> bool:
        """See `Rated`."""
        return bool(self.hits)

    def choices(
        self,
        evidence: Sequence[Evidence],
        limits: Limits,  # noqa: ARG002 - those of collections
    ) -> tuple[Sequence[Evidence], Iterator[DraftStatement]]:
        """See `Rated`. An item of a list is preceded by the introduction of the list."""
        ranked = self.ranked(best_units(evidence, _OFFERED, sentences=True))
        return evidence, offered_of(ranked, evidence)

    def nearest(self, most: int) -> list[tuple[str, Reference]]:
        """See `Rated`. Without the beginning of each document, which would read like an answer."""
        documents = {
            (source, hit.document): Reference(
                number=0, alias=hit.alias, document_ref=hit.reference, label=hit.title, document=hit.document
            )
            for source, hit in self.hits
        }
        return [(source, reference) for (source, _), reference in documents.items()][:most]

    def results(self, limit: int) -> list[Hit]:
        """See `Rated`."""
        best: dict[str, PassageHit] = {}
        for _, hit in self.hits:
            best.setdefault(hit.document, hit)
        return [_of_passage(hit, self.index) for hit in list(best.values())[:limit]]

    def passages(self, limit: int) -> list[SourcedHit]:
        """See `Rated`."""
        return list(self.hits[:limit])

    def retrieved(self) -> dict[str, Json]:
        """See `Rated`."""
        return {
            "passages": [
                {
                    "chunk_id": hit.passage,
                    "reference": hit.reference,
                    "section": hit.heading,
                    "score": round(hit.score, 4),
                    "cosine": round(1.0 - hit.distance, 4),
                }
                for _, hit in self.hits
            ]
        }

    def evaluated(self) -> dict[str, Json]:
        """See `Rated`."""
        return {"passages": [{"passage": hit.passage, "score": round(hit.score, 4)} for _, hit in self.hits]}


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedPassages(RatedTexts):
    """The passages of whole collections, rated for a question.

    Attributes:
        best: The passages of the collection that is likeliest to answer.
        searched: The passages of each collection.
    """

    best: Found
    searched: Sequence[tuple[str, Found]]

    @property
    def answers(self) -> bool:
        """Return whether the confidence reaches the threshold, and the documents probably contain an answer."""
        least = _WITH_UNKNOWN if self.reasons else THRESHOLD
        return self.confidence >= self.threshold and self.answerability >= least

    @property
    def is_guess(self) -> bool:
        """See `Rated`. If no document mentions a word of the question, nothing is shown."""
        return super(RatedPassages, self).is_guess and not self.reasons

    def chosen(self, limits: Limits) -> list[SourcedHit]:
        """Return the passages to answer from: similar enough to the question, and relevant enough compared with the best one."""
        near = self._near(limits)
        least = FAINT * self.hits[0].hit.relevance if self.hits else 0.0
        return [found for found in near[: limits.chosen] if found.hit.relevance >= least]

    def _near(self, limits: Limits) -> list[SourcedHit]:
        """Return the passages that are similar enough to the question."""
        return [
            found for found in self.hits if limits.cosine is None or 1.0 - found.hit.distance >= limits.cosine
        ]

    def evidence(self, limits: Limits) -> tuple[list[Evidence], list[str]]:
        """See `Rated`."""
        chosen = self.chosen(limits)
        found = evidence_of(self.searched, chosen)
        return within(found, limits.characters), [one.hit.passage for one in chosen]

    def draft(self, evidence: Sequence[Evidence]) -> Draft:
        """See `Rated`."""
        return self.best.quote(evidence)

    def choices(
        self, evidence: Sequence[Evidence], limits: Limits
    ) -> tuple[Sequence[Evidence], Iterator[DraftStatement]]:
        """See `Rated`. A model can choose from more passages than the answer without one quotes."""
        wide = evidence_of(self.searched, self._near(limits)[:_OFFERED])
        return super(RatedPassages, self).choices(within(wide, limits.characters) or evidence, limits)

    def lacking(self) -> tuple[str, ...]:
        """See `Rated`."""
        return unmentioned(self.searched, names=True)

    def noted(self, limits: Limits) -> dict[str, Json]:
        """See `Rated`."""
        return {
            "similarity_threshold": limits.cosine,
            "usual_threshold_would_cut": [
                hit.passage for _, hit in self.hits if 1.0 - hit.distance < USUAL_SIMILARITY
            ],
        }

    def evaluated(self) -> dict[str, Json]:
        """See `Rated`."""
        signals = {name: round(value, 4) for name, value in self.best.signals.items() if value}
        by_transformer = self.best.nearby.by_transformer
        return {
            **super(RatedPassages, self).evaluated(),
            "by_transformer": by_transformer,
            "signals": signals,
        }


def rate_texts(
    text: str, corpora: Sequence[Corpus], limits: Limits
) -> tuple[RatedPassages | None, list[VademecumError]]:
    """Rate running text for a question; None if none can be searched, with the reasons.

    Raises:
        AnswerError: `text` contains no search term.
    """
    searched: list[tuple[Corpus, Found]] = []
    faults: list[VademecumError] = []
    for corpus in corpora:
        try:
            searched.append((corpus, find(corpus.index, text, limits.passages, site=corpus.site)))
        except AnswerError:
            raise
        except VademecumError as error:
            faults.append(error)
    if not searched:
        return None, faults
    corpus, best = max(searched, key=lambda pair: pair[1].answerability)
    by_source = [(corpus.source, found) for corpus, found in searched]
    hits = [SourcedHit(corpus.source, hit) for corpus, found in searched for hit in found.hits]
    hits.sort(key=lambda found: (-found.hit.relevance, found.source, found.hit.rank))
    rated = RatedPassages(
        question=best.question,
        index=best.index,
        sources=[corpus.source for corpus, _ in searched],
        threshold=corpus.threshold,
        answerability=best.answerability,
        confidence=best.confidence,
        reasons=unmentioned(by_source),
        hits=hits[: limits.passages],
        ranked=best.ranked,
        best=best,
        searched=by_source,
    )
    return rated, faults


def _of_passage(found: PassageHit, index: Index) -> Hit:
    """Return a passage as a search result: its document with this passage."""
    place = index.place(found.document)
    segment = index.segments[place.segment] if place else None
    strings = segment.flat.strings(segment.flat.document(place.document)) if segment and place else None
    return Hit(
        rank=0,
        alias=found.alias,
        document=found.document,
        reference=found.reference,
        names=strings.names if strings else (),
        title=found.title,
        summary=strings.summary if strings else "",
        passage=found.passage,
        location=f"{found.reference}#{found.anchor}" if found.anchor else found.reference,
        start=found.start,
        end=found.end,
        quote=found.text,
        score=found.score,
    )


def unmentioned(searched: Sequence[tuple[str, Found]], *, names: bool = False) -> tuple[str, ...]:
    """Return a sentence with the words of the question that no collection contains; see `Found.unmentioned`."""
    first, *others = (found.unmentioned(names=names) for _, found in searched)
    return not_mentioned([word for word in first if all(word in other for other in others)])


def not_mentioned(words: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence that no document contains these words; nothing for no words."""
    if not words:
        return ()
    shown = ", ".join(f"“{printable(word, 40)}”" for word in words[:_NAMED])
    return (f"No document mentions {shown}.",)


def evidence_of(searched: Sequence[tuple[str, Found]], chosen: Sequence[SourcedHit]) -> list[Evidence]:
    """Return the documents of the chosen passages, in the order of their best passage."""
    documents = {
        (source, f"{document.alias}:{document.digest}"): document
        for source, found in searched
        for document in found.evidence([hit for of, hit in chosen if of == source])
    }
    return [documents[key] for key in dict.fromkeys((source, hit.document) for source, hit in chosen)]


def within(evidence: Sequence[Evidence], characters: float) -> list[Evidence]:
    """Return the evidence with its passages shortened at a sentence so that all fit; the best ones keep the most.

    Some of the first passage is always kept, so that the evidence is never empty.
    """
    if characters == float("inf"):
        return list(evidence)
    room = int(characters)
    found: list[Evidence] = []
    for document in evidence:
        kept: list[ScoredPassage] = []
        for passage in document.passages:
            if room <= 0 and (kept or found):
                continue
            end = cut(document.text, passage.start, passage.end, max(1, room))
            kept.append(passage._replace(end=end))
            room -= end - passage.start
        if kept:
            found.append(document._replace(passages=tuple(kept)))
    return found
