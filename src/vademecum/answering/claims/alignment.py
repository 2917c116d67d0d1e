"""Align the words of a claim with the words of passages, and choose the sentences that together support it best."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vademecum.answering.claims.likeness import ALIKE, GROUPS_OF, OPPOSITES, SAME, likeness
from vademecum.answering.claims.units import HEAD, Text, Unit, parts_of
from vademecum.answering.claims.words import LAST_FACT, NAME, NUMBER, ORDINAL, PATH, WORD, Word

_ABOVE = 0.95
"""The weight of a word in the tag, relative to one in the sentence."""

_REFERENCE = 0.9
_NEXT = 0.02
"""The minimum coverage that an additional sentence must add."""

Match = tuple[float, Word | None]
"""How well a word is covered, and by which word."""


class Row(NamedTuple):
    """The coverage of a claim by a sentence.

    Attributes:
        matches: A match for each content word of the claim, in order.
    """

    text: int
    unit: Unit
    matches: list[Match]


class Claimed:
    """The words of a claim, prepared for matching.

    Args:
        references: Words in the names of the cited documents, and facts in the question, which the claim may repeat.
    """

    def __init__(self, words: Sequence[Word], references: Sequence[Word]) -> None:
        self.words = words
        self.content = [word for word in words if word.weight > 0]
        self.weights = [word.weight for word in self.content]
        self.total = sum(self.weights) or 1.0
        self.free = [
            _REFERENCE * max((likeness(word, other) for other in references), default=0.0)
            for word in self.content
        ]
        self.facts = [place for place, word in enumerate(self.content) if word.kind <= LAST_FACT]

    def rows(self, texts: Sequence[Text], most: int) -> list[Row]:
        """Return the coverage by each sentence. If there are many, only those that share most words are used."""
        units = [(number, unit) for number, text in enumerate(texts) for unit in text.units]
        if len(units) > most:
            shares = [self._shared(unit) for _, unit in units]
            least = sorted(shares, reverse=True)[most - 1]
            units = [one for one, share in zip(units, shares, strict=True) if share >= least][: 2 * most]
        return [Row(number, unit, [_best(word, unit) for word in self.content]) for number, unit in units]

    def _shared(self, unit: Unit) -> float:
        """Estimate quickly how much of the claim a sentence covers."""
        return sum(
            word.weight
            if word.key in unit.by_key
            else word.weight / 2
            if word.key[:HEAD] in unit.by_head
            else 0.0
            for word in self.content
        )

    def cover(self, rows: Sequence[Row], places: Sequence[int] | None = None) -> float:
        """Return the share (0-1) of the claim, or of some of its words, that sentences cover together."""
        covered = total = 0.0
        for place in range(len(self.content)) if places is None else places:
            best = self.free[place]
            for row in rows:
                value = row.matches[place][0]
                best = max(best, value)
            covered += self.weights[place] * best
            total += self.weights[place]
        return covered / total if total else 1.0

    def exact(self, rows: Sequence[Row]) -> float:
        """Return the share (0-1) of the claim that sentences contain literally."""
        covered = sum(
            weight
            for place, weight in enumerate(self.weights)
            if self.free[place] >= _REFERENCE or any(row.matches[place][0] >= 0.9 for row in rows)
        )
        return covered / self.total

    def missing(self, rows: Sequence[Row]) -> list[float]:
        """Return the uncovered weight of each word."""
        return [
            weight * (1.0 - max([row.matches[place][0] for row in rows] + [self.free[place]]))
            for place, weight in enumerate(self.weights)
        ]


def facts_of(asked: Sequence[Word]) -> list[Word]:
    """Return the numbers and paths in a question, which an answer may repeat even if no passage contains them."""
    return [word for word in asked if word.kind in (NUMBER, PATH)]


def _best(word: Word, unit: Unit) -> Match:
    """Return the word of a sentence or its tag that covers a claim's word best."""
    if _short(word) and word.key not in unit.by_key:
        letters = word.text.rstrip("s").lower()
        at = "".join(one.text[0] for one in unit.words).lower().find(letters)
        if at >= 0:  # `SSDs`: Solid State Devices
            return ALIKE, unit.words[at]
    best, found = 0.0, None
    above = unit.above
    for other in _candidates(word, unit):
        value = likeness(word, other)
        if above and other in above:
            value *= _ABOVE
        if value > best:
            best, found = value, other
            if value == SAME:
                break
    return best, found


def _short(word: Word) -> bool:
    """Return whether a name can be an abbreviation of words."""
    letters = word.text.rstrip("s")
    return word.kind == NAME and len(letters) > 1 and letters.isalpha() and letters.isupper()


def _candidates(word: Word, unit: Unit) -> Iterator[Word]:
    by_key = unit.by_key
    if word.key in by_key:
        yield from by_key[word.key]
    for key in word.also:
        if key in by_key:
            yield from by_key[key]
    by_part = unit.by_part
    if word.kind != WORD:
        for part in parts_of(word) if word.kind <= LAST_FACT else ():
            if part in by_part:
                yield from by_part[part]
        if word.kind in (PATH, NUMBER, ORDINAL):
            yield from unit.facts
        return
    if not word.weight:
        return
    for group in GROUPS_OF.get(word.key, ()):
        if group in unit.by_group:
            yield from unit.by_group[group]
    head = word.key[:HEAD]
    if head in unit.by_head:
        yield from unit.by_head[head]
    for key in OPPOSITES.get(word.key, ()):
        if key in by_key:
            yield from by_key[key]
    for part in (word.text.lower(), word.key):
        if part in by_part:
            yield from by_part[part]


def best_window(claimed: Claimed, rows: Sequence[Row], most: int) -> tuple[float, list[Row]]:
    """Return the consecutive sentences, limited in number, that cover a claim best, and their coverage (0-1)."""
    best, found = 0.0, list(rows[:1])
    for first in range(len(rows)):
        for count in range(1, most + 1):
            window = rows[first : first + count]
            if len(window) < count or not _together(window):
                break
            value = claimed.cover(window) - _NEXT * (count - 1)
            if value > best:
                best, found = value, list(window)
    return best, found


def best_few(claimed: Claimed, rows: Sequence[Row], first: Sequence[Row]) -> tuple[float, float, list[Row]]:
    """Return at most three sentences from anywhere that cover a claim, the coverage of two, and that of all."""
    chosen = list(first)
    two = three = claimed.cover(chosen) if chosen else 0.0
    best = None
    for row in rows:
        value = claimed.cover([*chosen, row])
        if value > two + _SECOND:
            two, best = value, row
    three = two
    if best is not None:
        chosen.append(best)
    best = None
    for row in rows:
        value = claimed.cover([*chosen, row])
        if value > three + _THIRD:
            three, best = value, row
    return two, three, [*chosen, best] if best is not None else chosen


_SECOND, _THIRD = 0.05, 0.08


def _together(window: Sequence[Row]) -> bool:
    return window[0].text == window[-1].text and window[-1].unit.line - window[0].unit.line <= 1
