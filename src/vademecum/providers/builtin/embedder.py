"""The built-in embedder: a text's vector is the normalised sum of its terms' vectors."""

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from math import sqrt
from mmap import ACCESS_READ, mmap
from pathlib import Path
from zlib import crc32

from vademecum.core.errors import ProviderError
from vademecum.providers.builtin.table import BUCKETS, DIMENSIONS, HEADER, MAGIC, buckets_of

WORDS = Path(__file__).with_name("words.bin")
"""The table that comes with the package; `training/` has its recipe."""


class WordTable:
    """A table of term vectors, mapped and read in place.

    Args:
        path: A file as `training/embedder.py` writes it.

    Raises:
        ProviderError: The file is not a word table.
    """

    dimensions = DIMENSIONS

    def __init__(self, path: Path = WORDS) -> None:
        try:
            with path.open("rb") as file:
                data = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
            magic, dimensions, words, buckets = HEADER.unpack_from(data)
        except (OSError, ValueError) as error:
            raise ProviderError(f"The word table {path} can not be read: {error}", hint=_REINSTALL) from error
        if (magic, dimensions, buckets) != (MAGIC, DIMENSIONS, BUCKETS):
            raise ProviderError(f"{path} is not a word table of this version.", hint=_REINSTALL)
        sizes = (4 * words, 4 * words, 4 * buckets, dimensions * words, dimensions * buckets)
        parts, start = [], HEADER.size
        for size in sizes:
            parts.append(data[start : start + size])
            start += size
        self._numbers, self._scales, self._bucket_scales = parts[0].cast("I"), parts[1].cast("f"), parts[2].cast("f")
        self._rows, self._bucket_rows = parts[3].cast("b"), parts[4].cast("b")
        self.name = f"builtin-{crc32(parts[1]):08x}"

    def embed(self, terms: Iterable[str]) -> list[float]:
        """The vector of a text given by its terms: `dimensions` numbers of Euclidean length 1.

        A term that is not in the table counts by its character n-grams, at half weight. A text without terms
        gives zeros.
        """
        total = count = 0
        for term in terms:
            total += self._lanes(term)
            count += 1
        lanes = array(_LANE)
        lanes.frombytes(total.to_bytes(DIMENSIONS * lanes.itemsize, sys.byteorder))
        bias = count * _BIAS
        values = [lane - bias for lane in lanes]
        length = sqrt(sum(value * value for value in values))
        return [value / length for value in values] if length else [0.0] * DIMENSIONS

    @lru_cache(maxsize=50_000)  # noqa: B019 - a table lives as long as its process
    def _lanes(self, term: str) -> int:
        """A term's vector as one large integer of 256 lanes, so that adding two vectors is one addition.

        A lane holds the value in units of 1/4096 above a bias that keeps it positive; 32 bits take the sum of
        65,536 of them without a carry into the next lane.
        """
        number = crc32(term.encode())
        row = bisect_left(self._numbers, number)
        if row < len(self._numbers) and self._numbers[row] == number:
            scale = self._scales[row] * _UNITS
            values = [int(scale * value) for value in self._rows[DIMENSIONS * row : DIMENSIONS * (row + 1)]]
        else:
            total = [0.0] * DIMENSIONS
            found = buckets_of(term)
            for bucket in found:
                scale = 0.5 * self._bucket_scales[bucket] * _UNITS / len(found)
                part = self._bucket_rows[DIMENSIONS * bucket : DIMENSIONS * (bucket + 1)]
                total = [so_far + scale * value for so_far, value in zip(total, part, strict=True)]
            values = [int(value) for value in total]
        lanes = array(_LANE, [min(max(value + _BIAS, 0), 2 * _BIAS - 1) for value in values])
        return int.from_bytes(lanes.tobytes(), sys.byteorder)


_LANE = "I"
_UNITS = 4096
_BIAS = 1 << 15
_REINSTALL = "Install the package again."
