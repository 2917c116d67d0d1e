"""Asks problems whose templates are known, and says how often the right one came, next to plain BM25."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vademecum.core.errors import ConfigError
from vademecum.core.trace import Json
from vademecum.desks.reasoning.library import ReasoningLibrary
from vademecum.evaluation.intervals import RESAMPLES, Interval, interval, mean_interval
from vademecum.evaluation.lines import read_lines
from vademecum.evaluation.metrics import first_rank, mean, page_at_k, percentile, ratio
from vademecum.sources.reasoning_template import FALLBACK
from vademecum.text.printable import printable

EXAMPLE = '{"query": "which commit broke the build", "expected": ["binary-search-debugging"]}'
_LIMIT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A problem, and the ids of the templates that are right for it; the fallback's means that none fits."""

    query: str
    expected: tuple[str, ...]

    @property
    def fits(self) -> bool:
        """Whether some template fits."""
        return self.expected != (FALLBACK,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a query.

    Attributes:
        query: The query.
        found: The ids that a search gives, best first: the fallback alone, or templates.
        ranked: The first templates whatever was decided.
        rank: Of the first right template among all, from 1, whatever was decided; `None` for a query that none fits.
        baseline_rank: The same by plain BM25.
        fits: The chance that was given to any template's fitting.
        duration_ms: Of the search.
    """

    query: Query
    found: tuple[str, ...]
    ranked: tuple[str, ...]
    rank: int | None
    baseline_rank: int | None
    fits: float
    duration_ms: float

    @property
    def right(self) -> bool:
        """Whether what comes first is right, the fallback included."""
        return self.found[0] in self.query.expected

    @property
    def fell_back(self) -> bool:
        """Whether the fallback came."""
        return self.found[0] == FALLBACK


def read_queries(path: Path) -> list[Query]:
    """The queries of a file of one JSON object a line; blank lines are skipped.

    Raises:
        ConfigError: The file cannot be read, is empty, or a line is not as it must be.
    """
    return read_lines(path, _query, what="query", example=EXAMPLE)


def _query(data: dict[str, object]) -> Query:
    """A line's query.

    Raises:
        ValueError: It is none.
    """
    query, expected = data.get("query"), data.get("expected")
    if not isinstance(query, str) or not query.strip():
        raise ValueError('there is no text "query"')
    query.encode()  # a lone surrogate is a ValueError
    if isinstance(expected, str):
        expected = [expected]
    if (
        not isinstance(expected, list)
        or not expected
        or not all(isinstance(one, str) and one for one in expected)
    ):
        raise ValueError('"expected" is not a list of ids')
    kept = tuple(dict.fromkeys(expected))
    return Query(query=query, expected=(FALLBACK,) if FALLBACK in kept else kept)


def run(library: ReasoningLibrary, queries: Sequence[Query]) -> list[Outcome]:
    """Ask every query.

    Raises:
        ConfigError: One expects a template that the library does not have.
        VademecumError: The templates cannot be read.
    """
    library.index_templates()
    known = {template.id for template in library.list_templates()}
    for query in queries:
        strangers = [one for one in query.expected if one not in known]
        if strangers:
            message = f'The library has no template {printable(strangers[0], 80)}, which is expected of "{printable(query.query, 60)}".'
            raise ConfigError(message, hint="vademecum reason list shows the ids.")
    return [_outcome(library, query) for query in queries]


def _outcome(library: ReasoningLibrary, query: Query) -> Outcome:
    started_s = time.perf_counter()
    selection = library.select(query.query, _LIMIT)
    duration_ms = (time.perf_counter() - started_s) * 1000
    order = [one.id for one in selection.candidates]
    plain = library.baseline(query.query)
    return Outcome(
        query=query,
        found=tuple(match.id for match in selection.matches),
        ranked=tuple(order[:_LIMIT]),
        rank=first_rank(one in query.expected for one in order) if query.fits else None,
        baseline_rank=first_rank(one in query.expected for one in plain) if query.fits else None,
        fits=selection.fits,
        duration_ms=duration_ms,
    )


def summarise(
    outcomes: Sequence[Outcome], *, resamples: int = RESAMPLES, worst: int | None = None
) -> dict[str, Json]:
    """All figures as plain data; `null` where nothing was there to measure.

    `accuracy_at_1` and `_at_3` are of the queries that some template fits, by the ranking, whatever was decided on falling back;
    `decided_right` counts that, too, over all queries.
    """
    fitting = [one for one in outcomes if one.query.fits]
    data: dict[str, Json] = {
        "n": len(outcomes),
        "n_fitting": len(fitting),
        "n_fallback": len(outcomes) - len(fitting),
    }
    spans: dict[str, Json] = {}
    baseline: dict[str, Json] = {}
    for k in (1, 3):
        name = f"accuracy_at_{k}"
        values = [page_at_k(one.rank, k) for one in fitting]
        data[name] = mean(values)
        spans[name] = _span(mean_interval(values, resamples=resamples))
        baseline[name] = mean([page_at_k(one.baseline_rank, k) for one in fitting])
    for name, figure in (
        ("fallback_precision", _precision),
        ("fallback_recall", _recall),
        ("decided_right", _decided),
    ):
        data[name] = figure(outcomes)
        spans[name] = _span(interval(list(outcomes), figure, resamples=resamples))
    times = sorted(one.duration_ms for one in outcomes)
    mistaken = Counter((one.query.expected[0], one.found[0]) for one in outcomes if not one.right)
    data["baseline"] = baseline
    data["intervals"] = spans
    data["confusions"] = [
        {"expected": expected, "came": came, "n": n}
        for (expected, came), n in sorted(mistaken.items(), key=lambda one: (-one[1], one[0]))
    ]
    data["latency_ms"] = {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)}
    if worst is not None:
        short = sorted((one for one in outcomes if not one.right), key=_shortfall, reverse=True)
        data["worst"] = [
            {
                "query": one.query.query,
                "expected": list(one.query.expected),
                "came": list(one.found),
                "ranked": list(one.ranked),
                "rank": one.rank,
                "fits": round(one.fits, 4),
            }
            for one in short[:worst]
        ]
    return data


def _shortfall(one: Outcome) -> tuple[float, float]:
    """How bad a mistake is: far down the ranking, or sure of what is wrong."""
    return (float(one.rank or 0) if one.query.fits else 30.0 * one.fits, one.fits)


def _precision(outcomes: Sequence[Outcome]) -> float | None:
    return ratio([(int(not one.query.fits), 1) for one in outcomes if one.fell_back])


def _recall(outcomes: Sequence[Outcome]) -> float | None:
    return ratio([(int(one.fell_back), 1) for one in outcomes if not one.query.fits])


def _decided(outcomes: Sequence[Outcome]) -> float | None:
    return mean([float(one.right) for one in outcomes])


def _span(bounds: Interval | None) -> Json:
    return None if bounds is None else [bounds.low, bounds.high]
