"""Sessions are stored for their owner, expire, and have limits; no process overwrites the turns of another."""

import sqlite3
import time
from datetime import UTC, datetime, timedelta

import pytest

from vademecum.core.errors import ConfigError, StoreError
from vademecum.desks.composer.session.sessions import Sessions, Turn
from vademecum.desks.composer.settings import ComposerSettings, SessionSettings

USUAL = ComposerSettings()
TURNS = [
    Turn("a minimal edge image", "new", (), "image:\n  name: edge\n", "Here it is."),
    Turn(
        "add nginx",
        "refinement",
        ({"op": "add", "path": ["systemConfig", "packages"], "value": "nginx"},),
        "image:\n  name: edge # é\n",
        "Added nginx.",
    ),
    Turn("what is in it?", "question", (), "image:\n  name: edge # é\n", "nginx."),
]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "sessions"


@pytest.fixture
def sessions(folder):
    return Sessions(folder, USUAL)


def saved(sessions, turns=TURNS):
    session = sessions.new()
    session.turns += turns
    assert sessions.save(session) == ""
    return session


def age(sessions, session, seconds):
    moment = datetime.now(UTC) - timedelta(seconds=seconds)
    with sqlite3.connect(sessions.folder / "sessions.sqlite") as use:
        use.execute("UPDATE sessions SET updated = ? WHERE id = ?", (moment.isoformat(), session.id))


def with_rules(folder, **rules):
    return Sessions(folder, USUAL._replace(session=SessionSettings(**rules)))


def test_a_session_comes_back_as_it_was(sessions, folder):
    assert sessions.last() is sessions.current() is None
    session = saved(sessions)
    assert session.text == TURNS[-1].text_after
    again = Sessions(folder, USUAL).load(session.id)
    assert again.turns == TURNS
    assert (again.created, again.updated) == (session.created, session.updated)
    assert (again.revision, again.forgotten) == (1, 0)
    assert sessions.last().turns == sessions.current().turns == TURNS
    assert sessions.ids() == (session.id,)


def test_only_the_owner_can_read_the_file(sessions, folder):
    saved(sessions)
    assert (folder / "sessions.sqlite").stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


def test_the_last_one_is_the_one_used_last(sessions):
    first, second = saved(sessions), saved(sessions, TURNS[:1])
    age(sessions, second, 60)
    assert sessions.last().id == first.id
    assert sessions.ids() == (first.id, second.id)


def test_after_a_while_a_request_does_not_go_on_with_it(folder):
    sessions = Sessions(
        folder, USUAL._replace(conversation=USUAL.conversation._replace(session_timeout_s=0.2))
    )
    session = saved(sessions)
    assert sessions.current() is not None
    time.sleep(0.25)
    assert sessions.current() is None
    assert sessions.last().id == session.id
    assert not sessions.is_current(session)


def test_deletes_sessions_that_are_too_old(sessions):
    old, new = saved(sessions), saved(sessions)
    age(sessions, old, USUAL.session.max_age_s + 5)
    assert sessions.ids() == (new.id,)
    assert saved(sessions).events[-1] == f"deleted {old.id}"
    assert new.id in sessions.ids()
    with pytest.raises(ConfigError):
        sessions.load(old.id)


def test_keeps_no_more_sessions_than_its_limit(folder):
    sessions = with_rules(folder, max_sessions=3)
    made = []
    for number in range(6):
        made.append(saved(sessions))
        age(sessions, made[-1], 100 - number)
    saved(sessions)
    assert len(sessions.ids()) == 3
    assert made[0].id not in sessions.ids()
    assert made[-1].id in sessions.ids()


def test_never_deletes_the_session_that_it_saves(folder):
    sessions = with_rules(folder, max_sessions=1)
    age(sessions, saved(sessions), -60)  # the clock was set back
    session = saved(sessions)
    assert sessions.load(session.id).turns == TURNS


def test_forgets_the_first_turns_of_a_session_that_is_too_large(folder):
    sessions = with_rules(folder, max_size_bytes=10_000)
    session = sessions.new()
    session.turns += [Turn(f"turn {number}", "refinement", (), "x" * 3000, "") for number in range(8)]
    warning = sessions.save(session)
    assert "first 5 turns" in warning
    again = sessions.load(session.id)
    assert [one.said for one in again.turns] == ["turn 5", "turn 6", "turn 7"]
    assert again.forgotten == 5
    again.turns.append(Turn("large", "new", (), "y" * 50_000, ""))
    assert "first 8 turns" in sessions.save(again)
    assert [one.said for one in sessions.load(session.id).turns] == ["large"]


def test_stores_nothing_if_persistence_is_off(folder):
    sessions = with_rules(folder, persist=False)
    session = sessions.new()
    session.turns += TURNS
    assert sessions.save(session) == ""
    assert not folder.exists()
    assert sessions.last() is sessions.current() is None
    saved(Sessions(folder, USUAL))
    assert sessions.last() is None


@pytest.mark.parametrize(
    "session_id",
    ["", "../../etc/passwd", "a" * 5000, "20260101-000000-ABCDEF", "\x1b[31m", "20260101-000000-abcdef"],
)
def test_rejects_a_malformed_or_unknown_id(sessions, session_id):
    with pytest.raises(ConfigError) as caught:
        sessions.load(session_id)
    assert caught.value.message.isprintable()
    assert caught.value.hint


def test_a_damaged_file_is_set_aside(sessions, folder):
    saved(sessions)
    sessions.close()
    for path in folder.glob("sessions.sqlite-*"):
        path.unlink()
    (folder / "sessions.sqlite").write_bytes(b"no database" * 1000)
    again = Sessions(folder, USUAL)
    assert again.last() is None
    assert list(folder.glob("*.damaged-*"))
    assert Sessions(folder, USUAL).load(saved(again).id).turns == TURNS


def test_two_processes_do_not_overwrite_each_other(sessions, folder):
    session = saved(sessions)
    mine, theirs = sessions.load(session.id), Sessions(folder, USUAL).load(session.id)
    theirs.turns.append(Turn("theirs", "refinement"))
    Sessions(folder, USUAL).save(theirs)
    mine.turns.append(Turn("mine", "refinement"))
    with pytest.raises(StoreError, match="continued elsewhere"):
        sessions.save(mine)
    assert sessions.load(session.id).turns[-1].said == "theirs"


def test_reports_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "taken").write_text("a file")
    sessions = Sessions(tmp_path / "taken", USUAL)
    assert sessions.last() is None
    with pytest.raises(StoreError) as caught:
        saved(sessions)
    assert caught.value.hint


def test_a_session_remembers_its_events(folder):
    sessions = with_rules(folder, max_sessions=1)
    first = saved(sessions)
    age(sessions, first, 5)
    second = saved(sessions)
    assert first.events == ["started", "saved"]
    assert second.events == ["started", "saved", f"deleted {first.id}"]
    again = sessions.load(second.id)
    sessions.save(again)
    assert again.events == ["continued", "saved"]
