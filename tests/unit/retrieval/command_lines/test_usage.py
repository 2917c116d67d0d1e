"""A SYNOPSIS as a grammar."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.retrieval.command_lines.usage import usages


def forms(text, name):
    return usages(text, 0, len(text), name)


@pytest.mark.parametrize(
    ("name", "text", "words", "operands"),
    [
        ("tail", "tail [OPTION]... [FILE]...", ("tail",), [("FILE", False, True)]),
        ("cp", "cp [OPTION]... [-T] SOURCE DEST", ("cp",), [("SOURCE", True, False), ("DEST", True, False)]),
        ("chmod", "chmod [OPTION]... MODE[,MODE]... FILE...", ("chmod",), [("MODE", True, True), ("FILE", True, True)]),
        ("chown", "chown [OPTION]... [OWNER][:[GROUP]] FILE...", ("chown",), [("OWNER:GROUP", True, False), ("FILE", True, True)]),
        ("kill", "kill [options] <pid> [...]", ("kill",), [("pid", True, False)]),
        ("git-log", "git log [<options>] [<revision-range>]", ("git", "log"), [("revision-range", False, False)]),
        ("git-cherry-pick", "git cherry-pick [-n] <commit>...", ("git", "cherry-pick"), [("commit", True, True)]),
        ("git-stash", "git stash list [<log-options>]", ("git", "stash", "list"), []),
        ("ip-route", "ip [ OPTIONS ] route { COMMAND | help }", ("ip", "route"), [("COMMAND", True, False)]),
        ("useradd", "useradd [options] LOGIN", ("useradd",), [("LOGIN", True, False)]),
        ("ssh", "ssh [-46A] [-b bind_address] destination [command [argument ...]]", ("ssh",),
         [("destination", True, False), ("command", False, False), ("argument", False, True)]),
        ("ps", "ps [options]", ("ps",), []),
    ],
)  # fmt: skip
def test_operands(name, text, words, operands):
    form = forms(text, name)[0]
    assert (form.words, [tuple(one) for one in form.operands]) == (words, operands)


def test_each_form_by_itself():
    text = "tar -c [-f ARCHIVE] [FILE...]\ntar -t [-f ARCHIVE]\n    [MEMBER...]\nNote: see the manual."
    create, show = forms(text, "tar")
    assert (create.options, create.named) == (("-c",), ("-c", "-f"))
    assert (show.options, [one.name for one in show.operands]) == (("-t",), ["MEMBER"])
    assert [text[one.start : one.end] for one in (create, show)] == [
        "tar -c [-f ARCHIVE] [FILE...]",
        "tar -t [-f ARCHIVE]\n    [MEMBER...]",
    ]


def test_prose_is_no_form():
    assert forms("See the other page.", "tool") == []
    assert forms("tool with many words that are only prose", "tool") == []
    assert forms("", "tool") == []
    assert forms("tool [[[ -x {", "tool")[0].operands == ()


@given(st.text(alphabet=st.sampled_from(list("tool [](){}|<>.-AB\n")), max_size=60))
def test_any_synopsis_is_read(text):
    for form in forms(f"tool {text}", "tool"):
        assert form.words[0] == "tool"
        assert all(operand.name for operand in form.operands)
