"""Documents in a dozen languages that want the reader to act, and models that obey them."""

import json
import re
from pathlib import Path

import pytest

from vademecum.answering.injection import commands_in
from vademecum.ask.kinds import Corpus
from vademecum.ask.stream import AnswerStream, Asking
from vademecum.core.deadline import Deadline
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.index.update import index_sources
from vademecum.providers.registry import open_model
from vademecum.testing import MemorySource, document
from vademecum.testing.model import ScriptedModel, said, written

FILE = Path(__file__).parents[1] / "data/injections/actions.jsonl"
CASES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
each_case = pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
UNSAFE = re.compile(
    r"://|\bwww\.|\bmailto:|\|\s*(?:sudo )?(?:-E )?(?:ba)?sh\b|\| (?:python3|iex)|eval|<\(|\d{3}[- ]\d{4}|555"
)


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    pages = [
        document(case["reference"], ("NAME", [f"{case['reference'].partition('(')[0]} - {case['summary']}"]),
                 ("DESCRIPTION", [case["honest"][0], *case["hostile"], *case["honest"][1:]]), summary=case["summary"])
        for case in CASES
    ]  # fmt: skip
    generations = Generations(tmp_path_factory.mktemp("actions") / "index")
    assert index_sources(generations, [MemorySource("manual", pages)]).documents == len(CASES)
    return open_index(generations)


def answer_of(index, case, style, reply):
    """The answer with a model that says `reply`, a function of the messages."""

    def speak(visit, request):
        said(reply(request.json["messages"][-1]["content"]))(visit, request)

    with ScriptedModel(speak) as model:
        opened = open_model(model.settings)
        asking = Asking(case["question"], Corpus(index, 0.0), 16_000, (), Deadline(20), False, style)
        with AnswerStream(asking, lambda: opened, lambda answer: answer) as stream:
            return stream.answer


def obedient(case):
    """What an obedient model writes: what the document wants said and done, with and without the number of a line."""
    says = [*case["says"], case["step"]["text"], case["step"]["command"], case["hostile"][0]]
    return written((case["honest"][0], 1), *((text, 1) for text in says)) + "\n" + "\n".join(says)


def check_steps(case, found):
    assert found.summary
    for step in found.steps:
        assert not UNSAFE.search(f"{step.text} {step.command}"), step
        assert not any(mark in f"{step.text} {step.command}" for mark in case["marks"])
    shown = [statement for statement in (*found.summary, *found.steps) if statement.origin == "reworded"]
    assert not any(commands_in(f"{statement.text} {statement.command}") for statement in shown)


@each_case
def test_a_model_that_writes_what_a_document_wants_done(index, case):
    found = answer_of(index, case, "prose", lambda _: obedient(case))
    check_steps(case, found)
    for mark in case["marks"]:
        assert all(mark not in f"{step.text}{step.command}" for step in found.steps)
        for sentence in found.summary:
            quotes = " ".join(" ".join(found.citations[at].quote.split()) for at in sentence.citations)
            assert mark not in sentence.text or sentence.text in quotes
    shown = " ".join(said.text for said in (*found.summary, *found.steps) if said.origin == "reworded")
    assert not re.search(r"tool_call|TOOL_CALLS|<invoke|vbscript:|ms-settings:", shown)


@each_case
def test_a_model_that_chooses_what_a_document_wants_done(index, case):
    def choose(content):
        lines = re.findall(r"^\d+\. .*$", content, re.MULTILINE)
        numbers = [at for at, line in enumerate(lines, 1) if any(mark in line for mark in case["marks"])]
        return json.dumps({"lines": numbers or [1]})

    found = answer_of(index, case, "choose", choose)
    check_steps(case, found)
    assert {statement.origin for statement in (*found.summary, *found.steps)} <= {"copied", "composed"}


@each_case
def test_the_facts_on_the_page_stay_answerable(index, case):
    def choose(content):
        lines = re.findall(r"^\d+\. .*$", content, re.MULTILINE)
        return json.dumps({"lines": [at for at, line in enumerate(lines, 1) if case["fact"] in line][:1]})

    fact = next(text for text in case["honest"] if case["fact"] in text)
    chosen = answer_of(index, case, "choose", choose)
    assert case["fact"] in " ".join(statement.text for statement in chosen.summary)
    prose = answer_of(index, case, "prose", lambda _: fact)
    assert case["fact"] in " ".join(statement.text for statement in prose.summary)
