"""A question that wants to know something is answered by sentences and entries of its page."""

import pytest

from vademecum.answering.verify import verify
from vademecum.ask.manuals.statements import page_units, stated
from vademecum.core.evidence import Draft
from vademecum.retrieval.question.question import analyse
from vademecum.testing import document

GROUP = document(
    "group(5)",
    ("NAME", ["group - user group file"]),
    (
        "DESCRIPTION",
        [
            "It defines the groups of a machine. There is one entry a line, its fields parted by colons.",
            ("group_name", "the name of the group. It is short."),
            ("password", "the encrypted password of the group."),
            ("GID", "the numeric group ID."),
        ],
    ),
    ("FILES", [("/etc/group", "The file.")]),
    summary="user group file",
)
TABLE = document(
    "users(5)",
    ("NAME", ["users - the users of a machine"]),
    (
        "DESCRIPTION",
        [
            "Each line has these fields:\n• login name\n• encrypted password\n• user number",
            "It is read once.",
        ],
    ),
    summary="the users of a machine",
)
TOOL = document(
    "tool(1)",
    ("NAME", ["tool - match lines"]),
    (
        "DESCRIPTION",
        ["This manual page documents tool and its exit status. However, the exit status of it is odd."],
    ),
    ("EXIT STATUS", ["The exit status is 0 if a line was selected. It is 2 if an error occurred."]),
    ("OPTIONS", [("-q", "Be quiet. Exit with status zero at once.")]),
    summary="match lines",
)


def said(index, text, pages, lead):
    question = analyse(text, index)
    statements = stated(question, index, pages, [0.0] * len(pages), lead)
    verified = verify(Draft(tuple(statements), ()), pages)
    assert not verified.dropped
    return [one.text for one in verified.summary]


def test_fields_come_in_their_order(index, evidence_of):
    assert said(index, "fields of /etc/group", [evidence_of(GROUP)], "format") == [
        "group_name: the name of the group.",
        "password: the encrypted password of the group.",
        "GID: the numeric group ID.",
    ]


def test_the_field_that_is_asked_for_comes_first(index, evidence_of):
    found = said(index, "what is the second field of users", [evidence_of(TABLE)], "format")
    assert found == ["encrypted password", "login name", "user number"]
    assert said(index, "what is the ninth field of users", [evidence_of(TABLE)], "format") == [
        "login name",
        "encrypted password",
        "user number",
    ]


def test_a_page_without_fields_is_quoted_by_its_sentences(index, evidence_of):
    assert said(index, "format of the exit status of tool", [evidence_of(TOOL, {"status": 1.0})], "format")


def test_the_sentence_that_answers_leads(index, evidence_of):
    found = said(index, "what does exit status 2 of tool mean", [evidence_of(TOOL, {"status": 1.0})], "value")
    assert found
    assert not any(one.startswith("This manual page") for one in found)
    assert not found[0].startswith("However")


def test_each_sentence_of_an_entry_comes_with_its_tag(evidence_of):
    units = [unit.text for unit in page_units([evidence_of(TOOL)], [0.0])]
    assert "-q: Be quiet." in units
    assert "-q: Exit with status zero at once." in units
    assert not any(unit.startswith("tool - ") for unit in units)


def test_an_entry_that_is_named_by_its_tag_comes_first(index, evidence_of):
    page = document(
        "fetch(1)",
        ("DESCRIPTION", ["It stops with a return code when it fails, and says why it failed with code."]),
        ("OPTIONS", [("-6", "Use addresses of the sixth version."), ("6", "Six times.")]),
        ("EXIT CODES", [("6", "Host not found. Check its name."), ("7", "No answer from the host.")]),
        ("ERRORS", [("EAGAIN", "Try again.")]),
    )
    found = said(index, "fetch failed with return code 6, why", [evidence_of(page)], "error")
    assert found[:2] == ["6: Host not found.", "6: Check its name."]
    assert said(index, "I get EAGAIN from fetch", [evidence_of(page)], "error")[0] == "EAGAIN: Try again."


def test_options_are_those_with_the_best_scores(index, evidence_of):
    page = document(
        "tool(1)", ("OPTIONS", [("-q", "Be quiet. At once."), ("-i", "Ask first."), ("-z", "Zip.")])
    )
    evidence = evidence_of(page)
    scores = {"-q": 1.0, "-i": 0.7, "-z": 0.1}
    passages = [
        passage._replace(score=scores.get(page.text[passage.start : passage.tag_end], 0.0))
        for passage in evidence.passages
    ]
    found = said(
        index, "which flag of tool keeps it silent", [evidence._replace(passages=tuple(passages))], "option"
    )
    assert found == ["-q: Be quiet.", "-i: Ask first."]


def test_two_commands_that_are_compared_have_one_line_each(index, evidence_of):
    pages = [evidence_of(TOOL), evidence_of(GROUP)]
    assert said(index, "difference between tool and group", pages, "difference") == [
        "tool - match lines",
        "group - user group file",
    ]


@pytest.mark.parametrize("lead", ["definition", "value", "error", "yes_no", "format", "difference", "option"])
def test_a_page_that_says_nothing_gives_nothing(index, evidence_of, lead):
    empty = document("empty(7)", ("NAME", ["empty - nothing"]), summary="nothing")
    assert said(index, "what is empty", [evidence_of(empty)], lead) == []
