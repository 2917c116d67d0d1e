"""Fits the second stage and writes it: `src/vademecum/retrieval/data/manual.json`.

    python training/ranker.py --features features.pickle --some-needs half.pickle none.pickle --out manual.json

The pickles are from `features.py`, those of the second kind with its `--without-needs`: one half, and all of them. The word table has seen no question, so that its features can be trusted.
Three models, all seeded: a LambdaMART ranker (Burges 2010; LightGBM), and two calibrated judges of its first
result (small boosted trees on signals of the whole ranking): is there an answer, and is the first page right.
The judges are fitted on rankings from folds the ranker was not fitted on.
"""

import argparse
import pickle
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zlib import crc32

import lightgbm
import numpy as np
from output import save, trees_of
from questions import DevQuestion

from vademecum.retrieval.documents.answerability import SIGNALS, signals_of

SEED = 7
_FOLDS = 5
_OWN_WEIGHT = 3.0
"""Our own questions ask as people ask, over all sections; the intents are terse, over sections 1 and 8."""

_RANKER = {
    "objective": "lambdarank",
    "learning_rate": 0.05,
    "num_leaves": 15,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10,
    "lambdarank_truncation_level": 10,
    "verbose": -1,
    "num_threads": 2,
    "seed": SEED,
    "deterministic": True,
}
_JUDGE = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 6,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.6,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10,
    "verbose": -1,
    "num_threads": 2,
    "seed": SEED,
    "deterministic": True,
}
_SOME_NEEDS_SHARE = 0.5
"""What a question counts that is asked again as if half of the pages, or all, had no needs."""

_REFUSED = 0.075
"""The share of the answerable questions (our own, out of fold) that may fall below the threshold."""

_RANKER_TREES = 220
_JUDGE_TREES = 90


class Row:
    """A question with its measured candidates."""

    def __init__(
        self,
        question: tuple[Any, ...],
        references: list[str],
        features: np.ndarray,
        right: np.ndarray,
        share: float = 1.0,
    ) -> None:
        self.question = DevQuestion(*question)
        self.share = share
        self.references, self.features, self.right = references, features, right
        self.own = self.question.origin != "linux_intents_dev"
        page = self.question.gold[0] if self.question.gold else self.question.text
        self.fold = crc32(f"fold {page}".encode()) % _FOLDS


def load(paths: Iterable[Path], share: float = 1.0) -> tuple[tuple[str, ...], list[Row]]:
    """The features' names, and the questions of all pickles."""
    names: tuple[str, ...] = ()
    rows: list[Row] = []
    for path in paths:
        names, part = pickle.loads(path.read_bytes())
        rows += [Row(*one, share) for one in part]
    return names, rows


def fit_ranker(rows: list[Row], names: tuple[str, ...]) -> lightgbm.Booster:
    """The ranker, from the questions that have a right page among their candidates."""
    rows = [row for row in rows if row.right.any()]
    data = lightgbm.Dataset(
        np.concatenate([row.features for row in rows]),
        np.concatenate([row.right for row in rows]).astype(int),
        group=[len(row.right) for row in rows],
        weight=np.concatenate(
            [np.full(len(row.right), row.share * (_OWN_WEIGHT if row.own else 1.0)) for row in rows]
        ),
        feature_name=list(names),
    )
    return lightgbm.train(_RANKER, data, _RANKER_TREES)


def ranked(row: Row, model: lightgbm.Booster) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """Scores, right-or-not, features and names, best first."""
    if not len(row.features):
        return np.zeros(0), np.zeros(0, bool), row.features, []
    scores = model.predict(row.features)
    order = np.argsort(-scores, kind="stable")
    names = [row.references[i].partition("(")[0] for i in order]
    return scores[order], row.right[order], row.features[order], names


def report(rows: list[Row], model: lightgbm.Booster, title: str) -> None:
    """Print how often the right page is first, among three, among ten."""
    ranks = defaultdict(list)
    for row in rows:
        if row.question.gold:
            right = ranked(row, model)[1]
            found = np.flatnonzero(right)
            rank = found[0] if len(found) else 999
            section = row.question.gold[0].rpartition("(")[2][0]
            ranks[f"section {section}" if row.own else "intents"].append(rank)
            if row.own:
                ranks["own"].append(rank)
    print(title)
    for name, found in sorted(ranks.items()):
        at = np.array(found)
        print(
            f"  {name:10} n {len(at):4}  first {np.mean(at < 1):.3f}  three {np.mean(at < 3):.3f}  ten {np.mean(at < 10):.3f}  pool {np.mean(at < 999):.3f}"
        )


def judged(
    row: Row, model: lightgbm.Booster, names: tuple[str, ...]
) -> tuple[list[float], bool, bool, float]:
    """The signals of a question's ranking; whether it has an answer; whether the first page is right; its weight."""
    scores, right, features, pages = ranked(row, model)
    measured = [dict(zip(names, one, strict=True)) for one in features[:10]]
    signals = signals_of(measured, list(scores[:10]), pages[:10])
    shown = bool(len(right)) and bool(right[0])
    return signals, bool(row.question.gold), shown, row.share * (1.0 if row.own else 0.35)


def fit_judges(judgements: list[tuple[list[float], bool, bool, float]]) -> list[lightgbm.Booster]:
    """The two judges: is there an answer, and is the first page right."""
    signals = np.array([one[0] for one in judgements], np.float32)
    weights = [one[3] for one in judgements]
    models = []
    for label in (1, 2):
        labels = np.array([one[label] for one in judgements], int)
        data = lightgbm.Dataset(signals, labels, weight=weights, feature_name=list(SIGNALS))
        models.append(lightgbm.train(_JUDGE, data, _JUDGE_TREES))
    return models


def threshold_of(judgements: list[tuple[list[float], bool, bool, float]], own: list[bool]) -> float:
    """The evidence below which `_REFUSED` of our own answerable questions lie, each judged out of fold."""
    evidence = np.zeros(len(judgements))
    parts = np.arange(len(judgements)) % _FOLDS
    for part in range(_FOLDS):
        there, right = fit_judges([one for one, p in zip(judgements, parts, strict=True) if p != part])
        for i in np.flatnonzero(parts == part):
            signals = np.array([judgements[i][0]], np.float32)
            evidence[i] = (
                there.predict(signals, raw_score=True)[0] + 0.3 * right.predict(signals, raw_score=True)[0]
            )
    answerable = np.array([one[1] for one in judgements]) & np.array(own)
    threshold = float(np.quantile(evidence[answerable], _REFUSED))
    others = ~np.array([one[1] for one in judgements])
    print(
        f"threshold {threshold:.3f}: answers {np.mean(evidence[others] >= threshold):.3f} of the unanswerable, out of fold"
    )
    return threshold


def auroc(scores: np.ndarray, labels: np.ndarray) -> float:
    """The chance that a random positive scores above a random negative."""
    order = np.argsort(scores)
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    positive = labels.sum()
    return float((ranks[labels].sum() - positive * (positive + 1) / 2) / (positive * (~labels).sum()))


def report_judges(
    judgements: list[tuple[list[float], bool, bool, float]], models: list[lightgbm.Booster], title: str
) -> None:
    """Print how well the judges tell answerable questions from others."""
    signals = np.array([one[0] for one in judgements], np.float32)
    answerable, right = (np.array([one[k] for one in judgements]) for k in (1, 2))
    there, sure = (model.predict(signals) for model in models)
    print(title, f"AUROC there {auroc(there, answerable):.3f}, sure {auroc(sure, answerable):.3f}")
    for name, scores in (("there", there), ("sure", sure), ("mean", np.sqrt(there * sure))):
        for refused in (0.05, 0.1, 0.15):
            threshold = np.quantile(scores[answerable], refused)
            answered = scores >= threshold
            print(
                f"  {name}: refusing {refused:.0%} of the answerable (below {threshold:.3f}) answers "
                f"{answered[~answerable].mean():.3f} of the others; right among answered {right[answered & answerable].mean():.3f}"
            )


def main() -> None:
    """Fit, report on held-out questions, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=Path, nargs="+", required=True)
    parser.add_argument("--some-needs", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path)
    parser.add_argument(
        "--without", default="", help="features to blind, comma-separated, to see what they are worth"
    )
    args = parser.parse_args()
    names, everything = load(args.features)
    everything += load(args.some_needs, _SOME_NEEDS_SHARE)[1]
    rows = [row for row in everything if row.question.part == "fit"]
    held = [row for row in everything if row.question.part == "held" and row.share == 1.0]
    blind = [names.index(name) for name in args.without.split(",") if name]
    for row in everything:
        row.features[:, blind] = 0
    model = fit_ranker(rows, names)
    report(held, model, "held out")
    judgements = []
    for fold in range(_FOLDS):
        part = fit_ranker([row for row in rows if row.fold != fold], names)
        judgements += [judged(row, part, names) for row in rows if row.fold == fold]
    threshold = threshold_of(
        judgements,
        [row.own and row.share == 1.0 for fold in range(_FOLDS) for row in rows if row.fold == fold],
    )
    models = fit_judges(judgements)
    report_judges([judged(row, model, names) for row in held], models, "held out:")
    gains = model.feature_importance("gain")
    print("; ".join(f"{names[i]} {gains[i]:.0f}" for i in np.argsort(-gains)))
    gains = models[1].feature_importance("gain")
    print("; ".join(f"{SIGNALS[i]} {gains[i]:.0f}" for i in np.argsort(-gains)))
    if args.out:
        save(
            args.out,
            features=names,
            signals=SIGNALS,
            threshold=round(threshold, 4),
            rank=trees_of(model, names),
            answerable=trees_of(models[0], SIGNALS),
            right=trees_of(models[1], SIGNALS),
        )


if __name__ == "__main__":
    main()
