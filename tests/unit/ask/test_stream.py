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
from vademecum.testing.model import ScriptedModel, passages_in, said, statement, written
from vademecum.testing.scripted import answer

QUESTION = "How do I change file permissions?"
SENTENCE = "It changes the permissions of each given file according to mode."


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    places = Places(folder / "data", folder / "config")
    pages = [
        document(
            "chmod(1)",
            ("NAME", ["chmod - change file permissions"]),
            ("DESCRIPTION", [f"{SENTENCE} A mode is symbolic or octal."]),
            ("OPTIONS", [("-R, --recursive", "change files and directories recursively")]),
            summary="change file permissions",
        ),
        document(
            "chown(1)",
            ("NAME", ["chown - change file owner and group"]),
            ("DESCRIPTION", ["It changes who owns each given file."]),
            summary="change file owner and group",
        ),
        *(
            document(
                f"filler{n}(3)", ("NAME", [f"filler{n} - part {n}"]), ("DESCRIPTION", ["Nothing is said."])
            )
            for n in range(12)
        ),
    ]
    generations = Generations(places.index_folder)
    assert index_sources(generations, [MemorySource("manual", pages)]).documents == len(pages)
    places.settings_file.parent.mkdir(parents=True, exist_ok=True)
    places.settings_file.write_text("ragman: {confidence_threshold: 0.0}\n")
    return Library.open(places)


def faithful(visit, request):
    number = next(n for n, text in passages_in(request).items() if SENTENCE in text)
    option = next(n for n, text in passages_in(request).items() if "-R, --recursive" in text)
    step = statement(
        "-R changes files and directories recursively.", option, command="chmod -R MODE DIRECTORY"
    )
    said(written(statement("It changes the permissions of each given file.", number), steps=[step]))(
        visit, request
    )


def test_a_written_answer(library):
    with ScriptedModel(faithful) as model:
        found = library.ask(QUESTION, model=model.settings, style="prose")
    assert (found.outcome, found.warnings, found.dropped) == ("answered", (), 0)
    assert found.model
    assert [one.text for one in found.summary] == ["It changes the permissions of each given file."]
    assert [one.command for one in found.steps] == ["chmod -R MODE DIRECTORY"]
    for one in found.citations:
        assert library.text(one.document)[one.start : one.end] == one.quote != ""
    steps = {step.name: step.saw for step in found.trace.steps}
    assert list(steps) == ["analyse", "retrieve", "evaluate", "decide", "compose", "verify"]
    assert steps["verify"]["verdicts"] == ["supported", "supported"]
    assert steps["compose"]["model"] == "scripted"
    json.dumps(to_dict(found, explain=True))


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
    assert [one for part, one, _ in came if part == "steps"] == list(found.steps)
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
        answer("hello", kind="text/plain"),
        lambda visit, _: visit.wait_for_end(),
        lambda visit, _: visit.hang_up(),
        "Badgers dig tunnels below castles.",
        '{"summary": [], "steps": []}',
        "",
    ],
    ids=["401", "500", "nonsense", "stalls", "hangs up", "untrue", "empty", "nothing"],
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


def test_verified_sentences_stay_before_quotations(library):
    def one_of_five(visit, request):
        number = next(n for n, text in passages_in(request).items() if SENTENCE in text)
        bad = [statement(f"Badgers number {n} dig tunnels below castles.", number) for n in range(4)]
        said(written(statement("It changes the permissions of each given file.", number), *bad))(
            visit, request
        )

    plain = library.ask(QUESTION)
    with ScriptedModel(one_of_five, '{"corrected": []}') as model:
        found = library.ask(QUESTION, model=model.settings, style="prose")
    assert found.outcome == "partial"
    assert found.dropped == 4
    assert found.summary[0].text == "It changes the permissions of each given file."
    assert own_words(found)[1:] == own_words(plain)
    assert "documents" in found.warnings[0]
    for one in found.citations:
        assert library.text(one.document)[one.start : one.end] == one.quote
    assert {one.number for one in found.citations} == {one.number for one in found.references}


@pytest.mark.parametrize(
    "nonsense", ["Badgers dig tunnels below castles.", "\x00 no json {", '{"summary": [], "steps": []}']
)
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


def test_a_refusal_asks_no_model(library):
    with ScriptedModel(faithful) as model:
        settings = library.settings
        library._settings = settings._replace(confidence_threshold=1.0)
        try:
            found = library.ask(QUESTION, model=model.settings, style="prose")
        finally:
            library._settings = settings
        assert (found.no_answer, model.asked) == (True, [])


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
