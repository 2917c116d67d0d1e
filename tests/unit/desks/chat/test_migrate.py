"""Old configurations rewritten. Those in `tests/data/chat/old` were written by others, with what is expected of them."""

import json
from pathlib import Path

import pytest
import yaml

from vademecum.core.errors import ConfigError
from vademecum.desks.chat.load import NOTHING_FOUND, read
from vademecum.desks.chat.migrate.migration import migrate

OLD = Path(__file__).parents[3] / "data/chat/old"
NAMES = sorted(path.name.removesuffix(".expect.json") for path in OLD.glob("*.expect.json"))
assert len(NAMES) == 5


def changed(**old):
    """A migration of a small old file with some keys changed."""
    base = {
        "providers": {"local": {"type": "ollama", "baseUrl": "http://h:1", "model": "m"}},
        "knowledge_bases": {"kb": {"type": "chromadb-wrapper", "url": "http://h:2"}},
        "strategies": [
            {
                "name": "DOCS",
                "detection": {"type": "rag", "knowledge_base": "kb", "threshold": 0.2},
                "response": {"provider": "local", "system_prompt": "Docs: ${context}"},
            },
            {
                "name": "REST",
                "detection": {"type": "default"},
                "response": {"provider": "local", "system_prompt": "p"},
            },
        ],
    }
    return migrate(json.dumps(base | old).encode(), "old.json")


def when(match):
    if not match:
        return "fallback"
    return "intent" if "intent" in match else match["rag_result"]


@pytest.mark.parametrize("name", NAMES)
def test_old_ones(name, monkeypatch):
    expected = json.loads((OLD / f"{name}.expect.json").read_text())
    found = migrate((OLD / f"{name}.json").read_bytes(), name)
    codes = expected["exit_code"] if isinstance(expected["exit_code"], list) else [expected["exit_code"]]
    assert (3 if found.losses else 0) in codes, found.losses
    for loss in expected["losses"]:
        assert any(
            loss["strategy"] in one and all(word in one for word in loss["must_name"]) for one in found.losses
        ), loss
    assert len(found.losses) >= expected.get("loss_count_at_least", 0)

    new = found.data
    text = found.to_yaml()
    for word in expected.get("absent_in_result", []):
        assert word not in text
    for llm, settings in expected["llms"].items():
        assert new["llms"][llm] == settings
    services = list(new["rag_services"].values())
    assert "comment" not in new["rag_services"]
    for service in expected["services"]:
        wanted = {
            key: service[key] for key in ("type", "url", "collection", "match_threshold", "partial_threshold")
        }
        assert any(all(one.get(key) == value for key, value in wanted.items()) for one in services), service
    if "service_count" in expected:
        assert len(services) == expected["service_count"]
    if expected.get("intent"):
        assert new["intent"]["provider"]["llm"] == expected["intent"]["llm"]
        assert set(expected["intent"]["at_least_in_detection"]) <= set(new["intent"]["detection"])
        assert all(one in text for one in expected["intent"].get("descriptions", []))
    elif "intent" in expected:
        assert "intent" not in new
    if "embedding" in expected:
        assert new["embedding"] == {
            "llm": expected["embedding"]["provider"],
            "model": expected["embedding"]["model"],
        }

    rules = [(one["comment"], when(one.get("match"))) for one in new["responses"]]
    wanted = [(one["from"], one["when"]) for one in expected["rules_in_order"]]
    optional = [(one["from"], one["when"]) for one in expected["rules_in_order"] if one.get("or")]
    left_out = [one for one in optional if one not in rules]
    assert rules == [one for one in wanted if one not in left_out]
    assert all(any(one in loss for loss in found.losses) for one, _ in left_out)
    for rule in new["responses"]:
        told = dict(expected["responses"][rule["comment"]])
        assert told.pop("prompt_contains", "") in rule.get("prompt", "")
        for key, value in told.items():
            given = rule.get(key)
            if key == "model" and given is None:
                given = new["llms"][rule["llm"]]["default_model"]
            assert given == value, (rule, key)

    for variable, value in expected.get("environment_for_check", {}).items():
        monkeypatch.setenv(variable, value)
    assert yaml.safe_load(text) == new
    assert read(text.encode(), "new.yaml").rules.rules  # it passes `check`


def test_nothing_is_lost_without_a_word():
    found = changed(
        providers={"local": {"type": "ollama", "model": "m", "numa": True}},
        server={"port": 1},
        default_strategy="GONE",
        knowledge_bases={
            "kb": {"type": "chromadb-wrapper", "url": "http://h:2", "shards": 4},
            "spare": {"type": "chromadb-wrapper", "url": "http://h:2"},
        },
    )
    for word in ("numa", "server", "GONE", "shards", "spare"):
        assert any(word in one for one in found.losses), word
    assert len(found.losses) == 5


def test_a_key_in_the_file_becomes_a_variable():
    found = changed(providers={"my cloud": {"type": "openai", "apiKey": "sk-very-secret", "model": "m"}})
    assert found.data["llms"]["my cloud"]["api_key"] == "${MY_CLOUD_API_KEY}"
    assert "sk-very-secret" not in found.to_yaml() + " ".join(found.losses)
    assert any("MY_CLOUD_API_KEY" in one for one in found.losses)


def test_without_a_default_it_is_said_that_nothing_was_found():
    found = changed(strategies=[])
    assert found.data["responses"] == [{"comment": "fallback", "static_response": NOTHING_FOUND}]
    assert any("no default strategy" in one for one in found.losses)


def test_an_unknown_variable_stays_text():
    strategies = [
        {
            "name": "D",
            "detection": {"type": "default"},
            "response": {"provider": "local", "system_prompt": "In ${HOME}, {{x}}, ${context}"},
        }
    ]
    found = changed(strategies=strategies)
    assert found.data["responses"][-1]["prompt"] == "In (HOME), (x), ${context}"
    assert sum("not a variable" in one for one in found.losses) == 2


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"providers": {"local": {"type": "anthropic", "model": "m"}}}, "anthropic"),
        ({"providers": {}}, "no provider"),
        ({"knowledge_bases": {"kb": {"type": "weaviate", "url": "http://h"}}}, "weaviate"),
        ({"knowledge_bases": {"kb": {"type": "chromadb-wrapper"}}}, "no url"),
        ({"embedding": {"provider": "gone", "model": "e"}}, "no provider gone"),
        ({"embedding": {"provider": "local", "model": "e", "base_url": "http://other"}}, "own address"),
        ({"knowledge_bases": {}}, "no knowledge base"),
        ({"knowledge_bases": {"kb": 4}}, "not a mapping"),
        ({"strategies": [4]}, "not a mapping"),
        ({"strategies": [{"name": "X", "detection": {"type": "magic"}, "response": {}}]}, "magic"),
        ({"detection_provider": "nobody"}, "no strategy classifies"),
    ],
)
def test_odd_ones_still_give_a_sound_file(changes, said):
    found = changed(**changes)
    assert any(said in one for one in found.losses), found.losses
    assert found.loaded.rules.rules


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"4", b'{"responses": []}', b"\xff", b"[" * 100_000])
def test_rejects_what_is_no_old_configuration(text):
    with pytest.raises(ConfigError):
        migrate(text, "old.json")


RECENT = {
    "_comment": "Our bot",
    "llms": {
        "local": {"type": "ollama", "baseUrl": "http://localhost:11434", "defaultModel": "gemma3:1b"},
        "cloud": {"provider": "openai", "api_key": "sk-secret-1234", "default_model": "gpt-4o-mini"},
    },
    "rag_services": {
        "docsHere": {
            "_comment": "x",
            "provider": "chromadb-wrapper",
            "url": "http://localhost:5006",
            "match_threshold": 0.25,
        }
    },
    "tools": {"search": {}},
    "topic": {"enabled": True},
    "responses": [
        {
            "_comment": "shift",
            "match": {"rag_result": "match", "collection_contains": ["open.shift", "okd"]},
            "llm": "local",
            "prompt": "Use {{rag_context}} for {{user_message}} on {{topic}}",
        },
        {"_comment": "bills", "match": {"topic": "billing"}, "llm": "local", "prompt": "x"},
        {"match": {"rag_result": "any"}, "llm": "cloud", "prompt": "p", "tools": ["search"]},
        {"llm": "local", "prompt": "hi"},
        {"llm": "local", "prompt": "never"},
    ],
}


def test_a_configuration_with_rules_in_other_words_is_taken():
    migrated = migrate(json.dumps(RECENT).encode(), "old.json")
    data = migrated.data
    assert data["comment"] == "Our bot"
    assert data["llms"]["local"]["base_url"] == "http://localhost:11434"
    assert data["rag_services"].keys() == {"docsHere"}
    first, second, last = data["responses"]
    assert first["match"] == {"rag_result": "match", "collection_regexp": r"/open\.shift|okd/i"}
    assert first["prompt"] == "Use ${context} for ${user} on (topic)"
    assert "tools" not in second
    assert last == {"llm": "local", "prompt": "hi"}
    assert data["llms"]["cloud"]["api_key"] == "${CLOUD_API_KEY}"
    assert "sk-secret" not in json.dumps(data) + "".join(migrated.losses)
    losses = "\n".join(migrated.losses)
    for told in (
        "{{topic}}",
        "CLOUD_API_KEY",
        "topic has no",
        "tools has no",
        "responses[2].tools",
        "(bills)",
        "responses[4]",
    ):
        assert told in losses, told
    assert len(migrated.losses) == 7
    with pytest.raises(ConfigError):
        migrate(json.dumps(data).encode(), "new.json")


def test_names_faults_of_the_old_configuration():
    wrong = {**RECENT, "responses": [{"llm": "nobody", "prompt": "x"}]}
    with pytest.raises(ConfigError, match="nobody"):
        migrate(json.dumps(wrong).encode(), "old.json")
