"""Analyse, retrieve and evaluate: what manual pages have on a question, and what running text has, each by its own method."""

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING, NamedTuple

from vademecum.core.candidates import Candidate
from vademecum.core.trace import Json
from vademecum.index.reader import Index
from vademecum.retrieval.answerability import judge
from vademecum.retrieval.collect import collect
from vademecum.retrieval.features import FEATURES, measure
from vademecum.retrieval.question import Question, analyse
from vademecum.retrieval.rank import rank
from vademecum.retrieval.weights import manual_weights

if TYPE_CHECKING:
    from vademecum.ask.passages import Found

PASSAGES = 10
"""How many passages of running text may be answered from."""

_EXPLAINED = 5
"""How many candidates the trace shows with all their features."""

_TEXT_SOONER = 0.25
"""How much less likely (in log odds) an answer may be in running text than in manual pages, and it still leads: people who
add notes want them."""

_SURE = 1e-6


class Rated(NamedTuple):
    """What the documents of one method have on a question.

    Attributes:
        question: The question, analysed by the words of these documents.
        part: These documents.
        ranked: The candidates, best first; of manual pages alone.
        found: The passages; of running text alone.
        answerability: Probability in 0-1 that they hold an answer.
        confidence: Probability in 0-1 that what is first is one; never above.
        reasons: Why either is low, most telling first.
    """

    question: Question
    part: Index
    ranked: Sequence[Candidate]
    found: "Found | None"
    answerability: float
    confidence: float
    reasons: tuple[str, ...]

    @property
    def margin(self) -> float:
        """The log odds of the confidence; running text, which people add by hand, has a little more."""
        chance = min(max(self.confidence, _SURE), 1 - _SURE)
        return log(chance / (1 - chance)) + (_TEXT_SOONER if self.found else 0.0)


def rate(text: str, index: Index, *, passages: int = PASSAGES) -> list[Rated]:
    """Analyse, retrieve and evaluate in the documents of each method; the likeliest to answer first.

    Args:
        text: The question.
        index: What may be found.
        passages: How many passages of running text are looked at.

    Raises:
        AnswerError: There is nothing to look for in `text`.
    """
    rated = [
        _rate_text(text, part, passages) if part.method == "documents" else _rate_pages(text, part)
        for part in index.parts() or [index]
    ]
    return sorted(rated, key=lambda one: -one.margin)


def _rate_pages(text: str, index: Index) -> Rated:
    question = analyse(text, index)
    weights = manual_weights(index.embedder)
    ranked = rank(question, measure(question, collect(question, index), index), weights)
    judged = judge(question, ranked, weights)
    return Rated(question, index, ranked, None, judged.answerability, judged.confidence, judged.reasons)


def _rate_text(text: str, index: Index, passages: int) -> Rated:
    from vademecum.ask.passages import find as find_passages  # noqa: PLC0415 - where there is running text

    found = find_passages(index, text, passages)
    return Rated(found.question, index, (), found, found.answerability, found.confidence, found.unmentioned())


def retrieved(rated: Rated) -> dict[str, Json]:
    """What was found, for the trace."""
    if rated.found:
        return {
            "passages": [
                {
                    "chunk_id": hit.passage,
                    "reference": hit.reference,
                    "section": hit.heading,
                    "score": round(hit.score, 4),
                    "cosine": round(1.0 - hit.distance, 4),
                }
                for hit in rated.found.hits
            ]
        }
    return {
        "candidates": len(rated.ranked),
        "first": [one.page.reference for one in rated.ranked[:_EXPLAINED]],
    }


def evaluated(rated: Rated) -> dict[str, Json]:
    """How it was ranked, for the trace."""
    if rated.found:
        scores: list[Json] = [
            {"passage": hit.passage, "score": round(hit.score, 4)} for hit in rated.found.hits
        ]
        signals = {name: round(value, 4) for name, value in rated.found.signals.items() if value}
        return {"passages": scores, "signals": signals}
    return {"candidates": [_explained(one) for one in rated.ranked[:_EXPLAINED]]}


def _explained(candidate: Candidate) -> dict[str, Json]:
    features = {
        name: round(value, 4) for name, value in zip(FEATURES, candidate.features, strict=True) if value
    }
    return {"reference": candidate.page.reference, "score": round(candidate.score, 4), "features": features}
