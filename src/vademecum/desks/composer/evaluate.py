"""Evaluate the search for templates: requests with known answers, compared with BM25 over the files."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vademecum.core.errors import AnswerError, ConfigError
from vademecum.core.trace import Json
from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.search.search import search
from vademecum.desks.composer.settings import ComposerSettings
from vademecum.evaluation.cases import Fields, Progress, ask_all, read_cases, silent
from vademecum.evaluation.figures import Measure, figures_of, groups_of, latency_of, spans, values
from vademecum.evaluation.intervals import RESAMPLES
from vademecum.evaluation.metrics import first_rank, page_at_k
from vademecum.evaluation.report import duration, joined, measured, number, table
from vademecum.retrieval.lexical import PlainBM25
from vademecum.text.printable import printable

EXAMPLE = '{"query": "a minimal edge image", "relevant": ["edge-raw.yml"]}'
_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A request, the files that are right for it, and what kind of request it is, if the file says so."""

    query: str
    relevant: tuple[str, ...]
    type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a request.

    Attributes:
        rank: Of the first right one, from 1; `None` if none came.
    """

    query: Query
    found: tuple[str, ...]
    rank: int | None
    baseline_rank: int | None
    classified: str
    duration_ms: float


def read_queries(path: Path) -> list[Query]:
    """The queries of a file of one JSON object a line; blank lines are skipped."""
    return read_cases(path, _query, what="request", example=EXAMPLE)


def _query(fields: Fields) -> Query:
    relevant = tuple(dict.fromkeys(fields.texts("relevant", alone=True)))
    if not relevant:
        raise ValueError('"relevant" is not a list of files')
    return Query(query=fields.required("query"), relevant=relevant, type=fields.group("type"))


def run(
    library: TemplateLibrary,
    queries: Sequence[Query],
    settings: ComposerSettings,
    *,
    progress: Progress = silent,
) -> list[Outcome]:
    """Ask every request."""
    if not library.templates:
        message = f"{printable(str(library.templates_dir), 200)} holds no template that can be read."
        raise ConfigError(message, hint="Name another folder with --templates-dir.")
    plain = PlainBM25([template.template.text for template in library.templates])
    files = [template.file for template in library.templates]

    def ask(query: Query) -> Outcome:
        right = {entry.file for name in query.relevant if (entry := library.entry(name))}
        if not right:
            message = (
                f"The folder has no {printable(query.relevant[0], 80)}, which is to be found by "
                f'"{printable(query.query, 60)}".'
            )
            raise ConfigError(message, hint="Name the folder of these files with --templates-dir.")
        scores = plain.scores(query.query)
        order = sorted(range(len(files)), key=lambda at: (-scores[at], files[at]))
        return _outcome(library, query, right, settings, first_rank(files[at] in right for at in order))

    return ask_all(queries, ask, progress)


def _outcome(
    library: TemplateLibrary,
    query: Query,
    right: set[str],
    settings: ComposerSettings,
    baseline_rank: int | None,
) -> Outcome:
    started_s = time.perf_counter()
    try:
        found = search(query.query, library, settings)
        ranked, classified = tuple(one.file for one in found.ranked), found.classification.type
    except AnswerError:  # a request of signs alone
        ranked, classified = (), "semantic"
    duration_ms = (time.perf_counter() - started_s) * 1000
    return Outcome(
        query=query,
        found=ranked,
        rank=first_rank(one in right for one in ranked),
        baseline_rank=baseline_rank,
        classified=classified,
        duration_ms=duration_ms,
    )


def _hit(name: str, label: str, of: Callable[[int | None], float]) -> Measure[Outcome]:
    return Measure(
        name, label, lambda outcome: of(outcome.rank), baseline=lambda outcome: of(outcome.baseline_rank)
    )


MEASURES = (
    _hit("hit_at_1", "right template first", lambda rank: page_at_k(rank, 1)),
    _hit("hit_at_3", "right template in three", lambda rank: page_at_k(rank, 3)),
    _hit("mrr", "mean reciprocal rank", lambda rank: 1 / rank if rank else 0.0),
)


def summarise(
    outcomes: Sequence[Outcome], *, resamples: int = RESAMPLES, worst: int | None = None
) -> dict[str, Json]:
    """All figures as plain data; `null` where nothing was there to measure."""
    data: dict[str, Json] = {"n": len(outcomes), **_figures(outcomes, resamples)}
    if types := groups_of(outcomes, lambda outcome: outcome.query.type):
        data["by_type"] = {kind: {"n": len(group), **_figures(group, 0)} for kind, group in types}
    data["classified"] = dict(Counter(outcome.classified for outcome in outcomes).most_common())
    data["latency_ms"] = latency_of(outcome.duration_ms for outcome in outcomes)
    if worst is not None:
        short = sorted((outcome for outcome in outcomes if outcome.rank != 1), key=_shortfall, reverse=True)
        data["worst"] = [
            {
                "query": outcome.query.query,
                "relevant": list(outcome.query.relevant),
                "came": list(outcome.found[:_SHOWN]),
                "rank": outcome.rank,
                "baseline_rank": outcome.baseline_rank,
            }
            for outcome in short[:worst]
        ]
    return data


def _figures(outcomes: Sequence[Outcome], resamples: int) -> dict[str, Json]:
    figures = figures_of(outcomes, MEASURES, resamples=resamples)
    intervals: dict[str, Json] = {"intervals": spans(figures)} if resamples else {}
    return (
        values(figures) | intervals | {"baseline": values(figures_of(outcomes, MEASURES, of_baseline=True))}
    )


def _shortfall(outcome: Outcome) -> float:
    return float(outcome.rank or 1 << 20)


def render(data: Mapping[str, Any]) -> str:
    """Tables of what `summarise` gives, without an ending newline."""
    kinds = [
        [kind, str(of["n"]), *map(number, (of["hit_at_1"], of["hit_at_3"], of["baseline"]["hit_at_3"]))]
        for kind, of in data.get("by_type", {}).items()
    ]
    return joined(
        [
            [f"Image templates: {data['n']} requests"],
            measured(MEASURES, data, "BM25 over the files"),
            [f"Search: {duration(data['latency_ms'])}"],
            table(["type", "n", "first", "in three", "BM25 in three"], kinds) if kinds else [],
            *(
                [
                    case["query"],
                    f"  wanted {', '.join(case['relevant'])}; came {', '.join(case['came']) or 'nothing'}; rank {case['rank'] or '-'}",
                ]
                for case in data.get("worst", ())
            ),
        ]
    )
