"""Fits what guesses, from a request's meaning alone, which capabilities it speaks of.

    python training/capabilities.py --out src/vademecum/desks/composer/search/guesses.bin

A multinomial logistic regression from the built-in word vectors to the capabilities, on the phrases of `phrases.txt`, with an L2
penalty. No development request is fitted on. Run it whenever phrases or word vectors change; a test says when they did. A fifth of
the phrases, left out by a hash of their words, is what is measured first.
"""

import argparse
from pathlib import Path
from zlib import crc32

import numpy as np
from scipy.optimize import minimize

from vademecum.desks.composer.request.words.phrases import lexicon, stamp
from vademecum.desks.composer.search.guesses import SCALE, packed
from vademecum.providers.builtin import word_table
from vademecum.text.words import terms

_DECAY = 1e-4
_STEPS = 200


def fit(vectors: np.ndarray, classes: np.ndarray, count: int) -> np.ndarray:
    """A row for each class: its weights, and its bias last."""
    size = vectors.shape[1]
    places = np.arange(len(vectors))

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        rows = flat.reshape(count, size + 1)
        chances = vectors @ rows[:, :size].T + rows[:, size]
        chances = np.exp(chances - chances.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        total = -np.log(chances[places, classes] + 1e-12).mean() + _DECAY * (rows[:, :size] ** 2).sum()
        chances[places, classes] -= 1
        slope = np.empty_like(rows)
        slope[:, :size] = chances.T @ vectors / len(vectors) + 2 * _DECAY * rows[:, :size]
        slope[:, size] = chances.mean(0)
        return float(total), slope.ravel()

    start = np.zeros(count * (size + 1))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
    return np.array(found.x).reshape(count, size + 1)


def main() -> None:
    """Fit, measure and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    known = lexicon()
    phrases = [known.phrase(at) for at in range(len(known.texts))]
    names = list(dict.fromkeys(one.capability for one in phrases))
    vectors = SCALE * np.array([word_table().embed(terms(one.text)) for one in phrases])
    classes = np.array([names.index(one.capability) for one in phrases])
    held = np.array([crc32(one.text.encode()) % 5 == 0 for one in phrases])
    rows = fit(vectors[~held], classes[~held], len(names))
    order = np.argsort(-(vectors[held] @ rows[:, :-1].T + rows[:, -1]), axis=1)
    right = order == classes[held][:, None]
    print(
        f"{held.sum()} phrases left out: right first {right[:, 0].mean():.3f}, in three {right[:, :3].any(1).mean():.3f}"
    )
    if arguments.out:
        rows = fit(vectors, classes, len(names))
        arguments.out.write_bytes(packed(names, rows.tolist(), stamp()))


if __name__ == "__main__":
    main()
