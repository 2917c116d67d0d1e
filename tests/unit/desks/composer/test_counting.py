"""Counters are kept across runs, in one small file; whatever lies in its place, a run is never held up."""

import json

import pytest

from vademecum.desks.composer.counters import Metrics, Run, count, metrics


@pytest.fixture
def file(tmp_path):
    return tmp_path / "metrics.json"


def test_nothing_was_counted(file):
    assert metrics(file) == Metrics()
    assert metrics(file).to_dict() == {
        "since": None,
        "cache": {"hits": 0, "misses": 0, "hit_rate": None},
        "latency": {},
        "sessions": {"n": 0, "refinements": 0, "refinements_per_session": None},
        "validation": {"valid": 0, "invalid": 0, "success_rate": None},
    }


def test_runs_add_up(file):
    assert count(Run(query_type="semantic", duration_ms=40, cache_misses=68, sessions=1, valid=1), file) == ""
    assert (
        count(Run(query_type="refinement", duration_ms=5, cache_hits=68, refinements=1, valid=1), file) == ""
    )
    assert (
        count(Run(query_type="refinement", duration_ms=7, cache_hits=136, refinements=1, invalid=1), file)
        == ""
    )
    assert count(Run(), file) == ""
    found = metrics(file).to_dict()
    assert found["cache"] == {"hits": 204, "misses": 68, "hit_rate": 0.75}
    assert found["sessions"] == {"n": 1, "refinements": 2, "refinements_per_session": 2.0}
    assert found["validation"] == {"valid": 2, "invalid": 1, "success_rate": 0.6667}
    assert {kind: one["n"] for kind, one in found["latency"].items()} == {"semantic": 1, "refinement": 2}
    assert found["latency"]["refinement"]["mean_ms"] == 6.0
    assert found["since"].endswith("Z")


def test_percentiles_are_right_to_ten_percent(file):
    for duration_ms in range(2, 201, 4):
        count(Run(query_type="semantic", duration_ms=duration_ms), file)
    found = metrics(file).queries["semantic"]
    assert found.n == 50
    assert found.p50_ms == pytest.approx(100, rel=0.1)
    assert found.p95_ms == pytest.approx(190, rel=0.1)
    assert file.stat().st_size < 4000


@pytest.mark.parametrize("duration_ms", [0, -5, 1e-9, 1e12, float("inf"), float("nan")])
def test_odd_times(file, duration_ms):
    assert count(Run(query_type="x" * 500, duration_ms=duration_ms), file) == ""
    assert all(one.p95_ms >= 0 for one in metrics(file).queries.values())
    assert all(len(kind) <= 40 for kind in metrics(file).queries)


def test_runs_at_once_are_all_counted(file, at_once):
    at_once(*[lambda: [count(Run(cache_hits=1), file) for _ in range(5)]] * 6)
    assert metrics(file).cache_hits == 30


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"format": 2}', '{"format": 1, "since": 7}', "[" * 90_000, "\x00"]
)
def test_sets_a_damaged_file_aside(file, text):
    file.write_text(text)
    assert metrics(file) == Metrics()
    assert count(Run(cache_hits=3), file) == ""
    assert metrics(file).cache_hits == 3
    assert file.with_suffix(".damaged").read_text() == text


def test_reports_a_file_that_cannot_be_written(tmp_path):
    (tmp_path / "taken").write_text("a file")
    assert "cannot be written" in count(Run(cache_hits=1), tmp_path / "taken/metrics.json")
    assert metrics(tmp_path / "taken/metrics.json") == Metrics()


def test_the_file_is_json(file):
    count(Run(query_type="negation", duration_ms=2), file)
    assert json.loads(file.read_text())["queries"]["negation"]["n"] == 1
