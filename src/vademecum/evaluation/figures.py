"""Outcomes of an evaluation, and figures over them: each is declared once, with a label and a baseline."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Generic, NamedTuple, TypeVar

from vademecum.core.trace import Json
from vademecum.evaluation.intervals import Interval, ece_interval, interval, mean_interval
from vademecum.evaluation.metrics import Pair, ece, first_rank, mean, percentile, ratio

Case = TypeVar("Case")
Item = TypeVar("Item")
Statistic = Callable[[Sequence[Any]], float | None]


class Ranking(NamedTuple):
    """The results of a search: whether each is right, best first, and the rank of the first from a right file."""

    right: tuple[bool, ...] = ()
    file_rank: int | None = None

    @property
    def rank(self) -> int | None:
        """The rank of the first right result, from 1."""
        return first_rank(self.right)


NO_RANKING = Ranking()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[Case]):
    """The result of one case.

    Attributes:
        case: The question or request, with its expected results.
        ranking: The ranking; empty if no right result is known.
        confidence: How sure the answer or the choice is, 0-1.
        duration_ms: The wall time.
    """

    case: Case
    ranking: Ranking = NO_RANKING
    baseline: Ranking = NO_RANKING
    confidence: float = 0.0
    duration_ms: float = 0.0

    @property
    def shortfall(self) -> float:
        """How far it is from a right result; 0 if there is nothing to complain of."""
        rank = self.ranking.rank
        return 0.0 if rank == 1 else rank or inf


class Measure(NamedTuple, Generic[Item]):
    """A figure.

    Attributes:
        name: In JSON.
        label: In tables.
        of: What of an outcome counts; `None` if the outcome does not count.
        statistic: The figure of what counts; by default the mean of numbers.
        baseline: The same of the baseline, if there is one.
        bounds: The interval of the figure, where that of a bootstrap over what counts will not do.
        is_sorted: Whether what counts is sorted first: a statistic that sorts is then quick.
    """

    name: str
    label: str
    of: Callable[[Item], Any]
    statistic: Statistic = mean
    baseline: Callable[[Item], Any] | None = None
    bounds: Callable[[Sequence[Any], int], Interval | None] | None = None
    is_sorted: bool = False


def ranked(
    name: str,
    label: str,
    of: Callable[[Ranking], float],
    counts: Callable[[Any], bool] = lambda _outcome: True,
) -> Measure[Any]:
    """A figure of the rankings, ours and the baseline's, of the outcomes that count."""
    return Measure(
        name,
        label,
        lambda outcome: of(outcome.ranking) if counts(outcome) else None,
        baseline=lambda outcome: of(outcome.baseline) if counts(outcome) else None,
    )


def calibration(label: str, of: Callable[[Any], Pair | None]) -> Measure[Any]:
    """The error of the confidence."""
    return Measure(
        "ece", label, of, ece, bounds=lambda pairs, n: ece_interval(pairs, resamples=n), is_sorted=True
    )


FALSE_ANSWERS = Measure[Any](
    "false_answer_rate",
    "unanswerable, but answered",
    lambda outcome: None if outcome.case.answerable else float(outcome.answered),
)
FALSE_REFUSALS = Measure[Any](
    "false_refusal_rate",
    "answerable, but refused",
    lambda outcome: float(not outcome.answered) if outcome.case.answerable else None,
)
EXACT_CITATIONS = Measure[Any](
    "citation_exact",
    "citations exact",
    lambda outcome: outcome.citations if outcome.citations[1] else None,
    ratio,
)


class Figure(NamedTuple):
    """A figure and its 95 % interval; both `None` where nothing was there to measure."""

    value: float | None
    interval: Interval | None = None

    @property
    def span(self) -> Json:
        """The interval as plain data."""
        return None if self.interval is None else [self.interval.low, self.interval.high]


def figures_of(
    outcomes: Iterable[Item],
    measures: Iterable[Measure[Item]],
    *,
    resamples: int = 0,
    of_baseline: bool = False,
) -> dict[str, Figure]:
    """The figures of some outcomes, by name."""
    outcomes, found = list(outcomes), {}
    for measure in measures:
        counts = measure.baseline if of_baseline else measure.of
        if counts is None:
            continue
        items = [item for outcome in outcomes if (item := counts(outcome)) is not None]
        if measure.is_sorted:
            items.sort()
        found[measure.name] = Figure(measure.statistic(items), _interval(measure, items, resamples))
    return found


def _interval(measure: Measure[Any], items: Sequence[Any], resamples: int) -> Interval | None:
    if not resamples:
        return None
    if measure.bounds:
        return measure.bounds(items, resamples)
    if measure.statistic is mean:
        return mean_interval(items, resamples=resamples)
    return interval(items, measure.statistic, resamples=resamples)


def values(figures: Mapping[str, Figure]) -> dict[str, Json]:
    """The figures as plain data; `null` where nothing was there to measure."""
    return {name: figure.value for name, figure in figures.items()}


def spans(figures: Mapping[str, Figure]) -> dict[str, Json]:
    """Their intervals as plain data."""
    return {name: figure.span for name, figure in figures.items()}


def summary_of(
    outcomes: Sequence[Any], measures: Sequence[Measure[Any]], *, resamples: int
) -> dict[str, Json]:
    """The number of outcomes, their figures with intervals, those of the baseline, and the times, as plain data."""
    figures = figures_of(outcomes, measures, resamples=resamples)
    return {
        "n": len(outcomes),
        **values(figures),
        "baseline": values(figures_of(outcomes, measures, of_baseline=True)),
        "intervals": spans(figures),
        "latency_ms": latency_of(outcome.duration_ms for outcome in outcomes),
    }


def worst_of(outcomes: Iterable[Any], limit: int | None, to_dict: Callable[[Any], Json]) -> dict[str, Json]:
    """The worst outcomes as plain data under `worst`, those of high confidence first; nothing without a limit."""
    if limit is None:
        return {}
    short = [outcome for outcome in outcomes if outcome.shortfall > 0]
    short.sort(key=lambda outcome: (-outcome.shortfall, -outcome.confidence))
    return {"worst": [to_dict(outcome) for outcome in short[:limit]]}


def groups_of(outcomes: Iterable[Item], name_of: Callable[[Item], str]) -> list[tuple[str, list[Item]]]:
    """The outcomes under each name but "", names sorted."""
    groups: dict[str, list[Item]] = {}
    for outcome in outcomes:
        if name := name_of(outcome):
            groups.setdefault(name, []).append(outcome)
    return sorted(groups.items())


def latency_of(times_ms: Iterable[float]) -> dict[str, Json]:
    """Median and 95th percentile of wall times, in milliseconds; `None` of none."""
    ordered = sorted(times_ms)
    return {"p50": percentile(ordered, 0.5), "p95": percentile(ordered, 0.95)}
