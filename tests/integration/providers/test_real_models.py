"""Real models on real servers: llama.cpp over HTTP and in the process, and Ollama. What they say is not looked at."""

import json
import threading
from math import isclose, sqrt

import pytest

from vademecum.core.deadline import Deadline
from vademecum.core.errors import ModelMissing, ProviderRefused, ProviderTimeout, StreamClosed
from vademecum.core.models import Message, ModelSettings
from vademecum.providers.registry import open_embedder, open_model

HELLO = [Message("system", "Be brief."), Message("user", "Say hello.")]
STORY = [Message("user", "Tell a very long story about the sea, in a hundred chapters.")]
SCHEMA = {
    "type": "object",
    "properties": {"size": {"type": "string", "enum": ["small", "large"]}, "cold": {"type": "boolean"}},
    "required": ["size", "cold"],
    "additionalProperties": False,
}

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module", params=["openai", "llamacpp", "ollama"])
def settings(request):
    common = {"context_tokens": 1024, "timeout_s": 200, "retries": 0, "temperature": 0.0}
    if request.param == "openai":
        address, _ = request.getfixturevalue("openai_server")
        return ModelSettings("openai", str(request.getfixturevalue("gguf")), address, **common)
    if request.param == "ollama":
        host, name = request.getfixturevalue("ollama_server")
        return ModelSettings("ollama", name, f"http://{host}", **common)
    return ModelSettings("llamacpp", str(request.getfixturevalue("gguf")), threads=1, **common)


@pytest.fixture(scope="module")
def model(settings):
    model = open_model(settings)
    yield model
    model.close()


def test_it_is_there(model):
    model.check()
    assert model.context_tokens == 1024


def test_a_reply(model):
    reply = model.reply(HELLO, max_tokens=8)
    assert reply.text.strip()
    assert 5 < reply.prompt_tokens < 100
    assert 0 < reply.reply_tokens <= 8
    assert reply.warnings == ()


def test_a_stream_says_the_same(model):
    whole = model.reply(HELLO, max_tokens=8)
    with model.stream(HELLO, max_tokens=8) as stream:
        pieces = list(stream)
    assert len(pieces) > 1
    assert "".join(pieces) == stream.reply().text == whole.text
    assert stream.reply()._replace(model="") == whole._replace(model="")


def test_it_ends_where_it_must(model):
    long = model.reply(STORY, max_tokens=6)
    assert (long.finish, long.reply_tokens) == ("length", 6)
    word = long.text.split()[2]
    short = model.reply(STORY, max_tokens=6, stop=[word])
    assert short.finish == "stop"
    assert word not in short.text
    assert long.text.startswith(short.text)


def test_json_of_a_schema(model):
    said = json.loads(model.reply([Message("user", "How is the Arctic?")], schema=SCHEMA, max_tokens=60).text)
    assert set(said) == {"size", "cold"}
    assert said["size"] in {"small", "large"}
    assert set(json.loads(model.stream(HELLO, schema=SCHEMA, max_tokens=60).reply().text)) == {"size", "cold"}


def test_a_stream_that_is_closed_frees_the_model(model):
    stream = model.stream(STORY, max_tokens=900)
    assert next(stream)
    threading.Timer(0.3, stream.close).start()
    with pytest.raises(StreamClosed):
        for _ in stream:
            pass
    assert model.reply(HELLO, max_tokens=2).text  # were the story still told, this would wait for it


def test_a_deadline(model):
    with pytest.raises(ProviderTimeout):
        model.reply(STORY, max_tokens=900, deadline=Deadline(1))
    assert model.reply(HELLO, max_tokens=2).text


def test_a_prompt_that_is_too_long(model, settings):
    asked = [Message("user", "word " * 1200)]
    if settings.provider == "ollama":
        reply = open_model(settings._replace(context_tokens=128)).reply(asked, max_tokens=2)
        assert reply.prompt_tokens <= 128
        assert "128" in reply.warnings[0]
    else:
        with pytest.raises(ProviderRefused, match="context"):
            model.reply(asked, max_tokens=2)


def test_several_at_once(model):
    replies = []
    threads = [
        threading.Thread(target=lambda: replies.append(model.reply(HELLO, max_tokens=4).reply_tokens))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(replies) == 4
    assert all(replies)


def test_a_model_that_is_not_there(settings):
    if settings.provider == "openai":
        with pytest.raises(ModelMissing):
            open_model(settings._replace(model="another")).check()
    else:
        with pytest.raises(ModelMissing):
            open_model(settings._replace(model="another")).reply(HELLO)


# --- llama.cpp and Ollama alone --------------------------------------------------------------------------------------


def test_a_damaged_file(gguf, tmp_path):
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(gguf.read_bytes()[:100_000])
    with pytest.raises(ModelMissing, match="cannot be loaded"):
        open_model(f"llamacpp:{damaged}")


def test_a_model_in_the_process_listens_to_its_user_alone(gguf):
    from pathlib import Path

    before = Path("/proc/net/tcp").read_text().count(" 0A ")
    model = open_model(ModelSettings("llamacpp", str(gguf), context_tokens=256, threads=1))
    socket = Path(model._model._server.place.socket)
    assert socket.is_socket()
    assert socket.parent.stat().st_mode & 0o777 == 0o700
    assert Path("/proc/net/tcp").read_text().count(" 0A ") == before
    model.close()
    assert not socket.parent.exists()


@pytest.mark.parametrize("provider", ["openai", "ollama"])
def test_embedding(provider, request):
    if provider == "openai":
        _, address = request.getfixturevalue("openai_server")
        settings = ModelSettings("openai", str(request.getfixturevalue("gguf")), address, batch=2, retries=0)
    else:
        host, name = request.getfixturevalue("ollama_server")
        settings = ModelSettings("ollama", name, f"http://{host}", batch=2, retries=0)
    embedder = open_embedder(settings)
    embedder.check()
    cats, kittens, blank, tax = embedder.embed(["a cat", "a kitten", " ", "income tax law of 1921"])
    assert len(cats) == embedder.dimensions == len(blank) > 100
    assert all(isclose(sqrt(sum(value * value for value in one)), 1) for one in (cats, kittens, tax))
    assert not any(blank)
    near, far = (sum(map(float.__mul__, cats, other)) for other in (kittens, tax))
    assert near > far
    assert str(embedder.dimensions) in embedder.stamp
    again = open_embedder(settings._replace(dimensions=embedder.dimensions))
    assert again.stamp == embedder.stamp
