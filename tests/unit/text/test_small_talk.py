"""Greetings and thanks: alone they ask for nothing, and around a question they are left out."""

import pytest

from vademecum.text.small_talk import small_talk, without_courtesies


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Hello, how do I list files?", "how do I list files?"),
        ("hi how do I see the memory", "how do I see the memory"),
        ("Hey there, which command shows disk usage?", "which command shows disk usage?"),
        ("Good morning! What is my address?", "What is my address?"),
        ("How do I list files by size, thanks", "How do I list files by size"),
        ("How do I reset it? Thank you very much in advance!!", "How do I reset it?"),
        ("Hi all - where is the log? Many thanks.", "where is the log?"),
    ],
)
def test_courtesies_around_a_question_are_left_out(said, asked):
    assert without_courtesies(said) == asked


@pytest.mark.parametrize(
    "said",
    [
        "hello world in C",
        "greetings cards printing",
        "How do I thank you in a commit",
        "cheers",
        "Hi there!",
        "thanks",
        "what does hello print",
        "which command says thank you",
        "how do I install cheers",
        "",
    ],
)
def test_keeps_the_question(said):
    assert without_courtesies(said) == said


def test_only_small_talk_asks_for_nothing():
    assert small_talk("Hello there!") == "greeting"
    assert small_talk("Hello, when do you open?") is None
