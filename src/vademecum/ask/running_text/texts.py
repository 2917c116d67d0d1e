"""Rate running text (notes, books, archives) by passage, across all collections, and quote from it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from vademecum.answering.quote import best_units, offered_of
from vademecum.ask.hits import SourcedHit
from vademecum.ask.kinds import USUAL, Corpus, Limits, Rated, Selected
from vademecum.ask.running_text.passages import FAINT, Found, find
from vademecum.ask.running_text.whole import MOST, draft_of
from vademecum.core.answers import Reference
from vademecum.core.errors import AnswerError, VademecumError
from vademecum.core.evidence import Draft, DraftStatement, Evidence, ScoredPassage
from vademecum.core.fitted import chance_of, log_odds
from vademecum.core.trace import Json
from vademecum.index.reader.index import Index
from vademecum.retrieval.english import english_share
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.units.calibration import THRESHOLD
from vademecum.text.language import language_of
from vademecum.text.printable import printable
from vademecum.text.sentences import cut

_NAMED = 3
_WITH_UNKNOWN = 0.65
"""The minimum answerability of a question with a word that no document mentions."""

_GUESSED_WITH_UNKNOWN = 0.5
"""The minimum answerability of a guess with such a word."""

_LACKING = 0.35
"""The minimum answerability of a guess from a selection that lacks a word of the question."""

_CARRIED = 0.5
"""What is added to the log odds of a question with words of earlier ones. Of 51 such questions, half are right with a confidence of 0.37."""

_ENGLISH = 0.7
"""The minimum share of usual English words in an English text."""

_OFFERED = 10
"""The number of passages that a model can choose from."""

USUAL_SIMILARITY = 0.5
"""The cosine threshold that is common in other systems. It is applied only if the configuration says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedTexts(Rated):
    """Running text, rated for a question.

    Attributes:
        hits: The passages of all collections, best first.
        best: The passages of the collection that is likeliest to answer.
        selected: The selection that was searched in place of collections.
    """

    question: Question
    index: Index
    sources: Sequence[str]
    threshold: float
    answerability: float
    confidence: float
    reasons: Sequence[str]
    hits: Sequence[SourcedHit]
    best: Found
    searched: Sequence[tuple[str, Found]]
    selected: Selected | None = None
    sooner: ClassVar[float] = 0.25  # people who add notes want them
    least_guess: ClassVar[float] = 0.1

    @property
    def is_foreign(self) -> bool:
        """Return whether the text is in no collection."""
        return self.selected is not None and not self.selected.is_located

    @property
    def in_own_words(self) -> bool:
        """See `Rated`. A list of documents or values is not chosen from."""
        return bool(self.best.whole)

    @property
    def answers(self) -> bool:
        """Return whether the confidence reaches the threshold, and the documents probably contain an answer."""
        least = _WITH_UNKNOWN if self.reasons and not self.selected else THRESHOLD
        is_likely = self.confidence >= self.threshold and self.answerability >= least
        return is_likely and not self.best.other_labels()

    @property
    def is_guess(self) -> bool:
        """See `Rated`. If no document mentions a word of the question, the documents must be likely to say it in other words."""
        least = _LACKING if self.selected else _GUESSED_WITH_UNKNOWN
        says_otherwise = self.answerability >= least and not self.best.other_labels()
        return super(RatedTexts, self).is_guess and (says_otherwise or not self.reasons)

    def carried(self) -> "RatedTexts":
        """See `Rated`. The calibration counts words as missing that only earlier questions had."""
        raised = [chance_of(log_odds(chance) + _CARRIED) for chance in (self.answerability, self.confidence)]
        return replace(self, answerability=raised[0], confidence=raised[1])

    def names(self, word: str) -> bool:
        """See `Rated`."""
        shown = "".join(f"{found.unit.heading} {found.unit.text}" for found in self.best.units[:1])
        return bool(word) and word.lower() in shown.lower()

    @property
    def found(self) -> bool:
        """See `Rated`."""
        return bool(self.hits)

    def chosen(self, limits: Limits) -> list[SourcedHit]:
        """Return the passages to answer from: similar enough to the question, and relevant enough compared with the best one."""
        near = self._near(limits)
        if self.best.whole:
            return near
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

    def origins(self, limits: Limits, *, of_choices: bool = False) -> list[str]:
        """Return the collection of each document of the evidence, or of the choices."""
        hits = self._near(limits)[:_OFFERED] if of_choices else self.chosen(limits)
        pairs = dict.fromkeys((found.source, found.hit.document) for found in hits)
        return [source for source, _ in pairs]

    def draft(self, evidence: Sequence[Evidence]) -> Draft:
        """See `Rated`."""
        return self.best.quote(evidence, self.selected.length if self.selected else 0)

    def choices(
        self,
        evidence: Sequence[Evidence],
        limits: Limits,
        names: Sequence[str] = (),  # noqa: ARG002 - for manual pages
    ) -> tuple[Sequence[Evidence], Iterator[DraftStatement]]:
        """See `Rated`. A model can choose from more passages than the answer without one quotes; an item of a list is preceded by its introduction."""
        wide = within(evidence_of(self.searched, self._near(limits)[:_OFFERED]), limits.characters)
        ranked = self.best.ranked(best_units(wide or evidence, _OFFERED, sentences=True))
        return wide or evidence, offered_of(ranked, wide or evidence)

    def nearest(self, most: int) -> list[tuple[str, Reference]]:
        """See `Rated`. Without the beginning of each document, which would read like an answer."""
        documents = {
            (source, hit.document): Reference(
                number=0, alias=hit.alias, document_ref=hit.reference, label=hit.title, document=hit.document
            )
            for source, hit in (() if self.is_foreign else self.hits)
        }
        return [(source, reference) for (source, _), reference in documents.items()][:most]

    def passages(self) -> Iterator[SourcedHit]:
        """See `Rated`."""
        return iter(self.hits)

    def lacking(self) -> tuple[str, ...]:
        """See `Rated`."""
        if self.best.whole:
            counts = (found.whole.total for _, found in self.searched if found.whole)
            count = max(draft_of(self.best.whole, self.evidence(USUAL)[0])[1], sum(counts) - MOST)
            return (f"{count} more are not shown.",) if count else ()
        return () if self.selected else unmentioned(self.searched, names=True)

    def noted(self, limits: Limits) -> dict[str, Json]:
        """See `Rated`."""
        return {
            "similarity_threshold": limits.cosine,
            "usual_threshold_would_cut": [
                hit.passage for _, hit in self.hits if 1.0 - hit.distance < USUAL_SIMILARITY
            ],
        }

    def retrieved(self) -> dict[str, Json]:
        """See `Rated`."""
        place = self.selected.place() if self.selected else {}
        return place | {
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
        return {
            "passages": [{"passage": hit.passage, "score": round(hit.score, 4)} for _, hit in self.hits],
            "by_transformer": self.best.nearby.by_transformer,
            "signals": {name: round(value, 4) for name, value in self.best.signals.items() if value},
        }


def rate_texts(
    text: str, corpora: Sequence[Corpus], limits: Limits
) -> tuple[RatedTexts | None, list[VademecumError]]:
    """Rate running text for a question; None if none can be searched, with the reasons."""
    searched: list[tuple[str, Found]] = []
    faults: list[VademecumError] = []
    for corpus in corpora:
        try:
            found = find(corpus.index, text, limits.passages, site=corpus.site)
            found = _numbered(found, corpus.selected.numbers) if corpus.selected else found
            searched.append((corpus.source, found))
        except AnswerError:
            raise
        except VademecumError as error:
            faults.append(error)
    if not searched:
        return None, faults
    return rated_of(searched, limits, corpora[0].threshold, corpora[0].selected), faults


def rated_of(
    searched: Sequence[tuple[str, Found]], limits: Limits, threshold: float, selected: Selected | None = None
) -> RatedTexts:
    """Return the rating of what was found in each collection, at least one."""
    best = max((found for _, found in searched), key=lambda found: found.answerability)
    hits = [
        SourcedHit(source, hit)
        for source, found in searched
        if not best.whole or (found.whole and found.answerability == best.answerability)
        for hit in found.hits
    ]
    hits.sort(key=lambda found: (-found.hit.relevance, found.source, found.hit.rank))
    return RatedTexts(
        question=best.question,
        index=best.index,
        sources=[source for source, _ in searched],
        threshold=threshold,
        answerability=best.answerability,
        confidence=best.confidence,
        reasons=(*_foreign(best), *unmentioned(searched)),
        hits=hits if best.whole else hits[: limits.passages],
        best=best,
        searched=searched,
        selected=selected,
    )


def _foreign(best: Found) -> tuple[str, ...]:
    """Return a sentence that a question seems to be in another language than English documents."""
    language = language_of(best.question.text)
    if not language or not best.hits or english_share(best.hits[0].text) < _ENGLISH:
        return ()
    return (f"The question seems to be in {language}, and the documents are in English.",)


def _numbered(found: Found, numbers: Sequence[int]) -> Found:
    """Return what was found in a selection, with the ids that its passages have in the document."""
    hits = []
    for hit in found.hits:
        document, _, number = hit.passage.rpartition(":")
        hits.append(replace(hit, passage=f"{document}:{numbers[int(number)]}"))
    return replace(found, hits=tuple(hits))


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
