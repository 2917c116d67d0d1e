"""The figures of a book evaluation, as plain data and as tables."""

from collections.abc import Callable, Mapping, Sequence
from math import log2
from typing import Any

from vademecum.core.trace import Json
from vademecum.desks.book.evaluate import LIMIT, Asked
from vademecum.evaluation.figures import (
    EXACT_CITATIONS,
    FALSE_ANSWERS,
    FALSE_REFUSALS,
    Measure,
    Ranking,
    calibration,
    figures_of,
    groups_of,
    ranked,
    summary_of,
    values,
    worst_of,
)
from vademecum.evaluation.intervals import RESAMPLES
from vademecum.evaluation.metrics import auroc, median, page_at_k, risk_coverage
from vademecum.evaluation.report import duration, group_table, joined, measured, number
from vademecum.retrieval.question.definitions import asked_thing
from vademecum.retrieval.question.wanted import NAMES, answer_kinds

_FILES = 5
_GAIN_LIMIT = 10
_RISK = 0.05
_KINDS = ("yes_no", "reason", "comparison", "way", "person", "time", "amount", "meaning")
"""The kinds of questions with separate figures. A question is counted under the first kind that it has."""


def _ranked(name: str, label: str, of: Callable[[Ranking], float]) -> Measure[Asked]:
    return ranked(name, label, of, lambda outcome: outcome.case.answerable)


def _of_answerable(name: str, label: str, of: Callable[[Asked], float | None]) -> Measure[Asked]:
    return Measure(name, label, lambda outcome: of(outcome) if outcome.case.answerable else None)


def _gain(ranking: Ranking) -> float:
    """Return the nDCG (Järvelin & Kekäläinen 2002) of the first ten passages; all right ones have the same gain.

    Only right passages that were found count for the ideal ranking.
    """
    best = sum(1 / log2(place + 1) for place in range(1, min(sum(ranking.right), _GAIN_LIMIT) + 1))
    own = sum(1 / log2(place + 1) for place, right in enumerate(ranking.right[:_GAIN_LIMIT], 1) if right)
    return own / best if best else 0.0


def _confidence(outcome: Asked) -> tuple[float, bool]:
    return outcome.confidence, outcome.first_has_phrase


def _coverage(pairs: Sequence[tuple[float, bool]]) -> float | None:
    if not pairs:
        return None
    return max((point.coverage for point in risk_coverage(pairs) if point.risk <= _RISK), default=0.0)


RANKS = (
    _ranked("passage_at_1", "right passage first", lambda ranking: page_at_k(ranking.rank, 1)),
    _ranked("passage_at_5", "right passage in five", lambda ranking: page_at_k(ranking.rank, 5)),
    _ranked(f"passage_at_{LIMIT}", "right passage in thirty", lambda ranking: page_at_k(ranking.rank, LIMIT)),
    _ranked("ndcg_at_10", "gain of the first ten", _gain),
    _ranked("file_at_5", "right page in five", lambda ranking: page_at_k(ranking.file_rank, _FILES)),
)
LEAD = _of_answerable(
    "lead_has_phrase", "its first 300 characters do", lambda outcome: outcome.lead_has_phrase
)
PHRASE = _of_answerable(
    "answer_has_phrase", "the answer holds the phrase", lambda outcome: outcome.has_phrase
)
LENGTH = Measure[Asked](
    "characters_median",
    "characters, median",
    lambda outcome: float(len(outcome.answer)) if outcome.answered else None,
    median,
)
ANSWERS = (
    PHRASE,
    LEAD,
    _of_answerable("defines", "what is to be explained is defined first", lambda outcome: outcome.defines),
    Measure[Asked](
        "auroc",
        "answerable told from not (AUROC)",
        lambda outcome: (outcome.answerability, outcome.case.answerable),
        auroc,
    ),
    calibration("error of the confidence (ECE)", _confidence),
    Measure[Asked]("coverage_at_5pct_error", "answered with 5 % errors", _confidence, _coverage),
    FALSE_ANSWERS,
    FALSE_REFUSALS,
    EXACT_CITATIONS,
)


def summarise(
    outcomes: Sequence[Asked], *, resamples: int = RESAMPLES, worst: int | None = None
) -> dict[str, Json]:
    """Return all figures as plain data; None where there is nothing to measure.

    Ranks, files and phrases are measured on all answerable questions, whether answered or not. `auroc` measures
    `answerability`. `ece` and `coverage_at_5pct_error` measure `confidence`, as a prediction that the first statement
    of the answer contains the phrase.
    """
    data = summary_of(outcomes, (*RANKS, *ANSWERS), resamples=resamples)
    data["bm25"] = data.pop("baseline")
    answerable = sum(outcome.case.answerable for outcome in outcomes)
    return {
        **data,
        **values(figures_of(outcomes, [LENGTH])),
        "n_answerable": answerable,
        "n_unanswerable": len(outcomes) - answerable,
        "by_kind": {
            kind: {
                "n": len(group),
                "n_answerable": sum(outcome.case.answerable for outcome in group),
                **values(figures_of(group, (LEAD, PHRASE, FALSE_REFUSALS, LENGTH))),
            }
            for kind, group in groups_of(outcomes, lambda outcome: kind_of(outcome.case.question))
        },
        **worst_of(outcomes, worst, _case),
    }


def kind_of(question: str) -> str:
    """Return the kind of a question: `definition`, one of `_KINDS`, or `other`."""
    if asked_thing(question):
        return "definition"
    wants = dict(zip(NAMES, answer_kinds(question), strict=True))
    return next((kind for kind in _KINDS if wants[kind]), "other")


def _case(outcome: Asked) -> Json:
    return {
        "question": outcome.case.question,
        "answerable": outcome.case.answerable,
        "gold_files": list(outcome.case.gold_files),
        "rank": outcome.ranking.rank,
        "answered": outcome.answered,
        "has_phrase": outcome.has_phrase,
        "answerability": round(outcome.answerability, 4),
        "answer": outcome.answer[:300],
    }


def render(data: Mapping[str, Any]) -> str:
    """Format the figures of `summarise` as tables, without a trailing newline."""
    return joined(
        [
            [
                f"Book: {data['n']} questions, {data['n_answerable']} that it answers, {data['n_unanswerable']} that it does not"
            ],
            measured((*RANKS, *ANSWERS), {**data, "baseline": data["bm25"]}, "plain BM25"),
            group_table(
                ["kind of question", "asked", "lead has phrase", "refused", "characters"],
                data["by_kind"],
                lambda of: map(number, (of[LEAD.name], of[FALSE_REFUSALS.name], of[LENGTH.name])),
            ),
            [
                f"Answers: {duration(data['latency_ms'])}; {number(data[LENGTH.name])} characters at the median"
            ],
            *map(_worst, data.get("worst", ())),
        ]
    )


def _worst(case: Mapping[str, Any]) -> list[str]:
    came = f"rank {case['rank']}" if case["answerable"] else "no answer there"
    return [case["question"], f"  {came}; answerability {number(case['answerability'])}: {case['answer']}"]
