"""Qdrant as a store: the contract, on the client's own in-process mode, or on the server that a variable names.

For a cluster the variable ends in options: `http://host:6333?replication_factor=2`.
"""

import os
from uuid import uuid4

import pytest
from qdrant_client import QdrantClient
from vademecum.testing.stores import StoreContract

from vademecum.stores.qdrant import QdrantStore

pytestmark = pytest.mark.filterwarnings("ignore:.*[lL]ocal")  # that it searches exactly, without indexes

_SERVER, _, _OPTIONS = os.environ.get("VADEMECUM_TEST_QDRANT_URL", "").partition("?")


@pytest.fixture
def open_qdrant():
    """What opens one empty store, as often as it is called."""
    if _SERVER:
        address = f"qdrant+{_SERVER}" if _SERVER.startswith("https") else _SERVER.replace("http", "qdrant", 1)
        name = f"test-{uuid4().hex}"
        yield lambda: QdrantStore(f"{address.rstrip('/')}/{name}?{_OPTIONS}")
        return
    client = QdrantClient(":memory:")
    yield lambda: QdrantStore("qdrant://in-process/test?replication_factor=2", client)
    client.close()


class TestContract(StoreContract):
    """All of it."""

    @pytest.fixture
    def open_store(self, open_qdrant):
        return open_qdrant
