"""Transformer embeddings of units of running text. They are made after publishing, and stored next to the index.

    unit-vectors/<rules>/
      lock               held by the process that makes them
      <segment>.part     one that is not complete: the next process goes on with it
      <segment>.units    a complete one

A file has a record for each unit, in the order of the passages: the number of its passage (4 bytes), a digest of its words
(12), and its vector (a signed byte for each component, in steps of 1/400). They are used once the files of all segments are complete, so
that all passages of an index are measured alike.
"""

import os
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby, islice
from pathlib import Path
from struct import Struct
from time import monotonic
from typing import TYPE_CHECKING, Any

from simsimd import cdist

from vademecum.core.candidates import DocumentId, PassageScore
from vademecum.core.errors import IndexCorrupt, ProviderError
from vademecum.stores.flat.tables import map_file

if TYPE_CHECKING:
    from vademecum.core.protocols import Embedder  # it loads more than a question needs

_FOLDER = "unit-vectors"
_RULES = 1
"""To be changed with what units are, with the words they are embedded as, and with the form of the files."""
_STEPS = 400
_MOST_STEPS = 127
_HEAD = Struct("<I12s")
_DIGEST_BYTES = 12

_NUMBER_BYTES = 4
_LOOK_EVERY_S = 1.0


def unit_embedder() -> "Embedder":
    """What units are embedded with.

    Raises:
        ProviderError: It is not installed.
    """
    from vademecum.providers.registry import transformer  # noqa: PLC0415 - where nothing is embedded nothing needs it

    return transformer()


def folder_of(index: Path, embedder: "Embedder") -> Path:
    """Where the vectors of an index are that this embedder has made.

    Raises:
        ProviderError: It cannot be read.
    """
    import hashlib  # noqa: PLC0415 - a question to manual pages needs none of it

    return index / _FOLDER / hashlib.sha256(f"{_RULES} {embedder.stamp}".encode()).hexdigest()[:12]


def digest_of(words: str) -> bytes:
    """What tells the words of a unit from others."""
    from hashlib import blake2b  # noqa: PLC0415 - as above

    return blake2b(words.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def complete(folder: Path, segment: str) -> Path:
    """The file of a segment whose units are all embedded."""
    return folder / f"{segment}.units"


def _part(folder: Path, segment: str) -> Path:
    return folder / f"{segment}.part"


def begun(folder: Path, segment: str, dimensions: int) -> int:
    """How many passages of a segment have been passed by those who embed its units."""
    size = _HEAD.size + dimensions
    try:
        with _part(folder, segment).open("rb") as file:
            rows = file.seek(0, os.SEEK_END) // size
            file.seek(max(0, rows - 1) * size)
            head = file.read(_HEAD.size) if rows else b""
    except FileNotFoundError:
        return 0
    return int(_HEAD.unpack(head)[0]) if head else 0


class UnitVectorsWriter:
    """Writes the vectors of a segment, passage by passage. What an earlier process has written stays.

    Args:
        folder: Where to; it must exist.
        segment: The segment's name.
        dimensions: Of every vector.
    """

    def __init__(self, folder: Path, segment: str, dimensions: int) -> None:
        self._part, self._whole = _part(folder, segment), complete(folder, segment)
        size = _HEAD.size + dimensions
        self._part.touch(mode=0o600)
        numbers = array("I", (number for number, _ in _heads(_whole_records(self._part, size), size)))
        kept = bisect_left(numbers, numbers[-1]) if numbers else 0  # the last passage may lack units
        os.truncate(self._part, kept * size)
        self.after = numbers[kept - 1] if kept else -1
        """The last passage that need not be written."""
        self._file = self._part.open("ab")

    def add(self, passage: int, units: Iterable[tuple[bytes, bytes]]) -> None:
        """Add the units of a passage, as digests and steps. Numbers ascend from call to call."""
        self._file.write(b"".join(_HEAD.pack(passage, digest) + steps for digest, steps in units))

    def commit(self) -> None:
        """Say that these are all."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._part.replace(self._whole)

    def close(self) -> None:
        """Keep what was written for the next process."""
        self._file.close()


def steps_of(vector: Sequence[float]) -> bytes:
    """A vector as it is kept: its components in steps, those that are larger than any of a sentence cut."""
    return array(
        "b", [max(-_MOST_STEPS, min(_MOST_STEPS, round(_STEPS * component))) for component in vector]
    ).tobytes()


def known_in(folder: Path, dimensions: int) -> dict[bytes, bytes]:
    """The steps of every unit that is embedded in a folder, by its digest; also of segments that are gone or not complete."""
    size = _HEAD.size + dimensions
    found: dict[bytes, bytes] = {}
    for file in (*folder.glob("*.units"), *folder.glob("*.part")):
        data = _whole_records(file, size)
        for row, (_, digest) in enumerate(_heads(data, size)):
            found[digest] = data[row * size + _HEAD.size : (row + 1) * size]
    return found


def sweep(folder: Path, keep: Iterable[str]) -> None:
    """Delete the files of all segments but these, and what was made by other rules."""
    from shutil import rmtree  # noqa: PLC0415 - asking deletes nothing

    kept = {complete(folder, segment) for segment in keep} | {folder / "lock"}
    for file in folder.iterdir():
        if file not in kept:
            file.unlink(missing_ok=True)
    for other in folder.parent.iterdir():
        if other != folder:
            rmtree(other, ignore_errors=True)


class EmbeddedUnits:
    """The vectors of an index's units, once they are complete. They are looked for when a question comes, and now and then until then.

    Args:
        index: The folder of the index; None where it is in a store, which keeps none.
        segments: The names of the segments that have running text, by their position in the index.
    """

    def __init__(self, index: Path | None, segments: Mapping[int, str]) -> None:
        self._index, self._segments = index, segments
        self._opened: UnitVectors | None = None
        self._look_again_s = 0.0

    def opened(self) -> "UnitVectors | None":
        """Them; None where they are not complete, or nothing is here that made them.

        Raises:
            IndexCorrupt: A file is damaged.
        """
        if self._opened or self._index is None or not self._segments or monotonic() < self._look_again_s:
            return self._opened
        self._look_again_s = monotonic() + _LOOK_EVERY_S
        if (self._index / _FOLDER).is_dir():
            with suppress(ProviderError, FileNotFoundError):
                embedder = unit_embedder()
                self._opened = UnitVectors(folder_of(self._index, embedder), self._segments, embedder)
        return self._opened


class UnitVectors:
    """The vectors of an index's units, read in place.

    Args:
        folder: As `folder_of` gives it.
        segments: The names of the segments that have running text, by their position in the index.
        embedder: What made them.

    Raises:
        FileNotFoundError: Those of a segment are not complete.
        IndexCorrupt: A file is damaged.
    """

    def __init__(self, folder: Path, segments: Mapping[int, str], embedder: "Embedder") -> None:
        self._embedder = embedder
        self._size = _HEAD.size + embedder.dimensions
        self._parts: dict[int, _Part] = {}
        for position, name in segments.items():
            file = complete(folder, name)
            data = map_file(file)
            if len(data) % self._size:
                message = f"The vectors of units at {file} are damaged (it ends within one)."
                raise IndexCorrupt(message, hint="Delete the file, and bring the index up to date.")
            self._parts[position] = data, array("I", (number for number, _ in _heads(data, self._size)))

    def compared(self, question: str, passage_at: "PassageAt") -> "ComparedUnits":
        """All of them, compared with a question.

        Args:
            question: Its text.
            passage_at: Gives the passage of a segment's position and a number, where it may be found.

        Raises:
            ProviderError: The embedder cannot be loaded.
        """
        asked = bytes(_HEAD.size) + steps_of(self._embedder.embed([question], "query")[0])
        return ComparedUnits(self._parts, asked, passage_at)


PassageAt = Callable[[int, int], tuple[DocumentId, PassageScore] | None]
_Part = tuple[memoryview, "array[int]"]
"""The records of a segment, and the passage of each."""


class ComparedUnits:
    """See `UnitNearness`.

    Args:
        parts: What is compared, by the segments' positions.
        asked: The question's vector, behind as many zeros as there are bytes before a unit's.
        passage_at: As in `UnitVectors.compared`.
    """

    def __init__(self, parts: Mapping[int, _Part], asked: bytes, passage_at: PassageAt) -> None:
        self._parts, self._size, self._passage_at = parts, len(asked), passage_at
        self._cosines = {position: _products(asked, data) for position, (data, _) in parts.items()}

    def nearest(self, limit: int) -> list[tuple[DocumentId, PassageScore]]:
        """See `UnitNearness`."""
        best: list[tuple[float, int, int]] = []
        for position, (_, numbers) in self._parts.items():
            cosines = iter(self._cosines[position])
            best += [
                (max(islice(cosines, len(list(of_passage)))), -position, -number)
                for number, of_passage in groupby(numbers)
            ]
        best.sort(reverse=True)
        places = (self._passage_at(-position, -number) for _, position, number in best)
        return list(islice(filter(None, places), limit))

    def passages(self, passages: Sequence[tuple[DocumentId, int]]) -> list[float]:
        """See `UnitNearness`."""
        return [
            max((cosine for _, cosine in self._rows(place.segment, number)), default=0.0)
            for place, number in passages
        ]

    def units(self, passages: Iterable[tuple[DocumentId, int]]) -> Callable[[str], float]:
        """See `UnitNearness`."""
        cosines = {
            bytes(self._parts[place.segment][0][row * self._size :][_NUMBER_BYTES : _HEAD.size]): cosine
            for place, number in passages
            for row, cosine in self._rows(place.segment, number)
        }
        return lambda words: cosines.get(digest_of(words), 0.0)

    def _rows(self, position: int, number: int) -> Iterator[tuple[int, float]]:
        numbers, cosines = self._parts[position][1], self._cosines[position]
        row = bisect_left(numbers, number)
        while row < len(numbers) and numbers[row] == number:
            yield row, cosines[row]
            row += 1


def _whole_records(file: Path, size: int) -> bytes:
    """The bytes of a file without a last record that is cut off."""
    data = file.read_bytes()
    return data[: len(data) // size * size]


def _heads(data: "bytes | memoryview", size: int) -> Iterator[tuple[int, bytes]]:
    """The passage and digest of every record."""
    return Struct(f"<I12s{size - _HEAD.size}x").iter_unpack(data)


def _products(asked: bytes, data: memoryview) -> list[float]:
    if not data:
        return []
    size = len(asked)
    query = memoryview(asked).cast("b", (1, size))
    products: Any = cdist(query, data.cast("b", (len(data) // size, size)), "dot")
    of_query: Any = memoryview(products).tolist()  # a row of each query
    return [product / _STEPS**2 for product in of_query[0]]
