"""`ManSource`: the manual pages under one folder."""

import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path

from vademecum.core.documents import Document, DocumentRef, Problem
from vademecum.files.inflate import SUFFIXES
from vademecum.files.read import Unreadable
from vademecum.sources._problems import problem
from vademecum.sources.man.document import make_document
from vademecum.sources.man.render import Page, Programs, Renderer, find_programs
from vademecum.sources.man.roff import read_source
from vademecum.sources.man.tasks import book_version, needs_of
from vademecum.sources.man.tree import Tree

FORMAT = "man-3"
"""The version of the format. Increment it when the same page would yield a different text, blocks or anchors."""

_BATCH_PAGES = 200
_BATCH_BYTES = 16 * 1024 * 1024

_SECTIONS = "185723"
"""Sections in the order in which a page is looked for by its name alone."""

_LARGE_FAMILY = 100
"""The number of sub-commands with pages of their own above which all other commands come first."""

_MEMORY = Path("/dev/shm")  # noqa: S108 - the folder in it is private
"""A folder in memory, where small files take a fifth of the time."""

_MEMORY_FREE_BYTES = 256 * 1024 * 1024


class ManSource:
    """Manual pages: every section of the untranslated tree.

    The text of a document is what `man` shows between header and footer, with white space folded and without the rules
    of ruled tables. Bullets and list numbers are in the text, not in the blocks. Lines that the page itself breaks, as
    in a SYNOPSIS, remain lines of one paragraph.
    """

    def __init__(self, location: Path, alias: str) -> None:
        self.location = location
        self.alias = alias

    @property
    def parser(self) -> str:
        """The versions of the format, the needs and the program. Documents of another parser are read again."""
        return f"{FORMAT}/{book_version()}/{find_programs().stamp}"

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List pages without rendering them, those that people ask about first, then problems by place.

        Symbolic links, and pages that consist of a single `.so` request, are names of the page that they lead to. The
        fingerprint covers the file and its names, but not files that it includes within other text.
        """
        found = list(Tree(self.location).scan())
        refs = [ref for ref in found if isinstance(ref, DocumentRef)]
        families = Counter(map(_family, refs))
        yield from sorted(refs, key=lambda ref: _place_in_line(ref, families[_family(ref)]))
        yield from (problem for problem in found if not isinstance(problem, DocumentRef))

    def named(self, names: Iterable[str]) -> Iterator[DocumentRef]:
        """Find the pages of commands, formats and interfaces by name, without listing the folder."""
        root = os.path.realpath(self.location)
        for name in names:
            for section, suffix in product(_SECTIONS, ("", *SUFFIXES)):
                place = Path(root, f"man{section}", f"{name}.{section}{suffix}")
                if place.is_file():
                    key = os.path.relpath(place.resolve(), root)
                    yield DocumentRef(key=key, names=(f"{name}({section})",), fingerprint="", size_bytes=0)

    def read(self, refs: Sequence[DocumentRef]) -> Iterable[Document | Problem]:
        """Render and parse pages, and yield, for each of `refs` in order, a document or a problem.

        About 200 pages share a renderer, so pass many pages per call.
        """
        return self._read(refs, find_programs())

    def _read(self, refs: Sequence[DocumentRef], programs: Programs) -> Iterator[Document | Problem]:
        tree = Path(os.path.realpath(self.location))
        with tempfile.TemporaryDirectory(prefix="vademecum-man-", dir=_place()) as name:
            folder = Path(name)
            renderer = Renderer(programs, folder)
            pending = iter(refs)
            while batch := _inflate(pending, tree, folder):
                yield from _render(batch, renderer)


def _family(ref: DocumentRef) -> tuple[str, str]:
    """Return what the pages of a program's sub-commands share: the section, and the name up to the first `-` or `_`."""
    name, _, section = ref.names[0].rpartition("(")
    return section, re.split("[-_]", name, maxsplit=1)[0]


def _place_in_line(ref: DocumentRef, relatives: int) -> tuple[int, int, str]:
    """Return the key by which pages are read: commands, those with most needs first; formats; families; the rest."""
    section = ref.names[0].rpartition("(")[2][:1]
    if section in {"1", "8"}:
        needs = len(needs_of(ref.names))
        return 0 if needs else 3 if relatives > _LARGE_FAMILY else 1, -needs, ref.key
    return {"5": 2, "7": 2, "2": 4, "3": 4}.get(section, 5), 0, ref.key


def _place() -> Path | None:
    """Return the folder for the input of the renderer, or None for the default.

    It is in memory if there is room, and `TMPDIR` is not set.
    """
    if "TMPDIR" in os.environ or not os.access(_MEMORY, os.W_OK | os.X_OK):
        return None
    return _MEMORY if shutil.disk_usage(_MEMORY).free > _MEMORY_FREE_BYTES else None


_Batch = list[tuple[DocumentRef, str | Unreadable]]


def _inflate(pending: Iterator[DocumentRef], tree: Path, folder: Path) -> _Batch:
    """Write the next pages as UTF-8 roff, one file each, up to the limit for one renderer."""
    batch: _Batch = []
    size = 0
    for ref in pending:
        file = str(len(batch))
        try:
            source = read_source(tree / ref.key, tree)
            (folder / file).write_bytes(source if source.endswith(b"\n") else source + b"\n")
            size += len(source)
            batch.append((ref, file))
        except Unreadable as bad:
            batch.append((ref, bad))
        if len(batch) == _BATCH_PAGES or size > _BATCH_BYTES:
            break
    return batch


def _render(batch: _Batch, renderer: Renderer) -> Iterator[Document | Problem]:
    pages = iter(renderer.render([file for _, file in batch if isinstance(file, str)]))
    for ref, file in batch:
        page: Page | Unreadable = next(pages) if isinstance(file, str) else file
        if isinstance(page, Unreadable):
            yield problem("man", ref.key, page.fault, page.message)
        else:
            yield make_document(ref, page.layout, page.links)
