"""How likely running text holds an answer, and how likely the first passages do: told by named signals of a ranking."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import exp
from operator import mul
from typing import NamedTuple

from vademecum.core.candidates import SearchIndex
from vademecum.retrieval import answer_kinds
from vademecum.retrieval.passage_features import FEATURES, Likeness, Met
from vademecum.retrieval.passage_ranking import RankedPassage
from vademecum.retrieval.question import Question
from vademecum.retrieval.weights import documents as weights

_FIRST = 5
_MEANT_FROM, _MEANT_TO = 0.4, 0.9
"""From which cosine on a word stands for another, and from which on fully, when it is asked what is missing."""

SIGNALS = (
    "score",
    "margin",
    "margin_to_fourth",
    "spread",
    "share_of_first",
    "cover",
    "best_cover",
    "best_cover_sentence",
    "soft",
    "best_soft",
    "best_near",
    "heading_precision",
    "words_of_most",
    "page_of_most",
    "missing",
    "missing_second",
    "missing_share",
    "missing_in_first_five",
    "missing_in_document",
    "missing_share_in_document",
    "pairs_in_sentences",
    "unknown_share",
    "unknown_terms",
    "unknown_names",
    "terms",
    "rarest",
    "mean_rarity",
    *(f"wants_{kind}" for kind in answer_kinds.NAMES),
)
"""The judges' signals: the ranking's shape, what of the question the best passages and their document lack, and the
question, with the kind of answer it wants."""


class Judged(NamedTuple):
    """What was judged of a ranking.

    Attributes:
        answerability: Probability in 0-1 that the documents hold an answer.
        confidence: Probability in 0-1 that the first passages do; never above.
        signals: What that rests on, by name.
    """

    answerability: float
    confidence: float
    signals: Mapping[str, float]


BORDER = weights.BORDER
"""The answerability from which on a question is answered."""


def judge_passages(
    question: Question, likeness: Likeness, ranked: Sequence[RankedPassage], index: SearchIndex
) -> Judged:
    """Judge a ranking."""
    if not ranked:
        return Judged(0.0, 0.0, {})
    signals = signals_of(question, likeness, ranked, index)
    if not signals[
        SIGNALS.index("best_cover")
    ]:  # likeness alone, without a word in common, is no ground for an answer
        return Judged(0.0, 0.0, dict(zip(SIGNALS, signals, strict=True)))
    there = _logistic(weights.THERE_BASE + sum(map(mul, weights.THERE, signals)))
    right = _logistic(weights.RIGHT_BASE + sum(map(mul, weights.RIGHT, signals)))
    named = dict(zip(SIGNALS, signals, strict=True))
    return Judged(there, min(there, right), named)


def signals_of(
    question: Question, likeness: Likeness, ranked: Sequence[RankedPassage], index: SearchIndex
) -> list[float]:
    """The signals, in the order of `SIGNALS`."""
    scores = [one.score for one in ranked]
    padded = [*scores, *[scores[-1]] * 3]
    exps = [exp(max(-60.0, score - scores[0])) for score in scores]
    first = dict(zip(FEATURES, ranked[0].features, strict=True))
    best = {
        name: max(one.features[FEATURES.index(name)] for one in ranked[:_FIRST])
        for name in ("cover", "cover_sentence", "soft", "near")
    }
    unknown = [term for term in question.terms if not term.known]
    rarities = likeness.news
    whole = sum(rarities) or 1.0
    missing = _missing(likeness, [ranked[0].met])
    everywhere = _missing(likeness, [one.met for one in ranked[:_FIRST]])
    in_document = _missing(likeness, [likeness.met(index.document_terms(ranked[0].place))])
    return [
        scores[0],
        padded[0] - padded[1],
        padded[0] - padded[3],
        scores[0] - sum(scores[:30]) / len(scores[:30]),
        1 / sum(exps),
        first["cover"],
        best["cover"],
        best["cover_sentence"],
        first["soft"],
        best["soft"],
        best["near"],
        first["heading_precision"],
        max(one.features[FEATURES.index("words")] for one in ranked),
        max(one.features[FEATURES.index("page")] for one in ranked),
        missing[0] / likeness.rarest,
        missing[1] / likeness.rarest,
        sum(missing) / whole,
        everywhere[0] / likeness.rarest,
        in_document[0] / likeness.rarest,
        sum(in_document) / whole,
        _pairs(question, ranked, index),
        sum(news for news, term in zip(rarities, question.terms, strict=True) if not term.known) / whole,
        float(len(unknown)),
        float(sum(1 for term in unknown if not (term.word.islower() and term.word.isalpha()))),
        float(len(rarities)),
        max(rarities, default=0.0) / likeness.rarest,
        whole / max(1, len(rarities)) / likeness.rarest,
        *map(float, answer_kinds.answer_kinds(question.text)),
    ]


def _missing(likeness: Likeness, met: Sequence[Met]) -> list[float]:
    """The rarity of each term that none of these meets, to the degree to which it is not met; largest first, at least two."""
    found = []
    for position, news in enumerate(likeness.news):
        alike = max(one.alike[position] for one in met)
        part = min(1.0, max(0.0, (alike - _MEANT_FROM) / (_MEANT_TO - _MEANT_FROM)))
        found.append(news * (1 - part))
    return [*sorted(found, reverse=True), 0.0, 0.0]


def _pairs(question: Question, ranked: Sequence[RankedPassage], index: SearchIndex) -> float:
    """The share of the question's neighbouring terms that stand together in a sentence of the first passages."""
    pairs = [(one.number, other.number) for one, other in pairwise(question.terms)]
    sentences = [
        sentence
        for one in ranked[:_FIRST]
        for sentence in index.facts(one.place, one.passage.passage).sentences
    ]
    met = sum(
        1 for one, other in pairs if any(one in sentence and other in sentence for sentence in sentences)
    )
    return met / len(pairs) if pairs else 1.0


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-max(-60.0, min(60.0, value))))
