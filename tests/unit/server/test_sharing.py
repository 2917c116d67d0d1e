"""What workers share: counts of requests and traces, in one file."""

import sqlite3
import time
from functools import partial

import pytest

from vademecum.core.errors import StoreError
from vademecum.server.errors import HttpError
from vademecum.server.guard import limits
from vademecum.server.guard.limits import Limits
from vademecum.server.traces import Traces
from vademecum.state.database import SharedTables

ID = "0123456789abcdef" * 2


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets, at the beginning of a minute."""

    class Clock:
        now = 600_000_000.0

        def time(self):
            return self.now

    monkeypatch.setattr(limits, "time", made := Clock())
    return made


def refused(limits, who="anna", most=10):
    try:
        limits.count(who, most)
    except HttpError as refusal:
        return int(dict(refusal.headers)["Retry-After"]) if refusal.status == 429 else -1
    return 0


def test_so_many_within_a_minute(opened_tables, clock):
    limits = Limits(opened_tables())
    assert [refused(limits) > 0 for _ in range(12)] == [False] * 10 + [True] * 2
    assert not refused(limits, "bob")
    clock.now += 30
    assert refused(limits)


def test_the_last_minute_weighs_less_and_less(opened_tables, clock):
    limits = Limits(opened_tables())
    for _ in range(10):
        assert not refused(limits)
    clock.now += 60 + 30  # half of the last minute lies within sixty seconds
    assert [refused(limits) > 0 for _ in range(6)] == [False] * 5 + [True]
    clock.now += 120
    assert [refused(limits) > 0 for _ in range(11)] == [False] * 10 + [True]


@pytest.mark.parametrize("into", [0.0, 1.0, 29.5, 59.0])
@pytest.mark.parametrize("most", [1, 3, 60])
def test_a_client_that_waits_as_asked_is_let_in(opened_tables, clock, into, most):
    limits = Limits(opened_tables())
    clock.now += into
    for _ in range(most):
        assert not refused(limits, most=most)
    wait_s = refused(limits, most=most)
    assert 1 <= wait_s <= 121
    clock.now += wait_s
    assert not refused(limits, most=most)


def test_workers_count_together(opened_tables):
    one, other = Limits(opened_tables()), Limits(opened_tables())
    assert [refused(limits) > 0 for limits in [one, other] * 6] == [False] * 10 + [True] * 2


def test_threads_count_together(opened_tables, at_once):
    let_in = []

    def count(own):
        let_in.extend(1 for _ in range(10) if not refused(own, most=20))

    at_once(*(partial(count, Limits(opened_tables())) for _ in range(4)))
    assert len(let_in) == 20


def test_a_trace_is_kept_for_other_workers_and_for_a_while(opened_tables):
    traces, others = (Traces(opened_tables(), kept_s=0.3, most=10) for _ in range(2))
    traces.keep(ID, "anna", {"steps": [{"name": "analyse"}]})
    assert others.get(ID).owner == "anna"
    assert others.get(ID).body == {"steps": [{"name": "analyse"}]}
    assert others.get("f" * 32) is None
    time.sleep(0.4)
    assert traces.get(ID) is None


def test_only_so_many_traces_are_kept(opened_tables):
    traces = Traces(opened_tables(), kept_s=100, most=20)
    ids = [f"{at:032x}" for at in range(130)]
    for id_ in ids:
        traces.keep(id_, "anna", {})
        time.sleep(0.0001)
    kept = [id_ for id_ in ids if traces.get(id_)]
    assert 20 <= len(kept) <= 121
    assert len(kept) < len(ids)
    assert kept[-1] == ids[-1]


@pytest.mark.parametrize(
    "id_", ["", "x", "../keys", "'; DROP TABLE traces; --", ID[:-1], f"{ID}0", ID.upper()]
)
def test_a_malformed_id_has_no_trace(opened_tables, id_):
    traces = Traces(opened_tables(), kept_s=100, most=10)
    traces.keep(ID, "anna", {})
    assert traces.get(id_) is None
    assert traces.get(ID)


def test_keys_and_passwords_are_not_kept(opened_tables, tmp_path):
    traces = Traces(opened_tables(), kept_s=100, most=10)
    traces.keep(ID, "anna", {"url": "http://anna:hunter2@host/", "said": "sk-0123456789abcdef"})
    assert traces.get(ID).body == {"url": "http://[key]@host/", "said": "[key]"}
    kept = b"".join(file.read_bytes() for file in (tmp_path / "server").iterdir())
    assert b"hunter2" not in kept


def test_a_trace_that_is_too_long_is_left_out(opened_tables):
    traces = Traces(opened_tables(), kept_s=100, most=10)
    traces.keep(ID, "anna", {"x": "y" * (1 << 20)})
    assert traces.get(ID) is None


def test_questions_are_nobody_elses_to_read(opened_tables, tmp_path):
    Traces(opened_tables(), kept_s=100, most=10).keep(ID, "anna", {})
    files = list((tmp_path / "server").iterdir())
    assert len(files) >= 2
    assert all(file.stat().st_mode & 0o077 == 0 for file in files)


def test_a_file_that_cannot_be_used(tmp_path):
    (tmp_path / "state.sqlite").mkdir()
    tables = SharedTables(tmp_path / "state.sqlite")
    with pytest.raises(StoreError), tables.use():
        pass
    tables.close()


def test_a_failed_transaction_leaves_nothing(opened_tables):
    tables = opened_tables()
    tables.declare("CREATE TABLE things (name TEXT)")
    with pytest.raises(AttributeError), tables.use() as connection:
        connection.execute("INSERT INTO things VALUES ('x')").no_such_thing()
    with tables.use() as connection:
        assert connection.execute("SELECT count(*) FROM things").fetchone() == (0,)
    with pytest.raises(StoreError), tables.use() as connection:
        raise sqlite3.OperationalError("database or disk is full")
