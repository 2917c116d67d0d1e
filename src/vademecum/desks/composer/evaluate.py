"""Asks for templates whose right answer is known, and says how often a right one came, next to BM25 over the raw files."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vademecum.core.errors import AnswerError, ConfigError
from vademecum.core.trace import Json
from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.search.search import search
from vademecum.desks.composer.settings import ComposerSettings
from vademecum.evaluation.intervals import RESAMPLES, mean_interval
from vademecum.evaluation.lines import read_lines
from vademecum.evaluation.metrics import first_rank, mean, page_at_k, percentile
from vademecum.evaluation.report import number, table
from vademecum.retrieval.lexical import WHOLE, rarity
from vademecum.text.printable import printable
from vademecum.text.words import terms

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
        query: The request.
        found: The files that came, best first.
        rank: Of the first right one, from 1; `None` if none came.
        baseline_rank: The same by BM25 over the raw files.
        classified: The type that the desk took it for.
        duration_ms: Of the search.
    """

    query: Query
    found: tuple[str, ...]
    rank: int | None
    baseline_rank: int | None
    classified: str
    duration_ms: float


def read_queries(path: Path) -> list[Query]:
    """The queries of a file of one JSON object a line; blank lines are skipped.

    Raises:
        ConfigError: The file cannot be read, is empty, or a line is not as it must be.
    """
    return read_lines(path, _query, what="request", example=EXAMPLE)


def _query(data: dict[str, object]) -> Query:
    """A line's request.

    Raises:
        ValueError: It is none.
    """
    query, relevant, kind = data.get("query"), data.get("relevant"), data.get("type", "")
    if not isinstance(query, str) or not query.strip():
        raise ValueError('there is no text "query"')
    query.encode()  # a lone surrogate is a ValueError
    relevant = [relevant] if isinstance(relevant, str) else relevant
    if (
        not isinstance(relevant, list)
        or not relevant
        or not all(isinstance(one, str) and one for one in relevant)
    ):
        raise ValueError('"relevant" is not a list of files')
    return Query(
        query=query, relevant=tuple(dict.fromkeys(relevant)), type=kind if isinstance(kind, str) else ""
    )


def run(
    library: TemplateLibrary,
    queries: Sequence[Query],
    settings: ComposerSettings,
    *,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[Outcome]:
    """Ask every request.

    Raises:
        ConfigError: The folder has no template, or none of those that a request is to find.
        ProviderError: The embedder of the settings cannot be asked.
    """
    if not library.templates:
        message = f"{printable(str(library.templates_dir), 200)} holds no template that can be read."
        raise ConfigError(message, hint="Name another folder with --templates-dir.")
    plain = Plain([one.template.text for one in library.templates])
    files = [one.file for one in library.templates]
    outcomes = []
    for done, query in enumerate(queries):
        right = {entry.file for one in query.relevant if (entry := library.entry(one))}
        if not right:
            message = (
                f"The folder has no {printable(query.relevant[0], 80)}, which is to be found by "
                f'"{printable(query.query, 60)}".'
            )
            raise ConfigError(message, hint="Name the folder of these files with --templates-dir.")
        scores = plain.scores(query.query)
        order = sorted(range(len(files)), key=lambda at: (-scores[at], files[at]))
        baseline_rank = first_rank(files[at] in right for at in order)
        outcomes.append(_outcome(library, query, right, settings, baseline_rank))
        progress(done + 1, len(queries))
    return outcomes


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


class Plain:
    """Plain BM25 (k1 1.2, b 0.75) over whole files: what everything else is held against."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._counts = [Counter(terms(text)) for text in texts]
        self._lengths = [counts.total() for counts in self._counts]
        self._usual = sum(self._lengths) / (len(texts) or 1) or 1.0
        self._spread = Counter(term for counts in self._counts for term in counts)

    def scores(self, query: str) -> list[float]:
        """Of each text, at least 0."""
        rare = {
            term: rarity(self._spread[term] * WHOLE, len(self._counts) * WHOLE)
            for term in dict.fromkeys(terms(query))
        }
        found = []
        for counts, length in zip(self._counts, self._lengths, strict=True):
            norm = 1.2 * (0.25 + 0.75 * length / self._usual)
            found.append(
                sum(
                    one * counts[term] * 2.2 / (counts[term] + norm)
                    for term, one in rare.items()
                    if term in counts
                )
            )
        return found


def summarise(
    outcomes: Sequence[Outcome], *, resamples: int = RESAMPLES, worst: int | None = None
) -> dict[str, Json]:
    """All figures as plain data; `null` where nothing was there to measure."""
    data: dict[str, Json] = {"n": len(outcomes), **_figures(outcomes, resamples)}
    types = sorted({one.query.type for one in outcomes if one.query.type})
    if types:
        data["by_type"] = {
            kind: {"n": len(some), **_figures(some, 0)}
            for kind in types
            if (some := [one for one in outcomes if one.query.type == kind])
        }
    times = sorted(one.duration_ms for one in outcomes)
    data["classified"] = dict(Counter(one.classified for one in outcomes).most_common())
    data["latency_ms"] = {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)}
    if worst is not None:
        short = sorted((one for one in outcomes if one.rank != 1), key=_shortfall, reverse=True)
        data["worst"] = [
            {
                "query": one.query.query,
                "relevant": list(one.query.relevant),
                "came": list(one.found[:_SHOWN]),
                "rank": one.rank,
                "baseline_rank": one.baseline_rank,
            }
            for one in short[:worst]
        ]
    return data


def _figures(outcomes: Sequence[Outcome], resamples: int) -> dict[str, Json]:
    found = _measured([one.rank for one in outcomes])
    figures: dict[str, Json] = {name: mean(values) for name, values in found.items()}
    if resamples:
        spans = {name: mean_interval(values, resamples=resamples) for name, values in found.items()}
        figures["intervals"] = {name: [one.low, one.high] if one else None for name, one in spans.items()}
    plain = _measured([one.baseline_rank for one in outcomes])
    figures["baseline"] = {name: mean(values) for name, values in plain.items()}
    return figures


def _measured(ranks: Sequence[int | None]) -> dict[str, list[float]]:
    return {
        "hit_at_1": [page_at_k(rank, 1) for rank in ranks],
        "hit_at_3": [page_at_k(rank, 3) for rank in ranks],
        "mrr": [1 / rank if rank else 0.0 for rank in ranks],
    }


def _shortfall(one: Outcome) -> float:
    return float(one.rank or 1 << 20)


_LABELS = {
    "hit_at_1": "right template first",
    "hit_at_3": "right template in three",
    "mrr": "mean reciprocal rank",
}


def render(figures: dict[str, Any]) -> str:
    """Tables of what `summarise` gives, without an ending newline."""
    spans = figures.get("intervals", {})
    rows = []
    for name, label in _LABELS.items():
        span = spans.get(name)
        spanned = " .. ".join(number(bound) for bound in span) if span else "-"
        rows.append([label, number(figures[name]), spanned, number(figures["baseline"][name])])
    times = figures["latency_ms"]
    blocks = [
        [f"Image templates: {figures['n']} requests"],
        table(["", "", "95 % interval", "BM25 over the files"], rows),
        [f"Search: median {_ms(times['p50'])}, 95th percentile {_ms(times['p95'])}"],
    ]
    if kinds := figures.get("by_type"):
        header = ["type", "n", "first", "in three", "BM25 in three"]
        blocks.append(table(header, [_row(kind, one) for kind, one in kinds.items()]))
    blocks += [
        [
            one["query"],
            f"  wanted {', '.join(one['relevant'])}; came {', '.join(one['came']) or 'nothing'}; rank {one['rank'] or '-'}",
        ]
        for one in figures.get("worst", ())
    ]
    return "\n\n".join("\n".join(block) for block in blocks)


def _row(kind: str, one: dict[str, Any]) -> list[str]:
    plain = number(one["baseline"]["hit_at_3"])
    return [kind, str(one["n"]), number(one["hit_at_1"]), number(one["hit_at_3"]), plain]


def _ms(time_ms: float | None) -> str:
    return "-" if time_ms is None else f"{time_ms:.1f} ms"
