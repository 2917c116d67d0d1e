"""Signing in with a key, and the conversations that are kept for the caller."""

import re
from dataclasses import replace

import pytest

from vademecum.desks.linux.questions import read_questions
from vademecum.server.guard.keys import Keys

BOOK_QUESTION = "How long must I hold the calibration button of the fingers?"


def cookie_of(reply):
    return reply.headers["set-cookie"].partition(";")[0]


def sign_in(server, key, **headers):
    return server.post("/api/session", {"key": key}, headers=headers)


@pytest.fixture
def own(shared_settings, run_server):
    with run_server(shared_settings) as server:
        yield server


def test_a_cookie_stands_for_a_key(own, anna):
    reply = sign_in(own, anna)
    assert (reply.status, reply.json) == (
        200,
        {"name": "anna", "role": "user", "signed_in": True, "has_rules": False, "has_model": False},
    )
    assert re.fullmatch(
        r"vademecum=[\w-]{43}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict", reply.headers["set-cookie"]
    )
    with_cookie = {"Cookie": f"theme=dark; {cookie_of(reply)}"}
    assert own.get("/api/me", headers=with_cookie).json["name"] == "anna"
    assert own.get("/api/me").status == 401
    assert anna not in cookie_of(reply)
    own_page = {**with_cookie, "Sec-Fetch-Site": "same-origin"}
    assert own.post("/ask", {"query": BOOK_QUESTION}, headers=own_page).status == 200
    ended = own.call("DELETE", "/api/session", headers=own_page)
    assert (ended.status, "Max-Age=0" in ended.headers["set-cookie"]) == (204, True)
    assert own.get("/api/me", headers=with_cookie).status == 401


def test_behind_tls_the_cookie_is_never_sent_without(own, anna):
    host = f"127.0.0.1:{own.port}"
    reply = sign_in(own, anna, Origin=f"https://{host}")
    assert reply.headers["set-cookie"].endswith("; Secure")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil.example"},
    ],
)
def test_a_cookie_alone_changes_nothing(own, anna, headers):
    cookie = {"Cookie": cookie_of(sign_in(own, anna)), **headers}
    for method, path, body in (
        ("POST", "/ask", {"query": BOOK_QUESTION}),
        ("DELETE", f"/api/conversations/{'0' * 32}", None),
        ("DELETE", "/api/session", None),
    ):
        reply = own.call(method, path, body, headers=cookie)
        assert (reply.status, reply.json["code"]) == (403, "ORIGIN_UNKNOWN")
    assert own.get("/api/me", headers={"Cookie": cookie["Cookie"]}).status == 200


@pytest.mark.parametrize(
    "cookie", ["", "vademecum=", "vademecum=x", "vademecum", "=; ;;", "vademecum=" + "x" * 9000]
)
def test_cookies_that_stand_for_nothing(own, cookie):
    assert own.get("/api/me", headers={"Cookie": cookie}).status == 401


def test_a_key_that_is_taken_away_ends_what_was_signed_in_with_it(own):
    keys = Keys(own.settings.folder / "keys.json")
    key, token = keys.add("carl")
    cookie = {"Cookie": cookie_of(sign_in(own, token))}
    assert own.get("/api/me", headers=cookie).status == 200
    keys.remove(key.id)
    assert own.get("/api/me", headers=cookie).status == 401


def test_a_sign_in_ends_by_itself(own, anna, monkeypatch):
    monkeypatch.setattr("vademecum.server.guard.sign_in.LASTS_S", -1)
    assert own.get("/api/me", headers={"Cookie": cookie_of(sign_in(own, anna))}).status == 401


def test_guessing_is_counted(shared_settings, run_server, anna):
    with run_server(replace(shared_settings, wrong_keys=3)) as server:
        statuses = [sign_in(server, "vdm_wrong").status for _ in range(5)]
        assert statuses == [401, 401, 401, 429, 429]
        assert sign_in(server, anna).status == 200


def test_without_keys_nothing_is_asked(server):
    assert server.get("/api/me").status == 200
    assert sign_in(server, "anything").status == 401


def begin(server, query=BOOK_QUESTION, **more):
    key = more.pop("key", "")
    reply = server.post("/ask", {"query": query, "book": "handbook", "conversation": "new", **more}, key=key)
    assert reply.status == 200, reply.body
    return reply.json


def test_an_answer_is_kept_in_its_conversation(own, anna):
    first = begin(own, key=anna)
    assert first["turn"] == 1
    path = f"/api/conversations/{first['conversation']}"
    second = own.post(
        "/ask",
        {
            "query": "What is kept in the attic?",
            "book": "handbook",
            "conversation": first["conversation"],
            "stream": True,
        },
        key=anna,
    )
    assert b'"turn": 2' in second.body
    kept = own.get(path, key=anna).json
    assert (kept["title"], kept["turns"]) == (BOOK_QUESTION, 2)
    assert [one["message"] for one in kept["messages"]] == [BOOK_QUESTION, "What is kept in the attic?"]
    reply = kept["messages"][0]["told"]["reply"]
    assert {name: reply[name] for name in ("answer", "citations", "summary")} == {
        name: first[name] for name in ("answer", "citations", "summary")
    }
    again = own.post(
        "/ask",
        {
            "query": "Which lamp turns blue?",
            "book": "handbook",
            "conversation": first["conversation"],
            "instead": 1,
        },
        key=anna,
    ).json
    assert again["turn"] == 3
    assert [one["number"] for one in own.get(path, key=anna).json["messages"]] == [2, 3]


def test_conversations_are_listed_found_renamed_and_forgotten(own, anna, bob, admin):
    made = [
        begin(own, f"How long do I hold button {number}?", key=anna)["conversation"] for number in range(5)
    ]

    def titles(query="", key=anna):
        found = own.get(f"/api/conversations{query}", key=key).json["conversations"]
        return [one["title"] for one in found]

    assert titles() == [f"How long do I hold button {number}?" for number in (4, 3, 2, 1, 0)]
    assert titles("?skip=1&limit=2") == ["How long do I hold button 3?", "How long do I hold button 2?"]
    assert titles("?q=BUTTON%203") == ["How long do I hold button 3?"]
    assert titles("?q=%25") == titles("?q=_") == []
    path = f"/api/conversations/{made[0]}"
    assert (
        own.call("PATCH", path, {"title": " My \\x1b button "}, key=anna).json["title"] == "My \\x1b button"
    )
    assert titles("?q=button%200") == ["My \\x1b button"]
    for other in (bob, admin):
        assert titles(key=other) == []
        for method, body in (("GET", None), ("PATCH", {"title": "Mine"}), ("DELETE", None)):
            assert own.call(method, path, body, key=other).status == 404
    assert own.call("DELETE", path, key=anna).status == 204
    assert own.get(path, key=anna).status == 404
    assert len(titles()) == 4


def test_feedback_is_kept_of_ones_own_answers(own, anna, bob):
    made = begin(own, key=anna)
    said = {"conversation": made["conversation"], "turn": 1, "verdict": "wrong", "why": "No\nbutton"}
    assert own.post("/api/feedback", said, key=anna).status == 204
    assert own.post("/api/feedback", said, key=bob).status == 404
    assert own.post("/api/feedback", {**said, "turn": 2}, key=anna).json["code"] == "TURN_MISSING"
    assert own.post("/api/feedback", {**said, "verdict": "so-so"}, key=anna).status == 400
    refused = begin(own, "Who won the world cup in 1990?", key=anna)
    assert refused["no_answer"]
    assert (
        own.post(
            "/api/feedback", {**said, "conversation": refused["conversation"], "verdict": "right"}, key=anna
        ).status
        == 204
    )
    found = read_questions(own.settings.folder / "feedback.jsonl")
    assert [(one.kind, one.answerable) for one in found] == [("wrong-answer", True), ("right-refusal", False)]


def test_what_cannot_be_kept(own, anna, bob):
    theirs = begin(own, key=anna)["conversation"]
    for conversation in (theirs, "0" * 32):
        reply = own.post("/ask", {"query": BOOK_QUESTION, "conversation": conversation}, key=bob)
        assert (reply.status, reply.json["code"]) == (404, "SESSION_MISSING")
    reply = own.post("/ask", {"query": BOOK_QUESTION, "instead": 1}, key=anna)
    assert reply.status == 400
    for title in ("", " ", "x" * 81):
        assert own.call("PATCH", f"/api/conversations/{theirs}", {"title": title}, key=anna).status == 400
