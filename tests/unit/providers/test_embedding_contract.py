"""What every embedder behind a server does."""

import json
from math import isclose, sqrt

import pytest

from vademecum.core.errors import AnswerError, ModelMissing, ReplyInvalid
from vademecum.providers._embeddings import prefixes_of
from vademecum.testing.scripted import answer

NAN = '{"data": [{"embedding": [NaN, 1]}], "embeddings": [[NaN, 1]], "embedding": {"values": [NaN, 1]}}'


def test_vectors_come_in_the_order_of_the_texts_and_of_length_1(protocol, opened):
    embedder, server = opened(protocol, protocol.vectors([1, 2, 2]), embedder=True)
    (vector,) = embedder.embed(["a"], "query")
    assert isclose(sqrt(sum(value * value for value in vector)), 1)
    assert server.requests[0].path == protocol.embed_path
    embedder, server = opened(protocol, protocol.vectors([3, 4.0], [0, 2.0], [-1.0, 0]), embedder=True)
    assert embedder.embed(["a", "b", "c"]) == [[0.6, 0.8], [0.0, 1.0], [-1.0, 0.0]]
    assert embedder.dimensions == 2
    assert len(server.requests) == 1


def test_no_texts_ask_nobody(protocol, opened):
    embedder, server = opened(protocol, protocol.vectors([1.0]), embedder=True)
    assert embedder.embed([]) == []
    assert server.connections == 0


def test_batches(protocol, opened):
    script = [protocol.vectors(*[[1.0, 0.0]] * size) for size in (2, 2, 1)]
    embedder, server = opened(protocol, *script, embedder=True, batch=2)
    assert len(embedder.embed([f"text {number}" for number in range(5)])) == 5
    assert len(server.requests) == 3
    for number in range(5):
        assert f"text {number}" in server.requests[number // 2].body.decode()


def test_large_texts_are_not_sent_together(protocol, opened):
    embedder, server = opened(protocol, protocol.vectors([1.0]), embedder=True)
    assert len(embedder.embed(["x" * 150_000, "y" * 150_000])) == 2
    assert len(server.requests) == 2


def test_a_blank_text_has_zeros_and_is_not_sent(protocol, opened):
    embedder, server = opened(protocol, protocol.vectors([0.0, 1.0]), embedder=True)
    assert embedder.embed(["", "a", " \n"]) == [[0.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    assert len(server.requests) == 1
    assert embedder.embed([""]) == [[0.0, 0.0]]


@pytest.mark.parametrize("purpose", ["query", "document"])
def test_sends_the_prefix_of_the_purpose(protocol, opened, purpose):
    embedder, server = opened(
        protocol, protocol.vectors([1.0]), embedder=True, query_prefix="Q: ", document_prefix="D: "
    )
    embedder.embed(["text"], purpose)
    assert ("Q: text" if purpose == "query" else "D: text") in json.dumps(server.requests[0].json)


def test_known_models():
    assert prefixes_of("nomic-embed-text:latest") == ("search_query: ", "search_document: ")
    assert prefixes_of("intfloat/multilingual-e5-large").document == "passage: "
    assert prefixes_of("embeddinggemma").query.endswith("query: ")
    assert prefixes_of("text-embedding-3-small") == ("", "")
    assert prefixes_of("type5-model") == ("", "")


@pytest.mark.parametrize(
    "vectors",
    [
        [[1.0, 2.0, 3.0], [1.0, 2.0]],
        [[1.0, 2.0]],
        [[1.0, 2.0]] * 3,
        [[0.0, 0.0], [1.0, 1.0]],
        [[], []],
        [["1", "2"], [1.0, 2.0]],
        [[None, 1.0], [1.0, 1.0]],
        [[True, False], [1.0, 1.0]],
        [[1e308, 1e308], [1.0, 1.0]],
        [{"a": 1}, 5],
    ],
    ids=["lengths", "too few", "too many", "zeros", "empty", "texts", "null", "truth", "infinite", "odd"],
)
def test_rejects_bad_vectors(protocol, opened, vectors):
    embedder, _ = opened(protocol, protocol.vectors(*vectors), embedder=True)
    with pytest.raises(ReplyInvalid) as caught:
        embedder.embed(["a", "b"])
    assert caught.value.hint


def test_rejects_other_dimensions_than_configured_or_before(protocol, opened):
    vectors = [protocol.vectors([1.0] * length) for length in (384, 4, 5)]
    embedder, _ = opened(protocol, vectors[0], embedder=True, dimensions=768)
    with pytest.raises(ReplyInvalid, match="384") as caught:
        embedder.embed(["a"])
    assert "reindex" in caught.value.hint
    embedder, _ = opened(protocol, *vectors[1:], embedder=True)
    embedder.embed(["a"])
    with pytest.raises(ReplyInvalid, match="5"):
        embedder.embed(["a"])


@pytest.mark.parametrize(
    "body", [NAN, "{}", "[]", '{"data": 1, "embeddings": 2, "embedding": 3}', '{"error": "no"}']
)
def test_rejects_a_reply_without_vectors(protocol, opened, body):
    embedder, _ = opened(protocol, answer(body), embedder=True)
    with pytest.raises(ReplyInvalid):
        embedder.embed(["a"])


def test_the_stamp_tells_prefixes_and_dimensions_apart(opened, protocol):
    tags = [answer({"models": [{"name": "m:latest", "digest": digest}]}) for digest in ("one", "one", "two")]
    script = tags if protocol.settings.provider == "ollama" else [answer({})]
    stamps = []
    embedder, _ = opened(protocol, *script, embedder=True, dimensions=3)
    stamps += [embedder.stamp, embedder.stamp]
    assert stamps[0] == stamps[1]
    if len(script) == 3:
        assert embedder.stamp != stamps[0]  # another model under the same name
    for settings in ({"dimensions": 4}, {"dimensions": 3, "query_prefix": "Q: "}):
        other, _ = opened(protocol, *script, embedder=True, **settings)
        assert other.stamp not in stamps
        stamps.append(other.stamp)


def test_half_a_character_is_not_sent(protocol, opened):
    embedder, server = opened(protocol, protocol.vectors([1.0]), embedder=True)
    with pytest.raises(AnswerError):
        embedder.embed(["\ud83d"])
    assert server.connections == 0


def test_a_model_that_is_not_there(protocol, opened):
    lists = {"openai": {"data": [{"id": "other"}]}, "ollama": {"models": [{"name": "other:latest"}]}}
    given = lists.get(protocol.settings.provider)
    embedder, _ = opened(
        protocol, answer(given) if given else answer({"error": {"code": 404}}, 404), embedder=True
    )
    with pytest.raises(ModelMissing):
        embedder.check()
