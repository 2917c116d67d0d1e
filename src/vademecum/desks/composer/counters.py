"""Persistent counters: cache hits, duration by kind of request, refinements per session, valid templates.

One small file of sums, so that it never grows; a run adds to it in one step. Counting never is in the way: what goes wrong
with it becomes a sentence.
"""

import json
import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.desks.composer.settings import composer_folder
from vademecum.files.locks import locked

FORMAT = 1
_STEPS_A_DECADE = 20
"""How finely times are counted: a step is 12 %, so that a percentile is right to 6 %."""

_FIRST_MS = 0.1
_STEPS = 140  # up to 1,000 s
_PATIENCE_S = 1.0


class Run(NamedTuple):
    """What one run adds.

    Attributes:
        query_type: The kind of its request (`semantic`); "" for none.
        duration_ms: How long the request took.
        cache_hits: Vectors that were kept.
        cache_misses: Vectors that had to be made.
        sessions: Sessions that began.
        refinements: Refinements that were made.
        valid: Templates that were made and are valid.
        invalid: Templates that were made and are not.
    """

    query_type: str = ""
    duration_ms: float = 0.0
    cache_hits: int = 0
    cache_misses: int = 0
    sessions: int = 0
    refinements: int = 0
    valid: int = 0
    invalid: int = 0


class Latency(NamedTuple):
    """How long requests of a kind took: how many there were, and times in milliseconds."""

    n: int
    mean_ms: float
    p50_ms: float
    p95_ms: float


class Metrics(NamedTuple):
    """The sums of all runs; a rate is None where there was nothing to rate.

    Attributes:
        since: When counting began, or "" if nothing was counted.
        queries: Of each kind of request.
        cache_hits: Vectors that were kept.
        cache_misses: Vectors that had to be made.
        sessions: How many began.
        refinements: How many were made.
        valid: Templates that were made and are valid.
        invalid: And are not.
    """

    since: str = ""
    queries: Mapping[str, Latency] = {}
    cache_hits: int = 0
    cache_misses: int = 0
    sessions: int = 0
    refinements: int = 0
    valid: int = 0
    invalid: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Them as plain data."""
        return {
            "since": self.since or None,
            "cache": {
                "hits": self.cache_hits,
                "misses": self.cache_misses,
                "hit_rate": _rate(self.cache_hits, self.cache_hits + self.cache_misses),
            },
            "latency": {kind: one._asdict() for kind, one in self.queries.items()},
            "sessions": {
                "n": self.sessions,
                "refinements": self.refinements,
                "refinements_per_session": _rate(self.refinements, self.sessions),
            },
            "validation": {
                "valid": self.valid,
                "invalid": self.invalid,
                "success_rate": _rate(self.valid, self.valid + self.invalid),
            },
        }


def metrics_file() -> Path:
    """`${XDG_DATA_HOME}/vademecum/composer/metrics.json`."""
    return composer_folder() / "metrics.json"


def count(run: Run, file: Path | None = None) -> str:
    """Add a run.

    Args:
        run: What it adds.
        file: None for the usual one.

    Returns:
        "", or a sentence that says why it could not be counted.
    """
    path = file or metrics_file()
    try:
        with _locked(path):
            sums = _read(path)
            for name in _COUNTS:
                sums[name] += max(0, int(getattr(run, name)))
            if run.query_type and math.isfinite(run.duration_ms):
                _add_time(sums["queries"], run.query_type[:40], max(0.0, run.duration_ms))
            beside = path.with_name(f"{path.name}.{os.getpid()}.new")
            try:
                beside.write_text(json.dumps(sums) + "\n", encoding="ascii")
                beside.replace(path)
            finally:
                beside.unlink(missing_ok=True)
    except OSError as error:
        return f"The counters {path} cannot be written: {error.strerror or error}."
    return ""


def metrics(file: Path | None = None) -> Metrics:
    """The sums of all runs; nothing but zeros if there are none."""
    try:
        sums = _parsed(file or metrics_file())
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Metrics()
    queries = {kind: _latency(one) for kind, one in sorted(sums["queries"].items())}
    return Metrics(since=sums["since"], queries=queries, **{name: sums[name] for name in _COUNTS})


_COUNTS = ("cache_hits", "cache_misses", "sessions", "refinements", "valid", "invalid")


def _read(path: Path) -> dict[str, Any]:
    """The sums so far. A file that cannot be understood is set aside."""
    try:
        return _parsed(path)
    except FileNotFoundError:
        pass
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        path.replace(path.with_suffix(".damaged"))
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return {"format": FORMAT, "since": now, "queries": {}, **dict.fromkeys(_COUNTS, 0)}


def _parsed(path: Path) -> dict[str, Any]:
    sums: dict[str, Any] = json.loads(path.read_text(encoding="ascii"))
    fine = sums["format"] == FORMAT and isinstance(sums["since"], str)
    fine = fine and all(type(sums[name]) is int for name in _COUNTS)
    for one in sums["queries"].values():
        fine = fine and type(one["n"]) is int and isinstance(one["sum_ms"], int | float)
        fine = fine and all(0 <= int(step) < _STEPS and type(n) is int for step, n in one["steps"].items())
    if not fine:
        raise ValueError("no counters")
    return sums


def _add_time(queries: dict[str, Any], kind: str, duration_ms: float) -> None:
    one = queries.setdefault(kind, {"n": 0, "sum_ms": 0.0, "steps": {}})
    one["n"] += 1
    one["sum_ms"] = round(one["sum_ms"] + duration_ms, 3)
    step = round(math.log10(max(duration_ms, _FIRST_MS) / _FIRST_MS) * _STEPS_A_DECADE)
    step_name = str(min(step, _STEPS - 1))
    one["steps"][step_name] = one["steps"].get(step_name, 0) + 1


def _latency(one: Mapping[str, Any]) -> Latency:
    steps = sorted((int(step), n) for step, n in one["steps"].items())
    return Latency(
        one["n"], round(one["sum_ms"] / one["n"], 2), _percentile(steps, 0.5), _percentile(steps, 0.95)
    )


def _percentile(steps: list[tuple[int, int]], share: float) -> float:
    wanted = math.ceil(sum(n for _, n in steps) * share)
    seen = 0
    for step, n in steps:
        seen += n
        if seen >= wanted:
            return round(_FIRST_MS * 10 ** (step / _STEPS_A_DECADE), 2)
    return 0.0


def _rate(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Alone with the file. Who waits too long gives up.

    Raises:
        OSError: The lock cannot be had.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with locked(path.with_suffix(".lock"), patience_s=_PATIENCE_S):
        yield
