"""Rank units of running text: the sentence, list item or row that answers the question.

A fitted sum of features picks the likeliest units of all, and boosted trees over closer features put these in order.
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
"""How many units are looked at closely."""

FIRST_SHARE = 0.2
"""What the fitted sum counts beside the trees."""


class ScoredUnit(NamedTuple):
    """A unit, how well it answers the question (higher is better), and what was measured of it."""

    unit: Unit
    score: float
    features: tuple[float, ...]


@cache
def unit_weights(*, by_transformer: bool) -> tuple[float, ...]:
    """What each feature of a unit counts, fitted by `training/units.py`."""
    return weights_of(text_numbers(by_transformer=by_transformer)["units"], FEATURES)


@cache
def unit_trees(*, by_transformer: bool) -> Callable[[Sequence[float]], float]:
    """What the closer features tell, fitted by `training/units.py`."""
    return Trees(text_numbers(by_transformer=by_transformer)["unit_trees"], CLOSER)


def ranked_units(
    question: Question, likeness: Likeness, units: Sequence[Unit], nearness: Nearness
) -> list[ScoredUnit]:
    """Units by how well they answer the question, best first.

    Those that are not among the likeliest follow in the order of their sums.
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
