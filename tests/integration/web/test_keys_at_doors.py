"""Keys at every door: who has none gets nowhere, and nobody sees what is another's."""

import json
import os
import re
from dataclasses import replace

import pytest

from vademecum.library.collections import Collections
from vademecum.server.guard.keys import Keys
from vademecum.server.openapi import described
from vademecum.server.routes.sessions import PATH as SIGN_IN

QUESTION = "How long must I hold the calibration button of the fingers?"
OPEN = {"/healthz", "/readyz"}


def doors(server):
    """Every route of the description, with its parameters filled in; and those beside it."""
    for path, methods in described(server.app)["paths"].items():
        for method in methods:
            yield method.upper(), re.sub(r"{\w+}", "0" * 32, path)
    for method in ("GET", "POST", "DELETE"):
        yield method, "/mcp"
    yield "GET", "/nothing"


def completion(model, **more):
    return {"model": model, "messages": [{"role": "user", "content": QUESTION}], **more}


def call_tool(server, key, name, **arguments):
    headers = {"Accept": "application/json, text/event-stream"}
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }
    reply = server.post("/mcp", body, key=key, headers=headers)
    assert reply.status == 200, reply.body
    return reply.json["result"]


def test_every_door_wants_a_key(shared):
    found = list(doors(shared))
    assert len(found) > 10
    for method, path in found:
        if path == SIGN_IN:  # where a key is brought; what it does without one has tests of its own
            continue
        for headers in (
            {},
            {"Authorization": "Bearer nonsense"},
            {"X-API-Key": "x"},
            {"Authorization": "Basic Og=="},
        ):
            reply = shared.call(method, path, headers=headers)
            if path in OPEN:
                assert "missing" not in reply.json or reply.json["missing"] is None
            else:
                assert reply.status in {401, 429}, (method, path, headers)
                assert reply.status == 429 or "Bearer" in reply.headers["www-authenticate"]


def test_either_header_will_do(shared, anna):
    assert shared.get("/v1/models", headers={"X-API-Key": anna}).status == 200
    assert shared.get("/v1/models", headers={"Authorization": f"bearer {anna}"}).status == 200


@pytest.mark.parametrize("more", [{}, {"stream": True}], ids=["plain", "stream"])
def test_anothers_book_is_as_good_as_none(shared, anna, admin, more):
    for body, path, status in (
        ({"query": QUESTION, "book": "bobs"}, "/ask", 422),
        (completion("bobs"), "/v1/chat/completions", 404),
    ):
        theirs = shared.post(path, body | more, key=anna)
        nobodys = shared.post(path, json.loads(json.dumps(body | more).replace("bobs", "bobx")), key=anna)
        assert theirs.status == nobodys.status == status
        assert theirs.json["detail"] == nobodys.json["detail"].replace("bobx", "bobs")
        assert shared.post(path, body | more, key=admin).status == 200


def test_all_books_are_ones_own_and_everybodys(shared, anna, bob, admin):
    def books(key):
        said = shared.post("/ask", {"query": QUESTION, "k": 10, "explain": True}, key=key).json
        return {book for step in said["trace"]["steps"] for book in step.get("books", ())}

    assert books(anna) == {"annas", "handbook"}
    assert books(bob) == {"bobs", "handbook"}
    assert books(admin) == {"annas", "bobs", "handbook"}


def test_models_are_ones_own_and_everybodys(shared, anna, admin):
    def names(key):
        return {one["id"] for one in shared.get("/v1/models", key=key).json["data"]}

    assert names(anna) == {"annas", "handbook", "books", "everything", "chat"}
    assert names(admin) == {"annas", "bobs", "handbook", "books", "everything", "chat"}
    assert shared.get("/v1/models/annas", key=anna).status == 200
    assert shared.get("/v1/models/bobs", key=anna).status == 404


def test_a_trace_is_whoevers_asked(shared, anna, bob, admin):
    for path, body in (("/ask", {"query": QUESTION}), ("/v1/chat/completions", completion("handbook"))):
        said = shared.post(path, body, key=anna).json
        place = f"/traces/{said.get('vademecum', said)['trace_id']}"
        assert shared.get(place, key=anna).status == 200
        assert shared.get(place, key=admin).status == 200
        refused = shared.get(place, key=bob)
        assert (refused.status, refused.json["detail"]) == (404, "Trace not found.")


def test_tools_see_no_more(shared, anna, admin):
    said = call_tool(shared, anna, "list_sources")["structuredContent"]["sources"]
    assert [one["name"] for one in said if one["documents"]] == ["annas", "handbook"]
    for name in ("search", "ask"):
        refused = call_tool(shared, anna, name, question=QUESTION, source="bobs")
        assert refused["isError"]
        assert "Source bobs not found." in refused["content"][0]["text"]
    found = call_tool(shared, anna, "search", question=QUESTION, limit=20)["structuredContent"]["passages"]
    assert {one["source"] for one in found} == {"annas", "handbook"}
    (passage, *_) = call_tool(shared, admin, "search", question=QUESTION, source="bobs")["structuredContent"][
        "passages"
    ]
    assert not call_tool(shared, admin, "get_passage", passage=passage["passage"]).get("isError")
    for more in ({}, {"source": "bobs"}):
        assert call_tool(shared, anna, "get_passage", passage=passage["passage"], **more)["isError"]
    trace = call_tool(shared, anna, "ask", question=QUESTION)["structuredContent"]["trace_id"]
    assert shared.get(f"/traces/{trace}", key=anna).status == 200


def test_the_rules_see_no_more(shared, anna, bob, admin):
    def names(key):
        found = shared.get("/api/chat/collections", key=key).json["collections"]
        return {one["collection"]: one["reference"] for one in found}

    assert set(names(anna)) == {"annas", "handbook"}
    theirs = names(admin)["bobs"]
    for path in ("/api/chat", "/api/route"):
        body = {"message": QUESTION, "collections": [theirs]}
        refused = shared.post(path, body, key=anna)
        nobodys = shared.post(path, body | {"collections": [theirs.replace("bobs", "bobx")]}, key=anna)
        assert refused.status == nobodys.status == 422
        assert refused.json["detail"] == nobodys.json["detail"].replace("bobx", "bobs")
        assert shared.post(path, body, key=bob).status == 200
    for more in ({}, {"stream": True}):
        said = shared.post("/api/chat", {"message": QUESTION, **more}, key=anna)
        assert said.status == 200
        assert b"bobs" not in said.body


def test_a_collection_is_shared_with_named_keys(tmp_path, shared_settings, run_server, anna, bob):
    settings = replace(shared_settings, collections_folder=tmp_path / "own")
    _, other = Keys(settings.folder / "keys.json").add("carol")
    with run_server(settings) as server:
        made = server.post(
            "/api/collections", {"name": "shelf", "shared_with": ["nobody-of-that-name"]}, key=anna
        )
        assert (made.status, made.json["code"]) == (422, "KEY_UNKNOWN")
        assert server.post("/api/collections", {"name": "shelf"}, key=anna).json["shared_with"] == []
        Collections(tmp_path / "own").get("shelf").library.add(_notes(tmp_path / "notes"))

        def asked(key):
            book = server.post("/ask", {"query": "When is the boiler bled?", "book": "shelf"}, key=key)
            chat = server.post(
                "/api/chat", {"message": "When is the boiler bled?", "collections": ["local/shelf"]}, key=key
            )
            model = server.post(
                "/v1/chat/completions",
                {"model": "shelf", "messages": [{"role": "user", "content": "When is the boiler bled?"}]},
                key=key,
            )
            listed = "shelf" in server.get("/api/collections", key=key).body.decode()
            offered = "local/shelf" in server.get("/api/chat/collections", key=key).body.decode()
            return [b"October" in one.body for one in (book, chat, model)] + [listed, offered]

        assert asked(anna) == [True] * 5
        assert asked(bob) == [False] * 5
        path = "/api/collections/shelf"
        changed = server.call("PATCH", path, {"shared_with": ["bob"]}, key=anna)
        assert changed.json["shared_with"] == ["bob"]
        assert "readers" not in changed.json["metadata"]
        assert asked(bob) == [True] * 5
        assert asked(other) == [False] * 5
        assert server.get(path, key=bob).json["shared_with"] == []
        for method, body in (("PATCH", {"shared_with": ["carol"]}), ("DELETE", None)):
            assert server.call(method, path, body, key=bob).status == 403
            assert server.call(method, path, body, key=other).status == 404
        assert server.call("PATCH", path, {"description": "Notes."}, key=anna).json["shared_with"] == ["bob"]
        assert server.call("PATCH", path, {"shared_with": []}, key=anna).json["shared_with"] == []
        assert asked(bob) == [False] * 5


def _notes(folder):
    folder.mkdir()
    (folder / "boiler.md").write_text("# Boiler\n\nThe boiler is bled in October by Mrs Hartley.\n")
    return folder


def test_a_conversation_is_whoevers_began_it(shared, anna, bob, admin):
    said = shared.post("/api/chat", {"message": QUESTION, "session": "new"}, key=anna).json
    place = f"/api/chat/sessions/{said['session']}"
    assert len(shared.get(place, key=anna).json["turns"]) == 1
    assert shared.get(place, key=admin).status == 200
    assert said["session"] not in shared.get("/api/chat/sessions", key=bob).body.decode()
    for method, path, body in (
        ("GET", place, None),
        ("DELETE", place, None),
        ("POST", "/api/chat", {"message": "And then?", "session": said["session"]}),
        ("POST", "/api/chat", {"message": "And then?", "session": said["session"], "stream": True}),
        ("POST", "/api/route", {"message": "And then?", "session": said["session"]}),
    ):
        assert shared.call(method, path, body, key=bob).status == 404, (method, path)
    assert shared.get(place, key=anna).status == 200


def test_figures_are_for_admins(shared, anna, admin):
    assert (shared.get("/metrics", key=anna).status, shared.get("/metrics", key=admin).status) == (403, 200)


def test_what_is_missing_is_told_to_admins(shared, anna, admin):
    assert shared.get("/readyz", key=anna).json["missing"] is None
    assert shared.get("/readyz", key=admin).json["missing"] == []


def test_keys_come_and_go_while_it_runs(shared_settings, run_server):
    keys = Keys(shared_settings.folder / "keys.json")
    with run_server(shared_settings) as server:
        key, token = keys.add("late")
        assert server.get("/v1/models", key=token).status == 200
        keys.remove("late")
        assert server.get("/v1/models", key=token).status == 401
        assert key.id not in {one.id for one in keys.list()}


def test_the_last_key_gone_opens_nothing(shared_settings, run_server, anna):
    with run_server(shared_settings) as server:
        assert server.get("/v1/models", key=anna).status == 200
        (shared_settings.folder / "keys.json").unlink()
        assert server.get("/v1/models", key=anna).status == 401
        assert server.get("/v1/models").status == 401


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 2, "keys": []}', '{"format": 1, "keys": [{"id": 3}]}']
)
def test_damaged_keys_let_nobody_in(shared_settings, run_server, anna, text):
    with run_server(shared_settings) as server:
        (shared_settings.folder / "keys.json").write_text(text)
        for key in (anna, ""):
            reply = server.get("/v1/models", key=key)
            assert (reply.status, reply.json["code"]) == (500, "STORE_FAILED")
        assert server.get("/healthz").status == 200


def test_a_key_has_so_many_requests(shared_settings, run_server, anna):
    _, token = Keys(shared_settings.folder / "keys.json").add("hasty", per_minute=3)
    with run_server(shared_settings) as server:
        statuses = [server.get("/v1/models", key=token).status for _ in range(5)]
        assert statuses == [200, 200, 200, 429, 429]
        refused = server.post("/ask", {"query": QUESTION}, key=token)
        assert (refused.status, refused.json["code"]) == (429, "TOO_MANY_REQUESTS")
        assert 1 <= int(refused.headers["retry-after"]) <= 120
        assert server.get("/v1/models", key=anna).status == 200


def test_guessing_is_counted_by_who_really_calls(shared_settings, run_server, anna):
    def guess(at):
        wrong = f"vdm_{at:012x}_{'A' * 43}"
        headers = {
            "X-Forwarded-For": f"10.0.0.{at}",
            "X-Real-IP": f"10.0.1.{at}",
            "Forwarded": f"for=10.0.2.{at}",
        }
        return server.get("/v1/models", key=wrong, headers=headers).status

    with run_server(shared_settings) as server:
        statuses = [guess(at) for at in range(35)]
        assert statuses[:30] == [401] * 30
        assert set(statuses[31:]) == {429}
        assert server.get("/v1/models", key=anna).status == 200


def test_keys_and_questions_stay_out_of_logs_and_figures(shared_settings, run_server, anna, admin, capfd):
    from vademecum.server.log import set_up_logging

    question = "Which zebra crossing did the admiral choose?"
    with run_server(shared_settings) as server:
        set_up_logging()
        server.post("/ask", {"query": question}, key=anna)
        server.post(f"/ask?api_key={anna}", {"query": question, "book": anna[:60]}, key=anna)
        server.get(f"/{anna}", key=anna)
        server.get(f"/v1/models/{anna}", key=anna)
        server.post("/ask", {"query": question, anna: 1}, key=anna)
        server.post("/api/reason/select", {"problem": question}, key=anna)
        figures = server.get("/metrics", key=admin).body.decode()
    logged = capfd.readouterr().err
    assert logged.count('"event": "request"') >= 7
    for text in (logged, figures):
        assert "zebra" not in text
        assert anna not in text
        assert anna[17:40] not in text


def test_errors_hide_keys(shared, anna):
    for reply in (
        shared.get(f"/{anna}", key=anna),
        shared.get(f"/v1/models/{anna}", key=anna),
        shared.post("/ask", {"query": QUESTION, anna: 1}, key=anna),
        shared.post("/v1/chat/completions", completion(anna), key=anna),
    ):
        assert reply.status >= 400
        assert anna not in reply.body.decode()


def test_traces_hide_keys(shared, anna):
    said = shared.post("/ask", {"query": f"{QUESTION} {anna}", "book": "handbook"}, key=anna).json
    kept = shared.get(f"/traces/{said['trace_id']}", key=anna)
    assert kept.status == 200
    assert anna not in kept.body.decode()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_keys_are_nobody_elses_to_read(shared_settings):
    assert (shared_settings.folder / "keys.json").stat().st_mode & 0o077 == 0


def test_an_address_of_everybodys_wants_keys(settings):
    from vademecum.core.errors import ConfigError
    from vademecum.server.run import check_place

    for host in ("0.0.0.0", "::", "192.0.2.1"):  # noqa: S104 - that is what is refused
        with pytest.raises(ConfigError, match="there are no API keys"):
            check_place(replace(settings, host=host))
    for host in ("127.0.0.1", "127.0.0.2", "::1", "localhost"):
        check_place(replace(settings, host=host))
    Keys(settings.folder / "keys.json").add("anna")
    check_place(replace(settings, host="0.0.0.0"))  # noqa: S104 - now it may
