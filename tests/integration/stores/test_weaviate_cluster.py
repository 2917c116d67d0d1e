"""Three nodes of Weaviate that each have every row: one of them is killed or stopped while another is written to and asked."""

import contextlib
import signal
import time

import pytest

from clusters import Load
from vademecum.core.errors import StoreError
from vademecum.stores.weaviate import WeaviateEngine

pytestmark = [pytest.mark.cluster, pytest.mark.servers, pytest.mark.timeout(280)]


@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP])
def test_nothing_that_was_acknowledged_is_lost(weaviate_cluster, fault):
    (url, _), (_, victim), (third, _) = weaviate_cluster
    address = f"{url}&replication_factor=3"
    writer, reader = WeaviateEngine(address), WeaviateEngine(address)
    load = Load(writer, reader)
    assert writer.check() == []
    time.sleep(4)
    before = len(load.written)
    assert before > 2
    victim.send_signal(fault)
    load.goes_on(before, 10, 120)
    fresh = load.check(
        lambda: WeaviateEngine(f"{third}&replication_factor=3"), before, 10, 20
    )  # one that is left
    for store in (writer, reader, fresh):
        with contextlib.suppress(StoreError):
            store.close()
