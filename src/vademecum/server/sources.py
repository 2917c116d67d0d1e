"""The sources that can be queried: those of the library, and the collections, filtered by the caller's rights."""

from collections.abc import Callable, Sequence
from collections.abc import Collection as Names
from contextlib import suppress
from threading import Lock
from typing import Any, NamedTuple, get_args

from vademecum.core.answers import Hit
from vademecum.core.errors import AnswerError, IndexMissing, SourceError, StoreError, VademecumError
from vademecum.desks.book.reply import Selection
from vademecum.files.read import state_of
from vademecum.index.catalog.catalog import CatalogEntry
from vademecum.index.reader.documents import DocumentEntry, DocumentText
from vademecum.index.reader.originals import OF_FILES, Original
from vademecum.library.collections import Collection, Collections, Kind
from vademecum.library.internal import InternalLibrary
from vademecum.library.printed import PrintedPages, is_printed
from vademecum.server.guard.authorization import Caller, all_theirs
from vademecum.sources.docs.pdf import Placed
from vademecum.text.printable import printable

OF_THE_SYSTEM = frozenset({"man", "info", "tldr"})
"""The types of sources that belong to the system and contain nothing private. Every key may query them."""

KINDS = frozenset(get_args(Kind))
"""The kinds of sources that are collections."""

ALL = "all"
_HINT = "List the sources with: GET /api/sources"


class AskedSource(NamedTuple):
    """A source that a caller may query.

    Attributes:
        name: The alias of a source on this machine, or the name of a collection.
        kind: `man`, `info`, `kiwix`, `tldr`, `help`, `records`, `docs`, `book`, `manual` or `collection`.
        updated: The time of the last index update, ISO 8601 in UTC, or "".
    """

    name: str
    kind: str
    title: str
    documents: int
    size_bytes: int
    updated: str
    problem: str


class Chosen(NamedTuple):
    """The sources for a question.

    Attributes:
        library: This machine's library, or None if none of its sources is queried.
        aliases: The aliases of its queried sources; empty for all of them.
    """

    library: InternalLibrary | None
    aliases: tuple[str, ...]
    pages: tuple[Collection, ...]
    texts: tuple[Collection, ...]
    selection: Selection | None = None


class Sources:
    """All sources that can be queried.

    Args:
        shared: Aliases of the machine's sources that every key may query, in addition to those of the system; or `all`.
    """

    def __init__(self, library: InternalLibrary, collections: Collections, shared: Names[str] = ()) -> None:
        self._library, self._collections, self._shared = library, collections, shared
        self._lock = Lock()
        self._pages = PrintedPages()
        self._seen: object = ()

    def of(self, caller: Caller) -> list[AskedSource]:
        """Return the sources that a caller may query: the machine's in catalog order, then the collections by name."""
        return [
            *map(_of_machine, self._entries(caller)),
            *map(_of_collection, all_theirs(self._collections, caller)),
        ]

    def only_collections(self) -> bool:
        """Return whether collections have documents, and the sources of this machine have none."""
        try:
            of_machine = any(entry.documents for entry in self._library.sources())
        except VademecumError:
            of_machine = False
        return not of_machine and any(
            source.documents for one in self._collections.list() for source in one.library.sources()
        )

    def choose(self, caller: Caller, names: Sequence[str] = ()) -> Chosen:
        """Return the sources for a question."""
        entries = self._entries(caller)
        collections = all_theirs(self._collections, caller)
        known = {entry.alias for entry in entries} | {collection.name for collection in collections}
        for name in names:
            if name not in known:
                raise SourceError(f"Source {printable(name, 60)} not found.", hint=_HINT)
        asked = [entry for entry in entries if entry.documents and (not names or entry.alias in names)]
        whole = len(asked) == len(self._library.sources())
        wanted = [collection for collection in collections if not names or collection.name in names]
        pages = tuple(one for one in wanted if one.kind == "manual")
        texts = tuple(one for one in wanted if one.kind != "manual")
        if not asked and not wanted:
            if names:
                message = f"Not indexed yet: {', '.join(printable(name, 60) for name in names)}."
                raise IndexMissing(message, hint="Index it with: ragadmin reindex")
            message = "Nothing has been indexed yet."
            raise IndexMissing(
                message, hint="Run: ragadmin reindex, or add documents with: vademecum book add PATH"
            )
        return Chosen(
            library=self._fresh() if asked else None,
            aliases=() if whole else tuple(entry.alias for entry in asked),
            pages=pages,
            texts=texts,
        )

    @staticmethod
    def only(collection: Collection) -> Chosen:
        """Choose one collection and nothing else."""
        is_pages = collection.kind == "manual"
        return Chosen(None, (), (collection,) if is_pages else (), () if is_pages else (collection,))

    def select(self, caller: Caller, source: str, id_: str, start: int, end: int) -> Chosen:
        """Choose a range of a document and nothing else."""
        found, library = self._holder(caller, source, id_)
        length = len(library.text(id_))
        if not start < end <= length:
            message = (
                f"The selection is from {start:,} to {end:,}, and the document has {length:,} characters."
            )
            raise AnswerError(message, hint="Select again: the document may have changed.")
        return Chosen(None, (), (), (), Selection(found.name, library, id_, start, end))

    def documents(self, caller: Caller, source: str, words: str, skip: int, limit: int) -> dict[str, Any]:
        """Return the documents of a source as plain data, with their total number."""
        listed: list[DocumentEntry] = []
        found = self._named(caller, source)
        for one, library in found:
            is_collection = one.kind in KINDS
            with suppress(IndexMissing):
                listed += library().documents("" if is_collection else one.name, words)
        return {
            "source": found[0][0]._asdict(),
            "documents": [one._asdict() for one in listed[skip : skip + limit]],
            "total": len(listed),
        }

    def document(
        self, caller: Caller, source: str, id_: str, start: int = 0, end: int | None = None
    ) -> dict[str, Any]:
        """Return a document of a source as plain data; see `Library.document`."""
        found, library = self._holder(caller, source, id_)
        document = library.document(id_, start=start, end=end)
        return {
            **document._asdict(),
            "blocks": [list(block) for block in document.blocks],
            "sections": [section._asdict() for section in document.sections],
            "source": found.name,
            "kind": found.kind,
            "source_title": found.title,
            "generation": library.generation,
            "read_on": read_on(found.kind, document),
            "has_original": (type_ := library.source(document.alias).type) in OF_FILES,
            "is_printed": is_printed(type_, document.key),
        }

    def passage(self, caller: Caller, id_: str, source: str = "") -> tuple[str, Hit]:
        """Return the name of the source that has a passage, and the passage."""
        names = [source] if source else dict.fromkeys(found.name for found in self.of(caller))
        alias = id_.partition(":")[0]
        for name in names:
            for found, library in self._named(caller, name):
                if found.kind not in KINDS and found.name != alias:  # the library also has other sources
                    continue
                with suppress(StoreError, IndexMissing):
                    return name, library().passage(id_)
        message = f"Passage {printable(id_, 120)} not found."
        raise AnswerError(message, hint="Search again: its document may have changed.")

    def printed(self, caller: Caller, source: str, id_: str, start: int, end: int) -> Placed:
        """Return the page of a PDF that contains a range of its text, and the area that the range covers."""
        return self._pages.place(self._holder(caller, source, id_)[1], id_, start, end)

    def picture(self, caller: Caller, source: str, id_: str, page: int, width: int) -> bytes:
        """Return a page of a PDF as a PNG image."""
        return self._pages.draw(self._holder(caller, source, id_)[1], id_, page, width)

    def close(self) -> None:
        """Stop the process that displays pages."""
        self._pages.close()

    def original(self, caller: Caller, source: str, id_: str) -> Original:
        """Return the file that a document was read from."""
        return self._holder(caller, source, id_)[1].original(id_)

    def _holder(self, caller: Caller, source: str, id_: str) -> tuple[AskedSource, InternalLibrary]:
        """Return the source of that name that has a document. A collection and a machine source may share a name."""
        candidates = self._named(caller, source)
        for found, library in candidates:
            try:
                library().text(id_)
            except (StoreError, IndexMissing):
                continue
            return found, library()
        message = f"{source} no longer has this document."
        raise StoreError(message, hint="The document may have changed. Ask the question again.")

    def _named(self, caller: Caller, source: str) -> list[tuple[AskedSource, Callable[[], InternalLibrary]]]:
        """Return the sources with a name, each with a function that opens its library."""
        found = [
            *((_of_machine(entry), self._fresh) for entry in self._entries(caller) if entry.alias == source),
            *(
                (_of_collection(one), lambda one=one: one.library)
                for one in all_theirs(self._collections, caller)
                if one.name == source
            ),
        ]
        if not found:
            raise SourceError(f"Source {printable(source, 60)} not found.", hint=_HINT)
        return found

    def _entries(self, caller: Caller) -> list[CatalogEntry]:
        """Return the machine's sources that a caller may query."""
        try:
            entries = self._library.sources()
        except VademecumError:
            return []
        return [
            entry
            for entry in entries
            if not caller.is_widget
            and (caller.is_admin or entry.type in OF_THE_SYSTEM or {entry.alias, ALL} & {*self._shared})
        ]

    def _fresh(self) -> InternalLibrary:
        """Return the machine's library, refreshed if any process has changed the index or the settings."""
        places = self._library.places
        seen = tuple(map(state_of, (places.index_folder / "CURRENT", places.settings_file)))
        with self._lock:
            changed, self._seen = seen != self._seen, seen
        if changed:
            self._library.refresh()
        return self._library


def read_on(kind: str, document: DocumentText) -> str:
    """Return the command that displays a document, or "".

    >>> from vademecum.index.reader.documents import DocumentText
    >>> tail = DocumentText("m:0", "man-pages", "man1/tail.1.gz", "tail(1)", "", "", 0, 0, 0, "", (), ())
    >>> read_on("man", tail), read_on("docs", tail)
    ('man 1 tail', '')
    """
    name, mark, rest = document.reference.rpartition("(")
    if not mark or not rest.endswith(")"):
        return ""
    if kind in {"man", "manual"}:
        return f"man {rest[:-1]} {_quoted(name)}"
    return f"info {_quoted(f'({rest[:-1]}) {name}')}" if kind == "info" else ""


def _quoted(word: str) -> str:
    plain = word.replace("-", "").replace("_", "").replace(".", "").replace(":", "")
    return word if plain.isalnum() and word.isascii() else "'" + word.replace("'", "'\\''") + "'"


def _of_machine(entry: CatalogEntry) -> AskedSource:
    titles = {"man": "Manual pages", "info": "Info manuals"}
    return AskedSource(
        name=entry.alias,
        kind=entry.type,
        title=titles.get(entry.type, entry.alias),
        documents=entry.documents,
        size_bytes=entry.size_bytes,
        updated=entry.last_updated,
        problem=entry.fault
        if entry.status == "error"
        else ""
        if entry.documents
        else "It is not indexed yet.",
    )


def _of_collection(collection: Collection) -> AskedSource:
    entries = collection.library.sources()
    documents = sum(entry.documents for entry in entries)
    return AskedSource(
        name=collection.name,
        kind=collection.kind,
        # a book is known by its title, and what somebody has collected by the name that they gave it
        title=(collection.kind != "collection" and collection.description) or collection.name,
        documents=documents,
        size_bytes=sum(entry.size_bytes for entry in entries),
        updated=max((entry.last_updated for entry in entries), default=""),
        problem="" if documents else "It has no documents yet.",
    )
