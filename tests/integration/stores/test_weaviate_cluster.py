"""Three nodes of Weaviate that each have every row: one of them is killed or stopped while another is written to and asked."""

import contextlib
import signal
import threading
import time

import pytest

from vademecum.core.errors import IndexLocked, StoreError
from vademecum.core.stores import Published, Row
from vademecum.stores.weaviate import WeaviateStore

RETRY_S = 90
ROWS = 50

pytestmark = [pytest.mark.cluster, pytest.mark.servers, pytest.mark.timeout(280)]


def patiently(ask):
    """What a client does: it tries again for a while."""
    ends = time.monotonic() + RETRY_S
    while True:
        try:
            return ask()
        except IndexLocked:
            raise
        except StoreError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.2)


@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP])
def test_nothing_that_was_acknowledged_is_lost(weaviate_cluster, fault):
    (url, _), (_, victim), (third, _) = weaviate_cluster
    address = f"{url}&replication_factor=3"
    writer, reader = WeaviateStore(address), WeaviateStore(address)
    expected = {key: Row(key, {}, b"%d" % key) for key in range(ROWS)}
    writer.write("base", "text", expected.values())
    assert writer.check() == []
    done, written, failed, read = threading.Event(), [], [], []

    def write():
        number = 0
        while not done.is_set():
            number += 1
            try:
                patiently(lambda n=number: writer.write("more", "text", [Row(n, {}, b"%d" % n)]))
                try:
                    patiently(lambda n=number: writer.publish(Published(n, str(n)), replaces=n - 1))
                except IndexLocked:  # the answer to the first try was lost, and it was done
                    assert patiently(writer.current) == Published(number, str(number))
                written.append(number)
            except (StoreError, AssertionError) as error:
                failed.append(error)
                return

    def ask():
        while not done.is_set():
            try:
                read.append(patiently(lambda: reader.rows("base", "text", range(ROWS))) == expected)
            except StoreError as error:
                failed.append(error)
                return
            time.sleep(0.02)

    threads = [threading.Thread(target=write), *(threading.Thread(target=ask) for _ in range(3))]
    for thread in threads:
        thread.start()
    time.sleep(4)
    before = len(written)
    victim.send_signal(fault)
    ends = time.monotonic() + 120
    while len(written) < before + 10 and not failed and time.monotonic() < ends:
        time.sleep(0.2)
    done.set()
    for thread in threads:
        thread.join()
    assert not failed
    assert before > 2
    assert len(written) >= before + 10
    assert len(read) > 20
    assert all(read)
    fresh = WeaviateStore(f"{third}&replication_factor=3")  # by another node that is left
    assert set(written) <= set(fresh.rows("more", "text", range(1, max(written) + 2)))
    assert fresh.current().number >= max(written)
    for store in (writer, reader, fresh):
        with contextlib.suppress(StoreError):
            store.close()
