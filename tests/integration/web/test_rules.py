"""The chat rules over HTTP: read, checked as they are typed, tried before they are active, and saved by one of two people."""

import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vademecum.server.settings import ServerSettings

QUESTION = "How long must I hold the calibration button of the fingers?"
RULES = """\
# The rules of the workshop.
rag_services: {kb: {type: local, match_threshold: 0.75}}
llms:
  house: {type: openai, base_url: "http://127.0.0.1:9/v1", api_key: "${HOUSE_KEY:-none}", default_model: small}
responses:
  - comment: From the documents
    match: {rag_result: match}
  - match: {user_message_regexp: "/^thanks/i"}
    static_response: You are welcome.
  - {static_response: "Nothing on {{profile.user_message}}."}
"""
ADDED = RULES.replace(
    "  - {static", "  - {match: {user_message_regexp: '/^bye/i'}, static_response: Goodbye.}\n  - {static"
)


@pytest.fixture
def folder(tmp_path, people):
    shutil.copy(people[1], tmp_path / "keys.json")
    (tmp_path / "chat.yaml").write_text(RULES)
    (tmp_path / "chat.yaml").chmod(0o640)
    return tmp_path


@pytest.fixture
def server(folder, collections_folder, run_server):
    settings = ServerSettings(
        port=0, folder=folder, collections_folder=collections_folder, chat_file=folder / "chat.yaml"
    )
    with run_server(settings) as running:
        yield running


def test_the_active_rules_as_a_table(server, admin):
    found = server.get("/api/chat/rules", key=admin).json
    assert (found["text"], found["format"], found["valid"], found["faults"]) == (RULES, "yaml", True, [])
    assert found["file"].endswith("chat.yaml")
    assert found["rules"] == found["active"]
    assert [(row["then"], row["line"], row["last_line"]) for row in found["rules"]] == [
        ("extractive", 6, 7),
        ("static", 8, 9),
        ("static", 10, 10),
    ]
    assert [row["name"] for row in found["rules"]] == ["From the documents", "", ""]
    assert found["rules"][0]["when"] == [{"key": "rag_result", "values": ["match"]}]
    assert found["rules"][1]["says"] == "You are welcome."
    assert found["rules"][2]["when"] == []


@pytest.mark.parametrize(
    ("draft", "place", "words"),
    [
        (RULES.replace("static_response: You", "static_respons: You"), (9, 5), "static_response"),
        (RULES.replace("rag_result: match", "rag_result: matsch"), (7, 13), "match"),
        (RULES.replace("  - {static", "  - {{static"), None, ""),
        (RULES.replace("/^thanks/i", "/(thanks/i"), (8, 13), ""),
        (RULES + "    - no\n", None, ""),
        ("", (1, 0), ""),
        ("[]", (1, 1), "must contain"),
        ("a: &a [*a, *a]\n", None, ""),
        ("responses: []", (1, 1), "at least one"),
    ],
)
@pytest.mark.sampled(3)
def test_faults_with_their_positions(server, admin, draft, place, words):
    reply = server.post("/api/chat/rules/check", {"text": draft}, key=admin)
    assert (reply.status, reply.json["valid"], reply.json["rules"]) == (200, False, [])
    fault = reply.json["faults"][0]
    assert words in f"{fault['message']} {fault['suggestion']}"
    if place:
        assert (fault["line"], fault["column"]) == place
    saved = server.put("/api/chat/rules", {"text": draft, "before": RULES}, key=admin)
    assert (saved.status, saved.json["faults"]) == (422, reply.json["faults"])


def test_patterns_that_would_explode_elsewhere_take_no_time(server, admin):
    draft = RULES.replace("/^thanks/i", "/^(a+)+$/")
    asked = {"text": draft, "message": "a" * 5000 + "!"}
    assert server.post("/api/chat/rules/try", asked, key=admin).json["routing"]["rule"] == 2
    huge = RULES.replace("/^thanks/i", "/(a{1,500}){1,500}/")
    assert not server.post("/api/chat/rules/check", {"text": huge}, key=admin).json["valid"]


def test_a_draft_is_tried_before_it_is_active(server, admin):
    asked = {"message": "bye for now", "text": ADDED}
    tried = server.post("/api/chat/rules/try", asked, key=admin).json
    assert (tried["routing"]["rule"], tried["draft"]) == (2, True)
    assert [step["name"] for step in tried["trace"]["steps"]] == ["retrieve", "evaluate", "intent", "match"]
    assert [one["failed"] for one in tried["debug"]["match_evaluation"]] == [
        "rag_result",
        "user_message_regexp",
        "",
    ]
    active = server.post("/api/chat/rules/try", {"message": "bye for now"}, key=admin).json
    assert (active["routing"]["rule"], active["draft"]) == (2, False)
    assert len(active["debug"]["match_evaluation"]) == 3
    faulty = server.post("/api/chat/rules/try", asked | {"text": "responses: 3"}, key=admin).json
    assert faulty["draft"] is False
    assert server.post("/api/chat", {"message": "bye"}, key=admin).json["response"] == "Nothing on bye."
    documents = server.post(
        "/api/chat/rules/try", {"message": QUESTION, "collections": ["kb/handbook"]}, key=admin
    )
    assert documents.json["routing"]["rule"] == 0


def test_a_draft_answers_before_it_is_active(server, admin, folder):
    asked = {"message": "bye for now", "text": ADDED, "answer": True}
    by_draft = server.post("/api/chat/rules/try", asked, key=admin).json
    assert (by_draft["reply"]["answer"], by_draft["routing"]["rule"]) == ("Goodbye.", 2)
    assert by_draft["reply"]["routing"] == by_draft["routing"]
    assert by_draft["trace"]["steps"][-1]["name"] == "generate"
    documents = {"message": QUESTION, "text": ADDED, "answer": True, "collections": ["kb/handbook"]}
    reply = server.post("/api/chat/rules/try", documents, key=admin).json["reply"]
    assert "seven seconds" in reply["answer"]
    assert reply["citations"][0]["source"] == "handbook"
    by_file = server.post("/api/chat/rules/try", {"message": "bye", "answer": True}, key=admin).json
    assert (by_file["reply"]["answer"], by_file["draft"]) == ("Nothing on bye.", False)
    assert "reply" not in server.post("/api/chat/rules/try", {"message": "bye"}, key=admin).json
    assert (folder / "chat.yaml").read_text() == RULES


def test_a_draft_may_name_the_profile(server, admin):
    draft = RULES.replace("You are welcome.", "You said ${profile.user_message}.")
    assert server.post("/api/chat/rules/check", {"text": draft}, key=admin).json["faults"] == []


def test_probes_of_a_draft(server, admin):
    probes = (
        '- {question: "bye now", expect: {rule: 2}}\n'
        '- {question: "thanks a lot", expect: {rule: 0}}\n'
        "- {question: x, distances: {kb/handbook: 0.1}, expect: {rule: 0, rag_result: match}}\n"
    )
    found = server.post("/api/chat/rules/probes", {"probes": probes, "text": ADDED}, key=admin).json
    assert (found["failed"], found["left"], found["draft"]) == (1, 0, True)
    assert [one["rule"] for one in found["outcomes"]] == [2, 1, 0]
    assert found["outcomes"][1]["wrong"] == ["rule: 1 came, 0 was expected"]
    reply = server.post("/api/chat/rules/probes", {"probes": "- {question: x}"}, key=admin)
    assert (reply.status, reply.json["code"]) == (422, "PROBES_INVALID")
    many = server.post(
        "/api/chat/rules/probes", {"probes": '- {question: "x", expect: {rule: 0}}\n' * 201}, key=admin
    )
    assert many.status == 422


def test_saved_at_once_and_the_old_file_is_kept(server, folder, admin):
    reply = server.put("/api/chat/rules", {"text": ADDED, "before": RULES}, key=admin)
    assert (reply.status, reply.json["valid"], len(reply.json["rules"])) == (200, True, 4)
    assert (folder / "chat.yaml").read_text() == ADDED
    (kept,) = folder.glob("chat.yaml.*.old")
    assert kept.read_text() == RULES
    assert {path.stat().st_mode & 0o777 for path in (kept, folder / "chat.yaml")} == {0o640}
    assert server.post("/api/chat", {"message": "bye"}, key=admin).json["response"] == "Goodbye."


def test_whoever_saves_second_is_told(server, folder, admin):
    drafts = [ADDED.replace("Goodbye", f"Goodbye {number}") for number in range(8)]

    def save(draft):
        return server.put("/api/chat/rules", {"text": draft, "before": RULES}, key=admin)

    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(save, drafts))
    assert sorted(reply.status for reply in replies) == [200, *[409] * 7]
    winner = next(at for at, reply in enumerate(replies) if reply.status == 200)
    assert (folder / "chat.yaml").read_text() == drafts[winner]
    loser = next(reply for reply in replies if reply.status == 409)
    assert loser.json["code"] == "RULES_CHANGED"
    (folder / "chat.yaml").write_text(RULES)  # by hand, meanwhile
    assert save(drafts[0]).status == 200


def test_a_file_that_was_broken_by_hand(server, folder, admin):
    (folder / "chat.yaml").write_text("responses: 3\n")
    server.post("/api/chat/configuration/reload", None, key=admin)
    found = server.get("/api/chat/rules", key=admin).json
    assert (found["valid"], found["text"], len(found["active"])) == (False, "responses: 3\n", 3)
    assert found["faults"][0]["line"] == 1
    assert {row["line"] for row in found["active"]} == {0}
    reply = server.put("/api/chat/rules", {"text": RULES, "before": "responses: 3\n"}, key=admin)
    assert (reply.status, reply.json["faults"]) == (200, [])
    evil = RULES.replace("127.0.0.1:9", "evil.example")
    (folder / "chat.yaml").write_text("responses: 3\n")
    assert server.put("/api/chat/rules", {"text": evil, "before": "responses: 3\n"}, key=admin).status == 422
    (folder / "chat.yaml").unlink()
    gone = server.get("/api/chat/rules", key=admin)
    assert (gone.status, gone.json["code"]) == (409, "RULES_UNREADABLE")
    assert "chat.yaml" in gone.json["detail"]


@pytest.mark.parametrize(
    "draft",
    [
        RULES.replace("127.0.0.1:9", "evil.example"),
        RULES.replace("type: local,", "type: local, intent_identifier: '${HOUSE_KEY:-none}',"),
        RULES.replace("0.75", "'${HOME}'"),
        RULES.replace("HOUSE_KEY", "OTHER_KEY"),
        RULES.replace("You are welcome.", "${HOME}").replace("static_response: $", "model: $"),
        RULES.replace("default_model: small", "default_model: small, ca_file: /etc/passwd"),
        RULES.replace("{type: local,", "{type: chromadb-wrapper, url: 'http://evil.example',"),
        RULES.replace("llms:", "llms:\n  more: {type: ollama, base_url: 'http://evil.example'}"),
    ],
)
@pytest.mark.sampled(3)
def test_a_draft_brings_no_address_key_or_file(server, admin, draft):
    for path, more in (("/api/chat/rules/check", {}), ("/api/chat/rules", {"before": RULES})):
        reply = (server.post if not more else server.put)(path, {"text": draft, **more}, key=admin)
        assert reply.json["valid"] is False, draft
        assert str(Path.home()) not in str(reply.json["faults"])
        assert re.search("on the server", reply.json["faults"][0]["message"]) or "not set" in str(reply.json)


def test_for_admins_with_a_key(server, anna, folder, run_server, collections_folder):
    body = {"text": ADDED, "before": RULES, "message": "x", "probes": "[]"}
    for method, path, keys in (
        ("GET", "/api/chat/rules", ()),
        ("PUT", "/api/chat/rules", ("text", "before")),
        ("POST", "/api/chat/rules/check", ("text",)),
        ("POST", "/api/chat/rules/try", ("message",)),
        ("POST", "/api/chat/rules/probes", ("probes",)),
    ):
        sent = {key: body[key] for key in keys} if keys else None
        assert server.call(method, path, sent, key=anna).status == 403
        assert server.call(method, path, sent).status == 401
    (folder / "keys.json").unlink()
    settings = ServerSettings(
        port=0, folder=folder, collections_folder=collections_folder, chat_file=folder / "chat.yaml"
    )
    with run_server(settings) as running:
        assert running.get("/api/chat/rules").status == 200
        reply = running.put("/api/chat/rules", {"text": ADDED, "before": RULES})
        assert (reply.status, reply.json["code"]) == (403, "KEY_REQUIRED")
    assert (folder / "chat.yaml").read_text() == RULES


def test_the_built_in_rules(settings, run_server):
    with run_server(settings) as running:
        found = running.get("/api/chat/rules").json
        assert (found["file"], found["valid"], len(found["active"])) == ("", True, 5)
        assert found["active"][0]["line"] > 0
        reply = running.post("/api/chat/rules/check", {"text": RULES})
        assert (reply.status, reply.json["code"]) == (409, "RULES_BUILT_IN")


def test_a_dry_run_shows_what_would_be_said_or_sent(server, admin):
    def tried(message, **more):
        return server.post("/api/chat/rules/try", {"message": message, **more}, key=admin).json

    assert tried("thanks a lot")["static"] == "You are welcome."
    prompted = RULES.replace(
        "match: {rag_result: match}",
        "match: {rag_result: match}\n    llm: house\n    prompt: Be brief. ${context}",
    )
    found = tried(QUESTION, text=prompted)
    assert (found["static"], found["llm"], found["model"]) == (None, "house", "small")
    assert found["prompt"] == "Be brief. [the passages that were found]"
    assert found["collections"]


def test_probes_are_kept_beside_the_rules(server, admin, anna, folder):
    url, probes = "/api/chat/rules/probes", "- question: thanks\n  expect: {rule: 1}\n"
    assert server.get("/api/chat/rules", key=admin).json["probes"] == ""
    assert server.put(url, {"text": probes, "before": ""}, key=admin).status == 204
    assert (folder / "chat.probes.yaml").read_text() == probes
    assert (folder / "chat.probes.yaml").stat().st_mode & 0o777 == 0o640
    assert server.get("/api/chat/rules", key=admin).json["probes"] == probes
    late = server.put(url, {"text": "", "before": ""}, key=admin)
    assert (late.status, late.json["code"]) == (409, "RULES_CHANGED")
    bad = server.put(url, {"text": "- question: thanks\n", "before": probes}, key=admin)
    assert (bad.status, bad.json["code"]) == (422, "PROBES_INVALID")
    assert "expect is missing" in bad.json["detail"]
    assert server.put(url, {"text": "", "before": probes}, key=anna).json["code"] == "ADMIN_ONLY"
    assert server.get("/api/chat/rules", key=admin).json["probes"] == probes
    assert server.put(url, {"text": "", "before": probes}, key=admin).status == 204
