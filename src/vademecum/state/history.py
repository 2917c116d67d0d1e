"""How questions ended and how long answers took, by the hour, for a week. It contains nothing of the questions themselves."""

import math
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from vademecum.core.errors import StoreError
from vademecum.state.database import SharedTables

OUTCOMES = ("success", "partial", "no_results", "error")
HOURS, DAYS = 24, 7

_SCHEMA = """CREATE TABLE IF NOT EXISTS history (
    hour INTEGER, outcome TEXT, size INTEGER, answers INTEGER, PRIMARY KEY (hour, outcome, size)) WITHOUT ROWID"""
_HOUR_S = 3600
_KEPT_HOURS = DAYS * 24 + 1
_STEP = 1.1
_SHORTEST_S = 0.001
_SIZES = 130
"""Durations are counted in steps of 10 %, from 1 ms to about 4 minutes."""


class History:
    """The answers of the last week, of all workers."""

    def __init__(self, tables: SharedTables) -> None:
        self._tables = tables
        self._cleared = 0
        tables.declare(_SCHEMA)

    def answered(self, outcome: str, seconds: float) -> None:
        """Count an answer. A failure to do so is ignored: the answer matters more."""
        hour = int(time.time()) // _HOUR_S
        with suppress(StoreError), self._tables.use() as connection:
            connection.execute(
                "INSERT INTO history VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET answers = answers + 1",
                (hour, outcome, _size(seconds)),
            )
            if hour != self._cleared:
                self._cleared = hour
                connection.execute("DELETE FROM history WHERE hour < ?", (hour - _KEPT_HOURS,))

    def summary(self) -> dict[str, Any]:
        """Return the medians of the last 24 hours, the time in which 95 of 100 answers came, and the outcomes of 7 days."""
        now = int(time.time()) // _HOUR_S
        with self._tables.use() as connection:
            rows = connection.execute(
                "SELECT hour, outcome, size, answers FROM history WHERE hour > ?", (now - DAYS * 24,)
            ).fetchall()
        hours: dict[int, Counter[int]] = {}
        outcomes = Counter(dict.fromkeys(OUTCOMES, 0))
        for hour, outcome, size, answers in rows:
            outcomes[outcome] += answers
            if hour > now - HOURS and outcome != "error":
                hours.setdefault(hour, Counter())[size] += answers
        day: Counter[int] = sum(hours.values(), Counter())
        return {
            "hours": [
                {
                    "begins": hour * _HOUR_S,
                    "answers": sum(hours.get(hour, Counter()).values()),
                    "median_ms": _quantile(hours.get(hour, {}), 0.5),
                }
                for hour in range(now - HOURS + 1, now + 1)
            ],
            "median_ms": _quantile(day, 0.5),
            "p95_ms": _quantile(day, 0.95),
            "outcomes": dict(outcomes),
        }


def _size(seconds: float) -> int:
    """Return the step that a duration belongs to."""
    return min(_SIZES, max(0, math.ceil(math.log(max(seconds, _SHORTEST_S) / _SHORTEST_S, _STEP))))


def _quantile(sizes: Mapping[int, int], share: float) -> float | None:
    """Return the duration in ms that a share of the answers does not exceed; None if there are none.

    >>> _quantile({0: 3, 10: 1}, 0.5)
    1.0
    """
    wanted = share * sum(sizes.values())
    counted = 0
    for size, answers in sorted(sizes.items()):
        counted += answers
        if counted >= wanted:
            return round(1000 * _SHORTEST_S * _STEP**size, 1)
    return None
