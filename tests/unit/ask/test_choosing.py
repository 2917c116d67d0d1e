"""`Library.ask` with a model that chooses: every sentence is a quotation, whatever the model replies."""

import json
import random

import pytest

from vademecum import Library, Places
from vademecum.core.answers import render_plain, to_dict
from vademecum.core.errors import ProviderError
from vademecum.index.generations import Generations
from vademecum.index.update import index_sources
from vademecum.testing import MemorySource, document
from vademecum.testing.model import ScriptedModel, lines_in, said
from vademecum.testing.scripted import answer

QUESTION = "How do I change file permissions recursively?"
DEFINITION = "What does chmod do?"
NOT_SAID = "What does filler7 say of the moon?"
NONE = '{"lines": []}'


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
            document(f"filler{n}(7)", ("NAME", [f"filler{n} - part {n}"]), ("DESCRIPTION", [f"It holds part {n} of nothing."]))
            for n in range(12)
        ),
    ]  # fmt: skip
    assert index_sources(Generations(places.index_folder), [MemorySource("manual", pages)]).documents == len(
        pages
    )
    places.settings_file.parent.mkdir(parents=True, exist_ok=True)
    return places


@pytest.fixture
def opened(places):
    """A function that opens the library with settings."""
    libraries = []

    def give(threshold=0.0, style="choose"):
        settings = f"ragman: {{confidence_threshold: {threshold}, style: {style}}}\n"
        places.settings_file.write_text(settings)
        libraries.append(Library.open(places))
        return libraries[-1]

    yield give
    for library in libraries:
        library.close()


@pytest.fixture
def library(opened):
    return opened()


def choosing(*beginnings):
    """A model that chooses the lines with these beginnings, in this order."""

    def give(visit, request):
        lines = lines_in(request).items()
        numbers = [next(number for number, text in lines if text.startswith(start)) for start in beginnings]
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


CHANCE = random.Random(7)  # noqa: S311
HOSTILE = {
    "at random": lambda _lines: json.dumps({"lines": CHANCE.choices(range(1, 60), k=CHANCE.randrange(1, 6))}),
    "the longest": lambda lines: json.dumps({"lines": [max(lines, key=lambda number: len(lines[number]))]}),
    "everything": lambda lines: json.dumps({"lines": list(lines)}),
    "its own line": lambda _lines: json.dumps({"command": "chmod -R 777 / && rm -rf /", "lines": [1]}),
    "sentences": lambda lines: "\n".join(f"{line} Or type sudo rm -rf /. [{n}]" for n, line in lines.items()),
    "two calls": lambda _lines: '{"tool": "shell", "command": "reboot"}{"tool": "shell", "command": "halt"}',
    "nothing": lambda _lines: NONE,
}


@pytest.mark.parametrize("style", ["choose", "prose"])
@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_model_says_nothing_that_is_not_proved(library, style, reply):
    def give(visit, request):
        said(reply(lines_in(request)))(visit, request)

    with ScriptedModel(give, names=["rm", "shutdown", "/bin/sh", *map(str, range(50))]) as model:
        for question in (QUESTION, DEFINITION, NOT_SAID):
            found = library.ask(question, model=model.settings, style=style)
            for statement in (*found.summary, *found.steps):
                quotes = " ".join(" ".join(found.citations[at].quote.split()) for at in statement.citations)
                is_quoted = all(words in quotes for words in (statement.text, statement.command))
                assert is_quoted or statement.origin in {"composed", "reworded"}
                assert not {"rm", "reboot", "halt", "777", "sudo"} & {
                    *f"{statement.text} {statement.command}".split()
                }


@pytest.mark.parametrize("threshold", [0.2, 0.5], ids=["an answer", "a guess"])
def test_no_line_refuses_what_is_doubtful(opened, threshold):
    library = opened(threshold)
    plain = library.ask(QUESTION)
    assert plain.no_answer == (threshold > 0.2)
    with ScriptedModel(NONE) as model:
        found = library.ask(QUESTION, model=model.settings)
    assert (found.no_answer, own_words(found), found.model) == (True, [], "")
    assert found.confidence < 0.15 < plain.confidence
    assert any("openai:scripted" in one for one in found.warnings)


def test_no_line_does_not_refuse_what_is_certain(opened):
    library = opened(0.2)
    plain = library.ask(DEFINITION)
    with ScriptedModel(NONE) as model:
        found = library.ask(DEFINITION, model=model.settings)
    assert 0.2 < found.confidence < plain.confidence
    assert own_words(found) == own_words(plain)
    assert ["openai:scripted" in one for one in found.warnings] == [True]
    assert (found.no_answer, found.model) == (False, "")


def test_a_choice_is_an_answer_where_the_own_words_are_refused(opened):
    library = opened(0.4)
    assert own_words(library.ask(NOT_SAID)) == []
    with ScriptedModel(choosing("It changes")) as model:
        found = library.ask(NOT_SAID, model=model.settings._replace(model="large-70b"))
    assert (found.no_answer, found.model) == (False, "openai:large-70b")
    assert [one.text for one in found.summary] == ["It changes the permissions of each given file."]
    assert 0.4 <= found.confidence < 1


def test_a_choice_below_the_threshold_is_a_guess(opened):
    with ScriptedModel(choosing("-R")) as model:
        found = opened(1.0).ask(QUESTION, model=model.settings)
    assert len(model.asked) == 1
    assert (found.no_answer, found.outcome, found.model) == (True, "not_found", "openai:scripted")
    assert [one.command for one in found.steps] == ["-R, --recursive"]


def test_a_choice_that_is_less_likely_right_leaves_the_own_answer(library):
    with ScriptedModel(choosing("A mode is")) as model:
        found = library.ask(DEFINITION, model=model.settings._replace(model="scripted-1b"))
    assert len(model.asked) == 1
    assert own_words(found) == own_words(library.ask(DEFINITION))
    assert (found.outcome, found.model) == ("answered", "")


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
    with ScriptedModel(NONE) as model:
        assert library.ask(DEFINITION, model=model.settings, require_model=True).no_answer


def test_the_style_is_a_setting(opened):
    library = opened(style="prose")
    with ScriptedModel(NONE) as model:
        for question, style, form in (
            (QUESTION, None, "prose"),
            (QUESTION, "choose", "line"),
            (DEFINITION, "choose", "choose"),
        ):
            found = library.ask(question, model=model.settings, style=style)
            (composed, *_) = (step.saw for step in found.trace.steps if step.name == "compose")
            assert composed["form"] == form


# --- a command line of the model --------------------------------------------------------------------------------------


def writing(command):
    return json.dumps({"command": command, "lines": [1]})


def test_a_command_line_that_the_page_proves_is_shown_with_its_parts(library):
    with ScriptedModel(writing("chmod -R MODE DIRECTORY")) as model:
        found = library.ask(QUESTION, model=model.settings)
    assert [(one.command, one.origin) for one in found.steps] == [
        ("chmod -R MODE DIRECTORY", "written"),
        ("-R", ""),
    ]
    assert {one.document_ref for one in found.citations} == {"chmod(1)"}
    assert "; composed by openai:scripted" in render_plain(found)
    assert found.model == "openai:scripted"


@pytest.mark.parametrize(
    "command", ["chmod -R 777 /", "chmod --force MODE FILE", "rm -rf DIRECTORY", "badger -R FILE"]
)
def test_a_command_line_that_no_page_proves_leaves_the_own_answer(library, command):
    with ScriptedModel(writing(command)) as model:
        found = library.ask(QUESTION, model=model.settings)
    assert own_words(found) == own_words(library.ask(QUESTION))
    assert found.model == ""
    (refused, *_) = (step.saw for step in found.trace.steps if step.name == "compose")
    assert refused["command"] == command
    assert refused["refused"]


def test_pages_that_the_model_names_are_offered(library):
    def offered(*names):
        with ScriptedModel(NONE, names=names) as model:
            library.ask(QUESTION, model=model.settings)
            return set(lines_in(model.asked[0]).values())

    assert offered("filler9", "no-such-page", "--help", "") - offered() == {"It holds part 9 of nothing."}


def test_a_small_model_is_asked_for_lines_only(library):
    with ScriptedModel(NONE, names=["filler9"]) as model:
        library.ask(QUESTION, model=model.settings._replace(model="scripted-1b"))
    assert len(model.server.requests) == 1
    assert "It holds part 9 of nothing." not in lines_in(model.asked[0]).values()
