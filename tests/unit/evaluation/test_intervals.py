"""Intervals hold the truth about as often as they say, and are the same each time."""

# ruff: noqa: S311 - seeded dice for statistics, no secrets

import random

import pytest

from vademecum.evaluation.intervals import ece_interval, interval, mean_interval, paired_difference
from vademecum.evaluation.metrics import auroc, mean


def drawn(seed, slope, n=300):
    """Confidences, and outcomes that are right `slope` times as often."""
    dice = random.Random(seed)
    return [
        (confidence, dice.random() < slope * confidence) for confidence in (dice.random() for _ in range(n))
    ]


def ranked(seed, n=80):
    """Scores and labels; the true AUROC is the chance that a uniform plus a half beats a uniform."""
    dice = random.Random(seed)
    return [(dice.random() + place % 2 / 2, bool(place % 2)) for place in range(n)]


TRUTHS = {
    "mean": (lambda seed: mean_interval([float(right) for _, right in drawn(seed, 0.8)], resamples=200), 0.4),
    "auroc": (lambda seed: interval(ranked(seed), auroc, resamples=200), 1 - 0.5**2 / 2),
    "ece calibrated": (lambda seed: ece_interval(drawn(seed, 1), resamples=200), 0.0),
    "ece boasting": (lambda seed: ece_interval(drawn(seed, 0.5), resamples=200), 0.5 * (1 / 3) ** 0.5),
}


@pytest.mark.parametrize("figure", TRUTHS)
@pytest.mark.parametrize(("seeds", "least"), [(3, 3), pytest.param(100, 88, marks=pytest.mark.nightly)])
def test_an_interval_holds_the_truth_as_often_as_it_says_and_is_narrow(figure, seeds, least):
    interval_of, truth = TRUTHS[figure]
    held = [low <= truth <= high < low + 0.25 for low, high in map(interval_of, range(seeds))]
    assert sum(held) >= least


def test_pairs_cancel_what_is_equally_hard():
    dice = random.Random(9)
    baseline = [float(dice.random() < 0.5) for _ in range(300)]
    ours = [1.0 if dice.random() < 0.05 else value for value in baseline]
    gain, (low, high) = paired_difference(ours, baseline)
    assert gain == pytest.approx(mean(ours) - mean(baseline))
    assert 0 < low <= gain <= high
    apart = mean_interval(ours), mean_interval(baseline)
    assert high - low < 0.5 * min(top - bottom for bottom, top in apart)
