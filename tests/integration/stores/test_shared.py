"""An index in an engine: the same answers as in files, and nothing is lost, doubled or shown too early."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import pytest

from vademecum import Places
from vademecum.core.engines import Described, Query, Wanted
from vademecum.core.errors import IndexCorrupt, IndexLocked, IndexMissing, SourceError, StoreError
from vademecum.index.generations import Generations
from vademecum.index.shared import writer
from vademecum.index.shared.reader import every
from vademecum.library.internal import InternalLibrary
from vademecum.stores import open_engine, open_records
from vademecum.stores.postgres import PostgresEngine

OTHERS = ("opensearch_address", "weaviate_address")

pytestmark = pytest.mark.usefixtures("by_words")


@pytest.fixture(params=["address", *(pytest.param(name, marks=pytest.mark.servers) for name in OTHERS)])
def any_address(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def other(address, tmp_path):
    """A library of another machine, with the same store."""
    places = Places(config=tmp_path / "other", data=tmp_path / "others")
    places.config.mkdir()
    places.settings_file.write_text(f"ragadmin:\n  store: {address}\n")
    library = InternalLibrary(places)
    for entry in library.sources():
        library.remove_source(entry.alias)
    return library


def write(library, engine):
    owner = writer.owner_of(library.places.owner_file)
    return writer.write(engine, Generations(library.places.index_folder), owner)


def documents_in(engine, alias, generation=0):
    query = Query(generation, kind="document", filters={"source_alias": [alias]})
    return {item.key: item for item in every(engine, query)}


def alias_of_notes(library):
    return next(entry.alias for entry in library.sources() if entry.type == "docs")


def test_every_question_has_the_same_answer(library, any_address, moved, said):
    stored = moved(library, any_address)
    assert "generation 1" in stored.reindex().shared
    for question in said.questions:
        assert said(stored, question) == said(library, question)
    there, here = (kept.passages("quartz 17")[0] for kept in (stored, library))
    assert (there.passage, there.score) == (here.passage, pytest.approx(here.score, abs=1e-4))
    assert "generation 1" in stored.reindex().shared  # nothing is published when nothing changed
    (found,) = [check for check in stored.health() if check.component == "ragadmin.store"]
    assert found.severity == "pass"


def test_the_search_of_its_server_finds_what_is_written(library, any_address, moved):
    """As any program would ask, without what is ours."""
    moved(library, any_address).reindex()
    address = re.sub(r"/test(\d+)\?grpc", r"/Test\1Passage?grpc", any_address)
    address += "&table=passage" * address.startswith("postgres")
    with closing(open_records(address)) as records:
        (found,) = records.records(Described(address, "terms"), [Wanted(("pressur",), 1.0)], (), 3)
    assert (found.text("title"), found.fields["removed"]) == ("Boiler", 0)
    assert "1.5 bar" in found.text("chunk_text")


def test_a_machine_without_files_asks_the_engine(library, address, other, moved):
    with pytest.raises(IndexMissing, match="postgres://"):
        other.ask("how do we release")
    moved(library, address).reindex()
    answer = other.ask("how do we release")
    assert "Run the tests." in answer.summary[0].text
    alias = alias_of_notes(library)
    assert other.documents(alias) == library.documents(alias)
    hit = other.passages("how do we release")[0]
    document = other.document(hit.document)
    assert document.text == library.document(document.id).text
    assert document.sections == library.document(document.id).sections
    assert other.passage(hit.passage).text == library.passage(hit.passage).text == hit.text


def test_limits_apply_to_what_is_found_there(library, address, moved, said):
    stored = moved(library, address)
    stored.reindex()
    for limits in ({"sources": [alias_of_notes(library)]}, {"sections": ["1"]}):
        for question in said.questions[:6]:
            assert said(stored, question, **limits) == said(library, question, **limits)
    found = stored.find("how much does the quartz weigh", documents=["p17*"])
    assert {hit.reference for hit in found.hits} == {"p17.md"}
    with pytest.raises(SourceError, match="Source elsewhere not found") as caught:
        stored.ask("how do we release", sources=["elsewhere"])
    assert alias_of_notes(library) in caught.value.hint


def test_only_what_changed_is_written(library, address, engine, notes, moved):
    stored, alias = moved(library, address), alias_of_notes(library)
    stored.reindex()
    before = documents_in(engine, alias)
    (notes / "new.md").write_text("# Whistle\n\nThe whistle hangs behind the door.\n")
    boiler = (notes / "boiler.md").read_text()
    (notes / "boiler.md").write_text(boiler.replace("1.5", "1.7"))
    try:
        stored.reindex()
        after = documents_in(engine, alias)
        assert {key for key, item in after.items() if item.added == 2} == after.keys() - before.keys()
        assert len(after.keys() - before.keys()) == 2
        assert [item.removed for item in after.values() if item.removed] == [2]
        assert stored.ask("where is the whistle").citations
        assert "1.7" in stored.ask("what pressure should the boiler have").summary[0].text
    finally:
        (notes / "new.md").unlink()
        (notes / "boiler.md").write_text(boiler)
    stored.reindex()
    stored.reindex(full=True)
    assert documents_in(engine, alias, 3).keys() == before.keys()
    assert not stored.ask("where is the whistle").citations


def test_a_reader_keeps_its_generation_while_the_next_is_published(library, address, moved, notes, said):
    stored = moved(library, address)
    stored.reindex()
    reader = moved(library, address)
    index = reader._opened()
    (notes / "extra.md").write_text("# Extra\n\nThe xylophone has a quasar.\n")
    try:
        stored.reindex()
    finally:
        (notes / "extra.md").unlink()
    assert index.manifest.number == 1
    found = [place for place, _ in index.running_text().passages(_words("xylophone", index), 5)]
    assert found == []
    assert said(reader, "how do we release").citations


def _words(text, index):
    from vademecum.retrieval.question.question import analyse

    return analyse(text, index).vector()


class Broken(PostgresEngine):
    """An engine whose client is killed before its nth call that changes something."""

    left = 1000

    def _count(self):
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1

    def write(self, generation, items):
        self._count()
        super().write(generation, items)

    def remove(self, generation, kind, keys):
        self._count()
        super().remove(generation, kind, keys)

    def publish(self, published, *, replaces):
        self._count()
        super().publish(published, replaces=replaces)


@pytest.mark.parametrize("calls", range(12))
@pytest.mark.sampled(4)
def test_a_run_that_is_cut_off_changes_nothing_and_is_finished_later(library, address, notes, moved, calls):
    engine = Broken(address)
    write(library, engine)
    expected = moved(library, address).ask("how do we release").summary
    texts = {name: (notes / name).read_text() for name in ("boiler.md", "p5.md")}
    (notes / "late.md").write_text("# Late\n\nThe trombone is late.\n")
    (notes / "boiler.md").write_text("# Boiler\n\nKeep the pressure at 2.5 bar.\n")
    (notes / "p5.md").unlink()
    try:
        library.reindex()
        engine.left = calls
        with pytest.raises(KeyboardInterrupt):
            write(library, engine)
        asking = moved(library, address)
        assert asking.ask("how do we release").summary == expected
        assert "1.5" in asking.ask("what pressure should the boiler have").summary[0].text
        engine.left = 1000
        if calls % 2:  # what was removed may come back before it is tried again
            (notes / "p5.md").write_text(texts["p5.md"])
            library.reindex()
        assert write(library, engine).number == 2
        manifest = writer.check(engine)
        assert manifest.documents == Generations(library.places.index_folder).current().documents
        asking = moved(library, address)
        assert "2.5" in asking.ask("what pressure should the boiler have").summary[0].text
        assert asking.ask("what is late").citations
    finally:
        (notes / "late.md").unlink()
        for name, text in texts.items():
            (notes / name).write_text(text)
        engine.close()


def test_two_libraries_fill_one_engine(library, address, other, tmp_path, moved):
    moved(library, address).reindex()
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "lamp.md").write_text("# Lamp\n\nThe lamp of the lighthouse has 1000 watts.\n")
    other.add_source(folder, type="docs")
    other.reindex()
    for asking in (other, moved(library, address)):
        assert "1000 watts" in asking.ask("how many watts has the lamp of the lighthouse").summary[0].text
        assert asking.ask("how do we release").citations
    other.withdraw()
    reader = moved(library, address)
    assert not reader.ask("how many watts has the lamp of the lighthouse").citations
    assert reader.ask("how do we release").citations


def test_writers_at_the_same_time_lose_nothing(library, address, tmp_path, moved):
    moved(library, address).reindex()
    libraries = []
    for name in ("first", "second", "third"):
        places = Places(config=tmp_path / name, data=tmp_path / f"{name}-data")
        places.config.mkdir()
        folder = tmp_path / "folders" / name
        folder.mkdir(parents=True)
        for number in range(60):
            (folder / f"{number}.md").write_text(
                f"# {name} {number}\n\nThe {name} crane lifts {number} tons.\n"
            )
        one = InternalLibrary(places, method="documents", store=address, empty=True)
        one.add_source(folder, type="docs")
        libraries.append(one)
    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(one.reindex) for one in libraries]:
            with suppress(IndexLocked):  # it is run again, as the message says
                done.result()
    for one in libraries:
        one.reindex()
        one.close()
    engine = open_engine(address)
    writer.check(engine)
    for name in ("first", "second", "third"):
        assert len(documents_in(engine, name, engine.current().number)) == 60
    engine.close()


def test_a_source_of_another_library_is_not_replaced(library, address, other, notes, moved):
    moved(library, address).reindex()
    other.add_source(notes, type="docs")
    read = []
    with pytest.raises(StoreError, match=r"[0-9]+ documents of a source .* another library"):
        other.reindex(on_progress=read.append)
    assert read == []
    assert "generation 2" in other.reindex(full=True).shared
    with pytest.raises(StoreError, match="another library"):
        moved(library, address).reindex()


def test_other_rules_begin_a_new_set_of_collections(library, address, engine, moved, monkeypatch):
    stored = moved(library, address)
    stored.reindex()
    monkeypatch.setattr(writer, "OBJECTS", "objects-0")
    assert write(library, engine).epoch == 2
    assert engine.epoch == 2
    writer.check(engine)
    engine.epoch = 1
    assert documents_in(engine, alias_of_notes(library))  # for readers that have not noticed yet


@pytest.mark.parametrize("what", ["passage", "document", "words"])
def test_a_missing_object_is_found_by_a_check(library, any_address, moved, what):
    moved(library, any_address).reindex()
    engine = open_engine(any_address)
    writer.check(engine)
    key = next(iter(documents_in(engine, alias_of_notes(library))))
    kind, keys = {
        "passage": ("passage", [f"{key}:0"]),
        "document": ("document", [key]),
        "words": ("words", [item.key for item in engine.find(Query(0, kind="words"))]),
    }[what]
    assert engine.read(kind, keys)
    engine.remove(1, kind, keys)
    with pytest.raises(IndexCorrupt):
        writer.check(engine)
    engine.close()


def test_a_store_that_is_down_is_said_before_anything_is_read(library):
    places = library.places._replace(config=library.places.config.with_name("down"))
    places.config.mkdir()
    places.settings_file.write_text("ragadmin:\n  store: postgresql://u@127.0.0.1:9/d\n")
    before = Generations(places.index_folder).current()
    with pytest.raises(StoreError, match="refused"):
        InternalLibrary(places).reindex(full=True)
    assert Generations(places.index_folder).current() == before


def test_threads_ask_at_once(library, any_address, moved, said):
    stored = moved(library, any_address)
    stored.reindex()
    questions = said.questions[:6] * 3
    expected = {question: said(library, question) for question in questions}
    with ThreadPoolExecutor(6) as pool:
        for question, answer in zip(questions, pool.map(lambda q: said(stored, q), questions), strict=True):
            assert answer == expected[question]
