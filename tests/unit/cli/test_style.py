"""How an answer looks where a person reads it."""

import re
from dataclasses import replace

import pytest

from vademecum.cli._style import shown, width_of, wrapped
from vademecum.core.answers import LOW_CONFIDENCE, Answer, Citation, LineNotes, Reference, Statement
from vademecum.core.evidence import COMPOSED

LINE = "usermod -a -G docker bob"
ANSWER = Answer(
    question="give bob docker",
    outcome="answered",
    confidence=0.73,
    answerability=0.9,
    summary=(Statement(text="usermod - modify a user account", citations=(0,)),),
    steps=(
        Statement(text="", command=LINE, citations=(0,), origin=COMPOSED),
        Statement(
            text="add the user to the supplementary groups, and only with the next one",
            command="-a",
            citations=(0,),
        ),
        Statement(
            text="a list of groups", command="-G, --groups GROUP1[,GROUP2,...[,GROUPN]]]", citations=(0,)
        ),
        Statement(text="", command="rm -r x", citations=(1,), origin=COMPOSED),
    ),
    citations=tuple(
        Citation(
            number=n, alias="m", document="m:00", document_ref=name, location=name, start=0, end=1, quote="x"
        )
        for n, name in ((1, "usermod(8)"), (2, "rm(1)"))
    ),
    references=(
        Reference(
            number=1, alias="m", document_ref="usermod(8)", label="usermod(8)", read_with="man 8 usermod"
        ),
        Reference(number=2, alias="m", document_ref="rm(1)", label="rm(1)", url="javascript:alert(1)"),
    ),
    lines=LineNotes(left_out=("restart",), values=("docker", "bob"), destroying=("rm -r x",)),
    warnings=("mind the gap between the platform and the train",),
)
REFUSAL = Answer(
    question="x",
    outcome="not_found",
    confidence=0.1,
    answerability=0.1,
    no_answer=True,
    guidance=(LOW_CONFIDENCE,),
    see_also=(Reference(number=0, alias="m", document_ref="a(1)", label="a(1)", notes="a page"),),
)


def bare(text):
    return re.sub(r"\x1b\[\dm|\x1b\]8;;[^\x1b]*\x1b\\", "", text)


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
@pytest.mark.parametrize("styles", [True, False])
def test_the_line_is_first_then_its_parts_and_what_was_left_out_and_the_sources_once(columns, styles):
    text = shown(ANSWER, columns, styles=styles)
    assert ("\x1b" in text) == styles
    lines = bare(text).splitlines()
    assert max(map(width_of, lines)) <= min(columns, 100)
    words = " ".join(bare(text).split())
    places = [
        words.index(said)
        for said in ("mind the gap", LINE, "likely", "-a add the user", "-G, --groups", "from your question: docker, bob",
                     "Left out: “restart”", "or ! rm -r x", "[1] usermod(8), man 8 usermod")
    ]  # fmt: skip
    assert places == sorted(places)
    assert words.count("usermod(8)") == 1
    assert any(line == f"  {LINE}" or line.startswith(f"  {LINE} ") for line in lines)


def test_parts_are_in_a_column():
    lines = bare(shown(ANSWER, 80, styles=True)).splitlines()
    first = next(line for line in lines if line.startswith("    -a "))
    following = lines[lines.index(first) + 1]
    assert len(following) - len(following.lstrip()) == first.index("add the user")


def test_pages_and_addresses_that_can_be_opened_are_links():
    text = shown(ANSWER, 80, styles=True)
    assert "\x1b]8;;man:usermod(8)\x1b\\usermod(8)\x1b]8;;\x1b\\" in text
    assert "8;;javascript" not in text


def test_a_refusal_shows_what_to_do_and_the_nearest_pages():
    text = shown(REFUSAL, 80, styles=False)
    assert " ".join(text.split()) == f"{LOW_CONFIDENCE} a(1) a page"


def test_the_line_of_a_file_says_which_file_it_belongs_to():
    page = replace(ANSWER.citations[0], document_ref="usermod(5)")
    text = shown(replace(ANSWER, citations=(page, ANSWER.citations[1])), 80, styles=False)
    assert "usermod - modify a user account" in text
    assert "modify a user account" not in shown(ANSWER, 80, styles=False)


@pytest.mark.parametrize("columns", [0, 1, 5])
def test_a_terminal_of_no_width(columns):
    assert "docker" in shown(ANSWER, columns, styles=True)


def test_a_document_cannot_steer_the_terminal():
    nasty = "a \x1b[31mred\x1b]8;;http://x\x07 \x9b2J \x02b\x03 \u202ec\u2066"
    statement = Statement(text=nasty, command=nasty, citations=(0,))
    reference = replace(ANSWER.references[0], label=nasty, url="http://x\x1b\\y")
    text = shown(
        replace(ANSWER, summary=(statement,), steps=(statement,), warnings=(nasty,), references=(reference,)),
        80,
        styles=True,
    )
    assert "\x1b[31" not in text
    assert not set(text) & {"\x07", "\x9b", "\x02", "\x03", "\u202e", "\u2066"}
    assert "8;;" not in text.replace("]8;;http://x ", "")


def test_wide_and_combining_characters():
    assert (width_of("漢字"), width_of("e\u0301"), width_of("ab")) == (4, 1, 2)
    assert all(width_of(line) <= 10 for line in wrapped("漢字 " * 20, 10))


def test_a_word_that_is_too_long_stays_whole():
    assert wrapped("x" * 50 + " y", 20) == ["x" * 50, "y"]
