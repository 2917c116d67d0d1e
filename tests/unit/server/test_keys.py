"""API keys in a file."""

import json
from functools import partial

import pytest

from vademecum.core.errors import ConfigError, StoreError
from vademecum.server.guard.keys import TOKEN, Keys


@pytest.fixture
def keys(tmp_path):
    return Keys(tmp_path / "server" / "keys.json")


def test_a_key_is_found_by_what_opens_and_by_nothing_else(keys):
    key, token = keys.add("anna", role="admin", per_minute=7)
    assert keys.find(token) == key
    assert (key.name, key.role, key.per_minute) == ("anna", "admin", 7)
    assert TOKEN.fullmatch(token)[1] == key.id
    other = f"{token[:-1]}{'A' if token[-1] != 'A' else 'B'}"
    for wrong in (
        other,
        token[:-1],
        f"{token}A",
        token.upper(),
        f" {token}",
        key.id,
        key.hash,
        "",
        "\0",
        "é" * 60,
    ):
        assert keys.find(wrong) is None


def test_a_token_is_stored_nowhere(keys):
    _, token = keys.add("anna")
    for file in keys.path.parent.iterdir():
        assert token[17:].encode() not in file.read_bytes()
    assert keys.path.stat().st_mode & 0o077 == 0


def test_every_key_is_another(keys):
    made = [keys.add(f"key {at}") for at in range(9)]
    assert len({token for _, token in made}) == len({key.id for key, _ in made}) == 9
    assert {key.name for key in keys.list()} == {f"key {at}" for at in range(9)}


def test_other_processes_keys_are_seen_at_once(keys):
    other = Keys(keys.path)
    assert not other.are_needed
    _, token = keys.add("anna")
    assert other.find(token)
    keys.remove("anna")
    assert other.find(token) is None
    assert other.are_needed  # once there was one, nobody gets in without


def test_many_at_once_lose_none(keys, at_once):
    at_once(*(partial(Keys(keys.path).add, f"key {at}") for at in range(20)))
    assert len(keys.list()) == 20


@pytest.mark.parametrize("name", ["", " anna", "a/b", "a\nb", "a\0b", "\u202eanna", "x" * 64, "-x"])
def test_rejects_a_bad_name(keys, name):
    with pytest.raises(ConfigError):
        keys.add(name)
    assert keys.list() == []


def test_rejects_duplicates_roles_and_limits(keys):
    keys.add("anna")
    with pytest.raises(ConfigError, match="already"):
        keys.add("anna")
    with pytest.raises(ConfigError, match="role"):
        keys.add("bob", role="root")
    for number in (0, -1, 1_000_001):
        with pytest.raises(ConfigError, match="per_minute"):
            keys.add("bob", per_minute=number)
    with pytest.raises(ConfigError, match="bob"):
        keys.remove("bob")
    assert [key.name for key in keys.list()] == ["anna"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "{}",
        '{"format": 2, "keys": []}',
        '{"format": 1}',
        '{"format": 1, "keys": [1]}',
        '{"format": 1, "keys": [{"id": "x"}]}',
        "[" * 100_000,
    ],
)
def test_a_damaged_file_lets_nobody_in(keys, text):
    _, token = keys.add("anna")
    keys.path.write_text(text)
    for use in (lambda: keys.find(token), keys.list, lambda: keys.are_needed, lambda: keys.add("bob")):
        with pytest.raises(StoreError, match=r"keys\.json"):
            use()
    assert keys.path.read_text() == text


@pytest.mark.parametrize(
    ("name", "value"),
    [("role", "root"), ("per_minute", "9"), ("per_minute", True), ("hash", 3), ("id", None)],
)
def test_a_field_of_another_type(keys, name, value):
    keys.add("anna")
    data = json.loads(keys.path.read_text())
    data["keys"][0][name] = value
    keys.path.write_text(json.dumps(data))
    with pytest.raises(StoreError):
        keys.list()


def test_a_folder_in_the_files_place(keys):
    keys.path.mkdir(parents=True)
    with pytest.raises(StoreError):
        keys.list()
