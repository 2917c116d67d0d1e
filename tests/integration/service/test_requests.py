"""What the service says to requests of every kind, and that none of them ends it."""

import json
import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from shared import wait_until

QUESTION = "How do I change file permissions?"
LINE = b"POST /ask HTTP/1.1\r\nHost: localhost\r\n"
JSON = b"Content-Type: application/json\r\n"

pytestmark = pytest.mark.needs("mandoc")


@pytest.fixture(autouse=True)
def survives(warm):
    """Whatever a test has sent, the same process goes on answering, and no thread is stuck."""
    pid = warm.process.pid
    yield
    assert warm.process.poll() is None
    assert warm.health()["pid"] == pid


# --- what is asked for ------------------------------------------------------------------------------------------------


def test_healthz(warm, ask):
    status, headers, body = ask(warm.home.socket, "GET", "/healthz")
    assert (status, headers["content-type"]) == (200, "application/json")
    data = json.loads(body)
    assert (data["status"], data["generation"], data["reindexing"]) == ("ok", 1, False)
    assert data["version"]
    assert data["uptime_s"] > 0
    assert data["data"] == str(warm.home.places.data)
    assert 1e6 < data["memory_bytes"] < 1e9


@pytest.mark.parametrize(
    ("accept", "flags", "media"),
    [
        ("", [], "text/markdown"),
        ("*/*", [], "text/markdown"),
        ("text/html, text/plain;q=0.5", ["--plain"], "text/plain"),
        ("application/json", ["--json"], "application/json"),
        ("text/markdown", [], "text/markdown"),
    ],
)
def test_an_answer_in_each_form(warm, ask, accept, flags, media):
    status, headers, body = ask(
        warm.home.socket,
        "POST",
        "/ask",
        {"question": QUESTION},
        Accept=accept,
        Content_Type="application/json",
    )
    assert (status, headers["content-type"]) == (200, media)
    assert body == warm.home.ragman(QUESTION, *flags, VADEMECUM_SERVICE="off").stdout
    assert headers["content-length"] == str(len(body))


def test_an_answer_with_its_trace(warm, ask):
    body = {"question": QUESTION, "explain": True, "sources": None, "conversation": None, "sections": []}
    status, _, said = ask(warm.home.socket, "POST", "/ask", body, Accept="application/json")
    assert status == 200
    assert json.loads(said)["trace"]["steps"][0]["name"] == "analyse"


def test_search(warm, ask):
    from vademecum import Library

    status, _, said = ask(warm.home.socket, "POST", "/search", {"question": QUESTION, "limit": 2})
    assert status == 200
    hits = json.loads(said)["hits"]
    expected = Library.open(warm.home.places).search(QUESTION, limit=2)
    assert [(hit["reference"], hit["quote"], hit["score"]) for hit in hits] == [
        (hit.reference, hit.text, hit.score) for hit in expected
    ]
    assert hits


def test_sources(warm, ask):
    status, _, said = ask(warm.home.socket, "GET", "/sources")
    assert status == 200
    (source,) = json.loads(said)["sources"]
    assert (source["alias"], source["documents"]) == ("manual", 4)
    assert "seen" not in source


# --- what cannot be carried out --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status", "code"),
    [
        ("GET", "/", None, {}, 404, "NO_SUCH_PATH"),
        ("GET", "/../../etc/passwd", None, {}, 404, "NO_SUCH_PATH"),
        ("GET", "/ask", None, {}, 405, "METHOD_NOT_ALLOWED"),
        ("DELETE", "/sources", None, {}, 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/ask", {"question": "x"}, {"Content_Type": "text/plain"}, 415, "NOT_JSON"),
        ("POST", "/ask", {"question": "x"}, {"Content_Type": ""}, 415, "NOT_JSON"),
        ("POST", "/ask", {"question": "x"}, {"Accept": "image/png"}, 406, "NO_SUCH_FORM"),
        ("POST", "/ask", {"question": "x"}, {"Vademecum_Edition": "1-1"}, 409, "OTHER_EDITION"),
        ("POST", "/ask", {"question": "x", "data": "/else"}, {}, 409, "OTHER_FOLDERS"),
        ("POST", "/ask", {"question": "x", "config": None}, {}, 409, "OTHER_FOLDERS"),
        ("POST", "/ask", {}, {}, 400, "BODY_INVALID"),
        ("POST", "/ask", [], {}, 400, "BODY_INVALID"),
        ("POST", "/ask", b"", {}, 400, "BODY_INVALID"),
        ("POST", "/ask", b"\xff\xfe", {}, 400, "BODY_INVALID"),
        ("POST", "/ask", b'{"question": ', {}, 400, "BODY_INVALID"),
        ("POST", "/ask", b"[" * 500_000, {}, 400, "BODY_INVALID"),
        ("POST", "/ask", b'{"question": "x", "context_tokens": 1' + b"0" * 5000 + b"}", {}, 400, "BODY_INVALID"),
        ("POST", "/ask", {"question": 3}, {}, 400, "BODY_INVALID"),
        ("POST", "/ask", {"question": "x", "strict": "yes"}, {}, 400, "BODY_INVALID"),
        ("POST", "/ask", {"question": "x", "context_tokens": True}, {}, 400, "BODY_INVALID"),
        ("POST", "/ask", {"question": "x", "context_tokens": 0}, {}, 400, "BODY_INVALID"),
        ("POST", "/ask", {"question": "x", "context_tokens": 10**20}, {}, 400, "BODY_INVALID"),
        ("POST", "/ask", {"question": "x", "sources": [3]}, {}, 400, "BODY_INVALID"),
        ("POST", "/ask", {"question": "x", "sections": "3"}, {}, 400, "BODY_INVALID"),
        ("POST", "/ask", {"question": "x", "sections": ["3"] * 101}, {}, 400, "BODY_INVALID"),
        ("POST", "/ask", {"question": "x", "conversation": 3}, {}, 400, "BODY_INVALID"),
        ("POST", "/search", {"question": "x", "sources": "man"}, {}, 400, "BODY_INVALID"),
        ("POST", "/ask", {"question": "x", "unknown": 1}, {}, 400, "BODY_INVALID"),
        ("POST", "/search", {"question": "x", "limit": -1}, {}, 400, "BODY_INVALID"),
        ("POST", "/reindex", {"sources": [1]}, {}, 400, "BODY_INVALID"),
        ("POST", "/reindex", {"full": 1}, {}, 400, "BODY_INVALID"),
        ("POST", "/ask", {"question": ""}, {}, 400, "QUESTION_INVALID"),
    ],
)  # fmt: skip
def test_rejects_invalid_requests(warm, ask, method, path, body, headers, status, code):  # noqa: PLR0917
    found, said_headers, said = ask(warm.home.socket, method, path, body, **headers)
    problem = json.loads(said)
    assert (found, problem["code"], problem["status"]) == (status, code, status), problem
    assert said_headers["content-type"] == "application/problem+json"
    assert problem["detail"]
    assert {"type", "title", "hint"} <= set(problem)


GARBAGE = {
    "nothing": (b"", 0),
    "noise": (b"\xff" * 100_000, 431),
    "a little noise": (b"\x00\xff\x16\x03\x01\r\n\r\n", 400),
    "another protocol": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    "10 MB of head": (LINE + b"X: " + b"y" * 10_000_000, 431),
    "many headers": (LINE + b"X: y\r\n" * 100_000, 431),
    "bare line feeds": (b"GET /healthz HTTP/1.1\n\n\r\n\r\n", 400),
    "no version": (b"GET /healthz\r\n\r\n", 400),
    "version 2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 404),
    "an absolute address": (b"GET http://x/healthz HTTP/1.1\r\n\r\n", 400),
    "NUL in the path": (b"GET /heal\0thz HTTP/1.1\r\n\r\n", 400),
    "NUL in a header": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n", 400),
    "a folded header": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n", 200),
    "a space before the colon": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX : a\r\n\r\n", 400),
    "a body in chunks": (LINE + JSON + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400),
    "chunks that are too large": (LINE + JSON + b"Transfer-Encoding: chunked\r\n\r\n" + b"fffffff\r\n" + b"x" * 8_000_000, 413),
    "chunks and a length": (LINE + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", 415),
    "two lengths": (LINE + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400),
    "a negative length": (LINE + b"Content-Length: -1\r\n\r\n", 400),
    "a length in words": (LINE + b"Content-Length: two\r\n\r\n{}", 400),
    "a digit of another script": (LINE + "Content-Length: ٢\r\n\r\n{}".encode(), 400),
    "a huge length": (LINE + JSON + b"Content-Length: 99999999999999999999999999\r\n\r\n{}", 400),
    "a body too large": (LINE + JSON + b"Content-Length: 1048577\r\n\r\n" + b"x" * 1_048_577, 413),
}  # fmt: skip


@pytest.mark.skipif(os.geteuid() != 0, reason="takes another user")
def test_another_user_is_rejected_even_if_the_socket_is_open_to_everyone(warm, ask, monkeypatch):
    path = warm.home.socket
    monkeypatch.chdir(path.parent)  # another user cannot search the folders above
    path.parent.chmod(0o711)
    path.chmod(0o666)
    before = warm.questions()
    os.seteuid(65534)
    try:
        status, _, body = ask(path.name, "POST", "/ask", {"question": QUESTION})
    finally:
        os.seteuid(0)
        path.chmod(0o600)
        path.parent.chmod(0o700)
    assert (status, json.loads(body)["code"]) == (403, "OTHER_USER")
    assert warm.questions() == before


@pytest.mark.parametrize(("request_bytes", "status"), GARBAGE.values(), ids=GARBAGE)
def test_garbage(warm, request_bytes, status):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(str(warm.home.socket))
        try:
            connection.sendall(request_bytes)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        said = b""
        try:
            while piece := connection.recv(65536):
                said += piece
        except ConnectionResetError:
            pass
    assert (int(said.split()[1]) if said else 0) == status


def drips(connection):
    time.sleep(0.1)
    try:
        connection.sendall(b"X")
    except BrokenPipeError:
        return False
    return True


@pytest.mark.nightly
def test_half_a_request_is_forgotten_or_cut_off_in_time(warm, connect):
    halves = (
        b"G",
        b"POST /ask HTTP/1.1\r\nContent-Type: appli",
        LINE + JSON + b"Content-Length: 100\r\n\r\n",
        LINE + JSON + b'Content-Length: 100\r\n\r\n{"question"',
    )
    with ExitStack() as stack:
        for half in halves:
            with connect(warm.home.socket) as gone:
                gone.sendall(half)
        slow = [stack.enter_context(connect(warm.home.socket)) for _ in halves]
        dripping = stack.enter_context(connect(warm.home.socket))
        for connection, half in zip(slow, halves, strict=True):
            connection.sendall(half)
        wait_until(lambda: not drips(dripping))
        assert [connection.recv(4096)[:13] for connection in slow] == [b"HTTP/1.1 408 "] * 4


def test_more_idle_connections_than_it_takes(warm, connect, ask):
    """They are cut off after a while, and then whoever waits is served."""
    idle = [connect(warm.home.socket) for _ in range(100)]
    try:
        assert ask(warm.home.socket, "GET", "/healthz")[0] == 200
    finally:
        for connection in idle:
            connection.close()


def test_requests_on_one_connection_are_answered_in_order(warm, exchange):
    request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
    status, _, body = exchange(
        warm.home.socket, (request + b"\r\n") * 49 + request + b"Connection: close\r\n\r\n"
    )
    assert status == 200
    assert body.count(b"HTTP/1.1 200 OK") == 49
    assert body.count(b'"status":"ok"') == 50


def test_a_client_that_does_not_wait_for_the_answer(warm, connect):
    body = json.dumps({"question": QUESTION}).encode()
    for _ in range(20):
        with connect(warm.home.socket) as connection:
            connection.sendall(LINE + JSON + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def test_a_client_that_asks_before_it_sends(warm, connect):
    body = json.dumps({"question": QUESTION}).encode()
    with connect(warm.home.socket) as connection:
        connection.sendall(LINE + JSON + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
        assert connection.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 OK\r\n")


def test_garbage_and_questions_at_once(warm, ask, exchange):
    expected = ask(warm.home.socket, "POST", "/ask", {"question": QUESTION})[2]

    def put(number):
        if number % 2:
            return exchange(warm.home.socket, os.urandom(200) + b"\r\n\r\n")[0] == 400
        return ask(warm.home.socket, "POST", "/ask", {"question": QUESTION})[2] == expected

    with ThreadPoolExecutor(8) as clients:
        assert all(clients.map(put, range(100)))
