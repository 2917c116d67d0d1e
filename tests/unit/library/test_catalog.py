"""The catalog: names are kept, damage is named, nothing is lost."""

import json
import multiprocessing
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.core.errors import ConfigError
from vademecum.library.catalog import DEFAULT, Catalog, CatalogEntry
from vademecum.library.registry import alias_for

ENTRY = CatalogEntry("notes", "man", "/srv/notes", seen={"man1": 1})


@pytest.fixture
def catalog(tmp_path):
    return Catalog(tmp_path / "data" / "catalog.json")


def test_without_a_file_it_is_the_machines_manual_pages_and_writes_nothing(catalog):
    assert catalog.entries() == list(DEFAULT)
    assert catalog.entries()[0].alias == "man-pages"
    assert not catalog.path.parent.exists()


def test_what_is_saved_is_read_again(catalog):
    with catalog.changing() as entries:
        entries.append(ENTRY)
    assert Catalog(catalog.path).entries() == [*DEFAULT, ENTRY]
    assert sorted(path.name for path in catalog.path.parent.iterdir()) == ["catalog.json", "catalog.lock"]


def test_a_change_that_fails_changes_nothing(catalog):
    with catalog.changing() as entries:
        entries.append(ENTRY)
    before = catalog.path.read_bytes()
    with pytest.raises(ZeroDivisionError), catalog.changing() as entries:
        entries.append(entries.pop() and 1 / 0)
    assert catalog.path.read_bytes() == before


def add_ten(path, who):
    for number in range(10):
        with Catalog(path).changing() as entries:
            entries.append(ENTRY._replace(alias=f"{who}-{number}"))


def test_two_processes_do_not_lose_each_others_changes(catalog):
    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=add_ten, args=(catalog.path, who)) for who in "ab"]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert len({entry.alias for entry in catalog.entries()}) == len(DEFAULT) + 20


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "\0\1\2",
        '{"format": 2, "sources": []}',
        '{"format": 1}',
        '{"format": 1, "sources": [{}]}',
        '{"format": 1, "sources": [{"alias": 3, "type": "man", "location": "/"}]}',
        '{"format": 1, "sources": [{"alias": "a", "type": "man", "location": "/", "seen": 7}]}',
        '{"format": 1, "sources": [{"alias": "a", "type": "man", "location": "/", "colour": "red"}]}',
    ],
)
def test_a_damaged_file_is_named_and_left_as_it_is(catalog, text):
    catalog.path.parent.mkdir()
    catalog.path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        catalog.entries()
    assert str(catalog.path) in caught.value.message
    assert "ragadmin init" in caught.value.hint
    with pytest.raises(ConfigError), catalog.changing() as entries:
        entries.append(ENTRY)
    assert catalog.path.read_text() == text


def test_a_file_that_is_not_text_is_named(catalog):
    catalog.path.parent.mkdir()
    catalog.path.write_bytes(b"\xff\xfe\x80")
    with pytest.raises(ConfigError):
        catalog.entries()


def test_a_folder_that_can_not_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(ConfigError, match="can not be written"),
        Catalog(tmp_path / "file" / "c.json").changing(),
    ):
        pass


def test_it_is_json_that_people_can_read(catalog):
    with catalog.changing():
        pass
    (source,) = json.loads(catalog.path.read_text())["sources"]
    assert source["location"] == "/usr/share/man"


@pytest.mark.parametrize(
    ("location", "taken", "alias"),
    [
        ("/srv/man", set(), "man"),
        ("/srv/Server Fault (en).zim", set(), "server-fault-en"),
        ("/srv/python.zim", {"python"}, "python-2"),
        ("/srv/python.zim", {"python", "python-2"}, "python-3"),
        ("/srv/Übersicht", set(), "ubersicht"),
        ("/srv/日本", set(), "source"),
        ("/", set(), "source"),
        ("/srv/" + "a" * 40, {"a" * 31}, "a" * 29 + "-2"),
    ],
)
def test_aliases(location, taken, alias):
    assert alias_for(location, taken) == alias


@given(st.text(max_size=60), st.sets(st.sampled_from(["a", "a-2", "source", "b"])))
def test_an_alias_is_a_new_slug(name, taken):
    alias = alias_for(f"/srv/{name.replace(chr(0), '')}", taken)
    assert alias not in taken
    assert 1 <= len(alias) <= 31
    assert set(alias) <= set(string.ascii_lowercase + string.digits + "-")
    assert not alias.startswith("-")
    assert not alias.endswith("-")
