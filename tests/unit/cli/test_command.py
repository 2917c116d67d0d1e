"""A command line is parsed by its declaration; what is wrong with it is said with what to do."""

import re

import pytest

from vademecum.cli import _run, ragadmin, vademecum
from vademecum.cli._command import Argument, Command, Flag, find, options_of, split
from vademecum.cli._help import help_of
from vademecum.cli._programs import PROGRAMS, RAGADMIN
from vademecum.core.errors import ConfigError

PROGRAM = Command(
    "tool",
    "Do things",
    commands=(
        Command(
            "do",
            "Do a thing",
            "json:dumps",
            arguments=(Argument("WHAT"), Argument("MORE", many="*")),
            flags=(
                Flag("-n, --number", "N", kind="count", default=3),
                Flag("--part", "P", kind="share"),
                Flag("--name", "NAME", is_repeated=True),
                Flag("--again", "N", kind="number", bare=7),
                Flag("--quiet"),
                Flag("--colour", "C", choices=("red", "green")),
                Flag("--to-be", "X", field="or_not", is_hidden=True),
            ),
        ),
        Command("ask", "Ask about things", "json:dumps", arguments=(Argument("QUESTION", many="+"),)),
        Command("group", "Manage things"),
        Command("group list", "List things", "json:dumps", flags=(Flag("--from", "X", is_required=True),)),
    ),
)


def parsed(*words):
    command, rest = find(PROGRAM, words)
    return vars(options_of(command, *split(command, rest)))


def test_values():
    nothing = {
        "what": "x", "more": [], "number": 3, "part": None, "name": [], "again": None, "quiet": False,
        "colour": None, "or_not": None, "help": False,
    }  # fmt: skip
    assert parsed("do", "x") == nothing
    everything = parsed(
        "do", "-n", "2", "x", "--part=0.5", "y", "--name", "a", "--name=b", "--again", "--quiet", "--colour", "red", "z",
        "--to-be", "-1",
    )  # fmt: skip
    assert everything == {
        "what": "x", "more": ["y", "z"], "number": 2, "part": 0.5, "name": ["a", "b"], "again": 7, "quiet": True,
        "colour": "red", "or_not": "-1", "help": False,
    }  # fmt: skip
    assert parsed("do", "--again", "2", "x")["again"] == 2
    assert parsed("do", "--", "--quiet", "-")["more"] == ["-"]
    assert parsed("do", "x", "\x1b[31m")["more"] == ["\x1b[31m"]
    assert parsed("ask", "what", "is it")["question"] == ["what", "is it"]
    assert parsed("group", "list", "--from", "here")["from"] == "here"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["dp"], ["dp"]),
        (["grup"], ["grup", "group?"]),
        (["group", "lits"], ["lits", "list?"]),
        (["do"], ["WHAT"]),
        (["ask"], ["QUESTION"]),
        (["group", "list"], ["--from X"]),
        (["group", "list", "--from"], ["--from"]),
        (["group", "list", "--from", "x", "y"], ["y"]),
        (["do", "x", "--quite"], ["--quite", "--quiet?"]),
        (["do", "x", "--qui"], ["--qui"]),
        (["do", "x", "--quiet=yes"], ["--quiet"]),
        (["do", "x", "--number", "0"], ["--number", "at least 1", "not 0"]),
        (["do", "x", "--number", "many"], ["--number", "not many"]),
        (["do", "x", "--again", "-1"], ["--again", "at least 0", "not -1"]),
        (["do", "x", "--part", "nan"], ["--part", "from 0 to 1", "not nan"]),
        (["do", "x", "--colour", "blue"], ["--colour", "red, green", "not blue"]),
        (["do", "x", "--colour", "gren"], ["--colour", "not gren", "green?"]),
        (["do", "x", "--number", " "], ["not ' '"]),
    ],
)
def test_names_what_is_wrong_with_a_command_line(words, named):
    with pytest.raises(ConfigError) as caught:
        parsed(*words)
    assert [part for part in named if part not in caught.value.message] == []
    assert caught.value.hint.startswith("See: tool")
    assert caught.value.hint.endswith("--help")


def test_help(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert help_of(find(PROGRAM, ["do"])[0]).splitlines() == [
        "Usage: tool do WHAT [MORE...] [FLAGS]",
        "",
        "Do a thing.",
        "",
        "Flags:",
        "  -n, --number N",
        "  --part P",
        "  --name NAME",
        "  --again [N]",
        "  --quiet",
        "  --colour C      : red, green",
        "  -h, --help      Print this help",
    ]
    assert help_of(PROGRAM).splitlines()[4:8] == [
        "Commands:",
        "  do     Do a thing",
        "  ask    Ask about things",
        "  group  Manage things",
    ]


def test_help_and_version_of_every_command(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "72")
    for program in PROGRAMS[1:]:
        assert _run.run(program, ["--version"]) == 0
        assert re.fullmatch(rf"{program.path[0]} \d+\.\d+\.\d+\n", capsys.readouterr().out)
        for command in program.walk():
            assert _run.run(program, [*command.path[1:], "-h"]) == 0
            lines = capsys.readouterr().out.splitlines()
            assert lines[0].startswith(f"Usage: {' '.join(command.path)}")
            assert max(map(len, lines[1:])) <= 72
            if command.commands:
                assert _run.run(program, command.path[1:]) == 2
                assert capsys.readouterr().err.splitlines() == lines


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.path[0])
def test_every_command_can_be_run(program):
    leaves = [command for command in program.walk() if not command.commands]
    for command in leaves:
        assert command.meaning[0].isupper()
        assert not command.meaning.endswith(".")
        assert callable(command.function()) if command.run else program.path == ("ragman",)
        for flag in command.shown_flags:
            assert flag.meaning
            assert not flag.meaning.endswith(".")


@pytest.mark.parametrize(
    ("program", "arguments", "meant"),
    [
        (ragadmin, ["sourcs"], "sources"),
        (ragadmin, ["sources", "lst"], "list"),
        (ragadmin, ["reindex", "--ful"], "--full"),
        (vademecum, ["evla"], "eval"),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(program, arguments, meant):
    with pytest.raises(ConfigError, match=f"Did you mean {meant}?"):
        program.run(arguments)


def test_a_hidden_flag_is_parsed_and_not_shown():
    command, rest = find(RAGADMIN, ["sources", "update", "x", "--alias", "y"])
    assert options_of(command, *split(command, rest)).new_alias == "y"
    assert "--alias" not in help_of(command)
