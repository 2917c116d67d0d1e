"""Postings find what adding up by hand finds."""

# ruff: noqa: S311 - chance is seeded, so that a failure comes again

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.core.errors import IndexCorrupt
from vademecum.core.passages import TermSteps
from vademecum.retrieval.lexical import MANUAL_PAGES, bm25f
from vademecum.stores.flat.postings import Postings, PostingsWriter

STEP = 512 * 128
DOCUMENTS, VOCABULARY = 600, 200

terms = st.lists(st.integers(0, 12) | st.integers(0, (1 << 32) - 1), unique=True, max_size=8).map(sorted)


@st.composite
def vectors(draw, most):
    found = draw(terms)
    return TermSteps(found, [draw(st.integers(1, most)) for _ in found])


def written(file, documents):
    writer = PostingsWriter(file)
    for number, words in sorted(documents.items()):
        writer.add(number, words)
    writer.commit()
    return Postings(file)


def by_hand(documents, query, among=None):
    asked = dict(zip(*query, strict=True))
    scores = {
        number: sum(asked[term] * step for term, step in zip(*words, strict=True) if term in asked) / STEP
        for number, words in documents.items()
        if among is None or number in among
    }
    return sorted(((n, s) for n, s in scores.items() if s), key=lambda pair: (-pair[1], pair[0]))


@given(
    documents=st.dictionaries(st.integers(0, 40) | st.just((1 << 32) - 1), vectors(1126), max_size=30),
    query=vectors(2000),
    limits=st.tuples(
        st.integers(1, 40), st.none() | st.sets(st.integers(0, 50), max_size=30), st.integers(0, 40)
    ),
)
def test_search_is_the_dot_product(tmp_path_factory, documents, query, limits):
    limit, among, least_at = limits
    postings = written(tmp_path_factory.mktemp("p") / "words.bin", documents)
    expected = by_hand(documents, query, among)
    assert postings.search(query, limit, among) == expected[:limit]
    least = expected[least_at][1] if least_at < len(expected) else 0.0
    enough = [pair for pair in expected if pair[1] >= least]
    assert postings.search(query, limit, among, least=least) == enough[:limit]


def zipf(chance, length):
    """Terms of which few are in nearly all documents, so that lists are long and short."""
    found = sorted({min(VOCABULARY - 1, int(chance.paretovariate(0.5))) for _ in range(length)})
    return TermSteps(found, [chance.randint(1, 1126) for _ in found])


@pytest.fixture(scope="module")
def documents():
    chance = random.Random(4)
    return {document: zipf(chance, chance.randint(1, 60)) for document in range(DOCUMENTS)}


@pytest.fixture(scope="module")
def postings(documents, tmp_path_factory):
    return written(tmp_path_factory.mktemp("postings") / "words.bin", documents)


@given(seed=st.integers(0, 1 << 32), length=st.integers(1, 40), limit=st.sampled_from([1, 3, 20, 10_000]))
def test_the_best_are_found_however_early_the_search_ends(postings, documents, seed, length, limit):
    chance = random.Random(seed)
    found = zipf(chance, length)
    query = found._replace(steps=[chance.choice([1, 50, 1500]) for _ in found.steps])
    wanted = by_hand(documents, query)
    assert postings.search(query, limit) == wanted[:limit]
    few = set(chance.sample(range(DOCUMENTS), 5))
    assert postings.scores(query, few) == {number: score for number, score in wanted if number in few}


def test_an_early_end_spares_most_of_the_work(tmp_path, monkeypatch):
    """Rare words decide: of the common one, only those are looked up that have the rare ones."""
    documents = {
        number: TermSteps([1, 2], [1000, 10]) if number % 1000 == 7 else TermSteps([2], [10])
        for number in range(5000)
    }
    postings = written(tmp_path / "words.bin", documents)
    gathered = []
    gather = Postings._gather

    def watched(self, scores, found):
        gathered.append(found.end - found.start)
        gather(self, scores, found)

    monkeypatch.setattr(Postings, "_gather", watched)
    query = TermSteps([1, 2], [100, 100])
    assert postings.search(query, 3) == by_hand(documents, query)[:3]
    assert gathered == [5]


def test_term_weights_are_as_written(postings, documents):
    numbers, terms = [3, 5, *range(50), 599], [0, 1, 2, 50, 199, 12_345]
    wanted = [
        {n: w / 512 for n in set(numbers) for t, w in zip(*documents[n], strict=True) if t == term}
        for term in terms
    ]
    assert any(wanted)
    assert postings.weights(terms, numbers) == wanted


def test_nothing_is_found_for_nothing(postings, tmp_path):
    nothing, unknown = TermSteps([], []), TermSteps([VOCABULARY + 5], [1])
    for searched in (postings, written(tmp_path / "empty.bin", {})):
        assert searched.search(nothing, 10) == searched.search(unknown, 10) == []
        assert searched.search(TermSteps([1], [1]), 0) == []
        assert searched.search(TermSteps([1], [1]), 5, []) == []
        assert searched.weights([VOCABULARY + 5], [1]) == [{}]
        assert searched.weights([1], []) == [{}]
        assert searched.weights([], [1]) == []


def test_a_document_of_one_word_many_times_is_one_posting(tmp_path):
    words = bm25f([([7] * 100_000, MANUAL_PAGES.body)])
    postings = written(tmp_path / "words.bin", {0: words})
    ((number, score),) = postings.search(TermSteps([7], [128]), 5)
    assert number == 0
    assert 0 < score < 2.2


DAMAGE = {
    "empty": lambda _data: b"",
    "no header": lambda data: data[:10],
    "truncated": lambda data: data[:-2],
    "zeroed": lambda data: bytes(len(data)),
    "grown": lambda data: data + b"\0\0",
    "counts": lambda data: data[:8] + b"\xff" * 16 + data[24:],
    "another file": lambda data: b"somewhat" + data[8:],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_named_with_a_way_out(tmp_path, documents, damage):
    file = tmp_path / "words.bin"
    written(file, documents)
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    with pytest.raises(IndexCorrupt, match=r"words\.bin") as caught:
        Postings(file)
    assert "--full" in caught.value.hint


def test_damaged_lists_are_named(tmp_path, documents):
    file = tmp_path / "words.bin"
    written(file, documents)
    data = bytearray(file.read_bytes())
    terms = int.from_bytes(data[8:16], "little")
    start = 24 + 4 * terms
    data[start : start + 4 * (terms + 1)] = bytes(4 * (terms + 1))
    file.write_bytes(data)
    with pytest.raises(IndexCorrupt):
        Postings(file).search(TermSteps([1], [1]), 5)
