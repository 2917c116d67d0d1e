"""Fits how likely the lead of an answer answers, and writes it: `src/vademecum/retrieval/data/lead_confidence.json`.

    python training/lead_confidence.py --index DIR --out src/vademecum/retrieval/data/lead_confidence.json

From our own questions, by the words that their answers must hold. A logistic regression; measured out of fold, no page in two folds.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple
from zlib import crc32

import numpy as np
from arguments import index_and_out
from output import by_name, save
from questions import OWN, OWN_FILES
from scipy.optimize import minimize
from scipy.special import expit

from vademecum.answering.verify import verify
from vademecum.ask.kinds import Corpus
from vademecum.ask.manuals.pages import RatedPages, rate_pages
from vademecum.core.errors import AnswerError
from vademecum.desks.linux.evaluate import lead_of
from vademecum.evaluation.metrics import auroc, ece
from vademecum.index.reader.index import Index
from vademecum.retrieval.documents.leading import SIGNALS

_FOLDS = 6
_PENALTY = 1.0


class Row(NamedTuple):
    """A question: the signals of its lead, and whether the lead answers."""

    page: str
    answerable: bool
    signals: tuple[float, ...]
    answers: bool


def rows(index: Index) -> Iterator[Row]:
    """Every question that any page is found for."""
    for name in OWN_FILES:
        for data in map(json.loads, (OWN / name).read_text(encoding="utf-8").splitlines()):
            gold, must = data.get("gold", []), data.get("must_contain", ())
            if data["answerable"] and not gold:
                continue
            rated = _rated(data["question"], index)
            if rated is None:
                continue
            answers = bool(gold) and (_says(rated, must) if must else rated.references()[0] in gold)
            yield Row((gold or [data["question"]])[0], data["answerable"], rated.lead_signals(), answers)


def _rated(text: str, index: Index) -> RatedPages | None:
    try:
        rated = rate_pages(text, Corpus(index, 0.0))
    except AnswerError:
        return None
    return rated if rated.ranked else None


def _says(rated: RatedPages, must: list[str]) -> bool:
    """Whether the lead has all that it must."""
    evidence, draft = rated.of_pages
    verified = verify(draft, evidence, rated.question.text)
    return lead_of(verified.summary, verified.steps, [must]).answers


def fitted(signals: np.ndarray, answers: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights and bias of a logistic regression."""
    scale = signals.std(0) + 1e-6
    scaled = signals / scale

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        chances = expit(scaled @ flat[:-1] + flat[-1])
        off = chances - answers
        value = -np.log(np.where(answers, chances, 1 - chances).clip(1e-12)).sum()
        return (
            value + _PENALTY / 2 * (flat[:-1] ** 2).sum(),
            np.append(scaled.T @ off + _PENALTY * flat[:-1], off.sum()),
        )

    found = minimize(loss, np.zeros(signals.shape[1] + 1), jac=True, method="L-BFGS-B").x
    return found[:-1] / scale, float(found[-1])


def report(found: list[Row], signals: np.ndarray, answers: np.ndarray) -> None:
    """Print how well it separates leads that answer from others, out of fold, compared with the confidence in the page alone."""
    folds = np.array([crc32(row.page.encode()) % _FOLDS for row in found])
    chances = np.zeros(len(found))
    for fold in range(_FOLDS):
        weights, bias = fitted(signals[folds != fold], answers[folds != fold])
        chances[folds == fold] = expit(signals[folds == fold] @ weights + bias)
    answerable = np.array([row.answerable for row in found])
    for name, chosen in (("all", answerable | True), ("answerable", answerable)):
        of_lead = sorted(zip(chances[chosen].tolist(), answers[chosen].tolist(), strict=True))
        of_page = sorted(zip(signals[chosen, 0].tolist(), answers[chosen].tolist(), strict=True))
        print(
            f"{name:>12} n {len(of_lead):4}  answers {np.mean(answers[chosen]):.3f}  auroc {auroc(of_lead):.3f}  "
            f"by the page alone {auroc(of_page):.3f}  ece {ece(of_lead):.3f}"
        )


def main() -> None:
    """Fit, report out of fold, and write the weights."""
    args = index_and_out(__doc__)
    found = list(rows(args.index))
    signals = np.array([row.signals for row in found])
    answers = np.array([row.answers for row in found])
    report(found, signals, answers)
    if args.out:
        weights, bias = fitted(signals, answers)
        save(args.out, bias=round(bias, 5), signals=by_name(SIGNALS, weights, 4))


if __name__ == "__main__":
    main()
