"""`Library`: the single entry point to the package. Commands, HTTP routes and MCP tools are thin wrappers around it."""

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
from vademecum.core.settings import AnswerStyle, Method, Settings
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
"""The interval, in seconds, at which a store is checked for a newer generation."""


_BUILD_THIS = "Build it with: library.reindex() (ragadmin reindex builds the one that ragman asks)"


class Library:
    """A catalog of sources, and an index of their documents.

    The index is opened on the first question and kept open. If another process publishes a newer one, this instance keeps
    using the index that it opened until `refresh()` is called. Without a store or a model, nothing uses the network.

    Args:
        places: The folders of the library. They are created when something is first written.
        method: How documents are indexed and ranked. It cannot change during the library's lifetime.
        store: The address of the store that holds the index; "" to use the setting `ragadmin.store`.

    Attributes:
        about: Metadata that is stored with the index.
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
        """Open a library. The index need not exist yet, and nothing is written.

        Args:
            path: A folder that holds the whole library, or a `Places` object. The default is the library that `ragman`
                uses.

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
        """Return the folders: `Library(data='/srv/library', config='/srv/library')`."""
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
        style: "AnswerStyle | None" = None,
    ) -> "Answer":
        """Answer a question from the documents, or refuse if they contain no answer.

        The answer quotes the documents. With a model, the model chooses the quotations. With the style `prose`, it writes
        the answer, and every sentence is checked against the text that it cites; sentences that fail the check are
        omitted. If the model is unavailable, is interrupted, times out, or produces too few verifiable sentences, the
        answer is that without a model. Its outcome is then `partial`, and its warnings give the reason.

        Args:
            question: A question in English.
            strict: Whether to refuse if the sources have changed since the index was built. Otherwise, the answer has a
                warning.
            context_tokens: The maximum number of tokens in question and answer together. Only the beginning of a longer
                question is used.
            sources: Aliases of the sources to answer from; empty for all.
            sections: Sections of the manual to answer from (`1`, `3perl`; `3` includes `3perl`); empty for all.
            conversation: The name of a conversation; "-" for the most recent one, "" for none. A follow-up question takes
                its context from the conversation, and the question is stored in it.
            model: The model that chooses or writes the answer: `PROVIDER:MODEL`, its settings, or an open model; None for none.
            timeout_s: The time limit, in seconds, for an answer by a model.
            require_model: Whether to raise an error if the model fails.
            style: `choose` or `prose`; None for the style in the settings.

        Raises:
            AnswerError: The question is empty.
            SourceError: There is no source with that alias.
            ConfigError: The configuration file, a section, the name of the conversation or the model is invalid.
            ProviderError: With `require_model`, the model fails.
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
                style=style,
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
        """Explain a command line part by part, quoting the manual pages of its commands. Nothing is run.

        Each part is a step, in the order of the line: `command` is the part, and `text` the page's description. Parts that no
        page explains are listed in `warnings`. If no part can be explained, the answer is a refusal.

        Args:
            line: The command line, with quotes, pipes and redirections.
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
        style: "AnswerStyle | None" = None,
    ) -> "AnswerStream":
        """Answer with a model, one sentence at a time: each is yielded as soon as it is complete and verified.

        The `answer` of the stream is what `ask` returns. Close the stream, or use it as a context manager.

        Takes the same arguments as `ask`.

        Raises:
            Same as `ask`. Errors from the model, and the error for an empty question, are raised by the stream.
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
            style=style,
        )

    def corpus(
        self,
        sources: Sequence[str] = (),
        sections: Sequence[str] = (),
        *,
        name: str = "",
        documents: Sequence[str] = (),
    ) -> "Corpus":
        """Return the documents as a corpus for `ask.path`. Later reindexes do not change it.

        Args:
            sources: As for `ask`.
            sections: As for `ask`.
            name: The name of the collection, if the library is one.
            documents: Patterns for the references of documents, such as `policies/*`; empty for all.

        Raises:
            As `search`; a ConfigError if the configuration file is invalid.
        """
        threshold, index = self.settings.confidence_threshold, self._limited(sources, sections, documents)
        from vademecum.ask.rating import Corpus  # noqa: PLC0415 - see `ask`

        return Corpus(index, threshold, name, self.site)

    def search(
        self, question: str, *, limit: int = 10, sources: Sequence[str] = (), sections: Sequence[str] = ()
    ) -> "list[Hit]":
        """Return the documents that match a question best, each with its best passage. Questions are never refused.

        Args:
            question: As for `ask`.
            limit: The maximum number of documents.
            sources: As for `ask`.
            sections: As for `ask`.

        Raises:
            AnswerError: The question is empty.
            SourceError: There is no source with that alias.
            ConfigError: A section is invalid.
            IndexMissing: Nothing has been indexed yet.
            IndexCorrupt: The index cannot be read.
        """
        corpus = self.corpus(sources, sections)
        from vademecum.ask import hits  # noqa: PLC0415 - see `ask`

        return hits.search(cleaned(question), [corpus], limit)

    def search_passages_bm25(
        self, question: str, *, limit: int = 10, sources: Sequence[str] = (), sections: Sequence[str] = ()
    ) -> "list[Hit]":
        """Return documents ranked by plain BM25 of their best passage, as a baseline for quality measurements.

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
        """Return the passages that match a question best, best first. Questions are never refused.

        Args:
            question: As for `ask`.
            limit: The maximum number of passages.
            sources: As for `ask`.
            by: "all" for the full ranking, "words" for plain BM25, as a baseline.

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
        """Return the same as `passages`, with the probability that they contain an answer.

        Raises:
            As `search`.
        """
        from vademecum.ask.running_text import passages  # noqa: PLC0415 - manual pages are ranked by document

        return passages.find(
            self._limited(sources, (), documents).running_text(), cleaned(question), limit, site=self.site
        )

    def reading(self, question: str, document: str = "") -> "Reading":
        """Return a question with functions that score any text against it. It is used to answer from a selected text.

        Args:
            question: The question.
            document: The `<alias>:<sha256>` of the document that contains the selection, if known. It determines the
                vocabulary that the question is analysed with.

        Raises:
            As `search`.
        """
        from vademecum.ask.running_text.passages import reading_of  # noqa: PLC0415 - as above

        return reading_of(self.corpus(), cleaned(question), document)

    @property
    def generation(self) -> int:
        """The number of the open generation.

        Raises:
            IndexMissing: Nothing has been indexed yet.
            IndexCorrupt: The index cannot be read.
        """
        return self._opened().manifest.number

    def passage(self, id_: str) -> "PassageHit":
        """Return a passage by its id, `<alias>:<sha256>:<n>`, as in `PassageHit.passage` and `Hit.passage`.

        Raises:
            StoreError: The index has no such passage.
        """
        from vademecum.ask.running_text.passage_by_id import passage_by_id  # noqa: PLC0415 - for other programs only

        return passage_by_id(self._opened(), id_, site=self.site)

    def text(self, document: str) -> str:
        """Return the text of a document, which citations quote.

        Args:
            document: `<alias>:<sha256>`, as in `Hit.document` and `Citation.document`.

        Raises:
            StoreError: The index has no such document.
        """
        return self._opened().text(document)

    def document(self, id_: str, *, start: int = 0, end: int | None = None) -> "Document":
        """Return a document for reading: its text in blocks, and its table of contents.

        Args:
            id_: `<alias>:<sha256>`, as in `Hit.document` and `Citation.document`.
            start: The first code point to return. The range is extended to whole lines.
            end: The end of the range; by default the end of the document.

        Raises:
            StoreError: The index has no such document.
        """
        from vademecum.index.reader.documents import read_document  # noqa: PLC0415 - for readers only

        return read_document(self._opened(), id_, start, end)

    def anchor(self, id_: str, place: int) -> str:
        """Return the anchor of the passage of a document at a position, or the last one before it; "" if there is none.

        Raises:
            StoreError: The index has no such document.
        """
        from vademecum.index.reader.documents import anchor_at  # noqa: PLC0415 - for readers only

        return anchor_at(self._opened(), id_, place)

    def documents(self, alias: str = "", words: str = "") -> "list[Listed]":
        """List the documents of one source, or of all, ordered by reference. See `documents.list_documents`.

        Raises:
            IndexMissing: Nothing has been indexed yet.
            IndexCorrupt: The index cannot be read.
        """
        from vademecum.index.reader.documents import list_documents  # noqa: PLC0415 - for readers only

        return list_documents(self._opened(), alias, words)

    def original(self, id_: str) -> "Original":
        """Return the file that a document was read from, in its current state.

        Args:
            id_: `<alias>:<sha256>`.

        Raises:
            StoreError: The index has no such document, its source does not consist of files, or the file is missing.
        """
        from vademecum.index.reader.originals import read_original  # noqa: PLC0415 - for readers only

        document = self.document(id_, end=0)
        return read_original(self.source(document.alias), document.key)

    # --- keeping --------------------------------------------------------------------------------------------------

    def prepare(self) -> dict[Path, bool]:
        """Create the folders, the configuration file and the catalog if they are missing. Existing files are not changed.

        Returns:
            For each path, whether it was created.

        Raises:
            ConfigError: One cannot be created, or exists and is invalid.
        """
        from vademecum.library import setup  # noqa: PLC0415 - needed once per library

        made = setup.prepare(self.places, self._catalog)
        self.settings  # noqa: B018 - an existing file is checked
        return made

    def add(self, what: str | Path, *, on_progress: "Callable[[Progress], None] | None" = None) -> "Report":
        """Add a source and index it: `add_source`, then `reindex`.

        Args:
            what: `man` for the machine's own manual pages, a path as for `add_source`, or an alias of the catalog.
            on_progress: Called repeatedly.

        Raises:
            SourceError: It cannot be read.
            VademecumError: As `reindex`.
        """
        from vademecum.index.catalog import admin as source_admin  # noqa: PLC0415 - questions change no source

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
        """Add a source to the catalog. The next `reindex` reads it.

        A source that cannot be read, such as a damaged archive, is also added: it is quarantined, and its notes give the
        reason. `CatalogEntry.warnings` reports this, and languages other than English.

        Args:
            path: A folder, a ZIM archive, or a zip file of tldr pages.
            type: `man`, `info`, `kiwix`, `tldr` or `docs`; detected by default.
            language: A BCP 47 tag; by default the language that an archive declares, else `en`.
            notes: Notes about the source.
            exclude: Patterns of file names to skip in a folder of documents (`SOURCE.md`).
            on_progress: Called repeatedly while the checksum of an archive is computed.

        Raises:
            SourceError: The path does not exist, is already a source, or contains the library's own data as documents;
                or the type or language is invalid.
            ConfigError: The catalog cannot be read or written.
        """
        from vademecum.index.catalog import admin as source_admin  # noqa: PLC0415 - questions change no source

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
        """Change the settings of a source, except its alias. The next `reindex` reads it with the new settings.

        Settings that are not given stay the same. The checksum is recomputed, and a source that cannot be read is
        quarantined. Until the next `reindex`, questions are answered from its existing index entries.

        Args:
            alias: The source.
            new_alias: Must equal `alias`, because an alias cannot change.
            type: As for `add_source`.
            location: A new location.
            language: As for `add_source`.
            status: `error` quarantines the source; any other value makes it `pending`.
            notes: New notes.
            on_progress: As for `add_source`.

        Raises:
            SourceError: There is no such source, type, language, status or location.
            ConfigError: The catalog cannot be read or written.
        """
        from vademecum.index.catalog import admin as source_admin  # noqa: PLC0415 - questions change no source

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
        """Remove a source from the index and the catalog immediately. Its files are not changed.

        Returns:
            Its catalog entry.

        Raises:
            SourceError: There is no such source.
            IndexLocked: Another process is writing the index. Nothing was changed.
            ConfigError: The catalog cannot be read or written.
            StoreError: The index cannot be written.
        """
        from vademecum.index.catalog import admin as source_admin  # noqa: PLC0415 - questions change no source

        if self.places.index_folder.exists():
            self._check_store()
        gone = source_admin.remove(self._catalog, self._generations, alias)
        with suppress(IndexMissing):  # without an index, there is nothing in a store either
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
        """Update the index from its sources. Documents that have not changed are not read again.

        A source that cannot be read is quarantined: it is a problem in the report and noted in the catalog, and it is not
        tried again until it changes or is named here. Its existing index entries are kept.

        Args:
            full: Whether to read everything again.
            sources: Aliases of the sources to update; all by default.
            dry_run: Whether to report what would be added, changed and removed, without writing anything.
            share: The share of the documents to read and to copy into the store, where it is published with the others.
            on_progress: Called repeatedly.

        Raises:
            SourceError: None of the sources can be read, or an alias is unknown.
            IndexLocked: Another process is writing the index.
            IndexCorrupt: The index cannot be read, and `full` is false.
            DiskFull: The disk is full. The index is unchanged.
            StoreError: It cannot be written.
        """
        from vademecum.index.survey import UpdateRequest  # noqa: PLC0415 - questions need no indexing
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
        """Embed all running text that the transformer has not embedded yet. A reindex starts this in the background.

        Args:
            on_progress: Called repeatedly.

        Raises:
            IndexMissing: There is no index.
            ProviderError: The transformer is not installed, or cannot be loaded.
            StoreError: The index is in a store, which does not keep such vectors, or its folder cannot be written.
        """
        from vademecum.library.unit_embedding import embed_units  # noqa: PLC0415 - questions embed nothing

        if self._stored():
            message = "The index is in a store, where running text is found only by its words."
            raise StoreError(message, hint="Keep it in files: ragadmin.store: files")
        try:
            return embed_units(self._generations, on_progress or _silent)
        except OSError as error:
            message = f"The vectors of {self.places.index_folder} cannot be written: {error.strerror}."
            raise StoreError(message, hint="Check the folder's owner and permissions.") from error

    def embedded(self) -> "Embedded | None":
        """Return how much running text the transformer has embedded, or None without running text or a transformer."""
        from vademecum.library.unit_embedding import embedded  # noqa: PLC0415 - questions do not

        try:
            return None if self._stored() else embedded(self._generations)
        except (ProviderError, StoreError):
            return None

    def _embed_later(self) -> None:
        from vademecum.library import background  # noqa: PLC0415 - questions embed nothing

        if not self._stored():
            background.begin(self.places.index_folder)

    def sources(self) -> list[CatalogEntry]:
        """List the sources, in the order in which they were added.

        Raises:
            ConfigError: The catalog cannot be read.
        """
        return self._catalog.entries()

    def source(self, alias: str) -> CatalogEntry:
        """Return a source of the catalog.

        Raises:
            SourceError: There is no source with that alias.
            ConfigError: The catalog cannot be read.
        """
        from vademecum.index.catalog import admin as source_admin  # noqa: PLC0415 - questions name no source

        return source_admin.find(self.sources(), alias)

    def stale(self) -> tuple[str, ...]:
        """Return the reasons why the index is out of date, as sentences; empty if it seems up to date.

        Only the folders of the sources are checked, not every file. This takes well under a millisecond.

        Raises:
            ConfigError: The catalog cannot be read.
        """
        return tuple(change.said for change in changes.changed(self.sources()))

    def health(
        self, *, patience: "Patience | None" = None, on_wait: "Callable[[str], None] | None" = None
    ) -> "list[HealthResult]":
        """Check all components that answers depend on.

        Args:
            patience: The timeouts and retries for mounts and services that do not respond; by default, about
                half a minute.
            on_wait: Called with a message before each pause.
        """
        from vademecum.library.health import health  # noqa: PLC0415 - questions need none of it

        return health.check(self.places, patience=patience, on_wait=on_wait or (lambda _said: None))

    def refresh(self) -> None:
        """Use the newest index and settings, starting with the next call."""
        with self._lock:
            self._settings = None
            self._look_again_s = time.monotonic() + _LOOK_EVERY_S
            if self._index and (
                self._index.manifest != (self._stored() or self._generations).current()
                or self._index.embedder != self.settings.embedder
            ):
                self._index = None

    def close(self) -> None:
        """Close the connections to a store. They are reopened if the library is used again."""
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
        """The settings in the configuration file.

        Raises:
            ConfigError: The file is invalid.
        """
        settings = self._settings
        if settings is None:
            settings = self._settings = load_settings(self.places.settings_file, self.places.settings_copy)
        return settings

    def _stored(self) -> "StoredGenerations | None":
        """Return the generations in the configured store, or None if the index is searched in files.

        Raises:
            ConfigError: The configuration file is invalid.
            StoreError: A package that the store requires is not installed.
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
        """Check that the store, if any, can be reached, and that this library may write to it."""
        if stored := self._stored():
            from vademecum.library import sharing  # noqa: PLC0415 - questions copy nothing

            sharing.check_store(stored, self.places.owner_file, take_over=take_over, share=share)

    def withdraw(self) -> None:
        """Remove the index from the store that it was copied to, if any, provided that it belongs to this library.

        Raises:
            StoreError: The store cannot be written.
        """
        if stored := self._stored():
            from vademecum.library import sharing  # noqa: PLC0415 - questions copy nothing

            sharing.withdraw(stored, self.places.owner_file)

    def _share(self, on_progress: "Callable[[Progress], None]", share: "Share | None" = None) -> str:
        """Copy the index into the store, if any. Return a description of its location, or ""."""
        if not (stored := self._stored()):
            return ""
        from vademecum.library import sharing  # noqa: PLC0415 - questions copy nothing

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
        )  # an index in a store may be from another machine
        return index.limited(limits_of(sources, sections, [entry.alias for entry in asked], documents))

    def _opened(self) -> "Index":
        if self._index and self._store and time.monotonic() >= self._look_again_s:
            self.refresh()
        if index := self._index:
            return index
        with self._lock:  # concurrent calls must not open it twice
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
    """Ignore progress."""
