"""Fits which unit of a manual page answers, and writes it: `src/vademecum/retrieval/data/page_units.json`.

    python training/page_units.py --index DIR --out src/vademecum/retrieval/data/page_units.json

From our own questions on formats and interfaces, whose answers must hold some words: a unit is as good as the share of these that
it has. A conditional logit (McFadden 1974), as in `training/units.py`. Folds are by page.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple
from zlib import crc32

import numpy as np
from arguments import index_and_out
from output import by_name, save
from questions import OWN
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from vademecum.ask.kinds import USUAL, Corpus
from vademecum.ask.manuals.pages import rate_pages
from vademecum.ask.manuals.statements import page_units
from vademecum.ask.running_text.nearness import nearness
from vademecum.evaluation.matching import lacking
from vademecum.index.reader.index import Index
from vademecum.retrieval.documents.leading import leading_kind
from vademecum.retrieval.documents.statement_ranking import PAGE_FEATURES, measure_page_units
from vademecum.retrieval.passages.features import Likeness
from vademecum.retrieval.units.features import FEATURES
from vademecum.retrieval.units.ranking import unit_weights

_FILES = ("linux_formats", "linux_programming")
_FOLDS = 5
_PENALTY = 12.0
_TOLD_BY_FEW, _PENALTY_OF_FEW = frozenset({"defines", "describes", "thing_first"}), 1000.0
"""What too few of the questions tell, so that it stays as it is for running text."""

_ALL = 1.0


class Row(NamedTuple):
    """A question with the units of its pages; `grades` are the shares (0-1) of the words that they have."""

    page: str
    lead: str
    features: np.ndarray
    grades: np.ndarray

    @property
    def fold(self) -> int:
        """Which part it is judged in."""
        return crc32(self.page.encode()) % _FOLDS


def rows(index: Index) -> Iterator[Row]:
    """Every question, its units measured."""
    for name in _FILES:
        for data in map(json.loads, (OWN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()):
            must = data.get("must_contain", ())
            if not must:
                continue
            rated = rate_pages(data["question"], Corpus(index, 0.0))
            evidence, _ = rated.evidence(USUAL)
            lags = rated.lags()
            most = min(len(evidence), len(lags))
            units = page_units(evidence[:most], lags[:most])
            if not units:
                continue
            likeness = Likeness(rated.question, index)
            grades = [1 - len(lacking(unit.text, must)) / len(must) for unit in units]
            yield Row(
                data["gold"][0],
                leading_kind(data["question"], rated.references()),
                np.array(measure_page_units(rated.question, likeness, units, nearness(rated.question))),
                np.array(grades),
            )


def sums(found: list[Row]) -> np.ndarray:
    """The weights of a conditional logit: how likely a unit with all words is picked among all.

    What the questions do not tell stays as it is for running text.
    """
    found = [row for row in found if (row.grades == _ALL).any()]
    scale = np.concatenate([row.features for row in found]).std(0) + 1e-6
    of_texts = dict(zip(FEATURES, unit_weights(by_transformer=False), strict=True))
    usual = np.array([of_texts.get(name, 0.0) for name in PAGE_FEATURES]) * scale
    penalty = np.array([_PENALTY_OF_FEW if name in _TOLD_BY_FEW else _PENALTY for name in PAGE_FEATURES])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        off = weights - usual
        value, gradient = float(penalty @ off**2) / 2, penalty * off
        for row in found:
            scaled = row.features / scale
            scores = scaled @ weights
            is_right = row.grades == _ALL
            value += float(logsumexp(scores) - logsumexp(scores[is_right]))
            gradient = gradient + scaled.T @ (softmax(scores) - spread(scores, is_right))
        return value, gradient

    best = minimize(loss, usual, jac=True, method="L-BFGS-B").x
    return np.asarray(best / scale)


def spread(scores: np.ndarray, is_right: np.ndarray) -> np.ndarray:
    """The chances of the right ones among themselves, 0 for the others."""
    found = np.zeros(len(scores))
    found[is_right] = softmax(scores[is_right])
    return found


def report(found: list[Row]) -> None:
    """Print how often the first unit, or one of the first two, has all words, out of fold."""
    right: dict[str, list[tuple[bool, bool]]] = {}
    for fold in range(_FOLDS):
        weights = sums([row for row in found if row.fold != fold])
        for row in (row for row in found if row.fold == fold):
            hits = row.grades[np.argsort(-(row.features @ weights), kind="stable")] == _ALL
            for name in (row.lead, "all"):
                right.setdefault(name, []).append((bool(hits[0]), bool(hits[:2].any())))
    for name, of_lead in sorted(right.items()):
        first, two = np.mean(of_lead, axis=0)
        print(f"{name:>12} n {len(of_lead):4}  first {first:.3f}  first two {two:.3f}")


def main() -> None:
    """Fit, report out of fold, and write the numbers."""
    args = index_and_out(__doc__)
    found = list(rows(args.index))
    report(found)
    if args.out:
        weights = sums(found)
        save(args.out, **by_name(PAGE_FEATURES, weights, 4))


if __name__ == "__main__":
    main()
