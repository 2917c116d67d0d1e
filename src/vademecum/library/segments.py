"""A segment: its flat files and its shard of the search engine, written together and read together."""

import os
from collections.abc import Mapping
from pathlib import Path

from vademecum.core.errors import IndexCorrupt
from vademecum.core.passages import Entry
from vademecum.library.manifest import SegmentInfo
from vademecum.providers.builtin import WordTable
from vademecum.retrieval import meaning
from vademecum.retrieval.lexical import encode
from vademecum.stores.edge import EdgeReader, EdgeWriter
from vademecum.stores.flat import FlatReader, FlatWriter


class SegmentWriter:
    """Builds a segment document by document.

    Args:
        folder: Where; it must not exist.
        alias: The source it belongs to.
        recipe: Parser and rules its documents are made with.
    """

    def __init__(self, folder: Path, alias: str, recipe: str) -> None:
        self._folder, self._alias, self._recipe = folder, alias, recipe
        for part in ("flat", "edge"):
            (folder / part).mkdir(parents=True)
        self._flat = FlatWriter(folder / "flat")
        self._edge = EdgeWriter(folder / "edge", meaning.NAMES, WordTable.dimensions)
        self._embed = WordTable().embed

    def add(self, entry: Entry) -> None:
        """Encode and add a document."""
        encoded = encode(entry)
        number = self._flat.documents
        for text, position in self._flat.add(entry, encoded):
            self._edge.add_passage(text, encoded.passages[position])
        meanings = {name: self._embed(terms) for name, terms in meaning.terms_of(entry).items()}
        self._edge.add_page(number, encoded.page, meanings)

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
        self._flat.commit()
        self._edge.commit()
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

    Raises:
        FileNotFoundError: Its files are gone.
        IndexCorrupt: They are not what the manifest says.
    """

    __slots__ = ("dead", "edge", "flat", "info")

    def __init__(self, folder: Path, info: SegmentInfo) -> None:
        self.info = info
        self.dead = frozenset(info.dead)
        self.flat = open_flat(folder, info)
        self.edge = EdgeReader(folder / "edge")


def open_flat(folder: Path, info: SegmentInfo) -> FlatReader:
    """The flat files of a committed segment, once all its files have been found to have their sizes.

    Raises:
        IndexCorrupt: They are not what the manifest says.
    """
    check_sizes(folder, info.files)
    return FlatReader(folder / "flat")


def check_sizes(folder: Path, files: Mapping[str, int]) -> None:
    """Notice files that are missing, truncated or replaced, without reading them.

    Raises:
        IndexCorrupt: One does not have the size it was written with.
    """
    for name, size in files.items():
        place = f"{folder}/{name}"
        try:
            found: object = os.stat(place).st_size  # noqa: PTH116 - a Path for each of 100 files costs a millisecond
        except OSError as error:
            found = error
        if found != size:
            message = f"A part of the index at {place} is damaged: {size} bytes were written, now: {found}."
            raise IndexCorrupt(message, hint="Build the index anew with: ragadmin reindex --full")
