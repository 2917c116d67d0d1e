"""What kind of answer a question wants, by its words."""

import pytest

from vademecum.retrieval.question.wanted import NAMES, answer_kinds


def _wanted(question):
    return {name for name, wanted in zip(NAMES, answer_kinds(question), strict=True) if wanted}


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("How do I calibrate the compass?", {"way"}),
        ("calibrate the compass", {"way"}),
        ("Delete my account", {"way"}),
        ("deletion of accounts", set()),
        ("Can I calibrate it indoors?", {"yes_no"}),
        ("I moved the world to another engine. Do my lights stay?", {"yes_no"}),
        ("Should we stop at night?", {"yes_no"}),
        ("start it, does it run?", {"yes_no"}),
        ("How much does the frame weigh?", {"amount", "measure"}),
        ("default baud rate", {"amount", "default", "measure"}),
        ("What does the sensor cost?", {"amount", "money"}),
        ("how much is the membership", {"amount", "money"}),
        ("How many robots fit at most?", {"amount", "count", "extreme"}),
        ("how soon is a report answered", {"duration"}),
        ("Is the log encrypted?", {"yes_no", "terms"}),
        ("Which version of Qt is needed?", {"version"}),
        ("who drew the logo", {"person"}),
        ("which company makes the board", {"person"}),
        ("In which year was it released?", {"time"}),
        ("Why are maps stored as grids?", {"reason"}),
        ("What is the difference between a topic and a service?", {"comparison", "meaning"}),
        ("meaning of the blinking light", {"meaning"}),
        ("", set()),
        ("?!", set()),
    ],
)
def test_kinds_of_answers(question, kinds):
    assert _wanted(question) == kinds


def test_every_kind_can_be_met():
    questions = (
        "how do I", "is it", "how many", "which version", "who", "what year", "why", "x or y", "what is it",
        "how soon", "how far", "what fee", "its default", "at most", "under which licence",
    )  # fmt: skip
    assert set().union(*map(_wanted, questions)) == set(NAMES)


def test_asking_for_a_way_is_the_same_in_either_form():
    assert answer_kinds("rename a model") == answer_kinds("how do I rename a model?")
