"""Evaluate the choice of templates: problems with known templates, compared with BM25."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from vademecum.core.errors import ConfigError
from vademecum.core.trace import Json
from vademecum.desks.reasoning.library import ReasoningLibrary
from vademecum.desks.reasoning.templates import FALLBACK
from vademecum.evaluation.cases import Fields, Progress, ask_all, read_cases, silent
from vademecum.evaluation.figures import Measure, Outcome, Ranking, ranked, summary_of, worst_of
from vademecum.evaluation.intervals import RESAMPLES
from vademecum.evaluation.metrics import page_at_k
from vademecum.evaluation.report import duration, joined, measured, number, table
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
        """Return whether some template fits."""
        return self.expected != (FALLBACK,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen(Outcome[Query]):
    """The result of a query. Its ranking is of all templates, whatever was decided; its confidence, that any fits.

    Attributes:
        found: The ids that a search gives, best first: the fallback alone, or templates.
        ranked: The first templates whatever was decided.
    """

    found: tuple[str, ...]
    ranked: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Return whether what comes first is right, the fallback included."""
        return self.found[0] in self.case.expected

    @property
    def fell_back(self) -> bool:
        """Return whether the fallback came."""
        return self.found[0] == FALLBACK

    @property
    def shortfall(self) -> float:
        """How bad a mistake is: a right template far down the ranking, or high confidence in a wrong one."""
        if self.right:
            return 0.0
        return float(self.ranking.rank or inf) if self.case.fits else 30.0 * self.confidence


def read_queries(path: Path) -> list[Query]:
    """The queries of a file of one JSON object a line; blank lines are skipped."""
    return read_cases(path, _query, what="query", example=EXAMPLE)


def _query(fields: Fields) -> Query:
    expected = tuple(dict.fromkeys(fields.texts("expected", alone=True)))
    if not expected:
        raise ValueError('"expected" is not a list of ids')
    return Query(query=fields.required("query"), expected=(FALLBACK,) if FALLBACK in expected else expected)


def run(library: ReasoningLibrary, queries: Sequence[Query], *, progress: Progress = silent) -> list[Chosen]:
    """Ask every query."""
    library.index_templates()
    known = {template.id for template in library.list_templates()}
    for query in queries:
        strangers = [one for one in query.expected if one not in known]
        if strangers:
            message = f'The library has no template {printable(strangers[0], 80)}, which is expected of "{printable(query.query, 60)}".'
            raise ConfigError(message, hint="vademecum reason list shows the ids.")
    return ask_all(queries, lambda query: _outcome(library, query), progress)


def _outcome(library: ReasoningLibrary, query: Query) -> Chosen:
    started_s = time.perf_counter()
    selection = library.select(query.query, _LIMIT)
    duration_ms = (time.perf_counter() - started_s) * 1000
    order = [candidate.id for candidate in selection.candidates]
    return Chosen(
        case=query,
        found=tuple(match.id for match in selection.matches),
        ranked=tuple(order[:_LIMIT]),
        ranking=_ranking(query, order),
        baseline=_ranking(query, library.baseline(query.query)),
        confidence=selection.fits,
        duration_ms=duration_ms,
    )


def _ranking(query: Query, ids: Sequence[str]) -> Ranking:
    return Ranking(tuple(name in query.expected for name in ids) if query.fits else ())


def _accuracy(k: int, label: str) -> Measure[Chosen]:
    return ranked(
        f"accuracy_at_{k}",
        label,
        lambda ranking: page_at_k(ranking.rank, k),
        lambda outcome: outcome.case.fits,
    )


MEASURES = (
    _accuracy(1, "right template first"),
    _accuracy(3, "right template in three"),
    Measure[Chosen](
        "fallback_precision",
        "fallback taken rightly",
        lambda outcome: float(not outcome.case.fits) if outcome.fell_back else None,
    ),
    Measure[Chosen](
        "fallback_recall",
        "fallback taken where none fits",
        lambda outcome: None if outcome.case.fits else float(outcome.fell_back),
    ),
    Measure[Chosen]("decided_right", "what comes first is right", lambda outcome: float(outcome.right)),
)
"""`accuracy_at_1` and `_at_3` are of the queries that some template fits, by the ranking, whatever was decided on falling back;
`decided_right` counts that, too, over all queries."""


def summarise(
    outcomes: Sequence[Chosen], *, resamples: int = RESAMPLES, worst: int | None = None
) -> dict[str, Json]:
    """All figures as plain data; `null` where nothing was there to measure."""
    fitting = sum(outcome.case.fits for outcome in outcomes)
    mistaken = Counter(
        (outcome.case.expected[0], outcome.found[0]) for outcome in outcomes if not outcome.right
    )
    return {
        **summary_of(outcomes, MEASURES, resamples=resamples),
        "n_fitting": fitting,
        "n_fallback": len(outcomes) - fitting,
        "confusions": [
            {"expected": expected, "came": came, "n": n}
            for (expected, came), n in sorted(mistaken.items(), key=lambda pair: (-pair[1], pair[0]))
        ],
        **worst_of(outcomes, worst, _case),
    }


def _case(outcome: Chosen) -> Json:
    return {
        "query": outcome.case.query,
        "expected": list(outcome.case.expected),
        "came": list(outcome.found),
        "ranked": list(outcome.ranked),
        "rank": outcome.ranking.rank,
        "fits": round(outcome.confidence, 4),
    }


_MOST_PAIRS = 10


def render(data: Mapping[str, Any]) -> str:
    """Tables of what `summarise` gives, without an ending newline."""
    pairs = [[pair["expected"], pair["came"], str(pair["n"])] for pair in data["confusions"][:_MOST_PAIRS]]
    return joined(
        [
            [
                f"Ways of reasoning: {data['n']} problems, {data['n_fitting']} with a template, {data['n_fallback']} without"
            ],
            measured(MEASURES, data, "plain BM25"),
            [f"Search: {duration(data['latency_ms'])}"],
            table(["expected", "came", "n"], pairs) if pairs else [],
            *(
                [
                    case["query"],
                    f"  wanted {', '.join(case['expected'])}; came {', '.join(case['came'])}; any fits with {number(case['fits'])}",
                ]
                for case in data.get("worst", ())
            ),
        ]
    )
