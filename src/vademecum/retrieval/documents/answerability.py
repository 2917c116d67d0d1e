"""The probabilities that the documents contain an answer, and that the first one is right."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vademecum.core.candidates import Candidate
from vademecum.core.fitted import chance_of
from vademecum.retrieval.documents.features import FEATURES
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.weights import ManualWeights

_FROM_FIRST = (
    "page_score", "cover_page", "cover_page_rarest", "cover_summary", "cover_name", "summary_precision", "line", "need", "need_rank", "need_words", "need_cover",
    "need_precision", "second_need", "page_rank", "line_rank", "pointed_to", "named_word", "named_reference", "options_missing", "question_terms",
    "unknown_share", "unknown_rarity", "unknown_names", "depth", "family_size", "kind_how_to", "kind_programming", "kind_format", "kind_concept", "kind_error",
    "kind_personal", "kind_elsewhere",
)  # fmt: skip

SIGNALS = (
    "score", "margin", "margin_to_third", "margin_to_other_name", "spread", *_FROM_FIRST, "best_line", "best_need", "best_need_cover", "best_cover_page",
    "best_cover_summary", "has_needs",
)  # fmt: skip
"""The signals of the calibration: the first scores, the first candidate's features, and the best of the first ten."""

_JUDGED = 10

_REFERENCE_FOUND, _REFERENCE_MISSING = 2.0, -2.0
"""Log odds added if the page that the question names exists, and if it does not."""


class Judgement(NamedTuple):
    """The calibrated probabilities (0-1) of a ranking, with reasons for people.

    Attributes:
        answerability: The probability that the documents contain an answer.
        right: The probability that the first candidate is right.
        reasons: Why either is low, most important first.
    """

    answerability: float
    right: float
    reasons: tuple[str, ...]


def judge(question: Question, ranked: Sequence[Candidate], weights: ManualWeights) -> Judgement:
    """Calibrate a ranking. Without candidates, both probabilities are 0."""
    if not ranked:
        return Judgement(0.0, 0.0, ("No document shares a word with the question.",))
    first = ranked[:_JUDGED]
    features = [dict(zip(FEATURES, candidate.features, strict=True)) for candidate in first]
    names = [candidate.page.reference.partition("(")[0] for candidate in first]
    signals = signals_of(features, [candidate.score for candidate in first], names)
    named = _named(question, ranked)
    answerability = chance_of(weights.answerable(signals) + named)
    return Judgement(answerability, chance_of(weights.right(signals) + named), _reasons(question, ranked))


def missing(question: Question, ranked: Sequence[Candidate]) -> tuple[str, ...]:
    """Return the manual pages that the question names but that do not exist."""
    there = {name.lower() for candidate in ranked for name in candidate.page.names}
    return tuple(
        reference
        for reference in question.references
        if not any(name.startswith(reference.lower().rstrip(")")) for name in there)
    )


def _named(question: Question, ranked: Sequence[Candidate]) -> float:
    """Return the log odds for existing or missing pages that the question names; 0 if it names none."""
    if not question.references:
        return 0.0
    return _REFERENCE_MISSING if missing(question, ranked) else _REFERENCE_FOUND


def signals_of(
    features: Sequence[Mapping[str, float]], scores: Sequence[float], names: Sequence[str]
) -> list[float]:
    """Return the signals in the order of `SIGNALS`, from the first ten candidates, best first.

    The margin is measured to the next candidate with another name, because `chmod(1)` and `chmod(2)` are both about `chmod`.
    """
    if not features:
        return [0.0] * len(SIGNALS)
    padded = [*scores, *[scores[-1]] * 3]
    return [
        scores[0],
        padded[0] - padded[1],
        padded[0] - padded[2],
        scores[0]
        - max((one for one, name in zip(scores, names, strict=True) if name != names[0]), default=scores[-1]),
        scores[0] - sum(scores) / len(scores),
        *(features[0][name] for name in _FROM_FIRST),
        max(feature["line"] for feature in features),
        max(feature["need"] for feature in features),
        max(feature["need_cover"] for feature in features),
        max(feature["cover_page"] for feature in features),
        max(feature["cover_summary"] for feature in features),
        features[0]["has_needs"],
    ]


def _reasons(question: Question, ranked: Sequence[Candidate]) -> tuple[str, ...]:
    """Return human-readable reasons for a low confidence."""
    page = ranked[0].page
    nearest = f"{page.reference}: {page.summary}" if page.summary else page.reference
    reasons = [
        f"There is no page {reference}; the nearest is {nearest}." for reference in missing(question, ranked)
    ]
    unknown = list(dict.fromkeys(term.word for term in question.terms if not term.known))
    if unknown:
        words = ", ".join(f"“{word}”" for word in unknown[:3])
        reasons.append(f"No document mentions {words}; the nearest is {nearest}.")
    return tuple(reasons)
