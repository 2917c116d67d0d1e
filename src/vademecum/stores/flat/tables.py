"""Sorted tables of numbers, searched in memory-mapped files."""

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, groupby, pairwise
from mmap import ACCESS_READ, MADV_RANDOM, mmap
from operator import itemgetter
from pathlib import Path

from vademecum.core.errors import IndexCorrupt


def map_file(path: Path, *, scattered: bool = False) -> memoryview:
    """Return the bytes of a file, mapped read-only. An empty file gives an empty view.

    Args:
        scattered: Whether the file is read at random. Otherwise, the kernel reads ahead, which for a few hundred
            passages loads nearly all texts.
    """
    with path.open("rb") as file:
        if not path.stat().st_size:
            return memoryview(b"")
        mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
    if scattered:
        mapped.madvise(MADV_RANDOM)
    return memoryview(mapped)


def write_numbers(path: Path, *columns: Iterable[int]) -> None:
    """Write columns of 32-bit numbers, concatenated."""
    with path.open("wb") as file:
        for column in columns:
            numbers = array("I", column)
            if sys.byteorder == "big":
                numbers.byteswap()
            file.write(numbers.tobytes())


class Keys:
    """A table of 64-bit keys, numbered from 0."""

    __slots__ = ("_keys",)

    def __init__(self, path: Path) -> None:
        self._keys = map_file(path).cast("Q")

    @staticmethod
    def write(path: Path, keys: Iterable[int]) -> None:
        """Write a table."""
        numbers = array("Q", keys)
        if sys.byteorder == "big":
            numbers.byteswap()
        path.write_bytes(numbers.tobytes())

    def __iter__(self) -> Iterator[int]:
        return iter(self._keys)


class Counts:
    """A table from 32-bit keys to 32-bit numbers: the keys in ascending order, then their numbers."""

    __slots__ = ("_keys", "_values")

    def __init__(self, path: Path) -> None:
        numbers = map_file(path).cast("I")
        half = len(numbers) // 2
        self._keys, self._values = numbers[:half], numbers[half:]

    @staticmethod
    def write(path: Path, counts: Mapping[int, int]) -> None:
        """Write a table. Keys and numbers are 0 to 2**32 - 1."""
        keys = sorted(counts)
        write_numbers(path, keys, (counts[key] for key in keys))

    def get(self, key: int) -> int:
        """Return the number of a key, or 0 if the table does not contain it."""
        position = bisect_left(self._keys, key)
        if position < len(self._keys) and self._keys[position] == key:
            return self._values[position]
        return 0

    def items(self) -> Iterator[tuple[int, int]]:
        """Yield all pairs in ascending order of keys."""
        return zip(self._keys, self._values, strict=True)


class Groups:
    """A table from keys 0 to n-1 to lists of numbers."""

    __slots__ = ("_numbers", "_offsets")

    def __init__(self, path: Path) -> None:
        numbers = map_file(path).cast("I")
        count = numbers[0] if len(numbers) else 0
        self._offsets, self._numbers = numbers[1 : count + 2], numbers[count + 2 :]

    @staticmethod
    def write(path: Path, groups: Iterable["array[int]"]) -> None:
        """Write a table: its length, n+1 offsets, and the numbers."""
        kept = list(groups)
        offsets = accumulate(map(len, kept), initial=0)
        write_numbers(path, [len(kept)], offsets, (number for group in kept for number in group))

    def __len__(self) -> int:
        return max(0, len(self._offsets) - 1)

    def __getitem__(self, key: int) -> memoryview:
        try:
            return self._numbers[self._offsets[key] : self._offsets[key + 1]]
        except IndexError as error:
            message = "The index is damaged (a table is shorter than it should be)."
            raise IndexCorrupt(message, hint="Rebuild it with: ragadmin reindex --full") from error

    def shared(self) -> Iterator[int]:
        """Yield the keys with more than one number, in ascending order."""
        return (key for key, (start, end) in enumerate(pairwise(self._offsets)) if end - start > 1)


class Names:
    """A table from 32-bit name hashes to document numbers. A hash can occur several times."""

    __slots__ = ("_documents", "_hashes")

    def __init__(self, path: Path) -> None:
        numbers = map_file(path).cast("I")
        half = len(numbers) // 2
        self._hashes, self._documents = numbers[:half], numbers[half:]

    @staticmethod
    def write(path: Path, pairs: Iterable[tuple[int, int]]) -> None:
        """Write (hash, document number) pairs."""
        ordered = sorted(pairs)
        write_numbers(path, (name for name, _ in ordered), (document for _, document in ordered))

    def each(self) -> Iterator[tuple[int, list[int]]]:
        """Yield every hash with its documents, in ascending order of hashes."""
        for name, pairs in groupby(zip(self._hashes, self._documents, strict=True), itemgetter(0)):
            yield name, [document for _, document in pairs]

    def get(self, name: int) -> list[int]:
        """Return the documents of a hash, in ascending order."""
        found = []
        position = bisect_left(self._hashes, name)
        while position < len(self._hashes) and self._hashes[position] == name:
            found.append(self._documents[position])
            position += 1
        return found
