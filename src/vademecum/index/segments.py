"""A segment: its flat files and its dense vectors, written and read together."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from vademecum.core.passages import Entry, TermSteps, Wording
from vademecum.core.settings import EmbedderName, Method
from vademecum.index.embedding import Embedding
from vademecum.index.manifest import TERMS, Manifest, SegmentInfo
from vademecum.index.sizes import check_sizes
from vademecum.retrieval import meaning
from vademecum.retrieval.lexical import encode
from vademecum.retrieval.methods import METHODS
from vademecum.stores.flat import Counts, FlatReader, FlatWriter, Groups, Vectors, VectorsWriter
from vademecum.text.words import terms

_EMBEDDED_AT_ONCE = 64
"""Documents whose texts are handed to the embedders together; a transformer is faster with many."""

_NAMES = (meaning.LINE, meaning.NEED)
"""The dense vectors of a segment."""


class _Waiting(NamedTuple):
    """A text to be embedded, and the number its vector gets."""

    number: int
    wording: Wording


class SegmentWriter:
    """Builds a segment document by document.

    Args:
        folder: Where; it must not exist.
        alias: The source it belongs to.
        recipe: Parser and rules its documents are made with.
        embedder: What its documents are embedded with.
        method: How they are indexed.
    """

    def __init__(
        self,
        folder: Path,
        alias: str,
        recipe: str,
        embedder: EmbedderName = "builtin",
        method: Method = "manual-pages",
    ) -> None:
        self._embedding = Embedding(embedder)
        self._making = METHODS[method]
        self._embedding.check()  # before there is anything to clear away
        self._folder, self._alias, self._recipe = folder, alias, recipe
        for part in ("flat", "vectors"):
            (folder / part).mkdir(parents=True)
        self._flat = FlatWriter(folder / "flat")
        self._vectors = {
            name: VectorsWriter(_vectors_file(folder, name), self._embedding.dimensions(name))
            for name in _NAMES
        }
        self._lines: list[_Waiting] = []
        self._needs: list[_Waiting] = []

    def add(self, entry: Entry) -> None:
        """Encode and add a document."""
        encoded = encode(entry, self._making.fields)
        document, first_need = self._flat.documents, self._flat.needs
        self._flat.add(entry, encoded)
        self._lines.append(_Waiting(document, meaning.line_of(entry.title, entry.summary)))
        self._needs += [
            _Waiting(first_need + position, Wording(met.text, terms(met.text)))
            for position, met in enumerate(entry.needs)
        ]
        if len(self._lines) >= _EMBEDDED_AT_ONCE:
            self._embed()

    def _embed(self) -> None:
        """Embed the lines and needs that wait."""
        for name, waiting in ((meaning.LINE, self._lines), (meaning.NEED, self._needs)):
            vectors = self._embedding.documents(name, [text.wording for text in waiting])
            for text, vector in zip(waiting, vectors, strict=True):
                self._vectors[name].add(text.number, vector)
            waiting.clear()

    @property
    def documents(self) -> int:
        """How many were added."""
        return self._flat.documents

    @property
    def text_bytes(self) -> int:
        """Of the text that was added, UTF-8."""
        return self._flat.text_bytes

    def discard(self) -> None:
        """Close every file, finished or not. Their folder is swept away later."""
        self._flat.discard()

    def commit(self) -> SegmentInfo:
        """Finish every file. The caller makes them durable."""
        from vademecum.index.integrity import write_checksums  # noqa: PLC0415 - asking needs none

        self._embed()
        self._flat.commit()
        for vectors in self._vectors.values():
            vectors.commit()
        write_checksums(self._folder)
        found = sorted(file for file in self._folder.rglob("*") if file.is_file())
        files = {str(file.relative_to(self._folder)): file.stat().st_size for file in found}
        return SegmentInfo(
            self._folder.name,
            self._alias,
            self._recipe,
            self._flat.documents,
            self._flat.passages,
            self._flat.text_bytes,
            files,
        )


class Segment:
    """A committed segment, open for search: its files, or the like of them in a store.

    Args:
        info: What the manifest says of it.
        flat: Its documents, passages and tables.
        vectors: Its dense vectors, by name.
    """

    __slots__ = ("_vectors", "dead", "flat", "info")

    def __init__(self, info: SegmentInfo, flat: "FlatReader", vectors: "Mapping[str, Vectors]") -> None:
        self.info = info
        self.dead = frozenset(info.dead)
        self.flat = flat
        self._vectors = vectors

    def vectors(self, name: str) -> Iterator[tuple[int, bytes, list[float]]]:
        """All dense vectors of that name, as `stores.flat.Vectors.each` gives them."""
        return self._vectors[name].each()

    def nearest(
        self, name: str, vector: Sequence[float], limit: int, among: Collection[int] | None = None
    ) -> list[tuple[int, float]]:
        """Those with the nearest dense vector of that name, as (number, cosine)."""
        return self._vectors[name].nearest(vector, limit, among)

    def nearness(self, name: str, vector: Sequence[float], numbers: Collection[int]) -> dict[int, float]:
        """The cosine for each of these that has a dense vector of that name."""
        return self._vectors[name].nearness(vector, numbers)

    def needs(
        self, words: TermSteps, vector: Sequence[float], limit: int, among: Collection[int] | None = None
    ) -> list[tuple[int, float, float]]:
        """The best needs by words, and the nearest in meaning, as (number, words' score, cosine)."""
        by_words = self.flat.need_words.search(words, limit, among)
        by_meaning = self.nearest(meaning.NEED, vector, limit, among)
        found = sorted({need for need, _ in (*by_words, *by_meaning)})
        self.flat.prefetch("need", found)
        scores = self.needs_among(words, vector, found)
        return [(need, *scored) for need, scored in zip(found, scores, strict=True)]

    def needs_among(
        self, words: TermSteps, vector: Sequence[float], needs: Collection[int]
    ) -> list[tuple[float, float]]:
        """For each of these needs its words' score and its cosine."""
        by_words = self.flat.need_words.scores(words, needs)
        by_meaning = self.nearness(meaning.NEED, vector, needs)
        return [(by_words.get(need, 0.0), by_meaning.get(need, 0.0)) for need in needs]


class Statistics(NamedTuple):
    """What a generation knows of all its segments together.

    Attributes:
        terms: How many windows of live documents have each term, by weight, by method.
        links: How many documents point to each reference, by its hash.
        common: For each segment the numbers of the passage texts that too many documents share, ascending.
    """

    terms: Mapping[Method, Counts]
    links: Counts
    common: Groups


def open_segment(folder: Path, info: SegmentInfo) -> Segment:
    """Open the files of a segment.

    Raises:
        FileNotFoundError: They are gone.
        IndexCorrupt: They are not what the manifest says, or cannot be read.
    """
    flat = open_flat(folder, info)
    return Segment(info, flat, {name: Vectors(_vectors_file(folder, name)) for name in _NAMES})


def open_statistics(folder: Path, manifest: Manifest) -> Statistics:
    """Open the tables of a generation.

    Raises:
        As `open_segment`.
    """
    check_sizes(folder, manifest.files)
    terms = {method: Counts(folder / file) for method, file in TERMS.items()}
    return Statistics(terms, Counts(folder / "links.bin"), Groups(folder / "common.bin"))


def _vectors_file(folder: Path, name: str) -> Path:
    return folder / "vectors" / f"{name}.bin"


def open_flat(folder: Path, info: SegmentInfo) -> FlatReader:
    """The flat files of a committed segment, once all its files have been found to have their sizes.

    Raises:
        IndexCorrupt: They are not what the manifest says.
    """
    check_sizes(folder, info.files)
    return FlatReader(folder / "flat")
