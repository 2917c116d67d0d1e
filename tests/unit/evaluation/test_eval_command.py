"""`vademecum eval`: what it prints, and how it ends."""

import dataclasses
import json
import sys

import pytest

from vademecum.cli._command import find, options_of, split
from vademecum.cli._ending import outcome
from vademecum.cli._programs import VADEMECUM
from vademecum.cli.commands import evaluation
from vademecum.cli.vademecum import run as run_command
from vademecum.core.errors import IndexMissing
from vademecum.desks.linux.evaluate import run
from vademecum.desks.linux.questions import Question
from vademecum.desks.linux.report import render, summarise
from vademecum.evaluation.cases import spread
from vademecum.evaluation.report import number, table

COMMAND = [sys.executable, "-m", "vademecum.cli.vademecum"]


def main(words):
    return outcome("vademecum", lambda: run_command(words))


def options(*words):
    command, rest = find(VADEMECUM, ["eval", *words])
    return options_of(command, *split(command, rest))


@pytest.fixture
def evaluate(manuals, plain, write_questions, capsys):
    """What `vademecum eval linux` prints of the small library."""
    path = write_questions(
        {"question": "change mode bits", "gold": ["chmod(1)"], "kind": "how", "must_contain": ["-R|-r"]},
        {"question": "scheduled rain tomorrow evening", "gold": ["cron(8)"]},
        {"question": "knit a jumper", "answerable": False, "kind": "off topic"},
        {"question": "to do", "answerable": False},
    )

    def call(*flags):
        arguments = options("linux", "--questions", str(path), *flags)
        desk = evaluation._linux(arguments)
        results = run(manuals, plain, evaluation.chosen(arguments, desk), progress=evaluation.progress)
        assert evaluation.show(arguments, desk, results) == 0
        printed = capsys.readouterr()
        assert printed.err == ""  # no terminal, no progress
        return printed.out

    return call


def test_json_is_one_object(evaluate):
    report = json.loads(evaluate("--json", "--bootstrap", "50"))
    assert report["n"] == 4
    assert report["intervals"]["page_at_1"] == [1, 1]
    assert "worst" not in report


def test_without_resamples_there_are_no_intervals(evaluate):
    report = json.loads(evaluate("--json", "--bootstrap", "0", "--worst", "--limit", "2"))
    assert report["n"] == 2
    assert set(report["intervals"].values()) == {None}
    assert [case["question"] for case in report["worst"]] == ["change mode bits"]


def test_the_table(evaluate):
    lines = evaluate("--bootstrap", "50", "--worst", "2").splitlines()
    assert lines[0] == "Manual pages: 4 questions, 2 answerable, 2 not"
    (header,) = [line for line in lines if "difference" in line]
    assert header.split("  ")[-1].strip() == "95 % interval"
    (first,) = [line for line in lines if line.startswith("right page first")]
    shown = "right page first 1.000 1.000 .. 1.000 1.000 0.000 0.000 .. 0.000"
    assert " ".join(first.split()) == shown
    ends = {header.index("plain BM25") + len("plain BM25"), header.index("difference") + len("difference")}
    assert all(first[end - 1] == "0" for end in ends)  # columns are aligned
    (refused,) = [line for line in lines if line.startswith("answerable, but refused")]
    assert refused.split()[3] == "0.500"
    (section,) = [line for line in lines if line.startswith("8 ")]
    assert section.split() == ["8", "1", *["1.000", "(1.000)"] * 4]
    assert "to do: not accepted as a question: no word of it says what is asked" in lines
    assert lines[-7:] == [
        "scheduled rain tomorrow evening",
        "  refused",
        "  wanted cron(8); came cron(8); refused at 0.250",
        "",
        "change mode bits",
        "  the answer lacks -R|-r",
        "  wanted chmod(1); came chmod(1), chown(1); answered at 1.000",
    ]


def test_a_terminal_sees_how_far_it_is(manuals, plain, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    run(manuals, plain, [Question(question="cron"), Question(question="tar")], progress=evaluation.progress)
    assert capsys.readouterr().err == "\r\x1b[K1 of 2 questions\r\x1b[K"


def test_answers_that_cite_nothing_are_said(manuals, plain):
    answer = manuals.ask("cron daemon")
    manuals.ask = lambda question: dataclasses.replace(answer, question=question, citations=())
    report = summarise(run(manuals, plain, [Question(question="cron")]))
    assert "Answers that cite nothing: 1" in render(report, title="Pages", baseline="BM25").splitlines()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1, "1.000"),
        (0.9999, "0.999"),
        (0.5, "0.500"),
        (0.0001, "0.001"),
        (0, "0.000"),
        (None, "-"),
        (-0.25, "-0.250"),
    ],
)
def test_numbers_are_exact_at_the_ends(value, shown):
    assert number(value) == shown
    if value:
        assert number(value, sign=True) == (shown if value < 0 else f"+{shown}")


def test_columns_are_aligned():
    assert table(["a", "n"], [["long", "1"], ["b", "100"]]) == ["a       n", "long    1", "b     100"]
    assert table(["a", "n"], []) == ["a  n"]


def test_a_limit_is_spread_over_all():
    assert spread("abcdefghij", 4) == ["a", "c", "f", "h"]
    assert list(spread("abc", 9)) == list(spread("abc", None)) == ["a", "b", "c"]


def test_several_files_are_one(write_questions):
    paths = [write_questions({"question": name}, name=name) for name in ("one", "two")]
    flags = [flag for path in paths for flag in ("--questions", str(path))]
    arguments = options("linux", *flags)
    assert [question.question for question in evaluation.chosen(arguments, evaluation._linux(arguments))] == [
        "one",
        "two",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "COMMAND"),
        (["eval", "linux"], "--questions"),
        (["eval", "kitchen", "--questions", "x"], "kitchen"),
        (["eval", "linux", "--questions", "x", "--limit", "0"], "at least 1"),
        (["eval", "linux", "--questions", "x", "--worst", "-1"], "at least 0"),
        (["eval", "linux", "--questions", "x", "--bootstrap", "many"], "many"),
    ],
)
def test_a_command_that_is_none(words, said, capsys):
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_help_is_no_error(capsys):
    assert main(["eval", "--help"]) == 0
    assert "--questions FILE.jsonl" in capsys.readouterr().out


def test_a_bad_file_is_said_with_a_hint(write_questions, capsys):
    path = write_questions({"question": "how"}, {"gold": ["chmod(1)"]})
    assert main(["eval", "linux", "--questions", str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        f'vademecum: {path}, line 2: there is no "question"',
        'Write one JSON object a line: {"question": "How do I ...?", "gold": ["chmod(1)"]}',
    ]


def test_without_an_index_it_says_so(write_questions, capsys):
    path = write_questions({"question": "change mode bits", "gold": ["chmod(1)"]})
    assert main(["eval", "linux", "--questions", str(path)]) == IndexMissing.exit_code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("vademecum: ")
    assert len(printed.err.splitlines()) == 2
