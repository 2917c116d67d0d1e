"""What leans on the question before, and how it is taken then."""

import json
from pathlib import Path

import pytest

from vademecum.core.conversations import Turn
from vademecum.providers.builtin import words_near
from vademecum.retrieval.question.follow_up import Reading, leans, read, readings, start_over

PAIRS = Path(__file__).parents[3] / "benchmarks/questions/followups.jsonl"
COMMANDS = {"cp", "mv", "rsync", "useradd", "mount", "grep", "gzip", "ls", "tar"}
COPYING = Turn("how do I copy a directory", "how do I copy a directory", ("cp(1)",))


def taken(question, *before):
    return read(question, before or (COPYING,), COMMANDS.__contains__)


def test_the_development_set_is_told_apart():
    pairs = [json.loads(line) for line in PAIRS.read_text().splitlines()]
    assert len(pairs) >= 40
    wrong = [one["question"] for one in pairs if bool(leans(one["question"])) != one["depends"]]
    assert len(wrong) / len(pairs) <= 0.05, wrong


@pytest.mark.parametrize(
    "question",
    [
        "how do I list open files",
        "and operator in test expressions",
        "files that are newer than a week",
        "",
        "   ",
    ],
)
def test_leaves_whole_questions_as_they_are(question):
    assert taken(question) == Reading(question)


def test_without_anything_before_nothing_is_carried():
    assert read("and recursively?", (), COMMANDS.__contains__) == Reading("and recursively?")
    assert readings("and recursively?", (), COMMANDS.__contains__) == [Reading("and recursively?")]


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("do I have to pay", ["library open mondays: do I have to pay", "do I have to pay"]),
        ("different topic: who repairs the boiler", ["who repairs the boiler"]),
        ("no wait, I meant on Sundays", ["library open: on Sundays"]),
        ("how much does it cost to print a colour page", ["how much does it cost to print a colour page"]),
        ("wait times in May", ["wait times in May", "library open mondays: wait times in May"]),
        ("umask", ["umask"]),
    ],
)
def test_a_question_is_read_in_the_ways_that_are_likely(question, texts):
    asked = "is the library open on mondays"
    found = readings(question, [Turn(asked, asked, ())], {"umask"}.__contains__, words_near)
    assert [reading.text for reading in found] == texts


def test_the_command_of_the_answer_is_carried_unless_another_thing_is_asked_for():
    assert taken("and only newer files?").text == "copy directory cp: only newer files?"
    assert "cp" not in taken("how do I move it instead?").carried
    assert "copy" not in taken("how do I move it instead?").carried
    assert "cp" not in taken("what about with rsync?").carried
    assert "copy" in taken("what about with rsync?").carried


def test_undoing_asks_for_the_opposite():
    before = Turn("mount a disk image", "mount a disk image", ("mount(8)",))
    assert taken("how do I undo that?", before).carried == ("unmount", "disk", "image")


def test_a_chain_leans_on_how_the_last_was_taken():
    first = taken("and only newer files?")
    then = taken("and verbosely?", COPYING, Turn("and only newer files?", first.text, ("cp(1)",)))
    assert {"copy", "directory", "newer"} <= set(then.carried)


def test_it_does_not_grow_without_end():
    turns = [Turn(f"and with word{number} and another{number}?", "", ()) for number in range(500)]
    assert len(read("and more?", turns, COMMANDS.__contains__).text) < 100


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("start over", ""),
        ("new topic: how do I list open files", "how do I list open files"),
        ("never mind, what is umask", "what is umask"),
        ("start over the network service", None),
        ("reset the terminal", None),
        ("", None),
    ],
)
def test_starting_over(question, rest):
    assert start_over(question) == rest


@pytest.mark.parametrize(
    "question", ["\x00", "and " * 5000, "(" * 3000, "it" * 10_000, "\ud800 it", "and\u202e?"]
)
def test_no_question_breaks_or_hangs_it(question):
    assert isinstance(taken(question).text, str)
    start_over(question)


CHAINS = [
    ("When is the pool open on Mondays?", "And on Fridays?", "pool open: on Fridays?"),
    ("How much does the X200 cost?", "What about the X300?", "much cost: the X300?"),
    ("Who is the contact for payroll?", "How do I reach her?", "contact payroll: How do I reach her?"),
    ("Who runs the choir?", "What is his phone number?", "choir: What is his phone number?"),
    ("Where is the pool?", "How much is a ticket there?", "pool: How much is a ticket there?"),
    ("Where is the printer?", "Thanks a lot!", "Thanks a lot!"),
    ("Where is the printer?", "Is there a scanner upstairs?", "Is there a scanner upstairs?"),
]


@pytest.mark.parametrize(("first", "then", "text"), CHAINS)
def test_completes_follow_ups_about_notes(first, then, text):
    """A thing takes the place of one of its kind, a whole question leans for the thing alone, and thanks ask nothing."""
    assert read(then, [Turn(first, first, ())], lambda _: False, words_near).text == text


def test_a_question_leans_on_the_last_one_that_shares_a_word_with_it():
    before = [
        Turn(text, text, ())
        for text in ("How long is the warranty of the X200?", "Who repairs bikes?", "Thanks!")
    ]
    reading = read("and the X200 battery?", before, lambda _: False, words_near)
    assert "warranty" in reading.text
    assert "repairs" not in reading.text
    assert read("and on Sundays?", before, lambda _: False, words_near).carried == ("repairs", "bikes")
