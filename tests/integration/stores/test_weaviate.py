"""Weaviate as a store: the contract on a real server, and what goes wrong on one."""

from urllib.parse import urlsplit

import pytest
import weaviate
from vademecum.core.stores import Row
from vademecum.testing.stores import StoreContract
from weaviate.classes.query import Filter

from vademecum.core.errors import StoreError
from vademecum.stores.weaviate import WeaviateStore

pytestmark = pytest.mark.servers


class TestContract(StoreContract):
    """All of it."""

    @pytest.fixture
    def open_store(self, weaviate_address):
        return lambda: WeaviateStore(weaviate_address)


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
    assert len(titles) == 2 * len(set(titles))  # of this generation, and of the one before
    assert {"Boiler", "Page 17"} < set(titles)
    assert not documents.query.fetch_objects(filters=Filter.by_property("language").equal("de")).objects


def test_a_class_of_another_program_is_not_touched(weaviate_address, client):
    store = WeaviateStore(weaviate_address)
    name = store._named("Text")
    client.collections.create(name)
    for ask in (
        lambda: store.write("a", "text", [Row(1, {}, b"mine")]),
        lambda: store.rows("a", "text", [1]),
    ):
        with pytest.raises(StoreError, match="another program"):
            ask()
    assert len(client.collections.use(name)) == 0
    store.close()
