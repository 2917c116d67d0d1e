"""Fits how the reasoning desk ranks templates, and how it judges whether any fits.

    python training/reasoning.py --out src/vademecum/desks/reasoning/data/weights.json

From two kinds of problems: the questions beside the templates (`asked/*.txt`), each measured on an index that does not
know it, and the development queries that are not held out. A quarter of the development queries, split by a hash of
their text, is never fitted on; what is printed of it is what to expect. The ranking is a conditional logit
(McFadden 1974) on differences within a problem, the judge a logistic regression; both with an L2 penalty that is
chosen by five folds of the development queries.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np
from output import by_name, save
from scipy.optimize import minimize

from vademecum.desks.reasoning.index import Measures, TemplateIndex
from vademecum.desks.reasoning.ranking import FEATURES, SIGNALS, features_of, signals_of
from vademecum.desks.reasoning.templates import FALLBACK, Template, find_templates, read_template

ROOT = Path(__file__).parents[1]
TEMPLATES = ROOT / "src/vademecum/desks/reasoning/templates"
QUERIES = ROOT / "benchmarks/questions/reasoning.jsonl"
FOLDS = 5
_QUERY_WEIGHT = 3.0
"""What a development query counts for beside a question from `asked`: they are written as people write."""

_JUDGE_WEIGHT = 1.5
"""The same for the judge: few development queries are short and fit a template, many questions are."""

_DECAYS = (0.001, 0.003, 0.01, 0.03)
_JUDGE_DECAYS = (0.0003, 0.001, 0.003, 0.01)
_REFUSED = 0.015
"""The share of the problems with a template (out of fold) that may fall to the fallback."""


class Problem:
    """A problem, what was measured of it, and which templates are right (none for the fallback)."""

    def __init__(
        self, text: str, right: Sequence[int], measures: Measures, plain: list[float], part: str
    ) -> None:
        self.text, self.measures, self.part = text, measures, part
        self.features = np.array(features_of(measures))
        self.right = np.isin(np.arange(len(self.features)), right)
        self.plain = np.array(plain)
        self.fold = crc32(f"fold {text}".encode()) % FOLDS
        self.weight = 1.0 if part == "asked" else _QUERY_WEIGHT


def part_of(query: str) -> str:
    """Whether a development query is fitted on: a quarter is held out."""
    return "held" if crc32(query.encode()) % 4 == 0 else "fit"


def problems() -> list[Problem]:
    """All problems, measured."""
    found = [read_template(path) for path in find_templates([TEMPLATES])[0]]
    templates = [one for one in found if isinstance(one, Template) and not one.is_fallback]
    (fallback,) = (one for one in found if isinstance(one, Template) and one.is_fallback)
    ids = [template.id for template in templates]
    index = TemplateIndex(templates, fallback.asked)
    made = []
    for line in QUERIES.read_text(encoding="utf-8").splitlines():
        data = json.loads(line)
        right = [ids.index(one) for one in data["expected"] if one != FALLBACK]
        query = data["query"]
        made.append(Problem(query, right, index.measure(query), index.plain_scores(query), part_of(query)))
    for fold in range(FOLDS):
        left = [replace(one, asked=_without(one.asked, fold)) for one in templates]
        index = TemplateIndex(left, _without(fallback.asked, fold))
        for at, asked in enumerate([*(one.asked for one in templates), fallback.asked]):
            for question in asked:
                if _fold(question) == fold:
                    right = [at] if at < len(templates) else []
                    made.append(
                        Problem(question, right, index.measure(question), [0.0] * len(templates), "asked")
                    )
    return made


def _fold(question: str) -> int:
    return crc32(question.encode()) % FOLDS


def _without(asked: Sequence[str], fold: int) -> tuple[str, ...]:
    return tuple(one for one in asked if _fold(one) != fold)


def fit_ranking(found: list[Problem], decay: float) -> np.ndarray:
    """The weights that make the right templates likeliest, features scaled to unit spread within a problem."""
    chosen = [one for one in found if one.right.any()]
    spread = np.sqrt(np.mean([one.features.var(0) for one in chosen], 0)) + 1e-6
    weights = np.array([one.weight for one in chosen])
    features = np.array([(one.features - one.features.mean(0)) / spread for one in chosen])
    right = np.array([one.right for one in chosen])

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        logits = features @ values
        chances = np.exp(logits - logits.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        met = (chances * right).sum(1) + 1e-12
        slope = chances - chances * right / met[:, None]
        total = -(weights * np.log(met)).sum() / weights.sum() + decay * values @ values
        gradient = np.einsum("p,pt,ptf->f", weights, slope, features) / weights.sum() + 2 * decay * values
        return float(total), gradient

    return np.array(minimize(loss, np.zeros(len(FEATURES)), jac=True, method="L-BFGS-B").x) / spread


def signals(one: Problem, ranking: np.ndarray) -> np.ndarray:
    """The judge's signals under a ranking."""
    scores = one.features @ ranking
    return np.array(signals_of(one.text, one.measures, int(np.argmax(scores))))


def fit_judge(found: list[Problem], ranking: np.ndarray, decay: float) -> np.ndarray:
    """The judge's weights; the bias is not held back."""
    measured = np.array([signals(one, ranking) for one in found])
    spread = measured.std(0) + 1e-6
    spread[0] = 1.0
    scaled = measured / spread
    sign = np.where([one.right.any() for one in found], 1.0, -1.0)
    weights = np.array([_JUDGE_WEIGHT if one.part != "asked" else 1.0 for one in found])
    held_back = np.ones(len(SIGNALS))
    held_back[0] = 0.0

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        margins = sign * (scaled @ values)
        total = (weights * np.logaddexp(0, -margins)).sum() / weights.sum() + decay * held_back @ values**2
        slope = -weights * sign / (1 + np.exp(np.clip(margins, -50, 50))) / weights.sum()
        return float(total), slope @ scaled + 2 * decay * held_back * values

    return np.array(minimize(loss, np.zeros(len(SIGNALS)), jac=True, method="L-BFGS-B").x) / spread


def ranks(found: list[Problem], scores: Callable[[Problem], np.ndarray]) -> np.ndarray:
    """The rank, from 0, of the first right template of each problem that has one."""
    made = []
    for one in found:
        if one.right.any():
            order = np.argsort(-scores(one), kind="stable")
            made.append(int(np.flatnonzero(one.right[order])[0]))
    return np.array(made)


def told(found: list[Problem], fits: np.ndarray, threshold: float) -> tuple[float, float]:
    """Precision and recall of the fallback."""
    none = np.array([not one.right.any() for one in found])
    taken = fits < threshold
    return float((none & taken).sum() / max(1, taken.sum())), float(taken[none].mean())


def chance(found: list[Problem], ranking: np.ndarray, judge: np.ndarray) -> np.ndarray:
    """That any template fits, of each problem."""
    return 1 / (1 + np.exp(-np.array([signals(one, ranking) for one in found]) @ judge))


def report(
    found: list[Problem], ranking: np.ndarray, judge: np.ndarray, threshold: float, title: str
) -> None:
    """Print how good it is, next to plain BM25."""
    ours, plain = ranks(found, lambda one: one.features @ ranking), ranks(found, lambda one: one.plain)
    precision, recall = told(found, chance(found, ranking, judge), threshold)
    fits = chance(found, ranking, judge) >= threshold
    whole = np.mean(
        [
            fit == one.right.any() and (not fit or one.right[np.argmax(one.features @ ranking)])
            for one, fit in zip(found, fits, strict=True)
        ]
    )
    print(
        f"{title} n {len(found)}: first {np.mean(ours < 1):.3f}  three {np.mean(ours < 3):.3f}  "
        f"fallback precision {precision:.3f} recall {recall:.3f}  decided right {whole:.3f}  "
        f"(BM25: first {np.mean(plain < 1):.3f}  three {np.mean(plain < 3):.3f})"
    )


def crossed(found: list[Problem], decay: float, judge_decay: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Of the development queries, judged by models that were not fitted on them: ranks, chances, and the log loss."""
    fit = [one for one in found if one.part == "fit"]
    made, loss = {}, []
    for fold in range(FOLDS):
        rest = [one for one in found if one.part == "asked" or (one.part == "fit" and one.fold != fold)]
        here = [one for one in fit if one.fold == fold]
        ranking = fit_ranking(rest, decay)
        judge = fit_judge(rest, ranking, judge_decay)
        for one, fits in zip(here, chance(here, ranking, judge), strict=True):
            logits = one.features @ ranking
            shares = np.exp(logits - logits.max())
            met = shares[one.right].sum() / shares.sum() if one.right.any() else 1.0
            loss.append(-np.log(met) - np.log(fits if one.right.any() else 1 - fits))
            rank = (
                int(np.flatnonzero(one.right[np.argsort(-logits, kind="stable")])[0])
                if one.right.any()
                else -1
            )
            made[id(one)] = (rank, fits)
    return (
        np.array([made[id(one)][0] for one in fit]),
        np.array([made[id(one)][1] for one in fit]),
        float(np.mean(loss)),
    )


def main() -> None:
    """Fit, report, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    found = problems()
    fitted, held = [one for one in found if one.part != "held"], [one for one in found if one.part == "held"]
    tried = {(a, b): crossed(found, a, b) for a in _DECAYS for b in _JUDGE_DECAYS}
    decay, judge_decay = min(tried, key=lambda pair: tried[pair][2])
    rank, fits, loss = tried[decay, judge_decay]
    has = rank >= 0
    print(
        f"decay {decay}, {judge_decay}: out of fold first {np.mean(rank[has] < 1):.3f}  three {np.mean(rank[has] < 3):.3f}  loss {loss:.3f}"
    )
    threshold = float(np.quantile(fits[has], _REFUSED))
    for one in (threshold, 0.5):
        print(
            f"  threshold {one:.3f}: fallback recall {np.mean(fits[~has] < one):.3f}, precision {np.sum(fits[~has] < one) / max(1, np.sum(fits < one)):.3f}"
        )
    ranking = fit_ranking(fitted, decay)
    judge = fit_judge(fitted, ranking, judge_decay)
    report([one for one in found if one.part == "fit"], ranking, judge, threshold, "fitted on")
    report(held, ranking, judge, threshold, "held out")
    for name, value in zip((*FEATURES, *SIGNALS), (*ranking, *judge), strict=True):
        print(f"  {name:16} {value:8.3f}")
    if args.out:
        save(
            args.out,
            rank=by_name(FEATURES, ranking, 4),
            fit=by_name(SIGNALS, judge, 4),
            threshold=round(threshold, 3),
        )


if __name__ == "__main__":
    main()
