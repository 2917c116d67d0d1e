"""A key is sent, and shown nowhere."""

import copy
import logging
import pickle
import traceback

import pytest

from vademecum.core.errors import ConfigError, ProviderError
from vademecum.net import Secret
from vademecum.net.secret import redacted
from vademecum.testing.scripted import answer, stream

KEY = 'sk-k3y/with+odd=signs"\\%41'


def test_no_form_of_a_secret_shows_it():
    secret = Secret(KEY, origin="SOME_KEY", form="Bearer ")
    assert secret.header() == f"Bearer {KEY}"
    shown = [repr(secret), str(secret), f"{secret}", f"{secret!r:>9}", repr([secret]), repr({"key": secret})]
    assert all(KEY not in one and "SOME_KEY" in one for one in shown)
    for way in (copy.copy, pickle.dumps):
        with pytest.raises(TypeError):
            way(secret)


@pytest.mark.parametrize("value", ["", "  ", "two words", "line\nend", "a\x00b", "clé", "a\r\nX-Evil: 1"])
def test_rejects_a_key_that_no_header_can_carry(value):
    with pytest.raises(ConfigError, match="SOME_KEY") as caught:
        Secret(value, origin="SOME_KEY")
    assert len(value.strip()) < 2 or value.strip() not in caught.value.message


def test_a_key_that_a_text_repeats_is_left_out():
    from urllib.parse import quote

    secret = Secret(KEY, origin="SOME_KEY")
    text = f"a {KEY} b {quote(KEY, safe='')} c"
    assert redacted(text, [secret]) == "a [key] b [key] c"


@pytest.mark.parametrize(
    "script",
    [
        answer({"error": {"message": f"Incorrect API key provided: {KEY}"}}, 401),
        answer(f"no such thing: {KEY}", 404, kind="text/plain"),
        answer(f"<html>{KEY}</html>", 500, kind="text/html"),
        answer(f"{KEY} is not JSON", kind="text/plain"),
        answer("", 302, headers={"Location": f"https://elsewhere.example/{KEY}"}),
        answer(KEY, 429),
        stream([KEY.encode()], then=lambda visit, _request: visit.hang_up()),
        lambda visit, _request: visit.send(f"HTTP/1.1 {KEY}\r\n\r\n".encode()),
        lambda visit, _request: visit.hang_up(),
    ],
    ids=["refused", "missing", "page", "no JSON", "elsewhere", "busy", "broken off", "no HTTP", "hung up"],
)
def test_no_error_and_no_log_shows_it(serve, call, script, caplog):
    caplog.set_level(logging.DEBUG)
    server = serve(script)
    headers = {"Authorization": Secret(KEY, origin="SOME_KEY", form="Bearer ")}
    exchange = call(server, headers=headers, body={}, retries=1)
    with pytest.raises(ProviderError) as caught:
        exchange.read_json()
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    error = caught.value
    said = [
        repr(exchange),
        error.message,
        error.hint,
        repr(error),
        "".join(traceback.format_exception(error)),
    ]
    assert all(KEY not in one for one in said)
    assert KEY not in caplog.text
