"""Bootstrap confidence intervals, seeded, using only the standard library.

The percentile bootstrap (Efron & Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13):
draw as many questions as there are, with replacement, compute the figure again, and take what the
middle 95 % of many such draws span. A figure that is the same for every question (all citations
exact) gets an interval of no width, which says only that no question in hand was different.
"""

import math
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from vademecum.evaluation.metrics import Pair, mean, percentile, squared_calibration_error

Item = TypeVar("Item")

SEED = 20251
RESAMPLES = 1000
LEVEL = 0.95


class Interval(NamedTuple):
    """The bounds of a figure, both inclusive, `low` ≤ `high`."""

    low: float
    high: float


def bootstrap(
    items: Sequence[Item],
    statistic: Callable[[list[Item]], float | None],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> list[float]:
    """The figure over each of many resamples.

    Returns:
        Sorted ascending; empty for no items or no resamples.
    """
    if not items:
        return []
    dice = random.Random(seed)  # noqa: S311 - statistics, not secrets
    places = range(len(items))
    values = []
    for _ in range(resamples):
        drawn = dice.choices(places, k=len(items))
        drawn.sort()
        value = statistic([items[place] for place in drawn])
        if value is not None:
            values.append(value)
    return sorted(values)


def interval(
    items: Sequence[Item],
    statistic: Callable[[list[Item]], float | None],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """The 95 % percentile interval of any figure; arguments as in `bootstrap`, `None` if that is empty."""
    return _middle(bootstrap(items, statistic, resamples=resamples, seed=seed))


def mean_interval(
    values: Sequence[float], *, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval | None:
    """The 95 % interval of a mean: `interval(values, mean)`, in a third of its time. `None` of nothing."""
    if not values:
        return None
    dice = random.Random(seed)  # noqa: S311 - statistics, not secrets
    n = len(values)
    return _middle(sorted(math.fsum(dice.choices(values, k=n)) / n for _ in range(resamples)))


def paired_difference(
    ours: Sequence[float], baseline: Sequence[float], *, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[float | None, Interval | None]:
    """The mean of `ours` minus the mean of `baseline`, and its 95 % interval.

    The two are drawn together, question by question: most questions are equally hard for both, and
    that part of the noise cancels. An interval that leaves out 0 is a difference.

    Returns:
        Difference and interval, both `None` for no questions.
    """
    gains = [mine - theirs for mine, theirs in zip(ours, baseline, strict=True)]
    return mean(gains), mean_interval(gains, resamples=resamples, seed=seed)


def ece_interval(pairs: Sequence[Pair], *, resamples: int = RESAMPLES, seed: int = SEED) -> Interval | None:
    """The 95 % interval of `metrics.ece`.

    To a resample the questions in hand are the truth, and their own noise a real error of calibration:
    plain percentiles would lie around the biased estimate and leave out the debiased one. So the
    squared errors are moved by the bias (the estimate with it less the one without), then bounded.

    Returns:
        Both bounds in 0-1, or `None` of fewer than two pairs.
    """
    biased = squared_calibration_error(pairs, debias=False)
    debiased = squared_calibration_error(pairs)
    if biased is None or debiased is None:
        return None
    bounds = interval(sorted(pairs), squared_calibration_error, resamples=resamples, seed=seed)
    if bounds is None:
        return None
    low, high = (math.sqrt(min(1.0, max(0.0, bound - (biased - debiased)))) for bound in bounds)
    return Interval(low, high)


def _middle(ordered: Sequence[float]) -> Interval | None:
    """What the middle `LEVEL` of sorted values spans, or `None` of nothing."""
    low = percentile(ordered, (1 - LEVEL) / 2)
    high = percentile(ordered, (1 + LEVEL) / 2)
    return None if low is None or high is None else Interval(low, high)
