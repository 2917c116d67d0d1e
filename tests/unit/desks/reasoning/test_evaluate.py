"""Measuring how often the right way of reasoning comes."""

import json
from pathlib import Path

import pytest

from vademecum.core.errors import ConfigError
from vademecum.desks.reasoning import ReasoningLibrary
from vademecum.desks.reasoning.evaluate import Chosen, Query, read_queries, run, summarise
from vademecum.evaluation.figures import Ranking

QUERIES = Path(__file__).parents[4] / "benchmarks/questions/reasoning.jsonl"


def outcome(expected, found, rank, baseline=None):
    query = Query(query="q", expected=expected)
    rankings = [Ranking((False,) * (place - 1) + (True,) if place else ()) for place in (rank, baseline)]
    return Chosen(
        case=query, found=found, ranked=found, ranking=rankings[0], baseline=rankings[1], confidence=0.9
    )


def test_figures():
    figures = summarise(
        [
            outcome(("a",), ("a", "b", "c"), 1, 2),
            outcome(("b", "c"), ("a", "b", "d"), 2, 4),
            outcome(("d",), ("chain-of-thought",), 1, 1),
            outcome(("chain-of-thought",), ("chain-of-thought",), None),
            outcome(("chain-of-thought",), ("a", "b", "c"), None),
        ],
        resamples=50,
        worst=2,
    )
    assert (figures["n"], figures["n_fitting"], figures["n_fallback"]) == (5, 3, 2)
    assert figures["accuracy_at_1"] == pytest.approx(2 / 3)
    assert figures["accuracy_at_3"] == 1
    assert figures["baseline"] == {
        "accuracy_at_1": pytest.approx(1 / 3),
        "accuracy_at_3": pytest.approx(2 / 3),
    }
    assert (figures["fallback_precision"], figures["fallback_recall"]) == (0.5, 0.5)
    assert figures["decided_right"] == pytest.approx(0.4)
    assert {"expected": "chain-of-thought", "came": "a", "n": 1} in figures["confusions"]
    assert len(figures["confusions"]) == 3
    assert len(figures["worst"]) == 2
    assert all(low <= high for low, high in figures["intervals"].values())
    json.dumps(figures, allow_nan=False)


def test_figures_of_nothing_are_null():
    figures = summarise([outcome(("a",), ("a",), 1, 1)], resamples=0)
    assert figures["fallback_precision"] is None
    assert figures["fallback_recall"] is None
    assert set(figures["intervals"].values()) == {None}


def test_an_eighth_of_the_development_queries(ours):
    figures = summarise(run(ours, read_queries(QUERIES)[::8]), resamples=0)
    assert figures["n"] >= 40
    assert figures["n_fallback"] >= 5
    assert figures["accuracy_at_1"] >= 0.75
    assert figures["fallback_recall"] >= 0.8
    assert figures["baseline"]["accuracy_at_1"] < figures["accuracy_at_1"]


@pytest.mark.nightly
def test_all_development_queries(ours):
    queries = read_queries(QUERIES)
    figures = summarise(run(ours, queries), resamples=0)
    assert figures["n"] == len(queries) > 300
    assert figures["accuracy_at_1"] >= 0.75
    assert figures["accuracy_at_3"] >= 0.92
    assert figures["fallback_recall"] >= 0.8
    assert figures["fallback_precision"] >= 0.7
    assert figures["baseline"]["accuracy_at_1"] < figures["accuracy_at_1"]


def test_no_development_query_is_in_a_template(ours):
    queries = {query.query.lower() for query in read_queries(QUERIES)}
    lines = {
        line.lower() for one in ours.list_templates() for line in (*one.asked, *one.examples, *one.use_when)
    }
    assert len(lines) > 1500
    assert not lines & queries


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"expected": ["a"]}', '"query"'),
        ('{"query": " ", "expected": ["a"]}', '"query"'),
        ('{"query": "q"}', '"expected"'),
        ('{"query": "q", "expected": []}', '"expected"'),
        ('{"query": "q", "expected": [1]}', '"expected"'),
        ("\n\n", "no query"),
    ],
)
def test_rejects_a_malformed_file_of_queries(tmp_path, line, fault):
    path = tmp_path / "q.jsonl"
    path.write_text(line)
    with pytest.raises(ConfigError, match=fault) as caught:
        read_queries(path)
    assert "expected" in caught.value.hint


def test_names_a_missing_template_and_a_missing_file(six_of_ours, tmp_path):
    with pytest.raises(ConfigError, match="gone"):
        run(ReasoningLibrary([six_of_ours]), [Query(query="q", expected=("gone",))])
    with pytest.raises(ConfigError, match=r"gone\.jsonl"):
        read_queries(tmp_path / "gone.jsonl")


def test_the_fallback_among_others_means_that_none_fits(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text(
        '\ufeff{"query": "hi", "expected": "chain-of-thought"}\n{"query": "x", "expected": ["a", "chain-of-thought"]}\n'
    )
    assert [query.fits for query in read_queries(path)] == [False, False]
