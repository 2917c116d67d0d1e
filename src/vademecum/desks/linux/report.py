"""The figures of an evaluation over manual pages, as plain data and as tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from vademecum.core.trace import Json
from vademecum.desks.linux.evaluate import Lead, Result
from vademecum.evaluation import metrics
from vademecum.evaluation.figures import (
    EXACT_CITATIONS,
    FALSE_ANSWERS,
    FALSE_REFUSALS,
    Figure,
    Measure,
    calibration,
    figures_of,
    groups_of,
    latency_of,
    ranked,
    spans,
    summary_of,
    values,
    worst_of,
)
from vademecum.evaluation.intervals import RESAMPLES, paired_difference
from vademecum.evaluation.report import NOTHING, group_table, joined, measured, number, table

BASELINE = "plain BM25"
PAGE_FIGURES: dict[str, tuple[str, Callable[[int | None], float]]] = {
    "page_at_1": ("right page first", lambda rank: metrics.page_at_k(rank, 1)),
    "page_at_3": ("right page in three", lambda rank: metrics.page_at_k(rank, 3)),
    "page_at_10": ("right page in ten", lambda rank: metrics.page_at_k(rank, 10)),
    "mrr": ("mean reciprocal rank", metrics.reciprocal_rank),
}
"""The figures of retrieval alone: the label, and the value for the rank of the first right page."""

_CURVE_POINTS = 100


def _contains(result: Result) -> float | None:
    is_known = result.case.answerable and result.case.must_contain
    return float(not result.lacking) if is_known else None


def _lead(result: Result, of: Callable[[Lead], bool]) -> float | None:
    if not (result.case.answerable and result.case.lead_must):
        return None
    return float(result.lead is not None and of(result.lead))


def _confidence(result: Result) -> metrics.Pair | None:
    """The confidence, and whether it was right; `None` where that is not known."""
    return None if result.right is None else (result.confidence, result.right)


def _page_measure(name: str) -> Measure[Result]:
    label, of = PAGE_FIGURES[name]
    return ranked(name, label, lambda ranking: of(ranking.rank), lambda result: result.has_page)


PAGES = tuple(map(_page_measure, PAGE_FIGURES))
MEASURES: tuple[Measure[Result], ...] = (
    *PAGES,
    Measure("answer_contains", "answer says what it must", _contains),
    Measure("lead_answers", "lead says what it must", partial(_lead, of=lambda lead: lead.answers)),
    Measure("any_line", "a line to type says it", partial(_lead, of=lambda lead: lead.any_line)),
    Measure("explained", "parts of command lines explained", lambda result: result.explained if result.explained.total else None, metrics.ratio),
    Measure("lines_per_answer", "lines to type, mean", lambda result: float(result.lead.lines) if result.lead else None),
    Measure("words_median", "words, median", lambda result: float(result.lead.words) if result.lead else None, metrics.median),
    FALSE_ANSWERS,
    FALSE_REFUSALS,
    Measure("auroc", "confidence tells answerable (AUROC)", lambda result: (result.confidence, result.case.answerable), metrics.auroc, is_sorted=True),
    calibration("confidence off by (ECE, debiased)", _confidence),
    EXACT_CITATIONS,
    Measure("sentences_cited", "sentences cited", lambda result: result.sentences if result.sentences.total else None, metrics.ratio),
)  # fmt: skip


def summarise(
    results: Sequence[Result], *, resamples: int = RESAMPLES, worst: int | None = None
) -> dict[str, Json]:
    """All figures as plain data; `null` where nothing was there to measure, never NaN."""
    data: dict[str, Any] = summary_of(results, MEASURES, resamples=resamples)
    baseline = figures_of(results, PAGES, resamples=resamples, of_baseline=True)
    sections = {
        name: {"n": len(group), **values(figures_of(group, PAGES))}
        | {"baseline": values(figures_of(group, PAGES, of_baseline=True))}
        for name, group in groups_of(
            [result for result in results if result.has_page], lambda result: result.group
        )
    }
    confidences = sorted(pair for result in results if (pair := _confidence(result)))
    return {
        **data,
        "answers_without_citation": sum(result.answered and not result.citations.total for result in results),
        "counts": _counts(results),
        "by_section": sections,
        "by_kind": {
            name: _kind(group) for name, group in groups_of(results, lambda result: result.case.kind)
        },
        "search_latency_ms": latency_of(result.search_ms for result in results),
        "baseline": {
            **data["baseline"],
            "by_section": {name: {"n": of["n"], **of["baseline"]} for name, of in sections.items()},  # type: ignore[dict-item]
            "latency_ms": latency_of(result.baseline_ms for result in results),
            "intervals": spans(baseline),
        },
        "difference": {measure.name: _difference(results, measure, resamples) for measure in PAGES},
        "risk_coverage": {
            "area": metrics.risk_coverage_area(confidences),
            "points": _thinned(metrics.risk_coverage(confidences)),
        },
        "reliability": [list(bin_) for bin_ in metrics.reliability(confidences)],
        "faults": [f"{result.case.question}: {fault}" for result in results for fault in result.faults],
        **worst_of(results, worst, _case),
    }


def _counts(results: Sequence[Result]) -> dict[str, int]:
    answerable = [result for result in results if result.case.answerable]
    return {
        "answerable": len(answerable),
        "unanswerable": len(results) - len(answerable),
        "with_gold": sum(result.has_page for result in results),
        "with_must_contain": sum(bool(result.case.must_contain) for result in answerable),
        "citations": sum(result.citations.total for result in results),
        "sentences": sum(result.sentences.total for result in results),
    }


def _kind(group: Sequence[Result]) -> dict[str, Json]:
    (page,) = figures_of(group, PAGES[:1]).values()
    answered = metrics.mean([float(result.answered) for result in group])
    return {"n": len(group), "answered": answered, "page_at_1": page.value}


def _difference(results: Iterable[Result], measure: Measure[Result], resamples: int) -> dict[str, Json]:
    """By how much the figure is better than the baseline's, paired by question."""
    paged = [result for result in results if result.has_page]
    ours, theirs = map(measure.of, paged), map(measure.baseline or measure.of, paged)
    figure = Figure(*paired_difference(list(ours), list(theirs), resamples=resamples))
    return {"value": figure.value, "interval": figure.span}


def _thinned(points: Sequence[metrics.RiskPoint]) -> list[Json]:
    """At most about `_CURVE_POINTS` of a curve's points, evenly, the last one among them."""
    step = max(1, -(-len(points) // _CURVE_POINTS))
    return [list(point) for point in points[::-1][::step][::-1]]


def _case(result: Result) -> Json:
    """A question of the worst, with what came instead."""
    return {
        "question": result.case.question,
        "gold": list(result.case.gold),
        "section": result.group,
        "kind": result.case.kind,
        "answerable": result.case.answerable,
        "got": list(result.found[:3]),
        "rank": result.ranking.rank,
        "baseline_rank": result.baseline.rank,
        "answered": result.answered,
        "confidence": result.confidence,
        "lacking": list(result.lacking),
        "why": list(result.complaints()),
    }


# --- tables ---


def render(data: Mapping[str, Any], *, title: str = "Manual pages", baseline: str = BASELINE) -> str:
    """Tables of what `summarise` gives, without an ending newline; 1.000 and 0.000 are exact."""
    counts = data["counts"]
    return joined(
        [
            [
                f"{title}: {data['n']} questions, {counts['answerable']} answerable, {counts['unanswerable']} not"
            ],
            measured(MEASURES, data, baseline),
            _sections(data["by_section"], baseline),
            group_table(
                ["kind", "n", "answered", "right page first"],
                data["by_kind"],
                lambda of: map(number, (of["answered"], of["page_at_1"])),
            ),
            _latencies(data, baseline),
            _remarks(data),
            *map(_worst, data.get("worst", ())),
        ]
    )


def _sections(sections: Mapping[str, Any], baseline: str) -> list[str]:
    header = ["section", "n", *(measure.label.removeprefix("right page ") for measure in PAGES)]
    rows = group_table(
        header,
        sections,
        lambda of: (f"{number(of[page.name])} ({number(of['baseline'][page.name])})" for page in PAGES),
    )
    return [f"Right page by section ({baseline})", *rows] if rows else []


def _latencies(data: Mapping[str, Any], baseline: str) -> list[str]:
    timed = {
        "answer": data["latency_ms"],
        "search": data["search_latency_ms"],
        baseline: data["baseline"]["latency_ms"],
    }
    rows = [
        [name, *(NOTHING if time_ms is None else f"{time_ms:.1f}" for time_ms in times.values())]
        for name, times in timed.items()
    ]
    return table(["milliseconds", "median", "95th percentile"], rows)


def _remarks(data: Mapping[str, Any]) -> list[str]:
    """What must not be overlooked."""
    uncited = data["answers_without_citation"]
    return [*([f"Answers that cite nothing: {uncited}"] if uncited else []), *data["faults"]]


def _worst(case: Mapping[str, Any]) -> list[str]:
    """A question, and what came instead."""
    wanted = ", ".join(case["gold"]) or ("an answer" if case["answerable"] else "a refusal")
    done = "answered" if case["answered"] else "refused"
    came = ", ".join(case["got"]) or "nothing"
    return [
        case["question"],
        f"  {'; '.join(case['why'])}",
        f"  wanted {wanted}; came {came}; {done} at {number(case['confidence'])}",
    ]
