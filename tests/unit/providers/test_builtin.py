"""The built-in embedder, against its table read plainly."""

import random
from array import array
from functools import cache
from itertools import pairwise
from math import sqrt
from operator import mul

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.core.errors import ProviderError
from vademecum.providers.builtin import WordTable
from vademecum.providers.builtin.embedder import BUCKETS, DIMENSIONS, HEADER, MAGIC, WORDS, buckets_of
from vademecum.text.words import number, terms

DATA = WORDS.read_bytes()
_, _, COUNT, _ = HEADER.unpack_from(DATA)
SEEN = "chang file permiss owner directori kernel signal socket copi print".split()  # noqa: SIM905
UNSEEN = ["zyzzyvaquokka", "--zap-the-walrus", "日本語", "x"]


@pytest.fixture(scope="module")
def table():
    return WordTable()


def column(kind, start, count):
    numbers = array(kind)
    numbers.frombytes(DATA[start : start + count * numbers.itemsize])
    return numbers


WORD_NUMBERS = column("I", HEADER.size, COUNT)
WORD_SCALES = column("f", HEADER.size + 4 * COUNT, COUNT)
BUCKET_SCALES = column("f", HEADER.size + 8 * COUNT, BUCKETS)
ROWS = HEADER.size + 8 * COUNT + 4 * BUCKETS
SOME = range(0, COUNT, 97)


def row(at, scale):
    return [scale * value for value in column("b", ROWS + DIMENSIONS * at, DIMENSIONS)]


@cache
def plain(term):
    if number(term) in WORD_NUMBERS:
        at = WORD_NUMBERS.index(number(term))
        return row(at, WORD_SCALES[at])
    found = buckets_of(term)
    vectors = [row(COUNT + bucket, BUCKET_SCALES[bucket]) for bucket in found]
    return [0.5 * sum(values) / len(found) for values in zip(*vectors, strict=True)]


def unit(values):
    length = sqrt(sum(value * value for value in values))
    return [value / length for value in values]


def cosine(one, other):
    return sum(first * second for first, second in zip(one, other, strict=True))


def test_the_table_is_sorted_and_has_the_words_of_manuals():
    assert COUNT > 10_000
    assert all(first < second for first, second in pairwise(WORD_NUMBERS))
    assert all(number(term) in WORD_NUMBERS for term in SEEN)
    assert not any(number(term) in WORD_NUMBERS for term in UNSEEN)


@given(st.lists(st.sampled_from(SEEN + UNSEEN), min_size=1, max_size=30))
def test_adding_lanes_is_adding_rows(table, chosen):
    wanted = unit([sum(values) for values in zip(*map(plain, chosen), strict=True)])
    found = table.embed(chosen)
    assert len(found) == DIMENSIONS == table.dimensions
    assert sum(value * value for value in found) == pytest.approx(1)
    assert found == pytest.approx(wanted, abs=1e-3)


@given(st.permutations(SEEN + UNSEEN))
def test_order_does_not_matter(table, mixed):
    assert table.embed(mixed) == table.embed(SEEN + UNSEEN)


def test_an_unseen_word_is_spelled(table):
    """Its vector is near that of words it shares its letters with, and counts half beside known ones."""
    assert any(table.embed(["permissionsfoo"]))
    near = cosine(table.embed(["filesystemx"]), table.embed(["filesystem"]))
    far = cosine(table.embed(["filesystemx"]), table.embed(["walrus"]))
    assert near > far + 0.1


def test_numbers_have_the_vector_of_their_terms_and_an_unseen_word_is_near_itself_alone(table):
    assert table.embed_numbers(map(number, ["copi", "file"])) == table.embed(["copi", "file"])
    one, other = (table.embed_numbers([number(word)]) for word in ("xqzzy", "wvvkj"))
    assert sum(map(mul, one, one)) == pytest.approx(1)
    assert sum(map(mul, one, other)) < 0.9


def test_a_text_without_terms_is_nowhere(table):
    assert table.embed([]) == [0.0] * DIMENSIONS
    assert table.embed([""]) == [0.0] * DIMENSIONS


def test_only_the_first_2000_terms_of_a_long_text_count(table):
    """And their sum does not carry from one lane into the next."""
    chance = random.Random(7)  # noqa: S311 - a failure comes again
    many = [chance.choice(SEEN) for _ in range(2000)]
    wanted = unit([sum(values) for values in zip(*map(plain, many), strict=True)])
    assert table.embed(many) == pytest.approx(wanted, abs=1e-3)
    assert table.embed(many + ["zebra"] * 1000) == table.embed(many)
    assert table.embed(iter(["permiss"] * 5000)) == pytest.approx(table.embed(["permiss"]), abs=1e-9)


def test_texts_of_one_meaning_are_near(table):
    def near(one, other):
        return cosine(table.embed(terms(one)), table.embed(terms(other)))

    question = "delete a folder"
    assert near(question, "remove empty directories") > near(question, "send a signal to a process") + 0.1


def test_its_name_is_its_content(table, tmp_path):
    assert table.name == WordTable().name
    changed = bytearray(DATA)
    changed[HEADER.size + 4 * COUNT] ^= 1
    (tmp_path / "words.bin").write_bytes(changed)
    assert WordTable(tmp_path / "words.bin").name != table.name


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"",
        b"VADEWT01",
        b"nonsense" * 100,
        HEADER.pack(MAGIC, 128, 0, BUCKETS),
        DATA[:-1],
        DATA + b"\0",
        DATA[:10_001],
    ],
    ids=["missing", "empty", "cut header", "another file", "another version", "cut", "longer", "cut table"],
)
def test_names_a_damaged_table(tmp_path, content):
    path = tmp_path / "words.bin"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ProviderError, match=r"words\.bin") as caught:
        WordTable(path)
    assert caught.value.hint


@pytest.mark.parametrize("term", ["chang", "kernel", "zyzzyvaquokka"])
def test_finds_the_same_near_words_as_a_comparison_with_every_row(table, term):
    asked = table.embed([term])
    lengths = [
        sqrt(sum(value * value for value in column("b", ROWS + DIMENSIONS * at, DIMENSIONS))) for at in SOME
    ]
    found = dict(table.near(asked, 0.3))
    for at, length in zip(SOME, lengths, strict=True):
        values = column("b", ROWS + DIMENSIONS * at, DIMENSIONS)
        expected = sum(a * b for a, b in zip(asked, values, strict=True)) / length
        if expected > 0.301:
            assert found[WORD_NUMBERS[at]] == pytest.approx(expected, abs=1e-3)
        elif expected < 0.299:
            assert WORD_NUMBERS[at] not in found


def test_words_near_a_term_come_nearest_first_and_begin_with_itself(table):
    found = table.near(table.embed(["network"]), 0.3)
    assert found[0] == (number("network"), 1.0)
    assert len(found) > 20
    assert all(before[1] >= after[1] >= 0.3 for before, after in pairwise(found))


def test_nothing_is_near_a_text_without_terms(table):
    assert table.near(table.embed([]), 0.3) == []
