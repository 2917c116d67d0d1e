"""Weaviate as an engine: the contract on a real server, and what goes wrong on one."""

from urllib.parse import urlsplit

import pytest
import weaviate
from weaviate.classes.query import Filter

from vademecum.core.engines import id_of
from vademecum.stores.weaviate import WeaviateEngine
from vademecum.testing.engines import EngineContract

pytestmark = pytest.mark.servers


class TestContract(EngineContract):
    """All of it."""

    @pytest.fixture
    def open_engine(self, weaviate_address):
        return lambda: WeaviateEngine(weaviate_address)


@pytest.fixture
def client(weaviate_server):
    parts = urlsplit(weaviate_server)
    opened = weaviate.connect_to_local(
        parts.hostname, parts.port, int(parts.query.partition("=")[2]), skip_init_checks=True
    )
    yield opened
    opened.close()


def test_documents_can_be_filtered_and_are_replaced(library, weaviate_server, moved, client):
    client.collections.delete("Document")
    stored = moved(library, weaviate_server)
    for _ in range(3):
        stored.reindex(full=True)
    documents = client.collections.use("Document")
    sources = {entry.type: entry.alias for entry in library.sources()}
    found = documents.query.fetch_objects(
        filters=Filter.by_property("source_alias").equal(sources["docs"])
        & Filter.by_property("source_type").equal("docs")
        & Filter.by_property("language").equal("en"),
        limit=1000,
    )
    titles = [entry.properties["title"] for entry in found.objects]
    assert len(titles) == len(set(titles))  # of each document one object, however often it was read
    assert {"Boiler", "Page 17"} < set(titles)
    assert all(entry.properties["removed"] == 0 for entry in found.objects)
    assert not documents.query.fetch_objects(filters=Filter.by_property("language").equal("de")).objects


def test_its_own_client_finds_passages_by_filter_text_and_vector(library, weaviate_server, moved, client):
    moved(library, weaviate_server).reindex(full=True)
    passages = client.collections.use("VademecumPassage")
    found = passages.query.bm25("pressur", query_properties=["terms"], limit=3).objects
    assert "1.5 bar" in found[0].properties["chunk_text"]
    again = passages.query.fetch_object_by_id(found[0].uuid, include_vector=True)
    assert str(found[0].uuid) == id_of(again.properties["key"])
    near = passages.query.near_vector(again.vector["default"], limit=1).objects
    assert near[0].uuid == found[0].uuid


def test_a_class_of_another_program_is_not_touched(is_refused, weaviate_address, client):
    engine = WeaviateEngine(weaviate_address)
    name = engine._named("passage")
    client.collections.create(name)
    is_refused(engine)
    assert len(client.collections.use(name)) == 0
    engine.close()
