"""Read the flat files of a segment."""

import struct
from pathlib import Path
from typing import NamedTuple

from vademecum.core.documents import Block
from vademecum.core.errors import IndexCorrupt
from vademecum.core.passages import Entry, MetNeed, Passage, blocks_in
from vademecum.stores.flat.layout import (
    DOCUMENT,
    ESCAPE,
    FIELD,
    NEED,
    PASSAGE,
    STRINGS,
    DocumentRecord,
    PassageRecord,
    split,
    unescaped,
)
from vademecum.stores.flat.postings import Postings
from vademecum.stores.flat.tables import Counts, Groups, Keys, Names, map_file


class Strings(NamedTuple):
    """The short fields of a document, as in `core.passages.Entry`."""

    key: str
    fingerprint: str
    reference: str
    title: str
    summary: str
    names: tuple[str, ...]
    links: tuple[str, ...]


class FlatReader:
    """The documents, passages and tables of a segment. Everything is read in place."""

    __slots__ = (
        "_documents", "_folder", "_labels", "_need_texts", "_needs", "_passages", "_strings", "_texts",
        "names", "need_words", "occurrences", "page_words", "passage_words",
    )  # fmt: skip

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._texts = map_file(folder / "texts.bin", scattered=True)
        self._strings = map_file(folder / "strings.bin")
        self._labels = map_file(folder / "labels.bin")
        self._documents = map_file(folder / "documents.bin")
        self._passages = map_file(folder / "passages.bin")
        self._needs = map_file(folder / "needs.bin")
        self._need_texts = map_file(folder / "need_texts.bin", scattered=True)
        self.occurrences = Groups(folder / "occurrences.bin")
        self.names = Names(folder / "names.bin")
        self.page_words = Postings(folder / "page_words.bin")
        self.passage_words = Postings(folder / "passage_words.bin")
        self.need_words = Postings(folder / "need_words.bin")

    def __len__(self) -> int:
        return len(self._documents) // DOCUMENT.size

    def document(self, number: int) -> DocumentRecord:
        """Return the record of a document."""
        try:
            return DocumentRecord._make(DOCUMENT.unpack_from(self._documents, number * DOCUMENT.size))
        except struct.error as error:
            raise self._damaged(error) from error

    def passage(self, number: int) -> PassageRecord:
        """Return the record of a passage."""
        try:
            return PassageRecord._make(PASSAGE.unpack_from(self._passages, number * PASSAGE.size))
        except struct.error as error:
            raise self._damaged(error) from error

    def need(self, number: int) -> tuple[int, str, tuple[int, ...], str]:
        """Return the document of a need, its text, the numbers of the passages that meet it, and its line."""
        try:
            offset, length, document = NEED.unpack_from(self._needs, number * NEED.size)
            numbers, line, text = self._decoded(self._need_texts, offset, offset + length).split(FIELD, 2)
            return document, text, tuple(map(int, numbers.split())), unescaped(line)
        except (struct.error, ValueError) as error:
            raise self._damaged(error) from error

    def strings(self, record: DocumentRecord) -> Strings:
        """Return the short fields of a document."""
        start = record.strings_offset
        fields = self._decoded(self._strings, start, start + record.strings_bytes).split(FIELD)
        if len(fields) != STRINGS:
            raise self._damaged(f"{len(fields)} fields instead of {STRINGS}")
        key, fingerprint, reference, title, summary, names, links = fields
        if any(ESCAPE in field for field in fields):
            key, fingerprint, reference, title, summary = map(unescaped, fields[:5])
        return Strings(key, fingerprint, reference, title, summary, split(names), split(links))

    def text(self, record: DocumentRecord) -> str:
        """Return the whole text of a document."""
        return self._decoded(self._texts, record.text_offset, record.text_offset + record.text_bytes)

    def words(self, record: DocumentRecord, passage: PassageRecord) -> str:
        """Return the words of a passage, without decoding the rest of its document."""
        start = record.text_offset
        return self._decoded(self._texts, start + passage.byte_start, start + passage.byte_end)

    def label(self, offset: int) -> str:
        """Return a heading path or anchor."""
        start = offset + 4
        return self._decoded(
            self._labels, start, start + int.from_bytes(self._labels[offset:start], "little")
        )

    def blocks(self, passage: PassageRecord) -> tuple[Block, ...]:
        """Return the blocks that a passage overlaps."""
        try:
            return blocks_in(self.label(passage.outline))
        except ValueError as error:
            raise self._damaged(error) from error

    def entry(self, number: int) -> Entry:
        """Return a document as it was added."""
        record = self.document(number)
        strings = self.strings(record)
        passages = []
        for passage_number in range(record.first_passage, record.first_passage + record.passages):
            found = self.passage(passage_number)
            heading, anchor = self.label(found.heading), self.label(found.anchor)
            blocks = self.blocks(found)
            passages.append(
                Passage(found.kind, found.start, found.end, found.tag_end, heading, anchor, blocks)
            )
        needs = [self.need(at)[1:] for at in range(record.first_need, record.first_need + record.needs)]
        return Entry(
            **strings._asdict(),
            digest=record.digest.hex(),
            text=self.text(record),
            passages=tuple(passages),
            needs=tuple(
                MetNeed(text, tuple(met - record.first_passage for met in meeting), line)
                for text, meeting, line in needs
            ),
        )

    def terms(self) -> Counts:
        """Return the term numbers and the summed weight of the documents that contain each."""
        return Counts(self._folder / "terms.bin")

    def links(self) -> Counts:
        """Return the hashes of references and the number of documents that contain each."""
        return Counts(self._folder / "links.bin")

    def keys(self) -> Keys:
        """Return 64 bits of hash for each text number."""
        return Keys(self._folder / "keys.bin")

    def _decoded(self, view: memoryview, start: int, end: int) -> str:
        if end > len(view):
            raise self._damaged("it ends too early")
        try:
            return str(view[start:end], "utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise self._damaged(error) from error

    def _damaged(self, what: object) -> IndexCorrupt:
        message = f"The index in {self._folder} is damaged ({what})."
        return IndexCorrupt(message, hint="Rebuild it with: ragadmin reindex --full")
