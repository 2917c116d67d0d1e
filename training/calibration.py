"""Fits how likely running text holds an answer, and writes it: `src/vademecum/retrieval/data/text.json`.

    python training/calibration.py measure --units units.pickle --notes training/data/notes.jsonl --book DIR --out measured.pickle \
        --questions benchmarks/questions/book.jsonl benchmarks/questions/book_later.jsonl benchmarks/questions/book_more.jsonl \
        benchmarks/questions/book_own.jsonl training/data/robotics.jsonl
    python training/calibration.py fit --measured measured.pickle --out src/vademecum/retrieval/data/text.json

Two questions are asked of a ranking: do the documents hold an answer, and is the first unit one. Of each a logistic
regression and boosted trees (Friedman 2001) over the same signals tell a part. To the questions that nothing answers come
those that are answered, asked as if the note that answers them were not there, and those of other folders. A note is asked alone, too. Folds are by
folder of notes, and by page of the book. The trees draw by a seed.
"""

import argparse
import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from zlib import crc32

import lightgbm
import numpy as np
from output import by_name, rounded, save, trees_of
from scipy.optimize import minimize
from units import (
    SHOWN,
    Ranking,
    Right,
    collections,
    fold_of,
    folders,
    holds,
    library_of,
    notes_in,
    questions_in,
    run_recipe,
)
from units import Row as UnitRow

from vademecum.ask.running_text.passages import find
from vademecum.evaluation.metrics import auroc, ece
from vademecum.library.internal import InternalLibrary
from vademecum.retrieval.units import ranking as unit_ranking
from vademecum.retrieval.units.calibration import SIGNALS

_FOLDS = 5
_PENALTY = 15.0
_TREES = {
    "objective": "binary",
    "learning_rate": 0.06,
    "num_leaves": 8,
    "min_data_in_leaf": 20,
    "lambda_l2": 5.0,
    "feature_fraction": 0.2,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "num_threads": 1,
    "deterministic": True,
    "seed": 1,
    "verbose": -1,
}
_ROUNDS = 200
_SHARES = {
    "documents": 3.0,
    "book": 1.5,
    "asked": 3.0,
    "alone": 0.5,
    "as if": 0.5,
    "elsewhere": 0.2,
    "part": 0.1,
}
"""What a question counts, by where it is asked."""

_PARTS, _PART_PAGES = 24, (3, 6, 12, 24)
_LINEAR = 0.2
"""What the logistic regression tells; the trees tell the rest."""

_THRESHOLD = 0.5
"""The answerability from which an answer is given."""

_RANKINGS: list[tuple[float, ...]] = []
"""The weights of units, for each fold those that were fitted without it."""


class Row(NamedTuple):
    """A question's signals, where it was asked, and whether there is an answer and the first unit is it."""

    group: str
    where: str
    file: str
    signals: list[float]
    answerable: bool
    right: bool
    shown: bool
    question: str

    @property
    def fold(self) -> int:
        """Which part it is judged in."""
        return fold_of(self.group)


def measure(args: argparse.Namespace) -> None:
    """Ask every question everywhere, units ranked by weights that were fitted without its folder or page."""
    rows: list[Row] = []
    with args.units.open("rb") as file:
        measured = [UnitRow(*row) for row in pickle.load(file)]
    for fold in range(_FOLDS):
        ranking = Ranking([row for row in measured if row.fold != fold])
        _RANKINGS.append(tuple(ranking.weights))
    every = list(folders(args.notes))
    for number, folder in enumerate(every):
        others = [asked for at in (7, 19) for asked in every[(number + at) % len(every)]["questions"][:3]]
        whole = _asked(folder["notes"])
        for library in whole:
            for asked in folder["questions"]:
                rows += _rows(library, folder["name"], "asked", "notes", asked)
            for asked in others:
                rows += _rows(library, folder["name"], "elsewhere", "notes", {**asked, "answerable": False})
        for note in sorted({one["note"] for one in folder["questions"] if one["answerable"]}):
            for library in _asked({note: folder["notes"][note]}):
                for asked in folder["questions"]:
                    known = asked["answerable"] and (
                        asked["note"] == note or holds(folder["notes"][note], asked["must"])
                    )
                    rows += _rows(library, folder["name"], "alone", "notes", {**asked, "answerable": known})
            rest = {name: text for name, text in folder["notes"].items() if name != note}
            for library in _asked(rest):
                for asked in folder["questions"]:
                    if asked["note"] == note and not any(
                        holds(text, asked["must"]) for text in rest.values()
                    ):
                        rows += _rows(
                            library, folder["name"], "as if", "notes", {**asked, "answerable": False}
                        )
    rows += _book_rows(args.book, args.questions)
    for source, cases in collections(args.documents):
        with TemporaryDirectory() as place:
            library = library_of(Path(place), source)
            for case in cases:
                rows += _rows(
                    library, case.group, "documents", "documents", dict(case.asked), answer=case.right
                )
    with args.out.open("wb") as file:
        pickle.dump([tuple(row) for row in rows], file)
    print(f"{len(rows)} questions")
    sys.stdout.flush()
    os._exit(0)  # closing the engine takes longer than leaving


def _asked(notes: dict[str, str]) -> Iterator[InternalLibrary]:
    with TemporaryDirectory() as place:
        if notes:
            yield library_of(Path(place), notes_in(Path(place, "notes"), notes))


def _book_rows(book: Path, files: Sequence[Path]) -> list[Row]:
    """The questions to the whole book, and to parts of it."""
    asked = questions_in(files)
    rows: list[Row] = []
    with TemporaryDirectory() as place:
        library = library_of(Path(place), book)
        nearest = {}
        for one in asked:
            found = find(library._opened().parts()[0], one["question"], 1).hits  # noqa: SLF001 - a recipe may look inside
            nearest[one["question"]] = (one["gold_files"] or [found[0].reference if found else "none"])[0]
            rows += _rows(library, nearest[one["question"]], "book", one["file"], one)
    pages = sorted({page for one in asked for page in one["gold_files"]})
    for part in range(_PARTS):
        most = _PART_PAGES[part % len(_PART_PAGES)]
        own = set(sorted(pages, key=lambda page: crc32(f"part {part} {page}".encode()))[:most])
        chosen = [one for one in asked if own & set(one["gold_files"])]
        rest = [one for one in asked if not own & set(one["gold_files"])]
        rest.sort(
            key=lambda one: (
                nearest[one["question"]] not in own,
                crc32(f"ask {part} {one['question']}".encode()),
            )
        )
        chosen += [{**one, "answerable": False} for one in rest[: max(6, 2 * len(chosen))]]
        for library in _asked({page: (book / page).read_text() for page in own}):
            for one in chosen:
                rows += _rows(library, nearest[one["question"]], "part", one["file"], one)
    return rows


def _rows(
    library: InternalLibrary,
    group: str,
    where: str,
    file: str,
    asked: dict[str, Any],
    *,
    answer: Right | None = None,
) -> list[Row]:
    weights = _RANKINGS[fold_of(group)]
    unit_ranking.unit_weights = lambda **_: weights  # those of the package have seen the question
    found = find(library._opened().parts()[0], asked["question"], 10)  # noqa: SLF001 - as above
    if not found.signals:
        return []
    evidence = found.evidence(found.chosen())
    said = found.quote(evidence).summary
    text = "\n".join(statement.text or statement.command for statement in said)
    answer = answer or Right(asked["must"] if asked["answerable"] else ())
    reference = evidence[said[0].spans[0].evidence].reference
    right = asked["answerable"] and answer.holds(text[:SHOWN], reference)
    shown = asked["answerable"] and answer.holds(text, reference)
    signals = [found.signals[name] for name in SIGNALS]
    return [Row(group, where, file, signals, asked["answerable"], right, shown, asked["question"])]


class Fitted:
    """A logistic regression and trees together, calibrated."""

    def __init__(self, rows: Sequence[Row], label: str) -> None:
        table = np.array([row.signals for row in rows])
        yes = np.array([bool(getattr(row, label)) for row in rows])
        shares = np.array([_SHARES[row.where] for row in rows])
        self.base, self.weights = _logistic(table, yes, shares, _PENALTY)
        self.trees = lightgbm.train(_TREES, lightgbm.Dataset(table, yes, weight=shares), _ROUNDS)
        self.add, self.slope = 0.0, 1.0

    def __call__(self, rows: Sequence[Row]) -> np.ndarray:
        """Log odds."""
        table = np.array([row.signals for row in rows])
        linear = self.base + table @ self.weights
        trees = np.asarray(self.trees.predict(table, raw_score=True))
        return np.asarray(self.add + self.slope * (_LINEAR * linear + (1 - _LINEAR) * trees))


def _logistic(
    table: np.ndarray, yes: np.ndarray, shares: np.ndarray, penalty: float
) -> tuple[float, np.ndarray]:
    """A logistic regression: its base, and the weights of the columns as they come."""
    wanted = np.where(yes, 1.0, -1.0)
    middle, spread = table.mean(0), table.std(0) + 1e-9
    table = (table - middle) / spread

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        base, weights = values[0], values[1:]
        margins = wanted * (table @ weights + base)
        chances = 1 / (1 + np.exp(np.clip(margins, -60, 60)))
        total = (shares * np.logaddexp(0, -margins)).sum() + penalty * (weights @ weights) / 2
        slope = -shares * wanted * chances
        return total, np.concatenate([[slope.sum()], table.T @ slope + penalty * weights])

    found = minimize(loss, np.zeros(table.shape[1] + 1), jac=True, method="L-BFGS-B").x
    weights = found[1:] / spread
    return float(found[0] - weights @ middle), weights


def fit(args: argparse.Namespace) -> None:
    """Fit, report out of fold, and write the weights."""
    with args.measured.open("rb") as file:
        rows = [Row(*row) for row in pickle.load(file)]
    odds: dict[str, np.ndarray] = {}
    whole = {}
    asked = np.array([row.where in {"asked", "book", "documents"} for row in rows])
    for label in ("answerable", "right"):
        found = np.zeros(len(rows))
        for fold in range(_FOLDS):
            inside = [at for at, row in enumerate(rows) if row.fold == fold]
            model = Fitted([row for row in rows if row.fold != fold], label)
            found[inside] = model([rows[at] for at in inside])
        labels = np.array([bool(getattr(row, label)) for row in rows])
        add, (slope,) = _logistic(found[asked][:, None], labels[asked], np.ones(asked.sum()), 0.0)
        odds[label] = add + slope * found
        pairs = [
            (float(1 / (1 + np.exp(-one))), bool(yes))
            for one, yes in zip(odds[label][asked], labels[asked], strict=True)
        ]
        print(f"{label}: AUROC {auroc(pairs):.3f}, ECE {ece(pairs):.3f}")
        whole[label] = Fitted(rows, label)
        whole[label].add, whole[label].slope = add, float(slope)
    threshold = float(np.log(_THRESHOLD / (1 - _THRESHOLD)))
    for where in _SHARES:
        _report(
            where,
            [
                (row, one >= threshold)
                for row, one in zip(rows, odds["answerable"], strict=True)
                if row.where == where
            ],
        )
    for file in sorted({row.file for row in rows} - {"notes"}):
        _report(
            file,
            [
                (row, one >= threshold)
                for row, one in zip(rows, odds["answerable"], strict=True)
                if row.where == "book" and row.file == file
            ],
        )
    save(args.out, threshold=_THRESHOLD, **{label: _numbers(fitted) for label, fitted in whole.items()})


def _report(name: str, answered: Sequence[tuple[Row, bool]]) -> None:
    yes = [pair for pair in answered if pair[0].answerable]
    no = [pair for pair in answered if not pair[0].answerable]
    figures = [f"{name}: {len(yes)} + {len(no)}"]
    if yes:
        figures.append(f"refused {np.mean([not one for _, one in yes]):.3f}")
        figures.append(f"lead right {np.mean([one and row.right for row, one in yes]):.3f}")
        figures.append(f"right {np.mean([one and row.shown for row, one in yes]):.3f}")
    if no:
        figures.append(f"answered all the same {np.mean([one for _, one in no]):.3f}")
    print("  ".join(figures))


def _numbers(fitted: Fitted) -> dict[str, Any]:
    share, rest = fitted.slope * _LINEAR, fitted.slope * (1 - _LINEAR)
    return {
        "base": rounded(fitted.add + share * fitted.base, 6),
        "weights": by_name(SIGNALS, share * fitted.weights),
        "share_of_trees": rounded(rest, 6),
        "trees": trees_of(fitted.trees, SIGNALS),
    }


def main() -> None:
    """Measure, or fit."""
    run_recipe(__doc__, measure, fit, with_units=True)


if __name__ == "__main__":
    main()
