"""OpenAI's protocol: what its vendor and its many imitators do differently."""

import pytest

from vademecum.core.errors import ConfigError, ModelMissing, ReplyInvalid
from vademecum.core.models import Message, ModelSettings
from vademecum.net import Client
from vademecum.providers import openai
from vademecum.providers.registry import open_model
from vademecum.testing.scripted import answer, stream

HELLO = [Message("user", "Hello")]
WHOLE = {"model": "m", "choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}


@pytest.fixture
def model(serve):
    """Opens a model on a scripted server, and gives both."""

    def start(*script, **settings):
        server = serve(*script)
        return open_model(ModelSettings("openai", "m", server.url + "/v1", retries=0, **settings)), server

    return start


def test_the_vendor_has_its_own_name_for_the_limit(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    with Client() as client:
        chat = openai.open_chat(ModelSettings("openai", "gpt-x"), client)
        _, body = chat._call(chat._wish(HELLO, None, 7, None, ()), streams=False)
    assert body["max_completion_tokens"] == 7
    assert not {"temperature", "max_tokens"} & body.keys()


def test_the_vendor_wants_a_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        open_model("openai:gpt-4o-mini")


def test_the_vendors_key_goes_to_nobody_else(model, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1-for-the-vendor")
    chat, server = model(answer(WHOLE))
    assert chat.reply(HELLO, max_tokens=7).text == "Hi"
    assert server.requests[0].json["max_tokens"] == 7  # not by the vendor's newer name
    assert "authorization" not in server.requests[0].headers


def test_the_environment_may_name_the_server(serve, monkeypatch):
    server = serve(answer(WHOLE))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1/")
    assert open_model("openai:m").reply(HELLO).text == "Hi"
    assert server.requests[0].headers["authorization"] == "Bearer sk-1"
    assert server.requests[0].path == "/v1/chat/completions"
    monkeypatch.delenv("OPENAI_API_KEY")
    assert open_model("openai:m").reply(HELLO).text == "Hi"
    assert "authorization" not in server.requests[1].headers


def test_a_stream_without_done_is_whole_when_it_says_why_it_ends(model):
    last = b'data: {"choices": [{"delta": {"content": "Hi"}, "finish_reason": "length"}]}\n\n'
    chat, _ = model(stream([last]))
    assert chat.stream(HELLO).reply().finish == "length"


def test_a_stream_that_is_done_without_a_reason_is_not(model):
    chat, _ = model(stream([b'data: {"choices": [{"delta": {"content": "Hi"}}]}\n\ndata: [DONE]\n\n']))
    with pytest.raises(ReplyInvalid, match="broke off"):
        chat.stream(HELLO).reply()


def test_a_server_that_never_closes_after_done(model):
    end = b'data: {"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
    chat, server = model(stream([end], then=lambda visit, _request: visit.wait_for_end()), stall_s=30)
    assert chat.stream(HELLO).reply().text == "Hi"
    assert server.requests


def test_a_refusal_is_what_was_said(model):
    whole = {"choices": [{"message": {"content": None, "refusal": "I cannot."}, "finish_reason": "stop"}]}
    assert model(answer(whole))[0].reply(HELLO).text == "I cannot."


def test_an_error_with_success_as_its_status(model):
    chat, _ = model(answer({"error": {"message": "no credit", "code": "insufficient_quota"}}))
    with pytest.raises(ReplyInvalid, match="no credit"):
        chat.reply(HELLO)


@pytest.mark.parametrize(
    ("entry", "context"),
    [
        ({"id": "m", "max_model_len": 8192}, 8192),
        ({"id": "m", "meta": {"n_ctx_train": 2048}}, 2048),
        ({"id": "m", "context_length": 4096}, 4096),
        ({"id": "m", "context_length": "much"}, None),
        ({"id": "m"}, None),
    ],
    ids=["vLLM", "llama.cpp", "others", "nonsense", "silent"],
)
def test_the_context(model, entry, context):
    chat, server = model(answer({"data": [entry]}))
    assert (chat.context_tokens, chat.context_tokens, len(server.requests)) == (context, context, 1)


def test_the_context_of_a_server_that_does_not_say(model):
    assert model(answer("", 404))[0].context_tokens is None
    chat, server = model(answer(""), context_tokens=100)
    assert (chat.context_tokens, server.connections) == (100, 0)


def test_a_model_that_is_not_listed(model):
    chat, _ = model(answer({"data": [{"id": "other"}]}), answer({"data": [{"id": "m"}]}), answer("", 404))
    with pytest.raises(ModelMissing, match="other"):
        chat.check()
    chat.check()
    chat.check()  # a server without a list is believed
