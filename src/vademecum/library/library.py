"""`Library`: the one door to everything. Command lines, HTTP routes and MCP tools are its calls, nothing more."""

from collections.abc import Callable, Collection
from dataclasses import replace
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.core.answers import Answer, Hit
from vademecum.core.errors import IndexMissing, IndexStale, StoreError
from vademecum.core.settings import Settings
from vademecum.library import asking, freshness
from vademecum.library.catalog import NO_PAGES_HINT, Catalog, CatalogEntry
from vademecum.library.generations import Generations
from vademecum.library.index import Index, open_index
from vademecum.library.places import Places, default_places
from vademecum.library.settings_file import load_settings

if TYPE_CHECKING:
    from vademecum.library.indexing import Progress, Report

CONTEXT_TOKENS = 4096
"""How much of a question is looked at, unless told otherwise."""

_CHARACTERS_A_TOKEN = 4


class Library:
    """A catalog of sources and the index made of them, in one folder.

    The index is opened on the first question and kept open. When another process publishes a newer one, this
    one goes on answering from what it has until `refresh()` is called. Nothing here uses the network.

    Args:
        places: Its folders; they are made when something is first written.
    """

    def __init__(self, places: Places) -> None:
        self.places = places
        self._catalog = Catalog(places.catalog_file)
        self._generations = Generations(places.index_folder)
        self._settings: Settings | None = None
        self._index: Index | None = None
        self._by_digest: dict[str, tuple[int, int]] | None = None

    @classmethod
    def open(cls, places: Places | None = None) -> "Library":
        """A library; by default the one `ragman` asks. It needs no index yet, and writes nothing."""
        return cls(places or default_places())

    # --- asking ---------------------------------------------------------------------------------------------------

    def ask(self, question: str, *, strict: bool = False, context_tokens: int = CONTEXT_TOKENS) -> Answer:
        """Answer a question from the documents, or say honestly that they do not.

        Args:
            question: In English, as to a colleague.
            strict: Refuse when the sources changed since the index was built; else the answer carries a warning.
            context_tokens: How much of the question is looked at, from its beginning.

        Raises:
            AnswerError: The question is empty.
            ConfigError: The configuration file can not be used.
            IndexMissing: Nothing has been indexed yet.
            IndexCorrupt: The index can not be read.
            IndexStale: With `strict`, as above.
        """
        settings, index, stale = self.settings, self._opened(), self.stale()
        if strict and stale:
            raise IndexStale(" ".join(stale), hint="Bring the index up to date with: ragadmin reindex")
        longest = context_tokens * _CHARACTERS_A_TOKEN
        answer = asking.ask(_cleaned(question[:longest]), index, settings)
        warnings = list(answer.warnings)
        if len(question) > longest:
            warnings.append(
                f"Only the first {context_tokens} tokens of the question were used. Narrow the question."
            )
        warnings += [f"{reason} Bring it up to date with: ragadmin reindex" for reason in stale]
        return replace(answer, warnings=tuple(dict.fromkeys(warnings)))

    def search(self, question: str, *, limit: int = 10) -> list[Hit]:
        """The best documents for a question, best first, each with its best passage; refuses nothing.

        Raises:
            AnswerError: The question is empty.
            IndexMissing: Nothing has been indexed yet.
            IndexCorrupt: The index can not be read.
        """
        return asking.search(_cleaned(question), self._opened(), limit)

    def search_passages_bm25(self, question: str, *, limit: int = 10) -> list[Hit]:
        """The baseline that quality is measured against: documents by plain BM25 of their best passage.

        Raises:
            As `search`.
        """
        return asking.search_plain(_cleaned(question), self._opened(), limit)

    def text(self, document: str) -> str:
        """The text that citations of a document quote.

        Args:
            document: `<alias>:<sha256>`, as in `Hit.document` and `Citation.document`.

        Raises:
            StoreError: The index has no such document.
        """
        index = self._opened()
        if self._by_digest is None:
            self._by_digest = {
                f"{segment.info.alias}:{segment.flat.document(number).digest.hex()}": (position, number)
                for position, segment in enumerate(index.segments)
                for number in range(len(segment.flat))
                if number not in segment.dead
            }
        place = self._by_digest.get(document)
        if place is None:
            raise StoreError(
                f"The index has no document {document}.", hint="It may have changed: search again."
            )
        flat = index.segments[place[0]].flat
        return flat.text(flat.document(place[1]))

    # --- keeping --------------------------------------------------------------------------------------------------

    def prepare(self) -> dict[Path, bool]:
        """Make folders, configuration file and catalog where they are missing; change nothing that exists.

        Returns:
            Each of them, and whether it was made.

        Raises:
            ConfigError: One can not be made, or exists and can not be used.
        """
        from vademecum.library import keeping  # noqa: PLC0415 - once in a library's life

        made = keeping.prepare(self.places, self._catalog)
        self.settings  # noqa: B018 - an existing file is checked
        return made

    def add(self, what: str | Path, *, on_progress: "Callable[[Progress], None] | None" = None) -> "Report":
        """Make something part of the library, and index it.

        Args:
            what: `man` for the machine's own manual pages, a folder of manual pages, or an alias of the catalog.
            on_progress: Called often.

        Raises:
            SourceError: It is nothing that can be read.
            VademecumError: As `reindex`.
        """
        from vademecum.library import registry  # noqa: PLC0415 - asking needs no source

        with self._catalog.changing() as entries:
            entry = registry.named(fspath(what), entries)
            registry.open_source(entry)
            if entry not in entries:
                entries.append(entry)
        return self.reindex(sources=[entry.alias], on_progress=on_progress)

    def reindex(
        self,
        *,
        full: bool = False,
        sources: Collection[str] | None = None,
        on_progress: "Callable[[Progress], None] | None" = None,
    ) -> "Report":
        """Bring the index up to date with its sources. What did not change is not read again.

        A source that can not be read is noted in the catalog and a problem of the report; what the index has
        of it stays.

        Args:
            full: Read everything anew.
            sources: Aliases of those to look at; by default all.
            on_progress: Called often.

        Raises:
            SourceError: None of the sources can be read, or there is no such alias.
            IndexLocked: Another process is at it.
            IndexCorrupt: The index can not be read, and `full` was not asked for.
            DiskFull: No room is left; the index is as it was.
            StoreError: It can not be written.
        """
        from vademecum.library import keeping  # noqa: PLC0415 - asking needs no indexing

        report = keeping.reindex(
            self._catalog,
            self._generations,
            full=full,
            wanted=sources,
            on_progress=on_progress or (lambda _progress: None),
        )
        self.refresh()
        return report

    def sources(self) -> list[CatalogEntry]:
        """The catalog, in the order in which sources were added.

        Raises:
            ConfigError: It can not be read.
        """
        return self._catalog.entries()

    def stale(self) -> tuple[str, ...]:
        """Why the index is not up to date, a sentence each; empty when it seems to be.

        It looks at the sources' folders, not at every file, and takes well under a millisecond.

        Raises:
            ConfigError: The catalog can not be read.
        """
        return tuple(freshness.changed(self.sources()))

    def refresh(self) -> None:
        """Answer by the newest index and settings from the next call on."""
        self._settings = None
        if self._index and self._index.manifest.number != self._generations.current().number:
            self._index = self._by_digest = None

    @property
    def settings(self) -> Settings:
        """What the configuration file says.

        Raises:
            ConfigError: It can not be used.
        """
        if self._settings is None:
            self._settings = load_settings(self.places.settings_file, self.places.settings_copy)
        return self._settings

    def _opened(self) -> Index:
        if self._index is None:
            index = open_index(self._generations)
            if not index.manifest.documents:
                message = "The index is empty: its sources hold no documents."
                raise IndexMissing(message, hint=NO_PAGES_HINT)
            self._index = index
        return self._index


def _cleaned(question: str) -> str:
    """The question as it can be stored and printed: what is not text (lone surrogates) is marked as unknown."""
    return question.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
