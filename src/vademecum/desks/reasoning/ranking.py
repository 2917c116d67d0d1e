"""Rank templates by their features, and compute the probability that any of them fits.

Two fitted models, both in a few numbers (`data/weights.json`, made by `training/reasoning.py`): a conditional logit
ranks (McFadden 1974), and a logistic judge of the ranking says whether any fits.
"""

from collections.abc import Sequence
from math import exp, log1p
from operator import mul
from pathlib import Path
from typing import NamedTuple

from vademecum.core.fitted import read_fitted, weights_of
from vademecum.desks.reasoning.index import Measured, Measures
from vademecum.desks.reasoning.kinds import KINDS, asks_about, kinds_of

FEATURES = (
    "unlike_others",
    "like_own",
    "nearest",
    "near",
    "words",
    "cover",
    "phrases",
    "meaning",
)
"""What the ranking weighs, in order. `words` is a share of the best template's."""

SIGNALS = (
    "bias",
    "unlike_nothing",
    "like_nothing",
    "nearest_nothing",
    "words",
    "known",
    "length",
    *KINDS,
)
"""What the judge weighs, in order."""

_FITTED = read_fitted(Path(__file__).with_name("data") / "weights.json")
_RANK_WEIGHTS, _FIT_WEIGHTS = weights_of(_FITTED["rank"], FEATURES), weights_of(_FITTED["fit"], SIGNALS)

THRESHOLD: float = _FITTED["threshold"]
"""The chance that any template fits, from which on one is taken."""

_NAMED = 3.0
"""What a template is worth more that the problem names, and its fitting, too, unless it is asked what the name means. Few
problems name one, so this is set and not fitted."""

_LONG = 12
"""Words from which on a problem counts as long."""


class Ranked(NamedTuple):
    """The templates in order, and what is thought of them.

    Attributes:
        order: Numbers of the templates, best first; among equals in the index's order.
        shares: The chance (0-1) of each, by number, if any fits; together 1.
        fits: The chance (0-1) that any fits.
        signals: What that rests on, in the order of `SIGNALS`.
    """

    order: list[int]
    shares: list[float]
    fits: float
    signals: tuple[float, ...]

    @property
    def decides(self) -> bool:
        """Return whether a template is taken, and not the fallback."""
        return self.fits >= THRESHOLD


def features_of(measures: Measures) -> list[tuple[float, ...]]:
    """Each template's features, in the order of `FEATURES`."""
    best = max((template.words for template in measures.templates), default=0.0) or 1.0
    return [_features(template, best) for template in measures.templates]


def _features(one: Measured, best: float) -> tuple[float, ...]:
    return (
        one.likeness.unlike_others,
        one.likeness.like_own,
        one.likeness.nearest,
        one.likeness.near,
        one.words / best,
        one.cover,
        log1p(one.phrases),
        one.meaning,
    )


def rank(problem: str, measures: Measures, weights: Sequence[float] = _RANK_WEIGHTS) -> Ranked:
    """Rank the templates, and judge whether any fits. Of no templates none fits."""
    named = [_NAMED * template.named for template in measures.templates]
    scores = [
        sum(map(mul, weights, one), bonus) for one, bonus in zip(features_of(measures), named, strict=True)
    ]
    if not scores:
        return Ranked([], [], 0.0, ())
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    best = scores[order[0]]
    powers = [exp(score - best) for score in scores]
    shares = [power / sum(powers) for power in powers]
    signals = signals_of(problem, measures, order[0])
    asked_for = _NAMED if named[order[0]] and not asks_about(problem) else 0.0
    return Ranked(order, shares, _logistic(sum(map(mul, _FIT_WEIGHTS, signals), asked_for)), signals)


def signals_of(problem: str, measures: Measures, best: int) -> tuple[float, ...]:
    """What tells whether any template fits, in the order of `SIGNALS`.

    Args:
        problem: As asked.
        measures: Of at least one template.
        best: The number of the template that is ranked first.
    """
    first = measures.templates[best]
    likenesses = [template.likeness for template in measures.templates]
    return (
        1.0,
        measures.nothing.unlike_others - max(likeness.unlike_others for likeness in likenesses),
        measures.nothing.like_own - max(likeness.like_own for likeness in likenesses),
        measures.nothing.nearest - max(likeness.nearest for likeness in likenesses),
        log1p(first.words),
        measures.known,
        log1p(min(len(problem.split()), _LONG)),
        *kinds_of(problem),
    )


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, value))))
