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
"""The version of the format. Increment it when the same page would yield a different text, blocks, links or needs."""


class TldrSource:
    """tldr pages: short pages of examples, one per command, in English and for Linux.

    A page is cited as `tar(tldr)`. Its intents ("extract an archive") are needs, and it links to the manual pages of
    its command. See `page.make_document` for its text.

    Args:
        location: A folder of tldr pages (with `pages/common`, or `common` itself), or a zip file of it.
    """

    def __init__(self, location: Path, alias: str) -> None:
        self.location = location
        self.alias = alias

    @property
    def parser(self) -> str:
        """The version of the parser. Documents of another parser are read again."""
        return FORMAT

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List pages by key without reading them, then problems by place."""
        return choose(self._place().list())

    def read(self, refs: Sequence[DocumentRef]) -> Iterable[Document | Problem]:
        """Read pages, and yield, for each of `refs` in order, a document or a problem."""
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
