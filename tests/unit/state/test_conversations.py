"""Conversations are kept, expire, and whatever lies in their place harms nothing."""

import fcntl
import json
import os
import time
from functools import partial

import pytest

from vademecum.core.conversations import Turn
from vademecum.core.errors import ConfigError
from vademecum.state import conversations
from vademecum.state.conversations import EXPIRES_S, MOST_TURNS, Conversations

TURN = Turn("how do I copy a directory", "how do I copy a directory", ("cp(1)",))


@pytest.fixture
def kept(tmp_path):
    return Conversations(tmp_path / "conversations")


def test_turns_are_kept_in_order_for_their_owner_alone(kept):
    assert kept.turns("work") == ([], "")
    turns = [Turn(f"q{number}", f"r{number}", (f"p{number}(1)",)) for number in range(MOST_TURNS + 3)]
    for turn in turns:
        assert kept.add("work", turn) == ""
    assert kept.turns("work") == (turns[3:], "")
    assert kept.turns("play") == ([], "")
    assert (kept.folder / "work.json").stat().st_mode & 0o777 == 0o600
    assert kept.folder.stat().st_mode & 0o777 == 0o700
    kept.forget("work")
    assert kept.turns("work") == ([], "")
    assert sorted(path.name for path in kept.folder.iterdir()) == [".lock"]


def test_the_same_question_again_takes_the_place_of_the_last(kept):
    for read_as in ("a", "b"):
        kept.add("work", Turn("q", read_as, ()))
    assert kept.turns("work")[0] == [Turn("q", "b", ())]


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x", "a/b", "/etc", "a b", "A", "-x", "x-", "a\0b", "a\n", "ä", "x" * 32, "a.json"],
)
def test_rejects_a_bad_name(kept, name):
    with pytest.raises(ConfigError, match="name"):
        kept.named(name)
    assert not kept.folder.exists()


def test_the_one_used_last(kept):
    assert kept.named("-") == "default"
    for name in ("a", "b", "c"):
        kept.add(name, TURN)
    os.utime(kept.folder / "a.json", (time.time() + 5, time.time() + 5))
    assert kept.named("-") == "a"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"format": 2, "turns": []}',
        b'{"format": 1, "turns": [{"asked": 1, "read_as": "x", "references": []}]}',
        b'{"format": 1, "turns": [{"asked": "x", "read_as": "x", "references": [1]}]}',
        b'{"format": 1, "turns": [{"shell": "x"}]}',
        b'{"format": 1, "turns": 7}',
        b"[" * 100_000,
        b" " * 300_000,
    ],
)
def test_a_damaged_file_is_set_aside_and_said(kept, content):
    kept.add("work", TURN)
    (kept.folder / "work.json").write_bytes(content)
    turns, fault = kept.turns("work")
    assert turns == []
    assert "damaged" in fault
    assert (kept.folder / "work.damaged").read_bytes() == content
    assert kept.add("work", TURN) == ""
    assert kept.turns("work") == ([TURN], "")


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: path.symlink_to("/etc/passwd")])
def test_sets_pipes_folders_and_links_aside(kept, make):
    kept.folder.mkdir()
    make(kept.folder / "work.json")
    assert "damaged" in kept.turns("work")[1]
    assert kept.add("work", TURN) == ""
    assert kept.turns("work") == ([TURN], "")


def test_it_expires(kept):
    kept.add("old", TURN)
    long_ago_s = time.time() - EXPIRES_S - 60
    os.utime(kept.folder / "old.json", (long_ago_s, long_ago_s))
    assert kept.turns("old") == ([], "")
    assert kept.named("-") == "default"
    kept.add("new", TURN)
    assert [path.name for path in kept.folder.glob("*.json")] == ["new.json"]


def test_there_are_never_too_many(kept, monkeypatch):
    monkeypatch.setattr(conversations, "_MOST_CONVERSATIONS", 3)
    for number in range(6):
        kept.add(f"c{number}", TURN)
    assert len(list(kept.folder.glob("*.json"))) == 3


def test_long_words_are_cut(kept):
    kept.add("work", Turn("x" * 10**6, "y" * 10**6, ("z(1)",) * 100))
    ((turn,), fault) = kept.turns("work")
    assert (len(turn.asked), len(turn.read_as), len(turn.references), fault) == (2000, 2000, 5, "")


def test_two_at_once_lose_nothing(kept, at_once):
    at_once(*(partial(kept.add, "work", Turn(f"q{number}", "r", ())) for number in range(MOST_TURNS)))
    assert {turn.asked for turn in kept.turns("work")[0]} == {f"q{number}" for number in range(MOST_TURNS)}


def test_a_lock_that_is_held_is_not_waited_for_without_end(kept):
    kept.add("work", TURN)
    with (kept.folder / ".lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "stored" in kept.add("work", Turn("q", "r", ()))
    assert kept.turns("work") == ([TURN], "")


def test_a_place_that_cannot_be_written_is_a_warning(tmp_path):
    (tmp_path / "conversations").write_text("a file")
    kept = Conversations(tmp_path / "conversations")
    assert "cannot be stored" in kept.add("work", TURN)
    assert kept.turns("work")[0] == []
    json.dumps(kept.turns("work")[1])
