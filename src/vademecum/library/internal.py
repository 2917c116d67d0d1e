"""`InternalLibrary`: what the desks, the server and the commands need of a library, and its users do not."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.ask.request import cleaned
from vademecum.core.errors import ProviderError, StoreError
from vademecum.library.library import Library
from vademecum.retrieval.meaning import WORDS

if TYPE_CHECKING:
    from vademecum.ask.kinds import Corpus
    from vademecum.ask.running_text.passages import Found
    from vademecum.ask.sites import Site
    from vademecum.core.answers import Hit
    from vademecum.core.trace import Json
    from vademecum.index.reader.originals import Original
    from vademecum.library.health.diagnosis import HealthResult
    from vademecum.library.health.probing import Patience
    from vademecum.library.unit_embedding import Embedded


class InternalLibrary(Library):
    """A library with the parts that other rooms of this package are built on. They may change at any time."""

    @property
    def about(self) -> "Mapping[str, Json]":
        """Metadata that is stored with the index."""
        return self._about

    @about.setter
    def about(self, metadata: "Mapping[str, Json]") -> None:
        self._about = metadata

    @property
    def site(self) -> "Site | None":
        """The site on which the documents are published, if any."""
        return self._site

    @site.setter
    def site(self, site: "Site | None") -> None:
        self._site = site

    # --- asking ---------------------------------------------------------------------------------------------------

    def corpus(
        self, sources: Sequence[str] = (), *, name: str = "", documents: Sequence[str] = ()
    ) -> "Corpus":
        """Return the documents as a corpus for `ask.path`. Later reindexes do not change it.

        Args:
            sources: As for `ask`.
            name: The name of the collection, if the library is one.
            documents: Patterns for the references of documents, such as `policies/*`; empty for all.
        """
        return self._corpus(sources, (), name=name, documents=documents)

    def search_passages_bm25(self, question: str, *, limit: int = 10) -> "list[Hit]":
        """Return documents ranked by plain BM25 of their best passage, as a baseline for quality measurements."""
        index = self._limited((), ())
        from vademecum.ask import hits  # noqa: PLC0415 - for measurements only

        return hits.search_plain(cleaned(question), index, limit)

    def passages_bm25(self, question: str, *, limit: int = 10) -> "list[Hit]":
        """Return passages ranked by plain BM25, as a baseline."""
        from vademecum.ask.running_text import passages  # noqa: PLC0415 - manual pages are ranked by document

        index = self._limited((), ()).running_text()
        return passages.find_plain(index, cleaned(question), limit, site=self._site)

    def find(
        self, question: str, *, limit: int = 10, documents: Sequence[str] = (), word_distances: bool = False
    ) -> "Found":
        """Return the same as `passages`, with the probability that they contain an answer."""
        from vademecum.ask.running_text.passages import with_word_distances  # noqa: PLC0415 - manual pages are ranked by document

        found = self._found(question, limit, (), documents)
        return with_word_distances(found) if word_distances else found

    @property
    def scale(self) -> str:
        """The name of what measures the distances of passages: `words`, or a transformer that has embedded all of them."""
        if not self._opened().is_embedded:
            return WORDS
        from vademecum.index.unit_vectors import unit_embedder  # noqa: PLC0415 - most are asked without it

        return unit_embedder(self._generations.folder).stamp

    @property
    def generation(self) -> int:
        """The number of the open generation."""
        return self._opened().manifest.number

    def anchor(self, id_: str, place: int) -> str:
        """Return the anchor of the passage of a document at a position, or the last one before it; "" if there is none."""
        from vademecum.index.reader.documents import anchor_at  # noqa: PLC0415 - for readers only

        return anchor_at(self._opened(), id_, place)

    def original(self, id_: str) -> "Original":
        """Return the file that a document was read from, in its current state."""
        from vademecum.index.reader.originals import read_original  # noqa: PLC0415 - for readers only

        document = self.document(id_, end=0)
        return read_original(self.source(document.alias), document.key)

    # --- looking after it -----------------------------------------------------------------------------------------

    def prepare(self) -> dict[Path, bool]:
        """Create the folders, the configuration file and the catalog if they are missing. Existing files are not changed.

        Returns:
            For each path, whether it was created.
        """
        from vademecum.library import setup  # noqa: PLC0415 - needed once per library

        made = setup.prepare(self.places, self._catalog)
        self.settings  # noqa: B018 - an existing file is checked
        return made

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

    def embed(self, *, on_progress: "Callable[[Embedded], None] | None" = None) -> "Embedded":
        """Embed all running text that the transformer has not embedded yet. A reindex starts this in the background."""
        from vademecum.library.unit_embedding import embed_units  # noqa: PLC0415 - questions embed nothing

        if self._stored():
            message = "The index is in a store, where running text is found only by its words."
            raise StoreError(message, hint="Keep it in files: ragadmin.store: files")
        try:
            return embed_units(self._generations, on_progress or (lambda _progress: None))
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

    def withdraw(self) -> None:
        """Remove the index from the store that it was copied to, if any, provided that it belongs to this library."""
        if (stored := self._stored()) and self.places.owner_file.exists():
            from vademecum.index.shared import writer  # noqa: PLC0415 - questions write nothing

            writer.withdraw(stored.engine, writer.owner_of(self.places.owner_file))
