"""Fits the verifier of generated sentences and writes it: `src/vademecum/answering/data/claims.json`.

    python training/verifier.py --out src/vademecum/answering/data/claims.json

Mostly from sentences in the style of language models, about half of them with a fault (`data/model_sentences.jsonl`). With little weight, from those
of the first half of the planted faults (`benchmarks/verification/planted.jsonl`; the other half is never looked at), from sentences
written by hand on passages of other pages (`data/claims.jsonl`), from sentences without content (`data/content_free.txt`), and from faithful sentences with a fault that a rule planted: a
negation put in or taken out, a word turned into its opposite, a number, option, name or path exchanged, another passage cited. Boosted
trees (LightGBM), seeded. The threshold is where 97 % of the faults in the style of models would be caught by trees that were
fitted without their answer: a doubtful sentence is quoted, not lost.
"""

import argparse
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import lightgbm
import numpy as np
from output import save, trees_of
from planted import FAITHFUL, Planted, Sentence, load

from vademecum.answering.claims.alignment import Claimed, facts_of
from vademecum.answering.claims.classifier import decided
from vademecum.answering.claims.features import Signs
from vademecum.answering.claims.lexicon import ANTONYMS
from vademecum.answering.claims.units import Text
from vademecum.answering.claims.words import NAME, NUMBER, OPTION, PATH, words_of

ROOT = Path(__file__).parents[1]
PLANTED = ROOT / "benchmarks/verification/planted.jsonl"
WRITTEN = Path(__file__).parent / "data/claims.jsonl"
SENTENCES = Path(__file__).parent / "data/model_sentences.jsonl"
CONTENT_FREE = Path(__file__).parent / "data/content_free.txt"
SEED = 7
_CAUGHT = 0.97
_PLANTED_WEIGHT, _FAULT_WEIGHT, _WRITTEN_WEIGHT, _RULED_WEIGHT, _QUOTE_WEIGHT = 0.1, 0.5, 0.05, 0.01, 0.1
"""The weight of a planted faithful sentence, of one with a fault, of one written by hand, of a fault by rule, and of a quotation or its negation.
A sentence in the style of a model has the weight 1."""

_EMPTY_ANSWERS, _EMPTY_WEIGHT = 10, 0.1
"""The number of answers that each sentence without content is tried with, and its weight."""

_TREES, _FOLDS, _ROUNDS = 250, 5, 4
_SHAPE = {
    "objective": "binary",
    "num_leaves": 7,
    "learning_rate": 0.05,
    "min_data_in_leaf": 30,
    "feature_fraction": 0.15,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "verbose": -1,
    "num_threads": 1,
    "deterministic": True,
}


class Row(NamedTuple):
    """A sentence, its signs, and whether it is faulty."""

    answer: int
    signs: dict[str, float]
    faulty: bool
    weight: float


class Shown(NamedTuple):
    """The passages of an answer as the verifier reads them."""

    texts: list[Text]
    references: list[str]
    question: str

    def signs(self, text: str, cites: Sequence[int]) -> dict[str, float]:
        """The signs of a sentence that cites these passages."""
        cited = [self.texts[number - 1] for number in cites]
        others = [one for number, one in enumerate(self.texts, 1) if number not in cites]
        labels = frozenset[str]().union(*(one.labels for one in cited))
        references = sorted({self.references[number - 1] for number in cites})
        named = [word for one in references for word in words_of(one)]
        asked = words_of(self.question)
        claimed = Claimed(words_of(text, labels), [*named, *facts_of(asked)])
        return Signs(claimed, cited, others, asked).values


def shown(answer: Planted) -> Shown:
    """The passages of an answer."""
    texts = [Text(text, 0, len(text)) for _, text in answer.passages]
    return Shown(texts, [reference for reference, _ in answer.passages], answer.question)


# --- faults by rule ---

_HELPERS = re.compile(
    r"\b(is|are|was|were|can|will|must|may|does|do|has|have|should|could)\b(?! not|n't| never)"
)
_NOT = (
    (r"\b(is|are|was|were|can|will|must|may|does|do|has|have|should|could) not\b", r"\1"),
    (r"\b(is|are|was|were|do|does|did|has|have|could|should|must)n't\b", r"\1"),
    (r"\bcan't\b|\bcannot\b", "can"),
    (r"\bnever\b", "always"),
    (r"\bno\b", "a"),
    (r"\bwithout\b", "with"),
    (r"\bnone\b", "all"),
    (r"\bnothing\b", "everything"),
    (r"\bnot\b ", ""),
)
_VERB = re.compile(r"(?<=.{3})\b([a-z]{3,}(?<!s)s)\b")
_NO_VERBS = frozenset(
    [
        "files",
        "options",
        "lines",
        "bytes",
        "its",
        "this",
        "names",
        "arguments",
        "directories",
        "values",
        "characters",
        "seconds",
        "users",
        "processes",
        "numbers",
        "links",
        "always",
        "less",
        "unless",
        "has",
        "was",
        "permissions",
    ]
)
_ENDINGS = ("", "s", "d", "ed", "es", "ing")
_KINDS = (NUMBER, OPTION, NAME, PATH)


class Planter:
    """Plants faults into sentences."""

    def __init__(self) -> None:
        self.dice = random.Random(SEED)
        self.opposites = defaultdict(list)
        for one, other in ANTONYMS:
            self.opposites[one].append(other)
            self.opposites[other].append(one)

    def faults(self, text: str, answer: Shown, cites: Sequence[int]) -> Iterator[tuple[str, Sequence[int]]]:
        """Faulty versions of a faithful sentence."""
        for make in (self.without_negation, self.with_negation, self.turned):
            yield make(text), cites
        for kind in _KINDS:
            yield self.exchanged(text, answer, cites, kind), cites
        others = [number for number in range(1, len(answer.texts) + 1) if number not in cites]
        if len(cites) == 1 and others:
            yield text, [self.dice.choice(others)]

    def without_negation(self, text: str) -> str:
        """A negation is taken out."""
        for pattern, instead in _NOT:
            if not text.startswith("No,") and re.search(pattern, text):
                return re.sub(pattern, instead, text, count=1)
        return text

    def with_negation(self, text: str) -> str:
        """A negation is put in."""
        if found := list(_HELPERS.finditer(text)):
            at = self.dice.choice(found).end()
            return f"{text[:at]} not{text[at:]}"
        verb = next((one for one in _VERB.finditer(text) if one[1] not in _NO_VERBS), None)
        if verb is None:
            return text
        base = verb[1][:-1]
        base = f"{base[:-2]}y" if base.endswith("ie") else base
        return f"{text[: verb.start()]}does not {base}{text[verb.end() :]}"

    def turned(self, text: str) -> str:
        """A word becomes its opposite."""
        found = []
        for match in re.finditer(r"(?<![-\w/])[A-Za-z]+(?![-\w/=(])", text):
            for ending in _ENDINGS:
                base = match[0].lower().removesuffix(ending)
                if match[0].lower().endswith(ending) and base in self.opposites:
                    found.append((match, base, ending))
                    break
        if not found:
            return text
        match, base, ending = self.dice.choice(found)
        other = self.dice.choice(self.opposites[base])
        other = f"{other.rstrip('e')}ing" if ending == "ing" else other
        other = f"{other}d" if ending in {"d", "ed"} and other.endswith("e") else other
        other = f"{other}ed" if ending in {"d", "ed"} and not other.endswith("d") else other
        return f"{text[: match.start()]}{other}{'s' if ending in {'s', 'es'} else ''}{text[match.end() :]}"

    def exchanged(self, text: str, answer: Shown, cites: Sequence[int], kind: int) -> str:
        """A fact becomes another one that stands in the passages cited."""
        cited = [answer.texts[number - 1] for number in cites]
        labels = frozenset[str]().union(*(one.labels for one in cited))
        facts = [word for word in words_of(text, labels) if word.kind == kind]
        if not facts:
            return text
        fact = self.dice.choice(facts)
        same = {fact.key, *fact.also}
        for unit in (unit for one in cited for unit in one.units):
            named = {word.key for word in (*unit.tag, *unit.above)}
            same |= named if fact.key in named else set()
        pool = [
            word.text
            for one in cited
            for unit in one.units
            for word in unit.words
            if word.kind == kind
            and same.isdisjoint((word.key, *word.also))
            and word.text[0].isdigit() == fact.text[0].isdigit()
        ]
        if kind == NUMBER and fact.text.isdigit() and (not pool or self.dice.random() < 0.4):
            number = int(fact.text)
            pool = [str(one) for one in (number * 2, number + 1, number * 10) if one != number]
        if not pool:
            return text
        return f"{text[: fact.start]}{self.dice.choice(pool)}{text[fact.start + len(fact.text) :]}"


# --- rows ---


def rows_of(
    answers: Sequence[Planted], first: int, weigh: Callable[[Sentence], float], *, by_rule: bool
) -> Iterator[Row]:
    """The sentences of answers, numbered from `first`. With `by_rule`, also faulty versions of the faithful ones; otherwise, quotations."""
    planter = Planter()
    for place, answer in enumerate(answers, first):
        passages = shown(answer)
        for sentence in answer.sentences:
            text, cites = sentence.claim.text, sentence.claim.cites
            faulty = sentence.fault != FAITHFUL
            yield Row(place, passages.signs(text, cites), faulty, weigh(sentence))
            if faulty or not by_rule:
                continue
            for version, cited in planter.faults(text, passages, cites):
                if version != text or cited is not cites:
                    yield Row(place, passages.signs(version, cited), True, _RULED_WEIGHT)
        for number, one in enumerate(passages.texts, 1):
            units = [unit for unit in one.units if 25 < unit.end - unit.start < 250]
            if units and not by_rule:
                unit = planter.dice.choice(units)
                said = answer.passages[number - 1][1][unit.start : unit.end].strip()
                yield Row(place, passages.signs(said, [number]), False, _QUOTE_WEIGHT)
                if (denied := planter.with_negation(said)) != said:
                    yield Row(place, passages.signs(denied, [number]), True, _QUOTE_WEIGHT)


def empty_rows(answers: Sequence[Planted], first: int) -> Iterator[Row]:
    """Sentences without content, which nothing supports: each with all passages of some answers."""
    dice = random.Random(SEED)
    sentences = CONTENT_FREE.read_text(encoding="utf-8").splitlines()
    for text in sentences:
        for answer in dice.sample(answers, _EMPTY_ANSWERS):
            place = first + answers.index(answer)
            cites = range(1, len(answer.passages) + 1)
            yield Row(place, shown(answer).signs(text, cites), True, _EMPTY_WEIGHT)


def fitted(rows: Sequence[Row], names: Sequence[str], seed: int) -> lightgbm.Booster:
    """Trees for these rows."""
    data = lightgbm.Dataset(
        np.array([[row.signs[name] for name in names] for row in rows]),
        np.array([row.faulty for row in rows], float),
        weight=np.array([row.weight for row in rows]),
    )
    return lightgbm.train({**_SHAPE, "seed": seed}, data, _TREES)


def threshold_of(rows: Sequence[Row], names: Sequence[str]) -> float:
    """Where enough of the planted faults would be caught; prints how many of the faithful sentences would be in doubt.

    Each sentence is judged by trees that were fitted without its answer.
    """
    count = 1 + max(row.answer for row in rows)
    judged = [row for row in rows if row.weight == 1.0]
    doubts = np.zeros(len(judged))
    for turn in range(_ROUNDS):
        order = np.random.RandomState(turn).permutation(count)
        for fold in range(_FOLDS):
            out = set(order[fold::_FOLDS].tolist())
            trees = fitted([row for row in rows if row.answer not in out], names, SEED + turn)
            places = [place for place, row in enumerate(judged) if row.answer in out]
            values = np.array([[judged[place].signs[name] for name in names] for place in places])
            doubts[places] += trees.predict(values) / _ROUNDS
    doubts[[decided(row.signs) for row in judged]] = 1.0
    faithful = doubts[[not row.faulty for row in judged]]
    planted = np.sort(doubts[[row.faulty for row in judged]])
    thresholds = {
        share: float(planted[int(len(planted) * (1 - share))]) for share in (0.9, 0.95, _CAUGHT, 0.98, 0.99)
    }
    for share, threshold in thresholds.items():
        print(
            f"caught {share:.0%} of the faults: {np.mean(faithful >= threshold):.1%} of the faithful in doubt, threshold {threshold:.3f}"
        )
    return thresholds[_CAUGHT]


def main() -> None:
    """Fit, and write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    modelled = list(load(SENTENCES))
    planted = [answer for answer in load(PLANTED) if not answer.held]
    rows = list(rows_of(modelled, 0, lambda _: 1.0, by_rule=False))
    rows += empty_rows(modelled, 0)
    rows += rows_of(
        planted,
        len(modelled),
        lambda sentence: _PLANTED_WEIGHT if sentence.fault == FAITHFUL else _FAULT_WEIGHT,
        by_rule=False,
    )
    rows += rows_of(
        list(load(WRITTEN)), len(modelled) + len(planted), lambda _: _WRITTEN_WEIGHT, by_rule=True
    )
    names = list(rows[0].signs)
    threshold = threshold_of(rows, names)
    save(arguments.out, threshold=round(threshold, 4), trees=trees_of(fitted(rows, names, SEED), names))
    print(f"{len(rows)} rows, {len(names)} signs")


if __name__ == "__main__":
    main()
