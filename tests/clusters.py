"""A store of several servers that is written to and asked without a pause, while one of them fails."""

import threading
import time

from vademecum.core.engines import Item, Published
from vademecum.core.errors import IndexLocked, StoreError

ROWS = 50


def patiently(ask, seconds=90):
    ends = time.monotonic() + seconds
    while True:
        try:
            return ask()
        except IndexLocked:
            raise
        except StoreError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.2)


def _item(key):
    return Item("words", key, {"source_alias": "", "bucket": 0, "counts": f"{key} 1"})


class Load:
    """Threads that write through one store and read through another; `ended` says what came of it."""

    def __init__(self, writer, reader, readers=3):
        self.writer, self.reader = writer, reader
        self.expected = {f"base:words:1:{number}" for number in range(ROWS)}
        writer.write(1, map(_item, sorted(self.expected)))
        self.done, self.written, self.failed, self.read = threading.Event(), [], [], []
        self.threads = [threading.Thread(target=self.write)]
        self.threads += [threading.Thread(target=self.ask) for _ in range(readers)]
        for thread in self.threads:
            thread.start()

    def write(self):
        number = 0
        while not self.done.is_set():
            number += 1
            try:
                patiently(lambda n=number: self.writer.write(1, [_item(f"more:words:1:{n}")]))
                try:
                    patiently(lambda n=number: self.writer.publish(Published(n, 1, str(n)), replaces=n - 1))
                except IndexLocked:  # the answer to the first try was lost, and it was done
                    assert patiently(self.writer.current) == Published(number, 1, str(number))
                self.written.append(number)
            except (StoreError, AssertionError) as error:
                self.failed.append(error)
                return

    def ask(self):
        while not self.done.is_set():
            try:
                found = patiently(lambda: self.reader.read("words", self.expected))
                self.read.append(found.keys() == self.expected)
            except StoreError as error:
                self.failed.append(error)
                return
            time.sleep(0.02)

    def goes_on(self, before, more, seconds):
        ends = time.monotonic() + seconds
        while len(self.written) < before + more and not self.failed and time.monotonic() < ends:
            time.sleep(0.2)

    def check(self, fresh, before, more, least_read):
        """End, and check that a store that was opened afterwards has all that was acknowledged."""
        self.done.set()
        for thread in self.threads:
            thread.join()
        assert not self.failed
        assert len(self.written) >= before + more
        assert len(self.read) > least_read
        assert all(self.read)
        store = fresh()
        written = {f"more:words:1:{number}" for number in self.written}
        assert store.read("words", written).keys() == written
        assert store.current().number >= max(self.written)
        return store
