"""Chroma as a store: the contract on a real server, and what goes wrong on one."""

import json
import urllib.request

import pytest

from vademecum.core.errors import StoreError
from vademecum.core.stores import Row
from vademecum.stores.chroma import ChromaStore
from vademecum.testing.stores import StoreContract

pytestmark = pytest.mark.servers


class TestContract(StoreContract):
    """All of it."""

    @pytest.fixture
    def open_store(self, chroma_address):
        return lambda: ChromaStore(chroma_address)


def call(url, path, body):
    request = urllib.request.Request(  # noqa: S310 - our own server
        f"{url}/api/v2/tenants/default_tenant/databases/default_database/collections{path}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310 - likewise
        return json.loads(reply.read() or b"null")


def test_a_collection_of_another_program_is_not_touched(chroma_server, chroma_address):
    store = ChromaStore(chroma_address)
    name = store._named("a", "text")
    made = call(chroma_server, "", {"name": name})
    with pytest.raises(StoreError, match="another program"):
        store.write("a", "text", [Row(1, {}, b"mine")])
    with pytest.raises(StoreError, match="another program"):
        store.rows("a", "text", [1])
    assert call(chroma_server, f"/{made['id']}/get", {})["ids"] == []
    store.close()


def test_vectors_of_two_lengths_are_refused(chroma_address):
    store = ChromaStore(chroma_address)
    store.write("a", "need_vector", [Row(1, {}, b"", (1.0, 0.0))])
    with pytest.raises(StoreError, match="dimension"):
        store.write("a", "need_vector", [Row(2, {}, b"", (1.0, 0.0, 0.0))])
    with pytest.raises(StoreError, match="dimension"):
        store.nearest("a", "need_vector", (1.0, 0.0, 0.0), 5)
    store.close()


def test_a_collection_that_was_made_again_elsewhere_is_found(chroma_address):
    first, second = ChromaStore(chroma_address), ChromaStore(chroma_address)
    first.write("a", "text", [Row(1, {}, b"old")])
    second.drop("a")
    second.write("a", "text", [Row(1, {}, b"new")])
    assert first.rows("a", "text", [1]) == {1: Row(1, {}, b"new")}
    second.drop("a")
    assert first.rows("a", "text", [1]) == {}
    first.write("a", "text", [Row(2, {}, b"again")])
    assert second.rows("a", "text", [1, 2]) == {2: Row(2, {}, b"again")}
    first.close()
    second.close()
