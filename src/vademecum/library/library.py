"""`Library`: the documents of a person or a team, which can be asked. What only the desks need is in `internal`."""

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from os import fspath
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Self

from vademecum.ask.request import Taken, cleaned, take
from vademecum.config.library import load_settings
from vademecum.core.errors import ConfigError, IndexMissing
from vademecum.core.limits import CONTEXT_TOKENS
from vademecum.core.settings import AnswerStyle, Method, Settings
from vademecum.files.places import Places, default_places
from vademecum.index.catalog import changes
from vademecum.index.catalog.catalog import NO_PAGES_HINT, CatalogEntry
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.index.recovery import catalog_of
from vademecum.retrieval.methods import is_manual

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vademecum.ask.kinds import Corpus
    from vademecum.ask.running_text.passages import Found
    from vademecum.ask.sites import Site
    from vademecum.ask.stream import AnswerStream
    from vademecum.core.answers import Answer, Hit
    from vademecum.core.conversations import Turn
    from vademecum.core.models import ModelSettings
    from vademecum.core.protocols import ChatModel
    from vademecum.core.trace import Json
    from vademecum.index.progress import Progress, Report
    from vademecum.index.reader.documents import DocumentEntry, DocumentText
    from vademecum.index.reader.index import Index
    from vademecum.index.shared.reader import SharedGenerations
    from vademecum.library.health.diagnosis import HealthResult

_LOOK_EVERY_S = 5.0
"""The interval, in seconds, at which a store is checked for a newer generation."""

_BUILD_THIS = "Build it with: library.reindex() (ragadmin reindex builds the one that ragman asks)"


class Library:
    """A catalog of sources, and an index of their documents.

    The index is opened on the first question and kept open. If another process publishes a newer one, this instance keeps
    using the index that it opened until `refresh()` is called. Without a store or a model, nothing uses the network.

    Args:
        places: The folders of the library. They are created when something is first written.
        method: With "documents", manual pages are indexed and ranked as running text, too. It cannot change later.
        store: The address of the store that holds the index; "" to use the setting `ragadmin.store`.
        empty: Whether a new library has no sources, instead of the manual of this machine.

    Attributes:
        places: Its folders.
        method: How its documents are indexed and ranked.

    Example:
        >>> with Library.open("library") as library:
        ...     print(library)
        Library(data='library', config='library')
    """

    def __init__(
        self, places: Places, *, method: Method = "manual-pages", store: str = "", empty: bool = False
    ) -> None:
        self.places, self.method = places, method
        self._about: Mapping[str, Json] = {}
        self._address = store
        self._site: Site | None = None
        self._lock = RLock()
        self._generations = Generations(places.index_folder)
        self._catalog = catalog_of(places, self._generations, empty=empty)
        self._settings: Settings | None = None
        self._index: Index | None = None
        self._store: tuple[str, SharedGenerations] | None = None
        self._look_again_s = 0.0
        self._models: dict[ModelSettings, ChatModel] = {}

    @classmethod
    def open(cls, path: str | Path | Places | None = None) -> Self:
        """Open a library. The index need not exist yet, and nothing is written.

        Args:
            path: A folder that holds the whole library. A new one has no sources. The default is the library that `ragman`
                uses, with the manual of this machine; `Places` names the folders of such a library one by one.

        Raises:
            ConfigError: The path is empty, or a file.

        Example:
            >>> with Library.open("library") as library:
            ...     print(library.add("notes"))
            2 documents, 2 passages, 0 problems
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
        return cls(Places(data=folder, config=folder), empty=True)

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
        more: bool = False,
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
            more: Whether to show more lines and passages than usual.
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

        Example:
            >>> answer = library.ask("When is the office open?")
            >>> print(answer.summary[0].text)
            The office is open from nine to five on working days.
            >>> answer.citations[0].quote
            'The office is open from nine to five on working days.'
            >>> library.ask("Who painted the ceiling?").no_answer
            True
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
        corpus = self._corpus(sources, sections)
        from vademecum.ask import kinds, path  # noqa: PLC0415 - for questions

        limits = kinds.MORE if more else kinds.USUAL

        def answer(text: str, before: "Sequence[Turn]" = ()) -> "Answer":
            return path.ask(text, [corpus], limits=limits, room=taken.characters, before=before)

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

        Example:
            >>> answer = library.explain("tar -xzf notes.tar.gz")
            >>> answer.no_answer  # no manual page is in this library
            True
        """
        from vademecum.command_lines.questions import EXPLAIN  # noqa: PLC0415 - for command lines

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

        Example:
            >>> with library.ask_stream("When is the office open?", model="openai:small") as stream:
            ...     for statement in stream:
            ...         print(statement.text)
            The office is open from nine to five on working days.
        """
        from vademecum.ask import stream  # noqa: PLC0415 - most questions are answered without a model

        taken = self._taken(question, context_tokens, sources, strict=strict)
        return stream.start(
            taken,
            self._corpus(sources, sections),
            self.settings,
            model=model,
            opened=self._models,
            timeout_s=timeout_s,
            require_model=require_model,
            conversation=conversation,
            style=style,
        )

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

        Example:
            >>> [hit.reference for hit in library.search("train tickets")]
            ['travel.md', 'office.md']
        """
        corpus = self._corpus(sources, sections)
        from vademecum.ask import rating  # noqa: PLC0415 - see `ask`

        return rating.search(cleaned(question), [corpus], limit)

    def passages(self, question: str, *, limit: int = 10, sources: Sequence[str] = ()) -> "list[Hit]":
        """Return the passages that match a question best, best first. Questions are never refused.

        Args:
            question: As for `ask`.
            limit: The maximum number of passages.
            sources: As for `ask`.

        Raises:
            As `search`.

        Example:
            >>> library.passages("train tickets")[0].text
            'Book trains with the travel desk, at least two days before.'
        """
        return list(self._found(question, limit, sources).hits)

    def passage(self, id_: str) -> "Hit":
        """Return a passage by its id, `<alias>:<sha256>:<n>`, as in `Hit.passage`.

        Raises:
            StoreError: The index has no such passage.

        Example:
            >>> hit = library.search("train tickets")[0]
            >>> library.passage(hit.passage).heading
            'Travel'
        """
        from vademecum.ask.hits import passage_by_id  # noqa: PLC0415 - for other programs only

        return passage_by_id(self._holding(id_), id_, site=self._site)

    def text(self, document: str) -> str:
        """Return the text of a document, which citations quote.

        Args:
            document: `<alias>:<sha256>`, as in `Hit.document` and `Citation.document`.

        Raises:
            StoreError: The index has no such document.

        Example:
            >>> citation = library.ask("When is the office open?").citations[0]
            >>> library.text(citation.document)[citation.start : citation.end] == citation.quote
            True
        """
        return self._holding(document).text(document)

    def document(self, id_: str, *, start: int = 0, end: int | None = None) -> "DocumentText":
        """Return a document for reading: its text in blocks, and its table of contents.

        Args:
            id_: `<alias>:<sha256>`, as in `Hit.document` and `Citation.document`.
            start: The first code point to return. The range is extended to whole lines.
            end: The end of the range; by default the end of the document.

        Raises:
            StoreError: The index has no such document.

        Example:
            >>> document = library.document(library.documents()[0].id)
            >>> document.reference, [section.title for section in document.sections]
            ('office.md', ['The office'])
        """
        from vademecum.index.reader.documents import read_document  # noqa: PLC0415 - for readers only

        return read_document(self._holding(id_), id_, start, end)

    def documents(self, alias: str = "", words: str = "") -> "list[DocumentEntry]":
        """List the documents of one source, or of all, ordered by reference. See `documents.list_documents`.

        Raises:
            IndexMissing: Nothing has been indexed yet.
            IndexCorrupt: The index cannot be read.

        Example:
            >>> [document.reference for document in library.documents()]
            ['office.md', 'travel.md']
        """
        from vademecum.index.reader.documents import list_documents  # noqa: PLC0415 - for readers only

        return list_documents(self._opened(), alias, words)

    # --- keeping --------------------------------------------------------------------------------------------------

    def add(self, what: str | Path, *, on_progress: "Callable[[Progress], None] | None" = None) -> "Report":
        """Add a source and index it: `add_source`, then `reindex`.

        Args:
            what: `man` for the machine's own manual pages, a path as for `add_source`, or an alias of the catalog.
            on_progress: Called repeatedly.

        Raises:
            SourceError: It cannot be read.
            VademecumError: As `reindex`.

        Example:
            >>> print(library.add("notes"))
            2 documents, 2 passages, 0 problems
        """
        from vademecum.index import admin as source_admin  # noqa: PLC0415 - questions change no source

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
            type: `man`, `info`, `kiwix`, `tldr`, `help`, `records` or `docs`; detected by default.
            language: A BCP 47 tag; by default the language that an archive declares, else `en`.
            notes: Notes about the source.
            exclude: Patterns of file names to skip in a folder of documents (`SOURCE.md`).
            on_progress: Called repeatedly while the checksum of an archive is computed.

        Raises:
            SourceError: The path does not exist, is already a source, or contains the library's own data as documents;
                or the type or language is invalid.
            ConfigError: The catalog cannot be read or written.

        Example:
            >>> library.add_source("runbooks", notes="What to do when something breaks.").alias
            'runbooks'
        """
        from vademecum.index import admin as source_admin  # noqa: PLC0415 - questions change no source

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

        Example:
            >>> library.update_source("notes", notes="Of the whole team.").notes
            'Of the whole team.'
        """
        from vademecum.index import admin as source_admin  # noqa: PLC0415 - questions change no source

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

        Example:
            >>> library.remove_source("notes").alias
            'notes'
        """
        from vademecum.index import admin as source_admin  # noqa: PLC0415 - questions change no source

        if self.places.index_folder.exists():
            self._check_store(take_over=False)
        gone = source_admin.remove(self._catalog, self._generations, alias)
        with suppress(IndexMissing):  # without an index, there is nothing in a store either
            self._write_to_store(_silent, take_over=False)
        self.refresh()
        return gone

    def reindex(
        self,
        *,
        full: bool = False,
        sources: Collection[str] | None = None,
        dry_run: bool = False,
        on_progress: "Callable[[Progress], None] | None" = None,
    ) -> "Report":
        """Update the index from its sources. Documents that have not changed are not read again.

        A source that cannot be read is quarantined: it is a problem in the report and noted in the catalog, and it is not
        tried again until it changes or is named here. Its existing index entries are kept.

        Args:
            full: Whether to read everything again.
            sources: Aliases of the sources to update; all by default.
            dry_run: Whether to report what would be added, changed and removed, without writing anything.
            on_progress: Called repeatedly.

        Raises:
            SourceError: None of the sources can be read, or an alias is unknown.
            IndexLocked: Another process is writing the index.
            IndexCorrupt: The index cannot be read, and `full` is false.
            DiskFull: The disk is full. The index is unchanged.
            StoreError: It cannot be written.

        Example:
            >>> library.reindex(dry_run=True).added
            0
        """
        from vademecum.index.survey import UpdateRequest  # noqa: PLC0415 - questions need no indexing
        from vademecum.index.unit_vectors import name_embedder  # noqa: PLC0415 - the same
        from vademecum.index.update import preview, update  # noqa: PLC0415 - the same
        from vademecum.library import background  # noqa: PLC0415 - the same

        if not dry_run:
            self._check_store(take_over=full)
        show = on_progress or _silent
        request = UpdateRequest(full, sources, self.settings.embedder, self.method, show)
        if dry_run:
            return preview(self._catalog, self._generations, request)
        try:
            if self._stored():
                report = update(self._catalog, self._generations, request)
                return report._replace(shared=self._write_to_store(show, take_over=full))
            name_embedder(self._generations.folder, self.settings.embedder)
            request = request._replace(before_publishing=background.embed_added(self._generations))
            report = update(self._catalog, self._generations, request)
            background.begin(self.places.index_folder)
            return report
        finally:
            self.refresh()

    def sources(self) -> list[CatalogEntry]:
        """List the sources, in the order in which they were added.

        Raises:
            ConfigError: The catalog cannot be read.

        Example:
            >>> [(source.alias, source.type, source.documents) for source in library.sources()]
            [('notes', 'docs', 2)]
        """
        return self._catalog.entries()

    def source(self, alias: str) -> CatalogEntry:
        """Return a source of the catalog.

        Raises:
            SourceError: There is no source with that alias.
            ConfigError: The catalog cannot be read.

        Example:
            >>> library.source("notes").status
            'active'
        """
        from vademecum.index import admin as source_admin  # noqa: PLC0415 - questions name no source

        return source_admin.find(self.sources(), alias)

    def stale(self) -> tuple[str, ...]:
        """Return the reasons why the index is out of date, as sentences; empty if it seems up to date.

        Only the folders of the sources are checked, not every file. This takes well under a millisecond.

        Raises:
            ConfigError: The catalog cannot be read.

        Example:
            >>> library.stale()
            ()
        """
        return tuple(change.said for change in changes.changed(self.sources()))

    def health(self) -> "list[HealthResult]":
        """Check all components that answers depend on. A mount or service that does not respond takes half a minute.

        Example:
            >>> [check.component for check in library.health() if check.severity == "fail"]
            []
        """
        from vademecum.library.health import health  # noqa: PLC0415 - questions need none of it

        return health.check(self.places)

    def refresh(self) -> None:
        """Use the newest index and settings, starting with the next call.

        Example:
            >>> library.refresh()
        """
        with self._lock:
            self._settings = None
            self._look_again_s = time.monotonic() + _LOOK_EVERY_S
            if self._index and (
                self._index.manifest != (self._stored() or self._generations).current()
                or self._index.embedder != self.settings.embedder
            ):
                self._index = None

    def close(self) -> None:
        """Close the connections to a store. They are reopened if the library is used again.

        Example:
            >>> library = Library.open("library")
            >>> library.close()
        """
        with self._lock:
            store, self._store = self._store, None
            if store:
                self._index = None
                store[1].engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def settings(self) -> Settings:
        """The settings in the configuration file.

        Raises:
            ConfigError: The file is invalid.

        Example:
            >>> library.settings.confidence_threshold
            0.35
        """
        settings = self._settings
        if settings is None:
            settings = self._settings = load_settings(self.places.settings_file, self.places.settings_copy)
        return settings

    def _stored(self) -> "SharedGenerations | None":
        """Return the generations in the configured store, or None if the index is searched in files."""
        url = self._address or (self.settings.store if self.method == "manual-pages" else "files")
        if url == "files":
            return None
        if self._store is None or self._store[0] != url:
            from vademecum.index.shared.reader import SharedGenerations  # noqa: PLC0415 - most have none
            from vademecum.stores import open_engine  # noqa: PLC0415 - likewise

            self._store = url, SharedGenerations(open_engine(url), self.places.index_folder)
        return self._store[1]

    def _check_store(self, *, take_over: bool) -> None:
        """Check that the store, if any, can be reached, and that this library may write to it."""
        if stored := self._stored():
            from vademecum.index.shared import writer  # noqa: PLC0415 - questions write nothing

            stored.engine.check()
            if not take_over:
                aliases = [entry.alias for entry in self.sources() if not is_manual(entry.type)]
                writer.check_owner(stored.engine, writer.owner_of(self.places.owner_file), aliases)

    def _write_to_store(self, on_progress: "Callable[[Progress], None]", *, take_over: bool) -> str:
        """Write the index into the store, if any. Return a description of its location, or ""."""
        if not (stored := self._stored()):
            return ""
        from vademecum.index.progress import Progress  # noqa: PLC0415 - questions write nothing
        from vademecum.index.shared import writer  # noqa: PLC0415 - likewise

        def written(done: int, whole: int) -> None:
            on_progress(Progress("copy", "", done, whole, 0))

        owner = writer.owner_of(self.places.owner_file)
        published = writer.write(
            stored.engine, self._generations, owner, self._about, on_written=written, take_over=take_over
        )
        return f"{stored.place}, generation {published.number}"

    def _corpus(
        self,
        sources: Sequence[str] = (),
        sections: Sequence[str] = (),
        *,
        name: str = "",
        documents: Sequence[str] = (),
    ) -> "Corpus":
        threshold, index = self.settings.confidence_threshold, self._limited(sources, sections, documents)
        from vademecum.ask.kinds import Corpus  # noqa: PLC0415 - see `ask`

        return Corpus(index, threshold, name, self._site)

    def _found(
        self, question: str, limit: int, sources: Sequence[str] = (), documents: Sequence[str] = ()
    ) -> "Found":
        from vademecum.ask.running_text import passages  # noqa: PLC0415 - manual pages are ranked by document

        question = cleaned(question)
        corpus = self._corpus(sources, documents=documents).naming(question)
        index = corpus.index.running_text()
        return passages.find(index, question, limit, site=self._site, faults=corpus.faults)

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
        )  # of a store, perhaps another machine's
        return index.limited(limits_of(sources, sections, [entry.alias for entry in asked], documents))

    def _holding(self, id_: str) -> "Index":
        """Return the index with a document or passage, which may be a record that one of the last questions has found."""
        index = self._opened()
        if not index.manifest.collections:
            return index
        from vademecum.index.records import remembered  # noqa: PLC0415 - most have none

        return remembered(index, id_)

    def _opened(self) -> "Index":
        if self._index and self._store and time.monotonic() >= self._look_again_s:
            self.refresh()
        if index := self._index:
            return index.fresh()
        with self._lock:  # concurrent calls must not open it twice
            if self._index is None:
                readable = self._stored() or self._generations
                try:
                    index = open_index(readable, embedder=self.settings.embedder, method=self.method)
                except IndexMissing as error:
                    if self.places == default_places() or self._stored():
                        raise
                    raise IndexMissing(error.message, hint=_BUILD_THIS) from None
                if not index.manifest.documents and not index.manifest.collections:
                    message = "The index is empty: its sources hold no documents."
                    raise IndexMissing(message, hint=NO_PAGES_HINT)
                self._index, self._look_again_s = index, time.monotonic() + _LOOK_EVERY_S
            return self._index.fresh()


def _silent(_progress: object) -> None:
    """Ignore progress."""
