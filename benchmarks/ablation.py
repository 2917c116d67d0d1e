"""Measures what each part of retrieval is worth, on the questions that nothing was fitted on.

Three tables: the parts added one after the other; the whole without one source of candidates; the whole without
one group of features (they are set to 0 before ranking). Weights are not fitted again for any of them, so a part
that others could stand in for looks worth more than it is. `README.md` says how it is called.
"""

import argparse
import os
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from figures import as_markdown, as_text, provenance, put, written
from places import default_index, find_index
from quality import held
from records import circumstances, save

from vademecum.ask.hits import search_plain
from vademecum.core.candidates import Candidate, DocumentId
from vademecum.desks.linux.evaluate import LIMIT, ranking_of
from vademecum.desks.linux.report import PAGE_FIGURES
from vademecum.evaluation.intervals import RESAMPLES, mean_interval, paired_difference
from vademecum.evaluation.metrics import mean
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.index.reader.index import Index
from vademecum.retrieval.documents.features import FEATURES, measure
from vademecum.retrieval.documents.ranking import collect, rank
from vademecum.retrieval.meaning import LINE
from vademecum.retrieval.question.question import analyse

GROUPS = {
    "proximity": r"pairs_|window_",
    "share of the question covered": r"cover_|.*_cover(?:ed)?$",
    "the one-line summary": r"summary_|.*_in_summary$",
    "words in the page": r"page_(?:score|share|rank)$",
    "names": r"named_|family_named|options_asked",
    "words that no page has": r"unknown_",
    "the line's dense vector": rf"{LINE}(?:_|$)",
    "needs": r"need|second_need|found_needs",
    "links": r"link|points?_|pointed_",
    "depth and family": r"depth|family_size",
    "lengths": r"page_passages|.*_terms$",
    "kind of question": r"kind_",
    "section of the manual": r"section_\w$",
}
"""Groups of features, by what their names match from the beginning; the first that matches has it."""

OTHERS = "other features"
QUICK_QUESTIONS = 30
QUICK_RESAMPLES = 50
WHOLE = "all of it"

_FIRST = "page_at_1"
_SEEN = "mrr"
"""What a difference is given in: it sees every change of rank."""

Json = dict[str, Any]


class Muted:
    """An index of which some sources of candidates say nothing.

    Args:
        index: The index.
        silent: Which: `pages`, `named`, `needs`, or the dense vector by its name.
    """

    def __init__(self, index: Index, silent: Collection[str]) -> None:
        self._index = index
        self._silent = silent

    def __getattr__(self, name: str) -> Any:
        return (lambda *_: []) if name in self._silent else getattr(self._index, name)

    def nearest(self, meaning: str, vector: list[float], limit: int) -> list[tuple[DocumentId, float]]:
        """Nothing of a silent vector."""
        return [] if meaning in self._silent else self._index.nearest(meaning, vector, limit)

    def nearness(self, meaning: str, vector: list[float], places: Sequence[DocumentId]) -> list[float]:
        """0 for a silent vector."""
        silent = meaning in self._silent
        return [0.0] * len(places) if silent else self._index.nearness(meaning, vector, places)


class Variant(NamedTuple):
    """A way to rank.

    Attributes:
        table: `added`, `without source` or `without features`.
        name: In words.
        ranks: Of each question's first right page, or `None`.
    """

    table: str
    name: str
    ranks: list[int | None]


def main() -> None:
    """Measure, print, keep, and write the tables into the README."""
    asked = _parser().parse_args()
    how = circumstances(quick=asked.quick)
    index = open_index(Generations(find_index(asked.index) if asked.index else default_index()))
    how["index"] = {"documents": index.manifest.documents}
    questions = [question for question in held(answerable=True) if question.get("gold")]
    if asked.quick:
        questions = questions[:: max(1, len(questions) // QUICK_QUESTIONS)]
    resamples = QUICK_RESAMPLES if asked.quick else RESAMPLES
    found = tabulate(measure_all(index, questions), resamples=resamples)
    results = {"measured": how, "n": len(questions), "groups": feature_groups(FEATURES), "variants": found}
    path = save("ablation", results)
    for table in tables(found):
        print(as_text(table))
    print(f"{len(questions)} questions. Kept in {path}")
    if not asked.quick:
        put("ablation", markdown(results))
    sys.stdout.flush()
    os._exit(0)  # closing the engine would evict the index from the page cache


def measure_all(index: Index, questions: Sequence[Json]) -> list[Variant]:
    """Every variant over all questions."""
    ranks: dict[tuple[str, str], list[int | None]] = {}
    for done, asked in enumerate(questions, start=1):
        for key, references in rankings(index, asked["question"]):
            ranks.setdefault(key, []).append(ranking_of(references, asked["gold"]).rank)
        if sys.stderr.isatty():
            end = "\r" if done < len(questions) else "\n"
            print(f"{done} of {len(questions)} questions", end=end, file=sys.stderr, flush=True)
    return [Variant(*key, of_variant) for key, of_variant in ranks.items()]


def rankings(index: Index, text: str) -> Iterator[tuple[tuple[str, str], list[Any]]]:
    """What each variant finds for a question: its table and name, and the first pages."""
    question = analyse(text, index)

    def first_stage(*silent: str) -> list[Candidate]:
        return collect(question, Muted(index, silent))

    def both_stages(*silent: str) -> list[Candidate]:
        muted = Muted(index, silent)
        return rank(question, measure(question, collect(question, muted), muted))

    yield ("added", "plain BM25 over passages (baseline)"), search_plain(text, index, LIMIT)
    yield ("added", "pages alone"), pages(first_stage("named", "needs", LINE))
    yield ("added", "dense vectors of lines alone"), pages(first_stage("pages", "named", "needs"))
    yield ("added", "needs alone"), pages(first_stage("pages", "named", LINE))
    yield ("added", "pages, and those the question names"), pages(first_stage("needs", LINE))
    yield ("added", "… and dense vectors of lines"), pages(first_stage("needs"))
    collected = collect(question, index)
    yield ("added", "… and needs: the first stage"), pages(collected)
    measured = measure(question, collected, index)
    whole = pages(rank(question, measured))
    yield ("added", "… and the second stage: all of it"), whole

    yield ("without source", WHOLE), whole
    for name, silent in (
        ("pages", ["pages"]),
        ("names", ["named"]),
        ("needs", ["needs"]),
        ("dense vectors of lines", [LINE]),
    ):
        yield ("without source", f"without {name}"), pages(both_stages(*silent))
    yield ("without source", "without the second stage"), pages(collected)

    yield ("without features", WHOLE), whole
    for name, features in feature_groups(FEATURES).items():
        ranked = rank(question, neutralised(measured, features))
        yield ("without features", f"without {name}"), pages(ranked)


def pages(ranked: Sequence[Candidate]) -> list[Any]:
    """The first pages of a ranking."""
    return [candidate.page for candidate in ranked[:LIMIT]]


def feature_groups(features: Sequence[str]) -> dict[str, list[str]]:
    """The features by group, in the order of `GROUPS`; groups without any are left out."""
    groups: dict[str, list[str]] = {name: [] for name in (*GROUPS, OTHERS)}
    for feature in features:
        group = next((name for name, pattern in GROUPS.items() if re.match(pattern, feature)), OTHERS)
        groups[group].append(feature)
    return {name: members for name, members in groups.items() if members}


def neutralised(measured: Sequence[Candidate], features: Sequence[str]) -> list[Candidate]:
    """The same candidates with these features set to 0."""
    places = {FEATURES.index(name) for name in features}
    return [
        candidate._replace(
            features=tuple(0.0 if i in places else value for i, value in enumerate(candidate.features))
        )
        for candidate in measured
    ]


def tabulate(variants: Sequence[Variant], *, resamples: int) -> list[Json]:
    """Each variant's figures, and its difference from the one it is held against.

    In `added` that is the baseline, in the other tables the whole. Differences are paired by question.
    """
    against: dict[str, list[float]] = {}
    found = []
    for variant in variants:
        values = {name: [of(one) for one in variant.ranks] for name, (_, of) in PAGE_FIGURES.items()}
        other = against.setdefault(variant.table, values[_SEEN])
        difference, bounds = paired_difference(values[_SEEN], other, resamples=resamples)
        found.append(
            {
                "table": variant.table,
                "name": variant.name,
                **{name: mean(of_name) for name, of_name in values.items()},
                "interval": mean_interval(values[_FIRST], resamples=resamples),
                "difference": {"figure": _SEEN, "value": difference, "interval": bounds},
            }
        )
    return found


def tables(found: Sequence[Json]) -> list[list[tuple[str, ...]]]:
    """The tables as text, a head first."""
    by_table: dict[str, list[Json]] = {}
    for one in found:
        by_table.setdefault(one["table"], []).append(one)
    return [_table(rows) for rows in by_table.values()]


def _table(rows: Sequence[Json]) -> list[tuple[str, ...]]:
    against = rows[0]["name"].partition(" (")[0]
    head = ("", "right page first", "in 3", "in 10", "MRR", f"MRR against {against}")
    return [head, *(_row(one, first=place == 0) for place, one in enumerate(rows))]


def _row(one: Json, *, first: bool) -> tuple[str, ...]:
    low, high = one["interval"]
    sure = f" ({low:.0%}–{high:.0%})".replace("%", "")
    difference = one["difference"]
    worth = "" if first else f"{difference['value']:+.3f} ({_signed(difference['interval'])})"
    shares = (f"{one[name]:.0%}".replace("%", " %") for name in ("page_at_3", "page_at_10"))
    return (
        one["name"],
        f"{one[_FIRST]:.0%}".replace("%", " %") + sure,
        *shares,
        written(one["mrr"], ""),
        worth,
    )


def _signed(bounds: Sequence[float]) -> str:
    return " to ".join(f"{bound:+.3f}" for bound in bounds)


def markdown(results: Json) -> str:
    """The tables for the README, and what they were measured of."""
    parts = [as_markdown(table) for table in tables(results["variants"])]
    listed = "".join(
        f"- {name}: {', '.join(f'`{feature}`' for feature in members)}\n"
        for name, members in results["groups"].items()
    )
    parts.append(f"The groups of features:\n\n{listed}")
    parts.append("\n".join([*provenance({"ablation": results}), f"{results['n']} questions."]) + "\n")
    return "\n".join(parts)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Measure what each part of retrieval is worth, and write it into benchmarks/README.md."
    )
    parser.add_argument(
        "--index",
        type=Path,
        metavar="DIR",
        help="the index, or the folder that holds it; by default the one that ragman asks",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"some {QUICK_QUESTIONS} questions only, to see that it works; the README stays as it is",
    )
    return parser


if __name__ == "__main__":
    main()
