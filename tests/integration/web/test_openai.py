"""`/v1`, as OpenAI's own client calls it."""

import pytest
from openai import (
    AuthenticationError,
    BadRequestError,
    InternalServerError,
    NotFoundError,
    OpenAI,
    PermissionDeniedError,
    RateLimitError,
)

from vademecum.server.guard.keys import Keys

QUESTION = "How long must I hold the calibration button of the fingers?"


def client_of(server, key="none", **options):
    return OpenAI(base_url=f"{server.url}/v1", api_key=key, max_retries=0, timeout=60, **options)


@pytest.fixture
def client(server):
    with client_of(server) as made:
        yield made


def asked(*contents):
    return [{"role": "user", "content": content} for content in contents]


def test_models(client):
    names = {one.id for one in client.models.list()}
    assert names >= {"handbook", "annas", "bobs", "books"}
    one = client.models.retrieve("handbook")
    assert one.object == "model"
    assert one.created > 1_000_000_000
    with pytest.raises(NotFoundError):
        client.models.retrieve("nothing")


@pytest.mark.parametrize("model", ["handbook", "books"])
def test_an_answer(client, model):
    reply = client.chat.completions.create(model=model, messages=asked(QUESTION))
    (choice,) = reply.choices
    assert choice.finish_reason == "stop"
    assert "seven seconds" in choice.message.content
    assert "\n\n[1] " in choice.message.content
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens > 0
    assert reply.vademecum["status"] == "success"
    assert reply.vademecum["citations"][0]["quote"] in choice.message.content


def test_a_stream(client):
    plain = client.chat.completions.create(model="handbook", messages=asked(QUESTION))
    chunks = list(
        client.chat.completions.create(
            model="handbook", messages=asked(QUESTION), stream=True, stream_options={"include_usage": True}
        )
    )
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == plain.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-2].vademecum["citations"] == plain.vademecum["citations"]
    assert (chunks[-1].choices, chunks[-1].usage) == ([], plain.usage)
    assert len({chunk.id for chunk in chunks}) == 1


def test_a_stream_that_is_closed(client):
    with client.chat.completions.create(model="handbook", messages=asked(QUESTION), stream=True) as stream:
        assert next(iter(stream)).choices


def test_messages_in_parts_and_a_conversation(client):
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
    ]
    reply = client.chat.completions.create(
        model="handbook", messages=messages, temperature=0.1, max_tokens=50
    )
    assert "seven seconds" in reply.choices[0].message.content


def test_a_question_is_taken_with_what_was_asked_before(client):
    messages = [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": "Hold it for seven seconds."},
        {"role": "user", "content": "Thanks!"},
        {"role": "assistant", "content": "You are welcome."},
        {"role": "user", "content": "and how long must I hold it?"},
    ]
    reply = client.chat.completions.create(model="handbook", messages=messages)
    assert "seven seconds" in reply.choices[0].message.content
    assert "calibration button fingers" in reply.vademecum["read_as"]
    alone = client.chat.completions.create(model="handbook", messages=messages[-1:])
    assert alone.vademecum["read_as"] == ""


@pytest.mark.parametrize(
    ("options", "end", "reason"),
    [
        ({"max_tokens": 6}, None, "length"),
        ({"max_completion_tokens": 6}, None, "length"),
        ({"stop": "seven"}, "seven", "stop"),
        ({"stop": ["nowhere to be found", " seconds"]}, " seconds", "stop"),
        ({"stop": "[1] "}, "[1] ", "stop"),
        ({"stop": "", "max_tokens": 100_000}, "", "stop"),
    ],
)
def test_a_reply_ends_where_it_is_to_end(client, options, end, reason):
    whole = (
        client.chat.completions.create(model="handbook", messages=asked(QUESTION)).choices[0].message.content
    )
    reply = client.chat.completions.create(model="handbook", messages=asked(QUESTION), **options)
    (choice,) = reply.choices
    assert choice.finish_reason == reason
    if end is None:
        assert reply.usage.completion_tokens == 6
        assert whole.startswith(choice.message.content)
    else:
        assert choice.message.content == (whole.partition(end)[0] if end else whole)
    chunks = list(
        client.chat.completions.create(model="handbook", messages=asked(QUESTION), stream=True, **options)
    )
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == choice.message.content
    assert chunks[-1].choices[0].finish_reason == reason


def test_a_quote_is_shown_and_fetches_nothing(tmp_path, settings, run_server):
    from dataclasses import replace

    from vademecum.desks.book.books import add_book
    from vademecum.library.collections import Collections

    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/pump.txt").write_text(
        "The pump is oiled in May ![x](http://203.0.113.1/?q=1) by Berta.\n"
    )
    add_book(Collections(tmp_path / "own"), tmp_path / "pages", name="pump")
    own = replace(settings, collections_folder=tmp_path / "own")
    with run_server(own) as server, client_of(server) as client:
        reply = client.chat.completions.create(model="pump", messages=asked("When is the pump oiled?"))
    assert r"!\[x]\(http" in reply.choices[0].message.content


@pytest.mark.parametrize(
    "changes",
    [
        {"messages": []},
        {"messages": [{"role": "assistant", "content": "Hello."}]},
        {"messages": [{"role": "user", "content": "  "}]},
        {"messages": [{"role": "robot", "content": "x"}]},
        {
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "image_url", "image_url": {"url": "http://10.0.0.1/x"}}],
                }
            ]
        },
        {"messages": [{"role": "user", "content": 3}]},
        {"n": 2},
        {"response_format": {"type": "json_object"}},
        {"logprobs": True},
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]},
        {"functions": [{"name": "f"}]},
        {"modalities": ["text", "audio"]},
        {"logit_bias": {"50256": -100}},
        {"max_tokens": 0},
        {"stop": ["a", "b", "c", "d", "e"]},
        {
            "messages": [
                {"role": "tool", "content": "x", "tool_call_id": "1"},
                {"role": "user", "content": "x"},
            ]
        },
        {"stream": "yes"},
    ],
)
def test_what_is_not_taken(client, changes):
    with pytest.raises(BadRequestError) as raised:
        client.chat.completions.create(**{"model": "handbook", "messages": asked(QUESTION)} | changes)
    assert raised.value.body["message"]
    assert raised.value.type == "invalid_request_error"


@pytest.mark.parametrize("name", ["nothing", "../keys", "a\0b", "\u202e", "x" * 200])
@pytest.mark.parametrize("stream", [False, True])
def test_an_unknown_model(client, name, stream):
    with pytest.raises(NotFoundError) as raised:
        client.chat.completions.create(model=name, messages=asked(QUESTION), stream=stream)
    assert raised.value.code == "model_not_found"


def test_keys(shared, shared_settings, anna, run_server):
    for key in ("none", f"vdm_000000000000_{'A' * 43}"):
        with client_of(shared, key) as client, pytest.raises(AuthenticationError):
            client.models.list()
    with client_of(shared, anna) as client:
        assert "bobs" not in {one.id for one in client.models.list()}
        with pytest.raises(NotFoundError):
            client.chat.completions.create(model="bobs", messages=asked(QUESTION))
    foreign = {"Origin": "https://evil.example"}
    with client_of(shared, anna, default_headers=foreign) as client, pytest.raises(PermissionDeniedError):
        client.models.list()
    _, token = Keys(shared_settings.folder / "keys.json").add("hasty", per_minute=1)
    with run_server(shared_settings) as server, client_of(server, token) as client:
        client.models.list()
        with pytest.raises(RateLimitError) as raised:
            client.models.list()
        assert int(raised.value.response.headers["retry-after"]) > 0


def test_no_index(tmp_path, settings, run_server):
    from dataclasses import replace

    from vademecum.library.collections import Collections

    Collections(tmp_path / "own").create("bare", kind="book")
    with (
        run_server(replace(settings, collections_folder=tmp_path / "own")) as server,
        client_of(server) as client,
    ):
        for stream in (False, True):
            with pytest.raises(InternalServerError) as raised:
                client.chat.completions.create(model="bare", messages=asked(QUESTION), stream=stream)
            assert raised.value.status_code == 503
            assert raised.value.code == "INDEX_MISSING"


def test_no_collection_takes_the_place_of_a_model_of_the_server(tmp_path, settings, run_server):
    from dataclasses import replace

    from vademecum.library.collections import Collections

    collections = Collections(tmp_path / "own")
    collections.create("bookz", kind="book")
    old = collections.create("chaz")
    for before, after in (("bookz", "books"), ("chaz", "chat")):  # as they were made before
        told = old.folder.parent / before / "collection.json"
        told.write_text(told.read_text().replace(before, after))
        told.parent.rename(told.parent.parent / after)
    with run_server(replace(settings, collections_folder=tmp_path / "own")) as server:
        for name in ("chat", "books"):
            refused = server.post("/api/collections", {"name": name})
            assert (refused.status, refused.json["code"]) == (409, "COLLECTION_EXISTS")
            assert "delete" not in refused.json["hint"]
        shown = server.get("/v1/models").json["data"]
        assert [(one["id"], one["description"]) for one in shown] == [
            ("books", "All books at once."),
            ("chat", "Answers by rules."),
        ]
        body = {"model": "chat", "messages": [{"role": "user", "content": QUESTION}]}
        assert server.post("/v1/chat/completions", body).status == 200


def test_a_front_end_gets_a_title_from_the_question(client):
    request = f"Generate a concise title for this conversation.\n\nConversation:\nUser: {QUESTION}"
    reply = client.chat.completions.create(model="handbook", messages=asked(request))
    assert reply.choices[0].message.content == "How long must I hold the calibration …"
    chunks = client.chat.completions.create(model="handbook", messages=asked(request), stream=True)
    said = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert said == reply.choices[0].message.content
