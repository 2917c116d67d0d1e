"""Rank units of running text: the sentence, list item or row that answers the question.

A fitted sum of features selects the best units, and boosted trees over more features order them.
"""

from collections.abc import Callable, Sequence
from functools import cache
from operator import mul
from typing import NamedTuple

from vademecum.core.evidence import Unit
from vademecum.core.fitted import Trees, weights_of
from vademecum.retrieval.passages.features import Likeness
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.units.features import CLOSER, FEATURES, Nearness, measure_closer, measure_units
from vademecum.retrieval.weights import text_numbers

LIKELIEST = 16
"""The number of units that the trees order."""

FIRST_SHARE = 0.2
"""The weight of the fitted sum relative to the trees."""


class ScoredUnit(NamedTuple):
    """A unit with its score (higher is better) and its features."""

    unit: Unit
    score: float
    features: tuple[float, ...]


@cache
def unit_weights(*, by_transformer: bool) -> tuple[float, ...]:
    """Return the weights of the features, fitted by `training/units.py`."""
    return weights_of(text_numbers(by_transformer=by_transformer)["units"], FEATURES)


@cache
def unit_trees(*, by_transformer: bool) -> Callable[[Sequence[float]], float]:
    """Return the trees over the closer features, fitted by `training/units.py`."""
    return Trees(text_numbers(by_transformer=by_transformer)["unit_trees"], CLOSER)


def ranked_units(
    question: Question, likeness: Likeness, units: Sequence[Unit], nearness: Nearness
) -> list[ScoredUnit]:
    """Rank units, best first.

    The trees order the best units. The others follow in the order of their sums.
    """
    weights = unit_weights(by_transformer=nearness.by_transformer)
    found = [
        (unit, float(sum(map(mul, weights, row))), row)
        for unit, row in zip(units, measure_units(question, likeness, units, nearness), strict=True)
    ]
    found.sort(key=lambda one: (-one[1], one[0].passage, one[0].start))
    likeliest, others = found[:LIKELIEST], found[LIKELIEST:]
    trees = unit_trees(by_transformer=nearness.by_transformer)
    closer = measure_closer(question, likeness, units, likeliest, nearness)
    ranked = [
        ScoredUnit(unit, trees(more) + FIRST_SHARE * score, row)
        for (unit, score, row), more in zip(likeliest, closer, strict=True)
    ]
    ranked.sort(key=lambda one: (-one.score, one.unit.passage, one.unit.start))
    least = ranked[-1].score if ranked else 0.0
    ranked += [
        ScoredUnit(unit, least - FIRST_SHARE * (likeliest[-1][1] - score), row) for unit, score, row in others
    ]
    return ranked
