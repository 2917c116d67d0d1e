"""Open the current generation, even if a reindex replaces it at the same time."""

from typing import TYPE_CHECKING

from vademecum.core.errors import IndexCorrupt, StoreError
from vademecum.core.settings import EmbedderName, Method

if TYPE_CHECKING:
    from vademecum.index.generations import Generations
    from vademecum.index.reader.index import Index
    from vademecum.index.stored.reader import StoredGenerations

_TRIES = 50
"""The number of attempts to open an index that is replaced while it is being opened."""


def open_index(
    generations: "Generations | StoredGenerations",
    *,
    embedder: EmbedderName = "builtin",
    method: Method = "manual-pages",
) -> "Index":
    """Open the current generation.

    If it is replaced and removed at the same time, the newer generation is opened instead.

    Args:
        generations: The generations of the index.
        embedder: The embedder that it must have been built with.
        method: The method that it must have been built with.

    Raises:
        IndexMissing: No index has been built.
        IndexCorrupt: The index cannot be read.
        IndexStale: It was built by different rules, or with a different embedder.
        ProviderError: The embedder is not installed, or is damaged.
    """
    for _ in range(_TRIES):
        with generations.opening():
            manifest = generations.current()
            from vademecum.index.reader.index import Index  # noqa: PLC0415 - not needed to report a missing index

            try:
                index = Index(manifest, generations, embedder=embedder, method=method)
            except (OSError, IndexCorrupt) as error:
                if not generations.is_current(manifest):
                    continue
                if isinstance(error, IndexCorrupt):
                    raise
                message = f"A part of the index cannot be read: {error}"
                raise IndexCorrupt(message, hint="Rebuild it with: ragadmin reindex --full") from error
        if generations.is_current(manifest):
            return index
    message = f"The index in {generations.place} was replaced {_TRIES} times while it was being opened."
    raise StoreError(message, hint="Try again when it is not being written all the time.")
