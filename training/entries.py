"""Fits what each measure of an entry is worth: which options of a page meet a question.

    python training/entries.py --index DIR --out src/vademecum/retrieval/data/entries.json

From the development questions that name the options their answers must hold. The model is a conditional logit
(McFadden 1974): the chance of an entry among those of its page is proportional to exp(weights · measures).
"""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from output import by_name, save
from questions import INTENTS, OWN, OWN_FILES, SHELL, split
from scipy.optimize import minimize

from vademecum.ask.gather import judge_words, measure_entries
from vademecum.index.generations import Generations
from vademecum.index.reader.index import Index
from vademecum.retrieval.documents.entries import FEATURES
from vademecum.retrieval.question.question import analyse

_DECAY = 0.02
_PRIOR = np.array([2.0 if name == "asked" else 0.0 for name in FEATURES])
"""How strongly weights are held near these (L2). Few questions name an entry; those that do mean it."""

_OWN_WEIGHT = 2.0
_BORDER = re.compile(r"[\s,|=<>\[\](){}\"'‘’]+")


class Choice:
    """A question, the measures of its page's entries, and which of them meet it."""

    def __init__(
        self, features: list[tuple[float, ...]], right: list[bool], *, own: bool, held: bool
    ) -> None:
        self.features, self.right = np.array(features), np.array(right)
        self.own, self.held = own, held


def choices(index: Index) -> Iterator[Choice]:
    """Of every question whose page has entries that meet it, and others."""
    for path in (*(OWN / name for name in OWN_FILES), INTENTS):
        if not path.exists():
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            data = json.loads(line)
            gold = sorted(data.get("gold", ()))
            wanted = [set(one.split("|")) for one in data.get("must_contain", ())]
            wanted += [{flag} for flag in data.get("flags", ())]
            places = index.named(gold[0]) if gold and wanted else []
            if not places:
                continue
            question = analyse(data["question"], index)
            judged = judge_words(question, places[0], index)
            positions, features = measure_entries(question, judged, index)
            flat = index.segments[places[0].segment].flat
            record = flat.document(places[0].document)
            right = []
            for at in positions:
                passage = judged.passages[at]
                words = set(_BORDER.split(flat.words(record, passage)[: passage.tag_end - passage.start]))
                right.append(any(words & one for one in wanted))
            own = path.parent == OWN
            page = gold[0] if gold[0] != SHELL else data["question"]
            held = split(page, own=own) == "held" or (not own and split(page, own=True) == "held")
            if any(right) and not all(right):
                yield Choice(features, right, own=own, held=held)


def fit(found: list[Choice]) -> np.ndarray:
    """The weights that make the entries that meet their questions likeliest."""
    weights = [_OWN_WEIGHT if one.own else 1.0 for one in found]

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        away = values - _PRIOR
        total, gradient = _DECAY * away @ away * len(found), 2 * _DECAY * away * len(found)
        for one, weight in zip(found, weights, strict=True):
            logits = one.features @ values
            chances = np.exp(logits - logits.max())
            right = chances * one.right
            whole, met = chances.sum(), right.sum()
            total -= weight * np.log(met / whole)
            gradient -= weight * (right / met - chances / whole) @ one.features
        return total, gradient

    found_at = minimize(loss, _PRIOR, jac=True, method="L-BFGS-B")
    return np.array(found_at.x)


def report(found: list[Choice], values: np.ndarray, title: str) -> None:
    """Print how often an entry that meets the question is first, among two, four, eight."""
    for own in (True, False):
        ranks = []
        for one in found:
            if one.own == own:
                order = np.argsort(-(one.features @ values), kind="stable")
                ranks.append(int(np.flatnonzero(one.right[order])[0]))
        at = np.array(ranks)
        shares = "  ".join(f"{k}: {np.mean(at < k):.3f}" for k in (1, 2, 4, 8))
        print(f"{title}, {'our own' if own else 'intents'}, n {len(at)}: {shares}")


def main() -> None:
    """Fit, report on held-out questions, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    generations = Generations(args.index)
    found = list(choices(Index(generations.current(), generations)))
    values = fit([one for one in found if not one.held])
    held = [one for one in found if one.held]
    only_words = np.zeros(len(FEATURES))
    only_words[FEATURES.index("words")] = 1
    report(held, only_words, "words alone")
    report(held, values, "all measures")
    for name, value in zip(FEATURES, values, strict=True):
        print(f"  {name:12} {value:6.2f}")
    if args.out:
        save(args.out, **by_name(FEATURES, [round(value, 2) for value in values]))


if __name__ == "__main__":
    main()
