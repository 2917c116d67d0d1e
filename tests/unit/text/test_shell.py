"""Command lines are split as a shell splits them, whatever they hold."""

import shlex
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.text.shell import OPERATOR, REDIRECTION, WORD, split


def values(line):
    return [token.value for token in split(line)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tar -xzvf a.tgz", ["tar", "-xzvf", "a.tgz"]),
        ("""grep "a b" 'c d' e\\ f""", ["grep", "a b", "c d", "e f"]),
        ("ps aux|grep x", ["ps", "aux", "|", "grep", "x"]),
        ("a && b || c; d &", ["a", "&&", "b", "||", "c", ";", "d", "&"]),
        (
            "find . \\( -name x \\) -exec rm {} \\;",
            ["find", ".", "(", "-name", "x", ")", "-exec", "rm", "{}", ";"],
        ),
        ("echo $(ls -l | wc) `date -u`", ["echo", "$(ls -l | wc)", "`date -u`"]),
        ("a 'never closed -x", ["a", "never closed -x"]),
        ("tee >(wc -c)", ["tee", ">(", "wc", "-c", ")"]),
        ("", []),
    ],
)
def test_words_and_operators(line, expected):
    assert values(line) == expected


@pytest.mark.parametrize(
    ("line", "raw", "operator"),
    [
        ("x > out.txt", "> out.txt", ">"),
        ("x 2>&1", "2>&1", "2>&1"),
        ("x 2>/dev/null", "2>/dev/null", "2>"),
        ("x >>log", ">>log", ">>"),
        ("x < 'in file'", "< 'in file'", "<"),
        ("x &>all", "&>all", "&>"),
        ("x <<< word", "<<< word", "<<<"),
    ],
)
def test_redirections_keep_their_target(line, raw, operator):
    (found,) = [token for token in split(line) if token.kind == REDIRECTION]
    assert (found.raw, found.value) == (raw, operator)


def test_knows_which_words_are_quoted():
    assert [token.is_quoted for token in split("""a 'b' "c"d \\e""")] == [False, True, True, True]


@given(st.text(alphabet=st.sampled_from(list(" ab'\"\\$()`|&;<>-=\n{}")), max_size=60))
def test_any_text_is_split_and_nothing_is_made_up(line):
    tokens = split(line)
    assert all(line[token.start : token.end] == token.raw for token in tokens)
    assert all(one.end <= other.start for one, other in pairwise(tokens))
    covered = {at for token in tokens for at in range(token.start, token.end)}
    assert all(line[at].isspace() for at in range(len(line)) if at not in covered)
    assert {token.kind for token in tokens} <= {WORD, OPERATOR, REDIRECTION}


@given(st.lists(st.text(min_size=1, max_size=12), max_size=6))
def test_quoted_words_come_back(words):
    assert values(shlex.join(words)) == words
