"""The measuring of a book: what a file of questions may hold, and the figures."""

import json
import math

import pytest

from vademecum.core.errors import ConfigError
from vademecum.desks.book.evaluate import Question, holds, read_questions, run
from vademecum.desks.book.report import render, summarise

QUESTIONS = (
    Question(
        question="how many pulses make a whole turn of a stepper motor",
        gold_files=("hardware/motors.md",),
        must=(("200 pulses make a\nwhole turn",),),
        answerable=True,
    ),
    Question(
        question="which corridors does the planner prefer",
        gold_files=("software/navigation.md",),
        must=(("prefers **wide corridors**",),),
        answerable=True,
    ),
    Question(question="which wine goes with roast venison", gold_files=(), must=(), answerable=False),
)


@pytest.fixture(scope="module")
def outcomes(book_folder):
    return run(book_folder, QUESTIONS, exclude=["SOURCE.md"])


def test_the_figures(outcomes):
    figures = summarise(outcomes, resamples=10, worst=2)
    assert (figures["n"], figures["n_answerable"]) == (3, 2)
    for name in (
        "passage_at_1",
        "passage_at_5",
        "passage_at_30",
        "ndcg_at_10",
        "file_at_5",
        "answer_has_phrase",
        "lead_has_phrase",
    ):
        assert figures[name] == 1.0, name
    assert (figures["auroc"], figures["citation_exact"]) == (1.0, 1.0)
    assert (figures["false_answer_rate"], figures["false_refusal_rate"]) == (0.0, 0.0)
    assert set(figures["bm25"]) <= set(figures)
    assert "baseline" not in figures
    assert figures["latency_ms"]["p50"] > 0
    assert len(figures["worst"]) == 2
    json.dumps(figures, allow_nan=False)


def test_the_report_names_every_figure(outcomes):
    text = render(summarise(outcomes, resamples=0))
    for part in ("3 questions", "plain BM25", "right passage in five", "citations exact"):
        assert part in text


def test_figures_by_kind(outcomes):
    figures = summarise(outcomes, resamples=0)
    assert sum(one["n"] for one in figures["by_kind"].values()) == 3
    assert figures["by_kind"]["amount"]["lead_has_phrase"] == 1.0
    assert figures["characters_median"] > 0
    assert figures["defines"] is None, "nothing was to be explained"


def test_of_groups_of_words_one_of_each_must_be_there(tmp_path):
    line = {
        "question": "What does it need?",
        "gold_files": ["a.md"],
        "must": [["48 volts", "48 V"], ["Gripper"]],
    }
    (tmp_path / "q.jsonl").write_text(json.dumps(line))
    (question,) = read_questions(tmp_path / "q.jsonl")
    assert question.is_answered_by("The gripper needs 48 v.")
    assert not question.is_answered_by("The gripper needs 24 V.")
    assert not question.is_answered_by("It needs 48 volts.")


def test_what_could_not_be_measured_is_null(outcomes):
    figures = summarise([one for one in outcomes if not one.case.answerable], resamples=0)
    assert figures["passage_at_5"] is None
    assert figures["false_refusal_rate"] is None
    assert figures["false_answer_rate"] == 0.0


def test_a_right_passage_further_down_gains_less(outcomes):
    from dataclasses import replace

    second = outcomes[0].ranking._replace(right=(False, True, False))
    figures = summarise([replace(outcomes[0], ranking=second)], resamples=0)
    assert figures["ndcg_at_10"] == pytest.approx(1 / math.log2(3))
    assert (figures["passage_at_1"], figures["passage_at_5"]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "phrase", "expected"),
    [
        ("Start it with\nuorb start.", "with uorb   start", True),
        ("Start it with uorb start.", "with `uorb start`", True),
        ("See the guide on it.", "the [guide](guide.md) on", True),
        ("Start it.", "Stop it", False),
        ("Start it.", "", False),
        ("a b", "ab", False),
    ],
)
def test_a_phrase_is_found_whatever_its_white_space_and_marks(text, phrase, expected):
    assert holds(text, phrase) is expected


@pytest.mark.parametrize(
    "line",
    [
        "nothing",
        "[]",
        "{}",
        '{"question": " "}',
        '{"question": "x", "answerable": true}',
        '{"question": "x", "answerable": "yes", "gold_phrase": "y", "gold_files": ["a"]}',
        '{"question": "x", "gold_phrase": 5}',
        '{"question": "x", "gold_files": "a.md", "gold_phrase": "y"}',
        '{"question": "\\ud800"}',
        "[" * 100_000,
    ],
)
def test_a_bad_line_is_named(tmp_path, line):
    file = tmp_path / "q.jsonl"
    file.write_text('\n{"question": "good", "answerable": false}\n' + line + "\n")
    with pytest.raises(ConfigError, match="line 3"):
        read_questions(file)


def test_a_file_of_questions(tmp_path):
    file = tmp_path / "q.jsonl"
    file.write_bytes(
        b'\xef\xbb\xbf{"question": "a", "gold_files": ["x.md"], "gold_phrase": "p", "answerable": true}\n\n'
        b'{"question": "b", "answerable": false}\r\n'
    )
    first, second = read_questions(file)
    assert (first.gold_files, first.must, first.answerable) == (("x.md",), (("p",),), True)
    assert (second.gold_files, second.must, second.answerable) == ((), (), False)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_questions(tmp_path / "none.jsonl")
    file.write_text("\n")
    with pytest.raises(ConfigError, match="no question"):
        read_questions(file)
