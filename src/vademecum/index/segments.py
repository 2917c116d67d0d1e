"""A segment: its flat files and its dense vectors, written and read together."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from vademecum.core.passages import Entry, TermSteps, Wording
from vademecum.core.settings import EmbedderName, Method
from vademecum.index.embedding import Embedding
from vademecum.index.manifest import TERMS, Manifest, SegmentInfo, check_sizes
from vademecum.retrieval import meaning
from vademecum.retrieval.lexical import encode
from vademecum.retrieval.methods import METHODS
from vademecum.stores.flat import Counts, FlatReader, FlatWriter, Groups, Vectors, VectorsWriter
from vademecum.text.words import terms

_EMBEDDED_AT_ONCE = 64
"""The number of documents that are embedded together. A transformer is faster with large batches."""

_NAMES = (meaning.LINE, meaning.NEED, meaning.PASSAGE)
"""The names of the dense vectors of a segment."""


class _Waiting(NamedTuple):
    """A text to embed, and the number of its vector."""

    number: int
    wording: Wording


class SegmentWriter:
    """Builds a segment document by document."""

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
        document, first_need, first_passage = self._flat.documents, self._flat.needs, self._flat.passages
        self._flat.add(entry, encoded)
        if self._making.embeds_passages:
            for number, text in enumerate(encoded.texts, first_passage):
                self._vectors[meaning.PASSAGE].add(number, self._embedding.table.embed_numbers(text))
        self._lines.append(_Waiting(document, meaning.line_of(entry.title, entry.summary)))
        self._needs += [
            _Waiting(first_need + position, Wording(met.text, terms(met.text)))
            for position, met in enumerate(entry.needs)
        ]
        if len(self._lines) >= _EMBEDDED_AT_ONCE:
            self._embed()

    def _embed(self) -> None:
        """Embed the pending summary lines and needs."""
        for name, waiting in ((meaning.LINE, self._lines), (meaning.NEED, self._needs)):
            vectors = self._embedding.documents(name, [text.wording for text in waiting])
            for text, vector in zip(waiting, vectors, strict=True):
                self._vectors[name].add(text.number, vector)
            waiting.clear()

    @property
    def documents(self) -> int:
        """The number of added documents."""
        return self._flat.documents

    @property
    def text_bytes(self) -> int:
        """The size of the added text in UTF-8."""
        return self._flat.text_bytes

    def discard(self) -> None:
        """Close all files. The folder is removed later."""
        self._flat.discard()

    def commit(self) -> SegmentInfo:
        """Finish all files. The caller syncs them to disk."""
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
    """A committed segment, open for search."""

    __slots__ = ("_vectors", "dead", "flat", "info", "similarities")

    def __init__(self, info: SegmentInfo, flat: "FlatReader", vectors: "Mapping[str, Vectors]") -> None:
        self.info = info
        self.dead = frozenset(info.dead)
        self.flat = flat
        self._vectors = vectors
        self.similarities: Mapping[
            int, float
        ] = {}  # of documents with the question, as a server computed them

    def vector(self, name: str, number: int) -> Sequence[float]:
        """Return a dense vector; () if there is none."""
        return self._vectors[name].vector(number)

    def nearest(
        self, name: str, vector: Sequence[float], limit: int, among: Collection[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return the documents with the nearest dense vectors, as (number, cosine)."""
        return self._vectors[name].nearest(vector, limit, among)

    def passage_nearness(self, vector: Sequence[float], passages: Sequence[int]) -> dict[int, float]:
        """Return the cosine of each of these passages of running text."""
        return self.nearness(meaning.PASSAGE, vector, passages)

    def nearness(self, name: str, vector: Sequence[float], numbers: Collection[int]) -> dict[int, float]:
        """Return the cosine of each of these documents that has a dense vector with this name."""
        return self._vectors[name].nearness(vector, numbers)

    def needs(
        self, words: TermSteps, vector: Sequence[float], limit: int, among: Collection[int] | None = None
    ) -> list[tuple[int, float, float]]:
        """Return the best needs by words and by embedding, as (number, score by words, cosine)."""
        by_words = self.flat.need_words.search(words, limit, among)
        by_meaning = self.nearest(meaning.NEED, vector, limit, among)
        found = sorted({need for need, _ in (*by_words, *by_meaning)})
        scores = self.needs_among(words, vector, found)
        return [(need, *scored) for need, scored in zip(found, scores, strict=True)]

    def needs_among(
        self, words: TermSteps, vector: Sequence[float], needs: Collection[int]
    ) -> list[tuple[float, float]]:
        """Return the score by words and the cosine of each of these needs."""
        by_words = self.flat.need_words.scores(words, needs)
        by_meaning = self.nearness(meaning.NEED, vector, needs)
        return [(by_words.get(need, 0.0), by_meaning.get(need, 0.0)) for need in needs]


class Frequencies(Protocol):
    """A table of counts by 32-bit number: a file, or a mapping."""

    def get(self, key: int, /) -> int | None:
        """Return the count of a key; 0 or None if the table does not contain it."""

    def items(self) -> Iterable[tuple[int, int]]:
        """Return all pairs."""


class Statistics(NamedTuple):
    """The statistics over all segments of a generation.

    Attributes:
        terms: The weighted number of windows of live documents with each term, by method.
        links: The number of documents that link to each reference, by its hash.
        common: For each segment, the numbers of passage texts that too many documents share, ascending.
    """

    terms: Mapping[Method, Frequencies]
    links: Frequencies
    common: "Groups | Sequence[Sequence[int]]"


def open_segment(folder: Path, info: SegmentInfo) -> Segment:
    """Open the files of a segment."""
    flat = open_flat(folder, info)
    return Segment(info, flat, {name: Vectors(_vectors_file(folder, name)) for name in _NAMES})


def open_statistics(folder: Path, manifest: Manifest) -> Statistics:
    """Open the tables of a generation."""
    check_sizes(folder, manifest.files)
    terms = {method: Counts(folder / file) for method, file in TERMS.items()}
    return Statistics(terms, Counts(folder / "links.bin"), Groups(folder / "common.bin"))


def _vectors_file(folder: Path, name: str) -> Path:
    return folder / "vectors" / f"{name}.bin"


def open_flat(folder: Path, info: SegmentInfo) -> FlatReader:
    """Open the flat files of a committed segment, after checking the sizes of all its files."""
    check_sizes(folder, info.files)
    return FlatReader(folder / "flat")
