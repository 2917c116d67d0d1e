"""The history of answers: medians by the hour, outcomes of a week, shared by processes, and nothing of the questions."""

import time

import pytest

from vademecum.state.database import SharedTables
from vademecum.state.history import History

HOUR_S = 3600


@pytest.fixture
def made(opened_tables):
    return lambda: History(opened_tables())


def test_nothing_has_happened(made):
    found = made().summary()
    assert (found["median_ms"], found["p95_ms"]) == (None, None)
    assert len(found["hours"]) == 24
    assert found["outcomes"] == {"success": 0, "partial": 0, "no_results": 0, "error": 0}


def test_durations_are_right_within_a_tenth(made):
    history = made()
    for ms in range(10, 1001, 10):
        history.answered("success", ms / 1000)
    found = history.summary()
    assert found["median_ms"] == pytest.approx(500, rel=0.1)
    assert found["p95_ms"] == pytest.approx(950, rel=0.1)
    assert sum(hour["answers"] for hour in found["hours"]) == 100


def test_extremes_have_a_place(made):
    history = made()
    history.answered("success", 0)
    assert history.summary()["median_ms"] == 1
    for _ in range(3):
        history.answered("success", 1e9)
    assert history.summary()["median_ms"] >= 200_000


def test_processes_count_together_and_failures_have_no_duration(made):
    one, other = made(), made()
    one.answered("success", 0.01)
    other.answered("no_results", 0.01)
    other.answered("error", 60)
    found = one.summary()
    assert found["outcomes"] == {"success": 1, "partial": 0, "no_results": 1, "error": 1}
    assert found["p95_ms"] == pytest.approx(10, rel=0.1)
    assert found["hours"][-1]["answers"] == 2


def test_forgets_what_is_older_than_a_week(made, monkeypatch):
    history = made()
    now = time.time()
    for hours in (200, 100, 30, 0):
        monkeypatch.setattr(time, "time", lambda hours=hours: now - hours * HOUR_S)
        history.answered("success", 0.1)
    found = history.summary()
    assert found["outcomes"]["success"] == 3
    assert sum(hour["answers"] for hour in found["hours"]) == 1
    assert found["hours"][-1]["begins"] == int(now) // HOUR_S * HOUR_S


def test_a_file_that_cannot_be_written_costs_no_answer(tmp_path):
    (tmp_path / "state.sqlite").mkdir()
    History(SharedTables(tmp_path / "state.sqlite")).answered("success", 0.1)
