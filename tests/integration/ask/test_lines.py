"""The line to type leads an answer, and each of its words is stated by the page or is the asker's own."""

import shutil
from pathlib import Path

import pytest

from vademecum import Places
from vademecum.answering.extract import entry_step
from vademecum.answering.verify import verify
from vademecum.ask.command_lines.gate import proven
from vademecum.ask.command_lines.line_to_type import compose, led_by
from vademecum.ask.command_lines.pages import CommandPages
from vademecum.ask.command_lines.tasks import filled
from vademecum.ask.gather import evidence_at
from vademecum.core.evidence import COMPOSED, TASK, Draft, DraftStatement
from vademecum.library.internal import InternalLibrary

PAGES = Path(__file__).parents[2] / "data" / "commands"

pytestmark = pytest.mark.needs("mandoc")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lines")
    shutil.copytree(PAGES, folder / "manual")
    with InternalLibrary.open(Places(folder / "data", folder / "config")) as opened:
        assert opened.add(folder / "manual").problems == ()
        yield opened


@pytest.fixture
def page(library):
    """A page, some of whose entries are typed, by their tags."""
    index = library.corpus().index

    def read(reference, *typed):
        document = evidence_at(index.named(reference)[0], index)
        tags = {one.start: document.text[one.start : one.tag_end] for one in document.passages}
        chosen = tuple(
            one._replace(typed=0.9 if tags[one.start] and tags[one.start].startswith(typed) else 0.0)
            for one in document.passages
        )
        return document._replace(passages=chosen if typed else document.passages)

    return read


def shown(line, document, question):
    """A line that holds, as it is shown."""
    verified = verify(Draft((), (DraftStatement("", line.text, line.spans, COMPOSED),)), [document], question)
    assert verified.verdicts == ("supported",)
    assert verified.steps[0].origin == COMPOSED
    return verified.steps[0].command


@pytest.mark.parametrize(
    ("reference", "typed", "question", "line"),
    [
        ("pack(1)", ("-c", "-f"), "pack a folder into a.pack", "pack -c -f a.pack FILE"),
        ("pack(1)", ("-x",), "take files out", "pack -x"),
        ("pack(1)", ("--strip",), "leave out 3 folders", "pack --strip=3"),
        (
            "seek(1)",
            ("-name", "-delete"),
            "delete all files named *.log in /tmp",
            "seek /tmp -name '*.log' -delete",
        ),
        ("seek(1)", ("-mtime",), "files older than 7 days", "seek PATH -mtime +7"),
        ("seek(1)", ("-name", "-delete"), "find files named *.log", "seek PATH -name '*.log'"),
        ("clone(1)", ("if=", "bs="), "copy disk.img 10 bytes at a time", "clone if=disk.img bs=10"),
        ("box(1)", ("lock",), "lock it", "box lock"),
        ("box-open(1)", ("-n",), "open 5 boxes", "box open -n 5"),
        ("mode(1)", ("-R",), "everything in a folder", "mode -R MODE FILE"),
        ("stop(1)", (), "stop process 1234", "stop 1234"),
        ("pack(1)", ("-c",), "pack all *.log files", "pack -c *.log"),  # the shell expands it
        ("seek(1)", ("-mtime",), "files changed in the last 2 hours", "seek PATH -mtime N"),  # these are days
        ("seek(1)", ("-mtime",), "files changed in the last 24 hours", "seek PATH -mtime -1"),
        ("switch(8)", ("-t",), "enable it after 2 minutes", "switch -t SECONDS COMMAND"),
        ("switch(8)", ("-t",), "wait 5 seconds", "switch -t 5 COMMAND"),
        ("switch(8)", ("enable",), "enable the ssh service at boot", "switch enable ssh"),
        ("switch(8)", ("-a",), "everything on a device", "switch -a DEVICE"),
    ],
)
def test_a_line_is_put_together(page, reference, typed, question, line):
    document = page(reference, *typed)
    assert shown(compose(question, 0, document), document, question) == line


@pytest.mark.parametrize(
    ("typed", "question"),
    [
        ("enable", "stop a service from starting at boot"),
        ("enable", "do not start it at boot any more"),
        ("disable", "enable a service"),
    ],
)
def test_no_line_does_the_opposite(page, typed, question):
    document = page("switch(8)", typed)
    assert compose(question, 0, document) is None


def test_no_line_without_a_command_or_a_synopsis(page):
    assert compose("signals", 0, page("signal(7)")) is None
    document = page("pack(1)")
    assert compose("pack", 0, document._replace(passages=())) is None


@pytest.mark.parametrize(
    ("line", "question", "shown"),
    [
        ("pack -x -f ARCHIVE", "unpack a.pack", "pack -x -f a.pack"),
        ("pack -xf ARCHIVE", "unpack a.pack", "pack -xf a.pack"),
        ("seek DIR -name 'PATTERN' -mtime +N", "files named *.log", "seek DIR -name '*.log' -mtime +N"),
        ("pack -t -f ARCHIVE | stop -s SIGNAL", "what is in a.pack", "pack -t -f a.pack | stop -s SIGNAL"),
    ],
)
def test_a_line_of_a_task_passes_if_its_pages_state_each_part(library, line, question, shown):
    pages = CommandPages(library.corpus().index)
    found = proven(filled(line, question), question, pages)
    assert found.statement.command == shown
    assert any(part.command.startswith("-") for part in found.parts)
    verified = verify(Draft((), (found.statement, *found.parts)), pages.evidence, question)
    assert not verified.dropped
    assert verified.steps[0].origin == TASK
    named = {f"{name}(1)" for name in ("pack", "seek", "stop") if name in shown}
    assert named <= {reference.label for reference in verified.references}


@pytest.mark.parametrize(
    "line", ["pack -x --sparkle", "other -x", "pack -x frobnicate", "pack -t | stop --gently", "pack -xq", ""]
)
def test_a_line_of_a_task_fails_if_a_part_is_not_stated(library, line):
    assert isinstance(proven(line, "unpack", CommandPages(library.corpus().index)), str)


def test_a_line_may_not_be_made_up(page):
    document = page("pack(1)")
    span = compose("pack a folder", 0, document).spans[0]
    for command in ("pack --made-up", "pack -c /etc/passwd", "pack -c 4711"):
        made_up = DraftStatement("", command, (span,), COMPOSED)
        assert verify(Draft((), (made_up,)), [document], "pack a folder").dropped == 1


def test_an_answer_begins_with_the_line(library):
    answer = library.ask("how do I take files out of an archive with pack")
    assert answer.steps[0].origin == COMPOSED
    assert answer.steps[0].command.startswith("pack ")
    for citation in answer.citations:
        assert library.text(citation.document)[citation.start : citation.end] == citation.quote


def test_what_destroys_is_not_shown_unasked(page):
    document = page("seek(1)", "-name", "-delete")
    line = compose("find files named *.log", 0, document)
    entries = [one for one in document.passages if one.typed and one.tag_end > one.start]
    drafted = Draft((), tuple(entry_step(0, document, one) for one in entries))
    assert {step.command for step in drafted.steps} == {"-name pattern", "-delete"}
    shown = led_by(line, "find files named *.log", drafted, [document])
    assert "-delete" not in {step.command for step in shown.steps}
    asked = led_by(line, "delete files named *.log", drafted, [document])
    assert "-delete" in {step.command for step in asked.steps}
