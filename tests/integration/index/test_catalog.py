"""The catalog: names are kept, damage is named, nothing is lost."""

import json
import multiprocessing
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.core.errors import ConfigError
from vademecum.index.catalog.catalog import DEFAULT, Catalog, CatalogEntry
from vademecum.index.catalog.source_types import alias_for

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
        '{"format": 3, "sources": []}',
        '{"format": "2", "sources": []}',
        '{"format": true, "sources": 3}',
        '{"format": 1}',
        '{"format": 1, "sources": [{}]}',
        '{"format": 1, "sources": [{"alias": 3, "type": "man", "location": "/"}]}',
        '{"format": 1, "sources": [{"alias": "a", "type": "man", "location": "/", "seen": 7}]}',
        '{"format": 1, "sources": [{"alias": "a", "type": "man", "location": "/", "colour": "red"}]}',
        '{"format": 2, "sources": [{"alias": "a", "type": "man", "location": "/", "status": "lost"}]}',
        '{"format": 2, "sources": [{"alias": "a", "type": "man", "location": "/", "checksum": 7}]}',
        '{"format": 2, "sources": [{"alias": "../x", "type": "man", "location": "/"}]}',
        '{"format": 2, "sources": [{"alias": "", "type": "man", "location": "/"}]}',
        '{"format": 2, "sources": [{"alias": "a\\u001b[2J", "type": "man", "location": "/"}]}',
        json.dumps({"format": 2, "sources": [{"alias": "a" * 300, "type": "man", "location": "/"}]}),
        json.dumps({"format": 2, "sources": [{"alias": "a", "type": "man", "location": "/"}] * 2}),
        "[" * 100_000,
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


def test_what_a_newer_version_wrote_is_said_so(catalog):
    catalog.path.parent.mkdir()
    catalog.path.write_text('{"format": 9, "sources": []}')
    with pytest.raises(ConfigError, match="newer version"):
        catalog.entries()


def test_what_an_older_version_wrote_is_read(catalog):
    catalog.path.parent.mkdir()
    old = {
        "alias": "man-pages",
        "type": "man",
        "location": "/usr/share/man",
        "language": "en",
        "status": "active",
    }
    old |= {
        "last_updated": "2025-11-22T01:31:00+00:00",
        "size_bytes": 7,
        "documents": 3,
        "notes": "",
        "seen": {"man1": 1},
    }
    catalog.path.write_text(json.dumps({"format": 1, "sources": [old]}))
    (entry,) = catalog.entries()
    assert {name: getattr(entry, name) for name in old} == old
    assert (entry.checksum, entry.recipe, catalog.generation()) == ("", "", None)
    with catalog.changing(4):
        pass
    assert catalog.entries() == [entry]
    assert catalog.generation() == 4


def test_a_type_that_is_not_known_is_kept(catalog):
    catalog.path.parent.mkdir()
    catalog.path.write_text('{"format": 2, "sources": [{"alias": "a", "type": "wiki", "location": "/"}]}')
    with catalog.changing() as entries:
        assert entries[0].type == "wiki"
    assert catalog.entries()[0].type == "wiki"


def test_a_location_need_not_be_text(catalog):
    odd = ENTRY._replace(location="/srv/\udcff\n\u202e'\"%s")
    with catalog.changing() as entries:
        entries.append(odd)
    assert catalog.entries()[-1] == odd


def test_the_generation_it_is_in_line_with_is_kept(catalog):
    assert catalog.generation() == 0
    with catalog.changing():
        pass
    assert catalog.generation() == 0
    with catalog.changing(7):
        pass
    with catalog.changing():
        pass
    assert catalog.generation() == 7


def test_what_is_shown_is_what_people_need_to_know():
    shown = ENTRY._replace(checksum="0a", remark="mine", recipe="r").to_dict()
    assert shown["alias"] == "notes"
    assert shown["checksum"] == "0a"
    assert {
        "type",
        "location",
        "language",
        "status",
        "last_updated",
        "size_bytes",
        "documents",
        "notes",
    } < set(shown)
    assert not {"seen", "remark", "recipe"} & set(shown)


@pytest.mark.parametrize(
    ("language", "status", "warnings"),
    [
        ("en", "active", 0),
        ("en-GB", "pending", 0),
        ("EN", "active", 0),
        ("eng", "active", 1),
        ("de", "error", 2),
    ],
)
def test_what_a_person_should_know(language, status, warnings):
    entry = ENTRY._replace(language=language, status=status)
    assert len(entry.warnings) == warnings
    assert all("notes" in warning for warning in entry.warnings)


def test_a_file_that_is_not_text_is_named(catalog):
    catalog.path.parent.mkdir()
    catalog.path.write_bytes(b"\xff\xfe\x80")
    with pytest.raises(ConfigError):
        catalog.entries()


def test_a_folder_that_can_not_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(ConfigError, match="cannot be written"),
        Catalog(tmp_path / "file" / "c.json").changing(),
    ):
        pass


def test_it_is_json_that_people_can_read(catalog):
    with catalog.changing():
        pass
    sources = json.loads(catalog.path.read_text())["sources"]
    assert [source["location"] for source in sources] == ["/usr/share/man", "/usr/share/info"]


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
        ("/srv/python.zimaa", set(), "python"),
        ("/srv/tldr.ZIP", set(), "tldr"),
        ("/srv/../x", set(), "x"),
        ("/usr/share/man", set(), "man-pages"),
        ("/usr/share/info", {"info-pages"}, "info"),
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
