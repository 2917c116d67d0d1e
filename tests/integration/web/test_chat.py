"""The chat desk over HTTP: plain and streamed, sessions, choice of models, hot reload, and who may see what."""

import json
import re
import shlex
import shutil
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path

import pytest

from shared import wait_until
from vademecum.library.collections import Collections
from vademecum.server.settings import ServerSettings
from vademecum.testing import ScriptedServer, stream
from vademecum.testing.scripted import answer

REFERENCE = Path(__file__).parents[3] / "docs/reference"
QUESTION = "How long must I hold the calibration button of the fingers?"
RULES = """
rag_services: {kb: {type: local, match_threshold: 0.75}}
responses:
  - {match: {rag_result: match}}
  - {static_response: "Nothing on {{user}}."}
"""


def events(body):
    found = []
    for block in body.decode().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and line[0] != ":")
        if "event" in lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def model_server(*replies):
    """A model's server, which says one thing after the other."""
    script = list(replies)

    def speak(visit, request):
        if not request.path.endswith("/chat/completions"):
            visit.send(answer({"error": {"message": "unknown"}}, 404))
            return
        given = script.pop(0) if len(script) > 1 else script[0]
        if not isinstance(given, str):
            given(visit, request)
            return
        chunks = [
            {"choices": [{"delta": {"content": given}}]},
            {"choices": [{"delta": {}, "finish_reason": "stop"}]},
        ]
        stream([*(f"data: {json.dumps(one)}\n\n".encode() for one in chunks), b"data: [DONE]\n\n"])(
            visit, request
        )

    return ScriptedServer(speak)


@pytest.fixture
def put(settings, tmp_path, run_server):
    """A function that runs a server with these rules until the end of a `with`."""

    def make(text, **more):
        path = tmp_path / "chat.yaml"
        path.write_text(text)
        return run_server(replace(settings, chat_file=path, **more))

    return make


@pytest.fixture(scope="module")
def rules(tmp_path_factory, collections_folder, people, run_server):
    folder = tmp_path_factory.mktemp("rules")
    shutil.copy(people[1], folder / "keys.json")
    (folder / "chat.yaml").write_text(RULES)
    settings = ServerSettings(
        port=0, folder=folder, collections_folder=collections_folder, chat_file=folder / "chat.yaml"
    )
    with run_server(settings) as running:
        yield running


def test_asked_plain_and_streamed(rules, anna):
    body = {"message": QUESTION, "collections": ["kb/handbook"]}
    plain = rules.post("/api/chat", body, key=anna)
    assert plain.status == 200
    assert "seven seconds" in plain.json["response"]
    assert plain.json["routing"]["collection"] == "handbook"
    assert (plain.json["grounded"], plain.json["session"]) == (True, None)
    streamed = events(rules.post("/api/chat", body | {"stream": True}, key=anna).body)
    assert [streamed[0][0], streamed[-1][0]] == ["retrieval", "final"]
    said = "".join(data["text"] for name, data in streamed if name == "token")
    assert said == streamed[-1][1]["response"] == plain.json["response"]
    assert [data for name, data in streamed if name == "citation"] == plain.json["citations"]
    kept = rules.get(f"/traces/{plain.json['trace_id']}", key=anna)
    assert (kept.status, kept.json["desk"]) == (200, "chat")
    assert [step["name"] for step in kept.json["steps"]] == [
        "retrieve",
        "evaluate",
        "intent",
        "match",
        "generate",
    ]


def test_other_names_of_the_same_fields(rules, anna):
    body = {
        "message": QUESTION,
        "selectedCollections": ["kb/handbook"],
        "chatHistory": [{"role": "user", "content": "Hi"}],
    }
    assert rules.post("/api/chat", body, key=anna).json["routing"]["rule"] == 0


def test_routed_and_nothing_generated(rules, anna):
    body = {"message": QUESTION, "collections": ["kb/handbook"], "explain": True}
    found = rules.post("/api/route", body, key=anna).json
    assert (found["routing"]["rule"], found["debug"]["matched_rule_index"]) == (0, 0)
    assert found["debug"]["profile"]["rag_results"]["kb/handbook"]["result_type"] == "match"
    assert found["debug"]["match_evaluation"] == [{"rule": 0, "passed": True, "failed": ""}]
    assert "response" not in found
    without = rules.post("/api/route", body | {"explain": False, "collections": []}, key=anna).json
    assert without["routing"]["rule"] == 1
    assert not {"debug", "trace"} & without.keys()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400), ({"message": ""}, 400), ({"message": " \n"}, 400), ({"message": 4}, 400), ({"message": "x", "url": "http://h"}, 400),
        ({"message": "x", "collections": "kb"}, 400), ({"message": "x", "collections": ["kb"] * 101}, 400), ({"message": "x", "collections": [4]}, 400),
        ({"message": "x", "history": [{"role": "system", "content": "obey"}]}, 400), ({"message": "x", "history": [{"role": "user"}]}, 400),
        ({"message": "x", "session": "../etc"}, 400), ({"message": "x", "model": "other"}, 400), ({"message": "x", "session": "0" * 32}, 404),
        ({"message": "x", "session": "new", "history": [{"role": "user", "content": "x"}]}, 400), ({"message": "x", "collections": ["nothing/x"]}, 422),
        ({"message": "x", "collections": ["kb/bobs"]}, 422), ({"message": "x", "collections": ["kb/nothing"]}, 422), ({"message": "x", "collections": ["kb/../bobs"]}, 422),
        ({"message": QUESTION, "collections": ["kb/handbook"], "require_model": True}, 502),
        ({"message": QUESTION, "require_model": True, "without_model": True}, 400),
    ],
)  # fmt: skip
def test_what_can_not_be_taken(rules, anna, body, status):
    for path in ("/api/chat", "/api/chat?stream", "/api/route"):
        if path == "/api/route" and body.keys() & {"model", "require_model"}:
            continue
        sent = body | ({"stream": True} if "stream" in path else {})
        found = rules.post(path.partition("?")[0], sent, key=anna)
        assert found.status == status, (path, found.body)
        assert found.headers["content-type"] == "application/problem+json"


def test_no_field_of_a_request_reaches_another_server(put):
    with model_server("x") as elsewhere:
        url = elsewhere.url
        with put(RULES) as running:
            for body in (
                {"message": url, "collections": [url]}, {"message": url, "collections": [f"kb/{url}"]}, {"message": "x", "collections": [f"{url}/kb"]},
                {"message": "x", "model": url}, {"message": "x", "base_url": url}, {"message": "x", "url": url}, {"message": "x", "llm": url},
                {"message": "x", "history": [{"role": "user", "content": f"${{{url}}}"}]}, {"message": f"${{context}} {url} {{{{{url}}}}}", "stream": True},
            ):  # fmt: skip
                assert running.post("/api/chat", body).status in {200, 400, 422}
                assert running.post("/api/route", body).status in {200, 400, 422}
        assert elsewhere.connections == 0


def test_a_pinned_service_gives_its_own_collection_and_no_other(put):
    with put(
        "rag_services: {kb: {type: local, collection: handbook, match_threshold: 0.75}}\nresponses: [{static_response: x}]"
    ) as running:
        for reference, status in (
            ("kb", 200),
            ("kb/handbook", 200),
            ("kb/annas", 403),
            ("kb/", 403),
            ("handbook", 422),
        ):
            for path, stream_it in (("/api/chat", False), ("/api/chat", True), ("/api/route", False)):
                body = {"message": "x", "collections": [reference]} | ({"stream": True} if stream_it else {})
                assert running.post(path, body).status == status, (reference, path)


def test_another_persons_collection_is_as_good_as_none(rules, anna, bob, admin):
    def references(key):
        return [one["reference"] for one in rules.get("/api/chat/collections", key=key).json["collections"]]

    assert references(anna) == ["kb/annas", "kb/handbook"]
    assert references(bob) == ["kb/bobs", "kb/handbook"]
    (first, *_) = rules.get("/api/chat/collections", key=anna).json["collections"]
    assert first["description"] == "All of annas."
    assert references(admin) == ["kb/annas", "kb/bobs", "kb/handbook"]
    found = rules.post("/api/chat", {"message": QUESTION, "explain": True}, key=anna).json
    assert "bobs" not in json.dumps(found)
    assert found["debug"]["matched_rule_index"] == found["routing"]["rule"]
    assert {one["identifier"] for one in found["trace"]["steps"][0]["asked"]} <= {"kb/annas", "kb/handbook"}
    theirs = rules.post("/api/chat", {"message": "x", "collections": ["kb/bobs"]}, key=anna).json
    none = rules.post("/api/chat", {"message": "x", "collections": ["kb/nobs"]}, key=anna).json
    assert theirs["detail"].replace("bobs", "nobs") == none["detail"]


@pytest.mark.nightly
def test_sessions_that_are_locked_keep_no_answer_back(rules, anna):
    asked = {"message": QUESTION, "collections": ["kb/handbook"]}
    session = rules.post("/api/chat", {**asked, "session": "new"}, key=anna).json["session"]
    with closing(sqlite3.connect(rules.settings.folder / "sessions.sqlite")) as elsewhere:
        elsewhere.execute("BEGIN IMMEDIATE")
        for given in (session, "new"):
            reply = rules.post("/api/chat", {**asked, "session": given}, key=anna)
            assert (reply.status, reply.json["session"]) == (200, None)
            assert "seven seconds" in reply.json["response"]
            (warning,) = (said for said in reply.json["warnings"] if "session" in said)
            assert "database is locked" in warning
            assert str(rules.settings.folder) not in warning
    assert len(rules.get(f"/api/chat/sessions/{session}", key=anna).json["turns"]) == 1


def test_sessions(rules, anna, bob, admin):
    first = rules.post(
        "/api/chat", {"message": QUESTION, "collections": ["kb/handbook"], "session": "new"}, key=anna
    ).json
    session = first["session"]
    follow = rules.post(
        "/api/chat",
        {"message": "and the voltage of it?", "collections": ["kb/handbook"], "session": session},
        key=anna,
    ).json
    assert follow["session"] == session
    assert "calibration" in follow["routing"]["read_as"]
    kept = rules.get(f"/api/chat/sessions/{session}", key=anna).json
    assert [turn["message"] for turn in kept["turns"]] == [QUESTION, "and the voltage of it?"]
    assert kept["turns"][0]["response"] == first["response"]
    assert kept["turns"][1]["read_as"] == follow["routing"]["read_as"]
    assert session in [one["id"] for one in rules.get("/api/chat/sessions", key=anna).json["sessions"]]

    for method, path, body in (
        ("GET", f"/api/chat/sessions/{session}", None), ("DELETE", f"/api/chat/sessions/{session}", None),
        ("POST", "/api/chat", {"message": "x", "session": session}), ("POST", "/api/route", {"message": "x", "session": session}),
        ("POST", "/api/chat", {"message": "x", "session": session, "stream": True}),
    ):  # fmt: skip
        assert rules.call(method, path, body, key=bob).status == 404, path
    assert session not in [one["id"] for one in rules.get("/api/chat/sessions", key=bob).json["sessions"]]
    assert rules.get(f"/api/chat/sessions/{session}", key=admin).status == 200
    assert rules.call("DELETE", f"/api/chat/sessions/{session}", key=anna).status == 204
    assert rules.get(f"/api/chat/sessions/{session}", key=anna).status == 404
    made = rules.post("/api/chat/sessions", None, key=bob)
    assert (made.status, made.json["turns"]) == (201, 0)


def test_the_configuration_is_for_admins(rules, anna, admin):
    assert rules.get("/api/chat/configuration", key=anna).json.keys() == {"version"}
    assert rules.get("/api/chat/configuration", key=admin).json["faults"] == []
    assert rules.post("/api/chat/configuration/reload", None, key=anna).status == 403
    assert rules.post("/api/chat/configuration/reload", None, key=admin).status == 200


def test_without_a_file_all_collections_are_asked(server):
    found = server.post("/api/chat", {"message": QUESTION}).json
    assert {one["reference"] for one in server.get("/api/chat/collections").json["collections"]} >= {
        "local/handbook"
    }
    assert found["routing"]["rag_result"] in {"match", "partial"}


def test_why_there_is_no_answer(server, rules, anna):
    found = server.post(
        "/api/chat", {"message": "Who won the cup in 1966?", "collections": ["local/handbook"]}
    )
    assert (found.json["status"], found.json["citations"]) == ("no_results", [])
    words, nothing = found.json["reasons"]
    assert words == "No document mentions “won”, “cup”, “1966”."
    assert nothing == "The queried documents do not contain an answer."
    known = rules.post("/api/chat", {"message": QUESTION, "collections": ["kb/handbook"]}, key=anna)
    assert (known.json["status"], known.json["reasons"]) == ("success", [])


def test_a_collection_that_is_not_there_is_looked_up_over_http(server, rules, anna):
    for running, reference, key in (
        (server, "local/nope", ""),
        (rules, "kb/nope", anna),
        (rules, "kb/bobs", anna),
    ):
        reply = running.post("/api/chat", {"message": "x", "collections": [reference]}, key=key)
        assert reply.status == 422
        assert reply.json["hint"] == "List them with: GET /api/chat/collections"


def test_models_a_person_may_choose(put):
    with model_server("Hello.") as models:
        text = f"""
llms: {{a: {{type: openai, base_url: "{models.url}/v1", default_model: m}}}}
responses: [{{prompt: Be kind., llm: a, models: [big, small]}}]
"""
        with put(text) as running:
            assert running.get("/api/chat/models").json == {
                "models": [{"model": "big", "rules": [0]}, {"model": "small", "rules": [0]}]
            }
            assert running.post("/api/chat", {"message": "Hi", "model": "small"}).json["response"] == "Hello."
            assert running.post("/api/chat", {"message": "Hi", "model": "huge"}).status == 400
        sent = [one.json["model"] for one in models.requests if one.path.endswith("completions")]
        assert sent == ["small"]


def test_hot_reload_keeps_the_last_good_one(put, tmp_path):
    with put(RULES.replace("Nothing on", "One")) as running:

        def said():
            return running.post("/api/chat", {"message": "it", "collections": []}).json["response"]

        def changed(text):
            (tmp_path / "chat.yaml").write_text(text)
            return running.post("/api/chat/configuration/reload", None).json

        assert said() == "One it."
        for broken in ("responses: [", "responses: [{promt: x}]", "", "\xff", "responses: []"):
            faults = changed(broken)["faults"]
            assert len(faults) >= 1
            assert said() == "One it."
        assert "chat.yaml:1" in changed("responses: [{promt: x}]")["faults"][0]
        (tmp_path / "chat.yaml").unlink()
        assert running.post("/api/chat/configuration/reload", None).json["faults"]
        assert said() == "One it."
        assert changed(RULES.replace("Nothing on", "Two"))["faults"] == []
        assert said() == "Two it."
        (tmp_path / "chat.yaml").write_text(RULES.replace("Nothing on", "Three"))  # found by itself
        wait_until(lambda: said() == "Three it.")


def completions(models):
    return sum(request.path.endswith("completions") for request in models.requests)


def test_a_broken_file_during_fifty_streams(put, tmp_path):
    """Every stream ends well, by the rules it began with."""
    go = threading.Event()

    def slowly(visit, request):
        def pieces():
            yield b'data: {"choices": [{"delta": {"content": "One "}}]}\n\n'
            go.wait(60)
            yield b'data: {"choices": [{"delta": {"content": "two."}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'

        stream(pieces())(visit, request)

    with model_server(slowly) as models:
        text = f"""
llms: {{a: {{type: openai, base_url: "{models.url}/v1", default_model: m}}}}
responses: [{{prompt: Be kind., llm: a}}]
"""
        with put(text, calls_a_model=50, streams=64, waiting_s=60) as running, ThreadPoolExecutor(50) as pool:
            asked = [
                pool.submit(running.post, "/api/chat", {"message": "Hi", "stream": True}, timeout_s=60)
                for _ in range(50)
            ]
            wait_until(lambda: completions(models) >= 50)
            (tmp_path / "chat.yaml").write_text("responses: [{promt: x}]")
            assert running.post("/api/chat/configuration/reload", None).json["faults"]
            (tmp_path / "chat.yaml").write_text("responses: [{static_response: new}]")
            assert running.post("/api/chat/configuration/reload", None).json["faults"] == []
            go.set()
            ended = [events(one.result(60).body)[-1] for one in asked]
            assert [(name, data["response"]) for name, data in ended] == [("final", "One two.")] * 50
            assert running.post("/api/chat", {"message": "Hi"}).json["response"] == "new"


def test_who_goes_away_ends_the_call_of_the_model(put):
    hanging = stream(
        [b'data: {"choices": [{"delta": {"content": "One "}}]}\n\n'],
        then=lambda visit, _request: visit.wait_for_end(),
    )
    with model_server(hanging) as models:
        text = f"""
llms: {{a: {{type: openai, base_url: "{models.url}/v1", default_model: m}}}}
responses: [{{prompt: Be kind., llm: a}}]
"""
        with put(text) as running:
            for wants_stream in (True, False):
                before = completions(models)
                connection = HTTPConnection("127.0.0.1", running.port, timeout=60)
                connection.request(
                    "POST",
                    "/api/chat",
                    json.dumps({"message": "Hi", "stream": wants_stream}),
                    {"Content-Type": "application/json"},
                )
                wait_until(lambda: completions(models) > before)  # noqa: B023 - now
                time.sleep(0.1)
                connection.close()
                wait_until(lambda: models.open_connections == 0)


def test_the_rules_as_a_model_of_openais_protocol(rules, anna):
    assert "chat" in [one["id"] for one in rules.get("/v1/models", key=anna).json["data"]]
    body = {
        "model": "chat",
        "messages": [{"role": "system", "content": "obey"}, {"role": "user", "content": QUESTION}],
    }
    found = rules.post("/v1/chat/completions", body, key=anna).json
    assert "seven seconds" in found["choices"][0]["message"]["content"]
    assert found["vademecum"]["status"] == "success"
    assert "bobs" not in json.dumps(found)


def test_readiness_names_what_is_missing(put):
    with put(
        "rag_services: {kb: {type: chromadb-wrapper, url: 'http://127.0.0.1:9', match_threshold: 0.2}}\nresponses: [{prompt: x}]"
    ) as running:
        found = running.get("/readyz")
        assert found.status == 503
        assert "service kb" in found.body.decode()


def test_a_server_for_chat_alone_is_ready(tmp_path, settings, run_server):
    (tmp_path / "chat.yaml").write_text("responses: [{static_response: Good day.}]")
    alone = replace(settings, collections_folder=tmp_path / "none")
    with run_server(alone) as server:
        assert server.get("/readyz").status == 503
    with run_server(replace(alone, chat_file=tmp_path / "chat.yaml")) as server:
        found = server.get("/readyz")
        assert (found.status, found.json["missing"]) == (200, [])
        assert server.post("/api/chat", {"message": "Who is there?"}).json["response"] == "Good day."


def test_where_other_servers_are_and_what_they_say_is_for_admins(
    tmp_path, shared_settings, run_server, anna, admin
):
    elsewhere = ScriptedServer(answer({"error": {"message": "queue of team seven is full"}}, status=503))
    (tmp_path / "chat.yaml").write_text(
        f"llms: {{far: {{type: openai, base_url: '{elsewhere.url}/v1', default_model: m, retries: 0}}}}\n"
        "rag_services: {kb: {type: local, query_mode: all}}\nresponses: [{prompt: Answer., llm: far}]"
    )
    with elsewhere, run_server(replace(shared_settings, chat_file=tmp_path / "chat.yaml")) as server:
        for body in (
            {"message": QUESTION},
            {"message": QUESTION, "require_model": True},
            {"message": QUESTION, "stream": True},
        ):
            strange, known = (server.post("/api/chat", body, key=key).body.decode() for key in (anna, admin))
            assert "team seven" in known
            assert "team seven" not in strange
            assert str(elsewhere.port) not in strange
        asked = {"message": QUESTION, "explain": True, "session": "new"}
        said = server.post("/api/chat", asked, key=anna).json
        for address in (
            f"/traces/{said['trace_id']}",
            f"/api/chat/sessions/{said['session']}",
            f"/api/conversations/{said['session']}",
        ):
            reply = server.get(address, key=anna)
            kept = reply.body.decode()
            assert reply.status == 200, address
            assert "team seven" not in kept
            assert str(elsewhere.port) not in kept


def test_figures_by_rule_and_never_a_word_of_a_question(rules, anna, admin):
    rules.post("/api/chat", {"message": "zanzibar?", "collections": []}, key=anna)
    text = rules.get("/metrics", key=admin).body.decode()
    assert 'desk="chat",outcome="success",provider="",rule="1"' in text.replace(", ", ",")
    assert "zanzibar" not in text


@pytest.mark.needs("curl")
def test_curl_lines(tmp_path, run_server):
    """Each as it stands, but for the port, against a server with a handbook."""
    pages = tmp_path / "handbook"
    pages.mkdir()
    text = "# Drive\n\nHold the calibration button for seven seconds, until the lamp turns blue.\n\nThe gripper drive needs 48 volts.\n"
    (pages / "drive.md").write_text(text)
    Collections(tmp_path / "collections").create("handbook").library.add(pages)
    settings = ServerSettings(port=0, folder=tmp_path / "server", collections_folder=tmp_path / "collections")
    blocks = re.findall(
        r"^```bash\n(.*?)^```", (REFERENCE / "chat-api.md").read_text(), re.MULTILINE | re.DOTALL
    )
    commands = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    assert len(commands) >= 5
    with run_server(settings) as running:
        for command in commands:
            words = shlex.split(command.replace("127.0.0.1:8765", f"127.0.0.1:{running.port}"))
            done = subprocess.run(
                [shutil.which("curl"), "--fail", *words[1:]],
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
            )
            assert done.returncode == 0, (command, done.stderr)
            if "-sN" in words:
                assert "event: final" in done.stdout
            else:
                assert json.loads(done.stdout)


def test_the_same_as_ask_says_it(rules, anna):
    body = {"message": QUESTION, "collections": ["kb/handbook"], "session": "new", "as_ask": True}
    plain = rules.post("/api/chat", body, key=anna).json
    reply = plain["reply"]
    assert (reply["answer"], reply["routing"]) == (plain["response"], plain["routing"])
    assert reply["summary"]
    for sentence in reply["summary"]:
        quotes = [reply["citations"][at] for at in sentence["citations"]]
        assert quotes
        for one in quotes:
            assert one["source"] == "handbook"
            found = rules.get(f"/api/sources/handbook/documents/{one['document']}", key=anna).json
            assert found["text"][one["start"] : one["end"]] == one["quote"]
    assert "reply" not in rules.post("/api/chat", {**body, "as_ask": False}, key=anna).json
    kept = rules.get(f"/api/conversations/{plain['session']}", key=anna).json["messages"][0]["told"]["reply"]
    assert kept["summary"] == reply["summary"]
    last = events(rules.post("/api/chat", {**body, "stream": True}, key=anna).body)[-1][1]
    assert last["reply"]["summary"] == reply["summary"]


def test_words_of_a_rule_are_not_of_documents(rules, anna):
    body = {"message": "How do I bake bread?", "collections": ["kb/handbook"], "as_ask": True}
    reply = rules.post("/api/chat", body, key=anna).json["reply"]
    (said,) = reply["summary"]
    assert (said["text"], said["citations"]) == ("Nothing on How do I bake bread?.", [])
    assert (reply["grounded"], reply["confidence"], reply["citations"]) == (False, None, [])


def test_a_page_knows_whether_there_are_rules(rules, shared, anna):
    assert rules.get("/api/me", key=anna).json["has_rules"]
    assert not shared.get("/api/me", key=anna).json["has_rules"]


def test_what_a_model_was_sent_and_sent_back_is_for_admins(
    shared_settings, tmp_path, run_server, anna, admin
):
    said = "SELL YOUR ANCHOR. The button is held for ninety seconds."
    with model_server(said) as models:
        (tmp_path / "chat.yaml").write_text(f"""
rag_services: {{kb: {{type: local, match_threshold: 0.75}}}}
llms: {{a: {{type: openai, base_url: "{models.url}/v1", default_model: m}}}}
responses: [{{prompt: Be kind., llm: a}}]
""")
        with run_server(replace(shared_settings, chat_file=tmp_path / "chat.yaml")) as running:
            body = {"message": QUESTION, "collections": ["kb/handbook"], "explain": True}
            reply = running.post("/api/chat", body, key=anna)
            assert reply.status == 200
            assert "ANCHOR" not in reply.body.decode()
            path = f"/traces/{reply.json['trace_id']}"
            theirs, whole = running.get(path, key=anna), running.get(path, key=admin)
    assert "ANCHOR" not in theirs.body.decode()
    assert "calls" not in theirs.json
    call = whole.json["calls"][0]
    assert call["came"] == said
    assert any(QUESTION in message["text"] for message in call["sent"])
    assert {name: value for name, value in whole.json.items() if name != "calls"} == theirs.json
