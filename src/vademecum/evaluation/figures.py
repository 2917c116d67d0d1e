"""Figures over the outcomes of an evaluation: each is declared once, with a label and a baseline."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from vademecum.core.trace import Json
from vademecum.evaluation.intervals import Interval, interval, mean_interval
from vademecum.evaluation.metrics import mean, percentile

Outcome = TypeVar("Outcome")
Statistic = Callable[[Sequence[Any]], float | None]


class Measure(NamedTuple, Generic[Outcome]):
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
    of: Callable[[Outcome], Any]
    statistic: Statistic = mean
    baseline: Callable[[Outcome], Any] | None = None
    bounds: Callable[[Sequence[Any], int], Interval | None] | None = None
    is_sorted: bool = False


class Figure(NamedTuple):
    """A figure and its 95 % interval; both `None` where nothing was there to measure."""

    value: float | None
    interval: Interval | None = None

    @property
    def span(self) -> Json:
        """The interval as plain data."""
        return None if self.interval is None else [self.interval.low, self.interval.high]


def figures_of(
    outcomes: Iterable[Outcome],
    measures: Iterable[Measure[Outcome]],
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


def groups_of(
    outcomes: Iterable[Outcome], name_of: Callable[[Outcome], str]
) -> list[tuple[str, list[Outcome]]]:
    """The outcomes under each name but "", names sorted."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if name := name_of(outcome):
            groups.setdefault(name, []).append(outcome)
    return sorted(groups.items())


def latency_of(times_ms: Iterable[float]) -> dict[str, Json]:
    """Median and 95th percentile of wall times, in milliseconds; `None` of none."""
    ordered = sorted(times_ms)
    return {"p50": percentile(ordered, 0.5), "p95": percentile(ordered, 0.95)}
