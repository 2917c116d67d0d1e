"""Counters are stored across runs, in one small file; whatever lies in its place, a run is not held up."""

import pytest

from vademecum.desks.composer import counters
from vademecum.desks.composer.counters import Run, count, metrics

NOTHING = {
    "since": None,
    "cache": {"hits": 0, "misses": 0, "hit_rate": None},
    "latency": {},
    "sessions": {"n": 0, "refinements": 0, "refinements_per_session": None},
    "validation": {"valid": 0, "invalid": 0, "success_rate": None},
}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "metrics.sqlite"


def test_runs_add_up(file):
    assert metrics(file) == NOTHING
    for run in (
        Run(query_type="semantic", duration_ms=40, cache_misses=68, sessions=1, valid=1),
        Run(query_type="refinement", duration_ms=5, cache_hits=68, refinements=1, valid=1),
        Run(query_type="refinement", duration_ms=7, cache_hits=136, refinements=1, invalid=1),
        Run(),
    ):
        assert count(run, file) == ""
    found = metrics(file)
    assert found.pop("since").endswith("Z")
    assert found == {
        "cache": {"hits": 204, "misses": 68, "hit_rate": 0.75},
        "latency": {
            "semantic": {"n": 1, "mean_ms": 40.0, "p50_ms": 40.0, "p95_ms": 40.0},
            "refinement": {"n": 2, "mean_ms": 6.0, "p50_ms": 5.0, "p95_ms": 7.0},
        },
        "sessions": {"n": 1, "refinements": 2, "refinements_per_session": 2.0},
        "validation": {"valid": 2, "invalid": 1, "success_rate": 0.6667},
    }


def test_percentiles_are_nearest_ranks_and_old_runs_are_dropped(file, monkeypatch):
    monkeypatch.setattr(counters, "_RUNS", 50)
    for duration_ms in (9_000, 9_000, *range(2, 201, 4)):
        count(Run(query_type="semantic", duration_ms=duration_ms), file)
    assert metrics(file)["latency"]["semantic"] == {"n": 50, "mean_ms": 100.0, "p50_ms": 98, "p95_ms": 190}


@pytest.mark.parametrize("duration_ms", [0, -5, 1e-9, 1e12, float("inf"), float("nan")])
def test_odd_times(file, duration_ms):
    assert count(Run(query_type="x" * 500, duration_ms=duration_ms), file) == ""
    ((kind, latency),) = metrics(file)["latency"].items()
    assert len(kind) <= 40
    assert latency["p95_ms"] >= 0


def test_runs_at_once_are_all_counted(file, at_once):
    at_once(*[lambda: [count(Run(cache_hits=1), file) for _ in range(5)]] * 6)
    assert metrics(file)["cache"]["hits"] == 30


@pytest.mark.parametrize("text", ["{" * 900, "[1, 2] " * 90, "\x01" * 5000])
def test_sets_a_damaged_file_aside(file, text):
    file.write_text(text)
    assert count(Run(cache_hits=3), file) == ""
    assert metrics(file)["cache"]["hits"] == 3
    (damaged,) = file.parent.glob("*.damaged-*")
    assert damaged.read_text() == text


def test_reports_a_file_that_cannot_be_written(tmp_path):
    (tmp_path / "taken").write_text("a file")
    assert "not counted" in count(Run(cache_hits=1), tmp_path / "taken/metrics.sqlite")
    assert metrics(tmp_path / "taken/metrics.sqlite") == NOTHING
