"""`vademecum chat` as a person runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from commands import run_command

OLD = Path(__file__).parents[2] / "data/chat/old"
RULES = """\
rag_services: {kb: {type: local, match_threshold: 0.7, partial_threshold: 0.8}}
responses:
  - {match: {rag_result: match, collection_regexp: /^gar/}, prompt: "Gardens: ${context}"}
  - {match: {rag_result: partial}, static_response: "Perhaps {{profile.collection}}."}
  - {static_response: Nothing.}
"""


@pytest.fixture
def person(tmp_path, shared_collections, monkeypatch):
    """Runs the command with a home of its own, and two collections."""
    data = tmp_path / "data/vademecum"
    data.mkdir(parents=True)
    (data / "collections").symlink_to(shared_collections.folder)
    (tmp_path / "chat.yaml").write_text(RULES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def put(*words, stdin=None, code=0):
        done = run_command("vademecum", "chat", *map(str, words), given=stdin or b"")
        assert done.returncode == code, done.stderr + done.stdout
        return done.stdout, done.stderr

    put.home = tmp_path
    return put


def test_as_a_process(person):
    command = [sys.executable, "-m", "vademecum.cli.vademecum", "chat", "check", "chat.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, cwd=person.home)
    assert (done.returncode, done.stdout) == (0, "chat.yaml is valid: 3 rules, 1 service, 0 llms.\n")


def test_checking(person):
    said, _ = person("check", "chat.yaml")
    assert said == "chat.yaml is valid: 3 rules, 1 service, 0 llms.\n"
    assert "The built-in configuration is valid" in person("check")[0]
    data = json.loads(person("check", "chat.yaml", "--json")[0])
    assert data["sound"]
    assert data["configuration"]["responses"][0]["match"]["rag_result"] == ["match"]
    assert json.loads(person("check", "--schema")[0])["title"] == "Vademecum chat configuration"
    (person.home / "config/vademecum").mkdir(parents=True)
    (person.home / "config/vademecum/chat.yaml").write_text("responses: [{prompt: x}, {prompt: y}]")
    assert "never reached" in person("check", code=2)[1]


def test_faults_with_their_lines(person):
    (person.home / "bad.yaml").write_text(
        "responses:\n  - {promt: x}\n  - {prompt: '${profile.colection}', llm: nobody}\n"
    )
    _, error = person("check", "bad.yaml", code=2)
    assert "bad.yaml:2: responses[0].promt: " in error
    assert "Did you mean prompt?" in error
    data = json.loads(person("check", "bad.yaml", "--json", code=2)[0])
    assert (data["sound"], data["faults"][0]["line"]) == (False, 2)
    (person.home / "warned.yaml").write_text(
        "responses: [{match: {user_message_regexp: '/a'}}, {static_response: x, prompt: y}]"
    )
    _, error = person("check", "warned.yaml", code=3)
    assert error.count("(a warning)") == 2
    assert "cannot be read" in person("check", "gone.yaml", code=2)[1]


def test_asking_whether_all_is_there(person):
    (person.home / "remote.yaml").write_text(
        "rag_services: {kb: {type: chromadb-wrapper, url: 'http://127.0.0.1:9', match_threshold: 0.2}}\nresponses: [{prompt: x}]"
    )
    person("check", "remote.yaml")
    assert "service kb" in person("check", "remote.yaml", "--live", code=1)[1]


def test_routing(person):
    said, _ = person(
        "route",
        "When",
        "do",
        "I",
        "sow",
        "runner",
        "beans?",
        "--config",
        "chat.yaml",
        "--collection",
        "kb/garden",
    )
    assert said.startswith("responses[0]: match kb/garden at 0.")
    assert person("route", "zebra quantum", "--config", "chat.yaml")[0] == "responses[2]: none\n"
    data = json.loads(
        person("route", "-", "--json", "--config", "chat.yaml", stdin=b"When do I sow runner beans?\n")[0]
    )
    assert data["routing"]["collection"] == "garden"


def test_explaining(person):
    said, _ = person("explain", "When do I sow runner beans?", "--config", "chat.yaml")
    for line in (
        "retrieve  kb/garden: 0.",
        "match below 0.7, partial below 0.8",
        "evaluate  match, kb/garden",
        "intent    garden (not asked: a match has its intent)",
        "match     responses[0]: matches",
        "generate  extractive",
    ):
        assert line in said
    said, _ = person("explain", "zebra quantum", "--config", "chat.yaml")
    assert "match     responses[0]: rag_result does not match" in said
    assert said.endswith("the rule's own words:\nNothing.\n")
    data = json.loads(person("explain", "When do I sow runner beans?", "--config", "chat.yaml", "--json")[0])
    assert [step["name"] for step in data["trace"]["steps"]] == ["retrieve", "evaluate", "intent", "match"]
    assert data["generate"]["sources"] == ["kb/garden"]


def test_probes(person):
    probes = [
        {
            "question": "When do I sow runner beans?",
            "expect": {"rule": 0, "rag_result": "match", "collection": "garden"},
        },
        {
            "question": "Anything",
            "distances": {"kb/pods": 0.75},
            "expect": {"rule": 1, "rag_result": "candidate"},
        },
        {"question": "Anything", "distances": {}, "expect": {"rule": 2}},
    ]
    (person.home / "probes.yaml").write_text(yaml.safe_dump(probes))
    assert (
        person("test", "probes.yaml", "--config", "chat.yaml")[0]
        == "3 of 3 probes were routed as expected.\n"
    )
    probes[1]["expect"] = {"rule": 0}
    (person.home / "probes.yaml").write_text(yaml.safe_dump({"probes": probes}))
    said, _ = person("test", "probes.yaml", "--config", "chat.yaml", code=1)
    assert "rule: 1 came, 0 was expected" in said
    assert "2 of 3" in said
    data = json.loads(person("test", "probes.yaml", "--config", "chat.yaml", "--json", code=1)[0])
    assert (data["probes"], data["failed"]) == (3, 1)
    for bad, word in (
        ("[]", "no probe"), ("[4]", "must be a mapping"), ("[{question: x}]", "expect"), ("[{question: x, expect: {rul: 1}}]", "Did you mean rule"),
        ("[{qestion: x}]", "Did you mean question"), ("[{question: x, distances: {a: .nan}, expect: {rule: 1}}]", "not a number"), ("x: [", "YAML"),
    ):  # fmt: skip
        (person.home / "bad.yaml").write_text(bad)
        assert word in person("test", "bad.yaml", "--config", "chat.yaml", code=2)[1]


def test_probes_of_intents(person):
    (person.home / "intents.yaml").write_text("""
llms: {a: {type: ollama, default_model: m}}
intent: {provider: {llm: a}, detection: {support: Help.}}
responses: [{match: {intent: support}, static_response: s}, {static_response: x}]
""")
    probes = [
        {"question": "x", "intent": "Support!", "expect": {"rule": 0, "intent": "support"}},
        {"question": "x", "intent": "?", "expect": {"rule": 1, "intent": "other"}},
    ]
    (person.home / "probes.json").write_text(json.dumps(probes))
    assert "2 of 2" in person("test", "probes.json", "--config", "intents.yaml")[0]


def test_migrating(person, monkeypatch):
    said, error = person("migrate", OLD / "support-desk.json")
    assert error == ""
    assert yaml.safe_load(said)["responses"][0]["comment"] == "manual"
    _, error = person("migrate", OLD / "factory-losses.json", "--output", "new.yaml", code=3)
    assert "reasoning_model" in error
    assert "SHOP_LLM_KEY is not set" in person("check", "new.yaml", code=2)[1]
    monkeypatch.setenv("SHOP_LLM_KEY", "test")
    assert "is valid" in person("check", "new.yaml")[0]
    assert (
        "cannot be written" in person("migrate", OLD / "support-desk.json", "--output", "new.yaml", code=2)[1]
    )
    data = json.loads(person("migrate", OLD / "factory-losses.json", "--json", code=3)[0])
    assert len(data["losses"]) >= 3
    assert "already in the current format" in person("migrate", "chat.yaml", code=2)[1]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["route", ""], 2, "No question"), (["route"], 2, "needs QUESTION"), (["route", "x", "--collection", "nothing/x"], 1, "not found"),
        (["explain", "x", "--collection", "local/nothing"], 1, "not found"), (["test", "gone.yaml"], 2, "cannot be read"), ([], 2, "Usage: vademecum chat COMMAND"),
        (["migrate", "gone.json"], 2, "cannot be read"), (["check", "/"], 2, "/ is a folder."),
    ],
)  # fmt: skip
def test_mistakes(person, words, code, said):
    assert said in person(*words, code=code)[1]


def test_bytes_that_are_no_text(person):
    person("route", os.fsdecode(b"caf\xe9 \x1b[31m"), "--config", "chat.yaml")
    person("route", "-", "--config", "chat.yaml", stdin=b"\xff\xfe\x00beans")
