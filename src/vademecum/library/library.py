"""`Library`: the one door to everything. Command lines, HTTP routes and MCP tools are its calls, nothing more."""

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from os import fspath
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Literal, Self

from vademecum.ask.request import Taken, cleaned, take
from vademecum.config.library import load_settings
from vademecum.core.errors import ConfigError, IndexMissing, ProviderError, StoreError
from vademecum.core.limits import CONTEXT_TOKENS
from vademecum.core.settings import Method, Settings
from vademecum.files.places import Places, default_places
from vademecum.index.catalog import changes
from vademecum.index.catalog.catalog import NO_PAGES_HINT, CatalogEntry
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.index.recovery import catalog_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vademecum.ask.rating import Corpus
    from vademecum.ask.running_text.passages import Found, PassageHit, Reading
    from vademecum.ask.running_text.sites import Site
    from vademecum.ask.stream import AnswerStream
    from vademecum.core.answers import Answer
    from vademecum.core.conversations import Turn
    from vademecum.core.hits import Hit
    from vademecum.core.models import ModelSettings
    from vademecum.core.protocols import ChatModel
    from vademecum.core.trace import Json
    from vademecum.index.progress import Progress, Report
    from vademecum.index.reader.documents import Document, Listed
    from vademecum.index.reader.index import Index
    from vademecum.index.reader.originals import Original
    from vademecum.index.stored.reader import StoredGenerations
    from vademecum.index.stored.shares import Share
    from vademecum.library.health.diagnosis import HealthResult
    from vademecum.library.health.probing import Patience
    from vademecum.library.unit_embedding import Embedded

_LOOK_EVERY_S = 5.0
"""How often a store is asked for a newer generation."""


_BUILD_THIS = "Build it with: library.reindex() (ragadmin reindex builds the one that ragman asks)"


class Library:
    """A catalog of sources and the index made of them, in one folder.

    The index is opened on the first question and kept open. When another process publishes a newer one, this
    one goes on answering from what it has until `refresh()` is called. Nothing here uses the network.

    Args:
        places: Its folders; they are made when something is first written.
        method: How it is indexed and ranked; the same for as long as it is there.
        store: The address of the store where its index is asked, and copied to by `reindex`; "" for what its
            configuration says.

    Attributes:
        about: What is said of it in the store.
    """

    def __init__(self, places: Places, *, method: Method = "manual-pages", store: str = "") -> None:
        self.places, self.method = places, method
        self.about: Mapping[str, Json] = {}
        self._address = store
        self.site: Site | None = None
        self._lock = RLock()
        self._generations = Generations(places.index_folder)
        self._catalog = catalog_of(places, self._generations)
        self._settings: Settings | None = None
        self._index: Index | None = None
        self._store: tuple[str, StoredGenerations] | None = None
        self._look_again_s = 0.0
        self._models: dict[ModelSettings, ChatModel] = {}

    @classmethod
    def open(cls, path: str | Path | Places | None = None) -> "Library":
        """Open a library. It needs no index yet, and nothing is written.

        Args:
            path: The folder that holds all of it, or its folders by name; by default the library that `ragman` asks.

        Raises:
            ConfigError: The path is empty, or a file.

        Example:
            >>> with Library.open("/srv/library") as library:
            ...     library.add("/srv/notes")
            ...     print(library.ask("When is the office open?"))
        """
        if path is None:
            return cls(default_places())
        if isinstance(path, Places):
            return cls(path)
        if not fspath(path):
            raise ConfigError("An empty path names no library.", hint="Name a folder, or leave the path out.")
        folder = Path(path).expanduser()
        if folder.is_file():
            raise ConfigError(f"{folder} is a file, and a library is a folder.", hint="Name another place.")
        return cls(Places(data=folder, config=folder))

    def __repr__(self) -> str:
        """Where it is: `Library(data='/srv/library', config='/srv/library')`."""
        return f"Library(data={str(self.places.data)!r}, config={str(self.places.config)!r})"

    # --- asking ---------------------------------------------------------------------------------------------------

    def ask(
        self,
        question: str,
        *,
        strict: bool = False,
        context_tokens: int = CONTEXT_TOKENS,
        sources: Sequence[str] = (),
        sections: Sequence[str] = (),
        conversation: str = "",
        model: "ChatModel | ModelSettings | str | None" = None,
        timeout_s: float = 60.0,
        require_model: bool = False,
    ) -> "Answer":
        """Answer a question from the documents, or say honestly that they do not.

        Without a model the answer is made of the documents' own words. With one it is written by the model, and every
        sentence is checked against the words it cites; what does not hold is left out. Where the model cannot be had,
        breaks off, is too late or says too little that holds, the answer is the extractive one, `partial`, and its
        warnings say why.

        Args:
            question: In English, as to a colleague.
            strict: Refuse when the sources that are asked changed since the index was built; else the answer carries
                a warning.
            context_tokens: How much of the question is looked at, from its beginning, and how long question and
                answer may be together.
            sources: Aliases; only documents of these are found and cited. None named is not a limit.
            sections: Of the manual (`1`, `3perl`; `3` also means `3perl`), likewise.
            conversation: The name of one; a follow-up is taken by what was said in it before, and the question is
                kept for the next. `-` is the one used last, "" none.
            model: Who writes the answer: `PROVIDER:MODEL`, the settings of a model, or one that is open. None for
                nobody.
            timeout_s: How long all of it may take with a model.
            require_model: Rather fail than answer without the model.

        Raises:
            AnswerError: The question is empty.
            SourceError: There is no source of that alias.
            ConfigError: The configuration file cannot be used; or that is not a section, not a valid name for a conversation, or
                no model.
            ProviderError: With `require_model`, the model does not answer.
            IndexMissing: Nothing has been indexed yet.
            IndexCorrupt: The index cannot be read.
            IndexStale: With `strict`, as above.
        """
        if model is not None:
            with self.ask_stream(
                question,
                strict=strict,
                context_tokens=context_tokens,
                sources=sources,
                sections=sections,
                conversation=conversation,
                model=model,
                timeout_s=timeout_s,
                require_model=require_model,
            ) as stream:
                return stream.answer
        taken = self._taken(question, context_tokens, sources, strict=strict)
        corpus = self.corpus(sources, sections)
        from vademecum.ask import path  # noqa: PLC0415 - for questions

        def answer(text: str, before: "Sequence[Turn]" = ()) -> "Answer":
            return path.ask(text, [corpus], room=taken.characters, before=before)

        if not conversation:
            return taken.finish(answer(taken.text))
        from vademecum.ask.conversation import talk  # noqa: PLC0415 - most questions are the only one

        return taken.finish(talk(self.places, conversation, taken.text, answer))

    def explain(self, line: str, *, strict: bool = False, sources: Sequence[str] = ()) -> "Answer":
        """Explain a command line part by part, in the words of the manual pages of its commands. Nothing is run.

        Each part is a step, in the order of the line: its `command` is the part, its `text` what the page says. What no page
        explains is in `warnings`; where nothing is explained the answer is a refusal.

        Args:
            line: As it would be typed, with quotes, pipes and redirections.
            strict: As for `ask`.
            sources: As for `ask`.

        Raises:
            As `ask`.
        """
        from vademecum.retrieval.command_lines.questions import EXPLAIN  # noqa: PLC0415 - for command lines

        return self.ask(EXPLAIN + line if line.strip() else "", strict=strict, sources=sources)

    def ask_stream(
        self,
        question: str,
        *,
        strict: bool = False,
        context_tokens: int = CONTEXT_TOKENS,
        sources: Sequence[str] = (),
        sections: Sequence[str] = (),
        conversation: str = "",
        model: "ChatModel | ModelSettings | str",
        timeout_s: float = 60.0,
        require_model: bool = False,
    ) -> "AnswerStream":
        """The same, sentence by sentence: each comes as soon as the model has ended it, and is verified.

        The stream's `answer` is what `ask` returns. Close it, or use it as a context manager.

        Args:
            question: As for `ask`, as are all others.
            strict: Refuse when the sources changed since the index was built.
            context_tokens: How much question and answer may have together.
            sources: Aliases.
            sections: Of the manual.
            conversation: The name of one.
            model: Who writes the answer.
            timeout_s: How long all of it may take.
            require_model: Rather fail than answer without the model.

        Raises:
            As `ask`; what the model fails with, and an empty question, by the stream.
        """
        from vademecum.ask import stream  # noqa: PLC0415 - most questions are answered without a model

        taken = self._taken(question, context_tokens, sources, strict=strict)
        return stream.start(
            taken,
            self.corpus(sources, sections),
            self.settings,
            model=model,
            opened=self._models,
            timeout_s=timeout_s,
            require_model=require_model,
            conversation=conversation,
        )

    def corpus(
        self,
        sources: Sequence[str] = (),
        sections: Sequence[str] = (),
        *,
        name: str = "",
        documents: Sequence[str] = (),
    ) -> "Corpus":
        """The documents as `ask.path` takes them; it stays as it is, whatever is indexed meanwhile.

        Args:
            sources: As for `ask`.
            sections: As for `ask`.
            name: Of the collection that the library is, if it is one.
            documents: Patterns such as `policies/*` of what the documents are called that are asked; none for all.

        Raises:
            As `search`; ConfigError, too, if the configuration file cannot be used.
        """
        threshold, index = self.settings.confidence_threshold, self._limited(sources, sections, documents)
        from vademecum.ask.rating import Corpus  # noqa: PLC0415 - see `ask`

        return Corpus(index, threshold, name, self.site)

    def search(
        self, question: str, *, limit: int = 10, sources: Sequence[str] = (), sections: Sequence[str] = ()
    ) -> "list[Hit]":
        """The best documents for a question, best first, each with its best passage; refuses nothing.

        Args:
            question: As for `ask`.
            limit: How many at most.
            sources: As for `ask`.
            sections: As for `ask`.

        Raises:
            AnswerError: The question is empty.
            SourceError: There is no source of that alias.
            ConfigError: That is not a section.
            IndexMissing: Nothing has been indexed yet.
            IndexCorrupt: The index cannot be read.
        """
        corpus = self.corpus(sources, sections)
        from vademecum.ask import hits  # noqa: PLC0415 - see `ask`

        return hits.search(cleaned(question), [corpus], limit)

    def search_passages_bm25(
        self, question: str, *, limit: int = 10, sources: Sequence[str] = (), sections: Sequence[str] = ()
    ) -> "list[Hit]":
        """The baseline that quality is measured against: documents by plain BM25 of their best passage.

        Raises:
            As `search`.
        """
        index = self._limited(sources, sections)
        from vademecum.ask import hits  # noqa: PLC0415 - see `ask`

        return hits.search_plain(cleaned(question), index, limit)

    def passages(
        self,
        question: str,
        *,
        limit: int = 10,
        sources: Sequence[str] = (),
        by: Literal["all", "words"] = "all",
    ) -> "list[PassageHit]":
        """The best passages of all documents for a question, best first; refuses nothing.

        Args:
            question: As for `ask`.
            limit: How many at most.
            sources: As for `ask`.
            by: By all that is measured; or, as a baseline, by BM25 alone.

        Raises:
            As `search`.
        """
        if by == "all":
            return list(self.find(question, limit=limit, sources=sources).hits)
        from vademecum.ask.running_text import passages  # noqa: PLC0415 - manual pages are ranked by document

        index = self._limited(sources, ()).running_text()
        return passages.find_plain(index, cleaned(question), limit, site=self.site)

    def find(
        self, question: str, *, limit: int = 10, sources: Sequence[str] = (), documents: Sequence[str] = ()
    ) -> "Found":
        """The same, and how likely an answer is among them: what an answer from passages is composed of.

        Raises:
            As `search`.
        """
        from vademecum.ask.running_text import passages  # noqa: PLC0415 - manual pages are ranked by document

        return passages.find(
            self._limited(sources, (), documents).running_text(), cleaned(question), limit, site=self.site
        )

    def reading(self, question: str, document: str = "") -> "Reading":
        """A question, and what judges any text against it: for what is answered from a selection alone.

        Args:
            question: The question.
            document: `<alias>:<sha256>` of the document that the selection is in, where that is known. The question is
                then analysed by the words of such documents; else by those of running text.

        Raises:
            As `search`.
        """
        from vademecum.ask.running_text.passages import reading_of  # noqa: PLC0415 - as above

        return reading_of(self.corpus(), cleaned(question), document)

    @property
    def generation(self) -> int:
        """The number of the generation that answers.

        Raises:
            IndexMissing: Nothing has been indexed yet.
            IndexCorrupt: The index cannot be read.
        """
        return self._opened().manifest.number

    def passage(self, id_: str) -> "PassageHit":
        """A passage by its id, `<alias>:<sha256>:<n>`, as in `PassageHit.passage` and `Hit.passage`.

        Raises:
            StoreError: The index has no such passage.
        """
        from vademecum.ask.running_text.passage_by_id import passage_by_id  # noqa: PLC0415 - for other programs only

        return passage_by_id(self._opened(), id_, site=self.site)

    def text(self, document: str) -> str:
        """The text that citations of a document quote.

        Args:
            document: `<alias>:<sha256>`, as in `Hit.document` and `Citation.document`.

        Raises:
            StoreError: The index has no such document.
        """
        return self._opened().text(document)

    def document(self, id_: str, *, start: int = 0, end: int | None = None) -> "Document":
        """A document as people read it: its text in blocks, and its table of contents.

        Args:
            id_: `<alias>:<sha256>`, as in `Hit.document` and `Citation.document`.
            start: First code point of the stretch that is wanted; it is extended to whole lines.
            end: One past its last; by default the end of the document.

        Raises:
            StoreError: The index has no such document.
        """
        from vademecum.index.reader.documents import read_document  # noqa: PLC0415 - for readers only

        return read_document(self._opened(), id_, start, end)

    def anchor(self, id_: str, place: int) -> str:
        """The anchor of the passage of a document that begins at a place, or last before it; "" for none.

        Raises:
            StoreError: The index has no such document.
        """
        from vademecum.index.reader.documents import anchor_at  # noqa: PLC0415 - for readers only

        return anchor_at(self._opened(), id_, place)

    def documents(self, alias: str = "", words: str = "") -> "list[Listed]":
        """The documents of a source, or of all, in the order of their references; see `documents.list_documents`.

        Raises:
            IndexMissing: Nothing has been indexed yet.
            IndexCorrupt: The index cannot be read.
        """
        from vademecum.index.reader.documents import list_documents  # noqa: PLC0415 - for readers only

        return list_documents(self._opened(), alias, words)

    def original(self, id_: str) -> "Original":
        """The file that a document was read from, as it is now.

        Args:
            id_: `<alias>:<sha256>`.

        Raises:
            StoreError: The index has no such document, or its source has no files of its own, or the file is gone.
        """
        from vademecum.index.reader.originals import read_original  # noqa: PLC0415 - for readers only

        document = self.document(id_, end=0)
        return read_original(self.source(document.alias), document.key)

    # --- keeping --------------------------------------------------------------------------------------------------

    def prepare(self) -> dict[Path, bool]:
        """Make folders, configuration file and catalog where they are missing; change nothing that exists.

        Returns:
            Each of them, and whether it was made.

        Raises:
            ConfigError: One cannot be made, or exists and cannot be used.
        """
        from vademecum.library import setup  # noqa: PLC0415 - once in a library's life

        made = setup.prepare(self.places, self._catalog)
        self.settings  # noqa: B018 - an existing file is checked
        return made

    def add(self, what: str | Path, *, on_progress: "Callable[[Progress], None] | None" = None) -> "Report":
        """Make something part of the library, and index it: `add_source`, then `reindex`.

        Args:
            what: `man` for the machine's own manual pages, a place as for `add_source`, or an alias of the catalog.
            on_progress: Called often.

        Raises:
            SourceError: It is nothing that can be read.
            VademecumError: As `reindex`.
        """
        from vademecum.index.catalog import admin as source_admin  # noqa: PLC0415 - asking changes no source

        entry, place = source_admin.meant(self.sources(), fspath(what))
        if entry is None:
            entry = self.add_source(place, on_progress=on_progress)
        return self.reindex(sources=[entry.alias], on_progress=on_progress)

    def add_source(
        self,
        path: str | Path,
        *,
        type: str | None = None,  # noqa: A002 - that is what the catalog calls it
        language: str | None = None,
        notes: str = "",
        exclude: Sequence[str] = (),
        on_progress: "Callable[[Progress], None] | None" = None,
    ) -> CatalogEntry:
        """Add a place to the catalog, to be read by the next `reindex`.

        One that cannot be read (a broken archive) is added, too: quarantined, with what is wrong in its notes.
        `CatalogEntry.warnings` says so, and whether it is in another language than English.

        Args:
            path: A folder, a ZIM archive, or a zip file of tldr pages.
            type: `man`, `info`, `kiwix`, `tldr` or `docs`; by default what it looks like.
            language: A BCP 47 tag; by default what an archive says of itself, else `en`.
            notes: Anything worth knowing.
            exclude: Patterns of file names in a folder of documents that are left out (`SOURCE.md`).
            on_progress: Called now and then while an archive's checksum is made.

        Raises:
            SourceError: There is nothing, it is a source already, it is documents and holds the library's own data, or
                the type or language is none.
            ConfigError: The catalog cannot be read or written.
        """
        from vademecum.index.catalog import admin as source_admin  # noqa: PLC0415 - asking changes no source

        return source_admin.add(
            self._catalog,
            fspath(path),
            type=type,
            language=language,
            notes=notes,
            exclude=exclude,
            on_progress=on_progress or _silent,
        )

    def update_source(
        self,
        alias: str,
        *,
        new_alias: str | None = None,
        type: str | None = None,  # noqa: A002 - that is what the catalog calls it
        location: str | Path | None = None,
        language: str | None = None,
        status: str | None = None,
        notes: str | None = None,
        on_progress: "Callable[[Progress], None] | None" = None,
    ) -> CatalogEntry:
        """Change the description of a source, all but its alias; the next `reindex` takes it in as it is then.

        What is not given is taken over. The place is looked at and its checksum made again; one that cannot be
        read is quarantined. Until the next `reindex` questions are answered from what the index has of it.

        Args:
            alias: The source.
            new_alias: Refused unless it is `alias`: an alias is fixed.
            type: As for `add_source`.
            location: Another place.
            language: As for `add_source`.
            status: `error` quarantines the source by hand; after any other it is `pending`.
            notes: In the place of those it had.
            on_progress: As for `add_source`.

        Raises:
            SourceError: There is no such source, type, language, status or place.
            ConfigError: The catalog cannot be read or written.
        """
        from vademecum.index.catalog import admin as source_admin  # noqa: PLC0415 - asking changes no source

        return source_admin.update(
            self._catalog,
            alias,
            new_alias=new_alias,
            type=type,
            location=None if location is None else fspath(location),
            language=language,
            status=status,
            notes=notes,
            on_progress=on_progress or _silent,
        )

    def remove_source(self, alias: str) -> CatalogEntry:
        """Take a source out of the index and the catalog, at once. Its files are not touched.

        Returns:
            What the catalog had of it.

        Raises:
            SourceError: There is no such source.
            IndexLocked: The index is being written; nothing was changed.
            ConfigError: The catalog cannot be read or written.
            StoreError: The index cannot be written.
        """
        from vademecum.index.catalog import admin as source_admin  # noqa: PLC0415 - asking changes no source

        if self.places.index_folder.exists():
            self._check_store()
        gone = source_admin.remove(self._catalog, self._generations, alias)
        with suppress(IndexMissing):  # then there is nothing to be asked of it in a store either
            self._share(_silent)
        self.refresh()
        return gone

    def reindex(
        self,
        *,
        full: bool = False,
        sources: Collection[str] | None = None,
        dry_run: bool = False,
        share: "Share | None" = None,
        on_progress: "Callable[[Progress], None] | None" = None,
    ) -> "Report":
        """Bring the index up to date with its sources. What did not change is not read again.

        A source that cannot be read is quarantined: noted in the catalog, a problem of the report, and not tried
        again before it changes or is named here; what the index has of it stays.

        Args:
            full: Read everything again.
            sources: Aliases of those to look at; by default all.
            dry_run: Only say what would be added, changed and removed; nothing is written.
            share: Read this share of the documents only, and copy it into the store, where it is published with the others.
            on_progress: Called often.

        Raises:
            SourceError: None of the sources can be read, or there is no such alias.
            IndexLocked: Another process is at it.
            IndexCorrupt: The index cannot be read, and `full` was not asked for.
            DiskFull: No room is left; the index is as it was.
            StoreError: It cannot be written.
        """
        from vademecum.index.survey import UpdateRequest  # noqa: PLC0415 - asking needs no indexing
        from vademecum.index.update import preview, update  # noqa: PLC0415 - the same

        if dry_run and share:
            raise ConfigError("A share cannot be tried out.", hint="Leave out --dry-run or --partition.")
        if share and not self._stored():
            message = "A share is copied into a store, and ragadmin.store names none."
            raise ConfigError(message, hint="Name one, as in ragadmin.store: postgresql://user@host/database")
        if not dry_run:
            self._check_store(take_over=full, share=share)
        show = on_progress or _silent
        request = UpdateRequest(full, sources, self.settings.embedder, self.method, share, show)
        if dry_run:
            return preview(self._catalog, self._generations, request)
        try:
            report = update(self._catalog, self._generations, request)
            report = report._replace(shared=self._share(show, share))
            self._embed_later()
            return report
        finally:
            self.refresh()

    def embed(self, *, on_progress: "Callable[[Embedded], None] | None" = None) -> "Embedded":
        """Have the transformer read all running text that it has not read yet; a reindex begins this in the background.

        Args:
            on_progress: Called often.

        Raises:
            IndexMissing: There is no index.
            ProviderError: The transformer is not installed, or cannot be loaded.
            StoreError: The index is in a store, which keeps no such vectors, or its folder cannot be written.
        """
        from vademecum.library.unit_embedding import embed_units  # noqa: PLC0415 - asking embeds nothing

        if self._stored():
            message = "The index is asked in a store, where running text is found by its words alone."
            raise StoreError(message, hint="Have it in files: ragadmin.store: files")
        try:
            return embed_units(self._generations, on_progress or _silent)
        except OSError as error:
            message = f"The vectors of {self.places.index_folder} cannot be written: {error.strerror}."
            raise StoreError(message, hint="Check the folder's owner and rights.") from error

    def embedded(self) -> "Embedded | None":
        """How much of the running text the transformer has read; None where there is none, or no transformer."""
        from vademecum.library.unit_embedding import embedded  # noqa: PLC0415 - asking does not

        try:
            return None if self._stored() else embedded(self._generations)
        except (ProviderError, StoreError):
            return None

    def _embed_later(self) -> None:
        from vademecum.library import background  # noqa: PLC0415 - asking embeds nothing

        if not self._stored():
            background.begin(self.places.index_folder)

    def sources(self) -> list[CatalogEntry]:
        """The catalog, in the order in which sources were added.

        Raises:
            ConfigError: It cannot be read.
        """
        return self._catalog.entries()

    def source(self, alias: str) -> CatalogEntry:
        """One source of the catalog.

        Raises:
            SourceError: There is none of that alias.
            ConfigError: The catalog cannot be read.
        """
        from vademecum.index.catalog import admin as source_admin  # noqa: PLC0415 - asking names no source

        return source_admin.find(self.sources(), alias)

    def stale(self) -> tuple[str, ...]:
        """Why the index is not up to date, a sentence each; empty when it seems to be.

        It looks at the sources' folders, not at every file, and takes well under a millisecond.

        Raises:
            ConfigError: The catalog cannot be read.
        """
        return tuple(change.said for change in changes.changed(self.sources()))

    def health(
        self, *, patience: "Patience | None" = None, on_wait: "Callable[[str], None] | None" = None
    ) -> "list[HealthResult]":
        """Look at all that answers depend on, each component by itself.

        Args:
            patience: With mounts and services that do not answer; by default half a minute.
            on_wait: Told what is waited for.
        """
        from vademecum.library.health import health  # noqa: PLC0415 - asking needs none of it

        return health.check(self.places, patience=patience, on_wait=on_wait or (lambda _said: None))

    def refresh(self) -> None:
        """Answer by the newest index and settings from the next call on."""
        with self._lock:
            self._settings = None
            self._look_again_s = time.monotonic() + _LOOK_EVERY_S
            if self._index and (
                self._index.manifest != (self._stored() or self._generations).current()
                or self._index.embedder != self.settings.embedder
            ):
                self._index = None

    def close(self) -> None:
        """Give back what it holds: the connections to a store. It may be used again, and opens them again then."""
        with self._lock:
            store, self._store = self._store, None
            if store:
                self._index = None
                store[1].store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def settings(self) -> Settings:
        """What the configuration file says.

        Raises:
            ConfigError: It cannot be used.
        """
        settings = self._settings
        if settings is None:
            settings = self._settings = load_settings(self.places.settings_file, self.places.settings_copy)
        return settings

    def _stored(self) -> "StoredGenerations | None":
        """What is in the store that the configuration names; None where the index is asked in its files.

        Raises:
            ConfigError: The configuration file cannot be used.
            StoreError: What the store needs is not installed.
        """
        url = self._address or (self.settings.store if self.method == "manual-pages" else "files")
        if url == "files":
            return None
        if self._store is None or self._store[0] != url:
            from vademecum.index.stored.reader import StoredGenerations  # noqa: PLC0415 - most have none
            from vademecum.stores import open_store  # noqa: PLC0415 - likewise

            self._store = url, StoredGenerations(open_store(url))
        return self._store[1]

    def _check_store(self, *, take_over: bool = False, share: "Share | None" = None) -> None:
        """Check that the store, if there is one, can be reached, and may be written by this library."""
        if stored := self._stored():
            from vademecum.library import sharing  # noqa: PLC0415 - asking copies nothing

            sharing.check_store(stored, self.places.owner_file, take_over=take_over, share=share)

    def withdraw(self) -> None:
        """Take its index out of the store where it was copied to, if there is one, and if it is this library's.

        Raises:
            StoreError: The store cannot be written.
        """
        if stored := self._stored():
            from vademecum.library import sharing  # noqa: PLC0415 - asking copies nothing

            sharing.withdraw(stored, self.places.owner_file)

    def _share(self, on_progress: "Callable[[Progress], None]", share: "Share | None" = None) -> str:
        """Copy the index into the store, if there is one: where it is then, in words, or ""."""
        if not (stored := self._stored()):
            return ""
        from vademecum.library import sharing  # noqa: PLC0415 - asking copies nothing

        owner = self.places.owner_file
        return sharing.copy_index(
            self._generations, stored, owner, self.about, on_progress=on_progress, share=share
        )

    def _taken(self, question: str, context_tokens: int, sources: Sequence[str], *, strict: bool) -> Taken:
        logged = self.settings.query_log
        asked = [entry for entry in self.sources() if not sources or entry.alias in sources]
        stale = changes.changed(asked)
        return take(question, context_tokens, stale, strict=strict, places=self.places, logged=logged)

    def _limited(
        self, sources: Sequence[str], sections: Sequence[str], documents: Sequence[str] = ()
    ) -> "Index":
        index = self._opened()
        if not sources and not sections and not documents:
            return index
        from vademecum.index.reader.scope import limits_of  # noqa: PLC0415 - most questions have none

        asked = (
            index.manifest.sources if self._store else self.sources()
        )  # in a store it may be another machine's
        return index.limited(limits_of(sources, sections, [entry.alias for entry in asked], documents))

    def _opened(self) -> "Index":
        if self._index and self._store and time.monotonic() >= self._look_again_s:
            self.refresh()
        if index := self._index:
            return index
        with self._lock:  # two that come at once must not open it twice
            if self._index is None:
                readable = self._stored() or self._generations
                try:
                    index = open_index(readable, embedder=self.settings.embedder, method=self.method)
                except IndexMissing as error:
                    if self.places == default_places() or self._stored():
                        raise
                    raise IndexMissing(error.message, hint=_BUILD_THIS) from None
                if not index.manifest.documents:
                    message = "The index is empty: its sources hold no documents."
                    raise IndexMissing(message, hint=NO_PAGES_HINT)
                self._index, self._look_again_s = index, time.monotonic() + _LOOK_EVERY_S
            return self._index


def _silent(_progress: object) -> None:
    """Tell nobody."""
