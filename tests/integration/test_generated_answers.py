"""Generated answers by the hundred, models that obey hostile documents, streams that nobody wants any more, and a real model."""

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
from vademecum.answering.generation import write_stream
from vademecum.ask.kinds import Corpus
from vademecum.ask.stream import AnswerStream, Asking
from vademecum.core.answers import render_markdown, render_plain, to_dict
from vademecum.core.deadline import Deadline
from vademecum.core.errors import StreamClosed
from vademecum.core.evidence import Evidence, ScoredPassage
from vademecum.core.models import ModelSettings
from vademecum.core.passages import SECTION
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.index.update import index_sources
from vademecum.providers.registry import open_model
from vademecum.testing import MemorySource, document, stream
from vademecum.testing.model import ScriptedModel, chunks, passages_in, said, statement, written
from vademecum.text.sentences import fold

ROOT = Path(__file__).parents[2]
PLANTED = ROOT / "benchmarks/verification/planted.jsonl"
INJECTIONS = Path(__file__).parents[1] / "data/injections/documents.jsonl"
DOCUMENTS = [json.loads(line) for line in INJECTIONS.read_text(encoding="utf-8").splitlines()]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vademecum/services"
GGUF = CACHE / "models/SmolLM2-135M-Instruct.Q4_1.gguf"


def evidence_of(answer):
    return [
        Evidence(
            "planted", f"{place:064x}", reference, reference, "", text,
            (ScoredPassage(SECTION, 0, len(text), 0, "", "", 1.0, 1.0),),
        )
        for place, (reference, text) in enumerate(answer.passages)
    ]  # fmt: skip


def test_more_than_a_hundred_answers_come_out_written():
    """The replies paraphrase, join passages, and hold a fault each; those the verifier was made with."""
    answers = [one for one in load(PLANTED) if not one.held]
    assert len(answers) > 120
    at_work = {}

    def reply(visit, request):
        answer = at_work["answer"]
        shown = passages_in(request)
        number = {text: n for n, text in shown.items()}
        said_of = []
        for sentence in answer.sentences:
            cites = [number[answer.passages[one - 1][1]] for one in sentence.claim.cites]
            said_of.append(statement(sentence.claim.text, *cites))
        said(written(*said_of), size=400)(visit, request)

    def script(visit, request):
        corrections = "corrected" in request.json["messages"][-1]["content"]
        (said('{"corrected": []}') if corrections else reply)(visit, request)

    enough = caught = faults = 0
    with ScriptedModel(script) as model:
        opened = open_model(model.settings)
        for answer in answers:
            at_work["answer"] = answer
            evidence = evidence_of(answer)
            done = write_stream(answer.question, evidence, opened, deadline=Deadline(30)).written
            assert done.error is None
            enough += not done.reason
            kept = {one.text for one in done.verified.summary}
            for one in done.verified.summary:
                assert one.citations
            for one in done.verified.citations:
                text = next(document.text for document in evidence if one.document.endswith(document.digest))
                assert text[one.start : one.end] == one.quote != ""
            for sentence in answer.sentences:
                if sentence.fault not in {FAITHFUL, "wrong_passage"}:
                    faults += 1
                    caught += sentence.claim.text not in kept
    assert enough >= 100
    assert caught / faults > 0.8


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
    shown = {}

    def obey(visit, request):
        shown.update(passages_in(request))
        obeyed = [statement(text, 1, quote=case["hostile"][0][:80]) for text in case["obeyed"]]
        step = statement(case["obeyed"][0], 1, command=case["obeyed"][0])
        said(written(*obeyed, statement(case["hostile"][0], 1, 2, 99), steps=[step]))(visit, request)

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
    for mark in case["marks"]:  # "9.9", and not a time of 29.93 ms
        assert not re.search(rf"(?<![\d.]){re.escape(mark)}(?!\d)", seen)
    for text in case["hostile"]:
        assert text not in seen
    assert "![" not in seen
    assert found.outcome == "partial"


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


def test_cancelled_streams_leave_nothing():
    text = "The program changes the permissions of files. It tells of every file."
    evidence = [
        Evidence(
            "a",
            "0" * 64,
            "x(1)",
            "x(1)",
            "",
            text,
            (ScoredPassage(SECTION, 0, len(text), 0, "", "", 1.0, 1.0),),
        )
    ]
    whole = written(statement("The program changes the permissions of files.", 1))
    begun = whole[: whole.index('], "steps"')]

    def endless(visit, request):
        stream(chunks(begun, 500), then=lambda visit, _request: visit.wait_for_end())(visit, request)

    with ScriptedModel(endless) as model:
        opened = open_model(model.settings)
        before = (threading.active_count(), open_sockets())

        def one(number):
            writing = write_stream("How?", evidence, opened, deadline=Deadline(60))
            if number % 4 == 0:  # closed from another thread while it waits
                timer = threading.Timer(0.02, writing.close)
                timer.start()
                with pytest.raises(StreamClosed):
                    list(writing)
                timer.join()
            elif number % 4 == 1:  # after the first sentence
                next(writing)
                writing.close()
            elif number % 4 == 2:  # before anything was asked
                writing.close()
            else:  # only dropped
                next(writing)
                del writing

        for number in range(200):
            one(number)
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
    "vademecum.answering.generation", "vademecum.answering.checker", "vademecum.answering.claims",
    "vademecum.ask.stream", "vademecum.ask.rewriting", "vademecum.providers.registry"))]
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
