"""What a reindex finds of each source before it reads any: whether it changed, and whether it can be read.

A snapshot of a source is taken before it is read. So a change that comes meanwhile, or a process that is killed before
the catalog says so, makes the index look stale, never fresh.
"""

import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from vademecum.core.errors import SourceError
from vademecum.core.settings import EmbedderName, Method
from vademecum.index.catalog import changes
from vademecum.index.catalog.catalog import CatalogEntry
from vademecum.index.catalog.checksums import Sum, checksum_of
from vademecum.index.catalog.source_types import check_source, open_source
from vademecum.index.embedding import made_by
from vademecum.index.manifest import Manifest
from vademecum.index.plan import ParsedSource
from vademecum.index.progress import OnProgress, Progress
from vademecum.index.stored.shares import Share, SharedSource
from vademecum.retrieval.methods import method_of
from vademecum.text.printable import printable


class UpdateRequest(NamedTuple):
    """What a reindex is to do.

    Attributes:
        full: Read everything again, whatever the index holds; also replaces an index that is corrupt.
        aliases: The sources to look at; `None` for all.
        embedder: What documents are embedded with. Those of another embedder are read and embedded again.
        method: How documents are indexed, where their type does not say.
        share: The share of the documents that this machine reads; `None` for all.
        on_progress: Called often.
    """

    full: bool = False
    aliases: Collection[str] | None = None
    embedder: EmbedderName = "builtin"
    method: Method = "manual-pages"
    share: Share | None = None
    on_progress: OnProgress = lambda _progress: None


State = Literal["changed", "unchanged", "failed", "quarantined", "skipped"]
"""What a source is: to be read, what it was, not to be opened, known to fail and what it was, or not looked at."""


class SourceView(NamedTuple):
    """One source of the catalog, as it is before it is read.

    Attributes:
        entry: What the catalog has of it.
        state: What is to be done with it.
        method: How its documents are indexed.
        rules: The rules and embedders that the recipe of its segments ends in.
        source: Its reader, where it could be opened.
        recipe: What makes entries of its documents.
        seen: The snapshot, as `changes.look` takes it.
        checksum: What it is, in one value; `None` where that is not known.
        reread: Whether all of it is read again: it is another place than the index has read.
        fault: Why it could not be opened.
        is_missing: Whether there is nothing in its place.
    """

    entry: CatalogEntry
    state: State
    method: Method
    rules: str
    source: ParsedSource | None = None
    recipe: str = ""
    seen: dict[str, int] = {}  # noqa: RUF012 - never changed
    checksum: Sum | None = None
    reread: bool = False
    fault: SourceError | None = None
    is_missing: bool = False

    @property
    def alias(self) -> str:
        """Its fixed name."""
        return self.entry.alias

    def is_still(self) -> bool:
        """Whether there is the same to see of it now as in the snapshot."""
        return changes.look(self.entry) == self.seen


def survey(
    entries: Sequence[CatalogEntry], current: Manifest | None, request: UpdateRequest
) -> list[SourceView]:
    """Every source of the catalog as it is now, in the catalog's order.

    Raises:
        SourceError: The catalog is empty.
    """
    if not entries:
        raise SourceError("There are no sources.", hint="Add one with: ragadmin sources add PATH")
    before = {entry.alias: entry for entry in current.sources} if current else {}
    return [_view(entry, before.get(entry.alias), request) for entry in entries]


def check_aliases(entries: Sequence[CatalogEntry], aliases: Collection[str] | None) -> None:
    """Check that the catalog has some sources.

    Raises:
        SourceError: It lacks one, or none is named.
    """
    hint = "See which there are with: ragadmin sources list"
    if aliases is not None and not aliases:
        raise SourceError("No source is named.", hint=hint)
    unknown = sorted(set(aliases or ()) - {entry.alias for entry in entries})
    if unknown:
        named = ", ".join(printable(alias, 40) or "''" for alias in unknown)
        message = f"There is no source named {named}."
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
        source: ParsedSource = open_source(entry)
        view = view._replace(seen=seen)  # one that cannot be opened is tried each time, which costs nothing
        checksum = _checksum(source, entry, seen, request)
    except SourceError as error:
        return view._replace(state="failed", fault=error, is_missing=not seen)
    if request.share:
        source = SharedSource(source, request.share)
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
    """Whether a source is what the index took in."""
    entry = view.entry
    return (
        before.status == entry.status == "active"
        and before.is_same_place(entry)
        and before.checksum == entry.checksum == now.checksum
        and before.recipe == entry.recipe == view.recipe
    )


def _checksum(source: ParsedSource, entry: CatalogEntry, seen: dict[str, int], request: UpdateRequest) -> Sum:
    """What a source is now. An archive of the same time and size is not read again, unless all is."""
    place = Path(entry.location)
    if place.is_dir():
        return checksum_of(place)
    if not request.full and entry.checksum and seen == entry.seen:
        return Sum(entry.checksum, entry.size_bytes)
    return checked(source, entry, request.on_progress)


def checked(source: ParsedSource, entry: CatalogEntry, on_progress: OnProgress) -> Sum:
    """What a source is now, once it was found to be sound.

    Args:
        source: Its reader.
        entry: What the catalog has of it.
        on_progress: Told of the stage `check`, and now and then while an archive is read.

    Raises:
        SourceError: It is broken, or cannot be read.
    """
    place = Path(entry.location)
    if not place.is_dir():
        on_progress(Progress("check", entry.alias, 0, 0, 0))
    check_source(source, entry.location)
    began_s = time.monotonic()

    def tell(done: int, total: int) -> None:
        on_progress(Progress("check", entry.alias, 0, 0, done, time.monotonic() - began_s, total))

    return checksum_of(place, tell)


def unlisted(source: ParsedSource | None, request: UpdateRequest, alias: str = "") -> SourceView:
    """A source that no catalog lists: to be read, or, if it is only an alias, to stay as it is."""
    rules = made_by(request.embedder, request.method)
    nowhere = "\0"  # so that there is nothing to see of it, now or later
    entry = CatalogEntry(source.alias if source else alias, "man", nowhere)
    if source is None:
        return SourceView(entry, "skipped", request.method, rules)
    recipe = f"{source.parser} {rules}"
    return SourceView(entry, "changed", request.method, rules, source, recipe)
