"""Fits the second stage for running text and writes it as Python: `src/vademecum/retrieval/weights/documents.py`.

    python training/passages.py measure --book DIR --own benchmarks/questions/book_own.jsonl --out measured.pickle \
        --questions benchmarks/questions/book.jsonl benchmarks/questions/book_later.jsonl benchmarks/questions/book_more.jsonl
    python training/passages.py fit --measured measured.pickle --out src/vademecum/retrieval/weights/documents.py

The ranker is a conditional logit (McFadden 1974) over the measured passages of each question: the chance of the right
ones, by a weighted sum of features. The judges are two logistic regressions over signals of rankings from folds that the
ranker was not fitted on: does the book hold an answer, and is it among the first three passages. Of the first question
boosted trees (Friedman 2001) tell the other half: each sees what the other does not. To the questions
without an answer come all others, asked as if the pages that answer them were not in the book; and so that the judges
know small collections, too, questions are put to parts of the book, of three pages and more. Folds are by page, so that no
page is fitted on and judged. Only the trees draw, by a seed.
"""

import argparse
import json
import os
import pickle
import sys
from collections.abc import Sequence
from math import exp
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from zlib import crc32

from vademecum.retrieval.passage_judging import SIGNALS, signals_of

from vademecum.core.candidates import PassageFacts, Place
from vademecum.evaluation.metrics import auroc, ece
from vademecum.retrieval.passage_features import FEATURES, Likeness, Measured
from vademecum.retrieval.passage_ranking import RankedPassage, measured_passages
from vademecum.retrieval.question import Question, analyse

_FOLDS = 5
_RANK_PENALTY = 10.0
_JUDGE_PENALTY = 60.0
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
_ROUNDS = 100
"""Signals are many, and say much the same; so all are kept small rather than some chosen."""

_AS_IF_SHARE = 0.1
"""What a question counts that is asked as if its pages were not there."""

_PARTS, _PART_PAGES = 32, (3, 6, 12, 24)
"""How many parts of the book are asked, and of how many pages each in turn."""

_PART_SHARE = 0.2
"""What a question to a part counts."""

_OWN_SHARE = 0.3
"""What a question counts that was written by those who wrote the method; people ask otherwise."""

_REFUSED, _REFUSED_IN = 0.15, ("book_more",)
"""The share of the answerable questions of some files, out of fold, that may fall below the border: of those that ask the most
as people do."""

_FIRST = 3
_HALVINGS = 30


class Recorded:
    """What the judges ask of an index, for one question, written down."""

    def __init__(self, index: Any, measured: Sequence[Measured]) -> None:
        self._facts = {
            (one.place, one.passage.passage): index.facts(one.place, one.passage.passage) for one in measured
        }
        self._documents = {one.place: index.document_terms(one.place) for one in measured}

    def facts(self, place: Place, passage: int) -> PassageFacts:
        """See `SearchIndex`."""
        return self._facts[place, passage]

    def document_terms(self, place: Place) -> frozenset[int]:
        """See `SearchIndex`."""
        return self._documents[place]


class Row(NamedTuple):
    """A question with its measured passages.

    Attributes:
        file: The name of the file it is from.
        page: The page that answers it; of one without an answer the nearest by words.
        pages: How many pages were asked; 0 for the whole book.
        answerable: Whether there is an answer.
        share: What it counts for the judges, 0-1.
        question: Analysed.
        likeness: Of it.
        measured: The candidates.
        right: Which of them hold the phrase.
        own: Which are of pages that answer it.
        index: What else the judges ask.
    """

    file: str
    page: str
    pages: int
    answerable: bool
    share: float
    question: Question
    likeness: Likeness
    measured: list[Measured]
    right: list[bool]
    own: list[bool]
    index: Recorded

    @property
    def fold(self) -> int:
        """Which part it is judged in."""
        return crc32(f"fold {self.page}".encode()) % _FOLDS


def measure(book: Path, questions: Sequence[Path], own_questions: Path, out: Path) -> None:
    """Index a book, and then parts of it, and measure the passages of every question."""
    asked = [
        {**json.loads(line), "share": share, "file": path.stem}
        for path, share in (*((path, 1.0) for path in questions), (own_questions, _OWN_SHARE))
        for line in path.read_text().splitlines()
    ]
    rows = _answered(book, asked, [], pages=0)
    nearest = [row.page for row in rows]
    pages = sorted({row.page for row in rows if row.answerable})
    for part in range(_PARTS):
        most = _PART_PAGES[part % len(_PART_PAGES)]
        own = set(sorted(pages, key=lambda page: crc32(f"part {part} {page}".encode()))[:most])
        with TemporaryDirectory() as folder:
            for page in own:
                (Path(folder) / page).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / page).write_bytes((book / page).read_bytes())
            chosen, pages_of = _of_part(asked, nearest, own, part)
            rows += _answered(Path(folder), chosen, pages_of, pages=most)
    with out.open("wb") as file:
        pickle.dump(rows, file)
    held = sum(any(row.right) for row in rows)
    print(f"{len(rows)} questions, {held} with a right passage among those measured")
    sys.stdout.flush()
    os._exit(0)  # closing the engine takes longer than leaving


def _of_part(
    asked: Sequence[dict[str, Any]], nearest: Sequence[str], own: set[str], part: int
) -> tuple[list[dict[str, Any]], list[str]]:
    """The questions that are put to some pages, with the page of each: those they answer, and no fewer others, near ones first."""
    pairs = list(zip(asked, nearest, strict=True))
    answered = [pair for pair in pairs if own & set(pair[0]["gold_files"])]
    rest = [pair for pair in pairs if not own & set(pair[0]["gold_files"])]
    rest.sort(key=lambda pair: (pair[1] not in own, crc32(f"ask {part} {pair[0]['question']}".encode())))
    near = sum(page in own for _, page in rest)
    chosen = [*answered, *rest[: max(2 * near, len(answered))]]
    return [
        one
        if own & set(one["gold_files"])
        else {**one, "answerable": False, "gold_files": [], "gold_phrase": ""}
        for one, _ in chosen
    ], [page for _, page in chosen]


def _answered(
    book: Path, asked: Sequence[dict[str, Any]], nearest: Sequence[str], *, pages: int
) -> list[Row]:
    """The questions put to a book, measured; `nearest` are their pages, where they are known."""
    from vademecum.library.collections import Collections  # noqa: PLC0415 - fitting needs no engine

    with TemporaryDirectory() as folder:
        collection = Collections(Path(folder)).create("book", kind="book")
        collection.library.add_source(book, type="docs", exclude=["SOURCE.md"])
        collection.library.reindex()
        rows = [_measured(one, collection.library) for one in asked]
        return [
            row._replace(page=page, pages=pages)
            for row, page in zip(rows, nearest or [row.page for row in rows], strict=True)
        ]


def _measured(asked: dict[str, Any], library: Any) -> Row:
    from vademecum.desks.book.phrases import holds  # noqa: PLC0415 - as above

    index = library._opened()  # noqa: SLF001 - a recipe may look inside
    question = analyse(asked["question"], index)
    likeness = Likeness(question, index)
    measured = measured_passages(question, likeness, index)
    pages = [index.page(one.place).reference for one in measured]
    texts = [_text(index, one) for one in measured]
    by_words = max(range(len(pages)), key=lambda at: measured[at].passage.score, default=None)
    return Row(
        file=asked["file"],
        page=(asked["gold_files"] or [asked["question"] if by_words is None else pages[by_words]])[0],
        pages=0,
        answerable=asked["answerable"],
        share=asked["share"],
        question=question,
        likeness=likeness,
        measured=measured,
        right=[asked["answerable"] and holds(text, asked["gold_phrase"]) for text in texts],
        own=[page in asked["gold_files"] for page in pages],
        index=Recorded(index, measured),
    )


def _text(index: Any, one: Measured) -> str:
    flat = index.segments[one.place.segment].flat
    text: str = flat.words(flat.document(one.place.document), flat.passage(one.passage.passage))
    return text


def fit(path: Path, out: Path | None) -> None:
    """Fit ranker and judges, say how good they are out of fold, and write the weights."""
    everything: list[Row] = pickle.loads(path.read_bytes())
    rows = [row for row in everything if not row.pages]
    usable = [row for row in rows if any(row.right)]
    weights = {fold: _ranker([row for row in usable if row.fold != fold]) for fold in range(_FOLDS)}
    whole = _ranker(usable)
    _report_ranking(rows, weights)
    judged = [_Judged(row, _ranking(row, weights[row.fold]), row.answerable, row.share) for row in rows]
    parts = [
        _Judged(row, _ranking(row, weights[row.fold]), row.answerable, _PART_SHARE * row.share)
        for row in everything
        if row.pages and row.measured
    ]
    as_if = [
        _Judged(
            row,
            [one for one in _ranking(row, weights[row.fold]) if not one[1].own],
            False,
            _AS_IF_SHARE * row.share,
        )
        for row in usable
    ]
    rest = [*parts, *(one for one in as_if if one.ranked)]
    calibrations, border = _report_judges(judged, parts, rest)
    if out:
        there, right = _Judge([*judged, *rest], "answerable"), _Judge([*judged, *rest], "first")
        out.write_text(_written(whole, there, right, calibrations, border))


class _Of(NamedTuple):
    right: bool
    own: bool


class _Judged:
    """A ranking to be judged."""

    def __init__(
        self, row: Row, ranking: list[tuple[RankedPassage, _Of]], answerable: bool, share: float
    ) -> None:
        self.fold, self.pages, self.own, self.file = row.fold, row.pages, row.share < 1, row.file
        self.answerable, self.share, self.rarest = answerable, share, row.likeness.rarest
        self.ranked = [one for one, _ in ranking]
        self.first = any(of.right for _, of in ranking[:_FIRST])
        self.signals = signals_of(row.question, row.likeness, self.ranked, row.index) if ranking else []

    def smaller(self, large: float) -> float:
        """How much less rare the rarest word is than `large`; 0 where a name is asked for that no document has."""
        return 0.0 if self.signals[SIGNALS.index("unknown_names")] else max(0.0, large - self.rarest)


def _ranking(row: Row, weights: Any) -> list[tuple[RankedPassage, _Of]]:
    import numpy as np  # noqa: PLC0415 - measuring needs none

    scores = np.array([one.features for one in row.measured]) @ weights
    found = [
        (
            RankedPassage(one.place, one.passage, one.cosine, one.features, one.met, float(score), 0.0),
            _Of(*of),
        )
        for one, score, of in zip(row.measured, scores, zip(row.right, row.own, strict=True), strict=True)
    ]
    return sorted(found, key=lambda pair: (-pair[0].score, pair[0].place, pair[0].passage.passage))


def _ranker(rows: list[Row]) -> Any:
    """The weights of the features, as they are measured."""
    import numpy as np  # noqa: PLC0415 - as above
    from scipy.optimize import minimize  # noqa: PLC0415 - the same

    tables = [np.array([one.features for one in row.measured]) for row in rows]
    rights = [np.array(row.right) for row in rows]
    spread = np.concatenate(tables).std(0) + 1e-9
    tables = [table / spread for table in tables]

    def loss(weights: Any) -> tuple[float, Any]:
        total, slope = _RANK_PENALTY * (weights @ weights) / 2, _RANK_PENALTY * weights
        for table, right in zip(tables, rights, strict=True):
            scores = table @ weights
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            own = chances * right
            total -= np.log(own.sum() + 1e-300)
            slope = slope - table.T @ (own / (own.sum() + 1e-300) - chances)
        return total, slope

    return minimize(loss, np.zeros(len(FEATURES)), jac=True, method="L-BFGS-B").x / spread


class _Judge:
    """A logistic regression, and for `answerable` trees beside it: log odds of a label by the signals."""

    def __init__(self, everything: Sequence[_Judged], label: str) -> None:
        import numpy as np  # noqa: PLC0415 - as above

        table = np.array([one.signals for one in everything])
        yes = np.array([bool(getattr(one, label)) for one in everything])
        share = np.array([one.share for one in everything])
        self.base, self.weights = _logistic_fit(table, yes, share, _JUDGE_PENALTY)
        self.trees: Any = None
        if label == "answerable":
            import lightgbm  # noqa: PLC0415 - the same

            data = lightgbm.Dataset(table, yes.astype(float), weight=share, feature_name=list(SIGNALS))
            self.trees = lightgbm.train(_TREES, data, _ROUNDS)

    def __call__(self, some: Sequence[_Judged]) -> Any:
        """The log odds of each."""
        import numpy as np  # noqa: PLC0415 - as above

        table = np.array([one.signals for one in some])
        linear = self.base + table @ self.weights
        return (linear + self.trees.predict(table, raw_score=True)) / 2 if self.trees else linear


def _logistic_fit(table: Any, yes: Any, share: Any, penalty: float) -> tuple[float, Any]:
    """A logistic regression: its base, and the weights of the columns as they come."""
    import numpy as np  # noqa: PLC0415 - as above
    from scipy.optimize import minimize  # noqa: PLC0415 - the same

    wanted = np.where(yes, 1.0, -1.0)
    middle, spread = table.mean(0), table.std(0) + 1e-9
    table = (table - middle) / spread

    def loss(values: Any) -> tuple[float, Any]:
        base, weights = values[0], values[1:]
        margins = wanted * (table @ weights + base)
        chances = 1 / (1 + np.exp(np.clip(margins, -60, 60)))
        total = (share * np.logaddexp(0, -margins)).sum() + penalty * (weights @ weights) / 2
        slope = -share * wanted * chances
        return total, np.concatenate([[slope.sum()], table.T @ slope + penalty * weights])

    found = minimize(loss, np.zeros(table.shape[1] + 1), jac=True, method="L-BFGS-B").x
    weights = found[1:] / spread
    return float(found[0] - weights @ middle), weights


def _report_ranking(rows: list[Row], weights: dict[int, Any]) -> None:
    answerable = [row for row in rows if row.answerable]
    rankings = [_ranking(row, weights[row.fold]) for row in answerable]
    for most in (1, 3, 5, 10):
        share = sum(any(of.right for _, of in ranking[:most]) for ranking in rankings) / len(rankings)
        page = sum(any(of.own for _, of in ranking[:most]) for ranking in rankings) / len(rankings)
        print(f"out of fold: right passage in {most}: {share:.3f}, right page {page:.3f}")


class _Calibration(NamedTuple):
    """What makes chances of log odds (Platt 1999): what is added to them, and before that what they are multiplied by."""

    base: float
    slope: float


class _Border(NamedTuple):
    """Where answering begins.

    Attributes:
        border: The chance from which on a question is answered.
        large: How rare the rarest word of the book is.
        small: Added to the log odds for each unit by which that of a collection is less rare.
    """

    border: float
    large: float
    small: float


def _report_judges(
    judged: list[_Judged], parts: list[_Judged], rest: list[_Judged]
) -> tuple[dict[str, _Calibration], _Border]:
    """Print how well the judges do out of fold; what calibrates each, and the border."""
    import numpy as np  # noqa: PLC0415 - as above

    people = [one for one in judged if not one.own]
    logits: dict[int, float] = {}
    calibrations = {}
    for label in ("first", "answerable"):
        for fold in range(_FOLDS):
            judge = _Judge([one for one in (*judged, *rest) if one.fold != fold], label)
            asked = [one for one in (*judged, *parts) if one.fold == fold]
            logits |= {id(one): float(value) for one, value in zip(asked, judge(asked), strict=True)}
        labels = [bool(getattr(one, label)) for one in people]
        calibration = calibrations[label] = _calibrated([logits[id(one)] for one in people], labels)
        logits = {which: calibration.base + calibration.slope * logit for which, logit in logits.items()}
        pairs = list(zip([_chance(logits[id(one)]) for one in people], labels, strict=True))
        print(f"{label}: AUROC {auroc(pairs):.3f}, ECE {ece(pairs):.3f}")
    alike = [logits[id(one)] for one in people if one.answerable and one.file in _REFUSED_IN]
    border = float(np.quantile(alike, _REFUSED))
    refused = float(np.mean([logits[id(one)] < border for one in people if one.answerable]))
    large = max(one.rarest for one in people)
    small = _for_small(
        [(logits[id(one)] - border, one.smaller(large)) for one in parts if one.answerable and not one.own],
        refused,
    )
    print(f"border {_chance(border):.3f}, {small:.3f} for small collections")
    chances = {id(one): _chance(logits[id(one)] + small * one.smaller(large)) for one in (*judged, *parts)}
    groups = {"all that others wrote": people}
    groups |= {
        file: [one for one in judged if one.file == file] for file in sorted({one.file for one in judged})
    }
    groups |= {
        f"parts of {pages} pages": [one for one in parts if one.pages == pages] for pages in _PART_PAGES
    }
    for name, group in groups.items():
        _report_group(name, [(chances[id(one)], one.answerable) for one in group], _chance(border))
    return calibrations, _Border(_chance(border), large, small)


def _for_small(above: Sequence[tuple[float, float]], refused: float) -> float:
    """What makes a small collection refuse the same share: from how far questions are above the border, and how small it is."""
    low, high = 0.0, 2.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if sum(far + middle * small < 0 for far, small in above) > refused * len(above):
            low = middle
        else:
            high = middle
    return high


def _chance(logit: float) -> float:
    return 1 / (1 + exp(-logit))


def _report_group(name: str, pairs: list[tuple[float, bool]], border: float) -> None:
    """Print how many are refused and answered at the border, and answered where a given share is refused."""
    import numpy as np  # noqa: PLC0415 - as above

    yes, no = (np.array([chance for chance, one in pairs if one is wanted]) for wanted in (True, False))
    at = ", ".join(
        f"{np.mean(no >= np.quantile(yes, share)):.3f} at {share:.0%}" for share in (0.1, 0.12, 0.15)
    )
    print(
        f"{name}: AUROC {auroc(pairs):.3f}, refused {np.mean(yes < border):.3f}, "
        f"answered {np.mean(no >= border):.3f} ({at} refused) of {len(pairs)}"
    )


def _calibrated(logits: Sequence[float], yes: Sequence[bool]) -> _Calibration:
    import numpy as np  # noqa: PLC0415 - as above

    base, (slope,) = _logistic_fit(np.array(logits)[:, None], np.array(yes), np.ones(len(yes)), 0.0)
    return _Calibration(base, float(slope))


def _written(
    rank: Any, there: _Judge, right: _Judge, calibrations: dict[str, _Calibration], border: _Border
) -> str:
    from ranker import as_python  # noqa: PLC0415 - as above

    def numbers(values: Any) -> str:
        return "(" + ", ".join(f"{value:.6g}" for value in values) + ")"

    of_there, of_right = calibrations["answerable"], calibrations["first"]
    half = of_there.slope / 2
    return (
        '"""The second stage for running text, as fitted by `training/passages.py`. Generated: do not edit."""\n\n'
        "from collections.abc import Sequence\n\n"
        f"FEATURES = {FEATURES!r}\nSIGNALS = {SIGNALS!r}\n"
        f"RANK = {numbers(rank)}\n"
        f"THERE_BASE, THERE = {of_there.base + half * there.base:.6g}, {numbers(half * there.weights)}\n"
        f"TREES = {half:.6g}\n"
        f"LARGE, SMALL = {border.large:.6g}, {border.small:.6g}\n"
        f"RIGHT_BASE, RIGHT = {of_right.base + of_right.slope * right.base:.6g}, {numbers(of_right.slope * right.weights)}\n"
        f"BORDER = {border.border:.4f}\n\n\n"
        f"{as_python(there.trees, 'there_trees', SIGNALS)}"
    )


def main() -> None:
    """Measure, or fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True, dest="command")
    measuring = commands.add_parser("measure")
    measuring.add_argument("--book", type=Path, required=True)
    measuring.add_argument("--questions", type=Path, nargs="+", required=True)
    measuring.add_argument("--own", type=Path, required=True)
    measuring.add_argument("--out", type=Path, required=True)
    fitting = commands.add_parser("fit")
    fitting.add_argument("--measured", type=Path, required=True)
    fitting.add_argument("--out", type=Path)
    args = parser.parse_args()
    if args.command == "measure":
        measure(args.book, args.questions, args.own, args.out)
    else:
        fit(args.measured, args.out)


if __name__ == "__main__":
    main()
