"""The four examples of the chat desk's specification: three load and route as their flow says, one must fail."""

import json
import re
from pathlib import Path

import pytest

from vademecum.desks.chat.load import ConfigurationFaulty, load, read
from vademecum.desks.chat.probes import read_probes, run

EXAMPLES = Path(__file__).parents[2] / "data/chat/conformance"
SPECIFICATION = Path(__file__).parents[4] / "shared/specs/chat-router.md"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("OPENAI_KEY", "sk-test")


def routed(resources, *probes):
    """What came of probes: `(distances, intent, rule)` each."""
    told = [
        {
            "question": "How?",
            "distances": distances,
            "expect": {"rule": rule},
            **({"intent": intent} if intent else {}),
        }
        for distances, intent, rule in probes
    ]
    outcomes = list(run(read_probes(json.dumps(told).encode(), "probes", is_json=True), resources))
    assert len(outcomes) == len(probes) > 0
    return [one.wrong for one in outcomes]


def put(desk, name):
    return desk((EXAMPLES / f"{name}.json").read_text())


def test_example_1_one_service(desk):
    """A match is answered with its context, anything else declined."""
    probes = [
        ({"my_docs/guide": 0.1}, None, 0),
        ({"my_docs/guide": 0.3}, None, 1),
        ({"my_docs/guide": 0.9}, None, 1),
        ({}, None, 1),
    ]
    assert routed(put(desk, "example-1"), *probes) == [()] * 4


def test_example_2_several_services_with_intent(desk):
    """Company documents, people's own, a candidate said with doubt, and a polite no."""
    resources = put(desk, "example-2")
    company, own = "company_docs/product_docs", "user_kb/openshift"
    probes = [
        ({company: 0.1, own: 0.5}, None, 0),
        ({company: 0.1, own: 0.05}, None, 0),  # the first match ends the walk
        ({own: 0.1, company: 0.9}, None, 1),
        ({company: 0.3, own: 0.24}, None, 1),
        ({company: 0.3, own: 0.3}, "nonsense", 2),
        ({company: 0.3, own: 0.45}, None, 3),
        ({}, None, 3),
    ]
    assert routed(resources, *probes) == [()] * 7
    assert resources.loaded.configuration.responses[1].prompt.startswith("${profile.service_prompt}")


def test_example_3_names_an_llm_that_there_is_not():
    with pytest.raises(ConfigurationFaulty, match="Response 0 references undefined LLM: local") as raised:
        load(EXAMPLES / "example-3.json")
    assert [fault.path for fault in raised.value.faults] == [f"responses[{place}].llm" for place in range(4)]
    assert all(fault.line for fault in raised.value.faults)


def test_example_3_routes_once_the_llm_is_there(desk):
    data = json.loads((EXAMPLES / "example-3.json").read_text())
    resources = desk(json.dumps(data | {"llms": {"local": {"type": "ollama"}}}))
    probes = [
        ({"my_kb/My-Kubernetes": 0.1}, None, 0),
        ({"my_kb/OPENSHIFT": 0.1}, None, 1),
        ({"my_kb/linux": 0.1}, None, 2),
        ({"my_kb/kubernetes": 0.3}, None, 3),
    ]
    assert routed(resources, *probes) == [()] * 4


def test_example_4_chat_only(desk, ask, speaks):
    resources = put(desk, "example-4")
    assert routed(resources, ({}, None, 0)) == [()]
    server = speaks("Hello there.")
    data = json.loads((EXAMPLES / "example-4.json").read_text())
    data["llms"]["local"] = {"type": "openai", "base_url": f"{server.url}/v1"}
    found = ask(desk(json.dumps(data)), "Hi")
    assert (found.response, found.grounded, found.routing.rag_result) == ("Hello there.", False, "none")
    assert (server.calls[0]["model"], server.calls[0]["max_tokens"]) == ("qwen2.5:14b", 500)


@pytest.mark.skipif(not SPECIFICATION.is_file(), reason="the specification is not at hand")
def test_the_document_itself():
    """The blocks as they stand there: 1, 2 and 4 load, 3 does not."""
    text = SPECIFICATION.read_text()
    blocks = re.findall(
        r"```json\n(.*?)```", text[text.index("## Part 2C") : text.index("## Part 3")], re.DOTALL
    )
    assert len(blocks) == 4
    for number, block in enumerate(blocks, start=1):
        if number == 3:
            with pytest.raises(ConfigurationFaulty, match="undefined LLM: local"):
                read(block.encode(), "example", is_json=True)
        else:
            assert read(block.encode(), "example", is_json=True).rules.rules
