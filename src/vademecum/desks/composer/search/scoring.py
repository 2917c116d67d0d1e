"""The signals of a template for a request, each 0-1: similarity of meaning, shared words, shared packages.

`semantic` is a fitted mean of five: the request's words in the template's fields (BM25F), the capabilities that the request speaks
of by their phrases' words, those that its meaning alone lets guess, the cosine of the two texts' vectors, and how little else the
template can do. `keyword` is
the share of the request's rarity that the template has anywhere, `package` the share of the packages that are asked for.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple

from vademecum.desks.composer.library import Entry
from vademecum.desks.composer.packages.choice import present_of
from vademecum.desks.composer.search.meaning import Met
from vademecum.text.words import WORD, numbers

NEARNESS = (0.2556, 0.2693, 0.2401, 0.07896, 0.1561)

SIGNALS = ("words", "asked_for", "guessed", "text", "little_else")
"""What `semantic` is the mean of, in the order of the weights."""

_FULL_WEIGHT = 1.0
"""The BM25F weight of a term at which it counts as fully there."""

_POWER = 3
_ENOUGH = 0.5
"""From this strength on a capability counts as surely meant; below, all capabilities together count the less."""

_SEMANTIC_POWER, _KEYWORD_POWER = 0.5, 1 / 3
"""What spreads the two signals, so that the weighed sum of a template that is right is mostly above 0.40, and of a request that is
about something else mostly below."""

_ENOUGH_CHANCE = 0.5
"""Likewise for the chance of a guess."""


class Signals(NamedTuple):
    """What was measured of one template: the parts of `semantic`, itself, and the two others."""

    parts: tuple[float, ...]
    semantic: float
    keyword: float
    package: float


class Request(NamedTuple):
    """A request as it is measured.

    Attributes:
        met: How well its words speak of each capability, by name.
        guessed: The chance that it speaks of each capability, by its meaning alone.
    """

    words: str
    met: Mapping[str, Met]
    guessed: Mapping[str, float]
    packages: Sequence[str]


def measure(request: Request, entries: Sequence[Entry], cosines: Sequence[float]) -> list[Signals]:
    """Measure every template for a request."""
    words, covers = _words(request.words, entries)
    spread = Counter(name for one in entries for name in one.indexed.capabilities)
    rare = {name: _rarity(spread[name], len(entries)) for name in {*spread, *request.met, *request.guessed}}
    met = {name: found.strength for name, found in request.met.items()}
    asked_for = _able(met, entries, rare, power=_POWER, enough=_ENOUGH)
    guessed = _able(request.guessed, entries, rare, power=1, enough=_ENOUGH_CHANCE)
    names = (*met, *request.guessed)
    strengths = {name: max(met.get(name, 0.0), request.guessed.get(name, 0.0)) for name in names}
    little_else = _little_else(strengths, entries, rare)
    found = []
    for at, entry in enumerate(entries):
        parts = (words[at], asked_for[at], guessed[at], max(0.0, cosines[at]), little_else[at])
        mean = sum(weight * part for weight, part in zip(NEARNESS, parts, strict=True)) / sum(NEARNESS)
        signals = (mean**_SEMANTIC_POWER, covers[at] ** _KEYWORD_POWER, _packages(request.packages, entry))
        found.append(Signals(parts, *signals))
    return found


def _words(words: str, entries: Sequence[Entry]) -> tuple[list[float], list[float]]:
    """For each template BM25F (0-1, of the best or of what a full match would have) and the covered share of rarity."""
    asked = list(dict.fromkeys(numbers(WORD.findall(words))))
    weights = [[_weight(entry, term) for term in asked] for entry in entries]
    spread = [sum(row[at] > 0 for row in weights) for at in range(len(asked))]
    rare = [_rarity(count, len(entries)) for count in spread]
    total = sum(rare) or 1.0
    sums = [sum(weight * one for weight, one in zip(row, rare, strict=True)) for row in weights]
    best = max([*sums, _FULL_WEIGHT * total])
    covers = [sum(one for weight, one in zip(row, rare, strict=True) if weight) / total for row in weights]
    return [one / best for one in sums], covers


def _weight(entry: Entry, term: int) -> float:
    found = entry.indexed.terms
    at = bisect_left(found, term)
    return entry.indexed.weights[at] if at < len(found) and found[at] == term else 0.0


def _able(
    strengths: Mapping[str, float],
    entries: Sequence[Entry],
    rare: Mapping[str, float],
    *,
    power: int,
    enough: float,
) -> list[float]:
    """How many of the capabilities each template has, weighed by strength and rarity."""
    weights = {name: strength**power * rare[name] for name, strength in strengths.items() if strength}
    total = sum(weights.values())
    if not total:
        return [0.0] * len(entries)
    trust = min(1.0, max(strengths.values()) / enough)
    return [
        trust * sum(weights.get(name, 0.0) for name in entry.indexed.capabilities) / total
        for entry in entries
    ]


def _rarity(count: int, of: int) -> float:
    return log(1 + (of - count + 0.5) / (count + 0.5))


def _little_else(
    strengths: Mapping[str, float], entries: Sequence[Entry], rare: Mapping[str, float]
) -> list[float]:
    """How much of what each template can do is asked for: of two that can do what is wanted, the one that does little else."""
    asked = {name: one * min(1.0, strengths.get(name, 0.0) / _ENOUGH) for name, one in rare.items()}
    found = []
    for entry in entries:
        names = dict.fromkeys(entry.indexed.capabilities)
        total = sum(rare[name] for name in names)
        found.append(sum(asked[name] for name in names) / total if total else 0.0)
    return found


def _packages(wanted: Sequence[str], entry: Entry) -> float:
    if not wanted:
        return 0.0
    names = (*entry.facts.packages, *entry.facts.kernel_packages)
    return sum(bool(present_of(name, names, entry.facts.distribution)) for name in wanted) / len(wanted)
