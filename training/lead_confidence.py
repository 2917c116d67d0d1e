"""Fits how likely the lead of an answer answers, and writes it: `src/vademecum/retrieval/data/lead_confidence.json`.

    python training/lead_confidence.py --index DIR --out src/vademecum/retrieval/data/lead_confidence.json

From our own questions, by the words that their answers must hold, and from every fourth of the development intents, by the options
of their example lines. A logistic regression; measured out of fold, no page in two folds.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple
from zlib import crc32

import numpy as np
from arguments import index_and_out
from line_options import concrete, entries_in
from output import by_name, save
from questions import INTENTS, OWN, OWN_FILES
from scipy.optimize import minimize
from scipy.special import expit

from vademecum.answering.verify import verify
from vademecum.ask.command_lines.pages import CommandPages
from vademecum.ask.kinds import USUAL, Corpus
from vademecum.ask.manuals.pages import RatedPages, rate_pages
from vademecum.core.errors import AnswerError
from vademecum.desks.linux.evaluate import lead_of
from vademecum.evaluation.metrics import auroc, ece
from vademecum.index.reader.index import Index
from vademecum.retrieval.documents.leading import SIGNALS

_FOLDS = 6
_PENALTY = 1.0
_EVERY = 4
_SPARE = 2


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
    intents = INTENTS.read_text(encoding="utf-8").splitlines() if INTENTS.exists() else []
    for data in map(json.loads, intents[::_EVERY]):
        page = data["gold"][0] if data["gold"] else ""
        used = entries_in(concrete(data["code"]), page, CommandPages(index)) if index.named(page) else None
        rated = _rated(re.sub(r"\[(\w)\]|`", r"\1", data["question"]), index) if used is not None else None
        if rated and used is not None:
            yield Row(page, True, rated.lead_signals(), _types(rated, page, used, index))


def _rated(text: str, index: Index) -> RatedPages | None:
    try:
        rated = rate_pages(text, Corpus(index, 0.0))
    except AnswerError:
        return None
    return rated if rated.ranked else None


def _says(rated: RatedPages, must: list[str]) -> bool:
    """Whether the lead has all that it must."""
    evidence, _ = rated.evidence(USUAL)
    verified = verify(rated.draft(evidence), evidence, rated.question.text)
    return lead_of(verified.summary, verified.steps, [must]).answers


def _types(rated: RatedPages, page: str, used: set[int], index: Index) -> bool:
    """Whether the lead is a line with all options that it must have, and at most two more."""
    evidence, _ = rated.evidence(USUAL)
    steps = rated.draft(evidence).steps
    if not steps or not steps[0].origin or evidence[0].reference != page:
        return False
    typed = entries_in(steps[0].command, page, CommandPages(index))
    return typed is not None and used <= typed and len(typed) <= len(used) + _SPARE


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
