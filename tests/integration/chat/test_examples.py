"""The examples load without a word of warning, and every rule of them is reached."""

from pathlib import Path

import pytest

from vademecum.desks.chat.load import load
from vademecum.desks.chat.probes import read_probes, run
from vademecum.desks.chat.resources import Resources
from vademecum.library.collections import Collections

EXAMPLES = Path(__file__).parents[3] / "examples/chat"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.yaml") if not path.stem.endswith(".probes"))


def test_there_are_four():
    assert NAMES == ["chat-only", "multi-domain", "one-collection", "several-collections"]
    assert all(f"{name}.yaml" in (EXAMPLES / "README.md").read_text() for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_loads_and_is_routed(name, tmp_path):
    loaded = load(EXAMPLES / f"{name}.yaml")
    assert loaded.warnings == ()
    probes = read_probes((EXAMPLES / f"{name}.probes.yaml").read_bytes(), name)
    with Resources(loaded, Collections(tmp_path)) as resources:
        outcomes = list(run(probes, resources))
    assert [(one.probe.question, one.wrong) for one in outcomes if one.wrong] == []
    assert {one.routing.rule for one in outcomes} == set(range(len(loaded.configuration.responses)))


def test_the_one_of_several_collections_answers(desk, ask, local):
    """It is tried as it stands, but for the model."""
    text = (EXAMPLES / "several-collections.yaml").read_text().replace("    llm: local\n", "")
    resources = desk(text, local)
    found = ask(resources, "When do I sow runner beans?", ["notes/garden"])
    assert "Sow runner beans in May" in found.response
    assert found.routing.intent == "notes/garden"


def test_the_chat_talks(desk, ask, speaks):
    server = speaks("Good day.")
    text = (EXAMPLES / "chat-only.yaml").read_text().replace("type: ollama", "type: openai")
    text = text.replace("${OLLAMA_URL:-http://localhost:11434}", f"{server.url}/v1")
    assert ask(desk(text), "Hello").response == "Good day."
    assert ask(desk(text), "Help").response.startswith("Ask me anything")
