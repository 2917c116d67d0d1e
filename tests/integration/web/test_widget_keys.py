"""Keys of widgets: they are public, so they ask what is shared with them, on the pages of their sites, and nothing else."""

import time
from dataclasses import replace

import pytest

from vademecum.server.guard.keys import Keys

SITE = "https://docs.example.org"
QUESTION = "How long must I hold the calibration button of the fingers?"


@pytest.fixture
def widget(shared_settings, run_server, people):
    """A server with a widget that may ask the handbook, and its key."""
    key, token = Keys(shared_settings.folder / "keys.json").add(
        "site", role="widget", origins=[SITE], per_day=3, per_minute=1000
    )
    with run_server(replace(shared_settings)) as server:
        handbook = "/api/collections/handbook"
        admin = people[0].admin
        assert server.call("PATCH", handbook, {"shared_with": ["site"]}, key=admin).status == 200
        yield server, token, key
        server.call("PATCH", handbook, {"shared_with": []}, key=admin)


def ask(widget, origin=SITE, **more):
    server, token, _ = widget
    headers = {"Origin": origin} if origin else {}
    return server.post("/ask", {"query": QUESTION, **more}, key=token, headers=headers)


def test_it_asks_what_is_shared_with_it_and_reads_that(widget):
    server, token, _ = widget
    reply = ask(widget)
    assert reply.status == 200
    assert reply.headers["access-control-allow-origin"] == SITE
    assert {citation["source"] for citation in reply.json["citations"]} == {"handbook"}
    citation = reply.json["citations"][0]
    url = f"/api/sources/handbook/documents/{citation['document']}"
    text = server.get(url, key=token, headers={"Origin": SITE}).json["text"]
    assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert ask(widget, source=["annas"]).json["code"] == "SOURCE_UNUSABLE"


def test_it_is_of_use_on_its_own_pages_alone(widget, people):
    server = widget[0]
    for origin in ("https://evil.example.org", "https://docs.example.org.evil.org", "null", ""):
        assert ask(widget, origin).json["code"] == "ORIGIN_UNKNOWN"
    # and a person's key is not of use on these pages
    reply = server.post("/ask", {"query": QUESTION}, key=people[0].anna, headers={"Origin": SITE})
    assert reply.json["code"] == "ORIGIN_UNKNOWN"
    preflight = server.call(
        "OPTIONS", "/ask", headers={"Origin": SITE, "Access-Control-Request-Method": "POST"}
    )
    assert (preflight.status, preflight.headers["access-control-allow-origin"]) == (204, SITE)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/collections", None),
        ("GET", "/api/sources", None),
        ("GET", "/api/conversations", None),
        ("GET", "/api/keys", None),
        ("POST", "/api/chat", {"message": "hello"}),
        ("POST", "/api/collections", {"name": "mine"}),
        ("POST", "/v1/chat/completions", {"model": "books", "messages": []}),
        ("DELETE", "/api/collections/handbook", None),
        ("POST", "/mcp", {}),
        ("PUT", "/ask", {}),
    ],
)
def test_it_does_nothing_else(widget, method, path, body):
    server, token, _ = widget
    reply = server.call(method, path, body, key=token, headers={"Origin": SITE})
    assert (reply.status, reply.json["code"]) == (403, "WIDGET_ONLY")


def test_a_day_has_so_many_questions(widget):
    assert [ask(widget).status for _ in range(4)] == [200, 200, 200, 429]
    refused = ask(widget)
    assert refused.json["code"] == "BUDGET_USED"
    assert 0 < int(refused.headers["retry-after"]) <= 86_400
    assert refused.headers["access-control-allow-origin"] == SITE


def test_the_next_day_has_questions_again(widget, monkeypatch):
    server, _, key = widget
    for _ in range(3):
        server.state.limits.spend(key.id, 3)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 86_400)
    server.state.limits.spend(key.id, 3)


def test_old_files_of_keys_are_read_and_written_as_they_were(tmp_path):
    keys = Keys(tmp_path / "keys.json")
    keys.add("anna")
    assert "origins" not in keys.path.read_text()
    made, token = keys.add("site", role="widget", origins=[SITE])
    assert Keys(keys.path).find(token) == made
    assert (made.origins, made.per_day) == ((SITE,), 1000)
    assert keys.origins == {SITE}


@pytest.mark.parametrize(
    ("role", "origins"),
    [
        ("widget", []),
        ("user", [SITE]),
        ("widget", [f"{SITE}/guide"]),
        ("widget", ["docs.example.org"]),
        ("widget", ["*"]),
    ],
)
def test_keys_that_would_be_of_no_use_or_too_much_are_refused(tmp_path, role, origins):
    from vademecum.core.errors import ConfigError

    with pytest.raises(ConfigError):
        Keys(tmp_path / "keys.json").add("site", role=role, origins=origins)
