"""Evaluate the search for templates: requests with known answers, compared with BM25 over the files."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vademecum.core.errors import AnswerError, ConfigError
from vademecum.core.trace import Json
from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.search.search import search
from vademecum.desks.composer.settings import ComposerSettings
from vademecum.evaluation.cases import Fields, Progress, ask_all, read_cases, silent
from vademecum.evaluation.figures import Outcome, Ranking, groups_of, ranked, summary_of, worst_of
from vademecum.evaluation.intervals import RESAMPLES
from vademecum.evaluation.metrics import page_at_k
from vademecum.evaluation.report import duration, group_table, joined, measured, number
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
class Searched(Outcome[Query]):
    """The result of a request: the files that were found, best first, and the type of request that it was taken for."""

    found: tuple[str, ...]
    classified: str


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
) -> list[Searched]:
    """Ask every request."""
    if not library.templates:
        message = f"{printable(str(library.templates_dir), 200)} holds no template that can be read."
        raise ConfigError(message, hint="Name another folder with --templates-dir.")
    plain = PlainBM25([template.template.text for template in library.templates])
    files = [template.file for template in library.templates]

    def ask(query: Query) -> Searched:
        right = {entry.file for name in query.relevant if (entry := library.entry(name))}
        if not right:
            message = (
                f"The folder has no {printable(query.relevant[0], 80)}, which is to be found by "
                f'"{printable(query.query, 60)}".'
            )
            raise ConfigError(message, hint="Name the folder of these files with --templates-dir.")
        scores = plain.scores(query.query)
        order = sorted(range(len(files)), key=lambda at: (-scores[at], files[at]))
        started_s = time.perf_counter()
        try:
            result = search(query.query, library, settings)
            found = tuple(template.file for template in result.ranked)
            classified: str = result.classification.type
        except AnswerError:  # a request of signs alone
            found, classified = (), "semantic"
        duration_ms = (time.perf_counter() - started_s) * 1000
        return Searched(
            case=query,
            found=found,
            ranking=Ranking(tuple(file in right for file in found)),
            baseline=Ranking(tuple(files[at] in right for at in order)),
            classified=classified,
            duration_ms=duration_ms,
        )

    return ask_all(queries, ask, progress)


MEASURES = (
    ranked("hit_at_1", "right template first", lambda ranking: page_at_k(ranking.rank, 1)),
    ranked("hit_at_3", "right template in three", lambda ranking: page_at_k(ranking.rank, 3)),
    ranked("mrr", "mean reciprocal rank", lambda ranking: 1 / ranking.rank if ranking.rank else 0.0),
)


def summarise(
    outcomes: Sequence[Searched], *, resamples: int = RESAMPLES, worst: int | None = None
) -> dict[str, Json]:
    """All figures as plain data; `null` where nothing was there to measure."""
    data = summary_of(outcomes, MEASURES, resamples=resamples)
    if not resamples:
        del data["intervals"]
    if types := groups_of(outcomes, lambda outcome: outcome.case.type):
        data["by_type"] = {kind: _of_type(group) for kind, group in types}
    data["classified"] = dict(Counter(outcome.classified for outcome in outcomes).most_common())
    return data | worst_of(outcomes, worst, _case)


def _of_type(outcomes: Sequence[Searched]) -> dict[str, Json]:
    data = summary_of(outcomes, MEASURES, resamples=0)
    return {name: data[name] for name in ("n", *(measure.name for measure in MEASURES), "baseline")}


def _case(outcome: Searched) -> Json:
    return {
        "query": outcome.case.query,
        "relevant": list(outcome.case.relevant),
        "came": list(outcome.found[:_SHOWN]),
        "rank": outcome.ranking.rank,
        "baseline_rank": outcome.baseline.rank,
    }


def render(data: Mapping[str, Any]) -> str:
    """Tables of what `summarise` gives, without an ending newline."""
    return joined(
        [
            [f"Image templates: {data['n']} requests"],
            measured(MEASURES, data, "BM25 over the files"),
            [f"Search: {duration(data['latency_ms'])}"],
            group_table(
                ["type", "n", "first", "in three", "BM25 in three"],
                data.get("by_type", {}),
                lambda of: map(number, (of["hit_at_1"], of["hit_at_3"], of["baseline"]["hit_at_3"])),
            ),
            *(
                [
                    case["query"],
                    f"  wanted {', '.join(case['relevant'])}; came {', '.join(case['came']) or 'nothing'}; rank {case['rank'] or '-'}",
                ]
                for case in data.get("worst", ())
            ),
        ]
    )
