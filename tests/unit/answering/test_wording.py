"""Sentences that are built from the words of a line, and those that are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.answering.wording import is_copied, is_said, shared

CONTEXT = "-C NUM, --context=NUM: Print NUM lines of output context."
KEEP = "The cache is kept for 7 days, and is never shared between users unless sharing is enabled."


@pytest.mark.parametrize(
    ("sentence", "lines"),
    [
        ("With -C, it prints lines of output context.", [CONTEXT]),
        ("With -C 3, it prints 3 lines of output context.", [CONTEXT]),
        ("The cache is kept for 7 days.", ["The cache is kept for 7 days. It is shared."]),
        ("Caches are kept for 7 days and are never shared between users unless sharing is enabled.", [KEEP]),
        (
            "-i ignores case distinctions, and -C prints lines of output context.",
            ["-i: Ignore case distinctions.", CONTEXT],
        ),
    ],
)
def test_words_of_the_line_in_its_order_hold(sentence, lines):
    assert is_said(sentence, lines, "How do I see 3 lines around a match?")


def test_a_piece_of_a_sentence_is_no_copy():
    line = "Do not run it as root. It is fast."
    assert is_copied("It is fast.", [line])
    assert not is_copied("run it as root.", [line])
    assert not is_said("Run it as root.", [line])


@pytest.mark.parametrize(
    "sentence",
    [
        "The cache is kept for 9 days.",
        "The cache is kept for 7 weeks.",
        "The cache is never kept for 7 days.",
        "The cache is shared between users.",
        "The cache is never shared between users.",
        "The cache is kept for 7 days, and is shared between users unless sharing is enabled.",
        "The cache is kept for 7 days in /tmp.",
        "Users are enabled unless sharing never kept the cache shared between days.",
        "<b>The cache</b> is kept for 7 days, and is never shared between users unless sharing is enabled.",
        "The cache is never shared unless sharing is enabled.",
        "Users are never shared between the cache unless sharing is enabled.",
        "It is.",
        "",
    ],
)
def test_other_facts_words_or_turns_do_not_hold(sentence):
    assert not is_said(sentence, [KEEP])


def test_values_of_the_question_only_fill_placeholders():
    assert not is_said("The cache is kept for 3 days.", ["The cache is kept for 7 days."], "kept for 3 days?")
    assert not is_said("With -C 4, it prints 4 lines of output context.", [CONTEXT], "3 lines")


def test_shared_words_are_a_share_of_those_of_the_sentence():
    assert shared("print the output", CONTEXT) == 1.0
    assert shared("the moon", CONTEXT) == 0.0
    assert shared("", CONTEXT) == 0.0


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_can_be_checked(sentence, line):
    assert is_said(sentence, [line]) in {True, False}
    assert 0.0 <= shared(sentence, line) <= 1.0
