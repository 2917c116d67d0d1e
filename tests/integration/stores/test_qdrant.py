"""Qdrant as an engine: the contract, on the client's own in-process mode, or on the server that a variable names.

For a cluster the variable ends in options: `http://host:6333?replication_factor=2`.
"""

import os
from threading import RLock
from uuid import uuid4

import pytest
from qdrant_client import QdrantClient

from vademecum.core.engines import Described, Wanted
from vademecum.stores.qdrant import QdrantEngine
from vademecum.testing.engines import EngineContract, a_passage

pytestmark = pytest.mark.filterwarnings("ignore:.*[lL]ocal")  # that it searches exactly, without indexes

_SERVER, _, _OPTIONS = os.environ.get("VADEMECUM_TEST_QDRANT_URL", "").partition("?")


class InProcess(QdrantEngine):
    """The in-process mode, one call at a time, because it is not safe for threads."""

    turn = RLock()

    def find(self, *given):
        with self.turn:
            return super().find(*given)

    def write(self, *given):
        with self.turn:
            return super().write(*given)


@pytest.fixture
def open_qdrant():
    if _SERVER:
        address = f"qdrant+{_SERVER}" if _SERVER.startswith("https") else _SERVER.replace("http", "qdrant", 1)
        name = f"test-{uuid4().hex}"
        yield lambda: QdrantEngine(f"{address.rstrip('/')}/{name}?{_OPTIONS}")
        return
    client = QdrantClient(":memory:")
    yield lambda: InProcess("qdrant://in-process/test?replication_factor=2", client)
    client.close()


class TestContract(EngineContract):
    """All of it."""

    @pytest.fixture
    def open_engine(self, open_qdrant):
        return open_qdrant


def test_its_own_search_finds_what_is_written(open_qdrant):
    engine = open_qdrant()
    texts = {"keep the pressure": (1.0, 0.0), "some other text": (0.0, 1.0)}
    engine.write(1, [a_passage(f"a:0:{at}", text, texts[text]) for at, text in enumerate(texts)])
    described = Described(engine.name, "chunk_text")
    for words, vector in (([Wanted(("pressure",), 1.0)], ()), ((), (1.0, 0.1))):
        (found,) = engine.records(described, words, vector, 1)
        assert (found.text("chunk_text"), found.fields["removed"]) == ("keep the pressure", 0)


def test_a_collection_of_another_program_is_left_alone(is_refused):
    client = QdrantClient(":memory:")
    client.create_collection("test", vectors_config={})
    engine = QdrantEngine("qdrant://in-process/test", client)
    is_refused(engine)
    assert [made.name for made in client.get_collections().collections] == ["test"]
    client.close()
