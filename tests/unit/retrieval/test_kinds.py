"""Kinds of question, by their words."""

import pytest

from vademecum.retrieval.question.kinds import kinds_of


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("How to list open files?", {"how_to"}),
        ("a way to sort lines", {"how_to"}),
        ("which function waits for file descriptors", {"programming"}),
        ("what does EAGAIN mean", {"programming", "concept"}),
        ("perl: sort a hash", {"programming"}),
        ("read(2) gives E2BIG", {"programming"}),
        ("exit, edit, export or empty every ENVIRONMENT", set()),
        ("home directory of a user, C", {"programming"}),
        ("a map in C++", {"programming"}),
        ("drive C: or ctrl-C or -C or [C]ontext", set()),
        ("carriage returns", set()),
        ("lines of /etc/group", {"format"}),
        ("change my password", set()),
        ("who is logged in", set()),
        ("size_t printf", {"programming"}),
        ("the fields of /etc/fstab", {"format"}),
        ("what is the syntax of sshd_config", {"format", "concept"}),
        ("What is a signal?", {"concept"}),
        ("mount: permission denied", {"error"}),
        ("tar fails on a full disk", {"error"}),
        ("What is my boss called?", {"personal", "concept"}),
        ("who wrote this", set()),
        ("who invented it", {"personal"}),
        ("in PowerShell on Windows", {"elsewhere"}),
        ("list open files", set()),
        ("", set()),
    ],
)
def test_kinds(question, kinds):
    assert kinds_of(question) == kinds


def test_a_part_of_a_word_is_no_sign():
    assert kinds_of("informational rustic officers") == frozenset()
