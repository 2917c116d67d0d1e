"""Fits the ranking of passages of running text, and writes it: `src/vademecum/retrieval/data/text.json`.

    python training/passages.py measure --notes training/data/notes.jsonl --book DIR --out measured.pickle \
        --questions benchmarks/questions/book.jsonl benchmarks/questions/book_later.jsonl benchmarks/questions/book_more.jsonl \
        benchmarks/questions/book_own.jsonl training/data/robotics.jsonl
    python training/passages.py fit --measured measured.pickle --out src/vademecum/retrieval/data/text.json

A conditional logit (McFadden 1974) over the measured passages of each question: the chance of those that hold the answer,
by a weighted sum of features. Folds are by folder of notes, and by page of the book.
"""

import argparse
import pickle
from functools import partial

import numpy as np
from output import by_name, rounded, save
from units import NOTES_SHARE, Case, Row, fitted, report, run_recipe
from units import measure as measure_all

from vademecum.ask.hits import hit_at
from vademecum.library.internal import InternalLibrary
from vademecum.retrieval.passages.features import FEATURES, Likeness
from vademecum.retrieval.passages.ranking import measured_passages
from vademecum.retrieval.question.definitions import without_asking
from vademecum.retrieval.question.question import analyse

_FOLDS = 5
_TOLD_BY_FEW = {"defines": 13.0}
_NOTES_COUNT = 0.3
"""What a question to notes counts: a few notes are found in any case."""


def measure(args: argparse.Namespace) -> None:
    """Ask every question that has an answer, and measure its passages."""
    measure_all(args, _row, "passage")


def _row(library: InternalLibrary, case: Case) -> Row:
    group, share, question, right, _ = case
    assert right is not None  # noqa: S101 - only questions with an answer are measured
    index = library._opened().parts()[0]  # noqa: SLF001 - a recipe may look inside
    analysed = without_asking(analyse(question, index))
    near = index.unit_nearness(question)
    measured = measured_passages(analysed, Likeness(analysed, index), index, near)
    hits = [hit_at(index, found.place, found.passage.passage) for found in measured]
    answers = np.array([right.holds(hit.text, hit.reference) for hit in hits], bool)
    features = np.array([one.features for one in measured]) if measured else np.zeros((0, len(FEATURES)))
    return Row(group, share, question, features, answers, [])


def fit(args: argparse.Namespace) -> None:
    """Fit, report out of fold, and write the weights."""
    with args.measured.open("rb") as file:
        rows = [Row(*row) for row in pickle.load(file)]
    counted = [row._replace(share=_NOTES_COUNT) if row.share == NOTES_SHARE else row for row in rows]
    of_folds = [
        fitted([row for row in counted if row.fold != fold], FEATURES, _TOLD_BY_FEW) for fold in range(_FOLDS)
    ]
    report(rows, [partial(_summed, weights) for weights in of_folds])
    weights = fitted(counted, FEATURES, _TOLD_BY_FEW)
    for name, weight in zip(FEATURES, weights, strict=True):
        print(f"  {name:22} {weight:8.3f}")
    firsts, fifths = zip(
        *(_first_and_fifth(row.features @ weights) for row in rows if len(row.right)), strict=True
    )
    middle = float(np.median(firsts) + np.median(fifths)) / 2
    print(f"middle {middle:.2f}")
    save(args.out, middle=rounded(middle, 3), passages=by_name(FEATURES, weights))


def _summed(weights: np.ndarray, row: Row) -> np.ndarray:
    return np.asarray(row.features @ weights)


def _first_and_fifth(scores: np.ndarray) -> tuple[float, float]:
    """The best score, and the fifth best or the last."""
    best = np.sort(scores)[::-1]
    return float(best[0]), float(best[:5][-1])


def main() -> None:
    """Measure, or fit."""
    run_recipe(__doc__, measure, fit)


if __name__ == "__main__":
    main()
