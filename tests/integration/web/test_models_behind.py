"""A language model behind the doors: written answers, models that fail, who goes away, and keys that stay where they are."""

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared import wait_until
from vademecum.server.guard.keys import Keys
from vademecum.server.log import _secrets, set_up_logging
from vademecum.testing.model import chunk, lines_in, said, written
from vademecum.testing.scripted import ScriptedServer, answer, stream

QUESTION = "How long must I hold the calibration button of the fingers?"
WRITTEN = "Hold the calibration button for seven seconds, until the lamp turns blue."
KEY = "sk-upstream-0123456789abcdef"


def upstream(reply):
    """A server of models whose completions are as given, and which has the model."""

    def serve(visit, request):
        if request.path.endswith("/models"):
            visit.send(answer({"object": "list", "data": [{"id": "test", "object": "model"}]}))
        elif not request.path.endswith("/chat/completions"):
            visit.send(answer({"error": {"message": "there is no such path"}}, 404))
        elif callable(reply):
            reply(visit, request)
        else:
            visit.send(reply)

    return ScriptedServer(serve)


def writes(visit, request):
    number = next(number for number, line in lines_in(request).items() if line == WRITTEN)
    said(written((WRITTEN, number)))(visit, request)


@pytest.fixture
def behind(settings, run_server, monkeypatch):
    from contextlib import contextmanager

    @contextmanager
    def run(reply, **changes):
        with upstream(reply) as models:
            monkeypatch.setenv("OPENAI_BASE_URL", f"{models.url}/v1")
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            monkeypatch.setenv("OPENAI_MODEL", "test")
            monkeypatch.setenv("ASK_STYLE", "prose")
            monkeypatch.setenv("SERVICE_RETRY_ATTEMPTS", "0")
            _secrets.cache_clear()
            with run_server(replace(settings, **changes)) as server:
                yield server, models

    yield run
    _secrets.cache_clear()


def calls_to_write(models):
    """How many completions were asked for: the same connection serves other calls before, and may idle after them."""
    return sum(request.path.endswith("/chat/completions") for request in models.requests)


def asked(**more):
    return {"query": QUESTION, "book": "handbook", **more}


def test_a_model_writes_and_every_sentence_is_checked(behind):
    with behind(writes) as (server, models):
        said = server.post("/ask", asked()).json
        assert WRITTEN in said["answer"]
        assert said["model"]
        assert said["citations"][0]["quote"]
        streamed = server.post("/ask", asked(stream=True)).body.decode()
        assert f'"answer": {json.dumps(said["answer"])}' in streamed
        completion = server.post(
            "/v1/chat/completions", {"model": "handbook", "messages": [{"role": "user", "content": QUESTION}]}
        ).json
        assert completion["choices"][0]["message"]["content"].startswith(said["answer"])
        figures = server.get("/metrics").body.decode()
        assert 'desk="book",outcome="success",provider="openai",rule=""' in figures
        assert server.get("/readyz").status == 200
        assert all(request.headers["authorization"] == f"Bearer {KEY}" for request in models.requests)


def test_the_same_question_with_and_without_the_model(behind):
    with behind(writes) as (server, models):
        assert server.get("/api/me").json["has_model"]
        written = server.post("/ask", asked()).json
        before = len(models.requests)
        quoted = server.post("/ask", asked(without_model=True)).json
        assert len(models.requests) == before
        assert (written["model"], quoted["model"]) == ("openai:test", "")
        assert "seven seconds" in quoted["answer"]
        assert quoted["status"] == "success"
        both = server.post("/ask", asked(without_model=True, require_model=True))
        assert both.status == 400
        assert "cannot be used together" in both.body.decode()


def test_a_model_that_fails_is_done_without_or_is_502(behind):
    fault = answer({"error": {"message": f"the key {KEY} is wrong"}}, 500)
    with behind(fault) as (server, _):
        said = server.post("/ask", asked()).json
        assert said["status"] == "partial"
        assert said["reasons"]
        assert "seven seconds" in said["answer"]
        for more in ({}, {"stream": True}):
            reply = server.post("/ask", asked(require_model=True, **more))
            told = reply.body.decode()
            assert (reply.status == 502) if not more else ("event: error" in told or reply.status == 502)
            assert KEY not in told


def test_the_models_key_is_told_nowhere(behind, capfd):
    fault = answer(
        {"error": {"message": f"wrong key: {KEY}", "type": KEY, "code": KEY}}, 401, headers={"X-Key": KEY}
    )
    with behind(fault) as (server, _):
        set_up_logging()
        said = server.post("/ask", asked(explain=True))
        told = [
            said.body,
            server.get(f"/traces/{said.json['trace_id']}").body,
            server.post("/ask", asked(require_model=True)).body,
            server.post("/ask", asked(require_model=True, stream=True)).body,
            server.get("/readyz").body,
            server.get("/metrics").body,
        ]
    told.append(capfd.readouterr().err.encode())
    assert b'"event": "request"' in told[-1]
    assert said.json["status"] == "partial"
    assert all(KEY.encode() not in one for one in told)


def test_only_admins_see_what_a_models_server_said(behind, shared_settings, anna, admin):
    fault = answer({"error": {"message": "queue of team seven is full"}}, 503)
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "ask", "arguments": {"question": QUESTION, "source": "handbook"}},
    }
    accepts = {"Accept": "application/json, text/event-stream"}
    with behind(fault, folder=shared_settings.folder) as (server, models):

        def all_said(key):
            said = server.post("/ask", asked(conversation="new"), key=key).json
            assert said["status"] == "partial"
            return (
                json.dumps(said),
                server.get(f"/api/conversations/{said['conversation']}", key=key).body.decode(),
                server.post("/mcp", call, key=key, headers=accepts).body.decode(),
            )

        assert all("team seven" in said for said in all_said(admin))
        for said in all_said(anna):
            assert "seven seconds" in said
            assert "team seven" not in said
            assert str(models.port) not in said


def test_a_client_that_disconnects_ends_the_models_call(behind):
    def hangs(visit, request):
        stream([chunk(WRITTEN[:30])], then=lambda visit, _request: visit.wait_for_end())(visit, request)

    with behind(hangs) as (server, models):
        for number, more in enumerate((b"true ", b"false"), 1):
            body = json.dumps(asked(stream=True)).encode().replace(b"true", more)
            head = f"POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
                connection.sendall(head.encode() + body)
                wait_until(lambda number=number: calls_to_write(models) == number)
            wait_until(lambda: models.open_connections == 0)
        wait_until(lambda: b"vademecum_open_streams 0.0" in server.get("/metrics").body)


def test_the_clients_own_time_is_408_with_a_model_that_is_slow(behind):
    def sleeps(visit, _request):
        visit.wait_for_end()

    with behind(sleeps) as (server, _):
        reply = server.post("/ask", asked(require_model=True), headers={"Prefer": "wait=1"})
        assert (reply.status, reply.json["code"]) == (408, "TOO_LATE")
        said = server.post("/ask", asked(), headers={"Prefer": "wait=1"})
        assert said.json["status"] == "partial"


def test_a_model_has_only_so_many_calls_at_once(behind):
    busy, most = [0, 0], threading.Lock()

    def counts(visit, request):
        with most:
            busy[0] += 1
            busy[1] = max(busy)
        time.sleep(0.15)
        with most:
            busy[0] -= 1
        writes(visit, request)

    with behind(counts, calls_a_model=2) as (server, _):
        statuses = []
        threads = [
            threading.Thread(target=lambda: statuses.append(server.post("/ask", asked()).status))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert statuses == [200] * 8
    assert busy[1] == 2


def test_ten_people_at_once_all_get_an_answer(behind):
    """Those that the model has no time for get the answer without it, and are told why."""

    def slowly(visit, request):
        time.sleep(0.5)
        writes(visit, request)

    with behind(slowly, calls_a_model=1, model_wait_s=0.1) as (server, _), ThreadPoolExecutor(10) as pool:
        replies = list(pool.map(lambda _: server.post("/ask", asked()), range(10)))
    assert [reply.status for reply in replies] == [200] * 10
    by_model = [reply.json for reply in replies if reply.json["model"]]
    others = [reply.json for reply in replies if not reply.json["model"]]
    assert by_model
    assert others
    assert all(reply["status"] == "partial" and reply["citations"] for reply in others)
    assert all("busy with other questions" in reply["reasons"][0] for reply in others)


def test_a_model_that_is_away_is_not_ready(behind):
    with behind(answer("no", 503)) as (server, models):
        models.__exit__()
        reply = server.get("/readyz")
        assert (reply.status, reply.json["status"]) == (503, "not_ready")
        assert "model" in reply.json["missing"][0]["part"]
        assert KEY.encode() not in reply.body
        models.script[:] = []


def test_a_client_of_a_tool_that_disconnects_ends_the_models_call(behind):
    def hangs(visit, request):
        stream([chunk(WRITTEN[:30])], then=lambda visit, _request: visit.wait_for_end())(visit, request)

    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    body = json.dumps(
        message | {"params": {"name": "ask", "arguments": {"question": QUESTION, "source": "handbook"}}}
    ).encode()
    head = (
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with behind(hangs) as (server, models):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.sendall(head.encode() + body)
            wait_until(lambda: calls_to_write(models))
            assert server.post("/api/reason/select", {"problem": "Which of three flats?"}).status == 200
        wait_until(lambda: models.open_connections == 0)


RULES = """
llms: {{ local: {{ type: openai, base_url: "{}", default_model: test, retries: 0 }} }}
rag_services: {{ kb: {{ type: local, match_threshold: 0.9 }} }}
intent: {{ provider: {{ llm: local }}, detection: {{ greeting: Somebody says hello. }} }}
responses:
  - {{ match: {{ intent: greeting }}, static_response: Hello. }}
  - {{ static_response: Something else. }}
"""


def test_slow_routes_hold_nobody_up(settings, run_server, tmp_path):
    def sleeps(visit, _request):
        visit.wait_for_end()

    with upstream(sleeps) as models:
        (tmp_path / "chat.yaml").write_text(RULES.format(f"{models.url}/v1"))
        changed = replace(settings, chat_file=tmp_path / "chat.yaml", answer_s=6.0, calls_a_model=8)
        with run_server(changed) as server:
            body = {"message": "Hello!", "collections": []}
            slow = [
                threading.Thread(target=server.post, args=("/api/route", body))
                for _ in range(2 * settings.retrievals)
            ]
            for thread in slow:
                thread.start()
            wait_until(lambda: len(models.requests) >= settings.retrievals + 1)
            for _ in range(3):
                assert server.post("/ask", asked()).status == 200
            assert any(thread.is_alive() for thread in slow)
            for thread in slow:
                thread.join()


FAR = """
rag_services: {{ far: {{ type: chromadb-wrapper, url: "{}", match_threshold: 0.3, partial_threshold: 0.6 }} }}
responses: [{{ static_response: Hello. }}]
"""


def test_services_that_hang_hold_nobody_up_when_they_are_listed(settings, run_server, tmp_path):
    free = threading.Event()

    def sleeps(visit, _request):
        free.wait(60)
        visit.send(answer({"collections": []}))

    with ScriptedServer(sleeps) as service:
        (tmp_path / "chat.yaml").write_text(FAR.format(service.url))
        with run_server(replace(settings, chat_file=tmp_path / "chat.yaml")) as server:
            listing = [
                threading.Thread(target=server.get, args=("/api/chat/collections",))
                for _ in range(2 * settings.retrievals)
            ]
            for thread in listing:
                thread.start()
            wait_until(lambda: len(service.requests) >= settings.retrievals + 1)
            assert server.post("/ask", asked()).status == 200
            assert all(thread.is_alive() for thread in listing)
            free.set()
            for thread in listing:
                thread.join()


def test_many_that_ask_whether_it_is_ready_hold_nobody_up(settings, run_server):
    _, key = Keys(settings.folder / "keys.json").add("anna")
    seen = threading.Event()
    with run_server(settings) as server:
        looking = []

        def slow():
            looking.append(seen.wait(60))
            return []

        server.state.checks.append(slow)
        asking = [threading.Thread(target=server.get, args=("/readyz",)) for _ in range(40)]
        for thread in asking:
            thread.start()
        assert server.get("/v1/models", key=key).status == 200
        assert all(thread.is_alive() for thread in asking)
        seen.set()
        for thread in asking:
            thread.join()
        assert looking == [True]
