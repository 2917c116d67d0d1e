"""What a question names, as it goes into a line."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.command_lines.nouns import nouns_of, without_own_names


@pytest.mark.parametrize(
    ("question", "nouns"),
    [
        ("show the last 20 lines of a file", [("number", "20", "")]),
        ("find files bigger than 100 MB in /var", [("size", "100M", "+"), ("path", "/var", "")]),
        ("delete files older than 7 days named *.log", [("duration", "7", "+"), ("glob", "*.log", "")]),
        ("files changed in the last 2 hours", [("duration", "2", "-")]),
        ("what is listening on port 8080", [("port", "8080", "")]),
        ("kill process 1234", [("process", "1234", "")]),
        ("list processes of user bob", [("name", "bob", "")]),
        ("add user anna to the docker group", [("name", "anna", ""), ("name", "docker", "")]),
        (
            'replace "foo" with "bar" in a.txt',
            [("text", "foo", ""), ("text", "bar", ""), ("path", "a.txt", "")],
        ),
        ("search for the word error", [("text", "error", "")]),
        ("log in to anna@example.org", [("host", "anna@example.org", "")]),
        ("send SIGHUP", [("signal", "SIGHUP", "")]),
        ("why won't my service start", []),
        ("from the command line", []),
        ("", []),
    ],
)
def test_nouns(question, nouns):
    assert [(noun.kind, noun.value, noun.sign) for noun in nouns_of(question)] == nouns


def test_tells_a_goal_from_a_source():
    source, goal = nouns_of("copy notes.txt to /backup")
    assert (source.is_goal, goal.is_goal) == (False, True)
    assert not nouns_of("count the lines in log.txt")[0].is_goal, "a file that is read"
    assert nouns_of("find files in /home/anna")[0].is_goal


@given(st.text(max_size=80))
def test_nouns_do_not_overlap(question):
    nouns = nouns_of(question)
    assert all(one.end <= other.start for one, other in pairwise(nouns))
    assert all(0 <= noun.start < noun.end <= len(question) for noun in nouns)


@pytest.mark.parametrize(
    ("question", "general"),
    [
        ("count the lines in log.txt", "count the lines in file"),
        ("extract photos.zip", "extract zip file"),
        ("copy a.txt to /backup", "copy file to directory"),
        ("list processes of user bob", "list processes of user "),
        ("delete all *.log files", "delete all  files"),
    ],
)
def test_own_names_are_said_in_general(question, general):
    assert without_own_names(question, lambda _: False) == general
    assert without_own_names(question, lambda _: True) == question
