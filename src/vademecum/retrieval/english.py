"""General English: word frequencies and near-synonyms.

A small collection provides neither. The table is part of the package; `training/english.py` builds it.
"""

import re
from bisect import bisect_left
from functools import cache
from math import exp
from mmap import ACCESS_READ, mmap
from pathlib import Path
from struct import Struct

from vademecum.core.errors import ProviderError
from vademecum.text.words import STOP_WORDS, number, stem

MAGIC = b"VADEENG1"
HEADER = Struct("<8sII")
STEPS_A_BIT = 8
"""A word's frequency is stored as the binary logarithm of its share of all words, in steps of an eighth."""

_WINDOW_WORDS = 70
"""The number of words in a window of text. Rarity is based on the windows that contain a word."""

TABLE = Path(__file__).with_name("english.bin")
"""The table in the package."""

_REINSTALL = "Install Vademecum again."


class English:
    """The memory-mapped table."""

    def __init__(self, path: Path = TABLE) -> None:
        try:
            with path.open("rb") as file:
                data = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
        except (OSError, ValueError) as error:
            raise ProviderError(
                f"The table of words {path} cannot be read: {error}", hint=_REINSTALL
            ) from error
        magic, words, neighbours = HEADER.unpack_from(data) if len(data) >= HEADER.size else (b"", 0, 0)
        sizes = (4 * words, 4 * words, 2 * neighbours, words, neighbours)
        if magic != MAGIC or len(data) != HEADER.size + sum(sizes):
            raise ProviderError(f"{path} is not a table of words of this version.", hint=_REINSTALL)
        parts, start = [], HEADER.size
        for size in sizes:
            parts.append(data[start : start + size])
            start += size
        self._numbers, self._ends = parts[0].cast("I"), parts[1].cast("I")
        self._near, self._bits, self._cosines = parts[2].cast("H"), parts[3], parts[4]

    def share(self, term: int) -> float:
        """Return the share (0-1) of windows of English text with a term, given by its number; 0 if unknown."""
        row = self._row(term)
        if row is None:
            return 0.0
        return 1.0 - exp(-_WINDOW_WORDS * 2.0 ** (-self._bits[row] / STEPS_A_BIT))

    def similar(self, term: int) -> list[tuple[int, float]]:
        """Return the words most similar to a term, as (number, cosine), most similar first; empty if unknown."""
        row = self._row(term)
        if row is None:
            return []
        places = range(self._ends[row - 1] if row else 0, self._ends[row])
        return [(self._numbers[self._near[at]], self._cosines[at] / 255) for at in places]

    def _row(self, term: int) -> int | None:
        row = bisect_left(self._numbers, term)
        return row if row < len(self._numbers) and self._numbers[row] == term else None


_WORD = re.compile(r"[^\W\d_]{2,}")
USUAL = 2e-5
"""The minimum share of windows of English text that contain a usual word."""


def english_share(text: str) -> float:
    """Return the share (0-1) of the words of a text that are usual in English; 1 for a text without words.

    >>> english_share("How do I split a bill?"), english_share("Jak rozliczyć rachunek?")
    (1.0, 0.0)
    """
    words = _WORD.findall(text.lower())
    table = english()
    usual = sum(word in STOP_WORDS or table.share(number(stem(word))) > USUAL for word in words)
    return usual / len(words) if words else 1.0


@cache
def english() -> English:
    """Return the table in the package, mapped once per process."""
    return English()
