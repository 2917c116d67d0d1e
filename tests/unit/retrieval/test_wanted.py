"""The kinds of answers that a question asks for, by its words."""

import pytest

from vademecum.retrieval.question.wanted import NAMES, answer_kinds, compared
from vademecum.text.words import numbers_in


def _wanted(question):
    return {name for name, wanted in zip(NAMES, answer_kinds(question), strict=True) if wanted}


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("How do I calibrate the compass?", {"way"}),
        ("Delete my account", {"way"}),
        ("deletion of accounts", set()),
        ("Can I calibrate it indoors?", {"yes_no"}),
        ("I moved the world to another engine. Do my lights stay?", {"yes_no"}),
        ("How much does the frame weigh?", {"amount", "measure"}),
        ("default baud rate", {"amount", "default", "measure"}),
        ("What does the sensor cost?", {"amount", "money"}),
        ("How many robots fit at most?", {"amount", "count", "extreme"}),
        ("how soon is a report answered", {"duration"}),
        ("Is the log encrypted?", {"yes_no", "terms"}),
        ("Which version of Qt is needed?", {"version"}),
        ("who drew the logo", {"person"}),
        ("In which year was it released?", {"time"}),
        ("Why are maps stored as grids?", {"reason"}),
        ("What is the difference between a topic and a service?", {"comparison", "meaning"}),
        ("meaning of the blinking light", {"meaning"}),
        ("", set()),
    ],
)
def test_kinds_of_answers(question, kinds):
    assert _wanted(question) == kinds


def test_asking_for_a_way_is_the_same_in_either_form():
    assert answer_kinds("rename a model") == answer_kinds("how do I rename a model?")


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("What is the difference between git pull and git fetch?", ("pull", "fetch")),
        ("docker volumes vs bind mounts", ("docker volumes", "bind mounts")),
        ("is restic better than borg?", ("restic", "borg")),
        ("How do I use borg with ssh?", ()),
    ],
)
def test_the_sides_of_a_comparison_are_the_words_of_only_one(question, sides):
    assert compared(question) == tuple(frozenset(numbers_in(side)) for side in sides)
