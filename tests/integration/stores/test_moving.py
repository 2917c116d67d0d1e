"""One library in each kind of store: the same answers, whole when it is checked, and moved from one to the next."""

import pytest
from qdrant_client import QdrantClient

from vademecum.ask.kinds import Corpus
from vademecum.ask.rating import search
from vademecum.core.errors import IndexCorrupt
from vademecum.core.stores import Row
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.index.stored import copy as store_copy
from vademecum.index.stored.reader import StoredGenerations
from vademecum.stores import open_store
from vademecum.stores.qdrant import QdrantStore

SERVERS = ("chroma_address", "weaviate_address")


@pytest.fixture(params=["address", *SERVERS])
def any_address(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def others(chroma_address, weaviate_address):
    return chroma_address, weaviate_address


@pytest.mark.servers
@pytest.mark.sampled(1)
def test_every_question_has_the_same_answer(library, any_address, moved, said):
    stored = moved(library, any_address)
    assert "generation 1" in stored.reindex().shared
    for question in said.questions:
        assert said(stored, question) == said(library, question)
        assert stored.passages(question) == library.passages(question)
    assert "generation 1" in stored.reindex().shared  # nothing is published when nothing changed
    (found,) = [one for one in stored.health() if one.component == "ragadmin.store"]
    assert found.severity == "pass"


@pytest.mark.servers
@pytest.mark.parametrize(
    "any_address",
    ["address", *(pytest.param(name, marks=pytest.mark.nightly) for name in SERVERS)],
    indirect=True,
)
def test_a_copy_that_is_cut_off_leaves_what_was_current(library, any_address, moved, said):
    stored = moved(library, any_address)
    stored.reindex()
    before = said(stored, "how do we release")
    library.reindex(full=True)
    store = open_store(any_address)
    old = store.segments()
    original = store_copy.from_files(
        Generations(library.places.index_folder), store_copy.owner_of(library.places.owner_file)
    )

    def cut_off(info):
        for at, (kind, rows) in enumerate(original.segment(info)):
            if at == 4:
                raise KeyboardInterrupt
            yield kind, rows

    with pytest.raises(KeyboardInterrupt):
        store_copy.copy(original._replace(segment=cut_off), store)
    assert store.segments() - old
    assert said(moved(library, any_address), "how do we release") == before
    assert store_copy.copy(original, store, verify=True).number == 2
    assert said(moved(library, any_address), "how do we release") == before
    store_copy.copy(original._replace(manifest=original.manifest._replace(built="later")), store)
    assert store.segments() == {
        *(info.name for info in original.manifest.segments), "generation-000002", "generation-000003"
    }  # fmt: skip
    store.close()


@pytest.mark.servers
@pytest.mark.nightly
def test_from_store_to_store(library, address, others, moved, said):
    expected = [said(library, question) for question in said.questions]
    stored = moved(library, address)
    stored.reindex()
    origin = open_store(address)
    for target in (*others, f"{address}_again"):
        store = open_store(target)
        original = store_copy.from_store(origin)
        published = store_copy.copy(original, store, verify=True)
        assert published.number == 1
        assert [said(moved(library, target), question) for question in said.questions] == expected
        assert store_copy.check(store) == original.manifest._replace(number=1)
        store_copy.check_owner(store, store_copy.owner_of(library.places.owner_file))
        origin.close()
        origin = store
    origin.close()


@pytest.mark.filterwarnings("ignore:.*[lL]ocal")
def test_qdrant_has_the_same_answers(library, said):
    client = QdrantClient(":memory:")  # its in-process mode
    store = QdrantStore("qdrant://in-process", client)
    files = Generations(library.places.index_folder)
    store_copy.copy(store_copy.from_files(files, "this one"), store, verify=True)
    index, stored = open_index(files), open_index(StoredGenerations(store))
    for question in said.questions:
        assert search(question, [Corpus(stored, 0.35)], 10) == search(question, [Corpus(index, 0.35)], 10)
    client.close()


@pytest.mark.servers
@pytest.mark.parametrize(
    "kind",
    [
        "page_words",
        *(pytest.param(kind, marks=pytest.mark.nightly) for kind in ("document", "need_vector", "name")),
    ],
)
@pytest.mark.sampled(1)
def test_a_row_that_is_not_what_was_written_is_found(library, any_address, moved, kind):
    moved(library, any_address).reindex()
    store = open_store(any_address)
    manifest = store_copy.check(store)
    name, row = next((info.name, row) for info in manifest.segments for row in store.scan(info.name, kind))
    store.write(name, kind, [Row(row.key, row.fields, row.data[:-1] + b"?")])
    with pytest.raises(IndexCorrupt, match=f"its {kind} rows"):
        store_copy.check(store)
    store.close()


def test_a_table_that_lost_a_part_is_found(library, address, moved):
    moved(library, address).reindex()
    store = open_store(address)
    rows = list(store.scan("generation-000001", "table"))
    store.drop("generation-000001")
    store.write("generation-000001", "table", rows[1:])
    with pytest.raises(IndexCorrupt, match="generation-000001"):
        store_copy.check(store)
    store.close()
