"""Streams: who goes away, who takes nothing, what fails in the middle, and what happens when the server stops."""

import json
import re
import socket
import threading
import time
from dataclasses import replace
from threading import Event

import pytest

from shared import wait_until
from vademecum.core.errors import AnswerError, ProviderUnreachable
from vademecum.server import streams


class Talk:
    """An answer that a test gives piece by piece; it ends when it is closed."""

    open = 0
    lock = threading.Lock()

    def __init__(self, pieces, pause_s=0.0, fault=None, first=None):
        self.pieces, self.pause_s, self.fault, self.first = pieces, pause_s, fault, first
        self.closed = Event()

    def __iter__(self):
        with self.lock:
            Talk.open += 1
        try:
            if self.first:
                raise self.first
            said = []
            for piece in self.pieces:
                if self.closed.wait(self.pause_s) if self.pause_s else self.closed.is_set():
                    return
                said.append(piece)
                yield "token", {"text": piece}
            if self.fault:
                raise self.fault
            yield (
                "final",
                {
                    "answer": "".join(said),
                    "references": [],
                    "citations": [],
                    "sources": [],
                    "status": "success",
                },
            )
        finally:
            with self.lock:
                Talk.open -= 1

    def close(self):
        self.closed.set()


class Talker:
    model = ""

    def __init__(self, **options):
        self.options = options
        self.talks = []

    def talk(self, _messages, _caller, _timeout_s):
        talk = Talk(**self.options)
        self.talks.append(talk)
        return talk


def body_of(model, *, stream=True):
    return {"model": model, "messages": [{"role": "user", "content": "Go on."}], "stream": stream}


def request_of(model, *, stream=True):
    body = json.dumps(body_of(model, stream=stream)).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def chunks_of(body):
    return [json.loads(data) for data in re.findall(r"data: ({.*})\n\n", body.decode())]


@pytest.fixture
def talker(server):
    """Lets the server have a model that answers as told."""
    made = []

    def make(on=server, **options):
        name = f"talker-{len(made)}"
        made.append((on, name))
        on.state.talkers[name] = talker = Talker(**options)
        talker.name = name
        return talker

    yield make
    for on, name in made:
        del on.state.talkers[name]


def endless():
    at = 0
    while True:
        at += 1
        yield f"piece {at} "


def test_the_stream_says_what_the_plain_reply_says(server, talker):
    name = talker(pieces=["One. ", "Two. ", "Three."]).name
    plain = server.post("/v1/chat/completions", body_of(name, stream=False)).json
    streamed = server.post("/v1/chat/completions", body_of(name))
    assert streamed.body.endswith(b"data: [DONE]\n\n")
    chunks = chunks_of(streamed.body)
    assert chunks[0]["choices"][0]["delta"]["role"] == "assistant"
    text = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)
    assert text == plain["choices"][0]["message"]["content"] == "One. Two. Three."
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"


def test_events_come_as_they_are_made(server, talker):
    received, came = b"", Event()

    def pieces():
        yield "early "
        came.wait()
        yield "late"

    name = talker(pieces=pieces()).name
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(request_of(name))
        while b"early" not in received:
            received += connection.recv(4096)
        assert b"late" not in received
        came.set()
        while b"[DONE]" not in received:
            received += connection.recv(4096)
    assert b"late" in received


def test_a_client_that_disconnects_ends_the_answer(server, talker):
    one = talker(pieces=endless(), pause_s=0.01)
    for plainly in (False, True):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.sendall(
                request_of(one.name).replace(
                    b'"stream": true', b'"stream":false' if plainly else b'"stream": true'
                )
            )
            if plainly:
                wait_until(lambda: len(one.talks) == 2)
                time.sleep(0.1)
            else:
                assert connection.recv(100)
        wait_until(one.talks[-1].closed.is_set)
    wait_until(lambda: Talk.open == 0)


@pytest.mark.nightly
def test_a_thousand_go_away(server, talker):
    one = talker(pieces=endless(), pause_s=0.001)
    threads = threading.active_count()
    for _ in range(1000):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.sendall(request_of(one.name))
            connection.recv(64)
    wait_until(lambda: Talk.open == 0)
    assert len(one.talks) == 1000
    assert all(talk.closed.is_set() for talk in one.talks)
    assert threading.active_count() <= threads + server.settings.streams
    assert b"vademecum_open_streams 0.0" in server.get("/metrics").body
    assert server.post("/api/reason/select", {"problem": "Which of three flats?"}).status == 200


def test_a_client_that_does_not_read_is_disconnected(settings, run_server, talker, monkeypatch):
    monkeypatch.setattr(streams, "_STALLED_S", 0.4)
    with run_server(settings) as server:
        one = talker(server, pieces=("x" * 100_000 for _ in range(1000)))
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.sendall(request_of(one.name))
            wait_until(lambda: one.talks and one.talks[0].closed.is_set())
        wait_until(lambda: Talk.open == 0)
        assert server.get("/healthz").status == 200


def test_silence_is_filled(settings, run_server, talker, monkeypatch):
    monkeypatch.setattr(streams, "_SILENCE_S", 0.1)
    with run_server(settings) as server:
        one = talker(server, pieces=["a", "b"], pause_s=0.45)
        body = server.post("/v1/chat/completions", body_of(one.name)).body
        assert body.count(b": still there\n\n") >= 2
        assert chunks_of(body)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        (AnswerError("No.", hint="Ask."), 400, "QUESTION_INVALID"),
        (ProviderUnreachable("Gone."), 502, "PROVIDER_UNREACHABLE"),
        (ZeroDivisionError("sk-secret-0123456789"), 500, "FAULT"),
    ],
)
def test_an_immediate_failure_has_its_status(server, talker, *, stream, fault, status, code):
    one = talker(pieces=[], first=fault)
    reply = server.post("/v1/chat/completions", body_of(one.name, stream=stream))
    assert (reply.status, reply.json["code"]) == (status, code)
    assert reply.json["error"]["message"]
    assert b"sk-secret" not in reply.body


@pytest.mark.parametrize(
    ("fault", "code"),
    [(ProviderUnreachable("Gone."), "PROVIDER_UNREACHABLE"), (ZeroDivisionError("sk-x"), "FAULT")],
)
def test_a_later_failure_is_an_event(server, talker, fault, code):
    one = talker(pieces=["One. "], fault=fault)
    reply = server.post("/v1/chat/completions", body_of(one.name))
    assert reply.status == 200
    assert chunks_of(reply.body)[-1]["error"]["code"] == code
    assert b"[DONE]" not in reply.body
    assert b"sk-x" not in reply.body
    plain = server.post("/v1/chat/completions", body_of(one.name, stream=False))
    assert plain.json["code"] == code


def test_too_many_at_once(settings, run_server, talker):
    with run_server(replace(settings, streams=2, waiting_s=0.2)) as server:
        one = talker(server, pieces=endless(), pause_s=0.02)
        held = [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(2)]
        for connection in held:
            connection.sendall(request_of(one.name))
            assert connection.recv(64)
        refused = server.post("/v1/chat/completions", body_of(one.name))
        assert (refused.status, refused.json["code"]) == (503, "BUSY")
        assert refused.headers["retry-after"] == "1"
        assert server.get("/healthz").status == 200
        assert server.get("/v1/models").status == 200
        for connection in held:
            connection.close()
        wait_until(lambda: Talk.open == 0)
        quick = talker(server, pieces=["done"])
        assert server.post("/v1/chat/completions", body_of(quick.name)).status == 200


def test_a_server_that_stops_lets_answers_end(settings, run_server, talker):
    with run_server(replace(settings, stopping_s=5.0)) as server:
        one = talker(server, pieces=[f"{at} " for at in range(10)], pause_s=0.1)
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        connection.sendall(request_of(one.name))
        received = connection.recv(64)
    while piece := connection.recv(4096):
        received += piece
    connection.close()
    assert b"[DONE]" in received


@pytest.mark.parametrize("stream", [True, False])
def test_a_server_that_stops_waits_only_so_long(settings, run_server, talker, capfd, stream):
    with run_server(replace(settings, stopping_s=1.0)) as server:
        one = talker(server, pieces=endless(), pause_s=0.02)
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        connection.sendall(request_of(one.name, stream=stream))
        wait_until(lambda: one.talks)
    received = b""
    while piece := connection.recv(4096):
        received += piece
    connection.close()
    assert received.startswith(b"HTTP/1.1 200" if stream else b"HTTP/1.1 503")
    assert b'"STOPPING"' in received
    assert "Traceback" not in capfd.readouterr().err
    wait_until(lambda: Talk.open == 0)
