"""`POST /ask` and `GET /traces/{id}`."""

import json
import re
import threading
import time
from dataclasses import replace

import pytest

from vademecum.library.collections import Collections

QUESTION = "How long must I hold the calibration button of the fingers?"
LASTING = ("latency_ms", "trace_id")


def events_of(body):
    found = re.findall(r"event: (\w+)\ndata: (.*)\n\n", body.decode())
    return [(name, json.loads(data)) for name, data in found]


def lasting(reply):
    return {name: value for name, value in reply.items() if name not in LASTING}


def test_an_answer_cites_the_books_own_words(server):
    reply = server.post("/ask", {"query": QUESTION, "book": "handbook"})
    assert reply.status == 200
    said = reply.json
    assert said["status"] == "success"
    assert "seven seconds" in said["answer"]
    assert said["sources"][0]["title"] == "Introduction"
    assert said["sources"][0]["section"].endswith("Calibration")
    assert 0 < said["sources"][0]["relevance_score"] <= 1
    assert said["latency_ms"] > 0
    assert all(one["quote"] for one in said["citations"])
    assert "trace" not in said


def test_the_stream_says_the_same(server):
    asked = {"query": QUESTION, "book": "handbook"}
    plain = server.post("/ask", asked).json
    reply = server.post("/ask", asked | {"stream": True})
    assert reply.headers["content-type"].startswith("text/event-stream")
    events = events_of(reply.body)
    names = [name for name, _ in events]
    assert names[0] == "retrieval"
    assert names[-1] == "final"
    assert {"token", "citation"} <= set(names)
    assert "".join(data["text"] for name, data in events if name == "token") == plain["answer"]
    assert lasting(events[-1][1]) == lasting(plain)


def test_a_refusal_is_said_in_the_fixed_words(server):
    said = server.post("/ask", {"query": "What is the capital of Peru?", "book": "handbook"}).json
    assert said["answer"] == "No relevant information found for your query."
    assert (said["status"], said["sources"]) == ("no_results", [])


def test_only_the_selection_is_answered_from(server):
    selected = "Never open the battery hatch while the drive is running. Wait until the lamp is dark."
    asked = {"query": "May I open the battery hatch?", "mode": "selected-text", "selected_text": selected}
    said = server.post("/ask", asked | {"book": "handbook"}).json
    assert said["citations"]
    assert all(one["quote"] in selected for one in said["citations"])


def test_a_selection_without_its_mode_is_refused(server):
    asked = {"query": "May I open the battery hatch?", "selected_text": "Never open it.", "book": "handbook"}
    reply = server.post("/ask", asked)
    assert (reply.status, reply.json["code"]) == (400, "REQUEST_INVALID")
    assert "mode selected-text" in reply.json["detail"]
    assert server.post("/ask", asked | {"mode": "full-book"}).status == 200


def test_the_trace_is_kept(server):
    said = server.post("/ask", {"query": QUESTION, "explain": True, "book": "handbook"}).json
    reply = server.get(f"/traces/{said['trace_id']}")
    assert reply.status == 200
    assert reply.json["steps"] == said["trace"]["steps"]
    assert [one["name"] for one in reply.json["steps"]][:3] == ["analyse", "retrieve", "evaluate"]


def test_the_trace_of_a_stream_is_kept_before_its_end(server):
    events = events_of(server.post("/ask", {"query": QUESTION, "stream": True, "book": "handbook"}).body)
    assert server.get(f"/traces/{events[-1][1]['trace_id']}").status == 200


@pytest.mark.parametrize("id_", ["0" * 32, "f" * 32])
def test_a_trace_that_is_not_there(server, id_):
    reply = server.get(f"/traces/{id_}")
    assert (reply.status, reply.json["code"]) == (404, "TRACE_MISSING")


@pytest.mark.parametrize(
    "id_", ["x", "0" * 31, "0" * 33, "..%2f..%2fkeys", "%00", "A" * 32, "%E2%80%AE" * 32]
)
def test_what_is_no_id_of_a_trace(server, id_):
    assert server.get(f"/traces/{id_}").status in {400, 404}


def test_traces_expire(settings, run_server):
    with run_server(replace(settings, traces_s=0.0)) as server:
        said = server.post("/ask", {"query": QUESTION, "book": "handbook"}).json
        assert server.get(f"/traces/{said['trace_id']}").status == 404


BAD = {
    "empty": b"",
    "no JSON": b"{",
    "no object": b"[]",
    "null": b"null",
    "not text": b"\xff\xfe{}",
    "deep": b"[" * 100_000,
    "NaN": b'{"query": "x", "k": NaN}',
    "no query": b"{}",
    "blank query": b'{"query": " \\n\\t "}',
    "query of the wrong type": b'{"query": 3}',
    "null query": b'{"query": null}',
    "lone surrogate": b'{"query": "\\ud800"}',
    "too many tokens": json.dumps({"query": "ab " * 2001}).encode(),
    "too long": json.dumps({"query": "a" * 20_001}).encode(),
    "unknown mode": b'{"query": "x", "mode": "half-book"}',
    "no selection": b'{"query": "x", "mode": "selected-text"}',
    "blank selection": b'{"query": "x", "mode": "selected-text", "selected_text": "  "}',
    "k too small": b'{"query": "x", "k": 0}',
    "k too large": b'{"query": "x", "k": 11}',
    "k no number": b'{"query": "x", "k": "3"}',
    "k a fraction": b'{"query": "x", "k": 1.5}',
    "k without end": b'{"query": "x", "k": ' + b"9" * 5000 + b"}",
    "stream no switch": b'{"query": "x", "stream": "yes"}',
    "unknown field": b'{"query": "x", "qery": "y"}',
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "stream"])
def test_a_bad_body_is_400(server, body, streamed):
    if streamed and body.startswith(b'{"') and b'"stream"' not in body:
        body = b'{"stream": true, ' + body[1:]
    reply = server.post("/ask", body, headers={"Content-Type": "application/json"})
    assert reply.status == 400, reply.body
    assert reply.headers["content-type"] == "application/problem+json"
    said = reply.json
    assert said["status"] == 400
    assert said["detail"]
    assert said["request_id"] == reply.headers["x-request-id"]


def test_a_body_of_another_type_is_400(server):
    body = json.dumps({"query": QUESTION})
    assert server.post("/ask", body, headers={"Content-Type": "text/plain"}).status == 400
    assert (
        server.post("/ask", body, headers={"Content-Type": "multipart/form-data; boundary=x"}).status == 400
    )


@pytest.mark.parametrize(
    "name", ["nothing", "../keys", "a\0b", "\u202egnp", "x" * 63, "Walrus", "linux/x", " "]
)
@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "stream"])
def test_an_unknown_book_is_422(server, name, streamed):
    reply = server.post("/ask", {"query": QUESTION, "book": name, "stream": streamed})
    assert (reply.status, reply.json["code"]) == (422, "COLLECTION_MISSING")


def test_no_book_at_all_is_503(tmp_path, settings, run_server):
    with run_server(replace(settings, collections_folder=tmp_path / "none")) as server:
        for streamed in (False, True):
            reply = server.post("/ask", {"query": QUESTION, "stream": streamed})
            assert (reply.status, reply.json["code"]) == (503, "INDEX_MISSING")
            assert int(reply.headers["retry-after"]) > 0
        ready = server.get("/readyz")
        assert (ready.status, ready.json["status"]) == (503, "not_ready")
        assert "vademecum book add" in ready.json["missing"][0]["hint"]
        assert server.get("/healthz").status == 200


def test_a_book_that_is_not_indexed_is_not_ready(tmp_path, settings, run_server):
    Collections(tmp_path / "own").create("bare", kind="book")
    with run_server(replace(settings, collections_folder=tmp_path / "own")) as server:
        assert server.post("/ask", {"query": QUESTION, "book": "bare"}).status == 503
        assert server.get("/readyz").json["missing"][0]["part"] == "book bare"


@pytest.mark.parametrize("mode", ["full-book", "selected-text"])
def test_nothing_is_found_in_a_collection_without_documents(tmp_path, settings, run_server, mode):
    asked = {
        "query": QUESTION,
        "book": "k9",
        "mode": mode,
        "selected_text": "Hold it." * (mode != "full-book"),
    }
    with run_server(replace(settings, collections_folder=tmp_path / "own")) as server:
        assert server.post("/api/collections", {"name": "k9"}).status == 201
        reply = server.post("/ask", asked)
        assert (reply.status, reply.json["status"]) == (200, "no_results")
        assert reply.json["answer"] == "No relevant information found for your query."
        assert reply.json["warnings"] == ["The collection k9 has no documents yet."]
        streamed = events_of(server.post("/ask", asked | {"stream": True}).body)
        assert lasting(streamed[-1][1]) == lasting(reply.json)
        models = {"model": "k9", "messages": [{"role": "user", "content": QUESTION}]}
        said = server.post("/v1/chat/completions", models)
        assert said.json["choices"][0]["message"]["content"] == reply.json["answer"]


def test_no_path_of_the_server_reaches_a_caller(tmp_path, settings, run_server):
    Collections(tmp_path / "own").create("bare", kind="book")
    broken = Collections(tmp_path / "own").create("broken", kind="book")
    with run_server(replace(settings, collections_folder=tmp_path / "own")) as server:
        (broken.folder / "index").mkdir()
        (broken.folder / "index" / "CURRENT").write_text("nonsense")
        for name in ("bare", "broken"):
            reply = server.post("/ask", {"query": QUESTION, "book": name})
            assert reply.status == 503
            assert str(tmp_path) not in reply.body.decode()
            assert "/" not in reply.json["detail"]


def test_the_clients_own_time_is_408(server):
    reply = server.post("/ask", {"query": QUESTION, "book": "handbook"}, headers={"Prefer": "wait=0.001"})
    assert reply.status in {200, 408}  # it may be that quick
    if reply.status == 408:
        assert reply.json["code"] == "TOO_LATE"
    assert server.post("/ask", {"query": QUESTION}, headers={"Prefer": "wait=30"}).status == 200
    for nonsense in ("wait=-1", "wait=x", "wait=1e999", "wait=", "respond-async"):
        assert server.post("/ask", {"query": QUESTION}, headers={"Prefer": nonsense}).status == 200


def test_ready(server):
    reply = server.get("/readyz")
    assert (reply.status, reply.json) == (200, {"status": "ready", "faults": 0, "missing": []})


def test_many_ask_at_once(server):
    questions = [
        QUESTION,
        "When may I open the battery hatch?",
        "What is the capital of Peru?",
        "How many volts?",
    ]
    alone = [lasting(server.post("/ask", {"query": one, "book": "handbook"}).json) for one in questions]
    found = []

    def ask(at):
        for turn in range(10):
            one = (at + turn) % len(questions)
            reply = server.post("/ask", {"query": questions[one], "book": "handbook"})
            found.append(reply.status == 200 and lasting(reply.json) == alone[one])

    threads = [threading.Thread(target=ask, args=(at,)) for at in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 200
    assert all(found)


def test_a_collection_that_is_deleted_while_it_is_asked(tmp_path, settings, run_server):
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "intro.md").write_text(
        "# Intro\n\nHold the calibration button of the fingers for seven seconds.\n"
    )
    collections = Collections(tmp_path / "own")
    collections.create("fleeting").library.add(pages)
    found, ended = [], threading.Event()

    def ask(server, at):
        body = {"query": QUESTION, "book": "fleeting", "stream": bool(at % 2)}
        while not ended.is_set():
            reply = server.post("/ask", body)
            found.append((reply.status, reply.json["code"] if reply.status != 200 else ""))

    with run_server(replace(settings, collections_folder=tmp_path / "own")) as server:
        threads = [threading.Thread(target=ask, args=(server, at)) for at in range(6)]
        for thread in threads:
            thread.start()
        while len(found) < 30:
            time.sleep(0.01)
        collections.delete("fleeting")
        reached = len(found)
        while len(found) < reached + 30:
            time.sleep(0.01)
        ended.set()
        for thread in threads:
            thread.join()
        assert server.post("/ask", {"query": QUESTION, "book": "fleeting"}).status == 422
    statuses = {status for status, _ in found}
    assert {200, 422} <= statuses <= {200, 422, 503}, "503 at most where it goes while it is being read"
    assert {code for status, code in found if status != 503} == {"", "COLLECTION_MISSING"}


@pytest.mark.parametrize(
    ("body", "kind"),
    [(b'{"query": "x"}', "application/x-www-form-urlencoded"), (b'["x"]', "application/json")],
)
def test_what_is_no_object_of_json_is_told_how_to_be_one(server, body, kind):
    reply = server.post("/ask", body, headers={"Content-Type": kind})
    assert reply.status == 400
    assert "Content-Type: application/json" in reply.json["hint"]
