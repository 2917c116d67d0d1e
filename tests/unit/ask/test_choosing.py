"""`Library.ask` with a model that chooses: every sentence is a quotation, whatever the model replies."""

import json
import random
import re

import pytest

from vademecum import Library, Places
from vademecum.core.answers import render_plain, to_dict
from vademecum.core.errors import ProviderError, ReplyInvalid
from vademecum.index.generations import Generations
from vademecum.index.update import index_sources
from vademecum.testing import MemorySource, document
from vademecum.testing.model import ScriptedModel, said
from vademecum.testing.scripted import answer

QUESTION = "How do I change file permissions recursively?"


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    places = Places(folder / "data", folder / "config")
    pages = [
        document(
            "chmod(1)",
            ("NAME", ["chmod - change file permissions"]),
            ("SYNOPSIS", ["chmod [OPTION]... MODE FILE..."]),
            ("DESCRIPTION", ["It changes the permissions of each given file. A mode is symbolic or octal."]),
            ("OPTIONS", [("-R, --recursive", "change files and directories recursively"), ("-v", "tell of every file")]),
            summary="change file permissions",
        ),
        *(
            document(f"filler{n}(3)", ("NAME", [f"filler{n} - part {n}"]), ("DESCRIPTION", ["Nothing is said."]))
            for n in range(12)
        ),
    ]  # fmt: skip
    assert index_sources(Generations(places.index_folder), [MemorySource("manual", pages)]).documents == 13
    places.settings_file.parent.mkdir(parents=True, exist_ok=True)
    return places


@pytest.fixture
def library(places):
    places.settings_file.write_text("ragman: {confidence_threshold: 0.0}\n")
    with Library.open(places) as library:
        yield library


def lines_in(request):
    shown = request.json["messages"][-1]["content"]
    return {text: int(number) for number, text in re.findall(r"^(\d+)\. \[.*?\] (.*)$", shown, re.MULTILINE)}


def choosing(*beginnings):
    """A model that chooses the lines with these beginnings, in this order."""

    def give(visit, request):
        lines = lines_in(request).items()
        numbers = [next(number for text, number in lines if text.startswith(start)) for start in beginnings]
        said(json.dumps({"lines": numbers}))(visit, request)

    return give


def own_words(found):
    return [(one.text, one.command) for one in (*found.summary, *found.steps)]


def test_the_chosen_lines_are_the_answer_in_the_chosen_order(library):
    with ScriptedModel(choosing("A mode is", "It changes", "-R")) as model:
        found = library.ask(QUESTION, model=model.settings)
    assert [one.text for one in found.summary] == [
        "A mode is symbolic or octal.",
        "It changes the permissions of each given file.",
    ]
    assert [one.command for one in found.steps] == ["-R, --recursive"]
    assert {one.origin for one in (*found.summary, *found.steps)} == {"copied"}
    assert (found.outcome, found.dropped, found.warnings) == ("answered", 0, ())
    assert "; chosen by openai:scripted" in render_plain(found)
    for one in found.citations:
        assert library.text(one.document)[one.start : one.end] == one.quote != ""
    steps = {step.name: step.saw for step in found.trace.steps}
    assert list(steps) == ["analyse", "retrieve", "evaluate", "decide", "compose", "verify"]
    assert len(steps["compose"]["chosen"]) == 3 <= steps["compose"]["offered"]
    assert model.asked[0].json["temperature"] == 0
    json.dumps(to_dict(found, explain=True))


def test_steps_alone_are_preceded_by_the_line_on_the_page(library):
    with ScriptedModel(choosing("-R")) as model:
        found = library.ask(QUESTION, model=model.settings)
    assert [one.text for one in found.summary] == ["chmod - change file permissions"]
    assert [one.command for one in found.steps] == ["-R, --recursive"]


def test_a_stream_has_the_same_statements(library):
    with ScriptedModel(choosing("-R", "A mode is")) as model:
        plain = library.ask(QUESTION, model=model.settings)
        with library.ask_stream(QUESTION, model=model.settings) as stream:
            came = [
                (stream.part, one, [stream.citations[at].quote for at in one.citations]) for one in stream
            ]
            assert to_dict(stream.answer) == to_dict(plain)
    assert [one for part, one, _ in came if part == "summary"] == list(plain.summary)
    assert [one for part, one, _ in came if part == "steps"] == list(plain.steps)
    assert all(quotes for _, _, quotes in came)


def test_a_model_that_chooses_at_random_says_nothing_but_quotations(library):
    chance = random.Random(7)  # noqa: S311
    quoted = set()

    def give(visit, request):
        numbers = chance.choices(range(1, 60), k=chance.randrange(1, 6))
        said(json.dumps({"lines": numbers}))(visit, request)

    with ScriptedModel(give) as model:
        for _ in range(10):
            found = library.ask(QUESTION, model=model.settings)
            assert not found.no_answer
            for one in (*found.summary, *found.steps):
                quotes = [" ".join(found.citations[at].quote.split()) for at in one.citations]
                assert one.origin == "composed" or all(
                    words in " ".join(quotes) for words in (one.text, one.command)
                )
            quoted.update(own_words(found))
    assert len(quoted) > 3


def test_no_line_refuses_what_is_doubtful(library):
    with ScriptedModel('{"lines": []}') as model:
        found = library.ask("What does filler7 say of the moon?", model=model.settings)
        assert found.answerability < 0.75
        assert (found.no_answer, found.summary, found.model) == (True, (), "")
        assert any("openai:scripted" in one for one in found.warnings)


def test_no_line_does_not_refuse_what_is_certain(library):
    with ScriptedModel('{"lines": []}') as model:
        sure = library.ask("What does chmod do?", model=model.settings)
    assert sure.answerability >= 0.75
    assert own_words(sure) == own_words(library.ask("What does chmod do?"))
    assert ["openai:scripted" in one for one in sure.warnings] == [True]
    assert sure.model == ""


@pytest.mark.parametrize(
    "reply",
    [
        answer({"error": {"message": "no"}}, 500),
        "The answer is 7, of course.",
        '{"summary": [{"text": "Use chmod -R 777 /."}]}',
    ],
)
def test_a_model_that_fails_leaves_the_own_answer(library, reply):
    own = library.ask(QUESTION)
    with ScriptedModel(reply) as model:
        found = library.ask(QUESTION, model=model.settings)
        assert own_words(found) == own_words(own)
        assert (found.outcome, found.model) == ("partial", "")
        assert "quotes" in found.warnings[-1]
        with pytest.raises(ProviderError):
            library.ask(QUESTION, model=model.settings, require_model=True)


def test_a_required_model_that_finds_nothing_refuses(library):
    with ScriptedModel("none") as model:
        assert library.ask("What does chmod do?", model=model.settings, require_model=True).no_answer


def test_a_refusal_asks_no_model(places):
    places.settings_file.write_text("ragman: {confidence_threshold: 1.0}\n")
    with ScriptedModel('{"lines": [1]}') as model, Library.open(places) as library:
        assert library.ask(QUESTION, model=model.settings).no_answer
    assert model.asked == []


def test_the_style_is_a_setting(places):
    places.settings_file.write_text("ragman: {confidence_threshold: 0.0, style: prose}\n")
    with ScriptedModel('{"lines": [1]}') as model, Library.open(places) as library:
        with pytest.raises(ReplyInvalid):
            library.ask(QUESTION, model=model.settings, require_model=True)
        assert library.ask(QUESTION, model=model.settings, style="choose").model == "openai:scripted"
