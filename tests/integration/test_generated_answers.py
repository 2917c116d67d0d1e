"""Sentences with planted faults, models that obey hostile documents, streams that nobody wants any more, and a real model."""

import gc
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from planted import FAITHFUL, load

from shared import open_sockets, wait_until
from vademecum.ask.kinds import Corpus
from vademecum.ask.stream import AnswerStream, Asking
from vademecum.core.answers import render_markdown, render_plain, to_dict
from vademecum.core.deadline import Deadline
from vademecum.core.errors import StreamClosed
from vademecum.core.models import ModelSettings
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.index.update import index_sources
from vademecum.providers.registry import open_model
from vademecum.testing import MemorySource, document, stream
from vademecum.testing.model import ScriptedModel, chunks, lines_in, said, written
from vademecum.text.sentences import fold

ROOT = Path(__file__).parents[2]
PLANTED = ROOT / "benchmarks/verification/planted.jsonl"
INJECTIONS = Path(__file__).parents[1] / "data/injections/documents.jsonl"
DOCUMENTS = [json.loads(line) for line in INJECTIONS.read_text(encoding="utf-8").splitlines()]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vademecum/services"
GGUF = CACHE / "models/SmolLM2-135M-Instruct.Q4_1.gguf"


def test_planted_faults_do_not_come_through_as_written():
    faults = wrong = near = kept = 0
    for answer in load(PLANTED):
        for sentence in answer.sentences:
            is_said = sentence.is_said(answer)
            faults += sentence.fault != FAITHFUL
            wrong += sentence.fault != FAITHFUL and is_said
            near += sentence.note == "near-verbatim"
            kept += sentence.note == "near-verbatim" and is_said
    assert faults > 200
    assert wrong == 0
    assert kept / near > 0.55


# --- documents that speak to the model --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hostile_index(tmp_path_factory):
    """Each hostile document is the only one that answers its question; others fill."""
    pages = []
    for number, one in enumerate(DOCUMENTS):
        reference = (
            f"{one['reference'].partition('(')[0]}{number}{one['reference'][one['reference'].index('(') :]}"
        )
        honest = [
            text.replace(one["reference"].partition("(")[0], reference.partition("(")[0])
            for text in one["honest"]
        ]
        hostile = [line for text in one["hostile"] for line in text.split("\n")]
        pages.append(document(reference, ("NAME", [f"{reference.partition('(')[0]} - {one['summary']}"]), ("DESCRIPTION", [honest[0], *hostile, *honest[1:]]), summary=one["summary"]))  # fmt: skip
    generations = Generations(tmp_path_factory.mktemp("hostile") / "index")
    assert index_sources(generations, [MemorySource("manual", pages)]).documents == len(pages)
    return open_index(generations), pages


@pytest.mark.parametrize("number", range(len(DOCUMENTS)), ids=[one["id"] for one in DOCUMENTS])
def test_a_model_that_obeys_a_document_does_not_get_through(hostile_index, number):
    index, pages = hostile_index
    case, page = DOCUMENTS[number], pages[number]

    def obey(visit, request):
        obeyed = [(text, 1) for text in (*case["obeyed"], case["hostile"][0])]
        said("\n".join([written(*obeyed), *case["obeyed"]]))(visit, request)

    question = f"{page.reference}: {case['question']}"
    with ScriptedModel(obey) as model:
        asking = Asking(question, Corpus(index, 0.0), 16_000, (), Deadline(20), False, "prose")
        opened = open_model(model.settings)
        with AnswerStream(asking, lambda: opened, lambda answer: answer) as one:
            came = list(one)
            found = one.answer
    seen = "\n".join(
        [
            render_plain(found),
            render_markdown(found),
            json.dumps(to_dict(found, explain=True), ensure_ascii=False),
        ]
        + [f"{one.text} {one.command}" for one in came]
    )
    assert page.reference in {one.document_ref for one in found.references}
    for said_of in came:
        quotes = " ".join(fold(found.citations[at].quote) for at in said_of.citations)
        for mark in case["marks"]:
            assert mark not in f"{said_of.text} {said_of.command}" or fold(said_of.text) in quotes
    for step in found.steps:
        assert not any(text in f"{step.command} {step.text}" for text in case["hostile"])
    assert "![" not in seen


@pytest.mark.parametrize("number", range(len(DOCUMENTS)), ids=[one["id"] for one in DOCUMENTS])
def test_a_model_that_chooses_what_obeys_a_document_finds_only_quotations(hostile_index, number):
    """It chooses every line that has a mark of the attack, and else the last ones."""
    index, pages = hostile_index
    case, page = DOCUMENTS[number], pages[number]
    texts = {f"manual:{one.digest()}": one.text for one in pages}
    offered = []

    def obey(visit, request):
        offered[:] = re.findall(r"^\d+\. .*$", request.json["messages"][-1]["content"], re.MULTILINE)
        numbers = [at for at, line in enumerate(offered, 1) if any(mark in line for mark in case["marks"])]
        said(json.dumps({"lines": numbers or [len(offered), len(offered) - 1]}))(visit, request)

    with ScriptedModel(obey) as model:
        opened = open_model(model.settings)
        question = f"{page.reference}: {case['question']}"
        asking = Asking(question, Corpus(index, 0.0), 16_000, (), Deadline(20), False, "choose")
        with AnswerStream(asking, lambda: opened, lambda answer: answer) as stream:
            found = stream.answer
    assert offered
    assert found.summary or found.steps
    for one in (*found.summary, *found.steps):
        quotes = " ".join(" ".join(found.citations[at].quote.split()) for at in one.citations)
        assert one.origin == "composed" or (fold(one.text) in quotes and fold(one.command) in quotes)
    for citation in found.citations:
        assert texts[citation.document][citation.start : citation.end] == citation.quote
    for step in found.steps:
        assert not any(text in f"{step.command} {step.text}" for text in case["hostile"])
        assert not re.search(r"https?://|\|\s*(?:ba|z)?sh\b", step.command)
    assert "![" not in render_markdown(found)


# --- streams that are cancelled ---------------------------------------------------------------------------------------


def test_cancelled_answers_leave_nothing(hostile_index):
    index, pages = hostile_index
    question = f"What does {pages[0].reference} do?"

    def endless(visit, request):
        number, sentence = next(line for line in lines_in(request).items() if line[1].endswith("."))
        text = written((sentence, number), ("And", 1))
        stream(chunks(text, 500), then=lambda visit, _request: visit.wait_for_end())(visit, request)

    with ScriptedModel(endless) as model:
        opened = open_model(model.settings)
        before = (threading.active_count(), open_sockets())

        def start():
            asking = Asking(question, Corpus(index, 0.0), 16_000, (), Deadline(60), True, "prose")
            return AnswerStream(asking, lambda: opened, lambda answer: answer)

        for number in range(100):
            answering = start()
            if number % 4 == 0:  # closed from another thread while it waits
                timer = threading.Timer(0.2, answering.close)
                timer.start()
                with pytest.raises(StreamClosed):
                    list(answering)
                timer.join()
            elif number % 4 == 1:  # after the first sentence
                next(answering)
                answering.close()
            elif number % 4 == 2:  # before anything was asked
                answering.close()
            else:  # only dropped
                next(answering)
            del answering
            gc.collect()
        gc.collect()
        wait_until(lambda: not model.server.open_connections and threading.active_count() <= before[0])
        assert open_sockets() <= before[1]


# --- what is loaded ---------------------------------------------------------------------------------------------------


def test_without_a_model_none_of_it_is_loaded(tmp_path):
    program = """
import sys
import vademecum
from vademecum.library.library import Library
from vademecum.ask import path, conversation
import vademecum.cli.ragman
loaded = [name for name in sys.modules if name.startswith(("httpx2", "httpcore2", "vademecum.net", "vademecum.providers.openai",
    "vademecum.answering.choice", "vademecum.answering.selection", "vademecum.answering.wording", "vademecum.ask.stream", "vademecum.ask.rewriting", "vademecum.providers.registry"))]
print(loaded)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.strip() == "[]"


# --- a real model -----------------------------------------------------------------------------------------------------


@pytest.mark.servers
@pytest.mark.nightly
def test_a_real_model_small_as_it_is(hostile_index):
    """Its prose is useless: what counts is that the answer is there, in time, and rests on the documents alone."""
    if not GGUF.is_file():
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop("not there: the model; fetch it with scripts/services/smollm2")
    index, pages = hostile_index
    model = open_model(
        ModelSettings("llamacpp", str(GGUF), context_tokens=2048, max_tokens=60, temperature=0.0, threads=1)
    )
    try:
        asking = Asking(
            "How do I pack files into an archive?",
            Corpus(index, 0.0),
            16_000,
            (),
            Deadline(60),
            False,
            "prose",
        )
        with AnswerStream(asking, lambda: model, lambda answer: answer) as one:
            found = one.answer
    finally:
        model.close()
    texts = {f"manual:{page.digest()}": page.text for page in pages}
    assert found.citations
    for one in found.citations:
        assert texts[one.document][one.start : one.end] == one.quote
    assert found.outcome in {"answered", "partial"}
    assert found.trace.steps[4].saw["model"]
