"""Vectors that are found near are those whose inner product, added up by hand, is largest."""

# ruff: noqa: S311 - chance is seeded, so that a failure comes again

import random
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.core.errors import IndexCorrupt
from vademecum.stores.flat import Vectors, VectorsWriter

DIMENSIONS, COUNT = 32, 1000
STEP = 1 / 32512


def written(file, vectors, dimensions=DIMENSIONS):
    writer = VectorsWriter(file, dimensions)
    for number, vector in sorted(vectors.items()):
        writer.add(number, vector)
    writer.commit()
    return Vectors(file)


def unit(chance):
    vector = [chance.gauss(0, 1) for _ in range(DIMENSIONS)]
    length = sqrt(sum(value * value for value in vector))
    return [value / length for value in vector]


def by_hand(vectors, query):
    products = {n: sum(a * b for a, b in zip(query, v, strict=True)) for n, v in vectors.items() if any(v)}
    return sorted(products.items(), key=lambda pair: (-pair[1], pair[0]))


@pytest.fixture(scope="module")
def vectors():
    """Many near each other, some equal, some of zeros; numbers with gaps."""
    chance = random.Random(5)
    found = {3 * number: unit(chance) for number in range(COUNT)}
    for number in range(0, 300, 10):
        found[3 * number] = found[0]
        found[3 * number + 3] = [0.0] * DIMENSIONS
    return found


@pytest.fixture(scope="module")
def file(vectors, tmp_path_factory):
    place = tmp_path_factory.mktemp("vectors") / "line.bin"
    written(place, vectors)
    return place


@pytest.mark.parametrize("limit", [1, 20, 10 * COUNT])
@pytest.mark.parametrize("seed", range(3))
def test_the_nearest_are_found(file, vectors, seed, limit):
    query = unit(random.Random(seed)) if seed else vectors[0]
    wanted = by_hand(vectors, query)
    found = Vectors(file).nearest(query, limit)
    assert len(found) == min(limit, len(wanted))
    assert [score for _, score in found] == pytest.approx(
        [score for _, score in wanted[:limit]], abs=DIMENSIONS * STEP
    )
    exact = dict(wanted)
    assert all(score == pytest.approx(exact[number], abs=DIMENSIONS * STEP) for number, score in found)
    assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))


def test_equal_vectors_score_the_same_to_the_bit(file, vectors):
    found = Vectors(file).nearest(vectors[0], 30)
    assert len({score for _, score in found}) == 1
    assert [number for number, _ in found] == list(range(0, 900, 30))
    assert found[0][1] == pytest.approx(1, abs=DIMENSIONS * STEP)


def test_among_some_the_score_is_the_same(file):
    opened, query = Vectors(file), unit(random.Random(3))
    every = dict(opened.nearest(query, 10 * COUNT))
    some = [0, 3, 6, 7, 30, 3 * COUNT - 3, 3 * COUNT, 10**9]
    wanted = {number: every[number] for number in some if number in every}
    assert 3 <= len(wanted) < len(some)
    assert opened.nearness(query, some) == wanted
    assert opened.nearest(query, 2, some) == sorted(wanted.items(), key=lambda pair: -pair[1])[:2]


@given(
    vectors=st.lists(st.lists(st.floats(-1, 1), min_size=4, max_size=4), max_size=12),
    query=st.lists(st.floats(-1, 1), min_size=4, max_size=4),
)
def test_every_component_from_minus_one_to_one_is_kept(tmp_path_factory, vectors, query):
    numbered = dict(enumerate(vectors))
    opened = written(tmp_path_factory.mktemp("v") / "line.bin", numbered, 4)
    wanted = dict(by_hand(numbered, query)) if any(query) else {}
    assert opened.nearness(query, range(20)) == pytest.approx(wanted, abs=5 * STEP)


def test_nothing_is_near_to_nothing(file, tmp_path):
    nothing, some = [0.0] * DIMENSIONS, [0.1] * DIMENSIONS
    opened, empty = Vectors(file), written(tmp_path / "need.bin", {})
    assert opened.nearest(nothing, 5) == opened.nearest(some, 0) == opened.nearest(some, 5, []) == []
    assert opened.nearness(nothing, [0]) == opened.nearness(some, []) == {}
    assert empty.nearest(some, 5) == []
    assert empty.nearness(some, [0]) == {}


DAMAGE = {
    "empty": lambda _data: b"",
    "no header": lambda data: data[:10],
    "truncated": lambda data: data[:-2],
    "zeroed": lambda data: bytes(len(data)),
    "grown": lambda data: data + b"\0\0",
    "counts": lambda data: data[:8] + b"\xff" * 16 + data[24:],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_named_with_a_way_out(file, tmp_path, damage):
    place = tmp_path / "line.bin"
    place.write_bytes(DAMAGE[damage](file.read_bytes()))
    with pytest.raises(IndexCorrupt, match=r"line\.bin") as caught:
        Vectors(place)
    assert "--full" in caught.value.hint
