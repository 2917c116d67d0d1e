"""`ZimSource`: the articles of one ZIM archive."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from vademecum.core.documents import Document, DocumentRef, Problem
from vademecum.sources._html import decode_html, read_html
from vademecum.sources.zim.archive import Archive
from vademecum.sources.zim.checking import check_archive
from vademecum.sources.zim.directory import Item
from vademecum.sources.zim.facts import LinkNames, make_document
from vademecum.sources.zim.faults import BadArchive, broken, problem
from vademecum.sources.zim.metadata import Metadata, languages_of, read_metadata
from vademecum.sources.zim.parts import signature
from vademecum.sources.zim.survey import Survey, place_of

FORMAT = "zim-1/html-1"
"""Raised when the same article would give another text, other blocks or other names."""

_BATCH = 200


class _Reading:
    """An archive that articles are read from, and what was learned of it."""

    def __init__(self, location: Path) -> None:
        self.archive = Archive(location)
        self.checksum = self.archive.checksum
        self.languages = languages_of(self.archive)
        self.links = LinkNames(self.archive)


class ZimSource:
    """The articles of a ZIM archive: pages of HTML that it lists, without navigation.

    Call `check` before the first `scan` of an archive: the two others trust that it is whole, and only see to it
    that damage does no harm. Redirects are names of the article they lead to, except where an article itself has
    the name.

    Args:
        location: The `.zim`, or the first part (`.zimaa`) of one that was split.
        alias: The source's fixed name.
    """

    def __init__(self, location: Path, alias: str) -> None:
        self.location = location
        self.alias = alias
        self._reading: _Reading | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs: open files are none of it."""
        return {**self.__dict__, "_reading": None}

    @property
    def parser(self) -> str:
        """What makes text of articles. Documents of another parser are read again."""
        return FORMAT

    def check(self) -> None:
        """Check structure and checksum of the whole archive. It is read once: gigabytes take their time.

        Raises:
            ArchiveBroken: With the fault's name.
        """
        with _Opened(self.location) as archive:
            check_archive(archive)

    def metadata(self) -> Metadata:
        """What the archive says of itself.

        Raises:
            ArchiveBroken: It cannot be read.
        """
        with _Opened(self.location) as archive:
            return read_metadata(archive)

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List articles in the order in which they are stored, then redirects that lead nowhere.

        The fingerprint covers the archive's checksum, the article's place and its names. The size is the
        archive's, shared out evenly.

        Raises:
            ArchiveBroken: The directory cannot be read.
        """
        with _Opened(self.location) as archive:
            yield from Survey(archive).refs()

    def read(self, refs: Sequence[DocumentRef]) -> Iterable[Document | Problem]:
        """Read articles: for each of `refs`, in order, its document or its problem.

        Hand over many that stand together: each cluster of articles is inflated once for some 200 of them.
        """
        for start in range(0, len(refs), _BATCH):
            yield from self._read_batch(refs[start : start + _BATCH])

    def _read_batch(self, refs: Sequence[DocumentRef]) -> list[Document | Problem]:
        try:
            reading = self._open()
        except BadArchive as bad:
            return [problem(ref.key, bad.fault, bad.message) for ref in refs]
        found = [_find(reading, ref) for ref in refs]
        order = sorted(range(len(refs)), key=lambda place: _stored(found[place]))
        results: dict[int, Document | Problem] = {}
        for place in order:
            item = found[place]
            results[place] = item if isinstance(item, Problem) else _read(reading, refs[place], item)
        return [results[place] for place in range(len(refs))]

    def _open(self) -> _Reading:
        """The archive as it is now: one that was replaced is opened again."""
        if self._reading and self._reading.archive.parts.signature != signature(self.location):
            self._reading.archive.close()
            self._reading = None
        if self._reading is None:
            self._reading = _Reading(self.location)
        return self._reading


class _Opened:
    """An archive for as long as it is used, with its faults as errors for people."""

    def __init__(self, location: Path) -> None:
        self._location = location
        self._archive: Archive | None = None

    def __enter__(self) -> Archive:
        try:
            self._archive = Archive(self._location)
        except BadArchive as bad:
            raise broken(self._location, bad) from bad
        return self._archive

    def __exit__(self, _kind: object, error: object, _trace: object) -> None:
        if self._archive:
            self._archive.close()
        if isinstance(error, BadArchive):
            raise broken(self._location, error) from error


def _find(reading: _Reading, ref: DocumentRef) -> Item | Problem:
    number = place_of(ref.fingerprint, reading.checksum)
    if number < 0:
        return problem(ref.key, "changed", "The archive is not the one that was listed.")
    try:
        item = reading.archive.directory.item(number)
    except BadArchive as bad:
        return problem(ref.key, bad.fault, bad.message)
    if item.key != ref.key or not reading.archive.is_article(item):
        return problem(ref.key, "changed", "The archive has something else in its place.")
    return item


def _stored(item: Item | Problem) -> tuple[int, int]:
    return (-1, -1) if isinstance(item, Problem) else (item.cluster, item.blob)


def _read(reading: _Reading, ref: DocumentRef, item: Item) -> Document | Problem:
    try:
        page = read_html(decode_html(reading.archive.content(item), reading.archive.charset(item)))
        if not page.text:
            return problem(ref.key, "nothing-shown", "Its page has no text.")
        links = reading.links.names(item, page.links)
    except BadArchive as bad:
        return problem(ref.key, bad.fault, bad.message)
    language = page.language if page.language in reading.languages[1:] else reading.languages[0]
    return make_document(ref, item, page, links, language)
