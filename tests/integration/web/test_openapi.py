"""The description of the API: its examples are tried, its page is ours, and every route keeps to it whatever is sent."""

import json
import re
import shutil
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from vademecum.library.collections import Collections
from vademecum.server.app import create_app
from vademecum.server.middleware import UPLOADS
from vademecum.server.openapi import described, examples
from vademecum.server.responses import PATTERNS
from vademecum.server.settings import ServerSettings

PAGES = Path(__file__).parents[3] / "src/vademecum/server/pages"


def answers(_context, response, case):
    """A check: whatever is sent, the server does not fail."""
    assert response.status_code != 500, f"{case.method} {case.path}: {response.text}"


CHECKS = (
    answers,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
    ignored_auth,
)


def fits(shown, comes):
    """Whether a reply is as an example shows it, which may leave out fields; of lists the beginning."""
    if isinstance(shown, dict):
        return isinstance(comes, dict) and all(
            name in comes and fits(one, comes[name]) for name, one in shown.items()
        )
    if isinstance(shown, list):
        return (
            isinstance(comes, list)
            and bool(shown) == bool(comes)
            and any(fits(shown[0], one) for one in comes)
            if shown
            else comes == []
        )
    if isinstance(shown, str) and "..." in shown:
        pattern = ".*".join(map(re.escape, shown.split("...")))
        return isinstance(comes, str) and re.fullmatch(pattern, comes, re.DOTALL) is not None
    if isinstance(shown, float) or (isinstance(shown, int) and shown > 1000):
        return isinstance(comes, (int, float))
    return shown == comes


def test_what_takes_files_takes_large_bodies_and_nothing_else_does(server):
    taking = {
        (method, path): "multipart/form-data" in told["requestBody"]["content"]
        for path, methods in described(server.app)["paths"].items()
        for method, told in methods.items()
        if "requestBody" in told
    }
    assert any(taking.values())
    for (method, path), files in taking.items():
        assert (UPLOADS.fullmatch(path) is not None) == files, (method, path)


def test_each_route_lists_what_it_can_answer(server):
    paths = described(server.app)["paths"]
    listed = {
        (method.upper(), path): {int(status) for status in operation["responses"]}
        for path, methods in paths.items()
        for method, operation in methods.items()
    }
    assert not listed["GET", "/healthz"] & {400, 401, 404, 409, 413, 507}
    assert not listed["GET", "/api/sources"] & {400, 404, 408, 409, 413, 422, 507}
    assert listed["POST", "/ask"] >= {200, 400, 401, 403, 404, 413, 422, 429, 502, 503, 504}
    assert listed["GET", "/v1/models/{model}"] >= {200, 401, 404}


def patterns_in(described):
    if isinstance(described, dict):
        found = {described["pattern"]} if isinstance(described.get("pattern"), str) else set()
        return found.union(*map(patterns_in, described.values()))
    return set().union(*map(patterns_in, described)) if isinstance(described, list) else set()


def test_every_pattern_of_a_request_has_its_words(server):
    assert patterns_in(described(server.app)) == set(PATTERNS)


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        ("/ask", {"query": " \n"}, "body.query: it is blank"),
        ("/api/chat", {"message": " "}, "body.message: it is blank"),
        ("/api/reason/select", {"problem": " "}, "body.problem: it is blank"),
        ("/api/collections", {"name": "My Shelf"}, "body.name: a name consists of lowercase letters, digits, - and _, with a letter or digit at both ends"),
        ("/api/chat", {"message": "x", "session": "../x"}, "body.session: it must be the id of a session (32 hexadecimal digits) or the word new"),
        ("/ask", {"query": "x", "selected_text": "y"}, "body: selected_text requires the mode selected-text"),
        ("/ask", b'{"query": }', "The body is not JSON: Expecting value, at character 11."),
        ("/ask", b"", "body: Field required"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_body_is_said_in_words(server, path, body, detail):
    reply = server.post(path, body, headers={"Content-Type": "application/json"})
    assert (reply.status, reply.json["code"]) == (400, "REQUEST_INVALID")
    assert reply.json["detail"] == detail
    fault = reply.json["faults"][0]
    assert detail in {fault["message"], f"{fault['place']}: {fault['message']}"}
    assert ("Content-Type" in reply.json["hint"]) == (fault["place"] == "body" and isinstance(body, bytes))


def test_there_are_examples():
    assert {(one.method, one.path) for one in examples()} >= {
        ("POST", "/ask"),
        ("POST", "/v1/chat/completions"),
    }


@pytest.mark.parametrize("example", examples(), ids=lambda one: one.name)
def test_an_example_is_what_comes(server, example):
    reply = server.call(example.method, example.path, example.body)
    assert reply.status == example.status
    assert fits(example.reply, reply.json), json.dumps(reply.json, indent=1)


@pytest.mark.parametrize("example", examples(), ids=lambda one: one.name)
def test_an_example_is_in_the_description(server, example):
    operation = described(server.app)["paths"][example.path][example.method.lower()]
    shown = [
        one["value"]
        for content in operation["responses"][str(example.status)]["content"].values()
        for one in content.get("examples", {}).values()
    ]
    assert example.reply in shown


def test_every_route_tells_its_errors_and_its_keys(server):
    for path, methods in described(server.app)["paths"].items():
        for operation in methods.values():
            assert operation["summary"]
            is_open = "open" in operation["tags"]
            assert {"429", "500", *([] if is_open else ["401", "403"])} <= set(operation["responses"])
            for status, reply in operation["responses"].items():
                if status == "422":
                    assert "application/problem+json" in reply["content"]
            assert operation["security"] == (
                [] if path in {"/healthz", "/readyz", "/api/session"} else [{"bearer": []}, {"header": []}]
            )


def test_the_pages_need_nothing_from_elsewhere(server):
    for name, media in (
        ("docs", "text/html"),
        ("docs/docs.js", "text/javascript"),
        ("docs/docs.css", "text/css"),
    ):
        reply = server.get(f"/{name}")
        assert reply.status == 200
        assert reply.headers["content-type"].startswith(media)
        assert "'unsafe" not in reply.headers["content-security-policy"]
    for page in PAGES.iterdir():
        text = page.read_text()
        assert not re.findall(r"(?:https?:)?//[a-z][\w.-]+\.[a-z]{2,}", text), page
        assert "innerHTML" not in text
        assert not re.search(r"<script>|\son\w+=|style=", text)


def test_the_description_is_open_and_says_nothing_of_anybody(shared):
    reply = shared.get("/openapi.json")
    assert reply.status == 200
    assert b"annas" not in reply.body
    assert reply.json["info"]["title"] == "Vademecum"


def test_nothing_is_sent_to_collectors_of_figures(monkeypatch, tmp_path):
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://192.0.2.1:4318")
    app = create_app(ServerSettings(folder=tmp_path))
    assert not app._native_telemetry.enabled()


def api():
    """The description alone; the requests go to the server that runs."""
    rejected = {"expected-statuses": ["4xx", "5xx"]}  # 413, too, where a text is longer than a body may be
    covers = settings.get_current_profile_name() == "fuzz"  # all boundaries of all fields: minutes
    config = schemathesis.Config.from_dict(
        {"checks": {"negative_data_rejection": rejected}, "phases": {"coverage": {"enabled": covers}}}
    )
    return schemathesis.openapi.from_dict(described(create_app(ServerSettings())), config=config)


SCHEMA = api()


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory, run_server, people):
    """A server whose collections may be made, changed and deleted."""
    folder = tmp_path_factory.mktemp("fuzzed")
    pages = folder / "pages"
    pages.mkdir()
    (pages / "intro.md").write_text(
        "# Intro\n\nHold the calibration button of the fingers for seven seconds.\n"
    )
    Collections(folder / "collections").create("handbook", kind="book").library.add(pages)
    (folder / "server").mkdir()
    shutil.copy(people[1], folder / "server/keys.json")
    settings = ServerSettings(
        port=0, folder=folder / "server", collections_folder=folder / "collections", wrong_keys=1_000_000
    )
    with run_server(settings) as server:
        yield server


@SCHEMA.parametrize()
@settings(
    max_examples=4, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
def test_whatever_is_sent(case, fuzzed, people):
    headers = {"Authorization": f"Bearer {people[0].admin}"}
    if isinstance(case.body, dict) and case.body.get("stream") is True:
        case.body["stream"] = False  # its events are not JSON, which the description cannot say
    case.call_and_validate(base_url=fuzzed.url, headers=headers, checks=list(CHECKS), timeout=60)
