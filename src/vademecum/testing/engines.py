"""Contract tests for engines.

Inherit from `EngineContract` in a test module of your own, and override its one fixture:

    import pytest
    from vademecum.testing.engines import EngineContract

    class TestMyEngine(EngineContract):
        @pytest.fixture
        def open_engine(self):
            return lambda: MyEngine("mine://localhost/empty")

The data are made by a seeded generator, and what an engine finds is compared with brute force over the same data.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from math import log
from random import Random

import pytest

from vademecum.core.engines import FIELDS, Engine, Item, Kind, Published, Query, Search
from vademecum.core.errors import IndexLocked
from vademecum.core.passages import TermSteps
from vademecum.core.word_counts import items_of, number_of

_ODD = [
    "",
    "plain",
    "Größe, 大きさ, размер",
    "👩‍👩‍👧 e\u0301 \u202e",
    "quote ' double \" back \\ slash / percent % brace {} semicolon ; -- comment",
    "line\nbreak\tand tab",
    "x" * 2000,
]
_VOCABULARY = [f"term{number}" for number in range(200)]


class EngineContract:
    """The tests. Override `open_engine`; every test begins with an empty engine."""

    least_recall = 1.0
    """The share of the passages with the highest scores of our weights that a search must find among twice as many."""

    @pytest.fixture
    def open_engine(self) -> Callable[[], Engine]:
        """Return a function that opens the same engine, which is empty at the start of a test."""
        raise NotImplementedError

    @pytest.fixture
    def engine(self, open_engine: Callable[[], Engine]) -> Iterator[Engine]:
        """An open engine, which is closed afterwards."""
        opened = open_engine()
        yield opened
        opened.close()

    def test_returns_fields_as_written(self, engine: Engine) -> None:
        items = [a_passage(f"notes:{at:064x}:{at}", text) for at, text in enumerate(_ODD)]
        documents = [a_document(f"notes:{at:064x}", text) for at, text in enumerate(_ODD)]
        engine.write(1, [*items, *documents])
        for written in (items, documents):
            kind = written[0].kind
            found = engine.read(kind, [item.key for item in written])
            assert {key: dict(item.fields) for key, item in found.items()} == {
                item.key: dict(item.fields) for item in written
            }
            assert {(item.added, item.removed) for item in found.values()} == {(1, 0)}

    def test_returns_nothing_from_an_empty_engine(self, engine: Engine) -> None:
        assert engine.current() is None
        assert engine.read("passage", ["notes:0:1"]) == {}
        assert engine.find(_query(1, ["term1"], 5)) == []
        assert engine.find(Query(0, kind="document", filters={"source_alias": ["notes"]})) == []
        engine.remove(1, "document", ["notes:0"])
        engine.write(1, [])
        engine.write(1, [a_passage("notes:0:1", "one")])
        assert engine.read("passage", []) == {}
        assert engine.read("passage", ["notes:0:2"]) == {}
        assert engine.find(_query(1, ["term1"], 5)) == []

    def test_replaces_an_object_that_is_written_again(self, engine: Engine) -> None:
        engine.write(1, [a_passage("notes:0:1", "term1"), a_passage("notes:0:2", "term2")])
        engine.write(2, [a_passage("notes:0:1", "term3")])
        assert [item.key for item in engine.find(_query(2, ["term3"], 5))] == ["notes:0:1"]
        assert engine.find(_query(2, ["term1"], 5)) == []
        assert [item.key for item in engine.find(_query(2, ["term2"], 5))] == ["notes:0:2"]

    def test_a_generation_sees_what_it_has(self, engine: Engine) -> None:
        engine.write(1, [a_document("a:1", "old"), a_passage("a:1:0", "term1")])
        engine.write(2, [a_document("a:2", "new"), a_passage("a:2:0", "term1")])
        engine.remove(2, "document", ["a:1"])
        assert _keys(engine.find(_query(1, ["term1"], 5))) == {"a:1:0"}
        assert _keys(engine.find(_query(2, ["term1"], 5))) == {"a:2:0"}
        assert _keys(engine.find(_query(3, ["term1"], 5))) == {"a:2:0"}
        assert _keys(engine.find(Query(1, kind="document"))) == {"a:1"}
        assert _keys(engine.find(Query(0, kind="document"))) == {"a:1", "a:2"}
        assert engine.read("document", ["a:1"])["a:1"].removed == 2

    def test_publishing_deletes_what_no_reader_needs(self, engine: Engine) -> None:
        for number in range(1, 5):
            engine.write(number, [a_document(f"a:{number}", "text"), a_passage(f"a:{number}:0", "term1")])
            if number > 1:
                engine.remove(number, "document", [f"a:{number - 1}"])
            engine.publish(Published(number, 1, "{}"), replaces=number - 1)
        assert _keys(engine.find(_query(4, ["term1"], 5))) == {"a:4:0"}
        assert _keys(engine.find(_query(3, ["term1"], 5))) == {"a:3:0"}
        assert set(engine.read("passage", [f"a:{number}:0" for number in range(1, 5)])) == {"a:3:0", "a:4:0"}
        assert _keys(engine.find(Query(0, kind="document"))) == {"a:3", "a:4"}

    def test_filters_by_name(self, engine: Engine) -> None:
        aliases = ["a", "A", "a-b", "a_b", "a b", "ab"]
        engine.write(1, [a_passage(f"{alias}:0:0", "term1") for alias in aliases])
        for alias in aliases:
            found = engine.find(_query(1, ["term1"], 5, source_alias=[alias]))
            assert [item.text("source_alias") for item in found] == [alias]
        assert len(engine.find(_query(1, ["term1"], 9, source_alias=["a", "ab"]))) == 2
        assert engine.find(_query(1, ["term1"], 9, source_alias=[])) == []

    def test_lists_objects_in_the_order_of_their_keys(self, engine: Engine) -> None:
        keys = [f"a:{number:05}" for number in Random(2).sample(range(99999), 1500)]
        engine.write(1, [a_document(key, "text") for key in [*keys, "b:1"]])
        found: list[str] = []
        while page := engine.find(
            Query(
                0,
                kind="document",
                filters={"source_alias": ["a"]},
                after=found[-1] if found else "",
                limit=400,
            )
        ):
            found += [item.key for item in page]
            assert len(page) <= 400
        assert found == sorted(keys)

    def test_finds_the_best_by_words(self, engine: Engine) -> None:
        items = list(random_passages(Random(3), 1500))
        engine.write(1, items)
        for seed in range(10):
            rare, common = Random(seed).sample(_VOCABULARY[100:], 3), Random(seed).sample(_VOCABULARY[:5], 2)
            searches = [search_for(rare, 40, _rarities(items)), search_for(common, 20, _rarities(items))]
            found = _keys(engine.find(Query(1, searches)))
            for search in searches:
                best = _best(items, search, search.limit // 2)
                assert len(found & best) >= self.least_recall * len(best)
            assert len(found) <= 60

    def test_finds_the_nearest_and_compares_what_it_finds(self, engine: Engine) -> None:
        items = list(random_passages(Random(5), 800))
        vectors = {item.key: item.vector for item in items}
        engine.write(1, [*items, a_passage("none:0:0", "term1")])
        for asked in items[:5]:
            found = engine.find(Query(1, vector=asked.vector, nearest=40))
            nearest = sorted(items, key=lambda item: -_product(asked.vector, item.vector))[:40]
            assert len(found) == 40
            assert len(_keys(found) & _keys(nearest)) >= 38
            by_words = engine.find(Query(1, [search_for(_VOCABULARY[50:53], 10)], asked.vector))
            for item in (*found, *by_words):
                assert item.cosine == pytest.approx(_product(asked.vector, vectors[item.key]), abs=1e-4)

    def test_reads_the_frequencies_of_words(self, engine: Engine) -> None:
        first = {f"word{number}": number + 1 for number in range(700)}
        engine.write(1, items_of("one", 1, first))
        engine.write(2, items_of("two", 2, {"word3": 5, "=quartz+pump": 0}))
        owners = '{"owners": {"one": {"words": [1, 3]}, "two": {"words": [2, 1]}}}'
        numbers = [number_of(token) for token in ("word3", "word699", "=quartz+pump", "missing")]
        assert engine.frequencies(Published(2, 1, owners), numbers) == {
            numbers[0]: ("word3", 9),
            numbers[1]: ("word699", 700),
            numbers[2]: ("=quartz+pump", 0),
        }
        assert len(engine.frequencies(Published(2, 1, owners))) == 701

    def test_epochs_are_apart(self, engine: Engine, open_engine: Callable[[], Engine]) -> None:
        engine.write(1, [a_passage("a:0:0", "term1")])
        engine.publish(Published(1, 1, "{}"), replaces=0)
        writer = open_engine()
        writer.epoch = 2
        writer.write(2, [a_passage("a:0:0", "term2")])
        assert _keys(engine.find(_query(1, ["term1"], 5))) == {"a:0:0"}
        writer.publish(Published(2, 2, "{}"), replaces=1)
        assert _keys(engine.find(_query(1, ["term1"], 5))) == {"a:0:0"}
        assert _keys(writer.find(_query(2, ["term2"], 5))) == {"a:0:0"}
        assert writer.find(_query(2, ["term1"], 5)) == []
        assert engine.current() == Published(2, 2, "{}")
        writer.close()

    def test_another_connection_sees_what_was_written(self, open_engine: Callable[[], Engine]) -> None:
        first, second = open_engine(), open_engine()
        first.write(1, [a_passage("a:0:0", "term1")])
        first.publish(Published(1, 1, _ODD[2] * 1000), replaces=0)
        first.close()
        assert _keys(second.find(_query(1, ["term1"], 5))) == {"a:0:0"}
        assert second.current() == Published(1, 1, _ODD[2] * 1000)
        second.close()

    def test_refuses_a_generation_that_does_not_replace_the_current_one(self, engine: Engine) -> None:
        engine.publish(Published(1, 1, "first"), replaces=0)
        engine.publish(Published(2, 1, "second"), replaces=1)
        with pytest.raises(IndexLocked):
            engine.publish(Published(2, 1, "other"), replaces=1)
        with pytest.raises(IndexLocked):
            engine.publish(Published(1, 1, "from nothing"), replaces=0)
        assert engine.current() == Published(2, 1, "second")

    def test_of_many_writers_at_once_one_publishes(self, open_engine: Callable[[], Engine]) -> None:
        engines = [open_engine() for _ in range(6)]
        engines[0].publish(Published(1, 1, "first"), replaces=0)

        def publish(at: int) -> bool:
            try:
                engines[at].publish(Published(2, 1, str(at)), replaces=1)
            except IndexLocked:
                return False
            return True

        with ThreadPoolExecutor(len(engines)) as pool:
            won = list(pool.map(publish, range(len(engines))))
        assert won.count(True) == 1
        assert engines[0].current() == Published(2, 1, str(won.index(True)))
        for engine in engines:
            engine.close()

    def test_answers_while_another_generation_is_written(self, open_engine: Callable[[], Engine]) -> None:
        engine = open_engine()
        items = list(random_passages(Random(6), 60))
        engine.write(1, items)
        expected = _keys(engine.find(_query(1, _VOCABULARY[:3], 99)))
        number = count()

        def write(alias: str) -> None:
            for _ in range(5):
                engine.write(2, [a_passage(f"{alias}:{next(number)}:0", " ".join(_VOCABULARY[:3]))])

        with ThreadPoolExecutor(8) as pool:
            written = [pool.submit(write, alias) for alias in ("b", "c")]
            asked = [pool.submit(engine.find, _query(1, _VOCABULARY[:3], 99)) for _ in range(30)]
            assert all(_keys(of.result()) == expected for of in asked)
            for of in written:
                of.result()
        assert len(engine.find(_query(2, _VOCABULARY[:3], 99))) == len(expected) + 10
        engine.close()

    def test_a_check_of_a_working_engine_recommends_nothing(self, engine: Engine) -> None:
        assert engine.check() == []
        assert engine.current() is None


def a_document(key: str, text: str) -> Item:
    """Return a document with a text."""
    return Item("document", key, _fields("document", key, key, text))


def a_passage(key: str, text: str, vector: Sequence[float] = ()) -> Item:
    """Return a passage whose words are its terms."""
    counts = Counter(map(number_of, text.split()))
    weights = [round(512 * 2.2 * tf / (1.2 + tf)) for tf in counts.values()]
    fields = _fields("passage", key, key.rpartition(":")[0], text)
    return Item("passage", key, fields, TermSteps(list(counts), weights), vector)


def _fields(kind: Kind, key: str, document: str, text: str) -> dict[str, str | int]:
    known: dict[str, str | int] = {
        **dict.fromkeys(("text", "chunk_text", "summary", "title"), text),
        "source_alias": key.partition(":")[0],
        "document": document,
        "anchor": text[:10].strip(),
        "terms": " ".join(text.split()),
        "end": len(text),
    }
    types = {name: of for name, of in FIELDS[kind].items() if name not in {"key", "added", "removed"}}
    return {name: known.get(name, 0 if of == "number" else "") for name, of in types.items()}


def random_passages(chance: Random, number: int) -> Iterator[Item]:
    """Yield passages of 30 words, whose frequencies fall by Zipf's law, with vectors of length 1."""
    shares = [1 / (at + 1) for at in range(len(_VOCABULARY))]
    for at in range(number):
        values = [chance.gauss(0, 1) for _ in range(16)]
        size = sum(value * value for value in values) ** 0.5
        words = " ".join(chance.choices(_VOCABULARY, shares, k=30))
        yield a_passage(f"notes:{at:05}:0", words, tuple(value / size for value in values))


def _rarities(items: Sequence[Item]) -> dict[str, float]:
    """Return the inverse document frequency of each term, which is its weight in a question."""
    having = Counter(term for item in items for term in set(item.text("terms").split()))
    return {term: log(1 + (len(items) - found + 0.5) / (found + 0.5)) for term, found in having.items()}


def search_for(terms: Sequence[str], limit: int, rarities: Mapping[str, float] | None = None) -> Search:
    """Return a search for terms, weighted by their rarities."""
    weights = {number_of(term): round(128 * (rarities or {}).get(term, 1.0)) for term in terms}
    return Search(weights, limit, {number_of(term): term for term in terms})


def _query(generation: int, terms: Sequence[str], limit: int, **filters: Sequence[str]) -> Query:
    return Query(generation, [search_for(terms, limit)], filters=filters)


def _best(items: Iterable[Item], search: Search, limit: int) -> set[str]:
    scores = {}
    for item in items:
        pairs = zip(*item.weights, strict=True)
        scores[item.key] = sum(weight * search.terms.get(term, 0) for term, weight in pairs)
    ordered = sorted((key for key in scores if scores[key]), key=lambda key: -scores[key])
    least = scores[ordered[min(limit, len(ordered)) - 1]]
    return {key for key in ordered if scores[key] > least}


def _keys(items: Iterable[Item]) -> set[str]:
    return {item.key for item in items}


def _product(first: Sequence[float], second: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))
