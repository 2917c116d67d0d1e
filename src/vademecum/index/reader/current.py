"""Open the current generation, even if a reindex replaces it at the same time or has not read everything yet."""

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.core.errors import IndexCorrupt, StoreError, VademecumError
from vademecum.core.settings import EmbedderName, Method

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vademecum.index.generations import Generations
    from vademecum.index.reader.index import Index
    from vademecum.index.segments import Segment

_TRIES = 50
"""The number of attempts to open an index that is replaced while it is being opened."""


def open_index(
    generations: "Generations", *, embedder: EmbedderName = "builtin", method: Method = "manual-pages"
) -> "Index":
    """Open the current generation.

    If it is replaced and removed at the same time, the newer generation is opened instead.

    Args:
        embedder: The embedder that it must have been built with.
        method: The method that it must have been built with.
    """
    for _ in range(_TRIES):
        with generations.opening():
            manifest = generations.current()
            from vademecum.index.reader.index import Index  # noqa: PLC0415 - not needed to report a missing index

            try:
                made = generations.index_type or Index
                index: Index = made(manifest, generations, embedder=embedder, method=method)
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


_NAME = re.compile(r"\w[\w.+-]*[\w+]|\w")
_MOST_NAMED = 8
"""The maximum number of pages that are read on the spot. Each takes a millisecond with mandoc, 40 with groff."""


def with_named_pages(index: "Index", text: str) -> "Index":
    """Return an index that also has the pages that a text names, if their source has not been read as a whole yet."""
    growing = [entry for entry in index.manifest.sources if entry.unread and entry.type == "man"]
    if not growing:
        return index
    from tempfile import TemporaryDirectory  # noqa: PLC0415 - only while an index grows

    from vademecum.index.build import Builder, Job  # noqa: PLC0415 - likewise
    from vademecum.index.segments import open_segment  # noqa: PLC0415 - likewise
    from vademecum.sources.man import ManSource  # noqa: PLC0415 - likewise

    with suppress(OSError, VademecumError), TemporaryDirectory(prefix="vademecum-named-") as name:
        folder, more = Path(name), []
        for entry in growing:
            source = ManSource(Path(entry.location), entry.alias)
            found = source.named(dict.fromkeys(_NAME.findall(text)))
            refs = [ref for ref in found if not index.named(ref.names[0])][:_MOST_NAMED]
            builder = Builder(Job(source, entry.recipe, folder, index.embedder))
            builder.add(tuple(refs))
            more += [open_segment(folder / info.name, info) for info in builder.commit()]
        return with_segments(index, more)
    return index


def with_segments(index: "Index", more: "Sequence[Segment]") -> "Index":
    """Return an index of the same generation that also has other segments."""
    if not more:
        return index
    parts = index.manifest, index.generations
    opened = type(index)(*parts, embedder=index.embedder, method=index.method, more=more)
    return opened.limited(index.limits)
