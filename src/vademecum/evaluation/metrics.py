"""Metrics: pure functions from numbers to one figure.

A figure over nothing is `None`, never 0 and never NaN. Wherever pairs are taken, their order does not
matter, also among equal scores.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

Pair = tuple[float, bool]
"""A score, and whether what it speaks of was so."""


class Bin(NamedTuple):
    """Questions of like confidence.

    Attributes:
        n: How many, at least 1.
        confidence: Their mean confidence, 0-1.
        right: The share of them that was right, 0-1.
    """

    n: int
    confidence: float
    right: float


class RiskPoint(NamedTuple):
    """What is risked by answering only above a threshold.

    Attributes:
        coverage: Share of the questions at or above the threshold, in (0, 1].
        risk: Share of these that is wrong, 0-1.
        threshold: The lowest confidence among them.
    """

    coverage: float
    risk: float
    threshold: float


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean, or `None` of nothing."""
    return math.fsum(values) / len(values) if values else None


def ratio(parts: Sequence[tuple[int, int]]) -> float | None:
    """The sum of the first numbers over the sum of the second; `None` where that sum is 0.

    Exactly 1.0 only if every first number equals its second (first ≤ second).
    """
    whole = sum(part[1] for part in parts)
    return sum(part[0] for part in parts) / whole if whole else None


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """The value below which `share` (0-1) of the sorted values lie, linear between neighbours.

    `None` of nothing. `percentile(values, 0.5)` is the median.
    """
    if not ordered:
        return None
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def first_rank(right: Iterable[bool]) -> int | None:
    """The rank, from 1, of the first right result in a list that has the best first; `None` if none is."""
    return next((rank for rank, hit in enumerate(right, start=1) if hit), None)


def median(items: Sequence[float]) -> float | None:
    """The middle one in order, and of two the lower; `None` of nothing."""
    return percentile(sorted(items), 0.5)


def page_at_k(rank: int | None, k: int) -> float:
    """1.0 if a right page is among the first `k`, else 0.0 (`success_k` of trec_eval).

    Args:
        rank: Of the first right page, from 1, or `None`.
        k: How many are looked at, at least 1.
    """
    return float(rank is not None and rank <= k)


def reciprocal_rank(rank: int | None, limit: int = 10) -> float:
    """1 / rank of the first right page, 0.0 if it is not among the first `limit` (`recip_rank` of trec_eval)."""
    return 1 / rank if rank is not None and rank <= limit else 0.0


def auroc(pairs: Iterable[Pair]) -> float | None:
    """The probability that a true case scores above a false one, a tie counting half.

    The Mann-Whitney statistic (Hanley & McNeil 1982), which is the area under the ROC curve.

    Returns:
        0-1, where 0.5 is a coin; `None` unless both classes occur.
    """
    wins = 0.0
    trues = falses = 0
    for _, tied in groupby(sorted(pairs), key=itemgetter(0)):
        labels = [label for _, label in tied]
        here = sum(labels)
        wins += here * (falses + (len(labels) - here) / 2)
        trues += here
        falses += len(labels) - here
    return wins / (trues * falses) if trues and falses else None


def reliability(pairs: Sequence[Pair], bins: int = 15) -> list[Bin]:
    """Questions gathered by confidence, lowest first: what a reliability diagram draws.

    Bins hold about equally many; equal confidences are never parted, so there may be fewer than
    `bins`, and each holds at least two unless there is only one pair.

    Args:
        pairs: `(confidence, right)`, confidences in 0-1.
        bins: At most so many.
    """
    enough = max(2.0, len(pairs) / bins)
    made: list[tuple[int, float, int]] = []
    n, total, right = 0, 0.0, 0
    previous = -1.0
    for confidence, is_right in sorted(pairs):
        if not 0 <= confidence <= 1:
            raise ValueError(f"a confidence lies in 0-1, not at {confidence}")
        if n >= enough and confidence != previous:
            made.append((n, total, right))
            n, total, right = 0, 0.0, 0
        n, total, right, previous = n + 1, total + confidence, right + is_right, confidence
    if made and n < max(2.0, enough / 2):
        last = made.pop()
        n, total, right = n + last[0], total + last[1], right + last[2]
    if n:
        made.append((n, total, right))
    return [Bin(n, total / n, right / n) for n, total, right in made]


def squared_calibration_error(pairs: Sequence[Pair], bins: int = 15, *, debias: bool = True) -> float | None:
    """The squared distance of confidence from truth, averaged over bins; with `debias`, without bias.

    The plain estimate, a bin's `(confidence - right)²` weighted by its size, is too high even for
    perfect confidences, by the variance of each bin's share of right ones. The debiased estimator of
    Kumar, Liang & Ma, "Verified Uncertainty Calibration", NeurIPS 2019 (arXiv:1909.10155), section 5,
    takes an unbiased estimate of that variance off each bin, `right (1 - right) / (n - 1)`, so for fixed
    bins the mean over many samples is exact. We chose it over absolute differences because those have
    no such exact correction: ECE_sweep (Roelofs et al. 2022) lessens their bias and leaves a part of it.
    Like any binned estimate it is blind to errors that cancel within a bin.

    Args:
        pairs: `(confidence, right)`, confidences in 0-1.
        bins: As in `reliability`.
        debias: Whether to take the variance off.

    Returns:
        At most 1; with `debias` it may lie below 0 by chance. `None` of fewer than two pairs.
    """
    if len(pairs) <= 1:
        return None
    error = 0.0
    for n, confidence, right in reliability(pairs, bins):
        noise = right * (1 - right) / (n - 1) if debias else 0.0
        error += n * ((confidence - right) ** 2 - noise)
    return error / len(pairs)


def ece(pairs: Sequence[Pair], bins: int = 15) -> float | None:
    """Expected calibration error, debiased: how far a stated confidence typically is from the truth.

    The root of `squared_calibration_error`, 0 where that is negative. A root mean square counts large
    errors for more than the mean of absolute errors does, and is never below it but by that correction.

    Args:
        pairs: `(confidence, right)`, confidences in 0-1.
        bins: As in `reliability`.

    Returns:
        0-1, where 0 is perfect; `None` of fewer than two pairs.
    """
    squared = squared_calibration_error(pairs, bins)
    return None if squared is None else math.sqrt(max(0.0, squared))


def risk_coverage(pairs: Sequence[Pair]) -> list[RiskPoint]:
    """The risk-coverage curve (El-Yaniv & Wiener 2010): one point for each distinct confidence.

    Returns:
        From the highest threshold to the lowest, so coverage rises to 1; empty for no pairs.
    """
    points = []
    kept = wrong = 0
    for threshold, tied in groupby(sorted(pairs, reverse=True), key=itemgetter(0)):
        labels = [label for _, label in tied]
        kept += len(labels)
        wrong += len(labels) - sum(labels)
        points.append(RiskPoint(kept / len(pairs), wrong / kept, threshold))
    return points


def risk_coverage_area(pairs: Sequence[Pair]) -> float | None:
    """The area under the risk-coverage curve: the mean risk over all coverages 1/n, 2/n ... 1.

    AURC of Geifman, Uziel & El-Yaniv 2019 (arXiv:1805.08206). Among equal confidences it is the
    expectation over random order.

    Returns:
        0-1, lower is better; a confidence that says nothing has the overall share of wrong ones.
        `None` of nothing.
    """
    risks: list[float] = []
    wrong = 0
    for _, tied in groupby(sorted(pairs, reverse=True), key=itemgetter(0)):
        labels = [label for _, label in tied]
        here = len(labels) - sum(labels)
        before = len(risks)
        risks += [(wrong + here * step / len(labels)) / (before + step) for step in range(1, len(labels) + 1)]
        wrong += here
    return mean(risks)
