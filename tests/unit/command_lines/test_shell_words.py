"""The shell's own words in a question."""

import pytest

from vademecum.command_lines.shell_words import expansion_of, shell_words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("what does 2>&1 mean?", ["2>&1"]),
        ("what is $? in bash", ["$?"]),
        ("difference between $@ and $*", ["$@", "$*"]),
        ("difference between && and ||", ["&&", "||"]),
        ("what does ${x:-y} do", ["${x:-y}"]),
        ("what does >/dev/null mean", [">/dev/null"]),
        ("what does : do in bash", [":"]),
        ("exit code 137", ["137"]),
        ("my script exited with status 143", ["143"]),
        ("what is signal 9", ["SIG9"]),
        ("what does SIGPIPE mean", ["SIGPIPE"]),
        ("what does export do", ["export"]),
        ("sort a file > other", []),
        ("how do I copy a folder", []),
        ("port 443 is open", []),
        ("", []),
    ],
)
def test_finds_the_words_that_a_question_is_about(question, words):
    assert shell_words(question) == words


@pytest.mark.parametrize(
    ("word", "tag"),
    [
        ("${x:-y}", "${parameter:-word}"),
        ("${x##*/}", "${parameter#word}"),
        ("${#x}", "${#parameter}"),
        ("${x:2:3}", "${parameter:offset}"),
        ("$x", ""),
    ],
)
def test_expansions_have_entries(word, tag):
    assert expansion_of(word) == tag
