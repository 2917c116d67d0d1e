"""A segment: its flat files and its shard of the search engine, written together and read together."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from vademecum.core.passages import Entry, TermSteps, Wording
from vademecum.core.settings import EmbedderName, Method
from vademecum.library.embedding import Embedding
from vademecum.library.manifest import SegmentInfo
from vademecum.library.sizes import check_sizes
from vademecum.retrieval import meaning
from vademecum.retrieval.lexical import encode
from vademecum.retrieval.methods import METHODS
from vademecum.retrieval.words import is_word, number, terms
from vademecum.stores.edge import EdgeReader, EdgeWriter, Opening
from vademecum.stores.flat import FlatReader, FlatWriter

_EMBEDDED_AT_ONCE = 64
"""Documents whose texts are handed to the embedders together; a transformer is faster with many."""


class _Page(NamedTuple):
    """A document on its way into the search engine, and those of its needs, each with its number."""

    number: int
    line: Wording
    needs: Sequence[tuple[int, Wording]]


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
        for part in ("flat", "edge"):
            (folder / part).mkdir(parents=True)
        self._flat = FlatWriter(folder / "flat")
        dimensions = {meaning.LINE: self._embedding.dimensions(meaning.LINE)}
        embedded = self._embedding.dimensions(meaning.PASSAGE) if self._making.embeds_passages else 0
        self._edge = EdgeWriter(
            folder / "edge", dimensions, self._embedding.dimensions(meaning.NEED), embedded
        )
        self._waiting: list[_Page] = []
        self._words: dict[str, None] = {}

    def add(self, entry: Entry) -> None:
        """Encode and add a document."""
        encoded = encode(entry, self._making.fields)
        number, first_need = self._flat.documents, self._flat.needs
        new_texts = self._flat.add(entry, encoded)
        if self._making.embeds_passages:
            for text, position in new_texts:
                self._edge.add_passage(text, self._meant(entry, position))
        needs = [
            (first_need + position, Wording(met.text, terms(met.text)))
            for position, met in enumerate(entry.needs)
        ]
        self._waiting.append(_Page(number, meaning.line_of(entry.title, entry.summary), needs))
        if len(self._waiting) >= _EMBEDDED_AT_ONCE:
            self._embed()

    def _meant(self, entry: Entry, position: int) -> list[float]:
        """The dense vector of a passage."""
        passage = entry.passages[position]
        words = entry.text[passage.start : passage.end]
        wording = meaning.wording_of(entry.title, passage.heading, words)
        self._words.update(dict.fromkeys(wording.terms))
        return self._embedding.documents(meaning.PASSAGE, [wording])[0]

    def _embed(self) -> None:
        """Embed the documents that wait, and hand them to the search engine."""
        needs = [need for page in self._waiting for need in page.needs]
        vectors = self._embedding.documents(meaning.NEED, [wording for _, wording in needs])
        for (need, _), vector in zip(needs, vectors, strict=True):
            self._edge.add_need(need, vector)
        lines = self._embedding.documents(meaning.LINE, [page.line for page in self._waiting])
        for page, line in zip(self._waiting, lines, strict=True):
            self._edge.add_page(page.number, {meaning.LINE: line})
        self._waiting = []

    @property
    def documents(self) -> int:
        """How many were added."""
        return self._flat.documents

    @property
    def text_bytes(self) -> int:
        """Of the text that was added, UTF-8."""
        return self._flat.text_bytes

    def commit(self) -> SegmentInfo:
        """Finish every file. The caller makes them durable."""
        from vademecum.library.integrity import write_checksums  # noqa: PLC0415 - asking needs none

        self._embed()
        for word in filter(is_word, self._words):
            self._edge.add_word(number(word), self._embedding.table.embed([word]))
        self._flat.commit()
        self._edge.commit()
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
    """A committed segment, open for search.

    Args:
        folder: Where it is.
        info: What the manifest says of it.
        opened: The same segment as an older generation has it. Its files are used on and not opened again:
            closing them, when that generation is let go, would evict them from the page cache. Or its shards, which
            are being opened, once its files have been found to have their sizes.

    Raises:
        FileNotFoundError: Its files are gone.
        IndexCorrupt: They can not be read.
    """

    __slots__ = ("dead", "edge", "flat", "info")

    def __init__(self, folder: Path, info: SegmentInfo, opened: "Segment | Opening") -> None:
        self.info = info
        self.dead = frozenset(info.dead)
        if isinstance(opened, Segment):
            self.flat: FlatReader = opened.flat
            self.edge: EdgeReader = opened.edge
        else:
            self.flat, self.edge = FlatReader(folder / "flat"), EdgeReader(opened)

    def needs(
        self, words: TermSteps, vector: list[float], limit: int, among: Sequence[int] | None = None
    ) -> list[tuple[int, float, float]]:
        """The best needs by words, and the nearest in meaning, as (number, words' score, inner product)."""
        by_words = self.flat.need_words.search(words, limit, among)
        by_meaning = self.edge.nearest_needs(vector, limit, among)
        found = sorted({need for need, _ in (*by_words, *by_meaning)})
        scores = self.needs_among(words, vector, found)
        return [(need, *scored) for need, scored in zip(found, scores, strict=True)]

    def needs_among(
        self, words: TermSteps, vector: list[float], needs: Sequence[int]
    ) -> list[tuple[float, float]]:
        """For each of these needs its words' score and its inner product."""
        by_words, by_meaning = (
            self.flat.need_words.scores(words, needs),
            self.edge.need_nearness(vector, needs),
        )
        return [(by_words.get(need, 0.0), by_meaning.get(need, 0.0)) for need in needs]


def open_flat(folder: Path, info: SegmentInfo) -> FlatReader:
    """The flat files of a committed segment, once all its files have been found to have their sizes.

    Raises:
        IndexCorrupt: They are not what the manifest says.
    """
    check_sizes(folder, info.files)
    return FlatReader(folder / "flat")
