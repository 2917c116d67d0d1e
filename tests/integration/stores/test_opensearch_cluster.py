"""Three nodes of OpenSearch, with a copy of every shard: one of them is killed or stopped while another is written to and asked."""

import contextlib
import signal

import pytest

from clusters import Load
from vademecum.core.errors import StoreError
from vademecum.stores.opensearch import OpenSearchEngine

pytestmark = [pytest.mark.cluster, pytest.mark.servers, pytest.mark.timeout(280)]


@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP])
def test_nothing_that_was_acknowledged_is_lost(opensearch_cluster, fault):
    (first, _), (_, victim), (third, _) = opensearch_cluster
    options = "/test?shards=2&replicas=1&timeout=10"
    writer, reader = OpenSearchEngine(first + options), OpenSearchEngine(first + options)
    load = Load(writer, reader)
    assert writer.check() == []
    load.goes_on(0, 3, 60)
    before = len(load.written)
    assert before > 2
    victim.send_signal(fault)
    load.goes_on(before, 10, 120)
    fresh = load.check(lambda: OpenSearchEngine(third + options), before, 10, 20)
    for engine in (writer, reader, fresh):
        with contextlib.suppress(StoreError):
            engine.close()
