"""Dense vectors: one memory-mapped, immutable file of integers. Nearest neighbours are found by comparing all vectors.

A component (-1 to 1) is an integer in steps of 1/32512, in two bytes. The high bytes of all vectors are stored
together, and so are the low bytes. A search reads the high bytes of all vectors, and the low bytes of the candidates.
Products are sums of integers, so that equal vectors have the same score everywhere.
"""

import sys
from array import array
from bisect import bisect_left
from collections.abc import Collection, Sequence
from heapq import nlargest
from pathlib import Path
from struct import Struct, error
from typing import Any

from simsimd import cdist

from vademecum.core.errors import IndexCorrupt
from vademecum.stores.flat.tables import map_file

_HEADER = Struct("=8sQQ")
_MAGIC = b"vectors1"
_STEPS = 127 * 256
_OFFSET = (
    32896.5  # to the unsigned 16 bits of the layout: half their range, half a byte, and half a step to round
)
_SIGNED = bytes(number ^ 0x80 for number in range(256))
_LOOKED_AT = 3
"""The number of exact comparisons per requested result. High bytes alone have an error of about 0.003."""

_FEW = 64
"""The number of additional exact comparisons."""

_Planes = tuple[bytes, bytes]


class VectorsWriter:
    """A writer that collects vectors in memory; `commit` writes them."""

    def __init__(self, file: Path, dimensions: int) -> None:
        self._file, self._dimensions = file, dimensions
        self._numbers = array("I")
        self._high, self._low = bytearray(), bytearray()

    def add(self, number: int, vector: Sequence[float]) -> None:
        """Add a vector with components from -1 to 1. Zero vectors are omitted.

        Numbers must ascend from call to call.
        """
        if any(vector):
            high, low = _planes(vector)
            self._numbers.append(number)
            self._high += high
            self._low += low

    def commit(self) -> None:
        """Write the file. The caller makes it durable."""
        with self._file.open("wb") as file:
            file.write(_HEADER.pack(_MAGIC, len(self._numbers), self._dimensions))
            for column in (self._numbers, self._high, self._low):
                file.write(column)


class Vectors:
    """A committed file of vectors, read in place."""

    __slots__ = ("_dimensions", "_high", "_low", "_numbers")

    _dimensions: int

    def __init__(self, file: Path) -> None:
        data = map_file(file)
        try:
            magic, count, dimensions = _HEADER.unpack_from(data)
        except error:
            magic, count, dimensions = b"", 0, 0
        numbers_end = _HEADER.size + 4 * count
        high_end = numbers_end + count * dimensions
        if magic != _MAGIC or len(data) != high_end + count * dimensions:
            message = f"A part of the index at {file} is damaged (its header does not fit it)."
            raise IndexCorrupt(message, hint="Rebuild the index with: ragadmin reindex --full")
        self._numbers = data[_HEADER.size : numbers_end].cast("I")
        self._high, self._low, self._dimensions = data[numbers_end:high_end], data[high_end:], dimensions

    def vector(self, number: int) -> list[float]:
        """Return the vector of a number; an empty list if it has none."""
        size, row = self._dimensions, bisect_left(self._numbers, number)
        if row == len(self._numbers) or self._numbers[row] != number:
            return []
        high, low = (plane[row * size : (row + 1) * size] for plane in (self._high, self._low))
        return [
            (256 * above + (below ^ 0x80) - 128) / _STEPS
            for above, below in zip(high.cast("b"), low, strict=True)
        ]

    def nearest(
        self, vector: Sequence[float], limit: int, among: Collection[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return the numbers with the largest inner product, as (number, product); largest first, ties by number.

        Args:
            vector: A vector of the same dimensions. A zero vector has no neighbours.
            limit: The maximum number of results.
            among: If given, the only numbers to consider.
        """
        if limit < 1 or not any(vector) or not self._numbers:
            return []
        if among is None:
            found = self._products(_planes(vector), self._near(vector, limit))
        else:
            found = self.nearness(vector, among)
        return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    def nearness(self, vector: Sequence[float], numbers: Collection[int]) -> dict[int, float]:
        """Return the inner product for each of these numbers that has a vector."""
        rows = []
        for number in numbers if any(vector) else ():
            row = bisect_left(self._numbers, number)
            if row < len(self._numbers) and self._numbers[row] == number:
                rows.append(row)
        return self._products(_planes(vector), rows) if rows else {}

    def _near(self, vector: Sequence[float], limit: int) -> Sequence[int]:
        """Return the rows that may be among the nearest `limit`, judging by the high bytes."""
        exact = _LOOKED_AT * limit + _FEW
        if exact >= len(self._numbers):
            return range(len(self._numbers))
        (rough,) = _compared([_planes(vector)[0]], self._high, self._dimensions)
        least = nlargest(exact, rough)[-1]
        return [row for row, product in enumerate(rough) if product >= least]

    def _products(self, query: _Planes, rows: Sequence[int]) -> dict[int, float]:
        """Return the exact products of these rows, by number."""
        size = self._dimensions
        high, low = (
            b"".join(plane[row * size : (row + 1) * size] for row in rows)
            for plane in (self._high, self._low)
        )
        of_high, of_low = (_compared(query, plane, size) for plane in (high, low))
        return {
            self._numbers[row]: (65536 * highs + 256 * (mixed + other) + lows) / _STEPS**2
            for row, highs, mixed, other, lows in zip(
                rows, of_high[0], of_high[1], of_low[0], of_low[1], strict=True
            )
        }


def in_steps(vector: Sequence[float]) -> list[float]:
    """Return a vector with components in whole steps, as vectors in files are compared."""
    return [round(_STEPS * component) / _STEPS for component in vector]


def _planes(vector: Sequence[float]) -> _Planes:
    """Return the high bytes and the low bytes of the components, as signed bytes."""
    both = array("H", [int(_STEPS * component + _OFFSET) for component in vector])
    if sys.byteorder == "big":
        both.byteswap()
    signed = both.tobytes().translate(_SIGNED)
    return signed[1::2], signed[::2]


def _compared(queries: Sequence[bytes], plane: bytes | memoryview, size: int) -> list[list[float]]:
    """Return, for each query, its inner products with all vectors of a plane, which are whole numbers."""
    asked = memoryview(b"".join(queries)).cast("b", (len(queries), size))
    products: Any = cdist(asked, memoryview(plane).cast("b", (len(plane) // size, size)), "dot")
    of_query: Any = memoryview(products).tolist()  # one row per query
    return list(of_query)
