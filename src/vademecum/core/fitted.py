"""Read fitted weights and boosted trees from data files."""

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from operator import and_
from pathlib import Path
from struct import Struct
from typing import Any

_LEAVES = 16
"""A tree has at most so many leaves: a number of 16 bits holds those of one."""


@cache
def read_fitted(path: Path) -> Mapping[str, Any]:
    """A file of fitted numbers. It is part of the package, so that one that cannot be read is a broken installation."""
    fitted: dict[str, Any] = json.loads(path.read_bytes())
    return fitted


def weights_of(fitted: Mapping[str, float], names: Sequence[str]) -> tuple[float, ...]:
    """The weights of features, in the order in which they are measured.

    Raises:
        ValueError: The file is of other features.
    """
    if fitted.keys() != set(names):
        message = f"Fitted for other features: {sorted(fitted.keys() ^ set(names))}"
        raise ValueError(message)
    return tuple(fitted[name] for name in names)


class Trees:
    """The sum of boosted regression trees, without walking them (QuickScorer: Lucchese et al., SIGIR 2015).

    A leaf of a tree is a bit, numbered from the left. A split that sends a value to the right rules out the leaves on its left.
    The splits of one feature are sorted by their threshold, so that a binary search finds all that rule something out;
    the leaves that they leave are computed in advance, for all trees at once. Of each tree the first leaf left is reached.

    Args:
        fitted: `leaves` are the values of each tree's leaves from the left; `splits` are, by feature, `[threshold, tree, bits]`:
            above the threshold the leaves of these bits are ruled out.
        names: The features that are measured, in their order.

    Raises:
        ValueError: The trees ask for another feature.
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
        """The thresholds of a feature, ascending, and the leaves that are left by the first so many of its splits."""
        ruled_out = (self._all ^ bits << tree * _LEAVES for _, tree, bits in splits)
        return [threshold for threshold, _, _ in splits], [*accumulate(ruled_out, and_, initial=self._all)]

    def __call__(self, features: Sequence[float]) -> float:
        """The sum of the leaves that these features reach, tree by tree."""
        left = self._all
        for column, thresholds, leaves in self._columns:
            left &= leaves[bisect_left(thresholds, features[column])]
        by_tree = self._by_tree.unpack(left.to_bytes(self._by_tree.size, "little"))
        total = 0.0  # not `sum`, which rounds otherwise from Python 3.12 on
        for values, bits in zip(self._values, by_tree, strict=True):
            total += values[bits & -bits]
        return total
