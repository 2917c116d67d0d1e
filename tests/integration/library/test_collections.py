"""Collections: names, descriptions, what is shared, and what happens to one that is deleted while it is asked."""

import json
import threading

import pytest

from vademecum.core.errors import CollectionExists, CollectionMissing, ConfigError, IndexMissing, StoreError
from vademecum.library.collections import Collections


@pytest.fixture
def collections(tmp_path):
    return Collections(tmp_path / "collections")


@pytest.fixture
def filled(collections, tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "kites.md").write_text("# Kites\n\nA kite needs a tail of two metres to fly steadily.\n")
    (folder / "boats.md").write_text("# Boats\n\nA boat needs a keel of lead to sail upright.\n")
    made = collections.create("toys")
    made.library.add_source(folder, type="docs")
    made.library.reindex()
    return made


def test_a_collection_is_as_it_was_made(collections):
    made = collections.create(
        "robot-book_2",
        kind="book",
        description="Robots",
        owner="ann",
        metadata={"prompt": "Be brief.", "top": [1, 2]},
    )
    found = Collections(collections.folder).get("robot-book_2")
    assert (found.name, found.kind, found.description, found.owner) == (
        "robot-book_2",
        "book",
        "Robots",
        "ann",
    )
    assert found.metadata == {"prompt": "Be brief.", "top": [1, 2]}
    assert found.created == made.created
    assert found.library.sources() == []
    assert (found.folder.stat().st_mode & 0o777) == 0o700


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "a\\b",
        "A",
        "ä",
        "a b",
        "-a",
        "a-",
        "_a",
        "a\x00b",
        "a\u202eb",
        "a\n",
        "x" * 64,
        "y" * 10_000,
    ],
)
def test_names_that_are_none(collections, name):
    for call in (collections.create, collections.get, collections.delete):
        with pytest.raises(ConfigError, match="not a valid name") as caught:
            call(name)
        assert caught.value.message.isprintable()
        assert len(caught.value.message) < 200
    assert not collections.folder.exists()


def test_a_name_is_taken_once(collections):
    collections.create("toys", description="first")
    with pytest.raises(CollectionExists):
        collections.create("toys")
    assert collections.get("toys").description == "first"
    assert [one.name for one in collections.folder.iterdir()] == ["toys"]


def test_two_that_make_the_same_at_once(collections):
    outcomes = []

    def make():
        try:
            outcomes.append(collections.create("toys"))
        except CollectionExists:
            outcomes.append(None)

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(one is not None for one in outcomes) == 1
    assert [one.name for one in collections.folder.iterdir()] == ["toys"]


def test_what_is_not_there(collections):
    for call in (collections.get, collections.delete):
        with pytest.raises(CollectionMissing, match="toys not found"):
            call("toys")
    assert collections.list() == []


def test_a_list_is_by_name_kind_and_owner(collections):
    for name, owner, kind in (("c", "ann", "book"), ("a", "", "collection"), ("b", "bob", "collection")):
        collections.create(name, owner=owner, kind=kind)
    assert [one.name for one in collections.list()] == ["a", "b", "c"]
    assert [one.name for one in collections.list(owner="ann")] == ["a", "c"]
    assert [one.name for one in collections.list(kind="collection")] == ["a", "b"]


def test_describing_adds_and_takes_out(collections):
    made = collections.create("toys", metadata={"prompt": "x", "tokens": 5})
    now = made.describe(description="Kites and boats", metadata={"tokens": None, "model": "m"})
    assert now.metadata == {"prompt": "x", "model": "m"}
    again = Collections(collections.folder).get("toys")
    assert (again.description, again.metadata, again.owner) == (
        "Kites and boats",
        {"prompt": "x", "model": "m"},
        "",
    )
    assert collections.get("toys").metadata == {"prompt": "x", "model": "m"}


@pytest.mark.parametrize("metadata", [{"x": float("nan")}, {"x": object()}, {"x": "y" * (1 << 20)}])
def test_metadata_that_can_not_be_kept(collections, metadata):
    with pytest.raises(ConfigError, match="metadata"):
        collections.create("toys", metadata=metadata)
    assert collections.list() == []
    made = collections.create("toys", metadata={"kept": 1})
    with pytest.raises(ConfigError, match="metadata"):
        made.describe(metadata=metadata)
    assert Collections(collections.folder).get("toys").metadata == {"kept": 1}


def test_descriptions_by_many_at_once_are_all_kept(collections):
    made = collections.create("toys")
    threads = [threading.Thread(target=lambda n=n: made.describe(metadata={f"n{n}": n})) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Collections(collections.folder).get("toys").metadata == {f"n{n}": n for n in range(20)}


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"format": 9}',
        '{"format": 1, "name": "toys", "kind": "x", "description": "", "owner": "", "created": "", "metadata": {}}',
        "[" * 100_000,
    ],
)
def test_a_damaged_file_is_named_and_the_others_go_on(collections, damage):
    collections.create("boats")
    collections.create("toys")
    (collections.folder / "toys" / "collection.json").write_text(damage)
    with pytest.raises(StoreError, match=r"collection\.json"):
        Collections(collections.folder).get("toys")
    assert [one.name for one in Collections(collections.folder).list()] == ["boats"]
    collections.delete("toys")
    collections.create("toys")


def test_the_library_is_shared_and_answers(collections, filled):
    assert collections.get("toys").library is filled.library
    hits = filled.library.passages("how long is the tail of a kite", limit=2)
    assert "two metres" in hits[0].text
    assert hits[0].rank == 1
    assert 0 <= hits[0].distance <= 2
    assert filled.library.text(hits[0].document)[hits[0].start : hits[0].end] == hits[0].text


def test_one_without_documents_has_no_index(collections):
    with pytest.raises(IndexMissing):
        collections.create("empty").library.passages("kites")


@pytest.mark.usefixtures("filled")
def test_what_another_process_indexes_is_seen(collections, tmp_path):
    elsewhere = Collections(collections.folder).get("toys")
    (tmp_path / "pages" / "swings.md").write_text("# Swings\n\nA swing hangs from two ropes of hemp.\n")
    elsewhere.library.reindex()
    assert "hemp" in collections.get("toys").library.passages("what ropes does a swing hang from")[0].text


def test_deleting_while_it_is_asked(collections, filled):
    index_open = filled.library.passages("kite tail", limit=1)
    stop, faults = threading.Event(), []

    def ask():
        while not stop.is_set():
            try:
                assert filled.library.passages("kite tail", limit=1) == index_open
            except Exception as fault:  # noqa: BLE001 - whatever comes, the test must tell
                faults.append(fault)
                return

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    collections.delete("toys")
    stop.set()
    for thread in threads:
        thread.join()
    assert faults == []
    with pytest.raises(CollectionMissing):
        collections.get("toys")
    assert list(collections.folder.iterdir()) == []
    again = collections.create("toys")
    assert again.library is not filled.library
    with pytest.raises(IndexMissing):
        again.library.passages("kite tail")


@pytest.mark.usefixtures("filled")
def test_a_name_deleted_and_made_anew_by_another_process(collections):
    other = Collections(collections.folder)
    other.delete("toys")
    other.create("toys", description="new")
    assert collections.get("toys").description == "new"


def test_what_a_killed_process_left_is_swept(collections):
    collections.create("toys")
    (collections.folder / ".gone-1").mkdir()
    (collections.folder / ".new-1").mkdir()
    assert [one.name for one in collections.list()] == ["toys"]
    assert collections.sweep() == 2
    assert [one.name for one in collections.folder.iterdir()] == ["toys"]


def test_the_file_is_plain_json(collections):
    collections.create("toys", kind="book")
    data = json.loads((collections.folder / "toys" / "collection.json").read_text())
    assert data["format"] == 1
    assert data["kind"] == "book"
