"""Every kind of engine: deleting all of it, objects without vectors, many removals, and collections of other programs."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random

import pytest
from qdrant_client import QdrantClient

from vademecum.core.engines import Item, Published, Query
from vademecum.core.errors import StoreError
from vademecum.stores import open_engine
from vademecum.stores.qdrant import QdrantEngine
from vademecum.testing import ScriptedServer
from vademecum.testing.engines import a_document, a_passage, random_passages, search_for
from vademecum.testing.scripted import answer

pytestmark = [pytest.mark.servers, pytest.mark.filterwarnings("ignore:.*[lL]ocal")]


@pytest.fixture(params=["address", "opensearch_address", "qdrant", "weaviate_address"])
def opened(request):
    engines = []
    client = QdrantClient(":memory:")
    address = "" if request.param == "qdrant" else request.getfixturevalue(request.param)

    def make():
        engines.append(open_engine(address) if address else QdrantEngine("qdrant://in-process/test", client))
        return engines[-1]

    yield make
    for engine in engines:
        engine.close()
    client.close()


def test_clearing_deletes_every_epoch(opened):
    engine = opened()
    for number in range(1, 4):
        engine.epoch = number
        engine.write(number, [a_document("a:1", "text"), a_passage("a:1:0", "term1")])
        engine.publish(Published(number, number, "{}"), replaces=number - 1)
    fresh = opened()
    assert fresh.read("document", ["a:1"]) == {}  # it was swept
    fresh.epoch = 2
    assert set(fresh.read("document", ["a:1"])) == {"a:1"}
    engine.clear()
    again = opened()
    assert again.current() is None
    for again.epoch in (1, 2, 3):
        assert again.read("document", ["a:1"]) == {}
        assert again.find(Query(0)) == []
    again.epoch = 1
    again.write(1, [a_document("a:1", "text")])
    assert set(again.read("document", ["a:1"])) == {"a:1"}


def test_objects_may_lack_a_vector(opened):
    engine = opened()
    vector = (1.0, *[0.0] * 255)
    engine.write(1, [a_passage("a:1:0", "term1")])
    assert [item.cosine for item in engine.find(Query(1, [search_for(["term1"], 5)], vector=vector))] == [
        None
    ]
    assert engine.find(Query(1, vector=vector, nearest=3)) == []
    engine.write(1, [a_passage("a:2:0", "term1", vector)])
    found = {
        item.key: item.cosine for item in engine.find(Query(1, [search_for(["term1"], 5)], vector=vector))
    }
    assert found == {"a:1:0": None, "a:2:0": pytest.approx(1, abs=1e-5)}
    assert [item.key for item in engine.find(Query(1, vector=vector, nearest=3))] == ["a:2:0"]


def test_many_documents_are_removed_at_once(opened):
    engine = opened()
    passages = [
        item._replace(key=f"a:{at % 3}:{at}", fields={**item.fields, "document": f"a:{at % 3}"})
        for at, item in enumerate(random_passages(Random(1), 450))  # noqa: S311 - so that a failure comes again
    ]
    engine.write(1, [*(a_document(f"a:{number}", "text") for number in range(3)), *passages])
    engine.remove(2, "document", ["a:0", "a:1", "a:9"])
    assert len(engine.find(Query(2, limit=999))) == 150
    assert len(engine.find(Query(1, limit=999))) == 450
    (nearest,) = engine.find(Query(1, vector=passages[0].vector, nearest=1))
    assert nearest.key == "a:0:0"
    assert nearest.cosine == pytest.approx(1, abs=1e-4)
    engine.write(3, [passages[0]])
    assert len(engine.find(Query(3, limit=999))) == 151


def test_several_writers_create_the_collections_at_once(opened):
    engines = [opened() for _ in range(6)]
    items = [
        a_document("a:1", "x"),
        a_passage("a:1:0", "term1"),
        Item("words", "o:words:1:0", {"counts": "a 1"}),
    ]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda engine: engine.write(1, items), engines))
    assert set(engines[0].read("passage", ["a:1:0"])) == {"a:1:0"}
    assert [item.key for item in engines[0].find(Query(1, kind="words"))] == ["o:words:1:0"]


def test_a_list_goes_on_after_what_was_deleted(opened):
    engine = opened()
    engine.write(1, [a_document(f"a:{number:03}", "text") for number in range(50)])
    first = engine.find(Query(0, kind="document", limit=10))
    engine.remove(1, "document", [f"a:{number:03}" for number in range(10, 25)])
    for number in (1, 2):
        engine.publish(Published(number, 1, "{}"), replaces=number - 1)
    rest = engine.find(Query(0, kind="document", limit=10, after=first[-1].key))
    assert [item.key for item in rest] == [f"a:{number:03}" for number in range(25, 35)]
    assert (rest[0].text("text"), rest[0].text("title")) == ("", "text")


@pytest.mark.parametrize("kind", ["opensearch", "qdrant", "weaviate"])
@pytest.mark.parametrize(
    "said",
    [
        answer({"rubbish": [1]}),
        answer("<html>not here</html>", kind="text/html"),
        answer([]),
        answer({}, status=401),
        answer({}, status=410),
    ],
)
def test_rubbish_from_a_server_is_an_error_without_the_key(kind, said):
    with ScriptedServer(*[said] * 40) as server:
        engine = open_engine(f"{kind}://hunter2@{server.url.removeprefix('http://')}/notes")
        for ask in (engine.check, partial(engine.read, "passage", ["a:0:0"]), engine.current, engine.clear):
            with pytest.raises(StoreError) as caught:
                ask()
            assert "hunter2" not in caught.value.message
            assert caught.value.hint
        engine.close()
