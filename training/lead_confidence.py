"""Fits how likely the lead of an answer answers, and writes it: `src/vademecum/retrieval/data/lead_confidence.json`.

    python training/lead_confidence.py --index DIR --out src/vademecum/retrieval/data/lead_confidence.json

From our own questions and the development titles, by the words that the first thing shown must hold: the line of a task, or the beginning of an answer
from pages. A question that has both counts twice. A logistic regression; measured out of fold, no page in two folds.
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
from scipy.special import expit
from tasks import TITLES, unbundled

from vademecum.answering.verify import verify
from vademecum.ask.kinds import Corpus
from vademecum.ask.manuals.pages import RatedPages, rate_pages
from vademecum.command_lines.pages import CommandPages
from vademecum.command_lines.tasks import chosen_task
from vademecum.core.errors import AnswerError
from vademecum.evaluation.matching import lacking
from vademecum.evaluation.metrics import auroc, ece
from vademecum.index.reader.index import Index
from vademecum.retrieval.documents.leading import SIGNALS

_FOLDS = 6
_PENALTY = 3.0
_WEIGHTS = {
    "titles": 3.0,
    "people": 3.0,
    "tasks": 1.0,
    "peers": 1.0,
    "commands": 0.5,
    "near": 1.0,
    "formats": 0.3,
    "programming": 0.3,
    "unanswerable": 0.5,
    "names": 0.3,
}
"""What a question of each set counts. The confidence is about questions as people ask them, which the titles are."""

_BEGINNING = 300
_EVERY = 20


class Row(NamedTuple):
    """A thing that may be shown first: its set, its page, its signals, and whether it answers."""

    set: str
    page: str
    signals: tuple[float, ...]
    answers: bool


def rows(index: Index) -> Iterator[Row]:
    """Yield what may be shown first for every question that any page is found for."""
    for name, text, summary in named_pages(index):
        rated = _rated(text, index)
        if rated is not None:
            yield Row("names", name, rated.lead_signals(), summary in _beginning(rated))
    files = {name: OWN / f"linux_{name}.jsonl" for name in _WEIGHTS if name != "names"} | {
        "people": OWN / "linux_titles.jsonl",
        "titles": TITLES,
    }
    for name, path in files.items():
        for data in map(json.loads, path.read_text(encoding="utf-8").splitlines() if path.exists() else ()):
            rated = _rated(data["question"], index)
            if rated is None or data.get("kind") == "explain":
                continue
            page = (data.get("gold") or [data["question"]])[0]
            yield Row(
                name, page, rated.lead_signals(), _is_right(_beginning(rated), data, rated.references()[0])
            )
            task = chosen_task(rated.question, index, rated.lead, CommandPages(index), ranking=rated.ranked)
            if task:
                line = unbundled(task.line.statement.command)
                yield Row(name, page, rated.lead_signals(task), _is_right(line, data, task.reference))


def named_pages(index: Index) -> Iterator[tuple[str, str, str]]:
    """Yield questions about the subject of a page by its name, with its name and summary: every twentieth page of a command."""
    pages = [index.page(place) for place in index.places()]
    commands = sorted(
        {page.reference: page for page in pages if page.reference.endswith(("(1)", "(8)"))}.items()
    )
    for at, (reference, page) in enumerate(commands[::_EVERY]):
        name = reference.partition("(")[0]
        if page.summary and " " not in name:
            yield (
                name,
                ("what does {} do", "what is {}", "{}", "what is {} for?")[at % 4].format(name),
                page.summary,
            )


def _rated(text: str, index: Index) -> RatedPages | None:
    try:
        rated = rate_pages(text, Corpus(index, 0.0))
    except AnswerError:
        return None
    return rated if rated.ranked else None


def _beginning(rated: RatedPages) -> str:
    """Return the beginning of the answer from pages."""
    evidence, draft = rated.of_pages
    verified = verify(draft, evidence, rated.question.text)
    first = (*verified.summary[:1], *verified.steps[:1], *verified.summary[1:])
    return unbundled(" ".join(f"{one.command} {one.text}" for one in first)[:_BEGINNING])


def _is_right(shown: str, data: dict, page: str) -> bool:
    """Whether the first thing shown has all that it must have; by its page alone if nothing else is known."""
    leads = data.get("leads") or ([data["must_contain"]] if data.get("must_contain") else [])
    return any(not lacking(shown, items) for items in leads) if leads else page in data.get("gold", ())


def fitted(signals: np.ndarray, answers: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights and bias of a logistic regression."""
    scale = signals.std(0) + 1e-6
    scaled = signals / scale

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        chances = expit(scaled @ flat[:-1] + flat[-1])
        off = shares * (chances - answers)
        value = -(shares * np.log(np.where(answers, chances, 1 - chances).clip(1e-12))).sum()
        return (
            value + _PENALTY / 2 * (flat[:-1] ** 2).sum(),
            np.append(scaled.T @ off + _PENALTY * flat[:-1], off.sum()),
        )

    found = minimize(loss, np.zeros(signals.shape[1] + 1), jac=True, method="L-BFGS-B").x
    return found[:-1] / scale, float(found[-1])


def report(found: list[Row], signals: np.ndarray, answers: np.ndarray, shares: np.ndarray) -> None:
    """Print how well it separates what answers from the rest, out of fold, and how often it is right where it says so."""
    folds = np.array([crc32(row.page.encode()) % _FOLDS for row in found])
    chances = np.zeros(len(found))
    for fold in range(_FOLDS):
        rest = folds != fold
        weights, bias = fitted(signals[rest], answers[rest], shares[rest])
        chances[folds == fold] = expit(signals[folds == fold] @ weights + bias)
    sets = np.array([row.set for row in found])
    for name in ("all", *_WEIGHTS):
        chosen = (sets == name) | (name == "all")
        if not chosen.any():
            continue
        pairs = sorted(zip(chances[chosen].tolist(), answers[chosen].tolist(), strict=True))
        print(
            f"{name:>12} n {len(pairs):4}  answers {np.mean(answers[chosen]):.3f}  auroc {auroc(pairs) or 0:.3f}  ece {ece(pairs):.3f}"
        )
    for low, high in ((0, 0.1), (0.1, 0.2), (0.2, 0.35), (0.35, 0.6), (0.6, 0.7), (0.7, 0.85), (0.85, 1.01)):
        chosen = (chances >= low) & (chances < high)
        if chosen.any():
            print(
                f"{low:.2f}-{high:.2f} n {chosen.sum():4}  says {chances[chosen].mean():.2f}  right {answers[chosen].mean():.2f}"
            )


def main() -> None:
    """Fit, report out of fold, and write the weights."""
    args = index_and_out(__doc__)
    found = list(rows(args.index))
    signals = np.array([row.signals for row in found])
    answers = np.array([row.answers for row in found])
    shares = np.array([_WEIGHTS[row.set] for row in found])
    report(found, signals, answers, shares)
    if args.out:
        weights, bias = fitted(signals, answers, shares)
        save(args.out, bias=round(bias, 5), signals=by_name(SIGNALS, weights, 4))


if __name__ == "__main__":
    main()
