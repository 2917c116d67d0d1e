"""`DocsSource`: the documents in one folder."""

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from importlib import metadata
from itertools import filterfalse
from pathlib import Path
from urllib.parse import unquote

from vademecum.core.documents import Block, Document, DocumentRef, Problem
from vademecum.files.read import Unreadable, open_within
from vademecum.sources._blocks import Parsed
from vademecum.sources._problems import problem
from vademecum.sources.docs._contained import Contained
from vademecum.sources.docs.folder import LIMIT_BYTES, Folder, reference_of, suffix_of
from vademecum.text.language import tag_of_document
from vademecum.text.sentences import FIRST_END

FORMAT = "docs-12"
"""The version of the format. Increment it when the same file would yield a different text, blocks or links."""

_LONGEST_SUMMARY = 200
_LONGEST_TITLE = 200
_OPTIONAL = ("pypdfium2", "python-calamine", "docutils", "pylatexenc", "striprtf", "chardet")
_FIELDS = re.compile(r"(?:[\w.-]+: .*(?:\n|$))+")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|/|#")


class DocsSource:
    """The documents in a folder and its subfolders, or one document.

    Formats: those of `folder.SUFFIXES`, and names such as README.

    A file is cited by its path in the folder. If its suffix contradicts its content, the content determines the format.
    Links to other files in the folder become links of the document. Files are read in a separate process.

    Attributes:
        knows_language: Whether a document that is not in English is reported.

    Args:
        exclude: Patterns of file names, or of paths in the folder, to omit (`SOURCE.md`, `drafts/*`).
    """

    knows_language = True

    def __init__(
        self, location: Path, alias: str, exclude: Sequence[str] = (), *, reader: Contained | None = None
    ) -> None:
        is_file = location.is_file()
        self.location = location.parent if is_file else location
        self._only = location.name if is_file else ""
        self.alias = alias
        self.exclude = tuple(exclude)
        self._idle = [reader] if reader else []

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_idle": []}  # another process starts its own readers

    @property
    def parser(self) -> str:
        """The versions of the format and of the optional readers. Documents of another parser are read again."""
        return "/".join((FORMAT, *map(_version, _OPTIONAL)))

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List files by key without reading them, then problems by place."""
        return filterfalse(self._is_excluded, Folder(self.location, self._only).scan())

    def _is_excluded(self, found: DocumentRef | Problem) -> bool:
        key = found.key if isinstance(found, DocumentRef) else found.place
        return any(
            fnmatchcase(key, pattern) or fnmatchcase(posixpath.basename(key), pattern)
            for pattern in self.exclude
        )

    def read(self, refs: Sequence[DocumentRef]) -> Iterable[Document | Problem]:
        """Read files, and yield, for each of `refs` in order, a document or a problem."""
        root = os.path.realpath(self.location)
        try:
            reader = self._idle.pop()
        except IndexError:
            reader = Contained()
        for ref in refs:
            yield _read(reader, root, ref)
        self._idle.append(reader)


def _version(package: str) -> str:
    try:
        return f"{package}-{metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return f"no-{package}"


def _read(reader: Contained, root: str, ref: DocumentRef) -> Document | Problem:
    try:
        descriptor = open_within(root, ref.key, LIMIT_BYTES)
        try:
            parsed = reader.read(descriptor, suffix_of(ref.key), root, ref.key)
        finally:
            os.close(descriptor)
    except Unreadable as bad:
        return problem("docs", ref.key, bad.fault, bad.message)
    return Document(
        key=ref.key,
        reference=ref.names[0],
        title=_title(parsed, ref.key),
        summary=parsed.summary or _first_sentence(parsed),
        names=ref.names,
        text=parsed.text,
        blocks=() if _is_contents(ref.key) else tuple(_without_labels(parsed)),
        links=_links(parsed.links, ref.key),
        language=parsed.language or tag_of_document(parsed.text) or "en",
    )


_LABELS = frozenset("note tip info hint warning caution important attention danger".split())  # noqa: SIM905 - one word list reads best
"""Labels of boxes. Many formats and sites mark them up as headings."""

_NO_TITLES = frozenset({"tbd", "todo", "untitled", "untitled document"})


def _without_labels(parsed: Parsed) -> Iterator[Block]:
    """Yield the blocks, without headings that only label a box, so that the text after a box is still under its own heading."""
    for block in parsed.blocks:
        if block.kind != "heading" or _bare(parsed.text[block.start : block.end]) not in _LABELS:
            yield block


def _bare(heading: str) -> str:
    return heading.strip(" \n:!").lower()


def _is_contents(key: str) -> bool:
    """Return whether a file is the table of contents of a book.

    Sites show it next to their pages; by itself, it answers no question.
    """
    return posixpath.basename(key).lower() in {"summary.md", "_sidebar.md"}


def _title(parsed: Parsed, key: str) -> str:
    """Return the title that the file declares, its first heading, or its name without the suffix."""
    headings = (
        parsed.text[block.start : block.end] for block in _without_labels(parsed) if block.kind == "heading"
    )
    title = next(
        (title for title in (parsed.title, *headings) if title and _bare(title) not in _NO_TITLES), ""
    )
    if not title:
        title = reference_of(posixpath.splitext(posixpath.basename(key))[0])
    return " ".join(title.split())[:_LONGEST_TITLE].rstrip()


def _first_sentence(parsed: Parsed) -> str:
    """Return the beginning of the first paragraph, as written in the text."""
    for block in parsed.blocks:
        if block.kind == "paragraph" and not _FIELDS.fullmatch(parsed.text, block.start, block.end):
            limit = min(block.end, block.start + _LONGEST_SUMMARY)
            found = FIRST_END.search(parsed.text, block.start, limit)
            if found:
                return parsed.text[block.start : found.end()].strip()
            if limit == block.end:
                return parsed.text[block.start : limit]
            space = parsed.text.rfind(" ", block.start, limit)
            return parsed.text[block.start : space if space > block.start else limit]
    return ""


def _links(links: Iterable[str], key: str) -> tuple[str, ...]:
    """Return the references of the files in the folder that a file links to."""
    found: dict[str, None] = {}
    for link in links:
        target = unquote(link.partition("#")[0].partition("?")[0])
        if target and not _ELSEWHERE.match(link):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(key), target))
            if not path.startswith("../") and path not in {"..", ".", key}:
                found[reference_of(path)] = None
    return tuple(found)
