"""One call: where it may go, how often it is tried, how long it may take, and what it may cost."""

import socket
import time
from email.utils import formatdate

import pytest

from vademecum.core.deadline import Deadline
from vademecum.core.errors import (
    ConfigError,
    ModelMissing,
    ProviderBusy,
    ProviderRefused,
    ProviderTimeout,
    ProviderUnreachable,
    ReplyInvalid,
)
from vademecum.net import Client, place_of
from vademecum.testing.scripted import answer, stream


def test_a_call_is_answered(serve, call):
    server = serve(answer({"said": "hello"}))
    with call(server, "/chat?a=1", body={"text": "ä"}, headers={"X-One": "1"}) as exchange:
        assert exchange.read_json() == {"said": "hello"}
    (request,) = server.requests
    assert (request.method, request.path, request.json) == ("POST", "/chat?a=1", {"text": "ä"})
    assert request.headers["x-one"] == "1"
    assert request.headers["content-type"] == "application/json"


def test_connections_are_used_again(serve, call):
    server = serve(answer({}), stream([b"a", b"b"]), answer({}))
    for _ in range(3):
        call(server).read()
    assert (len(server.requests), server.connections) == (3, 1)


def test_a_connection_that_the_server_dropped_is_not_used_again(serve, call):
    def once(visit, _request):
        visit.send(answer({}))
        visit.hang_up()

    server = serve(once)
    for _ in range(3):
        assert call(server).read() == b"{}"
        time.sleep(0.05)
    assert server.connections == 3


def test_a_connection_that_the_server_drops_at_that_very_moment_is_no_try(serve, call):
    def hang_up(visit, _request):
        visit.hang_up()

    server = serve(answer({}), hang_up, answer({"fine": 1}))
    assert call(server, retries=0).read() == b"{}"
    assert call(server, retries=0).read_json() == {"fine": 1}
    assert (len(server.requests), server.connections) == (3, 2)


# --- where -----------------------------------------------------------------------------------------------------------


def test_nothing_goes_to_a_host_that_was_not_named(serve, client):
    server = serve(answer({}))
    place = place_of(server.url)
    with pytest.raises(ConfigError) as caught:
        client.exchange(place, "/")
    assert "configuration" in caught.value.hint
    client.allow(place)
    del client._allowed[place.host, place.port]  # below HTTP, too
    with pytest.raises(ConfigError):
        client.exchange(place, "/").read()
    assert server.connections == 0


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed_nowhere(serve, call, status):
    elsewhere = serve(answer({"from": "elsewhere"}))
    server = serve(answer("", status, headers={"Location": elsewhere.url}))
    with pytest.raises(ReplyInvalid, match="redirect") as caught:
        call(server).read()
    assert "base_url" in caught.value.hint
    assert elsewhere.connections == 0


def test_the_environment_names_no_proxy(serve, call, monkeypatch):
    proxy, server = serve(answer({"from": "proxy"})), serve(answer({"from": "server"}))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.url)
    assert call(server).read_json() == {"from": "server"}
    assert proxy.connections == 0


def test_a_configured_proxy_is_used_and_nothing_else(serve):
    proxy, server = serve(answer({"from": "proxy"})), serve(answer({"from": "server"}))
    with Client(proxy=proxy.url) as client:
        place = place_of(server.url)
        client.allow(place)
        assert client.exchange(place, "/x", body={}).read_json() == {"from": "proxy"}
    assert proxy.requests[0].path == f"{server.url}/x"
    assert server.connections == 0


@pytest.mark.parametrize(
    "address",
    [
        "", "localhost", "localhost:80", "ftp://a", "http://", "http://a b", "http://a:99999", "http://a:0",
        "http://[::1", "http://a/?key=1", "http://a/#x", "http://a\n", "http://ä\x00", "http://" + "a" * 3000,
        "file:///etc/passwd", "http://a/\u202e",
    ],
)  # fmt: skip
def test_rejects_a_bad_address(address):
    with pytest.raises(ConfigError) as caught:
        place_of(address)
    assert caught.value.hint
    assert caught.value.message.isprintable()


def test_a_password_in_an_address_is_refused_and_not_shown():
    with pytest.raises(ConfigError) as caught:
        place_of("https://me:opensesame@example.org/v1")
    assert "opensesame" not in caught.value.message + caught.value.hint


# --- how often -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_tries_again_after_a_passing_refusal(serve, call, status):
    server = serve(answer("later", status), answer("later", status), answer({"fine": 1}))
    assert call(server).read_json() == {"fine": 1}
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, ProviderRefused),
        (401, ProviderRefused),
        (403, ProviderRefused),
        (404, ModelMissing),
        (413, ProviderRefused),
        (422, ProviderRefused),
        (501, ProviderBusy),
    ],
)
def test_asks_once_after_a_lasting_refusal(serve, call, status, kind):
    server = serve(answer({"error": {"message": "because\x1b[31m"}}, status))
    with pytest.raises(kind, match="because") as caught:
        call(server).read()
    assert type(caught.value) is kind
    assert caught.value.hint
    assert caught.value.message.isprintable()
    assert len(server.requests) == 1


def test_how_long_a_server_asks_to_wait_is_said(serve, call):
    server = serve(answer({"error": "too much"}, 429, headers={"Retry-After": "90"}))
    with pytest.raises(ProviderBusy) as caught:
        call(server, retries=0).read()
    assert "90 s" in caught.value.hint


def test_reports_the_last_refusal(serve, call):
    server = serve(answer({"error": "too much"}, 429))
    with pytest.raises(ProviderBusy, match=r"status 429, 3 attempts.*too much"):
        call(server, retries=2).read()
    assert len(server.requests) == 3


def test_a_connection_that_breaks_before_the_answer_is_tried_again(serve, call):
    server = serve(lambda visit, _request: visit.hang_up(), answer({"fine": 1}))
    assert call(server).read_json() == {"fine": 1}
    assert len(server.requests) == 2


def test_an_answer_that_has_begun_is_never_asked_for_again(serve, call):
    server = serve(stream([b"begun"], then=lambda visit, _request: visit.hang_up()), answer("again"))
    with pytest.raises(ReplyInvalid, match="broke off"):
        call(server).read()
    assert len(server.requests) == 1


def test_nobody_there(call):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and not listening

        class Nobody:
            url = f"http://127.0.0.1:{taken.getsockname()[1]}"

        with pytest.raises(ProviderUnreachable, match="refused") as caught:
            call(Nobody, retries=2).read()
    assert "base_url" in caught.value.hint


def test_the_server_says_how_long_to_wait(serve, call):
    server = serve(answer("", 429, headers={"Retry-After": "1"}), answer({"fine": 1}))
    began = time.monotonic()
    assert call(server).read_json() == {"fine": 1}
    assert time.monotonic() - began >= 1


def test_the_server_may_say_it_as_a_date(serve, call):
    moment = time.time() + 2
    server = serve(
        answer("", 503, headers={"Retry-After": formatdate(moment, usegmt=True)}), answer({"fine": 1})
    )
    assert call(server).read_json() == {"fine": 1}
    assert time.time() >= int(moment)


@pytest.mark.parametrize("asked", ["3600", "99999999999999999999", "Fri, 01 Jan 2100 00:00:00 GMT"])
def test_nobody_waits_past_the_deadline(serve, call, asked):
    server = serve(answer("", 429, headers={"Retry-After": asked}))
    with pytest.raises(ProviderBusy) as caught:
        call(server, timeout_s=5).read()
    assert "time limit" in caught.value.hint


@pytest.mark.parametrize("asked", ["", "soon", "-5", "1e9", "Wed, 99 Foo 2015", "٣", "\x00"])
def test_nonsense_for_a_time_to_wait_is_passed_over(serve, call, asked):
    server = serve(answer("", 503, headers={"Retry-After": asked}), answer({"fine": 1}))
    assert call(server, timeout_s=5).read_json() == {"fine": 1}


# --- how long --------------------------------------------------------------------------------------------------------


def test_one_deadline_holds_for_all_tries(serve, call):
    server = serve(answer("", 503))
    deadline = Deadline(1)
    with pytest.raises((ProviderBusy, ProviderTimeout)):
        call(server, retries=20, first_pause_s=0.2, deadline=deadline).read()
    assert 2 <= len(server.requests) < 20


def test_a_server_that_never_answers(serve, call):
    server = serve(lambda visit, _request: visit.wait_for_end())
    with pytest.raises(ProviderTimeout, match=r"within 0\.5 s"):
        call(server, timeout_s=0.5).read()
    assert len(server.requests) == 1


def test_a_server_that_answers_drop_by_drop_has_no_more_time(serve, call):
    def drip(visit, _request):
        for byte in answer("x" * 1000):
            visit.send(bytes([byte]))
            time.sleep(0.05)

    with pytest.raises(ProviderTimeout):
        call(serve(drip), timeout_s=1).read()


def test_an_answer_that_stalls(serve, call):
    server = serve(stream([b"begun"], then=lambda visit, _request: visit.wait_for_end()))
    with pytest.raises(ProviderTimeout, match=r"said nothing for 0\.3 s") as caught:
        call(server, stall_s=0.3).read()
    assert "stall_s" in caught.value.hint


def test_a_deadline_that_has_passed_asks_nobody(serve, call):
    server = serve(answer({}))
    with pytest.raises(ProviderTimeout):
        call(server, deadline=Deadline(0)).read()
    assert server.connections == 0


# --- how much --------------------------------------------------------------------------------------------------------


def test_an_answer_without_end(serve, call):
    def forever():
        while True:
            yield b"x" * 10_000

    with pytest.raises(ReplyInvalid, match="100,000 bytes"):
        call(serve(stream(forever())), answer_bytes=100_000).read()


@pytest.mark.parametrize(
    "said",
    [
        b"NaN", b'{"a": Infinity}', b"{", b"", b"\xff", b'"\xc3"', b"[" * 100_000, b"9" * 10_000, b"<html>no</html>",
    ],
)  # fmt: skip
def test_rejects_what_is_no_json(serve, call, said):
    with pytest.raises(ReplyInvalid, match="not JSON"):
        call(serve(answer(said))).read_json()


@pytest.mark.parametrize(
    "said", [b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 999999 x\r\n\r\n", b"\x00" * 200_000]
)
def test_a_server_of_another_kind(serve, call, said):
    def speak(visit, _request):
        visit.send(said)
        visit.hang_up()

    with pytest.raises(ProviderUnreachable):
        call(serve(speak), retries=1).read()


def test_rejects_a_body_that_cannot_be_sent(serve, call):
    server = serve(answer({}))
    for body in ({"a": float("nan")}, {"a": "\ud800"}, {"a": object()}):
        with pytest.raises(ConfigError, match="JSON"):
            call(server, body=body)
    assert server.connections == 0


# --- TLS -------------------------------------------------------------------------------------------------------------
