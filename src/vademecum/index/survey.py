"""The state of each source before a reindex reads any: whether it changed, and whether it can be read.

A snapshot of a source is taken before the source is read. If the source changes during reading, or the process is killed
before the catalog is updated, the index appears stale, never up to date.
"""

import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from vademecum.core.errors import SourceError
from vademecum.core.protocols import Source
from vademecum.core.settings import EmbedderName, Method
from vademecum.index.catalog import changes
from vademecum.index.catalog.catalog import CatalogEntry
from vademecum.index.catalog.checksums import Sum, checksum_of
from vademecum.index.catalog.source_types import check_source, open_source
from vademecum.index.embedding import made_by
from vademecum.index.manifest import Manifest
from vademecum.index.progress import OnProgress, Progress
from vademecum.retrieval.methods import method_of
from vademecum.text.printable import printable


class UpdateRequest(NamedTuple):
    """Options for a reindex.

    Attributes:
        full: Whether to read everything again. This also replaces a corrupt index.
        aliases: The sources to update; `None` for all.
        embedder: The embedder to use. Documents embedded with a different one are read and embedded again.
        method: How to index documents whose source type does not determine it.
        before_publishing: Called with each generation before it is published, when its files are complete.
    """

    full: bool = False
    aliases: Collection[str] | None = None
    embedder: EmbedderName = "builtin"
    method: Method = "manual-pages"
    on_progress: OnProgress = lambda _progress: None
    before_publishing: Callable[[Manifest], None] = lambda _manifest: None


State = Literal["changed", "unchanged", "failed", "quarantined", "skipped"]
"""To be read; unchanged; cannot be opened; failed before and unchanged; or not selected."""


class SourceView(NamedTuple):
    """A source of the catalog, before it is read.

    Attributes:
        state: See `State`.
        rules: The rules and embedder, which form the last part of the segment recipe.
        recipe: The parser, rules and embedder that index entries are made with.
        seen: The snapshot, from `changes.look`.
        checksum: The checksum of the source; `None` if it is not known.
        reread: Whether to read everything again, because the location has changed.
        fault: The reason that it could not be opened.
        is_missing: Whether its location does not exist.
    """

    entry: CatalogEntry
    state: State
    method: Method
    rules: str
    source: Source | None = None
    recipe: str = ""
    seen: dict[str, int] = {}  # noqa: RUF012 - never changed
    checksum: Sum | None = None
    reread: bool = False
    fault: SourceError | None = None
    is_missing: bool = False

    @property
    def alias(self) -> str:
        """The alias of the source."""
        return self.entry.alias

    def is_still(self) -> bool:
        """Return whether the source still matches the snapshot."""
        return changes.look(self.entry) == self.seen


def survey(
    entries: Sequence[CatalogEntry], current: Manifest | None, request: UpdateRequest
) -> list[SourceView]:
    """The current state of every source, in the catalog's order."""
    if not entries:
        raise SourceError("There are no sources.", hint="Add one with: ragadmin sources add PATH")
    before = {entry.alias: entry for entry in current.sources} if current else {}
    return [_view(entry, before.get(entry.alias), request) for entry in entries]


def check_aliases(entries: Sequence[CatalogEntry], aliases: Collection[str] | None) -> None:
    """Check that the catalog contains these aliases."""
    hint = "List them with: ragadmin sources list"
    if aliases is not None and not aliases:
        raise SourceError("No source is named.", hint=hint)
    unknown = sorted(set(aliases or ()) - {entry.alias for entry in entries})
    if unknown:
        named = ", ".join(printable(alias, 40) or "''" for alias in unknown)
        message = f"Source {named} not found."
        raise SourceError(message, hint=hint)


def _view(entry: CatalogEntry, before: CatalogEntry | None, request: UpdateRequest) -> SourceView:
    method = method_of(entry.type, request.method)
    view = SourceView(entry, "skipped", method, made_by(request.embedder, method))
    if request.aliases is not None and entry.alias not in request.aliases:
        return view
    seen = changes.look(entry)
    is_known_to_fail = entry.status == "error" and entry.seen and seen == entry.seen
    if is_known_to_fail and not request.full and request.aliases is None:
        return view._replace(state="quarantined")
    try:
        source: Source = open_source(entry)
        view = view._replace(seen=seen)  # one that cannot be opened is tried each time, which costs nothing
        checksum = _checksum(source, entry, seen, request)
    except SourceError as error:
        return view._replace(state="failed", fault=error, is_missing=not seen)
    view = view._replace(
        state="changed",
        source=source,
        recipe=f"{source.parser} {view.rules}",
        checksum=checksum,
        reread=before is not None and entry[1:3] != before[1:3],
    )
    if before is not None and not request.full and _is_unchanged(view, before, checksum):
        return view._replace(state="unchanged")
    return view


def _is_unchanged(view: SourceView, before: CatalogEntry, now: Sum) -> bool:
    """Return whether a source is as the index has it."""
    entry = view.entry
    return (
        before.status == entry.status == "active"
        and before.is_same_place(entry)
        and before.checksum == entry.checksum == now.checksum
        and before.recipe == entry.recipe == view.recipe
    )


def _checksum(source: Source, entry: CatalogEntry, seen: dict[str, int], request: UpdateRequest) -> Sum:
    """The current checksum of a source. An archive with the same time and size is not read again, unless `full` is set."""
    place = Path(entry.location)
    if place.is_dir():
        return checksum_of(place)
    if not request.full and entry.checksum and seen == entry.seen:
        return Sum(entry.checksum, entry.size_bytes)
    return checked(source, entry, request.on_progress)


def checked(source: Source, entry: CatalogEntry, on_progress: OnProgress) -> Sum:
    """The checksum of a source, after checking that it is intact.

    Args:
        entry: What the catalog has of it.
        on_progress: Called at the stage `check`, and repeatedly while an archive is read.
    """
    place = Path(entry.location)
    if not place.is_dir():
        on_progress(Progress("check", entry.alias, 0, 0, 0))
    check_source(source, entry.location)
    began_s = time.monotonic()

    def tell(done: int, total: int) -> None:
        on_progress(Progress("check", entry.alias, 0, 0, done, time.monotonic() - began_s, total))

    return checksum_of(place, tell)


def unlisted(source: Source | None, request: UpdateRequest, alias: str = "") -> SourceView:
    """The view of a source that is not in a catalog. A source that is only an alias is skipped."""
    rules = made_by(request.embedder, request.method)
    nowhere = "\0"  # so that there is nothing to see of it, now or later
    entry = CatalogEntry(source.alias if source else alias, "man", nowhere)
    if source is None:
        return SourceView(entry, "skipped", request.method, rules)
    recipe = f"{source.parser} {rules}"
    return SourceView(entry, "changed", request.method, rules, source, recipe)
