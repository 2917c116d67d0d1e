"""OpenSearch as an engine: the contract on a real node with two shards."""

import pytest

from vademecum.stores.opensearch import OpenSearchEngine
from vademecum.testing.engines import EngineContract

pytestmark = pytest.mark.servers


class TestContract(EngineContract):
    """All of it."""

    least_recall = 1.0

    @pytest.fixture
    def open_engine(self, opensearch_address):
        return lambda: OpenSearchEngine(opensearch_address)
