"""`ZimSource`: the articles of one ZIM archive."""

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from vademecum.core.documents import Document, DocumentRef, Problem
from vademecum.core.errors import ArchiveBroken
from vademecum.files.read import Unreadable
from vademecum.sources._html import HtmlLink, HtmlPage, decode_html, read_html
from vademecum.sources._problems import HINTS, problem
from vademecum.sources.zim.archive import Archive, check_archive
from vademecum.sources.zim.directory import Item
from vademecum.sources.zim.metadata import Metadata, languages_of, read_metadata
from vademecum.sources.zim.parts import signature
from vademecum.sources.zim.survey import Survey, place_of
from vademecum.text.sentences import first_sentence

_LONGEST_SUMMARY = 200
_MOST_KEPT = 50_000


class LinkNames:
    """The titles of articles by path, for one archive. They are cached."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._found: dict[str, str] = {}

    def names(self, item: Item, links: tuple[HtmlLink, ...]) -> tuple[str, ...]:
        """Return the titles of the articles that the links of a page lead to, without duplicates, in order."""
        prefix = item.namespace.decode("latin-1")
        folder = posixpath.dirname(f"{prefix}/{item.path.decode('utf-8', 'replace')}")
        here = posixpath.normpath(folder)
        is_inside = here == prefix or here.startswith(f"{prefix}/")
        found: dict[str, None] = {}
        for link in links:
            target = unquote(link.target.partition("?")[0])
            if is_inside and target.strip(".") and "/" not in target:
                place = f"{here}/{target}"  # the common case
            else:
                place = posixpath.normpath(posixpath.join(folder, target))
            root, _, path = place.partition("/")
            if root == prefix and path and (name := self._name(path, link.title)):
                found[name] = None
        found.pop(item.shown_title, None)
        return tuple(found)

    def _name(self, path: str, tooltip: str) -> str:
        if tooltip and tooltip.replace(" ", "_") == path:
            return tooltip  # as in wikis, so no lookup is needed
        name = self._found.get(path)
        if name is None:
            if len(self._found) >= _MOST_KEPT:
                self._found.clear()
            name = self._found[path] = self._look_up(path)
        return name

    def _look_up(self, path: str) -> str:
        found = self._archive.directory.find(self._archive.header.content, path.encode(errors="replace"))
        if found is None or (found.target < 0 and not self._archive.is_article(found)):
            return ""
        return found.shown_title


def make_document(
    ref: DocumentRef, item: Item, page: HtmlPage, links: tuple[str, ...], language: str
) -> Document:
    """Combine the data of the directory with the content of the page."""
    reference = ref.names[0]
    title = item.shown_title if item.title else page.title
    return Document(
        key=ref.key,
        reference=reference,
        title=title or reference,
        summary=summary_of(page),
        names=ref.names,
        text=page.text,
        blocks=page.blocks,
        links=links,
        language=language,
    )


def summary_of(page: HtmlPage) -> str:
    """Return the first sentence of the first paragraph that has one. A long sentence is cut between words."""
    first = ""
    for block in page.blocks:
        if block.kind == "paragraph" and block.level == 0:
            text = " ".join(page.text[block.start : block.end].split())
            first = first or text
            if text.endswith((".", "!", "?", "…", "。")) or len(text) > _LONGEST_SUMMARY:
                return first_sentence(text, _LONGEST_SUMMARY)
    return first_sentence(first, _LONGEST_SUMMARY)


FORMAT = "zim-1/html-2"
"""The version of the format. Increment it when the same article would yield a different text, blocks or names."""

_BATCH = 200


class _Reading:
    """An archive that articles are read from, and its cached data."""

    def __init__(self, location: Path) -> None:
        self.archive = Archive(location)
        self.checksum = self.archive.checksum
        self.languages = languages_of(self.archive)
        self.links = LinkNames(self.archive)


class ZimSource:
    """The articles of a ZIM archive: the HTML pages that it lists, without navigation.

    Call `check` before the first `scan` of an archive. `scan` and `read` assume that it is intact, and only ensure that
    damage does no harm. Redirects are names of the article that they lead to, unless an article has that name itself.

    Args:
        location: The `.zim` file, or the first part (`.zimaa`) of a split archive.
    """

    def __init__(self, location: Path, alias: str) -> None:
        self.location = location
        self.alias = alias
        self._reading: _Reading | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for another process, without open files."""
        return {**self.__dict__, "_reading": None}

    @property
    def parser(self) -> str:
        """The version of the parser. Documents of another parser are read again."""
        return FORMAT

    def check(self) -> None:
        """Check the structure and checksum of the whole archive. It is read once, which takes time for gigabytes."""
        with _Opened(self.location) as archive:
            check_archive(archive)

    def metadata(self) -> Metadata:
        """Return the metadata that the archive declares."""
        with _Opened(self.location) as archive:
            return read_metadata(archive)

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List articles in the order of storage, then redirects without a target.

        The fingerprint covers the checksum of the archive, and the position and names of the article. The size is that
        of the archive, divided evenly.
        """
        with _Opened(self.location) as archive:
            yield from Survey(archive).refs()

    def read(self, refs: Sequence[DocumentRef]) -> Iterable[Document | Problem]:
        """Read articles, and yield, for each of `refs` in order, a document or a problem.

        Pass many adjacent articles per call: within each batch of 200, a cluster is inflated once.
        """
        for start in range(0, len(refs), _BATCH):
            yield from self._read_batch(refs[start : start + _BATCH])

    def _read_batch(self, refs: Sequence[DocumentRef]) -> list[Document | Problem]:
        try:
            reading = self._open()
        except Unreadable as bad:
            return [problem("zim", ref.key, bad.fault, bad.message) for ref in refs]
        found = [_find(reading, ref) for ref in refs]
        order = sorted(range(len(refs)), key=lambda place: _stored(found[place]))
        results: dict[int, Document | Problem] = {}
        for place in order:
            item = found[place]
            results[place] = item if isinstance(item, Problem) else _read(reading, refs[place], item)
        return [results[place] for place in range(len(refs))]

    def _open(self) -> _Reading:
        """Return the current archive. If it was replaced, it is opened again."""
        if self._reading and self._reading.archive.parts.signature != signature(self.location):
            self._reading.archive.close()
            self._reading = None
        if self._reading is None:
            self._reading = _Reading(self.location)
        return self._reading


class _Opened:
    """A context manager for an archive that raises faults as errors for users."""

    def __init__(self, location: Path) -> None:
        self._location = location
        self._archive: Archive | None = None

    def __enter__(self) -> Archive:
        try:
            self._archive = Archive(self._location)
        except Unreadable as bad:
            raise _broken(self._location, bad) from bad
        return self._archive

    def __exit__(self, _kind: object, error: object, _trace: object) -> None:
        if self._archive:
            self._archive.close()
        if isinstance(error, Unreadable):
            raise _broken(self._location, error) from error


def _broken(location: Path, bad: Unreadable) -> ArchiveBroken:
    """Return the error for an archive that cannot be used."""
    message = f"{location} cannot be used ({bad.fault}): {bad.message}"
    return ArchiveBroken(message, fault=bad.fault, hint=HINTS["zim"][bad.fault])


def _find(reading: _Reading, ref: DocumentRef) -> Item | Problem:
    number = place_of(ref.fingerprint, reading.checksum)
    if number < 0:
        return problem("zim", ref.key, "changed", "The archive is not the one that was listed.")
    try:
        item = reading.archive.directory.item(number)
    except Unreadable as bad:
        return problem("zim", ref.key, bad.fault, bad.message)
    if item.key != ref.key or not reading.archive.is_article(item):
        return problem("zim", ref.key, "changed", "The archive has something else in its place.")
    return item


def _stored(item: Item | Problem) -> tuple[int, int]:
    return (-1, -1) if isinstance(item, Problem) else (item.cluster, item.blob)


def _read(reading: _Reading, ref: DocumentRef, item: Item) -> Document | Problem:
    try:
        page = read_html(decode_html(reading.archive.content(item), reading.archive.charset(item)))
        if not page.text:
            return problem("zim", ref.key, "nothing-shown", "Its page has no text.")
        links = reading.links.names(item, page.links)
    except Unreadable as bad:
        return problem("zim", ref.key, bad.fault, bad.message)
    language = page.language if page.language in reading.languages[1:] else reading.languages[0]
    return make_document(ref, item, page, links, language)
