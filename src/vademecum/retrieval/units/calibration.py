"""The probabilities that running text contains an answer, and that the first unit is it."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import exp, log1p
from operator import mul
from typing import Any, NamedTuple

from vademecum.core.candidates import SearchIndex
from vademecum.core.fitted import Trees, chance_of, weights_of
from vademecum.retrieval.passages.features import FEATURES, MEANT_FROM, Likeness, meant, terms_in
from vademecum.retrieval.passages.ranking import RankedPassage
from vademecum.retrieval.question import wanted
from vademecum.retrieval.question.question import Question, Term
from vademecum.retrieval.units import features as unit_features
from vademecum.retrieval.units.ranking import ScoredUnit
from vademecum.retrieval.weights import text_numbers

_FIRST = 5
_MOST_WORDS = 30
"""The maximum number of distinct question words that count: a page-long question contains no more information than two lines."""

_LOOSE_FROM, _LOOSE_TO = 0.3, 0.7
"""The same, with a looser standard of similarity."""

SIGNALS = (
    "score", "margin", "margin_to_fourth", "spread", "share_of_first", "cover", "best_cover", "best_cover_sentence", "soft", "best_soft", "best_near",
    "heading_precision", "words_of_most", "missing", "missing_second", "missing_share", "missing_in_first_five", "missing_in_document",
    "missing_share_in_document", "pairs_in_sentences", "unknown_share", "unknown_terms", "unknown_names", "terms", "rarest", "mean_rarity", "known_rarity",
    "rarest_known", "names", "question_words", "sentences", "heading_alike", "loosely_alike",
    *(f"{part}_{how}" for part in ("first", "first_five", "document") for how in ("has", "lacks", "alike")), *(f"wants_{kind}" for kind in wanted.NAMES),
    "windows", "unit_score", "unit_margin", "unit_margin_to_fourth", "unit_missing", "unit_missing_second", "unit_missing_share",
    *(f"unit_{name}" for name in unit_features.FEATURES),
)  # fmt: skip
"""The signals: the shape of the ranking, the parts of the question that the best passages and their document contain and lack, the question
and the kind of answer it asks for, the size of the collection, and the best unit."""


class Calibration(NamedTuple):
    """The calibrated probabilities of an answer.

    Attributes:
        answerability: The probability (0-1) that the documents contain an answer.
        confidence: The probability (0-1) that the beginning of the first unit is one; never above `answerability`.
    """

    answerability: float
    confidence: float
    signals: Mapping[str, float]


class _LogOdds:
    """The sum of a logistic regression and boosted trees over the signals, fitted by `training/calibration.py`."""

    def __init__(self, fitted: Mapping[str, Any]) -> None:
        self._base, self._share = fitted["base"], fitted["share_of_trees"]
        self._weights = weights_of(fitted["weights"], SIGNALS)
        self._trees = Trees(fitted["trees"], SIGNALS)

    def __call__(self, signals: Sequence[float]) -> float:
        linear = sum(map(mul, self._weights, signals))
        return float(self._base + linear + self._share * self._trees(signals))


@cache
def log_odds(label: str, *, by_transformer: bool = False) -> Callable[[Sequence[float]], float]:
    """Return the models of the log odds of `answerable` and `right`."""
    return _LogOdds(text_numbers(by_transformer=by_transformer)[label])


THRESHOLD: float = text_numbers(by_transformer=False)["threshold"]
"""The minimum answerability of an answer, with and without a transformer."""

USUAL_THRESHOLD = 0.35
"""The default minimum confidence of an answer."""


def calibrate(
    question: Question,
    likeness: Likeness,
    ranked: Sequence[RankedPassage],
    units: Sequence[ScoredUnit],
    index: SearchIndex,
    *,
    by_transformer: bool = False,
) -> Calibration:
    """Calibrate a ranking of units."""
    if not ranked or not units:
        return Calibration(0.0, 0.0, {})
    signals = signals_of(question, likeness, ranked, units, index)
    named = dict(zip(SIGNALS, signals, strict=True))
    answerability = chance_of(log_odds("answerable", by_transformer=by_transformer)(signals))
    right = chance_of(log_odds("right", by_transformer=by_transformer)(signals))
    return Calibration(answerability, min(answerability, right), named)


def signals_of(
    question: Question,
    likeness: Likeness,
    ranked: Sequence[RankedPassage],
    units: Sequence[ScoredUnit],
    index: SearchIndex,
) -> list[float]:
    """Return the signals, in the order of `SIGNALS`; see `calibrate`."""
    scores = [one.score for one in ranked]
    padded = [*scores, *[scores[-1]] * 3]
    exps = [exp(max(-60.0, score - scores[0])) for score in scores]
    first = dict(zip(FEATURES, ranked[0].features, strict=True))
    best = {name: _most(name, ranked[:_FIRST]) for name in ("cover", "cover_sentence", "soft", "near")}
    unknown = [term for term in question.terms if not term.known]
    rarities = likeness.news
    whole = sum(rarities) or 1.0
    facts = index.facts(ranked[0].place, ranked[0].passage.passage)
    heading = likeness.met(facts.heading | facts.title).alike
    of_first = ranked[0].met.alike
    of_five = tuple(map(max, *(one.met.alike for one in ranked[:_FIRST]), of_first))
    in_document = likeness.met(
        index.document_terms(ranked[0].place)
    ).alike  # of a long one only the beginning is read
    of_document = tuple(map(max, in_document, of_first))
    missing, everywhere, lacking = (_missing(likeness, one) for one in (of_first, of_five, of_document))
    known = [news for news, term in zip(rarities, question.terms, strict=True) if term.known]
    return [
        scores[0], padded[0] - padded[1], padded[0] - padded[3], scores[0] - sum(scores[:30]) / len(scores[:30]), 1 / sum(exps), first["cover"], best["cover"],
        best["cover_sentence"], first["soft"], best["soft"], best["near"], first["heading_precision"], _most("words", ranked), missing[0] / likeness.rarest,
        missing[1] / likeness.rarest, sum(missing) / whole, everywhere[0] / likeness.rarest, lacking[0] / likeness.rarest, sum(lacking) / whole,
        _pairs(question, ranked, index), 1 - sum(known) / whole if rarities else 0.0, float(len(unknown)),
        float(sum(1 for term in unknown if not (term.word.islower() and term.word.isalpha()))), float(len(rarities)),
        max(rarities, default=0.0) / likeness.rarest, whole / max(1, len(rarities)) / likeness.rarest, sum(known) / likeness.rarest,
        max(known, default=0.0) / likeness.rarest, float(any(map(_is_name, question.terms))), float(min(_MOST_WORDS, len(set(question.text.lower().split())))),
        log1p(len(facts.sentences)), sum(map(mul, rarities, meant(heading))) / whole, sum(map(mul, rarities, meant(of_five, _LOOSE_FROM, _LOOSE_TO))) / whole,
        *(share / whole for alike in (of_first, of_five, of_document) for share in _had(rarities, alike)), *map(float, wanted.answer_kinds(question.text)),
        log1p(index.windows()), *_of_units(likeness, units),
    ]  # fmt: skip


def _of_units(likeness: Likeness, units: Sequence[ScoredUnit]) -> list[float]:
    """Return how much of the question the best unit contains, and how far it is ahead."""
    first = units[0]
    padded = [*(unit.score for unit in units[:4]), *[units[-1].score] * 3]
    text, heading = first.unit.text, first.unit.heading
    said = likeness.met(terms_in(text) | likeness.stated(text) | terms_in(heading))
    missing = _missing(likeness, said.alike)
    return [
        first.score,
        padded[0] - padded[1],
        padded[0] - padded[3],
        missing[0] / likeness.rarest,
        missing[1] / likeness.rarest,
        sum(missing) / (sum(likeness.news) or 1.0),
        *first.features,
    ]


def _most(name: str, ranked: Sequence[RankedPassage]) -> float:
    """Return the largest value of a feature."""
    at = FEATURES.index(name)
    return max([one.features[at] for one in ranked])


def _missing(likeness: Likeness, alike: Sequence[float]) -> list[float]:
    """Return the unmet rarity of each term, largest first; at least two values."""
    degrees = meant(alike)
    found = [news * (1 - degree) for news, degree in zip(likeness.news, degrees, strict=True)]
    return [*sorted(found, reverse=True), 0.0, 0.0]


def _had(rarities: Sequence[float], alike: Sequence[float]) -> tuple[float, float, float]:
    """Return the rarity of literally contained terms, of terms without similar words, and of all terms weighted by similarity."""
    pairs = list(zip(rarities, alike, strict=True))
    return (
        sum([rare for rare, one in pairs if one >= 1.0]),
        sum([rare for rare, one in pairs if one < MEANT_FROM]),
        sum(map(mul, rarities, alike)),
    )


def _is_name(term: Term) -> bool:
    """Return whether a word looks like a name or identifier: with signs, digits or inner capitals."""
    return not term.word.isalpha() or term.word[1:] != term.word[1:].lower()


def _pairs(question: Question, ranked: Sequence[RankedPassage], index: SearchIndex) -> float:
    """Return the share of neighbouring question terms that are in one sentence of the first passages."""
    pairs = [frozenset((one.number, other.number)) for one, other in pairwise(question.terms)]
    sentences = [
        sentence
        for one in ranked[:_FIRST]
        for sentence in index.facts(one.place, one.passage.passage).sentences
    ]
    met = sum(any(map(pair.issubset, sentences)) for pair in pairs)
    return met / len(pairs) if pairs else 1.0
