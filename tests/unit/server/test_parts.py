"""Settings, redaction, publishing, and errors as they are told."""

import json
import logging
import socket

import pytest
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from vademecum.core.errors import CollectionMissing, ConfigError, all_errors
from vademecum.server.errors import HttpError
from vademecum.server.guard.proxies import unwrap
from vademecum.server.guard.redaction import published
from vademecum.server.log import _secrets, cleaned, logger_of, set_up_logging
from vademecum.server.metrics import Metrics
from vademecum.server.responses import error_response
from vademecum.server.run import check_place
from vademecum.server.settings import ServerSettings


@pytest.mark.parametrize(
    "change",
    [
        {"port": -1},
        {"port": 65536},
        {"workers": 0},
        {"workers": 65},
        {"allowed_origins": ("book.example.org",)},
        {"allowed_origins": ("https://book.example.org/",)},
        {"allowed_origins": ("*",)},
        {"allowed_origins": ("null",)},
        {"allowed_origins": ("ftp://book.example.org",)},
        {"allowed_origins": ("http://[",)},
        {"allowed_hosts": ("https://book.example.org",)},
        {"allowed_hosts": ("book.example.org:8080",)},
        {"allowed_hosts": ("book.example.org/ask",)},
        {"allowed_hosts": ("*.example.org",)},
        {"allowed_hosts": ("",)},
        {"trusted_proxies": ("localhost",)},
        {"trusted_proxies": ("10.0.0.0/99",)},
        {"root_path": "vademecum"},
        {"root_path": "/a b"},
        {"root_path": "//x"},
        {"root_path": "/../x/?"},
    ],
)
def test_settings_that_cannot_be_used(change):
    with pytest.raises(ConfigError):
        ServerSettings(**change)


@pytest.mark.parametrize(
    ("host", "is_local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104 - that is the question
        ("::", False),
        ("192.168.0.1", False),
        ("[::1]", True),
        ("[::]", False),
    ],
)
def test_tells_a_local_address_from_others(host, is_local):
    settings = ServerSettings(host=host)
    assert settings.is_local == is_local
    assert settings.host == host.strip("[]")


@pytest.mark.parametrize(
    "change", [{"allowed_hosts": ("book.example.org",)}, {"trusted_proxies": ("127.0.0.1",)}]
)
def test_requests_through_a_proxy_are_not_local(change, tmp_path):
    settings = ServerSettings(folder=tmp_path, **change)
    assert settings.is_loopback
    assert not settings.is_local
    with pytest.raises(ConfigError, match="--allow-host"):
        check_place(settings)


@pytest.mark.parametrize(
    ("client", "headers", "found"),
    [
        ("10.0.0.1", {"x-forwarded-for": "203.0.113.7"}, ("203.0.113.7", "http")),
        ("10.0.0.1", {"x-forwarded-for": "1.1.1.1, 203.0.113.7, 10.0.0.2"}, ("203.0.113.7", "http")),
        ("10.0.0.1", {"x-forwarded-for": "unix"}, ("10.0.0.1", "http")),
        ("10.0.0.1", {"x-forwarded-for": "evil, 203.0.113.7"}, ("203.0.113.7", "http")),
        ("10.0.0.1", {"x-forwarded-for": ""}, ("10.0.0.1", "http")),
        ("10.0.0.1", {"x-forwarded-proto": "https"}, ("10.0.0.1", "https")),
        ("10.0.0.1", {"x-forwarded-proto": "javascript"}, ("10.0.0.1", "http")),
        ("10.0.0.1", {"x-forwarded-for": "2001:db8::1"}, ("2001:db8::1", "http")),
        (
            "192.0.2.1",
            {"x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https"},
            ("192.0.2.1", "http"),
        ),
        ("unix", {"x-forwarded-for": "203.0.113.7"}, ("unix", "http")),
    ],
)
def test_takes_the_client_from_a_trusted_proxy(client, headers, found):
    scope = {"client": (client, 1), "scheme": "http"}
    unwrap(scope, headers, ("10.0.0.0/8", "::1"))
    assert (scope["client"][0], scope["scheme"]) == found
    before = {"client": (client, 1), "scheme": "http"}
    unwrap(before, headers, ())
    assert before == {"client": (client, 1), "scheme": "http"}


def test_a_name_leads_somewhere_or_is_refused(monkeypatch):
    def known(host, *_arguments, **_options):
        if host != "localhost.example.org":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", known)
    assert not ServerSettings(host="localhost.example.org").is_local
    for host in ("nohost.invalid", "", "127.0.0.1:80", "[localhost.example.org", "x" * 70):
        with pytest.raises(ConfigError, match="resolved"):
            ServerSettings(host=host)


def test_names_that_may_be_allowed():
    names = ("book.example.org", "Book-2", "my_host", "192.168.0.1", "fe80::1", "x")
    assert ServerSettings(allowed_hosts=names).allowed_hosts == names


@pytest.fixture
def loggers(monkeypatch):
    """Puts back what is changed of the loggers, all of which tests share."""
    found = [logging.getLogger(name) for name in ("vademecum.server", "uvicorn", "mcp")]
    for logger in found:
        for attribute in ("handlers", "propagate", "disabled"):
            monkeypatch.setattr(logger, attribute, getattr(logger, attribute))
    levels = [logger.level for logger in found]
    yield
    for logger, level in zip(found, levels, strict=True):
        logger.setLevel(level)


@pytest.mark.usefixtures("loggers")
def test_the_log_goes_to_standard_error_whatever_was_set_up_before(capfd):
    logger = logging.getLogger("vademecum.server")
    logger.setLevel(logging.CRITICAL)
    logger.handlers = [logging.NullHandler()]
    logger.disabled = True  # as `logging.config` leaves loggers it was not told of
    set_up_logging()
    log = logger_of(logger)
    for said in ("first", "second"):
        log.info(said, api_key="abc")
        line = json.loads(capfd.readouterr().err)
        assert (line["event"], line["api_key"], line["level"]) == (said, "[key]", "info")


def test_secrets_are_hidden(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "hunter2hunter2")
    monkeypatch.setenv("SHORT_KEY", "abc")
    _secrets.cache_clear()
    try:
        said = cleaned(
            {
                "authorization": "Bearer x",
                "api_key": "y",
                "message": "it said hunter2hunter2 and abc",
                "list": ["sk-proj-0123456789", ("Bearer abcdefgh.ijkl", 3, None)],
                "url": "postgres://anna:word@host/db",
                "max_tokens": 5,
                "token": 7,
            }
        )
    finally:
        _secrets.cache_clear()
    assert said == {
        "authorization": "[key]",
        "api_key": "[key]",
        "message": "it said [key] and abc",
        "list": ["[key]", ["Bearer [key]", 3, None]],
        "url": "postgres://[key]@host/db",
        "max_tokens": 5,
        "token": 7,
    }


def test_places_on_the_disk_are_not_published():
    answer = {"answer": "file:///x", "sources": [{"url": "file:///home/x"}, {"url": "https://x/"}], "url": 3}
    assert published(answer, is_admin=True) == {
        "answer": "file:///x",
        "sources": [{"url": ""}, {"url": "https://x/"}],
        "url": 3,
    }


@pytest.mark.parametrize("error", list(all_errors()), ids=lambda error: error.__name__)
def test_every_error_has_its_status(error):
    reply = error_response(error("what sk-0123456789 happened", hint="do"), path="/ask", request_id="r1")
    assert reply.status_code == error.status
    assert reply.media_type == "application/problem+json"
    said = json.loads(reply.body)
    assert (said["code"], said["request_id"], said["hint"]) == (error.code, "r1", "do")
    assert said["detail"] == "what [key] happened"
    assert said["title"] == error.code.replace("_", " ").capitalize()
    assert ("Retry-After" in reply.headers) == (reply.status_code == 503)


@pytest.mark.parametrize("status", [400, 404, 405, 413, 418])
def test_errors_of_the_framework_are_told_alike(status):
    reply = error_response(HTTPException(status, "what", {"Allow": "POST"}), path="/ask", request_id="")
    assert reply.status_code == status == json.loads(reply.body)["status"]
    assert reply.headers["allow"] == "POST"


def test_a_refusal_that_the_framework_caught_is_told():
    error = HTTPException(400, "There was an error parsing the body")
    error.__cause__ = HttpError(413, "BODY_TOO_LARGE", "Too large.")
    assert error_response(error, path="/x", request_id="").status_code == 413


def test_an_unexpected_error_shows_no_details():
    reply = error_response(ZeroDivisionError("/home/anna/secret"), path="/ask", request_id="r1")
    assert reply.status_code == 500
    assert b"anna" not in reply.body
    assert b"r1" in reply.body


def test_a_collection_that_the_path_names_is_not_found():
    error = CollectionMissing("There is none.")
    replies = [
        error_response(error, path="/x", request_id="", named_by_path=named) for named in (False, True)
    ]
    assert [reply.status_code for reply in replies] == [422, 404]
    assert {json.loads(reply.body)["title"] for reply in replies} == {"Collection missing"}


def test_a_validation_error_does_not_repeat_the_input():
    errors = [
        {"loc": ("body", "query"), "msg": "wrong", "input": "my secret", "ctx": {"x": "my secret"}}
    ] * 50
    reply = error_response(RequestValidationError(errors), path="/ask", request_id="")
    said = json.loads(reply.body)
    assert reply.status_code == 400
    assert said["faults"][0] == {"place": "body.query", "message": "wrong"}
    assert len(said["faults"]) == 20
    assert b"my secret" not in reply.body


def test_openais_clients_read_an_error_of_theirs():
    for status, kind in (
        (401, "authentication_error"),
        (404, "not_found_error"),
        (429, "rate_limit_error"),
        (503, "server_error"),
    ):
        reply = error_response(HttpError(status, "CODE", "What."), path="/v1/models", request_id="")
        assert json.loads(reply.body)["error"] == {
            "message": "What.",
            "type": kind,
            "code": "CODE",
            "param": None,
        }


def test_figures_of_one_server_are_its_own():
    one, other = Metrics(), Metrics()
    one.answered("book", outcome="success", seconds=0.1, provider="openai")
    with one.streaming():
        assert b"vademecum_open_streams 1.0" in one.render()
    assert b'desk="book",outcome="success",provider="openai",rule=""} 1.0' in one.render()
    assert b"success" not in other.render()
