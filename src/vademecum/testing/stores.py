"""Contract tests for stores.

Inherit from `StoreContract` in a test module of your own, and override its one fixture:

    import pytest
    from vademecum.testing.stores import StoreContract

    class TestMyStore(StoreContract):
        @pytest.fixture
        def open_store(self):
            return lambda: MyStore("mine://localhost/empty")

The data are made by a seeded generator, and what a store finds is compared with brute force over the same data.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from vademecum.core.errors import IndexLocked
from vademecum.core.stores import KINDS, Published, Row, Store

_ODD = [
    "",
    "plain",
    "Größe, 大きさ, размер",
    "👩‍👩‍👧 e\u0301 \u202e",
    "quote ' double \" back \\ slash / percent % brace {} semicolon ; -- comment",
    "line\nbreak\tand tab",
    "x" * 2000,
]


class StoreContract:
    """The tests. Override `open_store`; every test begins with an empty store."""

    @pytest.fixture
    def open_store(self) -> Callable[[], Store]:
        """What opens the same store, empty at the start of a test, as often as it is called."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, open_store: Callable[[], Store]) -> Iterator[Store]:
        """One of them, closed in the end."""
        opened = open_store()
        yield opened
        opened.close()

    def test_rows_come_back_exactly(self, store: Store) -> None:
        """Whatever text and bytes they hold, and for every kind; without their vectors, which are for `nearest`."""
        rows = [
            Row(
                key,
                {"title": text, "number": key, "list": [text, None, True, 1.5]},
                text.encode() + b"\x00\xff",
            )
            for key, text in enumerate(_ODD)
        ]
        for kind in KINDS:
            store.write("a", kind, [row._replace(vector=(0.6, 0.8)) for row in rows])
            assert store.rows("a", kind, range(len(rows))) == {row.key: row for row in rows}
            assert list(store.scan("a", kind)) == rows

    def test_the_largest_key_and_much_data(self, store: Store) -> None:
        """A key has 32 bits; postings of a common word are megabytes."""
        row = Row(2**32 - 1, {}, bytes(range(256)) * 8000)
        store.write("a", "page_words", [row])
        assert store.rows("a", "page_words", [row.key]) == {row.key: row}

    def test_a_row_that_is_written_again_is_replaced(self, store: Store) -> None:
        """And the others stay."""
        store.write("a", "text", [Row(1, {}, b"old"), Row(2, {}, b"other")])
        store.write("a", "text", [Row(1, {"new": True}, b"new"), Row(3)])
        assert list(store.scan("a", "text")) == [Row(1, {"new": True}, b"new"), Row(2, {}, b"other"), Row(3)]

    def test_what_is_not_there(self, store: Store) -> None:
        """An empty store, an unknown segment, unknown keys, no keys: nothing, and no error."""
        assert store.segments() == set()
        assert store.current() is None
        assert store.rows("a", "text", [1, 2]) == {}
        assert list(store.scan("a", "text")) == []
        assert store.nearest("a", "need_vector", [1.0, 0.0], 5) == []
        store.drop("a")
        store.write("a", "text", [])
        store.write("a", "text", [Row(1)])
        assert store.rows("a", "text", []) == {}
        assert store.rows("a", "text", [2]) == {}
        assert store.rows("a", "need", [1]) == {}
        assert store.rows("b", "text", [1]) == {}

    def test_a_segment_is_dropped_whole_and_no_other(self, store: Store) -> None:
        """Names that look alike included."""
        names = ["a", "A", "a-b", "a_b", "a%", "ab", "generation-000001"]
        for name in names:
            store.write(name, "document", [Row(1, {}, name.encode())])
            store.write(name, "need_vector", [Row(1, {}, b"", (1.0, 0.0))])
        assert store.segments() == set(names)
        store.drop("a")
        store.drop("a_b")
        left = set(names) - {"a", "a_b"}
        assert store.segments() == left
        assert store.rows("a", "document", [1]) == {}
        assert store.nearest("a", "need_vector", [1.0, 0.0], 5) == []
        for name in left:
            assert store.rows(name, "document", [1]) == {1: Row(1, {}, name.encode())}

    def test_a_scan_of_many_is_in_order_and_whole(self, store: Store) -> None:
        """More rows than any page of results has."""
        keys = Random(2).sample(range(2**32), 5000)
        store.write("a", "name", (Row(key) for key in keys))
        assert [row.key for row in store.scan("a", "name")] == sorted(keys)

    def test_the_nearest_are_those_of_brute_force(self, store: Store) -> None:
        """Of as many as are asked for, at least 19 of 20 are the true ones, and the first is; ties in any order."""
        chance = Random(3)
        rows = _vectors(chance, 2000, 64)
        store.write("a", "document_vector", rows)
        store.write("b", "document_vector", _vectors(chance, 500, 64))
        store.write("a", "need_vector", _vectors(chance, 500, 64))
        for asked in _vectors(chance, 10, 64):
            order = sorted(rows, key=lambda row: -_product(row.vector, asked.vector))
            found = store.nearest("a", "document_vector", asked.vector, 40)
            assert len(found) == len(set(found)) == 40
            assert order[0].key in found
            assert len({row.key for row in order[:40]}.intersection(found)) >= 38

    def test_fewer_than_asked_for_are_all_nearest(self, store: Store) -> None:
        """Rows without a vector are none of them."""
        store.write("a", "need_vector", [*_vectors(Random(4), 5, 16), Row(9)])
        found = store.nearest("a", "need_vector", _vectors(Random(5), 1, 16)[0].vector, 10)
        assert sorted(found) == [0, 1, 2, 3, 4]
        assert store.nearest("a", "need_vector", [1.0, *[0.0] * 15], 0) == []

    def test_what_was_written_is_there_for_another_connection(self, open_store: Callable[[], Store]) -> None:
        """After the first one is closed, too."""
        first = open_store()
        first.write("a", "text", [Row(1, {}, b"kept")])
        first.publish(Published(1, "manifest"), replaces=0)
        first.close()
        second = open_store()
        assert second.rows("a", "text", [1]) == {1: Row(1, {}, b"kept")}
        assert second.current() == Published(1, "manifest")
        second.close()

    def test_a_generation_replaces_the_one_it_is_built_on(self, store: Store) -> None:
        """And none other: the later of two writers is refused, and what is current stays."""
        store.publish(Published(1, _ODD[2] * 1000), replaces=0)
        store.publish(Published(2, "second"), replaces=1)
        with pytest.raises(IndexLocked):
            store.publish(Published(2, "other"), replaces=1)
        with pytest.raises(IndexLocked):
            store.publish(Published(1, "from nothing"), replaces=0)
        assert store.current() == Published(2, "second")

    def test_of_many_writers_at_once_one_publishes(self, open_store: Callable[[], Store]) -> None:
        """Each by a connection of its own."""
        stores = [open_store() for _ in range(6)]
        stores[0].publish(Published(1, "first"), replaces=0)

        def publish(number: int) -> bool:
            try:
                stores[number].publish(Published(2, str(number)), replaces=1)
            except IndexLocked:
                return False
            return True

        with ThreadPoolExecutor(len(stores)) as pool:
            won = list(pool.map(publish, range(len(stores))))
        assert won.count(True) == 1
        assert stores[0].current() == Published(2, str(won.index(True)))
        for store in stores:
            store.close()

    def test_readers_meet_whole_writes_while_one_writes(self, open_store: Callable[[], Store]) -> None:
        """Many threads read one segment while another is written."""
        store = open_store()
        expected = {key: Row(key, {}, b"%d" % key) for key in range(100)}
        store.write("a", "text", expected.values())
        with ThreadPoolExecutor(8) as pool:
            reads = [pool.submit(store.rows, "a", "text", range(100)) for _ in range(40)]
            for number in range(10):
                store.write("b", "text", [Row(number * 50 + key) for key in range(50)])
            assert all(read.result() == expected for read in reads)
        assert len(list(store.scan("b", "text"))) == 500
        store.close()

    def test_a_check_of_what_works_says_nothing(self, store: Store) -> None:
        """And leaves nothing."""
        assert store.check() == []
        assert store.segments() == set()


def _vectors(chance: Random, count: int, length: int) -> list[Row]:
    """Rows with random vectors of length 1."""
    rows = []
    for key in range(count):
        values = [chance.gauss(0, 1) for _ in range(length)]
        size = sum(value * value for value in values) ** 0.5
        rows.append(Row(key, {}, b"", tuple(value / size for value in values)))
    return rows


def _product(first: Sequence[float], second: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))
