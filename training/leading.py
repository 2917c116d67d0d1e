"""Fits which kind of answer leads, and writes it: `src/vademecum/retrieval/data/leading.json`.

    python training/leading.py --index DIR --out src/vademecum/retrieval/data/leading.json

A multinomial logistic regression over the signs of a question and of the pages found for it. The confusion table is printed out of fold.
"""

import json
from collections import Counter
from pathlib import Path
from zlib import crc32

import numpy as np
from arguments import index_and_out
from output import by_name, save
from scipy.optimize import minimize
from scipy.special import logsumexp

from vademecum.ask.kinds import Corpus
from vademecum.ask.manuals.pages import rate_pages
from vademecum.retrieval.documents.leading import LEADS, SIGNS, signs_of

LABELLED = Path(__file__).parent / "data" / "question_kinds.jsonl"
_FOLDS = 8
_PENALTY = 2.0


def fitted(signs: np.ndarray, kinds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights (signs by kinds) and biases. Each kind counts as a root of how often it is there."""
    counts = np.bincount(kinds, minlength=len(LEADS))
    share = np.sqrt(1 / counts.clip(1))[kinds]
    share *= len(kinds) / share.sum()
    right = np.eye(len(LEADS))[kinds]
    size = signs.shape[1]

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        weights = flat.reshape(size + 1, len(LEADS))
        scores = signs @ weights[:-1] + weights[-1]
        chances = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        gradient = share[:, None] * (chances - right)
        of_weights = signs.T @ gradient + _PENALTY * weights[:-1]
        value = -(share * np.log((chances * right).sum(1))).sum() + _PENALTY / 2 * (weights[:-1] ** 2).sum()
        return value, np.vstack([of_weights, gradient.sum(0)]).ravel()

    found = minimize(loss, np.zeros((size + 1) * len(LEADS)), jac=True, method="L-BFGS-B").x
    weights = found.reshape(size + 1, len(LEADS))
    return weights[:-1], weights[-1]


def report(texts: list[str], signs: np.ndarray, kinds: np.ndarray) -> None:
    """Print the confusion table, each question judged by what was fitted without it."""
    folds = np.array([crc32(text.encode()) % _FOLDS for text in texts])
    confused: Counter[tuple[int, int]] = Counter()
    for fold in range(_FOLDS):
        weights, biases = fitted(signs[folds != fold], kinds[folds != fold])
        taken = (signs[folds == fold] @ weights + biases).argmax(1)
        confused.update(zip(kinds[folds == fold].tolist(), taken.tolist(), strict=True))
    print(f"{'asked, taken for':>18} " + " ".join(f"{lead[:6]:>6}" for lead in LEADS) + "  right")
    for at, lead in enumerate(LEADS):
        row = [confused[at, other] for other in range(len(LEADS))]
        print(f"{lead:>18} " + " ".join(f"{count:6}" for count in row) + f"  {row[at] / (sum(row) or 1):.2f}")
    print(f"right: {sum(confused[at, at] for at in range(len(LEADS))) / len(texts):.3f} of {len(texts)}")


def main() -> None:
    """Fit, report out of fold, and write the weights."""
    args = index_and_out(__doc__)
    labelled = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
    texts = [one["question"] for one in labelled]
    pages = Corpus(args.index, 0.0)
    signs = np.array([signs_of(text, rate_pages(text, pages).references()) for text in texts])
    kinds = np.array([LEADS.index(one["kind"]) for one in labelled])
    report(texts, signs, kinds)
    if args.out:
        weights, biases = fitted(signs, kinds)
        save(
            args.out,
            **{
                lead: {"bias": round(float(biases[at]), 5), "signs": by_name(SIGNS, weights[:, at], 4)}
                for at, lead in enumerate(LEADS)
            },
        )


if __name__ == "__main__":
    main()
