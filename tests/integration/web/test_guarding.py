"""Who may speak to the server, how much they may send, and how long they may take."""

import json
import socket
import time
from dataclasses import replace

import pytest

from vademecum.server.listen import connection as connections

ASK = json.dumps({"query": "How long must I hold the calibration button?"}).encode()


def request(head, body=b""):
    return f"POST /ask HTTP/1.1\r\n{head}\r\n\r\n".encode() + body


def status_of(reply):
    assert reply.startswith(b"HTTP/1.1 "), reply
    return int(reply.split()[1])


def problem_of(reply):
    head, _, body = reply.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head.lower()
    return json.loads(body)


@pytest.mark.parametrize(
    "name",
    ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example:80", "", "[::1"],
)
def test_a_name_that_is_not_ours(server, name):
    reply = server.get("/healthz", headers={"Host": name})
    assert (reply.status, reply.json["code"]) == (421, "HOST_UNKNOWN")


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST:1234", "127.0.0.1", "[::1]:80", "localhost."])
def test_our_own_names(server, name):
    assert server.get("/healthz", headers={"Host": name}).status == 200


def test_names_and_origins_that_are_allowed(shared_settings, run_server, anna):
    settings = replace(
        shared_settings, allowed_hosts=("Ask.Example.org",), allowed_origins=("https://book.example.org",)
    )
    with run_server(settings) as server:
        assert server.get("/healthz", headers={"Host": "ask.example.org"}).status == 200
        assert server.get("/healthz", headers={"Host": "book.example.org"}).status == 421
        asked = server.post("/ask", ASK, headers={"Origin": "https://book.example.org"} | JSON, key=anna)
        assert asked.status == 200
        assert asked.headers["access-control-allow-origin"] == "https://book.example.org"
        before = {"Origin": "https://book.example.org", "Access-Control-Request-Method": "POST"}
        preflight = server.call("OPTIONS", "/ask", headers=before)
        assert preflight.status == 204
        assert "POST" in preflight.headers["access-control-allow-methods"]
        for origin in (
            "https://book.example.org.evil.org",
            "http://book.example.org",
            "https://evil.example",
        ):
            refused = server.post("/ask", ASK, headers={"Origin": origin} | JSON)
            assert refused.status == 403
            assert "access-control-allow-origin" not in refused.headers


JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://localhost:1", "file://", "http://[", "http://[zz]", "x" * 9000],
)
def test_a_web_page_of_another_place(server, origin):
    reply = server.post("/ask", ASK, headers={"Origin": origin} | JSON)
    assert (reply.status, reply.json["code"]) == (403, "ORIGIN_UNKNOWN")
    assert f" {origin[:79]}" in reply.json["detail"]
    assert server.call("OPTIONS", "/ask", headers={"Origin": origin}).status == 403


def test_a_page_of_another_place_that_says_no_origin(server):
    headers = {"Sec-Fetch-Site": "cross-site"} | JSON
    assert server.post("/ask", ASK, headers=headers).status == 403


def test_our_own_pages(server):
    assert server.post("/ask", ASK, headers={"Origin": server.url} | JSON).status == 200


@pytest.mark.parametrize("header", ["Host", "Origin", "Authorization", "X-API-Key", "Content-Type"])
def test_two_of_a_header_that_decides(server, header):
    values = {"Host": "localhost", "Origin": server.url}
    value = values.get(header, "x")
    lines = {"Host": "localhost", "Content-Length": "0", "Connection": "close"}
    lines.pop(header, None)
    head = "".join(f"{name}: {said}\r\n" for name, said in lines.items())
    reply = server.raw(request(f"{head}{header}: {value}\r\n{header}: {value}"))
    assert status_of(reply) == 400
    problem_of(reply)


def test_a_body_that_says_it_is_too_large(server):
    reply = server.raw(request("Host: localhost\r\nContent-Length: 99999999999999999999"))
    assert status_of(reply) == 413


def test_a_body_that_is_too_large(settings, run_server):
    with run_server(replace(settings, body_bytes=1000)) as server:
        assert server.post("/ask", b"{" + b" " * 999, headers=JSON).status == 400  # it is read
        reply = server.post("/ask", b" " * 1001, headers=JSON)
        assert (reply.status, reply.json["code"]) == (413, "BODY_TOO_LARGE")
        assert server.get("/healthz").status == 200


def test_pieces_past_the_limit(settings, run_server):
    def pieces():
        yield request("Host: localhost\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json")
        for _ in range(100):
            yield b"64\r\n" + b" " * 100 + b"\r\n"
        yield b"0\r\n\r\n"

    with run_server(replace(settings, body_bytes=1000)) as server:
        reply = server.raw(pieces())
        assert status_of(reply) == 413
        assert problem_of(reply)["code"] == "BODY_TOO_LARGE"
        assert server.get("/healthz").status == 200


def test_pieces_without_end(settings, run_server):
    def send_on(connection):
        while True:
            connection.sendall(b"2710\r\n" + b" " * 10_000 + b"\r\n")

    with run_server(replace(settings, body_bytes=1000)) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.sendall(request("Host: localhost\r\nTransfer-Encoding: chunked"))
            with pytest.raises(OSError):  # noqa: PT011 - whichever: nobody listens any more
                send_on(connection)
        assert server.get("/healthz").status == 200


def test_a_slow_body(settings, run_server):
    with run_server(replace(settings, body_s=0.5)) as server:
        reply = server.raw(request(f"Host: localhost\r\nContent-Length: {len(ASK)}", ASK[:5]))
        assert status_of(reply) == 408
        assert problem_of(reply)["code"] == "TOO_SLOW"


def test_a_body_that_drips(settings, run_server):
    def drops():
        yield request("Host: localhost\r\nContent-Length: 1000")
        for _ in range(1000):
            yield b" "
            time.sleep(0.05)

    with run_server(replace(settings, body_s=0.5)) as server:
        assert status_of(server.raw(drops())) == 408


def test_a_slow_head(settings, run_server, monkeypatch):
    monkeypatch.setattr(connections, "_HEAD_S", 0.4)
    with run_server(settings) as server:
        assert status_of(server.raw(b"POST /ask HTTP/1.1\r\nHost: local")) == 408
        assert server.raw(b"") == b""  # nothing said, nothing answered
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            whole = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            connection.sendall(whole)
            received = b""
            while not received.endswith(b"}"):
                received += connection.recv(4096)
            assert status_of(received) == 200
            connection.sendall(whole[:20])  # the second head of a connection
            left = b""
            while piece := connection.recv(4096):
                left += piece
            assert left == b"" or status_of(left) == 408


@pytest.mark.parametrize(
    "junk",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 10,
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nBad Header\r\n\r\n",
        b"POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        b"POST /ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    ],
)
def test_what_is_no_request(server, junk):
    reply = server.raw(junk)
    assert status_of(reply) == 400
    assert problem_of(reply)["code"] == "REQUEST_MALFORMED"
    assert server.get("/healthz").status == 200


def test_a_head_that_is_too_large(server):
    assert server.get("/healthz", headers={"X": "x" * 40_000}).status == 431


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/docs/../keys.json",
        "/docs/%2e%2e/%2e%2e/etc/passwd",
        "/%00",
        "//ask",
        "/ask/",
        "/\u202e",
        "/" + "x" * 10_000,
    ],
)
def test_paths_that_lead_nowhere(server, path):
    raw = path.encode("ascii", "ignore").decode() if "\u202e" not in path else "/%E2%80%AE"
    reply = server.get(raw)
    assert (reply.status, reply.json["code"]) == (404, "NO_SUCH_PATH")
    assert "x" * 100 not in reply.json["detail"]


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "TRACE", "BREW"])
def test_methods_that_are_not_taken(server, method):
    reply = server.call(method, "/ask")
    assert (reply.status, reply.json["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert reply.headers["allow"] == "POST"


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_what_monitors_ask_for_by_its_head(shared, path):
    whole, head = shared.get(path), shared.call("HEAD", path)
    assert head.status == whole.status == 200
    assert head.body == b""
    assert head.headers["content-length"] == str(len(whole.body))


def test_the_head_of_a_server_that_is_not_ready(tmp_path, settings, run_server):
    with run_server(replace(settings, collections_folder=tmp_path / "none")) as server:
        reply = server.call("HEAD", "/readyz")
        assert (reply.status, reply.body, reply.headers["retry-after"]) == (503, b"", "5")


def test_a_web_socket_is_none(server):
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "x" * 22 + "==",
        "Sec-WebSocket-Version": "13",
    }
    assert server.get("/ask", headers=headers).status == 405


def test_every_reply_is_named_and_fenced(server):
    for path in ("/healthz", "/nothing", "/docs"):
        reply = server.get(path)
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in reply.headers["content-security-policy"]
        assert reply.headers["x-request-id"]
        assert "server" not in reply.headers


def test_the_id_of_a_request(server):
    assert server.get("/healthz", headers={"X-Request-Id": "mine-1"}).headers["x-request-id"] == "mine-1"
    for bad in ("x" * 65, "a b", "a;b", "<x>"):
        assert server.get("/healthz", headers={"X-Request-Id": bad}).headers["x-request-id"] != bad


def test_a_proxys_word_is_not_taken(server):
    headers = {
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "https",
        "Forwarded": "host=evil.example",
    }
    assert server.get("/healthz", headers=headers).status == 200
