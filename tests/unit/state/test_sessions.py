"""Sessions: kept, of their owners alone, and not without end."""

import fcntl
import threading
from contextlib import closing
from functools import partial
from sqlite3 import connect

import pytest

from vademecum.core.errors import SessionMissing, StoreError
from vademecum.state import sessions as module
from vademecum.state.sessions import Sessions


@pytest.fixture
def kept(tmp_path):
    sessions = Sessions(tmp_path / "folder/sessions.sqlite")
    yield sessions
    sessions.close()


def add(kept, number, owner, message, response="x"):
    kept.add(
        number, owner, message=message, read_as=message, response=response, told={"routing": {"rule": 0}}
    )


def test_turns_come_back_as_they_were(kept, tmp_path):
    session = kept.begin("anna")
    add(kept, session.id, "anna", "How?\nAnd when? ☕\x1b[31m", "So. ${user}")
    add(kept, session.id, "anna", "Why?")
    (first, second) = kept.turns(session.id, "anna")
    assert (first.message, first.response, first.told) == (
        "How?\nAnd when? ☕\x1b[31m",
        "So. ${user}",
        {"routing": {"rule": 0}},
    )
    assert second.message == "Why?"
    found = kept.get(session.id, "anna")
    assert (found.turns, found.title) == (2, "How? And when? ☕\\x1b[31m")
    kept.close()
    again = Sessions(tmp_path / "folder/sessions.sqlite")
    assert [turn.message for turn in again.turns(session.id, "anna")] == [first.message, "Why?"]
    again.close()
    assert (tmp_path / "folder/sessions.sqlite").stat().st_mode & 0o077 == 0


def test_another_persons_session_is_as_good_as_none(kept):
    session = kept.begin("anna")
    for call in (
        lambda who: kept.get(session.id, who),
        lambda who: kept.turns(session.id, who),
        lambda who: add(kept, session.id, who, "x"),
        lambda who: kept.delete(session.id, who),
    ):
        with pytest.raises(SessionMissing):
            call("bob")
    assert kept.of("bob") == []
    assert [one.id for one in kept.of("anna")] == [one.id for one in kept.of(None)] == [session.id]
    assert kept.get(session.id, None).id == session.id
    kept.delete(session.id, "anna")
    for number in (session.id, "", "x" * 10_000, "' OR 1=1 --", "\0"):
        with pytest.raises(SessionMissing):
            kept.get(number, "anna")


def test_not_without_end(kept, monkeypatch):
    monkeypatch.setattr(module, "MOST_TURNS", 3)
    monkeypatch.setattr(module, "MOST_SESSIONS", 2)
    session = kept.begin("anna")
    for number in range(5):
        add(kept, session.id, "anna", f"question {number}")
    assert [turn.message for turn in kept.turns(session.id, "anna")] == [
        "question 2",
        "question 3",
        "question 4",
    ]
    others = kept.begin("bob")
    for _ in range(3):
        kept.begin("anna")
    assert len(kept.of("anna")) == 2
    assert kept.get(others.id, "bob")
    with pytest.raises(SessionMissing):
        kept.turns(session.id, "anna")
    monkeypatch.setattr(module, "EXPIRES_S", -1)
    assert kept.of("anna") == []


def test_two_processes_share_them(kept, tmp_path):
    other = Sessions(tmp_path / "folder/sessions.sqlite")
    session = kept.begin("anna")
    add(other, session.id, "anna", "from the other")
    assert [turn.message for turn in kept.turns(session.id, "anna")] == ["from the other"]
    other.close()


def test_many_threads(kept, at_once):
    session = kept.begin("anna")
    at_once(*(partial(add, kept, session.id, "anna", f"q{number}") for number in range(20)))
    assert {turn.message for turn in kept.turns(session.id, "anna")} == {f"q{number}" for number in range(20)}


def test_a_damaged_file_is_set_aside_and_named(tmp_path, caplog):
    damaged = b"not a database at all, " * 100
    (tmp_path / "sessions.sqlite").write_bytes(damaged)
    with closing(Sessions(tmp_path / "sessions.sqlite")) as kept:
        session = kept.begin("anna")
        add(kept, session.id, "anna", "q")
        assert [turn.message for turn in kept.turns(session.id, "anna")] == ["q"]
    (aside,) = tmp_path.glob("*.damaged-*")
    assert aside.read_bytes() == damaged
    assert str(tmp_path / "sessions.sqlite") in caplog.text
    assert str(aside) in caplog.text


def test_damage_in_the_middle_of_a_file_is_an_error_once(tmp_path, caplog):
    path = tmp_path / "sessions.sqlite"
    with closing(Sessions(path)) as kept:
        session = kept.begin("anna")
        for number in range(50):
            add(kept, session.id, "anna", f"{number} " + "x" * 2000)
    whole = path.read_bytes()
    path.write_bytes(whole[:20_000] + b"\xff" * (len(whole) - 20_000))
    with closing(Sessions(path)) as kept, closing(Sessions(path)) as other:
        for sessions in (kept, other):
            with pytest.raises(StoreError):
                sessions.turns(session.id, "anna")
        begun = kept.begin("bob")
        assert other.get(begun.id, "bob") == kept.get(begun.id, "bob")
    assert len([*tmp_path.glob("*.damaged-*")]) == 1, "what the first made is sound, and the second leaves it"
    assert caplog.text.count("is damaged") == 1


def test_workers_that_open_a_fresh_file_wait_for_each_other(tmp_path):
    begun = []

    def begin():
        sessions = Sessions(tmp_path / "sessions.sqlite")
        begun.append(sessions.begin("anna").id)
        sessions.close()

    workers = [threading.Thread(target=begin) for _ in range(4)]
    with (
        (tmp_path / "sessions.lock").open("w") as lock,
        closing(connect(tmp_path / "sessions.sqlite")) as first,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        first.execute("BEGIN IMMEDIATE")
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(0.2)
    for worker in workers:
        worker.join()
    assert len(begun) == len(workers)
