"""All results of a run as figures, next to the baseline's."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from vademecum.core.trace import Json
from vademecum.evaluation import metrics
from vademecum.evaluation.intervals import (
    RESAMPLES,
    Interval,
    ece_interval,
    interval,
    mean_interval,
    paired_difference,
)
from vademecum.evaluation.results import Result, confidences, worst

PAGE_FIGURES: dict[str, Callable[[int | None], float]] = {
    "page_at_1": lambda rank: metrics.page_at_k(rank, 1),
    "page_at_3": lambda rank: metrics.page_at_k(rank, 3),
    "page_at_10": lambda rank: metrics.page_at_k(rank, 10),
    "mrr": metrics.reciprocal_rank,
}
"""The figures of retrieval alone, each from the rank of the first right page; they have a baseline."""

CURVE_POINTS = 100

Item = TypeVar("Item")


class Figure(NamedTuple):
    """A figure and its 95 % interval; both `None` where nothing was there to measure."""

    value: float | None
    interval: Interval | None


class Latency(NamedTuple):
    """Median and 95th percentile of wall times, in milliseconds; `None` of no questions."""

    p50: float | None
    p95: float | None


class Group(NamedTuple):
    """The page figures of some of the questions.

    Attributes:
        n: How many.
        figures: By the names of `PAGE_FIGURES`.
        baseline: The same of the baseline.
    """

    n: int
    figures: dict[str, float | None]
    baseline: dict[str, float | None]


class Kind(NamedTuple):
    """The questions of one kind.

    Attributes:
        n: How many.
        answered: The share that was answered.
        page_at_1: Of those whose page is known, or `None`.
    """

    n: int
    answered: float | None
    page_at_1: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything measured in a run.

    Attributes:
        n: How many questions were asked.
        counts: How many of them each group of figures rests on.
        figures: By name: the `PAGE_FIGURES`, `answer_contains`, `lead_answers`, `any_line`, `explained`, `lines_per_answer`,
            `words_median`, `false_answer_rate`, `false_refusal_rate`, `auroc`, `ece`, `citation_exact`, `sentences_cited`.
        answers_without_citation: Answers given that cite nothing.
        baseline: The baseline's page figures.
        difference: What we are better by in these, paired.
        by_section: Page figures of the questions of each group, by its name.
        by_kind: Of the questions that name a kind, by its name.
        latency: Of a whole answer.
        search_latency: Of the retrieval in it, asked for alone.
        baseline_latency: Of the baseline's retrieval.
        confidences: `(confidence, right)`, sorted, for curves.
        faults: Everything that went wrong, in words, with its question.
        worst: The questions that fell shortest, as many as were wanted; `None` if none were.
    """

    n: int
    counts: dict[str, int]
    figures: dict[str, Figure]
    answers_without_citation: int
    baseline: dict[str, Figure]
    difference: dict[str, Figure]
    by_section: dict[str, Group]
    by_kind: dict[str, Kind]
    latency: Latency
    search_latency: Latency
    baseline_latency: Latency
    confidences: list[metrics.Pair]
    faults: list[str]
    worst: list[Result] | None

    def to_dict(self) -> dict[str, Json]:
        """All of it as plain data, ready for JSON: `null` where a figure is not defined, never NaN."""
        data: dict[str, Json] = {"n": self.n}
        data |= {name: figure.value for name, figure in self.figures.items()}
        data |= {
            "answers_without_citation": self.answers_without_citation,
            "counts": self.counts,
            "by_section": {
                name: {"n": group.n, **group.figures, "baseline": group.baseline}
                for name, group in self.by_section.items()
            },
            "by_kind": {name: kind._asdict() for name, kind in self.by_kind.items()},
            "latency_ms": self.latency._asdict(),
            "search_latency_ms": self.search_latency._asdict(),
            "baseline": {
                **{name: figure.value for name, figure in self.baseline.items()},
                "by_section": {
                    name: {"n": group.n, **group.baseline} for name, group in self.by_section.items()
                },
                "latency_ms": self.baseline_latency._asdict(),
                "intervals": {name: figure.interval for name, figure in self.baseline.items()},
            },
            "difference": {name: figure._asdict() for name, figure in self.difference.items()},
            "intervals": {name: figure.interval for name, figure in self.figures.items()},
            "risk_coverage": {
                "area": metrics.risk_coverage_area(self.confidences),
                "points": _thinned(metrics.risk_coverage(self.confidences)),
            },
            "reliability": [list(bin_) for bin_ in metrics.reliability(self.confidences)],
            "faults": self.faults,
        }
        if self.worst is not None:
            data["worst"] = [_case(result) for result in self.worst]
        return data


def summarise(
    results: Sequence[Result], *, resamples: int = RESAMPLES, worst_limit: int | None = None
) -> Report:
    """All results as figures.

    Args:
        results: One a question, in the order asked; may be empty, then figures are `None`.
        resamples: Of the bootstrap; 0 for no intervals.
        worst_limit: How many of the worst questions to show, `None` for no such list.
    """
    paged = [result for result in results if result.has_page]
    ours = {name: [of(result.rank) for result in paged] for name, of in PAGE_FIGURES.items()}
    theirs = {name: [of(result.baseline_rank) for result in paged] for name, of in PAGE_FIGURES.items()}
    answerable = [result for result in results if result.question.answerable]
    return Report(
        n=len(results),
        counts={
            "answerable": len(answerable),
            "unanswerable": len(results) - len(answerable),
            "with_gold": len(paged),
            "with_must_contain": sum(bool(result.question.must_contain) for result in answerable),
            "citations": sum(result.citations.total for result in results),
            "sentences": sum(result.sentences.total for result in results),
        },
        figures={name: _mean(values, resamples) for name, values in ours.items()}
        | _answers(results, resamples),
        answers_without_citation=sum(result.answered and not result.citations.total for result in results),
        baseline={name: _mean(values, resamples) for name, values in theirs.items()},
        difference={
            name: Figure(*paired_difference(ours[name], theirs[name], resamples=resamples))
            for name in PAGE_FIGURES
        },
        by_section={name: _group(members) for name, members in _grouped(paged, lambda result: result.group)},
        by_kind={
            name: _kind(members) for name, members in _grouped(results, lambda result: result.question.kind)
        },
        latency=_latency(result.ask_ms for result in results),
        search_latency=_latency(result.search_ms for result in results),
        baseline_latency=_latency(result.baseline_ms for result in results),
        confidences=confidences(results),
        faults=[f"{result.question.question}: {fault}" for result in results for fault in result.faults],
        worst=None if worst_limit is None else worst(results, worst_limit),
    )


def _answers(results: Sequence[Result], resamples: int) -> dict[str, Figure]:
    """The figures of answers and refusals, by name."""
    asked = [(result.question.answerable, result.answered) for result in results]
    contains = [
        float(not result.lacking)
        for result in results
        if result.question.answerable and result.question.must_contain
    ]
    leads = [result.lead for result in results if result.question.answerable and result.question.lead_must]
    given = [result.lead for result in results if result.lead]
    by_confidence = sorted((result.confidence, result.question.answerable) for result in results)
    sure = confidences(results)
    explained = [result.explained for result in results if result.explained.total]
    cited = [result.citations for result in results if result.citations.total]
    sentences = [result.sentences for result in results if result.sentences.total]
    return {
        "answer_contains": _mean(contains, resamples),
        "lead_answers": _mean([float(lead is not None and lead.answers) for lead in leads], resamples),
        "any_line": _mean([float(lead is not None and lead.any_line) for lead in leads], resamples),
        "explained": _figure(explained, metrics.ratio, resamples),
        "lines_per_answer": _mean([float(lead.lines) for lead in given], resamples),
        "words_median": _figure([float(lead.words) for lead in given], _median, resamples),
        "false_answer_rate": _figure(asked, metrics.false_answer_rate, resamples),
        "false_refusal_rate": _figure(asked, metrics.false_refusal_rate, resamples),
        "auroc": _figure(by_confidence, metrics.auroc, resamples),
        "ece": Figure(metrics.ece(sure), ece_interval(sure, resamples=resamples)),
        "citation_exact": _figure(cited, metrics.ratio, resamples),
        "sentences_cited": _figure(sentences, metrics.ratio, resamples),
    }


def _median(values: Sequence[float]) -> float | None:
    return metrics.percentile(sorted(values), 0.5)


def _figure(
    items: Sequence[Item], statistic: Callable[[Sequence[Item]], float | None], resamples: int
) -> Figure:
    return Figure(statistic(items), interval(items, statistic, resamples=resamples))


def _mean(values: Sequence[float], resamples: int) -> Figure:
    return Figure(metrics.mean(values), mean_interval(values, resamples=resamples))


def _latency(times_ms: Iterable[float]) -> Latency:
    ordered = sorted(times_ms)
    return Latency(metrics.percentile(ordered, 0.5), metrics.percentile(ordered, 0.95))


def _grouped(results: Iterable[Result], name_of: Callable[[Result], str]) -> list[tuple[str, list[Result]]]:
    """The results under each name but "", names sorted."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        if name := name_of(result):
            groups.setdefault(name, []).append(result)
    return sorted(groups.items())


def _group(members: Sequence[Result]) -> Group:
    return Group(
        len(members),
        {name: metrics.mean([of(result.rank) for result in members]) for name, of in PAGE_FIGURES.items()},
        {
            name: metrics.mean([of(result.baseline_rank) for result in members])
            for name, of in PAGE_FIGURES.items()
        },
    )


def _kind(members: Sequence[Result]) -> Kind:
    return Kind(
        len(members),
        metrics.mean([float(result.answered) for result in members]),
        metrics.mean([metrics.page_at_k(result.rank, 1) for result in members if result.has_page]),
    )


def _thinned(points: Sequence[metrics.RiskPoint]) -> list[Json]:
    """At most about `CURVE_POINTS` of a curve's points, evenly, the last one among them."""
    step = max(1, -(-len(points) // CURVE_POINTS))
    return [list(point) for point in points[::-1][::step][::-1]]


def _case(result: Result) -> Json:
    """A question of the worst, with what came instead."""
    return {
        "question": result.question.question,
        "gold": list(result.question.gold),
        "section": result.group,
        "kind": result.question.kind,
        "answerable": result.question.answerable,
        "got": list(result.found[:3]),
        "rank": result.rank,
        "baseline_rank": result.baseline_rank,
        "answered": result.answered,
        "confidence": result.confidence,
        "lacking": list(result.lacking),
        "why": list(result.complaints()),
    }
