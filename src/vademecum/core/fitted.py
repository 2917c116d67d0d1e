"""Read fitted weights and boosted trees from data files."""

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from math import exp, log
from operator import and_
from pathlib import Path
from struct import Struct
from typing import Any

_LEAST = 1e-6
_LEAVES = 16
"""The maximum number of leaves of a tree, so that a 16-bit number can represent them."""


@cache
def read_fitted(path: Path) -> Mapping[str, Any]:
    """Read a file of fitted values. It is part of the package, so a read error means a broken installation."""
    fitted: dict[str, Any] = json.loads(path.read_bytes())
    return fitted


def weights_of(fitted: Mapping[str, float], names: Sequence[str]) -> tuple[float, ...]:
    """Return the weights of features, in the order of `names`.

    Raises:
        ValueError: The file has different features.
    """
    if fitted.keys() != set(names):
        message = f"Fitted for other features: {sorted(fitted.keys() ^ set(names))}"
        raise ValueError(message)
    return tuple(fitted[name] for name in names)


def chance_of(odds: float) -> float:
    """Return the probability (0-1) with these log odds.

    >>> chance_of(0.0)
    0.5
    """
    return 1 / (1 + exp(-max(-60.0, min(60.0, odds))))


def log_odds(chance: float) -> float:
    """Return the log odds of a probability (0-1). Values near 0 and 1 are clipped, so that the result is finite."""
    inside = min(max(chance, _LEAST), 1 - _LEAST)
    return log(inside / (1 - inside))


class Trees:
    """The sum of boosted regression trees, computed without traversing them (QuickScorer: Lucchese et al., SIGIR 2015).

    Each leaf of a tree is a bit, numbered from the left. A split that sends a value to the right excludes the leaves on
    its left. The splits of each feature are sorted by threshold, so that a binary search finds all that exclude leaves.
    The leaves that remain are precomputed for all trees together. In each tree, the first remaining leaf is the result.

    Args:
        fitted: `leaves` has the values of each tree's leaves, from the left. `splits` has, by feature,
            `[threshold, tree, bits]`: above the threshold, the leaves of these bits are excluded.
        names: The names of the features, in order.

    Raises:
        ValueError: The trees use a feature that is not in `names`.
    """

    def __init__(self, fitted: Mapping[str, Any], names: Sequence[str]) -> None:
        leaves: list[list[float]] = fitted["leaves"]
        if unknown := fitted["splits"].keys() - set(names):
            message = f"Fitted for other features: {sorted(unknown)}"
            raise ValueError(message)
        self._values = [{1 << number: value for number, value in enumerate(tree)} for tree in leaves]
        self._by_tree = Struct(f"<{len(leaves)}H")
        self._all = (1 << len(leaves) * _LEAVES) - 1
        self._columns = [
            (column, *self._column(fitted["splits"][name]))
            for column, name in enumerate(names)
            if name in fitted["splits"]
        ]

    def _column(self, splits: Sequence[tuple[float, int, int]]) -> tuple[list[float], list[int]]:
        """Return the thresholds of a feature, in ascending order, and the leaves that remain after 0, 1, ... splits."""
        ruled_out = (self._all ^ bits << tree * _LEAVES for _, tree, bits in splits)
        return [threshold for threshold, _, _ in splits], [*accumulate(ruled_out, and_, initial=self._all)]

    def __call__(self, features: Sequence[float]) -> float:
        """Return the sum of the leaf values of all trees for these feature values."""
        left = self._all
        for column, thresholds, leaves in self._columns:
            left &= leaves[bisect_left(thresholds, features[column])]
        by_tree = self._by_tree.unpack(left.to_bytes(self._by_tree.size, "little"))
        total = 0.0  # not `sum`, which rounds differently since Python 3.12
        for values, bits in zip(self._values, by_tree, strict=True):
            total += values[bits & -bits]
        return total
