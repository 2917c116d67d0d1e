"""Loading a configuration: whatever the file holds, it is a configuration or a list of faults, soon."""

import json
import os
import re

import pytest
from jsonschema import Draft202012Validator

from vademecum.config.document import MOST_BYTES, NotReadable, parse
from vademecum.core.errors import ConfigError
from vademecum.desks.chat.config.model import schema
from vademecum.desks.chat.load import BUILT_IN, ConfigurationFaulty, built_in, default_file, load, read

GOOD = "responses: [{prompt: x}]"


def faults(text, *, is_json=False):
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(ConfigurationFaulty) as raised:
        read(data, "chat.yaml", is_json=is_json)
    return raised.value.faults


@pytest.mark.parametrize("is_json", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "", " ", "[]", "4", "null", '"text"', "{", "}", '{"responses": }', '{"responses": [{}', '{"a": 1} {"b": 2}',
        "[" * 100_000, '{"a":' * 5000, '{"responses": [{"prompt": "\\ud800"}]}', '{"responses": [{"max_tokens": NaN}]}',
        '{"responses": [{"temperature": Infinity}]}', '{"responses": [{"max_tokens": 1e999}]}', '{"responses": [{"max_tokens": ' + "9" * 5000 + "}]}",
        b"\xff\xfe", b"\x00", b"responses: \x1b", '{"responses": [{"prompt": "a", "prompt": "b"}]}', "{'a': 1}", '{"responses": [{"prompt": "x",}]}x',
    ],
)  # fmt: skip
def test_reports_what_is_no_configuration(text, is_json):
    assert faults(text, is_json=is_json)


@pytest.mark.parametrize(
    "text",
    [
        "- " * 100_000, "a: &a [*a]", "responses: !!python/object/apply:os.system [true]", "responses: !x []",
        "\tresponses: []", "--- {}\n--- {}", "? [a]\n: b", "a: &x {b: 1}\n<<: *x", "a: !!binary x", "responses: *gone",
        "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9)),
        "match_threshold: .nan", "x: .inf", "responses:\n  prompt: [", "a: 1\na: 2",
    ],
)  # fmt: skip
def test_reports_hostile_yaml(text):
    assert faults(text)


def test_duplicate_keys_name_both_lines():
    for text, is_json in (
        ("a: 1\nresponses: []\na: 2", False),
        ('{"a": 1,\n"responses": [],\n"a": 2}', True),
    ):
        (fault,) = faults(text, is_json=is_json)
        assert fault.line == 3
        assert "line 1" in fault.message


@pytest.mark.parametrize(
    "value", [".nan", "-.inf", "NaN", "1e400", "2.01", "-0.01", "true", "'0,2'", "[0.2]"]
)
def test_rejects_bad_thresholds(value):
    for key in ("match_threshold", "partial_threshold", "candidate_threshold"):
        other = "" if key == "match_threshold" else ", match_threshold: 0.1"
        text = f"rag_services: {{kb: {{type: local, {key}: {value}{other}}}}}\n{GOOD}"
        assert faults(text), key


def test_refuses_too_many_rules_at_once():
    long = {"match": {"rag_result": "match"}, "prompt": "An answer of some length."}
    for rule, count in (({}, 100_000), (long, 20_000)):
        text = json.dumps({"responses": [rule] * count})
        (fault,) = faults(text, is_json=True)
        assert re.search("5,000|100,000|larger", fault.message)


def test_takes_hundreds_of_rules():
    rules = [{"match": {"user_message_regexp": f"/\\bword{n}\\b/i"}, "prompt": "x"} for n in range(500)]
    loaded = read(json.dumps({"responses": [*rules, {"prompt": "x"}]}).encode(), "many", is_json=True)
    assert len(loaded.rules.rules) == 501


def test_all_faults_come_at_once_in_the_order_of_the_file():
    text = """
llms: {a: {type: opnai, base_url: "http://x y", api_key: sk-very-secret}}
rag_services:
  b/c: {type: chromadb, match_threshold: 0.3, partial_threshold: 0.2}
responses:
  - {match: {servce: x, intent_regexp: "/(/"}, llm: nobody, prompt: "${profile.x}"}
"""
    found = faults(text)
    assert [fault.line for fault in found] == sorted(fault.line for fault in found)
    paths = {fault.path for fault in found}
    assert {
        "llms.a.type",
        "llms.a.base_url",
        "llms.a.api_key",
        "rag_services.b/c",
        "responses",
        "responses[0].llm",
    } <= paths
    assert "sk-very-secret" not in "".join(map(str, found))
    assert next(fault for fault in found if fault.path == "llms.a.type").meant == "openai"


def test_the_message_names_the_first_fault_and_how_many_more():
    with pytest.raises(ConfigError, match=r"chat.yaml:1: responses\[0\].modle: .* \(1 more fault\)"):
        read(b"responses: [{promt: x, modle: y}]", "chat.yaml")


def test_files(tmp_path):
    path = tmp_path / "chat.json"
    path.write_text('{"responses": [{"prompt": "x"}]}')
    assert load(path).configuration.responses[0].prompt == "x"
    os.mkfifo(tmp_path / "pipe.yaml")
    for odd in (tmp_path / "gone.yaml", tmp_path, tmp_path / "pipe.yaml", tmp_path / "a\0b"):
        with pytest.raises(ConfigError):
            load(odd)
    (tmp_path / "big.yaml").write_bytes(b"#" * (MOST_BYTES + 1))
    with pytest.raises(ConfigError, match=r"big\.yaml"):
        load(tmp_path / "big.yaml")


def test_finds_a_persons_own_file(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert default_file() is None
    (tmp_path / "vademecum").mkdir()
    for name in ("chat.json", "chat.yml", "chat.yaml"):
        (tmp_path / "vademecum" / name).write_text(GOOD)
        assert default_file().name == name


def test_both_spellings_give_one_normal_form_that_loads_again():
    text = """
llms: {a: {provider: ollama, default_model: m}}
rag_services: {kb: {provider: local, match_threshold: 0.2, candidate_threshold: 0.4}}
intent_detection: {llm: a}
responses: [{match: {rag_results: candidate, intent_any: [x]}, prompt: "${context}", llm: a}, {prompt: y}]
"""
    normal = read(text.encode(), "x").configuration.to_dict()
    again = read(json.dumps(normal).encode(), "x", is_json=True).configuration.to_dict()
    assert normal == again
    assert not any(
        old in str(normal) for old in ("candidate", "intent_detection", "rag_results", "intent_any")
    )


def test_the_schema_is_sound_and_takes_what_loads():
    described = schema()
    Draft202012Validator.check_schema(described)
    validator = Draft202012Validator(described)
    for text in (
        BUILT_IN,
        GOOD,
        "llms: {a: {provider: ollama, comment: x}}\nresponses: [{match: {rag_result: candidate, intent_regexp: x, intent_any: [a]}, prompt: x}, {prompt: x}]",
    ):
        assert read(text.encode(), "x")
        assert list(validator.iter_errors(parse(text.encode(), is_json=False).plain())) == []
    for wrong in (
        {},
        {"responses": []},
        {"responses": [{"promt": "x"}]},
        {"responses": [{"match": {"colour": 1}}]},
    ):
        assert list(validator.iter_errors(wrong))


def test_the_built_in_one():
    loaded = built_in()
    assert {rule.rule.llm for rule in loaded.rules.rules} == {"extractive"}
    assert loaded.rules.rules[-1].rule.match == {}
    assert loaded.configuration.rag_services["local"].type == "local"


def test_dates_and_the_like_are_texts():
    node = parse(b"a: 2026-01-01\nb: 1:30\nc: 0x1f\nd: on\ne: ~\nf: 1_000\ng: 1e3", is_json=False)
    assert node.plain() == {
        "a": "2026-01-01",
        "b": "1:30",
        "c": "0x1f",
        "d": True,
        "e": None,
        "f": 1000,
        "g": "1e3",
    }


def test_lines_of_json():
    node = parse(b'{\n"a": [\n1,\n{"b":\n2}]}', is_json=True)
    assert (node.at(("a",)).line, node.at(("a", 1)).line, node.at(("a", 1, "b")).line) == (2, 4, 4)
    assert node.at(("a", 1, "b")).path == "a[1].b"
    with pytest.raises(NotReadable) as raised:
        parse(b'{\n\n"a" 1}', is_json=True)
    assert raised.value.line == 3


SEVERAL = b"""\
llms:
  a: {type: openai, base_url: "${env.HOME}"}
rag_services:
  here: {type: local, match_threshold: .nan, colection: x}
responses:
  - match: {user_message_regexp: "(?=a)b", user_message: .nan}
    static_response: "{{nope}}"
  - static_response: in the middle
  - match: {rag_result: any}
    llm: extractive
    max_tokens: 0
"""


def test_all_faults_that_can_be_told_are_told_at_once():
    with pytest.raises(ConfigurationFaulty) as raised:
        read(SEVERAL, "chat.yaml")
    assert [one.path for one in raised.value.faults] == [
        "llms.a.base_url",
        "rag_services.here.colection",
        "rag_services.here.match_threshold",
        "responses[0].match.user_message",
        "responses[0].match.user_message_regexp",
        "responses[0].static_response",
        "responses[2]",
        "responses[2].max_tokens",
    ]
    assert "1, not 0" in str(raised.value.faults[-1])
