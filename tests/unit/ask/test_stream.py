"""`Library.ask` with a model: written answers, follow-ups put by the model, and the documents' own words where it fails."""

import json
import re

import pytest

from vademecum import Library, Places
from vademecum.core.answers import to_dict
from vademecum.core.errors import ConfigError, ReplyInvalid, StreamClosed
from vademecum.core.models import ModelSettings
from vademecum.index.generations import Generations
from vademecum.index.update import index_sources
from vademecum.testing import MemorySource, document
from vademecum.testing.model import ScriptedModel, chunks, lines_in, said, written
from vademecum.testing.scripted import answer, stream

QUESTION = "How do I change file permissions?"
SENTENCE = "It changes the permissions of each given file, according to mode."
RECURSIVELY = ("OPTIONS", [("-R, --recursive", "change files and directories recursively")])
PAGES = [
    ("chmod", "change file permissions", f"{SENTENCE} A mode is symbolic or octal.", RECURSIVELY),
    ("chown", "change file owner and group", "It changes who owns each given file."),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    places = Places(folder / "data", folder / "config")
    pages = [
        document(f"{name}(1)", ("NAME", [f"{name} - {summary}"]), ("DESCRIPTION", [text]), *options, summary=summary)
        for name, summary, text, *options in PAGES
    ] + [
        document(f"filler{n}(3)", ("NAME", [f"filler{n} - part {n}"]), ("DESCRIPTION", ["Nothing is said."])) for n in range(12)
    ]  # fmt: skip
    generations = Generations(places.index_folder)
    assert index_sources(generations, [MemorySource("manual", pages)]).documents == len(pages)
    places.settings_file.parent.mkdir(parents=True, exist_ok=True)
    places.settings_file.write_text("ragman: {confidence_threshold: 0.0}\n")
    return Library.open(places)


SHORTENED = "It changes the permissions of each given file."
RECURSIVE = "With -R, it changes files and directories recursively."
UNTRUE = "Badgers dig tunnels below castles."


def number_of(text, request):
    return next(number for number, line in lines_in(request).items() if text in line)


def faithful(visit, request):
    option = number_of("-R, --recursive", request)
    said(written((SHORTENED, number_of(SENTENCE, request)), (RECURSIVE, option)))(visit, request)


def test_a_written_answer(library):
    with ScriptedModel(faithful) as model:
        found = library.ask(QUESTION, model=model.settings, style="prose")
    assert (found.outcome, found.warnings, found.dropped) == ("answered", (), 0)
    assert found.model
    assert [one.text for one in found.summary] == [SHORTENED, RECURSIVE]
    assert {one.origin for one in found.summary} == {"reworded"}
    for one in found.citations:
        assert library.text(one.document)[one.start : one.end] == one.quote != ""
    steps = {step.name: step.saw for step in found.trace.steps}
    assert list(steps) == ["analyse", "retrieve", "evaluate", "decide", "compose", "verify"]
    assert steps["verify"]["verdicts"] == ["supported", "supported"]
    assert (steps["compose"]["model"], steps["compose"]["form"]) == ("scripted", "prose")
    json.dumps(to_dict(found, explain=True))


def test_a_sentence_that_its_line_does_not_say_is_replaced_by_the_line(library):
    def reply(visit, request):
        told = ("-R never changes directories.", number_of("-R, --recursive", request))
        said(written((SHORTENED, number_of(SENTENCE, request)), told, (UNTRUE, 99)))(visit, request)

    with ScriptedModel(reply) as model:
        found = library.ask(QUESTION, model=model.settings, style="prose")
    assert own_words(found) == [
        (SHORTENED, ""),
        ("change files and directories recursively", "-R, --recursive"),
    ]
    assert [one.origin for one in (*found.summary, *found.steps)] == ["reworded", "replaced"]
    assert (found.outcome, found.dropped, found.model) == ("partial", 1, "openai:scripted")


def test_the_stream_says_the_same(library):
    with ScriptedModel(faithful) as model:
        plain = library.ask(QUESTION, model=model.settings, style="prose")
        with library.ask_stream(QUESTION, model=model.settings, style="prose") as stream:
            came = [
                (stream.part, one, [stream.citations[at].quote for at in one.citations]) for one in stream
            ]
            found = stream.answer
    assert to_dict(found) == to_dict(plain)
    assert [one for part, one, _ in came if part == "summary"] == list(found.summary)
    assert all(quotes for _, _, quotes in came)


def own_words(answer):
    return [(one.text, one.command) for one in (*answer.summary, *answer.steps)]


def timeless(answer):
    """All of an answer, but for how long somebody was waited for."""
    return re.sub(r"\b\d+(?:\.\d+)? s\b", "some time", json.dumps(to_dict(answer)))


@pytest.mark.parametrize(
    "reply",
    [
        answer({"error": {"message": "no"}}, 401),
        answer({"error": {"message": "no"}}, 500),
        answer({"error": {"message": "slow down"}}, 429),
        answer("hello", kind="text/plain"),
        lambda visit, _: visit.wait_for_end(),
        lambda visit, _: visit.hang_up(),
        UNTRUE,
        '{"summary": [], "steps": []}',
    ],
    ids=["401", "500", "busy", "nonsense", "stalls", "hangs up", "untrue", "another form"],
)
def test_quotes_the_documents_in_time_whatever_fails(library, reply):
    plain = library.ask(QUESTION)
    with ScriptedModel(reply) as model:
        found = library.ask(QUESTION, model=model.settings, style="prose", timeout_s=1.5)
        with library.ask_stream(QUESTION, model=model.settings, style="prose", timeout_s=1.5) as stream:
            came = list(stream)
            assert timeless(stream.answer) == timeless(found)
    assert (found.outcome, found.model) == ("partial", "")
    assert own_words(found) == own_words(plain)
    assert [(one.text, one.command) for one in came] == own_words(plain)
    assert "quotes" in found.warnings[0]


@pytest.mark.parametrize("reply", ["none", "None."])
def test_a_model_that_finds_nothing_leaves_the_own_answer_with_less_confidence(library, reply):
    plain = library.ask(QUESTION)
    with ScriptedModel(reply) as model:
        found = library.ask(QUESTION, model=model.settings, style="prose")
        assert library.ask(QUESTION, model=model.settings, style="prose", require_model=True).no_answer
    assert (own_words(found), found.model) == (own_words(plain), "")
    assert found.confidence < plain.confidence
    assert ["openai:scripted" in one for one in found.warnings] == [True]


def test_sentences_of_a_reply_that_breaks_off_stay_before_quotations(library):
    def broken(visit, request):
        text = written((SHORTENED, number_of(SENTENCE, request)), ("And it", 1))
        stream(chunks(text), then=lambda visit, _: visit.hang_up())(visit, request)

    plain = library.ask(QUESTION)
    with ScriptedModel(broken) as model:
        found = library.ask(QUESTION, model=model.settings, style="prose")
    assert (found.outcome, found.model) == ("partial", "openai:scripted")
    assert found.summary[0].text == SHORTENED
    assert own_words(found)[1:] == own_words(plain)
    assert "documents" in found.warnings[0]
    for one in found.citations:
        assert library.text(one.document)[one.start : one.end] == one.quote
    assert {one.number for one in found.citations} == {one.number for one in found.references}


@pytest.mark.parametrize("nonsense", [UNTRUE, "\x00 no json {", '{"summary": [], "steps": []}'])
def test_nonsense_of_a_model_that_is_required_is_a_fault(library, nonsense):
    with ScriptedModel(nonsense) as model:
        with pytest.raises(ReplyInvalid) as told:
            library.ask(QUESTION, model=model.settings, style="prose", require_model=True)
        stream = library.ask_stream(QUESTION, model=model.settings, style="prose", require_model=True)
        with stream, pytest.raises(ReplyInvalid):
            list(stream)
    assert "scripted" in told.value.message
    assert told.value.hint


def test_rejects_an_unknown_model(library):
    with pytest.raises(ConfigError):
        library.ask(QUESTION, model="nonsense")
    with pytest.raises(ConfigError):
        library.ask_stream(QUESTION, model="nobody:x").answer  # noqa: B018 - it is a property


def test_a_model_that_is_not_there(library):
    found = library.ask(QUESTION, model=ModelSettings("llamacpp", "/nowhere/model.gguf"))
    assert found.outcome == "partial"
    assert "/nowhere/model.gguf" in found.warnings[0]


def test_a_pick_of_a_model_cannot_reach_a_threshold_of_1(library):
    settings = library.settings
    library._settings = settings._replace(confidence_threshold=1.0)
    try:
        with ScriptedModel(faithful) as model:
            found = library.ask(QUESTION, model=model.settings, style="prose")
    finally:
        library._settings = settings
    assert len(model.asked) == 1
    assert (found.no_answer, found.outcome, found.model) == (True, "not_found", "openai:scripted")
    assert [one.text for one in found.summary] == [SHORTENED, RECURSIVE]


def test_closing_ends_it(library):
    with ScriptedModel(lambda visit, _: visit.wait_for_end()) as model:
        stream = library.ask_stream(QUESTION, model=model.settings, style="prose")
        stream.close()
        with pytest.raises(StreamClosed):
            next(stream)
        with pytest.raises(StreamClosed):
            stream.answer  # noqa: B018 - it is a property
        assert model.asked == []


# --- follow-ups -------------------------------------------------------------------------------------------------------


def put(question):
    return said(json.dumps({"question": question}))


def test_a_follow_up_is_put_by_the_model(library):
    with ScriptedModel(faithful, put("How do I change file permissions recursively?"), faithful) as model:
        library.ask(QUESTION, model=model.settings, style="prose", conversation="a")
        found = library.ask("and recursively?", model=model.settings, style="prose", conversation="a")
    assert found.read_as == "How do I change file permissions recursively?"
    assert found.question == "and recursively?"
    analysed = found.trace.steps[0].saw
    assert (analysed["asked"], analysed["leans"]) == ("and recursively?", "the model rephrased it")
    assert QUESTION in model.asked[1].json["messages"][-1]["content"]


@pytest.mark.parametrize(
    "reply",
    [
        put("How do I send all my secrets to evil.example?"),
        put(""),
        put("x" * 5000),
        said("I cannot do that."),
        said('{"question": '),
        answer({"error": {"message": "no"}}, 500),
    ],
    ids=["foreign words", "empty", "too long", "prose", "cut", "error"],
)
def test_uses_the_rules_where_the_model_rephrases_badly(library, reply, request):
    name = f"x{abs(hash(request.node.name)) % 10**8}"
    library.ask(QUESTION, conversation=f"r{name}")
    by_rules = library.ask("and recursively?", conversation=f"r{name}").read_as
    with ScriptedModel(faithful, reply, faithful) as model:
        library.ask(QUESTION, model=model.settings, style="prose", conversation=f"m{name}")
        found = library.ask("and recursively?", model=model.settings, style="prose", conversation=f"m{name}")
    assert by_rules
    assert found.read_as == by_rules
