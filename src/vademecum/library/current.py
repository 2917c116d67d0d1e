"""Opening the index: the newest generation, whatever happens to it meanwhile."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from vademecum.core.errors import IndexCorrupt, StoreError
from vademecum.core.settings import EmbedderName, Method
from vademecum.library.generations import Generations
from vademecum.library.sizes import check_sizes
from vademecum.stores.edge import Opening

if TYPE_CHECKING:
    from vademecum.library.index import Index
    from vademecum.library.manifest import Manifest

_TRIES = 50
"""How often an index that is replaced while it is being opened is opened again."""


def open_index(
    generations: Generations,
    older: "Index | None" = None,
    *,
    embedder: EmbedderName = "builtin",
    method: Method = "manual-pages",
    meanwhile: Callable[[], object] = lambda: None,
) -> "Index":
    """Open the current generation; segments that an older one has open are taken from there.

    One that is replaced meanwhile may have been swept away in part, so the newer one is opened instead.

    Args:
        generations: All there are.
        older: One that is open.
        embedder: What it must have been embedded with.
        method: How it must have been indexed.
        meanwhile: What else there is to do while the engine opens its shards.

    Raises:
        IndexMissing: Nothing has been built.
        IndexCorrupt: The index can not be read.
        IndexStale: It was built by other rules than this version's, or with another embedder.
        ProviderError: The embedder is not installed, or damaged.
    """
    for _ in range(_TRIES):
        with generations.opening() as held:
            manifest = generations.current()
            try:
                index = _opened(
                    manifest, generations, held, older, embedder=embedder, method=method, meanwhile=meanwhile
                )
            except (OSError, IndexCorrupt) as error:
                if not generations.is_current(manifest):
                    continue
                if isinstance(error, IndexCorrupt):
                    raise
                message = f"A part of the index can not be read: {error}"
                raise IndexCorrupt(message, hint="Build it anew with: ragadmin reindex --full") from error
        if generations.is_current(manifest):
            return index
    message = f"The index in {generations.folder} was replaced {_TRIES} times while it was being opened."
    raise StoreError(message, hint="Try again when it is not being written all the time.")


def _opened(
    manifest: "Manifest",
    generations: Generations,
    held: int,
    older: "Index | None",
    *,
    embedder: EmbedderName,
    method: Method,
    meanwhile: Callable[[], object],
) -> "Index":
    """A generation, open."""
    opening: dict[str, Opening] = {}
    known = {segment.info.name for segment in older.segments} if older else set()
    try:
        for info in manifest.segments:
            if info.name not in known:
                folder = generations.segment(info.name)
                check_sizes(folder, info.files)
                opening[info.name] = Opening(folder / "edge", held)
        from vademecum.library.index import Index  # noqa: PLC0415 - the engine is at work meanwhile

        meanwhile()
        return Index(manifest, generations, opening, older, embedder=embedder, method=method)
    except BaseException:
        for begun in opening.values():
            begun.wait()
        raise
