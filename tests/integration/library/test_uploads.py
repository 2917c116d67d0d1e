"""What is handed over is kept under ids of our own, read apart, and refused by name where it cannot be read."""

import json
import pickle
import zipfile

import pytest

from vademecum.core.errors import SourceError
from vademecum.library.collections import Collections
from vademecum.library.uploads.records import convert
from vademecum.library.uploads.uploads import LONGEST_NAME, Uploads, shown


@pytest.fixture
def collection(tmp_path):
    return Collections(tmp_path / "collections").create("shelf")


@pytest.fixture
def take(collection, tmp_path):
    def taken(name, data, fields=None):
        place = tmp_path / "incoming"
        place.write_bytes(data if isinstance(data, bytes) else data.encode())
        return Uploads(collection).take(name, place, fields)

    return taken


def files(collection):
    folder = Uploads(collection).files
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("name", "data", "media"),
    [
        ("notes.md", "# Whales\n\nThey sing.", "markdown"),
        ("notes.TXT", "They sing at night.", "text"),
        ("page.html", "<html><body><h1>Whales</h1><p>They sing.</p></body></html>", "html"),
    ],
)
def test_a_document_is_kept_under_an_id(collection, take, name, data, media):
    taken = take(name, data)
    assert (taken.name, taken.media, taken.documents) == (name, media, 1)
    assert len(taken.id) == 16
    (file,) = files(collection)
    assert file.startswith(f"{taken.id}/")
    assert [*Uploads(collection)] == [taken]


@pytest.mark.parametrize(
    ("name", "as_shown"),
    [
        ("../../etc/passwd.md", "passwd.md"),
        ("..\\..\\boot.md", "boot.md"),
        ("no\u202etes\0.md", "notes.md"),
        ("a b\n.md", "a b.md"),
    ],
)
def test_a_hostile_name_is_only_shown(collection, take, name, as_shown):
    taken = take(name, "# Whales\n\nThey sing.")
    assert taken.name == as_shown
    (file,) = files(collection)
    assert file.startswith(f"{taken.id}/")
    assert ".." not in file


@pytest.mark.parametrize("name", ["", "/", "...", "\0\u202e", "a" * 10_000 + ".md"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(SourceError, match="not a valid name for a file") as caught:
        shown(name)
    assert str(LONGEST_NAME) in caught.value.hint


def bomb(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * (300 << 20))
    return path.read_bytes()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("picture.png", b"\x89PNG\r\n\x1a\n"),
        pytest.param("picture.md", b"\x89PNG\r\n\x1a\n" + bytes(range(32)) * 50, id="picture.md"),
        ("empty.md", b""),
        ("words.docx", b"PK\x03\x04 but nothing behind it"),
        ("words.pdf", b"%PDF-1.7\nno more of it"),
        pytest.param("old.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), id="old.docx"),
        ("archive.zip", b"PK\x03\x04"),
        pytest.param("rows.json", pickle.dumps([{"text": "whales"}]), id="pickle"),
        pytest.param("rows.json", b"[" * 100_000, id="nested"),
        ("rows.json", b"[]"),
        ("rows.jsonl", b'{"text": "whales"}\n{"text": '),
    ],
)
def test_what_can_not_be_read_is_refused_and_leaves_nothing(collection, take, name, data):
    with pytest.raises(SourceError) as caught:
        take(name, data)
    assert caught.value.hint
    assert files(collection) == []
    assert [*Uploads(collection)] == []
    assert not [*collection.folder.glob(".upload-*")]


def test_a_zip_bomb_is_refused(take, tmp_path):
    with pytest.raises(SourceError, match="cannot be read"):
        take("bomb.docx", bomb(tmp_path / "bomb"))


RECORDS = [
    {"name": "Blue whale", "body": "It is the largest animal.", "link": "https://example.org/blue"},
    {"name": "Orca", "body": "# It hunts in groups.", "link": "javascript:alert(1)"},
]


@pytest.mark.parametrize(
    ("media", "data"),
    [
        ("json", json.dumps(RECORDS)),
        ("json", json.dumps({"items": RECORDS})),
        ("jsonl", "\n".join(map(json.dumps, RECORDS))),
        (
            "csv",
            "name,body,link\nBlue whale,It is the largest animal.,https://example.org/blue\nOrca,# It hunts in groups.,\n",
        ),
    ],
)
def test_records_become_documents(tmp_path, media, data):
    place, folder = tmp_path / "records", tmp_path / "out"
    place.write_text(data)
    folder.mkdir()
    assert convert(place, media, {"title": "name"}, folder, "whales") == 2
    first, second = (path.read_text() for path in sorted(folder.iterdir()))
    assert first == "# Blue whale\n\nIt is the largest animal.\n\nSource: https://example.org/blue\n"
    assert second == "# Orca\n\n\\# It hunts in groups.\n"


def test_a_mapping_of_what_documents_do_not_have_is_refused(tmp_path):
    with pytest.raises(SourceError, match="colour"):
        convert(tmp_path / "records", "json", {"colour": "name"}, tmp_path, "x")


def test_a_document_that_is_removed_is_gone(collection, take):
    taken = take("notes.md", "# Whales\n\nThey sing.")
    assert not Uploads(collection).remove("../" + taken.id)
    assert Uploads(collection).remove(taken.id)
    assert not Uploads(collection).remove(taken.id)
    assert files(collection) == []
    assert [*Uploads(collection)] == []


PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("notes.pdf", b"# Whales\n\nThey sing.", "is not a PDF"),
        ("notes.docx", PDF, "is a PDF"),
        ("notes.csv", PDF, "is a PDF"),
        ("cut.docx", b"PK\x03\x04 and no more", "is damaged"),
        ("notes.md", b"\x7fELF\x02\x01\x01" + bytes(60), "binary"),
    ],
)
def test_the_content_of_a_file_decides(collection, take, name, data, said):
    with pytest.raises(SourceError, match=said):
        take(name, data)
    assert files(collection) == []


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("rows.csv", b"sound,depth\nlow,3\nhigh,7\n"),
        ("rows.csv", "sound;depth\nÉlan;3\nhigh;7\n".encode("latin-1")),
        ("rows.json", b'[{"sound": "low", "depth": 3}, {"sound": "high", "depth": 7}]'),
        ("rows.yaml", b"sounds: [{sound: low, depth: 3}, {sound: high, depth: 7}]"),
        ("notes.docx", b"# Whales\n\nThey sing."),
    ],
)
def test_tables_and_data_need_no_mapping(collection, take, name, data):
    assert (take(name, data).documents, len(files(collection))) == (1, 1)


@pytest.mark.parametrize(
    ("media", "data", "said"),
    [
        ("jsonl", b'{"text": "a"}\n\n{"text": "b"}\n{"text": \n', "record 3 is not JSON: column"),
        ("jsonl", b'{"text": "a"}\n{"text": "b"}\n[1]\n', "record 3 is not a mapping"),
        ("json", b'[{"text": "a"},\n {"text": }]', "the file is not JSON: line 2, column"),
        ("json", b"[" * 200_000, "the file is nested too deeply"),
        ("csv", "text\nÉlan vital\n".encode("latin-1"), "save it as UTF-8"),
        ("csv", b'text,title\na,b\n"c" d,e\n', "record 2 is not a row"),
        ("csv", b"title;words\na;b\n", "record 1 has no text .its fields: title, words"),
    ],
)
def test_a_fault_of_a_record_is_named_with_its_number(tmp_path, media, data, said):
    place, folder = tmp_path / "rows", tmp_path / "made"
    folder.mkdir()
    place.write_bytes(data)
    with pytest.raises(SourceError, match=said):
        convert(place, media, {}, folder, "rows")


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_table_is_read_by_the_mark_between_its_names(tmp_path, mark):
    place, folder = tmp_path / "rows.csv", tmp_path / "made"
    folder.mkdir()
    place.write_text(f"title{mark}text\nWhales{mark}They sing\n")
    assert convert(place, "csv", {}, folder, "rows") == 1
    assert (folder / "rows-000001.md").read_text() == "# Whales\n\nThey sing\n"
