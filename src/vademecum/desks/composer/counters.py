"""Counters of the composer's runs: cache hits, durations by kind of request, refinements a session, valid templates.

The newest 10,000 runs are stored, a row each, so the file does not grow without limit. Counting never makes a run fail.
"""

import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.core.errors import StoreError
from vademecum.desks.composer.settings import composer_folder
from vademecum.state.database import SharedTables

_RUNS = 10_000
_LONGEST_KIND = 40


class Run(NamedTuple):
    """The counts of one run; `query_type` is "" if it answered no request."""

    query_type: str = ""
    duration_ms: float = 0.0
    cache_hits: int = 0
    cache_misses: int = 0
    sessions: int = 0
    refinements: int = 0
    valid: int = 0
    invalid: int = 0


_COUNTS = Run._fields[2:]
_SCHEMA = f"""CREATE TABLE IF NOT EXISTS runs (
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')), {", ".join(Run._fields)}
)"""
_DURATIONS = (
    "SELECT query_type, duration_ms FROM runs WHERE query_type != '' ORDER BY query_type, duration_ms"
)


def metrics_file() -> Path:
    """Return `${XDG_DATA_HOME}/vademecum/composer/metrics.sqlite`."""
    return composer_folder() / "metrics.sqlite"


def count(run: Run, file: Path | None = None) -> str:
    """Add a run.

    Returns:
        "", or why it could not be counted.
    """
    duration_ms = max(0.0, run.duration_ms) if math.isfinite(run.duration_ms) else 0.0
    run = run._replace(query_type=run.query_type[:_LONGEST_KIND], duration_ms=duration_ms)
    insert = f"INSERT INTO runs ({', '.join(Run._fields)}) VALUES ({', '.join('?' * len(run))})"  # noqa: S608 - our names
    try:
        with _opened(file or metrics_file()) as connection:
            connection.execute(insert, run)
            connection.execute("DELETE FROM runs WHERE rowid <= (SELECT max(rowid) FROM runs) - ?", (_RUNS,))
    except StoreError as error:
        return f"The run was not counted. {error.message}"
    return ""


def metrics(file: Path | None = None) -> dict[str, Any]:
    """Return the sums of the stored runs as plain data. A rate is None where there is nothing to divide."""
    path = file or metrics_file()
    since, sums = None, dict.fromkeys(_COUNTS, 0)
    durations: dict[str, list[float]] = {}
    if path.exists():
        totals = ", ".join(f"coalesce(sum({name}), 0)" for name in _COUNTS)
        with _opened(path) as connection:
            since, *counts = connection.execute(f"SELECT min(at), {totals} FROM runs").fetchone()  # noqa: S608 - our names
            sums = dict(zip(_COUNTS, counts, strict=True))
            for kind, duration_ms in connection.execute(_DURATIONS):
                durations.setdefault(kind, []).append(duration_ms)
    return {
        "since": since,
        "cache": {
            "hits": sums["cache_hits"],
            "misses": sums["cache_misses"],
            "hit_rate": _rate(sums["cache_hits"], sums["cache_hits"] + sums["cache_misses"]),
        },
        "latency": {kind: _latency(times) for kind, times in durations.items()},
        "sessions": {
            "n": sums["sessions"],
            "refinements": sums["refinements"],
            "refinements_per_session": _rate(sums["refinements"], sums["sessions"]),
        },
        "validation": {
            "valid": sums["valid"],
            "invalid": sums["invalid"],
            "success_rate": _rate(sums["valid"], sums["valid"] + sums["invalid"]),
        },
    }


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    tables = SharedTables(path)
    tables.declare(_SCHEMA)
    try:
        with tables.use() as connection:
            yield connection
    finally:
        tables.close()


def _latency(durations: Sequence[float]) -> dict[str, float]:
    """Summarize durations in ascending order; a percentile is the nearest rank."""
    n = len(durations)
    p50, p95 = (round(durations[math.ceil(n * share) - 1], 2) for share in (0.5, 0.95))
    return {"n": n, "mean_ms": round(sum(durations) / n, 2), "p50_ms": p50, "p95_ms": p95}


def _rate(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
