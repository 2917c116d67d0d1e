"""Fits the ranking of tasks and the confidence in the first, and writes them: `src/vademecum/retrieval/data/tasks.json`.

    python training/tasks.py collect --index DIR --features tasks.pickle
    python training/tasks.py fit --features tasks.pickle --out src/vademecum/retrieval/data/tasks.json

From our own questions and the development titles, by the words that the line must hold, and from every fourth development intent, by the
options of its example. A listwise logistic regression, and a logistic regression for its first task; measured out of fold, no page in two
folds.
"""

import argparse
import json
import pickle
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from output import by_name, save
from questions import INTENTS, OWN
from scipy.optimize import minimize
from scipy.special import expit

from vademecum.ask.kinds import Corpus
from vademecum.ask.manuals.pages import rate_pages
from vademecum.command_lines.tasks import FEATURES, SIGNALS, filled, ranked_tasks, signals_of
from vademecum.core.errors import AnswerError
from vademecum.evaluation.matching import lacking
from vademecum.evaluation.metrics import auroc, ece
from vademecum.index.generations import Generations
from vademecum.index.reader.index import Index
from vademecum.retrieval.passages.features import terms_in
from vademecum.sources.man.tasks import BOOK, owner_of, read_book

TITLES = INTENTS.with_name("linux_titles_dev.jsonl")
_FOLDS = 5
_EVERY = 4
_EVERY_PHRASING = 13
_SPARE = 2
_COMMON_WORDS = 600
_WEIGHTS = {"titles": 4.0, "tasks": 3.0, "commands": 2.0, "book": 0.2}
_PENALTY = 3.0
_OF_FIRST = SIGNALS.index(f"first_{FEATURES[0]}")

Check = Callable[[str], bool]


class Question(NamedTuple):
    """A question, the set that it is from, what splits it into folds, and the check of a line."""

    set: str
    text: str
    fold: int
    is_right: Check


class Row(NamedTuple):
    """A question with its tasks, in no particular order: their features, and which of them are right; and what else is known of it."""

    set: str
    text: str
    fold: int
    lines: list[str]
    features: np.ndarray
    right: np.ndarray
    about: tuple[float, ...]


def questions() -> Iterator[Question]:
    """Yield the development questions that are there, the unanswerable ones included."""
    for name, path in (
        ("tasks", OWN / "linux_tasks.jsonl"),
        ("commands", OWN / "linux_commands.jsonl"),
        ("near", OWN / "linux_near.jsonl"),
        ("unanswerable", OWN / "linux_unanswerable.jsonl"),
        ("programming", OWN / "linux_programming.jsonl"),
        ("formats", OWN / "linux_formats.jsonl"),
        ("titles", TITLES),
        ("titles", OWN / "linux_titles.jsonl"),
        ("intents", INTENTS),
    ):
        rows = (
            [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            if path.exists()
            else []
        )
        for data in rows[:: _EVERY if name in {"intents", "programming", "formats"} else 1]:
            if data.get("kind") == "explain":
                continue
            pages = data.get("gold") or [data["question"]]
            text = re.sub(r"\[(\w)\]|`", r"\1", data["question"]) if name == "intents" else data["question"]
            yield Question(name, text, crc32(pages[0].encode()) % _FOLDS, _check(data))


def of_the_book() -> Iterator[Question]:
    """Yield every fifth phrasing of the book. Its task must be found by its other phrasings."""
    at = 0
    for path in sorted(BOOK.glob("*.txt")):
        for task in read_book(path.read_text(encoding="utf-8")):
            for phrasing in task.phrasings if task.line and len(task.phrasings) > 2 else ():
                at += 1
                if at % _EVERY_PHRASING == 0:
                    yield Question(
                        "book",
                        phrasing,
                        crc32(owner_of(task.line).encode()) % _FOLDS,
                        _is_line(task.line, phrasing),
                    )


def _is_line(line: str, phrasing: str) -> Check:
    return lambda found: found == filled(line, phrasing)


def rarities() -> dict[str, float]:
    """Return the rarity of the words that many tasks have, from 0 (all of them) to 1 (one of them), by term number."""
    tasks = [
        task
        for path in sorted(BOOK.glob("*.txt"))
        for task in read_book(path.read_text(encoding="utf-8"))
        if task.phrasings
    ]
    counts = Counter(
        number for task in tasks for number in {n for said in task.phrasings for n in terms_in(said)}
    )
    whole = np.log(len(tasks))
    return {
        str(number): round(float(np.log(len(tasks) / count) / whole), 3)
        for number, count in counts.most_common(_COMMON_WORDS)
    }


def without_needs() -> set[str]:
    """Make indexes leave out needs, and return the set of those that it leaves out."""
    left_out: set[str] = set()
    for name in ("needs", "needs_of"):
        whole = getattr(Index, name)

        def rest(self: Index, *asked: object, whole: Callable = whole) -> list:
            return [need for need in whole(self, *asked) if need.text not in left_out]

        setattr(Index, name, rest)
    return left_out


def _check(data: dict) -> Check:
    if "code" in data:
        return _like(data["code"])
    leads = data.get("leads") or ([data["must_contain"]] if data.get("must_contain") else [])
    return lambda line: any(
        not lacking(unbundled(line), items) and _options(line) <= sum("-" in item for item in items) + _SPARE
        for items in leads
    )


def unbundled(line: str) -> str:
    """Return a line with the letters of its bundled options, also one by one."""
    letters = [f"-{letter}" for bundle in re.findall(r"(?<!\S)-(\w{2,})", line) for letter in bundle]
    return " ".join([line, *letters])


def _options(line: str) -> int:
    return len(re.findall(r"(?<!\S)-[^\s-]|(?<!\S)--\w", line))


def _like(code: str) -> Check:
    """Return a check for a line with the commands, options and words of an example."""
    pairs = [set(pair) for pair in re.findall(r"\{\{\[([^|\]]*)\|([^\]]*)\]\}\}", code)]
    plain = re.sub(r"\{\{.*?\}\}", "X", re.sub(r"\{\{\[.*?\]\}\}", " ", code))
    pairs += [
        {word.partition("=")[0]}
        for word in plain.split()
        if re.fullmatch(r"--?[A-Za-z0-9][\w-]*(=.*)?", word)
    ]
    needed = [{name.partition("=")[0].strip() for name in pair} for pair in pairs]
    commands = _commands(plain)
    words = [word for word in plain.split()[1:3] if re.fullmatch(r"[a-z][\w-]*", word)]

    def is_right(line: str) -> bool:
        typed = {word.partition("=")[0] for word in line.split() if word.startswith("-")}
        typed |= {f"-{letter}" for word in typed if re.fullmatch(r"-\w+", word) for letter in word[1:]}
        return (
            _commands(line) == commands
            and all(pair & typed for pair in needed)
            and _options(line) <= len(needed) + 1
            and all(word in line.split() for word in words)
        )

    return is_right


def _commands(line: str) -> tuple[str, ...]:
    return tuple(re.findall(r"(?:^|[|;&(]\s*|\bsudo )\s*([\w.+-]+)", line))


def collected(index: Index) -> Iterator[Row]:
    """Yield each question with the features of its tasks."""
    left_out = without_needs()
    for question in (*questions(), *of_the_book()):
        left_out.clear()
        left_out.update([question.text] if question.set == "book" else ())
        try:
            rated = rate_pages(question.text, Corpus(index, 0.0))
        except AnswerError:
            continue
        tasks = ranked_tasks(rated.question, index, rated.ranked)
        yield Row(
            question.set,
            question.text,
            question.fold,
            [task.line for task in tasks],
            np.array([task.features for task in tasks]).reshape(-1, len(FEATURES)),
            np.array([question.is_right(filled(task.line, question.text)) for task in tasks], dtype=bool),
            signals_of(tasks, rated.question, rated.lead)[_OF_FIRST:] if tasks else (),
        )


def ranker(rows: Sequence[Row]) -> np.ndarray:
    """Fit the weights of the features: the right tasks of each question against all of its tasks (listwise softmax)."""
    rows = [row for row in rows if 0 < row.right.sum() < len(row.right)]
    features = np.vstack([row.features for row in rows])
    scale = features.std(0) + 1e-6
    features = features / scale
    sizes = [len(row.right) for row in rows]
    starts = np.cumsum([0, *sizes[:-1]])
    of_row = np.repeat(np.arange(len(rows)), sizes)
    right = np.concatenate([row.right for row in rows]).astype(float)
    weights = np.array([_WEIGHTS.get(row.set, 1.0) for row in rows])

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        scores = features @ flat
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[of_row])
        whole, of_right = np.add.reduceat(powers, starts), np.add.reduceat(powers * right, starts)
        off = (powers / whole[of_row] - powers * right / of_right[of_row]) * weights[of_row]
        return -(weights * np.log(of_right / whole)).sum() + _PENALTY / 2 * (
            flat**2
        ).sum(), features.T @ off + _PENALTY * flat

    return minimize(loss, np.zeros(features.shape[1]), jac=True, method="L-BFGS-B").x / scale


def judged(rows: Sequence[Row], scores: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the signals of each question's first task, whether it is right, and the weight of the question."""
    found = []
    for row, of_row in zip(rows, scores, strict=True):
        if len(of_row):
            order = np.argsort(-of_row, kind="stable")
            first, second = order[0], order[1] if len(order) > 1 else None
            ahead = (
                [1.0, 1.0]
                if second is None
                else [of_row[first] - of_row[second], row.features[first, 0] - row.features[second, 0]]
            )
            signals = [of_row[first], *ahead, *row.features[first], *row.about[len(FEATURES) :]]
            found.append((signals, row.right[first], _WEIGHTS.get(row.set, 1.0)))
    signals, right, weights = zip(*found, strict=True)
    return np.array(signals), np.array(right, dtype=float), np.array(weights)


def judge(signals: np.ndarray, right: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Fit the confidence in the first task: weights and bias of a logistic regression."""
    scale = signals.std(0) + 1e-6
    scaled = signals / scale

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        chances = expit(scaled @ flat[:-1] + flat[-1])
        off = (chances - right) * weights
        value = -(weights * np.log(np.where(right > 0, chances, 1 - chances).clip(1e-12))).sum()
        return value + _PENALTY / 2 * (flat[:-1] ** 2).sum(), np.append(
            scaled.T @ off + _PENALTY * flat[:-1], off.sum()
        )

    found = minimize(loss, np.zeros(signals.shape[1] + 1), jac=True, method="L-BFGS-B").x
    return found[:-1] / scale, float(found[-1])


def report(rows: Sequence[Row]) -> list[np.ndarray]:
    """Print how often the first task, and one of three, is right, out of fold, and return all scores."""
    scores: list[np.ndarray] = [np.zeros(0)] * len(rows)
    for fold in range(_FOLDS):
        weights = ranker([row for row in rows if row.fold != fold])
        for at, row in enumerate(rows):
            if row.fold == fold and len(row.right):
                scores[at] = row.features @ weights
    by_set: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for row, of_row in zip(rows, scores, strict=True):
        right = row.right[np.argsort(-of_row, kind="stable")]
        by_set[row.set].append((float(right[:1].any()), float(right[:3].any()), float(right.any())))
    for name, found in by_set.items():
        first, three, there = np.mean(found, axis=0)
        print(f"{name:>14} n {len(found):4}  first {first:.3f}  in three {three:.3f}  found {there:.3f}")
    chances: list[tuple[str, float, bool]] = []
    for fold in range(_FOLDS):
        others = [at for at, row in enumerate(rows) if row.fold != fold]
        own = [at for at, row in enumerate(rows) if row.fold == fold and len(row.right)]
        weights, bias = judge(*judged([rows[at] for at in others], [scores[at] for at in others]))
        signals, right, _ = judged([rows[at] for at in own], [scores[at] for at in own])
        sure = expit(signals @ weights + bias).tolist()
        chances += zip([rows[at].set for at in own], sure, (right > 0).tolist(), strict=True)
    for name, chosen in (("all", set(by_set)), ("without the book", set(by_set) - {"book"})):
        pairs = sorted((chance, is_right) for of_set, chance, is_right in chances if of_set in chosen)
        print(f"first task, {name}: auroc {auroc(pairs):.3f}  ece {ece(pairs):.3f}")
    for least in (0.3, 0.5, 0.7):
        sure = [
            (of_set, is_right) for of_set, chance, is_right in chances if chance >= least and of_set != "book"
        ]
        print(
            f"  at least {least}: {len(sure)}, right {np.mean([is_right for _, is_right in sure]):.2f}",
            Counter(s for s, _ in sure),
        )
    return scores


def main() -> None:
    """Collect features, or fit, report out of fold, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["collect", "fit"])
    parser.add_argument("--index", type=Path)
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    if args.step == "collect":
        save(args.out, rarities=rarities())
        generations = Generations(args.index)
        index = Index(generations.current(), generations)
        pages = next(part for part in index.parts() or [index] if part.method == "manual-pages")
        args.features.write_bytes(pickle.dumps([tuple(row) for row in collected(pages)]))
        return
    rows = [Row(*row) for row in pickle.loads(args.features.read_bytes())]
    scores = report(rows)
    rank = ranker(rows)
    weights, bias = judge(*judged(rows, scores))
    save(args.out, rank=by_name(FEATURES, rank, 4), bias=round(bias, 4), judge=by_name(SIGNALS, weights, 4))


if __name__ == "__main__":
    main()
