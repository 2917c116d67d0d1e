"""What every chat model behind a server does, whoever made the server, and whatever the server does."""

import json
import logging
import traceback

import pytest

from shared import wait_until
from vademecum.core.deadline import Deadline
from vademecum.core.errors import (
    AnswerError,
    ModelMissing,
    ProviderBusy,
    ProviderError,
    ProviderRefused,
    ProviderTimeout,
    ReplyInvalid,
    StreamClosed,
)
from vademecum.core.models import Message
from vademecum.testing.scripted import answer

TALK = [
    Message("system", "Be brief."),
    Message("user", "Hello"),
    Message("assistant", "Yes?"),
    Message("user", "Greet the world."),
]
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
HTML = "<html><head><title>502</title></head><body>Bad Gateway</body></html>"


def wait(visit, _request):
    visit.wait_for_end()


def hang_up(visit, _request):
    visit.hang_up()


def test_a_reply(protocol, opened):
    model, server = opened(protocol, answer(protocol.whole))
    reply = model.reply(TALK, max_tokens=50, temperature=0.25, stop=["END"])
    assert (reply.text, reply.finish, reply.model) == ("Grüße, Welt!", "stop", "gpt-x")
    assert (reply.prompt_tokens, reply.reply_tokens, reply.warnings) == (9, 3, ())
    (request,) = server.requests
    assert request.path == protocol.chat_path
    sent = json.dumps(request.json)
    for said in ("Be brief.", "Hello", "Yes?", "Greet the world.", "50", "0.25", '["END"]'):
        assert said in sent


def test_a_stream(protocol, opened):
    model, server = opened(protocol, protocol.stream(*protocol.pieces, protocol.end))
    with model.stream(TALK) as stream:
        assert not server.requests  # nothing is sent before somebody listens
        assert list(stream) == ["Grü", "ße, ", "Welt!"]
        reply = stream.reply()
    assert (reply.text, reply.finish, reply.model) == ("Grüße, Welt!", "stop", "gpt-x")
    assert (reply.prompt_tokens, reply.reply_tokens) == (9, 3)
    assert server.requests[0].path == protocol.stream_path


def test_a_stream_byte_by_byte(protocol, opened):
    whole = b"".join(protocol.pieces) + protocol.end
    model, _ = opened(protocol, protocol.stream(*(whole[at : at + 1] for at in range(len(whole)))))
    assert "".join(model.stream(TALK)) == "Grüße, Welt!"


def test_connections_are_used_again(protocol, opened):
    good = protocol.stream(*protocol.pieces, protocol.end)
    model, server = opened(protocol, good, answer(protocol.whole), good)
    assert "".join(model.stream(TALK)) == model.reply(TALK).text == model.stream(TALK).reply().text
    assert (len(server.requests), server.connections) == (3, 1)


def test_a_filtered_reply(protocol, opened):
    model, _ = opened(protocol, answer(protocol.filtered))
    assert model.reply(TALK).finish in {"filter", "other"}


# --- faults ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (answer(HTML, 502, kind="text/html"), ProviderBusy),
        (answer(HTML, kind="text/html"), ReplyInvalid),
        (answer({"error": {"message": "no"}}, 401), ProviderRefused),
        (answer({"error": "no such model"}, 404), ModelMissing),
        (answer({"error": {"message": "slow down"}}, 429), ProviderBusy),
        (answer({"error": {"message": "broken", "code": 500}}, 500), ProviderBusy),
        (answer(b'{"choices": [{"mess', kind="application/json"), ReplyInvalid),
        (answer("", 307, headers={"Location": "http://127.0.0.1:1/"}), ReplyInvalid),
        (answer(""), ReplyInvalid),
        (answer("[]"), ReplyInvalid),
        (answer("{}"), ReplyInvalid),
        (answer("null"), ReplyInvalid),
        (answer('{"choices": 1, "message": 2, "candidates": 3}'), ReplyInvalid),
        (answer(b"\xff\xfe", kind="image/png"), ReplyInvalid),
    ],
    ids=["bad gateway", "page", "key", "missing", "busy", "broken", "cut JSON", "redirect", "nothing", "list",
         "empty", "null", "odd", "picture"],
)  # fmt: skip
def test_a_bad_reply_is_a_named_error(protocol, opened, given, error):
    model, server = opened(protocol, given)
    for asks, call in enumerate((model.reply, lambda talk: model.stream(talk).reply()), start=1):
        with pytest.raises(error) as caught:
            call(TALK)
        assert caught.value.hint
        assert caught.value.message.isprintable()
        assert len(server.requests) == asks


@pytest.mark.parametrize("count", [0, 1, 10])
def test_an_error_in_the_middle(protocol, opened, count):
    model, server = opened(
        protocol, protocol.stream(*protocol.pieces[:1] * count, protocol.mid_error), retries=3
    )
    stream = model.stream(TALK)
    assert [next(stream) for _ in range(count)] == ["Grü"] * count
    with pytest.raises(ProviderError, match="it went wrong"):
        next(stream)
    with pytest.raises(ProviderError):
        stream.reply()
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("then", "error"),
    [(None, ReplyInvalid), (hang_up, ReplyInvalid), (wait, ProviderTimeout)],
    ids=["ends", "breaks off", "stalls"],
)
def test_a_stream_without_its_end_is_no_reply(protocol, opened, then, error):
    model, _ = opened(protocol, protocol.stream(*protocol.pieces, then=then), stall_s=0.3)
    stream = model.stream(TALK)
    assert [next(stream) for _ in range(3)] == ["Grü", "ße, ", "Welt!"]
    with pytest.raises(error):
        next(stream)
    with pytest.raises(ProviderError):
        stream.reply()


def test_a_stream_cut_within_a_character(protocol, opened):
    cut = protocol.pieces[0].index("ü".encode()) + 1
    model, _ = opened(protocol, protocol.stream(protocol.pieces[0][:cut]))
    with pytest.raises(ReplyInvalid):
        model.stream(TALK).reply()


def test_rejects_an_endless_line(protocol, opened):
    model, _ = opened(protocol, protocol.stream(*protocol.pieces, *[b"x" * 65536] * 20))
    with pytest.raises(ReplyInvalid, match="1,048,576"):
        model.stream(TALK).reply()


def test_a_stream_of_the_wrong_kind(protocol, opened):
    whole = b"".join(protocol.pieces)
    model, _ = opened(protocol, answer(HTML.encode() + whole, kind="text/html"))
    with pytest.raises(ReplyInvalid, match="text/html"):
        model.stream(TALK).reply()


def test_one_deadline(protocol, opened):
    model, _ = opened(protocol, wait, retries=3)
    with pytest.raises(ProviderTimeout):
        model.reply(TALK, deadline=Deadline(0.5))


def test_a_closed_stream(protocol, opened):
    model, server = opened(protocol, protocol.stream(protocol.pieces[0], then=wait))
    stream = model.stream(TALK)
    assert next(stream) == "Grü"
    stream.close()
    with pytest.raises(StreamClosed):
        next(stream)
    with pytest.raises(StreamClosed):
        stream.reply()
    wait_until(lambda: server.open_connections == 0)


# --- what is asked ---------------------------------------------------------------------------------------------------


def test_a_reply_to_a_schema(protocol, opened):
    said = '{"city": "Kyïv"}'
    whole = json.loads(json.dumps(protocol.whole).replace(json.dumps("Grüße, Welt!"), json.dumps(said)))
    assert whole != protocol.whole
    model, server = opened(protocol, answer(whole))
    assert json.loads(model.reply(TALK, schema=SCHEMA).text) == {"city": "Kyïv"}
    assert json.dumps(SCHEMA) in json.dumps(server.requests[0].json)


def test_a_reply_that_is_no_json_where_it_must_be(protocol, opened):
    model, _ = opened(protocol, answer(protocol.whole), protocol.stream(*protocol.pieces, protocol.end))
    for way in (model.reply, lambda *asked, **how: model.stream(*asked, **how).reply()):
        with pytest.raises(ReplyInvalid, match="JSON") as caught:
            way(TALK, schema=SCHEMA)
        assert "schema" in caught.value.message


@pytest.mark.parametrize(
    "messages",
    [[], [Message("robot", "hi")], [Message("user", "half a character: \ud83d")]],
    ids=["none", "nobody", "half"],
)
def test_rejects_messages_that_cannot_be_sent(protocol, opened, messages):
    model, server = opened(protocol, answer(protocol.whole))
    with pytest.raises(AnswerError):
        model.reply(messages)
    assert server.connections == 0


def test_half_a_character_in_a_reply_can_be_printed(protocol, opened):
    whole = json.loads(json.dumps(protocol.whole).replace("Welt!", "\\ud83d"))
    model, _ = opened(protocol, answer(json.dumps(whole)))
    assert model.reply(TALK).text.encode()


# --- keys ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["reply", "stream", "check", "embed"])
def test_the_key_is_sent_and_shown_nowhere(protocol, opened, way, caplog, monkeypatch):
    key = "sk-another-k3y"
    monkeypatch.setenv("MODEL_KEY", key)
    caplog.set_level(logging.DEBUG)
    given = answer({"error": {"message": f"Incorrect API key provided: {key}", "code": 401}}, 401)
    model, server = opened(protocol, given, embedder=way == "embed")
    calls = {
        "reply": lambda: model.reply(TALK),
        "stream": lambda: next(model.stream(TALK)),
        "check": lambda: model.check(),  # noqa: PLW0108 - an embedder and a chat model both have one
        "embed": lambda: model.embed(["text"]),
    }
    with pytest.raises(ProviderRefused, match=r"\[key\]") as caught:
        calls[way]()
    (request,) = server.requests
    assert [value for value in request.headers.values() if key in value]
    assert key not in request.path
    error = caught.value
    said = [repr(model), error.message, error.hint, repr(error), "".join(traceback.format_exception(error))]
    assert all(key not in one for one in said)
    assert key not in caplog.text
