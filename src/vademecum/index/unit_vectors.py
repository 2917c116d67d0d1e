"""Transformer embeddings of units of running text. They are made after publishing, and stored next to the index.

    unit-vectors/embedder  the name of a model on a server that makes them; without it, the transformer in this process does
    unit-vectors/<rules>/
      scale              the mean and the spread of the cosines of such a model
      lock               held by the process that makes the vectors
      <segment>.part     an incomplete file, which the next process continues
      <segment>.units    a complete file

A file has a record for each unit, in the order of the passages: the number of its passage (4 bytes), a digest of its words
(12 bytes), and its vector (a signed byte for each component, in steps of 1/400). Vectors are used after the files of all segments are
complete, so that all passages of an index are compared in the same way.
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
from vademecum.files.write import replace_file
from vademecum.stores.flat.tables import map_file

if TYPE_CHECKING:
    from vademecum.core.protocols import Embedder  # it loads more than a question needs

_FOLDER, _NAME, _SCALE = "unit-vectors", "embedder", "scale"
_PAIRS, _USUAL = 2000, (0.17, 0.145)
"""The number of pairs of units that the scale of an embedder is measured with, and the mean and the spread of the cosines that the weights were fitted with."""

_RULES = 2
"""The version of units, of the text that is embedded, and of the file format."""
_STEPS = 400
_MOST_STEPS = 127
_LEAST_SPREAD = 0.005
_HEAD = Struct("<I12s")
_DIGEST_BYTES = 12

_NUMBER_BYTES = 4
_LOOK_EVERY_S = 1.0


def unit_embedder(index: Path | None = None) -> "Embedder":
    """Return the embedder of the units of an index: the transformer in this process, or the model on a server that it names."""
    from vademecum.index.embedding import served, transformer  # noqa: PLC0415 - where nothing is embedded nothing needs it

    name = served_name(index) if index else ""
    return served(name) if name else transformer()


def served_name(index: Path) -> str:
    """Return the name of the model on a server that embeds the units of an index; "" for none."""
    with suppress(OSError):
        return (index / _FOLDER / _NAME).read_text("utf-8")
    return ""


def name_embedder(index: Path, name: str) -> None:
    """Record the model on a server that embeds the units of an index; none for other names than `PROVIDER:MODEL`."""
    file = index / _FOLDER / _NAME
    if ":" in name:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(file, name)
    else:
        with suppress(OSError):
            file.unlink()


def folder_of(index: Path, embedder: "Embedder") -> Path:
    """Return the folder with the vectors of an index by this embedder."""
    import hashlib  # noqa: PLC0415 - a question to manual pages needs none of it

    return index / _FOLDER / hashlib.sha256(f"{_RULES} {embedder.stamp}".encode()).hexdigest()[:12]


def digest_of(words: str) -> bytes:
    """Return a digest of the words of a unit."""
    from hashlib import blake2b  # noqa: PLC0415 - as above

    return blake2b(words.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def complete(folder: Path, segment: str) -> Path:
    """Return the path of a segment's complete file."""
    return folder / f"{segment}.units"


def _part(folder: Path, segment: str) -> Path:
    return folder / f"{segment}.part"


def begun(folder: Path, segment: str, dimensions: int) -> int:
    """Return the number of passages of a segment whose units are already embedded."""
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
    """Writes the vectors of a segment, passage by passage. It continues the file of an earlier process."""

    def __init__(self, folder: Path, segment: str, dimensions: int) -> None:
        self._part, self._whole = _part(folder, segment), complete(folder, segment)
        size = _HEAD.size + dimensions
        self._part.touch(mode=0o600)
        numbers = array("I", (number for number, _ in _heads(_whole_records(self._part, size), size)))
        kept = bisect_left(numbers, numbers[-1]) if numbers else 0  # the last passage may lack units
        os.truncate(self._part, kept * size)
        self.after = numbers[kept - 1] if kept else -1
        """The last passage that is already written."""
        self._file = self._part.open("ab")

    def add(self, passage: int, units: Iterable[tuple[bytes, bytes]]) -> None:
        """Add the units of a passage, as digests and steps. Passage numbers must ascend."""
        self._file.write(b"".join(_HEAD.pack(passage, digest) + steps for digest, steps in units))

    def commit(self) -> None:
        """Mark the file as complete."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._part.replace(self._whole)

    def close(self) -> None:
        """Close the file, so that the next process can continue it."""
        self._file.close()


def steps_of(vector: Sequence[float]) -> bytes:
    """Quantize a vector to steps. Components that are larger than those of any sentence are clipped."""
    return array(
        "b", [max(-_MOST_STEPS, min(_MOST_STEPS, round(_STEPS * component))) for component in vector]
    ).tobytes()


def known_in(folder: Path, dimensions: int) -> dict[bytes, bytes]:
    """Return the quantized vectors of all embedded units in a folder by digest, including removed and incomplete segments."""
    size = _HEAD.size + dimensions
    found: dict[bytes, bytes] = {}
    for file in (*folder.glob("*.units"), *folder.glob("*.part")):
        data = _whole_records(file, size)
        for row, (_, digest) in enumerate(_heads(data, size)):
            found[digest] = data[row * size + _HEAD.size : (row + 1) * size]
    return found


def sweep(folder: Path, keep: Iterable[str]) -> None:
    """Delete the files of all other segments, and those made by other rules."""
    from shutil import rmtree  # noqa: PLC0415 - asking deletes nothing

    kept = {complete(folder, segment) for segment in keep} | {folder / "lock", folder / _SCALE}
    for file in folder.iterdir():
        if file not in kept:
            file.unlink(missing_ok=True)
    for other in folder.parent.iterdir():
        if other != folder and other.is_dir():
            rmtree(other, ignore_errors=True)


def measure_scale(folder: Path, dimensions: int) -> None:
    """Store the mean and the spread of the cosines of random pairs of units, by which the cosines of another embedder are converted."""
    from random import Random  # noqa: PLC0415 - most questions need none of it
    from statistics import fmean, pstdev  # noqa: PLC0415 - the same

    vectors = list(known_in(folder, dimensions).values())
    chance = Random(len(vectors))  # noqa: S311 - the same for the same units
    pairs = (chance.sample(vectors, 2) for _ in range(_PAIRS if len(vectors) > 1 else 0))
    cosines = [_products(first, memoryview(second))[0] for first, second in pairs]
    if cosines:
        replace_file(folder / _SCALE, f"{fmean(cosines)} {pstdev(cosines)}")


class EmbeddedUnits:
    """The vectors of an index's units, when they are complete. Until then, each question checks for them from time to time.

    Args:
        index: The folder of the index; None if it is in a store, which has no unit vectors.
        segments: The names of the segments with running text, by position in the index.
    """

    def __init__(self, index: Path | None, segments: Mapping[int, str]) -> None:
        self._index, self._segments = index, segments
        self._opened: UnitVectors | None = None
        self._look_again_s = 0.0

    def opened(self) -> "UnitVectors | None":
        """Open the vectors; None if they are incomplete, or their embedder is not installed."""
        if self._opened or self._index is None or not self._segments or monotonic() < self._look_again_s:
            return self._opened
        self._look_again_s = monotonic() + _LOOK_EVERY_S
        if (self._index / _FOLDER).is_dir():
            with suppress(ProviderError, FileNotFoundError):
                embedder = unit_embedder(self._index)
                self._opened = UnitVectors(folder_of(self._index, embedder), self._segments, embedder)
        return self._opened


class UnitVectors:
    """The memory-mapped vectors of an index's units.

    Args:
        folder: The folder, as returned by `folder_of`.
        segments: The names of the segments with running text, by position in the index.
    """

    def __init__(self, folder: Path, segments: Mapping[int, str], embedder: "Embedder") -> None:
        self._embedder = embedder
        self._scale = scale_in(folder)
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
        """Compare all vectors with a question.

        Args:
            passage_at: Returns the passage for a segment position and a number, if it is in scope.
        """
        asked = bytes(_HEAD.size) + steps_of(self._embedder.embed([question], "query")[0])
        return ComparedUnits(self._parts, asked, passage_at, self._scale)


PassageAt = Callable[[int, int], tuple[DocumentId, PassageScore] | None]
_Part = tuple[memoryview, "array[int]"]
"""The records of a segment, each with its passage."""


class ComparedUnits:
    """See `UnitNearness`.

    Args:
        asked: The question's vector, preceded by as many zeros as a record has bytes before its vector.
        passage_at: Same as in `UnitVectors.compared`.
        scale: Converts a cosine to that of the usual embedder.
    """

    def __init__(
        self,
        parts: Mapping[int, _Part],
        asked: bytes,
        passage_at: PassageAt,
        scale: Callable[[float], float] | None = None,
    ) -> None:
        self._parts, self._size, self._passage_at = parts, len(asked), passage_at
        self._cosines = {position: _products(asked, data) for position, (data, _) in parts.items()}
        if scale:
            self._cosines = {position: list(map(scale, found)) for position, found in self._cosines.items()}

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


def scale_in(folder: Path) -> Callable[[float], float] | None:
    """Return a function that converts the cosines of a folder to those of the usual embedder; None if they are its own."""
    file = folder / _SCALE
    if not file.is_file():
        return None
    mean, spread = map(float, file.read_text("utf-8").split())
    factor = _USUAL[1] / max(spread, _LEAST_SPREAD)
    return lambda cosine: _USUAL[0] + (cosine - mean) * factor


def _whole_records(file: Path, size: int) -> bytes:
    """Return the contents of a file without a truncated last record."""
    data = file.read_bytes()
    return data[: len(data) // size * size]


def _heads(data: "bytes | memoryview", size: int) -> Iterator[tuple[int, bytes]]:
    """Return the passage and digest of each record."""
    return Struct(f"<I12s{size - _HEAD.size}x").iter_unpack(data)


def _products(asked: bytes, data: memoryview) -> list[float]:
    if not data:
        return []
    size = len(asked)
    query = memoryview(asked).cast("b", (1, size))
    products: Any = cdist(query, data.cast("b", (len(data) // size, size)), "dot")
    of_query: Any = memoryview(products).tolist()  # a row of each query
    return [product / _STEPS**2 for product in of_query[0]]
