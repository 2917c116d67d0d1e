"""An index copied into a store: every question has the same answer there, and a copy that is cut off does no harm."""

import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from vademecum import Places
from vademecum.core.errors import IndexCorrupt, IndexLocked, IndexMissing, SourceError, StoreError
from vademecum.core.stores import Published, Row
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.index.stored import copy as store_copy
from vademecum.index.stored.copy import owner_of
from vademecum.index.stored.reader import StoredGenerations
from vademecum.library.internal import InternalLibrary
from vademecum.stores.postgres import PostgresStore


def copy(generations, store):
    owner = owner_of(generations.folder.with_name("owner"))
    return store_copy.copy(store_copy.from_files(generations, owner), store)


class _CutOff(PostgresStore):
    """A store whose client is killed before its nth write."""

    writes_left = 0

    def write(self, segment, kind, rows):
        if not self.writes_left:
            raise KeyboardInterrupt
        self.writes_left -= 1
        super().write(segment, kind, rows)


def test_every_question_has_the_same_answer(library, address, moved, said):
    stored = moved(library, address)
    stored.reindex()
    for question in said.questions:
        assert said(stored, question) == said(library, question)
        assert stored.search(question) == library.search(question)
        assert stored.passages(question) == library.passages(question)


def test_the_store_is_what_is_asked(library, address, moved, said):
    stored = moved(library, address)
    with pytest.raises(IndexMissing, match="postgres://"):
        stored.ask(said.questions[0])
    stored.reindex()
    assert stored.ask("how do we release").citations
    PostgresStore(address).publish(Published(2, "{}"), replaces=1)
    with pytest.raises(IndexCorrupt, match="manifest"):
        moved(library, address).ask(said.questions[0])


def test_sources_and_sections_limit_what_is_found_there(library, address, moved, said):
    stored = moved(library, address)
    stored.reindex()
    alias = next(entry.alias for entry in library.sources() if entry.type == "docs")
    for limits in ({"sources": [alias]}, {"sections": ["1"]}):
        for question in said.questions[:6]:
            assert said(stored, question, **limits) == said(library, question, **limits)


def test_nothing_is_published_when_nothing_changed(library, store):
    generations = Generations(library.places.index_folder)
    assert copy(generations, store).number == 1
    assert copy(generations, store).number == 1


def test_what_changed_is_copied_and_what_is_gone_is_swept(library, address, store, notes, moved):
    generations = Generations(library.places.index_folder)
    copy(generations, store)
    before = store.segments()
    note = notes / "new.md"
    note.write_text("# Whistle\n\nThe whistle hangs behind the door.\n")
    library.reindex()
    note.unlink()
    assert copy(generations, store).number == 2
    after = store.segments()
    assert len(after - before) == 2  # a segment, and the tables of the generation
    assert before <= after  # for those who have not noticed yet
    assert moved(library, address).ask("where is the whistle").citations
    library.reindex()
    copy(generations, store)
    with pytest.raises(StoreError):
        StoredGenerations(store).open_segment(
            open_index(generations).manifest.segments[0]._replace(name="gone")
        )


@pytest.mark.parametrize(
    "writes", [0, 9, *(pytest.param(writes, marks=pytest.mark.nightly) for writes in (1, 3, 6, 10, 14, 20))]
)
@pytest.mark.sampled(1)
def test_a_copy_that_is_cut_off_leaves_what_was_current_and_is_finished_later(
    library, address, writes, moved, said
):
    generations = Generations(library.places.index_folder)
    store = _CutOff(address)
    store.writes_left = 1000
    copy(generations, store)
    stored = moved(library, address)
    question = "how do we release"
    before, old = said(stored, question), generations.current()
    library.reindex(full=True)
    store.writes_left = writes
    with pytest.raises(KeyboardInterrupt):
        copy(generations, store)
    assert said(moved(library, address), question) == before
    store.writes_left = 1000
    published = copy(generations, store)
    assert published.number == 2
    names = {info.name for info in generations.current().segments} | {info.name for info in old.segments}
    assert store.segments() == {*names, "generation-000001", "generation-000002"}
    assert said(moved(library, address), question) == before
    store.close()


def test_a_reader_keeps_its_generation_while_the_next_is_published(library, address, store, moved, said):
    generations = Generations(library.places.index_folder)
    copy(generations, store)
    reader = moved(library, address)
    assert reader.passages_bm25("quartz")  # it has opened the index, and read little of it
    library.reindex(full=True)
    copy(generations, store)
    for question in said.questions:
        assert said(reader, question) == said(library, question)


@pytest.fixture
def other(address, tmp_path):
    """A library of another machine, of the same store."""
    places = Places(config=tmp_path / "other", data=tmp_path / "others")
    places.config.mkdir()
    places.settings_file.write_text(f"ragadmin:\n  store: {address}\n")
    return InternalLibrary(places)


def test_an_index_of_another_library_is_not_replaced(library, address, other, moved, said):
    assert "generation 1" in moved(library, address).reindex().shared
    with pytest.raises(StoreError, match=r"of [0-9]+ documents that another library"):
        other.reindex()
    assert not other.places.index_folder.exists()  # it is said before anything is read
    other.remove_source(other.sources()[0].alias)
    assert said(other, said.questions[0]) == said(library, said.questions[0])


def test_a_machine_that_only_asks_names_the_sources_of_the_index(library, address, other, moved, said):
    moved(library, address).reindex()
    alias = next(entry.alias for entry in library.sources() if entry.type == "docs")
    asked = "how do we release"
    assert said(other, asked, sources=[alias]).summary == said(library, asked, sources=[alias]).summary
    with pytest.raises(SourceError, match="Source elsewhere not found") as caught:
        other.ask(asked, sources=["elsewhere"])
    assert alias in caught.value.hint


def test_an_index_is_taken_over_by_a_full_reindex(library, address, store, moved):
    generations = Generations(library.places.index_folder)
    store_copy.copy(store_copy.from_files(generations, "somebody else"), store)
    stored = moved(library, address)
    with pytest.raises(StoreError, match="another library"):
        stored.reindex()
    assert "generation 2" in stored.reindex(full=True).shared
    assert "generation 2" in stored.reindex().shared


def test_a_store_that_is_down_is_said_before_anything_is_read(library):
    places = library.places._replace(config=library.places.config.with_name("down"))
    places.config.mkdir()
    places.settings_file.write_text("ragadmin:\n  store: postgresql://u@127.0.0.1:9/d\n")
    before = Generations(places.index_folder).current()
    with pytest.raises(StoreError, match="refused"):
        InternalLibrary(places).reindex(full=True)
    assert Generations(places.index_folder).current() == before


@pytest.mark.nightly
def test_threads_ask_at_once_and_little_is_kept(library, address, monkeypatch, moved, said):
    monkeypatch.setattr("vademecum.index.stored.reader._KEPT_BYTES", 3000)
    stored = moved(library, address)
    stored.reindex()
    questions = said.questions[:4]
    expected = [said(library, question) for question in questions]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda question: said(stored, question), questions)) == expected


def test_another_writer_in_between_is_not_overwritten(library, store):
    generations = Generations(library.places.index_folder)
    copy(generations, store)
    library.reindex(full=True)

    class Meanwhile(PostgresStore):
        def publish(self, generation, *, replaces):
            store.publish(Published(2, "theirs"), replaces=1)
            super().publish(generation, replaces=replaces)

    with pytest.raises(IndexLocked):
        copy(generations, Meanwhile(f"{store._conninfo}&schema={store._schema}"))
    assert store.current() == Published(2, "theirs")


@pytest.mark.parametrize(
    "kind", ["document", "document_vector", "need_vector", "page_words", "passage", "passage_words", "text"]
)
def test_a_damaged_row_is_named(library, address, store, kind, moved):
    generations = Generations(library.places.index_folder)
    copy(generations, store)
    for info in generations.current().segments:
        rows = [Row(row.key, row.fields, row.data[:3], row.vector) for row in store.scan(info.name, kind)]
        store.write(info.name, kind, rows)
    with pytest.raises(IndexCorrupt, match=f"damaged .*{kind}"):
        moved(library, address).ask("how do I see hidden files")


def test_a_segment_that_is_not_whole_is_named(library, address, store, moved):
    copy(Generations(library.places.index_folder), store)
    name = Generations(library.places.index_folder).current().segments[0].name
    seal = next(row for row in store.scan(name, "table"))
    others = {kind: list(store.scan(name, kind)) for kind in ("document", "passage")}
    store.drop(name)
    for kind, rows in others.items():
        store.write(name, kind, rows)
    with pytest.raises(IndexCorrupt, match="not whole"):
        moved(library, address).ask("how do we release")
    store.write(name, "table", [seal])


def test_a_newer_generation_is_noticed(library, address, notes, monkeypatch, moved):
    stored = moved(library, address)
    stored.reindex()
    reader = moved(library, address)
    assert not reader.passages_bm25("whistle")
    note = notes / "whistle.md"
    note.write_text("# Whistle\n\nThe whistle hangs behind the door.\n")
    stored.reindex()
    note.unlink()
    assert not reader.passages_bm25("whistle")
    later_s = time.monotonic() + 60
    monkeypatch.setattr("time.monotonic", lambda: later_s)
    assert reader.passages_bm25("whistle")[0].reference == "whistle.md"


def test_one_who_may_only_read_asks(library, address, postgres, moved):
    moved(library, address).reindex()
    schema = address.rpartition("=")[2]
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS reader")
        connection.execute("CREATE ROLE reader LOGIN PASSWORD 'hunter2'")
        connection.execute(f"GRANT USAGE ON SCHEMA {schema} TO reader")
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO reader")
    reader = moved(library, address.replace("//postgres:@", "//reader:hunter2@"))
    assert reader.ask("how do we release").citations
    with pytest.raises(StoreError) as caught:
        reader.reindex(full=True)
    assert "hunter2" not in str(caught.value)
    assert reader.ask("how do we release").citations


def test_health_of_a_machine_that_only_asks(library, address, other, moved):
    moved(library, address).reindex()
    found = {one.component: one.severity for one in other.health()}
    assert found["ragadmin.store"] == "pass"
    assert "index_freshness" not in found
    assert "index_integrity" not in found


def test_health_looks_at_the_store(library, address, moved):
    stored = moved(library, address)
    (found,) = [one for one in stored.health() if one.component == "ragadmin.store"]
    assert (found.severity, "has no index yet" in found.message) == ("fail", True)
    stored.reindex()
    (found,) = [one for one in stored.health() if one.component == "ragadmin.store"]
    assert (found.severity, "generation 1" in found.message) == ("pass", True)


def test_a_source_that_is_removed_is_gone_from_the_store(library, address, moved):
    stored = moved(library, address)
    stored.reindex()
    assert stored.passages_bm25("how do we release")
    stored.remove_source(next(entry.alias for entry in stored.sources() if entry.type == "docs"))
    assert not moved(library, address).passages_bm25("boiler pressure")
