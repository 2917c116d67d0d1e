"""The figures of a book evaluation, as plain data and as tables."""

from collections.abc import Callable, Mapping, Sequence
from math import log2
from typing import Any

from vademecum.core.trace import Json
from vademecum.desks.book.evaluate import LIMIT, Outcome, Ranking
from vademecum.evaluation.figures import Measure, figures_of, groups_of, latency_of, spans, values
from vademecum.evaluation.intervals import RESAMPLES, ece_interval
from vademecum.evaluation.metrics import auroc, ece, median, page_at_k, ratio, risk_coverage
from vademecum.evaluation.report import duration, joined, measured, number, table
from vademecum.retrieval.question.definitions import asked_thing
from vademecum.retrieval.question.wanted import NAMES, answer_kinds

_FILES = 5
_GAIN_LIMIT = 10
_RISK = 0.05
_KINDS = ("yes_no", "reason", "comparison", "way", "person", "time", "amount", "meaning")
"""The kinds of questions with separate figures. A question is counted under the first kind that it has."""


def _ranked(name: str, label: str, of: Callable[[Ranking], float]) -> Measure[Outcome]:
    return Measure(
        name,
        label,
        lambda outcome: of(outcome.ranking) if outcome.question.answerable else None,
        baseline=lambda outcome: of(outcome.words) if outcome.question.answerable else None,
    )


def _of_answerable(name: str, label: str, of: Callable[[Outcome], bool | None]) -> Measure[Outcome]:
    def share(outcome: Outcome) -> float | None:
        value = of(outcome) if outcome.question.answerable else None
        return None if value is None else float(value)

    return Measure(name, label, share)


def _gain(ranking: Ranking) -> float:
    """Return the nDCG (Järvelin & Kekäläinen 2002) of the first ten passages; all right ones have the same gain.

    Only right passages that were found count for the ideal ranking.
    """
    best = sum(1 / log2(place + 1) for place in range(1, min(sum(ranking.right), _GAIN_LIMIT) + 1))
    own = sum(1 / log2(place + 1) for place, right in enumerate(ranking.right[:_GAIN_LIMIT], 1) if right)
    return own / best if best else 0.0


def _confidence(outcome: Outcome) -> tuple[float, bool]:
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
REFUSED = _of_answerable(
    "false_refusal_rate", "refused with an answer there", lambda outcome: not outcome.answered
)
LENGTH = Measure[Outcome](
    "characters_median",
    "characters, median",
    lambda outcome: float(len(outcome.answer)) if outcome.answered else None,
    median,
)
ANSWERS = (
    PHRASE,
    LEAD,
    _of_answerable("defines", "what is to be explained is defined first", lambda outcome: outcome.defines),
    Measure[Outcome](
        "auroc",
        "answerable told from not (AUROC)",
        lambda outcome: (outcome.answerability, outcome.question.answerable),
        auroc,
    ),
    Measure[Outcome](
        "ece",
        "error of the confidence (ECE)",
        _confidence,
        ece,
        bounds=lambda pairs, resamples: ece_interval(pairs, resamples=resamples),
    ),
    Measure[Outcome]("coverage_at_5pct_error", "answered with 5 % errors", _confidence, _coverage),
    Measure[Outcome](
        "false_answer_rate",
        "answered without an answer there",
        lambda outcome: None if outcome.question.answerable else float(outcome.answered),
    ),
    REFUSED,
    Measure[Outcome](
        "citation_exact",
        "citations exact",
        lambda outcome: outcome.citations if outcome.citations[1] else None,
        ratio,
    ),
)


def summarise(
    outcomes: Sequence[Outcome], *, resamples: int = RESAMPLES, worst: int | None = None
) -> dict[str, Json]:
    """Return all figures as plain data; None where there is nothing to measure.

    Ranks, files and phrases are measured on all answerable questions, whether answered or not. `auroc` measures
    `answerability`. `ece` and `coverage_at_5pct_error` measure `confidence`, as a prediction that the first statement
    of the answer contains the phrase.
    """
    answerable = sum(outcome.question.answerable for outcome in outcomes)
    figures = figures_of(outcomes, (*RANKS, *ANSWERS), resamples=resamples)
    data: dict[str, Json] = {
        "n": len(outcomes),
        "n_answerable": answerable,
        "n_unanswerable": len(outcomes) - answerable,
        **values(figures),
        **values(figures_of(outcomes, [LENGTH])),
        "latency_ms": latency_of(outcome.latency_ms for outcome in outcomes),
        "by_kind": {
            kind: {
                "n": len(group),
                "n_answerable": sum(outcome.question.answerable for outcome in group),
                **values(figures_of(group, (LEAD, PHRASE, REFUSED, LENGTH))),
            }
            for kind, group in groups_of(outcomes, lambda outcome: kind_of(outcome.question.question))
        },
        "bm25": values(figures_of(outcomes, RANKS, of_baseline=True)),
        "intervals": spans(figures),
    }
    if worst is not None:
        data["worst"] = [_case(outcome) for outcome in sorted(outcomes, key=_shortfall, reverse=True)[:worst]]
    return data


def kind_of(question: str) -> str:
    """Return the kind of a question: `definition`, one of `_KINDS`, or `other`."""
    if asked_thing(question):
        return "definition"
    wants = dict(zip(NAMES, answer_kinds(question), strict=True))
    return next((kind for kind in _KINDS if wants[kind]), "other")


def _shortfall(outcome: Outcome) -> float:
    """Return how bad an outcome is: a confident answer where there is none, or a low rank of the right passage."""
    if not outcome.question.answerable:
        return 100 * outcome.answerability if outcome.answered else 0.0
    return float(outcome.ranking.rank or 2 * LIMIT) + (0 if outcome.has_phrase else LIMIT)


def _case(outcome: Outcome) -> Json:
    return {
        "question": outcome.question.question,
        "answerable": outcome.question.answerable,
        "gold_files": list(outcome.question.gold_files),
        "rank": outcome.ranking.rank,
        "answered": outcome.answered,
        "has_phrase": outcome.has_phrase,
        "answerability": round(outcome.answerability, 4),
        "answer": outcome.answer[:300],
    }


def _came(case: Mapping[str, Any]) -> str:
    return f"rank {case['rank']}" if case["answerable"] else "no answer there"


def render(data: Mapping[str, Any]) -> str:
    """Format the figures of `summarise` as tables, without a trailing newline."""
    kinds = [
        [kind, str(of["n"]), *map(number, (of[LEAD.name], of[REFUSED.name], of[LENGTH.name]))]
        for kind, of in data["by_kind"].items()
    ]
    length = number(data[LENGTH.name])
    return joined(
        [
            [
                f"Book: {data['n']} questions, {data['n_answerable']} that it answers, {data['n_unanswerable']} that it does not"
            ],
            measured((*RANKS, *ANSWERS), {**data, "baseline": data["bm25"]}, "plain BM25"),
            table(["kind of question", "asked", "lead has phrase", "refused", "characters"], kinds),
            [f"Answers: {duration(data['latency_ms'])}; {length} characters at the median"],
            *(
                [
                    case["question"],
                    f"  {_came(case)}; answerability {number(case['answerability'])}: {case['answer']}",
                ]
                for case in data.get("worst", ())
            ),
        ]
    )
