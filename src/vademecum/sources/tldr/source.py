"""`TldrSource`: the tldr pages in one folder or zip."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from vademecum.core.documents import Document, DocumentRef, Problem
from vademecum.files.read import Unreadable
from vademecum.sources._problems import problem
from vademecum.sources.tldr.archive import Archive
from vademecum.sources.tldr.page import make_document
from vademecum.sources.tldr.place import Folder, Place, choose

FORMAT = "tldr-1"
"""Raised when the same page would give another text, other blocks, links or needs."""


class TldrSource:
    """tldr pages: short pages of examples, one a command, in English and for Linux.

    A page is cited as `tar(tldr)`. Its intents ("extract an archive") count as needs, and it links to the
    manual pages of its command. How its text is made, `page.make_document` says.

    Args:
        location: A folder of tldr-pages (that holds `pages/common`, or `common` itself), or a zip of it.
        alias: The source's fixed name.
    """

    def __init__(self, location: Path, alias: str) -> None:
        self.location = location
        self.alias = alias

    @property
    def parser(self) -> str:
        """What makes text of pages. Documents of another parser are read again."""
        return FORMAT

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List pages by key without reading them, then what cannot be one, by place.

        Raises:
            SourceError: The folder or zip cannot be read, or holds no pages.
        """
        return choose(self._place().list())

    def read(self, refs: Sequence[DocumentRef]) -> Iterable[Document | Problem]:
        """Read pages: for each of `refs`, in order, its document or its problem."""
        place = self._place()
        for ref in refs:
            yield _read(place, ref)

    def _place(self) -> Place:
        return Folder(self.location) if self.location.is_dir() else Archive(self.location)


def _read(place: Place, ref: DocumentRef) -> Document | Problem:
    try:
        source = place.read(ref.key).decode("utf-8-sig", "replace")
    except Unreadable as refused:
        return problem("tldr", ref.key, refused.fault, refused.message)
    document = make_document(ref, source)
    return document or problem("tldr", ref.key, "no-text", "It has neither a description nor examples.")
