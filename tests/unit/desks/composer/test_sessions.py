"""Sessions are kept for their owner, expire, have limits; and what is cut, newer or somebody else's is never lost."""

import json
import os
import time

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


def file_of(sessions, session):
    return sessions.folder / f"{session.id}.ndjson"


def age(sessions, session, seconds):
    moment = time.time() - seconds
    os.utime(file_of(sessions, session), (moment, moment))


def with_rules(folder, **rules):
    return Sessions(folder, USUAL._replace(session=SessionSettings(**rules)))


def test_a_session_comes_back_as_it_was(sessions, folder):
    assert sessions.last() is sessions.current() is None
    session = saved(sessions)
    assert session.text == TURNS[-1].text_after
    again = Sessions(folder, USUAL).load(session.id)
    assert again == session
    assert again.turns == TURNS
    assert (again.warnings, again.revision) == ((), 1)
    assert sessions.last() == sessions.current() == again
    assert sessions.ids() == (session.id,)


def test_for_its_owner_alone(sessions, folder):
    session = saved(sessions)
    assert file_of(sessions, session).stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in folder.iterdir()) == [".lock", f"{session.id}.ndjson"]


def test_the_last_one_is_the_one_used_last(sessions):
    first, second = saved(sessions), saved(sessions, TURNS[:1])
    age(sessions, second, 60)
    assert sessions.last().id == first.id
    assert sessions.ids() == (first.id, second.id)


def test_it_goes_on(sessions):
    session = saved(sessions)
    again = sessions.load(session.id)
    again.turns.append(Turn("undo", "undo", (), TURNS[0].text_after, "Undone."))
    assert sessions.save(again) == ""
    assert [one.kind for one in sessions.last().turns] == ["new", "refinement", "question", "undo"]
    assert sessions.last().text == TURNS[0].text_after


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
    saved(sessions)
    assert not file_of(sessions, old).exists()
    assert file_of(sessions, new).exists()


def test_keeps_no_more_sessions_than_its_limit(folder):
    sessions = with_rules(folder, max_sessions=3)
    made = []
    for number in range(6):
        made.append(saved(sessions))
        age(sessions, made[-1], 100 - number)
    saved(sessions)
    assert len(sessions.ids()) == 3
    assert not file_of(sessions, made[0]).exists()
    assert file_of(sessions, made[-1]).exists()


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


def test_nothing_is_kept_where_that_is_not_wanted(folder):
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
    ["", "../../etc/passwd", "a" * 5000, "20260101-000000-ABCDEF", "20260101-000000-abcdef/..", "\x1b[31m"],
)
def test_rejects_a_malformed_id(sessions, session_id):
    with pytest.raises(ConfigError, match="id") as caught:
        sessions.load(session_id)
    assert caught.value.message.isprintable()


def test_one_that_is_not_there(sessions):
    with pytest.raises(ConfigError, match="20260101-000000-abcdef") as caught:
        sessions.load("20260101-000000-abcdef")
    assert caught.value.hint


def test_a_session_that_was_cut_off_anywhere_gives_its_whole_turns(sessions):
    session = saved(sessions)
    file = file_of(sessions, session)
    whole = file.read_bytes()
    seen = set()
    for size in sorted({*range(0, len(whole), 9), len(whole) - 1}):
        file.unlink()
        file.with_suffix(".damaged").unlink(missing_ok=True)
        file.write_bytes(whole[:size])
        if size < whole.index(b"\n"):  # not even the first line is whole
            with pytest.raises(StoreError, match="damaged") as caught:
                sessions.load(session.id)
            assert str(file) in caught.value.hint
            assert file.read_bytes() == whole[:size]
            seen.add("refused")
            continue
        left = sessions.load(session.id)
        assert left.turns == TURNS[: len(left.turns)]
        seen.add(len(left.turns))
        if len(left.turns) < len(TURNS):
            assert "was cut off" in left.warnings[0]
            assert file.with_suffix(".damaged").read_bytes() == whole[:size]
            again = sessions.load(session.id)
            assert (again.turns, again.warnings) == (left.turns, ())
            again.turns.append(TURNS[-1])
            assert sessions.save(again) == ""
    assert seen == {"refused", 0, 1, 2, 3}


def test_one_of_a_newer_version_is_left_to_it(sessions):
    session = saved(sessions)
    file = file_of(sessions, session)
    newer = file.read_text().replace('"format": 1', '"format": 2')
    file.write_text(newer)
    with pytest.raises(StoreError, match="version"):
        sessions.load(session.id)
    with pytest.raises(StoreError):
        sessions.last()
    assert sessions.current() is None
    age(sessions, session, USUAL.session.max_age_s * 10)
    other = saved(sessions)
    assert sessions.last().id == other.id
    assert file.read_text() == newer


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "{}\n",
        "[]\n",
        "null\n",
        "not json\n",
        '{"format": true}\n',
        '{"format": 1, "id": "somebody"}\n',
        "[" * 100_000,
        "\x00" * 1000,
    ],
)
def test_rejects_a_file_that_is_no_session(sessions, text):
    session = saved(sessions)
    file = file_of(sessions, session)
    file.write_text(text)
    with pytest.raises(StoreError) as caught:
        sessions.load(session.id)
    assert caught.value.hint
    assert file.read_text() == text


def test_turns_that_are_none_end_it(sessions):
    session = saved(sessions)
    file = file_of(sessions, session)
    head, first, *_ = file.read_text().split("\n")
    for odd in (
        '{"said": 1, "kind": "new"}',
        '{"purple": 1}',
        "7",
        '{"said": "a", "kind": "b", "edits": [7]}',
        "[" * 9000,
    ):
        file.with_suffix(".damaged").unlink(missing_ok=True)
        file.write_text(f"{head}\n{first}\n{odd}\n")
        left = sessions.load(session.id)
        assert left.turns == TURNS[:1]
        assert left.warnings


def test_links_pipes_and_folders(sessions, tmp_path):
    session = saved(sessions)
    file = file_of(sessions, session)
    secret = tmp_path / "secret"
    secret.write_bytes(file.read_bytes())
    file.unlink()
    for make in (lambda: file.symlink_to(secret), lambda: os.mkfifo(file), file.mkdir):
        make()
        with pytest.raises(StoreError):
            sessions.load(session.id)
        file.rmdir() if file.is_dir() and not file.is_symlink() else file.unlink()


def test_two_processes_do_not_overwrite_each_other(sessions, folder):
    session = saved(sessions)
    mine, theirs = sessions.load(session.id), Sessions(folder, USUAL).load(session.id)
    theirs.turns.append(Turn("theirs", "refinement"))
    Sessions(folder, USUAL).save(theirs)
    mine.turns.append(Turn("mine", "refinement"))
    with pytest.raises(StoreError, match="continued elsewhere"):
        sessions.save(mine)
    assert sessions.load(session.id).turns[-1].said == "theirs"


def test_many_at_once(folder, at_once):
    def work():
        for _ in range(3):
            saved(Sessions(folder, USUAL))

    at_once(*[work] * 6)
    assert len(Sessions(folder, USUAL).ids()) == 18
    assert not list(folder.glob("*.new"))


def test_a_folder_that_cannot_be_written(tmp_path):
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
    file = file_of(sessions, second)
    file.write_bytes(file.read_bytes()[:-30])
    assert sessions.load(second.id).events == ["continued", "cut off"]


def test_a_person_can_read_it(sessions):
    lines = file_of(sessions, saved(sessions)).read_text().splitlines()
    assert json.loads(lines[0])["turns"] == 3
    assert json.loads(lines[2])["said"] == "add nginx"
