"""Fits the ranking of passages of running text, and writes it: `src/vademecum/retrieval/data/text.json`.

    python training/passages.py measure --notes training/data/notes.jsonl --book DIR --out measured.pickle \
        --questions benchmarks/questions/book.jsonl benchmarks/questions/book_later.jsonl benchmarks/questions/book_more.jsonl \
        benchmarks/questions/book_own.jsonl training/data/robotics.jsonl
    python training/passages.py fit --measured measured.pickle --out src/vademecum/retrieval/data/text.json

A conditional logit (McFadden 1974) over the measured passages of each question: the chance of those that hold the answer,
by a weighted sum of features. Folds are by folder of notes, and by page of the book.
"""

import argparse
import os
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from output import by_name, rounded, save
from units import (
    NOTES_SHARE,
    Row,
    fitted,
    folders,
    holds,
    library_of,
    notes_in,
    questions_in,
    report,
    run_recipe,
    summed,
)

from vademecum.library.internal import InternalLibrary
from vademecum.retrieval.passages.features import FEATURES, Likeness
from vademecum.retrieval.passages.ranking import measured_passages
from vademecum.retrieval.question.definitions import without_asking
from vademecum.retrieval.question.question import analyse

_FOLDS = 5
_BOOK_SHARE = 0.99
_NOTES_COUNT = 0.3
"""What a question to notes counts: a few notes are found in any case."""


def measure(args: argparse.Namespace) -> None:
    """Ask every question that has an answer, and measure its passages."""
    rows: list[Row] = []
    for folder in folders(args.notes):
        with TemporaryDirectory() as place:
            library = library_of(Path(place), notes_in(Path(place, "notes"), folder["notes"]))
            rows += [
                _row(library, folder["name"], NOTES_SHARE, asked["question"], asked["must"])
                for asked in folder["questions"]
                if asked["answerable"]
            ]
    with TemporaryDirectory() as place:
        library = library_of(Path(place), args.book)
        rows += [
            _row(library, asked["gold_files"][0], _BOOK_SHARE, asked["question"], asked["must"])
            for asked in questions_in(args.questions)
            if asked["answerable"]
        ]
    with args.out.open("wb") as file:
        pickle.dump([tuple(row) for row in rows], file)
    print(
        f"{len(rows)} questions, {sum(row.right.any() for row in rows)} with a right passage among those measured"
    )
    sys.stdout.flush()
    os._exit(0)  # closing the engine takes longer than leaving


def _row(
    library: InternalLibrary, group: str, share: float, question: str, must: Sequence[Sequence[str]]
) -> Row:
    index = library._opened().parts()[0]  # noqa: SLF001 - a recipe may look inside
    analysed = without_asking(analyse(question, index))
    near = index.unit_nearness(question)
    measured = measured_passages(analysed, Likeness(analysed, index), index, near)
    texts = []
    for one in measured:
        flat = index.segments[one.place.segment].flat
        texts.append(flat.words(flat.document(one.place.document), flat.passage(one.passage.passage)))
    right = np.array([holds(text, must) for text in texts], bool)
    features = np.array([one.features for one in measured]) if measured else np.zeros((0, len(FEATURES)))
    return Row(group, share, question, features, right, texts)


def fit(args: argparse.Namespace) -> None:
    """Fit, report out of fold, and write the weights."""
    with args.measured.open("rb") as file:
        rows = [Row(*row) for row in pickle.load(file)]
    counted = [row._replace(share=_NOTES_COUNT) if row.share == NOTES_SHARE else row for row in rows]
    report(rows, [summed(fitted([row for row in counted if row.fold != fold])) for fold in range(_FOLDS)])
    weights = fitted(counted)
    for name, weight in zip(FEATURES, weights, strict=True):
        print(f"  {name:22} {weight:8.3f}")
    firsts, fifths = zip(
        *(_first_and_fifth(row.features @ weights) for row in rows if len(row.right)), strict=True
    )
    middle = float(np.median(firsts) + np.median(fifths)) / 2
    print(f"middle {middle:.2f}")
    save(args.out, middle=rounded(middle, 3), passages=by_name(FEATURES, weights))


def _first_and_fifth(scores: np.ndarray) -> tuple[float, float]:
    """The best score, and the fifth best or the last."""
    best = np.sort(scores)[::-1]
    return float(best[0]), float(best[:5][-1])


def main() -> None:
    """Measure, or fit."""
    run_recipe(__doc__, measure, fit)


if __name__ == "__main__":
    main()
