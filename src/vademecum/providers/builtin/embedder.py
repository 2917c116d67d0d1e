"""The built-in embedder: the vector of a text is the normalized sum of its terms' vectors."""

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain, compress, count, islice
from math import frexp, sqrt
from mmap import ACCESS_READ, mmap
from operator import mul
from pathlib import Path
from struct import Struct
from struct import error as StructError  # noqa: N812 - a class, whatever its case
from typing import Any, Literal
from zlib import crc32

from simsimd import cdist

from vademecum.core.errors import ProviderError
from vademecum.text.words import terms

DIMENSIONS = 256
BUCKETS = 8192

MAGIC = b"VADEWT01"
HEADER = Struct("<8sIII")
"""Magic, dimensions, words, buckets. There follow, little-endian: the words' numbers ascending (u32), the
words' scales and the buckets' scales (f32), the words' rows and the buckets' rows (int8)."""


def buckets_of(term: str) -> list[int]:
    """The buckets of a term's character 3- to 5-grams, its ends marked."""
    marked = f"<{term}>"
    return [
        crc32(marked[start : start + size].encode()) % BUCKETS
        for size in (3, 4, 5)
        for start in range(len(marked) - size + 1)
    ]


WORDS = Path(__file__).with_name("words.bin")
"""The table that comes with the package; `training/` has its recipe."""

ENGLISH = Path(__file__).with_name("english.bin")
"""Words of everyday English, each weighed by its rarity; other words count for nothing."""

TASKS = Path(__file__).with_name("tasks.bin")
"""Words of tasks, by which phrasings of one task are near each other; other words count as in `WORDS`."""


class WordTable:
    """A table of term vectors, mapped and read in place."""

    dimensions = DIMENSIONS

    def __init__(self, path: Path = WORDS, base: "WordTable | None" = None) -> None:
        self._base = base
        try:
            with path.open("rb") as file:
                data = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
            magic, dimensions, words, buckets = HEADER.unpack_from(data)
        except (OSError, ValueError, StructError) as error:
            raise ProviderError(f"The word table {path} cannot be read: {error}", hint=_REINSTALL) from error
        sizes = (4 * words, 4 * words, 4 * buckets, dimensions * words, dimensions * buckets)
        whole = len(data) == HEADER.size + sum(sizes)
        if (magic, dimensions) != (MAGIC, DIMENSIONS) or buckets not in {0, BUCKETS} or not whole:
            raise ProviderError(f"{path} is not a word table of this version.", hint=_REINSTALL)
        parts, start = [], HEADER.size
        for size in sizes:
            parts.append(data[start : start + size])
            start += size
        self._numbers, self._scales, self._bucket_scales = (
            parts[0].cast("I"),
            parts[1].cast("f"),
            parts[2].cast("f"),
        )
        self._has_buckets = buckets > 0
        self._rows, self._bucket_rows = parts[3].cast("b"), parts[4].cast("b")
        self.name = f"builtin-{crc32(parts[1]):08x}"

    def embed(self, terms: Iterable[str]) -> list[float]:
        """The vector of a text given by its terms: `dimensions` numbers of Euclidean length 1.

        A term that is not in the table counts by its character n-grams, at half weight, if the table has any. A text without terms
        gives zeros.
        """
        return _of_length_1(list(map(self._lanes, islice(terms, _MOST_TERMS))))

    def embed_numbers(self, numbers: Iterable[int]) -> list[float]:
        """The vector of a text given by the numbers of its terms, in an eighth of the time of `embed`.

        A term that is not in the table counts by one n-gram, which its number chooses, at the weight that all of its n-grams have together.
        """
        return _of_length_1(list(map(self._numbered, islice(numbers, _MOST_TERMS))))

    def knows(self, term: str) -> bool:
        """Return whether a term is in the table."""
        return bool(self._row_lanes(crc32(term.encode())))

    def near(self, vector: Sequence[float], least: float) -> list[tuple[int, float]]:
        """The words of the table whose cosine with a vector of length 1 is at least so much, as (number, cosine), nearest first.

        All rows are compared roughly, and those that come near exactly, in sums of whole numbers.
        """
        if not any(vector) or not self._numbers:
            return []
        steps = [round(_STEPS * component) for component in vector]
        high = [(step + 128) >> 8 for step in steps]
        low = [step - 256 * above for step, above in zip(steps, high, strict=True)]
        (distances,) = _compared([high], self._rows, "cos")
        most = 1 - least + _ROUGHNESS
        rows = list(compress(count(), map(most.__ge__, distances)))
        if not rows:
            return []
        near = b"".join(self._rows[row * DIMENSIONS : (row + 1) * DIMENSIONS] for row in rows)
        of_high, of_low = _compared([high, low], near, "dot")
        (squares,) = _compared([[0] * DIMENSIONS], near, "sqeuclidean")
        found = []
        for row, highs, lows, square in zip(rows, of_high, of_low, squares, strict=True):
            cosine = min(1.0, (256 * highs + lows) / (_STEPS * sqrt(square)))
            if cosine >= least:
                found.append((self._numbers[row], cosine))
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    @lru_cache(maxsize=10_000)  # noqa: B019 - a table lives as long as its process
    def _lanes(self, term: str) -> int:
        """A term's vector as one large integer of 256 lanes, so that adding two vectors is one addition.

        A lane holds the value in units of 1/4096 above a bias that keeps it positive; its 32 bits take the sum
        of `_MOST_TERMS` vectors without a carry into the next lane.
        """
        if known := self._row_lanes(crc32(term.encode())):
            return known
        if self._base:
            return self._base._lanes(term)  # noqa: SLF001 - of the same class
        if not self._has_buckets:
            return _BIASES
        found = buckets_of(term)
        share = 0.5 / (len(found) or 1)
        values = _unpacked(sum(map(self._bucket_lanes, found)), len(found))
        return _lanes_of(map(_BIAS.__add__, map(int, map(share.__mul__, values))))

    @lru_cache(maxsize=40_000)  # noqa: B019 - likewise
    def _numbered(self, number: int) -> int:
        known = self._row_lanes(number)
        if known or not self._has_buckets:
            return known or _BIASES
        bucket = number % BUCKETS
        return _packed(self._bucket_rows, bucket, _ALONE * self._bucket_scales[bucket])

    def _row_lanes(self, number: int) -> int:
        """The vector of a term by its number; 0 if the table lacks it."""
        row = bisect_left(self._numbers, number)
        if row < len(self._numbers) and self._numbers[row] == number:
            return _packed(self._rows, row, self._scales[row])
        return 0

    @lru_cache(maxsize=BUCKETS)  # noqa: B019 - likewise
    def _bucket_lanes(self, bucket: int) -> int:
        return _packed(self._bucket_rows, bucket, self._bucket_scales[bucket])


@cache
def word_table() -> WordTable:
    """The table that comes with the package, mapped once a process."""
    return WordTable()


@cache
def english_table() -> WordTable:
    """The table of everyday English, mapped once a process: by it sentences of running text are compared."""
    return WordTable(ENGLISH)


@cache
def task_table() -> WordTable:
    """The table by which tasks are compared, mapped once a process."""
    return WordTable(TASKS, word_table())


def words_near(text: str, other: str) -> float:
    """How near two short texts are in meaning, by everyday English: -1 to 1, and 0 where a word is unknown."""
    table = english_table()
    return float(sum(map(mul, table.embed(terms(text)), table.embed(terms(other)))))


def _compared(
    vectors: Sequence[Sequence[int]], rows: bytes | memoryview, metric: Literal["cos", "dot", "sqeuclidean"]
) -> list[list[float]]:
    """For each vector of small whole numbers how it compares with each row."""
    asked = (
        memoryview(array("b", chain.from_iterable(vectors))).cast("B").cast("b", (len(vectors), DIMENSIONS))
    )
    table = memoryview(rows).cast("B").cast("b", (len(rows) // DIMENSIONS, DIMENSIONS))
    compared: Any = cdist(asked, table, metric)
    found: Any = memoryview(compared).tolist()  # a row of each vector
    return list(found)


def _packed(rows: memoryview, row: int, scale: float) -> int:
    """A row times its scale, rounded towards 0, as lanes.

    A scale has 24 significant bits and a value 7, so that a product is whole numbers multiplied and shifted, for all
    lanes of one large integer at once; positive and negative values apart.
    """
    fraction, exponent = frexp(scale * _UNITS)
    factor, shift = int(fraction * _SIGNIFICANT), _SIGNIFICANT_BITS - exponent
    if shift >= _LANE_BITS:  # nothing but fractions
        return _BIASES
    kept = _filled((1 << _LANE_BITS - shift) - 1)
    values = bytes(rows[DIMENSIONS * row : DIMENSIONS * (row + 1)])
    above, below = (_spread(values.translate(side)) * factor >> shift & kept for side in (_ABOVE, _BELOW))
    return _BIASES + above - below


def _spread(values: bytes) -> int:
    """Bytes as lanes."""
    lanes = bytearray(DIMENSIONS * _LANE_BITS // 8)
    lanes[:: _LANE_BITS // 8] = values
    return int.from_bytes(lanes, "little")


@lru_cache
def _filled(value: int) -> int:
    """The same value in every lane."""
    return _lanes_of([value] * DIMENSIONS)


def _lanes_of(values: Iterable[int]) -> int:
    return int.from_bytes(array(_LANE, values).tobytes(), sys.byteorder)


def _of_length_1(lanes: Sequence[int]) -> list[float]:
    """The sum of vectors, scaled to a Euclidean length of 1; zeros for none."""
    values = _unpacked(sum(lanes), len(lanes))
    length = sqrt(sum(map(mul, values, values)))
    return [value / length for value in values] if length else [0.0] * DIMENSIONS


def _unpacked(total: int, count: int) -> list[int]:
    """The summed values of `count` vectors, in units."""
    lanes = array(_LANE)
    lanes.frombytes(total.to_bytes(DIMENSIONS * lanes.itemsize, sys.byteorder))
    bias = count * _BIAS
    return [lane - bias for lane in lanes]


_STEPS = 127 * 256
"""In so many steps a component of a vector is compared exactly."""

_ROUGHNESS = 0.05
"""How far a cosine by the high bytes alone may be off; some 0.03 at most."""

_LANE, _LANE_BITS = "I", 32
_UNITS = 4096
_BIAS = 1 << 20
_BIASES = _filled(_BIAS)
_SIGNIFICANT_BITS = 24
_SIGNIFICANT = 1 << _SIGNIFICANT_BITS
_ABOVE = bytes(range(128)) + bytes(128)
_BELOW = bytes(128) + bytes(range(128, 0, -1))
"""What is left of an int8 that is above 0, and of one below 0 without its sign."""

_ALONE = 0.16
"""The weight of one n-gram in place of some ten of a term, which partly cancel each other: 0.5 / sqrt(10)."""

_MOST_TERMS = 2000
_REINSTALL = "Install the package again."
