"""Rank passages of all documents: collect them by words, measure them, and rank them by a fitted sum."""

import re
from collections.abc import Sequence
from functools import cache
from math import exp
from operator import mul
from typing import NamedTuple

from vademecum.core.candidates import DocumentId, PassageScore, SearchIndex, UnitNearness
from vademecum.core.fitted import weights_of
from vademecum.core.passages import SECTION, SparseVector
from vademecum.retrieval.passages.features import FEATURES, Likeness, Measured, Met, measure_passages
from vademecum.retrieval.question.definitions import asked_thing, mark_of
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.weights import text_numbers
from vademecum.text.words import STOP_WORDS

_LABEL = r"(?:[A-HJ-Z]|[b-hj-z]|\d{1,3})(?![\w°%]|[.,]\d|[-/]\w|\+|'|’)"
_LABELLED = re.compile(rf"\b([A-Za-z]{{2,}}) (?={_LABEL})(\w+)")


class Label(NamedTuple):
    """A letter or number that distinguishes things with the same name: class C, step 5."""

    noun: str
    mark: str

    def side(self, text: str) -> int:
        """Return 1 if a text contains it, -1 if it contains the name only with other letters or numbers, otherwise 0."""
        one = self.noun if self.noun.endswith("ss") else self.noun.removesuffix("s")
        name = rf"\b(?i:{one}(?:e?s)?)\b"
        listed = rf"{name}(?:[ ,/]{{1,2}}(?:\w|\d{{1,3}})\b(?:,? (?:and|or|to))?){{0,5}}[ ,/]{{1,2}}"
        if re.search(rf"{listed}{self.mark}(?![\w]|[.,]\d)", text):
            return 1
        return -1 if re.search(rf"{name}[ -]{_LABEL}", text) else 0


def labels(question: str) -> list[Label]:
    """Return the labels in a question.

    >>> labels("What is door class C made of?")
    [Label(noun='class', mark='C')]
    """
    return [Label(noun, mark) for noun, mark in _LABELLED.findall(question) if noun.lower() not in STOP_WORDS]


_BY_WORDS = 80
_BY_REPLACEMENTS = 40
_POOL_BY_WORDS = 45
_POOL_BY_REPLACEMENTS = 20
_DEFINING = 20
"""How many candidates are collected and measured. Passages that define the thing in question are always measured."""

_POOL_BY_MEANING = 40
"""How many of the nearest passages by a transformer are measured."""

_FEW = 100
"""The collection size up to which all passages are measured, because the answer may share no similar word with the question."""

_SPREAD = 3.0
"""The increase of a score that multiplies the odds of relevance by e."""


class RankedPassage(NamedTuple):
    """A candidate passage.

    Attributes:
        cosine: Its similarity to the question, -1 to 1.
        relevance: The score, scaled to 0-1.
    """

    place: DocumentId
    passage: PassageScore
    cosine: float
    features: tuple[float, ...]
    met: Met
    score: float
    relevance: float


def ranked_passages(
    question: Question, likeness: Likeness, index: SearchIndex, near: UnitNearness | None = None
) -> list[RankedPassage]:
    """Rank the passages that may answer a question, best first. Only windows are used, which contain all text."""
    weights, middle = passage_weights(by_transformer=near is not None)
    measured = measured_passages(question, likeness, index, near)
    ranked = [_ranked(candidate, weights, middle) for candidate in measured]
    ranked.sort(key=lambda one: (-one.score, one.place, one.passage.passage))
    return ranked


def measured_passages(
    question: Question, likeness: Likeness, index: SearchIndex, near: UnitNearness | None = None
) -> list[Measured]:
    """Collect and measure candidates, in no particular order. See `ranked_passages`."""
    asked = question.vector()
    thing = asked_thing(question.text)
    mark = SparseVector([mark_of(thing)], [1.0]) if thing else SparseVector([], [])
    queries = (asked, _BY_WORDS), (likeness.replacements(), _BY_REPLACEMENTS), (mark, _DEFINING)
    terms = [term.number for term in question.terms]
    by_words, by_replacements, defining, few = map(_sections, index.searched(queries, terms, _FEW))
    words = {(place.segment, one.passage): one.score for place, one in by_words}
    nearest = near.nearest(_POOL_BY_MEANING) if near else []
    pool: dict[tuple[int, int], tuple[DocumentId, PassageScore]] = {}
    for place, one in (
        *by_words[:_POOL_BY_WORDS],
        *by_replacements[:_POOL_BY_REPLACEMENTS],
        *defining,
        *nearest,
        *few,
    ):
        key = (place.segment, one.passage)
        if key not in pool:
            pool[key] = place, one._replace(score=words.get(key, 0.0))
    pairs = list(pool.values())
    numbers = [(place, one.passage) for place, one in pairs]
    cosines = near.passages(numbers) if near else index.passage_nearness(terms, numbers)
    found = [(place, one, cosine) for (place, one), cosine in zip(pairs, cosines, strict=True)]
    marked = {(place.segment, one.passage): one.score for place, one in defining}
    return measure_passages(likeness, found, marked, index)


def _sections(found: Sequence[tuple[DocumentId, PassageScore]]) -> list[tuple[DocumentId, PassageScore]]:
    return [(place, one) for place, one in found if one.kind == SECTION]


@cache
def passage_weights(*, by_transformer: bool) -> tuple[tuple[float, ...], float]:
    """Return the weights of the features, and the score with a relevance of 0.5. `training/passages.py` fits both."""
    numbers = text_numbers(by_transformer=by_transformer)
    return weights_of(numbers["passages"], FEATURES), numbers["middle"]


def plain_passages(
    question: Question, index: SearchIndex, limit: int
) -> list[tuple[DocumentId, PassageScore]]:
    """Rank passages with the baseline: only by the words of passages and headings."""
    found = index.passages(question.vector(), 2 * limit)
    return _sections(found)[:limit]


def _ranked(one: Measured, weights: Sequence[float], middle: float) -> RankedPassage:
    score = float(sum(map(mul, weights, one.features)))
    relevance = 1 / (1 + exp(max(-60.0, min(60.0, (middle - score) / _SPREAD))))
    return RankedPassage(one.place, one.passage, one.cosine, one.features, one.met, score, relevance)
