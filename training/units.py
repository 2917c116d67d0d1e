"""Fits the ranking of units, and writes it: `src/vademecum/retrieval/data/text.json`.

    python training/units.py measure --book DIR --notes training/data/notes.jsonl --out measured.pickle \
        --questions benchmarks/questions/book.jsonl benchmarks/questions/book_later.jsonl benchmarks/questions/book_more.jsonl \
        benchmarks/questions/book_own.jsonl training/data/robotics.jsonl
    python training/units.py fit --measured measured.pickle --out src/vademecum/retrieval/data/text.json

A conditional logit (McFadden 1974) over the units of the best passages of each question: the chance of those that hold
the answer, by a weighted sum of features. Folds are by folder of notes, by page of the book, and by collection of documents.
"""

import argparse
import json
import os
import pickle
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from output import by_name, save
from scipy.optimize import minimize

from vademecum.answering.quote import best_units
from vademecum.ask.running_text.passages import find
from vademecum.core.evidence import Unit
from vademecum.files.places import Places
from vademecum.index import unit_vectors
from vademecum.library import unit_embedding
from vademecum.library.internal import InternalLibrary
from vademecum.library.unit_embedding import embed_units
from vademecum.providers.onnx import MiniLM
from vademecum.retrieval.passages.features import Likeness
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.units import calibration
from vademecum.retrieval.units.features import FEATURES, measure_units

_FOLDS = 5
_PENALTY = 3.0
_TOLD_BY_FEW = {"has_label": 1.5, "has_other_label": -1.5, "echoes": -1.5, "defines": 7.4, "thing_first": 2.5}
"""Weights that few questions tell: they stay near these."""

_PENALTY_OF_FEW = 30.0
NOTES_SHARE = 1.0
_BOOK_SHARE = 0.25
_DOCUMENTS_SHARE = 1.001
"""What a question to the book counts beside one to notes: there are ten times as many, and people ask notes otherwise."""


_REMEMBERING: list["Remembering"] = []
"""What embeds the units, where a transformer does."""


class Remembering(MiniLM):
    """The transformer, with all it has embedded: the same notes come in many folders."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, list[float]] = {}

    def embed(self, texts: Sequence[str], *_purpose: Any, **_options: Any) -> list[list[float]]:
        """See `MiniLM.embed`."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known |= zip(new, self._embedded(new), strict=True)
        return [self._known[text] for text in texts]


SHOWN = 300
"""The number of characters of an answer that must contain what is asked."""


class Right(NamedTuple):
    """What the answer of a question must contain: a word of each group of `must`, or a pattern, in a file whose path matches."""

    must: Sequence[Sequence[str]] = ()
    file: str = ""
    pattern: str = ""

    def holds(self, text: str, reference: str = "") -> bool:
        """Return whether a text from a document answers."""
        if self.pattern:
            return bool(_found(self.pattern, text) and _found(self.file, reference))
        return holds(text, self.must)


def _found(pattern: str, text: str) -> bool:
    return bool(re.search(pattern, text, re.IGNORECASE | re.DOTALL))


class Case(NamedTuple):
    """A question, where it belongs, how much it counts, and its answer; None if there is none."""

    group: str
    share: float
    question: str
    right: Right | None
    asked: Mapping[str, Any]


class Row(NamedTuple):
    """A question with the measured units of its best passages."""

    group: str
    share: float
    question: str
    features: np.ndarray
    right: np.ndarray
    texts: list[str]
    asked: tuple[Question, Likeness, list[Unit]] | None = None

    @property
    def fold(self) -> int:
        """Which part it is judged in."""
        return fold_of(self.group)


def fold_of(group: str) -> int:
    """Which part a folder of notes or a page of the book is judged in."""
    return crc32(f"unit {group}".encode()) % _FOLDS


def folders(path: Path) -> Iterator[dict[str, Any]]:
    """The folders of notes of a file, each with its notes and questions."""
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def collections(folders: Sequence[Path]) -> Iterator[tuple[Path, list[Case]]]:
    """The collections of documents in folders, each with the questions about it in the `questions.jsonl` beside it."""
    for folder in folders:
        asked = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
        for name in sorted({question["collection"] for question in asked}):
            if (folder / name).is_dir():
                cases = [
                    Case(
                        name,
                        _DOCUMENTS_SHARE,
                        question["question"],
                        Right((), question["file"], question["answer_has"])
                        if question["answerable"]
                        else None,
                        question,
                    )
                    for question in asked
                    if question["collection"] == name
                ]
                yield folder / name, cases


def notes_in(folder: Path, notes: Mapping[str, str]) -> Path:
    """The folder, with notes written into it."""
    for name, text in notes.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def library_of(folder: Path, source: Path) -> InternalLibrary:
    """A library that has a folder of documents alone, indexed."""
    calibration.log_odds = lambda _label, **_: _nothing  # those of today may be of other signals
    places = Places(folder / "data", folder / "config")
    places.data.mkdir(parents=True)
    places.catalog_file.write_text('{"format": 2, "generation": 0, "sources": []}')
    library = InternalLibrary(places)
    library.add_source(source, type="docs", exclude=["SOURCE.md"])
    library.reindex()
    if _REMEMBERING:
        embed_units(library._generations, lambda _: None)  # noqa: SLF001 - a recipe may look inside
    return library


def questions_in(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """The questions to the book, each with what a right answer `must` have."""
    found = [
        {"file": path.stem, **json.loads(line)} for path in paths for line in path.read_text().splitlines()
    ]
    return [{"must": [[asked.get("gold_phrase", "")]], **asked} for asked in found]


def _nothing(_signals: Sequence[float]) -> float:
    return 0.0


def holds(text: str, must: Sequence[Sequence[str]]) -> bool:
    """Whether a text has one of the words of each group."""
    lowered = " ".join(text.lower().split())
    return all(any(word.lower() in lowered for word in group) for group in must)


def asked_in(args: argparse.Namespace) -> Iterator[tuple[InternalLibrary, list[Case]]]:
    """Each collection as a library, and the answerable questions about it."""
    for source, cases in collections(args.documents):
        with TemporaryDirectory() as place:
            yield library_of(Path(place), source), [case for case in cases if case.right]
    for folder in folders(args.notes):
        with TemporaryDirectory() as place:
            library = library_of(Path(place), notes_in(Path(place, "notes"), folder["notes"]))
            cases = [
                Case(folder["name"], NOTES_SHARE, asked["question"], Right(asked["must"]), asked)
                for asked in folder["questions"]
                if asked["answerable"]
            ]
            yield library, cases
    with TemporaryDirectory() as place:
        cases = [
            Case(asked["gold_files"][0], _BOOK_SHARE, asked["question"], Right(asked["must"]), asked)
            for asked in questions_in(args.questions)
            if asked["answerable"]
        ]
        yield library_of(Path(place), args.book), cases


def measure(
    args: argparse.Namespace, row: Callable[[InternalLibrary, Case], Row] | None = None, of: str = "unit"
) -> None:
    """Ask every question, and measure the units of its best passages; with `row`, something else."""
    rows = [(row or _row)(library, case) for library, cases in asked_in(args) for case in cases]
    with args.out.open("wb") as file:
        pickle.dump([tuple(row) for row in rows], file)
    print(
        f"{len(rows)} questions, {sum(row.right.any() for row in rows)} with a right {of} among those measured"
    )
    sys.stdout.flush()
    os._exit(0)  # closing the engine takes longer than leaving


def _row(library: InternalLibrary, case: Case) -> Row:
    group, share, question, right, _ = case
    assert right is not None  # noqa: S101 - only questions with an answer are measured
    found = find(library._opened().parts()[0], question, 10)  # noqa: SLF001 - a recipe may look inside
    evidence = found.evidence()
    units = best_units(evidence)
    measured = measure_units(found.question, found.alike, units, found.nearby)
    features = np.array(measured) if units else np.zeros((0, len(FEATURES)))
    return Row(
        group,
        share,
        question,
        features,
        np.array([right.holds(unit.text[:SHOWN], evidence[unit.evidence].reference) for unit in units], bool),
        [one.text for one in units],
        (found.question, found.alike, units),
    )


def fitted(
    rows: Sequence[Row], names: Sequence[str] = FEATURES, few: Mapping[str, float] | None = None
) -> np.ndarray:
    """The weights of the features with these names; those that `few` questions tell stay near these values."""
    few = _TOLD_BY_FEW if few is None else few
    rows = [row for row in rows if row.right.any() and not row.right.all()]
    scale = np.concatenate([row.features for row in rows]).std(0) + 1e-6
    stacked = np.concatenate([row.features / scale for row in rows])
    ends = np.cumsum([len(row.right) for row in rows])
    starts = np.r_[0, ends[:-1]]
    which = np.repeat(np.arange(len(rows)), ends - starts)
    right = np.concatenate([row.right for row in rows])
    shares = np.array([row.share for row in rows])
    usual = np.array([few.get(name, 0.0) for name in names]) * scale
    penalty = np.array([_PENALTY_OF_FEW if name in few else _PENALTY for name in names])
    penalty = np.where(penalty == _PENALTY, penalty, penalty / scale**2)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = stacked @ weights
        scores -= np.maximum.reduceat(scores, starts)[which]
        odds = np.exp(scores)
        whole = np.add.reduceat(odds, starts)
        good = np.add.reduceat(odds * right, starts)
        slope = (odds / whole[which] - odds * right / good[which]) * shares[which]
        off = weights - usual
        value = -(shares * np.log(good / whole)).sum() + (penalty * off**2).sum() / 2
        return value, stacked.T @ slope + penalty * off

    found = minimize(loss, usual, jac=True, method="L-BFGS-B")
    return np.asarray(found.x / scale)


class Ranking:
    """The weights of the features."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.weights = fitted(rows)

    def __call__(self, row: Row) -> np.ndarray:
        """The scores of a question's units."""
        return np.asarray(row.features @ self.weights)

    def numbers(self) -> dict[str, Any]:
        """As the package reads them."""
        return {"units": by_name(FEATURES, self.weights)}


def report(rows: Sequence[Row], rankings: Sequence[Callable[[Row], np.ndarray]]) -> None:
    """How often a right unit comes first, and among three, out of fold."""
    for name, chosen in (
        ("documents", [r for r in rows if r.share == _DOCUMENTS_SHARE]),
        ("notes", [r for r in rows if r.share == NOTES_SHARE]),
        ("book", [r for r in rows if r.share < NOTES_SHARE]),
    ):
        ranks = []
        for row in chosen:
            order = np.argsort(-rankings[row.fold](row), kind="stable") if len(row.right) else []
            places = np.flatnonzero(row.right[order]) if len(row.right) else []
            ranks.append(places[0] if len(places) else 999)
        if ranks:
            found = np.array(ranks)
            print(name, len(ranks), *(f"in {k}: {(found < k).mean():.3f}" for k in (1, 2, 3, 10, 900)))


def fit(args: argparse.Namespace) -> None:
    """Fit, report out of fold, and write the weights."""
    with args.measured.open("rb") as file:
        rows = [Row(*row) for row in pickle.load(file)]
    rankings = [Ranking([row for row in rows if row.fold != fold]) for fold in range(_FOLDS)]
    report(rows, rankings)
    whole = Ranking(rows)
    for name, weight in zip(FEATURES, whole.weights, strict=True):
        print(f"  {name:22} {weight:8.3f}")
    save(args.out, **whole.numbers())


def run_recipe(
    description: str | None,
    measure: Callable[[argparse.Namespace], None],
    fit: Callable[[argparse.Namespace], None],
    *,
    with_units: bool = False,
) -> None:
    """Run `measure` or `fit`, as the command line says; all recipes for running text take the same.

    Args:
        description: What the recipe does.
        measure: Asks the questions, and writes down what was measured.
        fit: Fits weights to that, and writes them.
        with_units: Whether to measure takes what this recipe measured.
    """
    parser = argparse.ArgumentParser(description=description)
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure")
    if with_units:
        measuring.add_argument("--units", type=Path, required=True, help="what training/units.py measured")
    measuring.add_argument("--notes", type=Path, required=True)
    measuring.add_argument("--book", type=Path, required=True)
    measuring.add_argument("--documents", type=Path, nargs="*", default=[], help="folders of collections")
    measuring.add_argument("--questions", type=Path, nargs="+", required=True)
    measuring.add_argument("--out", type=Path, required=True)
    measuring.add_argument("--transformer", action="store_true", help="with the vectors of units")
    measuring.set_defaults(run=measure)
    fitting = commands.add_parser("fit")
    fitting.add_argument("--measured", type=Path, required=True)
    fitting.add_argument("--out", type=Path, required=True)
    fitting.set_defaults(run=fit)
    args = parser.parse_args()
    if getattr(args, "transformer", False):
        _REMEMBERING.append(Remembering())
        unit_vectors.unit_embedder = unit_embedding.unit_embedder = lambda: _REMEMBERING[0]
    args.run(args)


def main() -> None:
    """Measure, or fit."""
    run_recipe(__doc__, measure, fit)


if __name__ == "__main__":
    main()
