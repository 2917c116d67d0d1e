"""Ollama's native API: the context is always sent, and a prompt that reaches it is said to."""

import json

import pytest

from vademecum.core.errors import ModelMissing, ProviderUnreachable, ReplyInvalid
from vademecum.core.models import Message, ModelSettings
from vademecum.providers.ollama import address
from vademecum.providers.registry import open_embedder, open_model
from vademecum.testing.scripted import answer, stream

HELLO = [Message("user", "Hello")]


def whole(prompt=5):
    message = {"role": "assistant", "content": "Hi"}
    done = {"done": True, "done_reason": "stop", "prompt_eval_count": prompt, "eval_count": 1}
    return {"model": "m", "message": message} | done


@pytest.fixture
def model(serve):
    """Opens a model on a scripted server, and gives both."""

    def start(*script, **settings):
        server = serve(*script)
        return open_model(ModelSettings("ollama", "m", server.url, retries=0, **settings)), server

    return start


@pytest.mark.parametrize(("settings", "context"), [({}, 4096), ({"context_tokens": 512}, 512)])
def test_the_context_is_always_sent(model, settings, context):
    line = json.dumps(whole()).encode() + b"\n"
    chat, server = model(answer(whole()), stream([line], kind="application/x-ndjson"), **settings)
    chat.reply(HELLO)
    chat.stream(HELLO).reply()
    assert [request.json["options"]["num_ctx"] for request in server.requests] == [context] * 2
    assert [request.json["stream"] for request in server.requests] == [False, True]
    assert chat.context_tokens == context


@pytest.mark.parametrize(("prompt", "warned"), [(5, 0), (510, 0), (511, 1), (512, 1), (600, 1)])
def test_a_prompt_that_reaches_the_context(model, prompt, warned):
    chat, _ = model(answer(whole(prompt)), context_tokens=512)
    assert len(chat.reply(HELLO).warnings) == warned


def test_a_prompt_of_which_whole_messages_were_left_out(model):
    chat, _ = model(answer(whole(20)), context_tokens=512)
    (warning,) = chat.reply([Message("user", "word " * 2000), *HELLO]).warnings
    assert "512" in warning


def test_sends_options_by_ollamas_names(model):
    chat, server = model(answer(whole()))
    chat.reply(HELLO, max_tokens=7, temperature=0, stop=["x"])
    options = server.requests[0].json["options"]
    assert options == {"num_ctx": 4096, "num_predict": 7, "temperature": 0, "stop": ["x"]}


@pytest.mark.parametrize("name", ["m", "m:latest"])
def test_a_model_that_is_there(model, name):
    chat, server = model(answer({"models": [{"name": name}]}))
    chat.check()
    assert (server.requests[0].method, server.requests[0].path) == ("GET", "/api/tags")


def test_a_model_that_is_not(model):
    chat, _ = model(answer({"models": [{"name": "m2:latest"}]}), answer({"hello": "world"}))
    with pytest.raises(ModelMissing) as caught:
        chat.check()
    assert "ollama pull m" in caught.value.hint
    with pytest.raises(ReplyInvalid, match="Ollama"):
        chat.check()


def test_its_embedder_says_which_model_it_was(serve):
    server = serve(answer({"models": [{"name": "nomic-embed-text:latest", "digest": "abc"}]}))
    settings = ModelSettings("ollama", "nomic-embed-text", server.url, dimensions=768)
    assert open_embedder(settings).stamp.startswith("ollama:nomic-embed-text:768:")


def test_known_prefixes_are_sent(serve):
    server = serve(answer({"embeddings": [[1.0]]}))
    embedder = open_embedder(ModelSettings("ollama", "nomic-embed-text", server.url))
    embedder.embed(["a cat"], "query")
    embedder.embed(["a dog"])
    assert [request.json["input"] for request in server.requests] == [
        ["search_query: a cat"],
        ["search_document: a dog"],
    ]


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104 - what people write
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        (":8080", "http://127.0.0.1:8080"),
        ("models", "http://models:11434"),
        ("models:80", "http://models:80"),
        ("http://models", "http://models"),
        ("https://models:443/", "https://models:443"),
        ("[::1]", "http://[::1]:11434"),
        ("[::1]:80", "http://[::1]:80"),
        ("::1", "http://[::1]:11434"),
        ("[::]:80", "http://127.0.0.1:80"),
        (" models ", "http://models:11434"),
    ],
)
def test_the_variable_that_names_the_server(host, url):
    assert address(host) == url


def test_the_variable_is_used(serve, monkeypatch):
    server = serve(answer(whole()))
    monkeypatch.setenv("OLLAMA_HOST", f"0.0.0.0:{server.port}")
    assert open_model("ollama:gemma3:1b").reply(HELLO).text == "Hi"
    assert server.requests[0].json["model"] == "gemma3:1b"


def test_no_ollama_here(monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    with pytest.raises(ProviderUnreachable) as caught:
        open_model("ollama:gemma3:1b").check()
    assert "running" in caught.value.hint
