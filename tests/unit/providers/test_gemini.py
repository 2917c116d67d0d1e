"""Gemini's REST API: what no other has."""

import pytest

from vademecum.core.errors import ProviderRefused
from vademecum.core.models import Message, ModelSettings
from vademecum.providers.registry import open_embedder, open_model
from vademecum.testing.scripted import answer

HELLO = [
    Message("system", "Be brief."),
    Message("user", "Hello"),
    Message("assistant", "Hi"),
    Message("user", "Go"),
]
WHOLE = {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}


@pytest.fixture
def model(serve, monkeypatch):
    """Opens a model on a scripted server, and gives both."""
    monkeypatch.setenv("MODEL_KEY", "k3y-of-google")

    def start(*script, name="m", opener=open_model, **settings):
        server = serve(*script)
        chosen = ModelSettings("gemini", name, server.url + "/v1beta", "${MODEL_KEY}", retries=0, **settings)
        return opener(chosen), server

    return start


def test_roles_and_system(model):
    chat, server = model(answer(WHOLE))
    chat.reply(HELLO)
    sent = server.requests[0].json
    assert sent["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert [turn["role"] for turn in sent["contents"]] == ["user", "model", "user"]
    assert server.requests[0].headers["x-goog-api-key"] == "k3y-of-google"


def test_thoughts_are_left_out(model):
    parts = [{"text": "hm", "thought": True}, {"text": "Hi"}, {"text": "!"}]
    chat, _ = model(answer({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}))
    assert chat.reply(HELLO).text == "Hi!"


def test_a_prompt_that_is_blocked(model):
    chat, _ = model(answer({"promptFeedback": {"blockReason": "SAFETY"}}))
    with pytest.raises(ProviderRefused, match="SAFETY"):
        chat.reply(HELLO)


@pytest.mark.parametrize("name", ["models/m", "../../secrets", "m?key=1", "m/:x", "ü"])
def test_a_models_name_leads_nowhere_else(model, name):
    chat, server = model(answer(WHOLE), name=name)
    chat.reply(HELLO)
    path = server.requests[0].path
    assert path.startswith("/v1beta/models/")
    assert path.count("/") == 3
    assert "?" not in path
    assert path.endswith(":generateContent")


def test_the_context_is_read_from_the_server(model):
    chat, server = model(answer({"name": "models/m", "inputTokenLimit": 1000}))
    assert chat.context_tokens == 1000
    assert [request.path for request in server.requests] == ["/v1beta/models/m"]


def test_many_texts_go_in_one_batch_and_say_what_they_are(model):
    embedder, server = model(
        answer({"embeddings": [{"values": [1, 0]}, {"values": [0, 1]}]}), opener=open_embedder, dimensions=2
    )
    assert embedder.embed(["a", "b"]) == [[1.0, 0.0], [0.0, 1.0]]
    sent = server.requests[0].json["requests"]
    assert server.requests[0].path == "/v1beta/models/m:batchEmbedContents"
    assert [(one["model"], one["taskType"], one["outputDimensionality"]) for one in sent] == [
        ("models/m", "RETRIEVAL_DOCUMENT", 2)
    ] * 2


def test_a_question_is_embedded_as_one(model):
    embedder, server = model(answer({"embedding": {"values": [1, 0]}}), opener=open_embedder)
    embedder.embed(["a"], "query")
    assert server.requests[0].json["taskType"] == "RETRIEVAL_QUERY"
