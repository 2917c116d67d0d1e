"""Fits how an answer from documents that are no manual pages is judged: `_NOTES` in `retrieval/answerability.py`.

    python training/notes.py --index DIR --source ALIAS

The index has a book as a source of type `docs`, beside manual pages; `--source` is the book's alias. A logistic
regression on how much of the question the first document has, from the book's questions and those that nothing
answers. Questions of `book_held.jsonl` are never fitted on; they are what is reported on.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vademecum.library.current import open_index
from vademecum.library.generations import Generations
from vademecum.library.index import Index
from vademecum.library.limits import Limits
from vademecum.retrieval.answerability import NOTES, SIGNALS, signals_of
from vademecum.retrieval.collect import collect
from vademecum.retrieval.features import FEATURES, measure
from vademecum.retrieval.question import analyse
from vademecum.retrieval.rank import rank

QUESTIONS = Path(__file__).parents[1] / "benchmarks" / "questions"
_FIT = {"book": 1.0, "book_own": 0.5, "book_more": 1.0, "linux_unanswerable": 0.3}
"""The files fitted on, and what a question of each counts."""

_HELD = "book_held"
_BORDER = 0.3
"""The log odds from which on is answered: there the book's other questions are answered no more than they were."""

_RIDGE = 1.0
_STEPS = 60


class Row(NamedTuple):
    """A question's signals of a ranking, whether it has an answer, whether the first document is right, its file."""

    signals: list[float]
    answerable: bool
    right: bool
    file: str


def rows_of(index: Index, file: str) -> list[Row]:
    """Every question of a file, asked of the index."""
    found = []
    for line in (QUESTIONS / f"{file}.jsonl").read_text(encoding="utf-8").splitlines():
        data = json.loads(line)
        question = analyse(data["question"], index)
        first = rank(question, measure(question, collect(question, index), index))[:10]
        if not first:
            continue
        features = [dict(zip(FEATURES, one.features, strict=True)) for one in first]
        signals = signals_of(features, [one.score for one in first], [one.page.reference for one in first])
        right = first[0].page.reference in data.get("gold_files", ())
        found.append(Row([signals[SIGNALS.index(name)] for name in NOTES], data["answerable"], right, file))
    return found


def fitted(rows: Sequence[Row]) -> np.ndarray:
    """The bias and the weights, by Newton's method on standardised signals with a small ridge."""
    signals = np.array([row.signals for row in rows])
    labels = np.array([row.answerable for row in rows], float)
    shares = np.array([_FIT[row.file] for row in rows])
    mean, spread = signals.mean(0), signals.std(0) + 1e-9
    design = np.c_[np.ones(len(rows)), (signals - mean) / spread]
    weights = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-design @ weights))
        slope = design.T @ (shares * (chance - labels)) + _RIDGE * np.r_[0, weights[1:]]
        curve = (design * (shares * chance * (1 - chance))[:, None]).T @ design + _RIDGE * np.eye(
            len(weights)
        )
        weights -= np.linalg.solve(curve, slope)
    return np.append(weights[0] - (weights[1:] * mean / spread).sum(), weights[1:] / spread)


def main() -> None:
    """Fit, report on the questions that were not fitted on, and print the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--source", required=True)
    args = parser.parse_args()
    index = open_index(Generations(args.index)).limited(Limits(sources=(args.source,)))
    weights = fitted([row for file in _FIT for row in rows_of(index, file)])
    for file in (*_FIT, _HELD):
        rows = rows_of(index, file)
        answered = [weights[0] + np.dot(weights[1:], row.signals) >= _BORDER for row in rows]
        for there in (True, False):
            of = [one for one, row in zip(answered, rows, strict=True) if row.answerable is there]
            if of:
                print(
                    f"{file}: of {len(of)} {'answerable' if there else 'others'} {np.mean(of):.2f} answered"
                )
    print(
        f"bias {weights[0]:.4f}",
        {name: round(float(one), 4) for name, one in zip(NOTES, weights[1:], strict=True)},
    )
    sys.stdout.flush()
    os._exit(0)  # closing the engine would evict the index from the page cache


if __name__ == "__main__":
    main()
