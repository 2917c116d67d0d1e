"""Rank parts of running text by a fitted sum of their features: the part that answers the question comes first."""

from collections.abc import Sequence
from functools import cache
from operator import mul
from typing import NamedTuple

from vademecum.core.evidence import Unit
from vademecum.core.fitted import weights_of
from vademecum.retrieval.passages.features import Likeness
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.units.features import FEATURES, Nearness, measure_units
from vademecum.retrieval.weights import text_numbers


class ScoredUnit(NamedTuple):
    """A unit with its score (higher is better) and its features."""

    unit: Unit
    score: float
    features: tuple[float, ...]


@cache
def unit_weights(*, by_transformer: bool) -> tuple[float, ...]:
    """Return the weights of the features, fitted by `training/units.py`."""
    return weights_of(text_numbers(by_transformer=by_transformer)["units"], FEATURES)


def ranked_units(
    question: Question, likeness: Likeness, units: Sequence[Unit], nearness: Nearness
) -> list[ScoredUnit]:
    """Rank units by the fitted sum of their features, best first."""
    weights = unit_weights(by_transformer=nearness.by_transformer)
    ranked = [
        ScoredUnit(unit, float(sum(map(mul, weights, row))), row)
        for unit, row in zip(units, measure_units(question, likeness, units, nearness), strict=True)
    ]
    return sorted(ranked, key=lambda one: (-one.score, one.unit.passage, one.unit.start))
