"""Copy a generation into a store. No document is read, divided or embedded again.

Segments are immutable, so complete segments in the store are skipped, and an interrupted copy is continued. Readers
use the previous generation until the last step, which publishes the new one. The rows of the previous generation are kept until
the next copy, for readers that have not switched yet.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from vademecum.core.errors import IndexCorrupt, IndexMissing, IndexStale, StoreError
from vademecum.core.stores import Kind, Published, Row, Store
from vademecum.files.write import replace_file
from vademecum.index.generations import Generations
from vademecum.index.manifest import Manifest, SegmentInfo
from vademecum.index.stored import rows as store_rows
from vademecum.index.stored.reader import statistics_name

if TYPE_CHECKING:
    from vademecum.core.trace import Json

OnCopied = Callable[[int, int], None]
"""Called with the number of copied documents and the total."""

_REBUILD = "Copy it again, or build it again on the machine that indexes, with: ragadmin reindex --full"


class Original(NamedTuple):
    """A generation that can be copied.

    Attributes:
        manifest: Its manifest.
        owner: The identifier of the library that built it.
        about: A description for users of the store.
        segment: Returns all rows of a segment by kind, with the seal last. Each kind must be consumed before the next.
        tables: Returns the rows of the generation's tables.
    """

    manifest: Manifest
    owner: str
    about: "Mapping[str, Json]"
    segment: Callable[[SegmentInfo], Iterator[tuple[Kind, Iterator[Row]]]]
    tables: Callable[[], Iterator[Row]]


def owner_of(file: Path) -> str:
    """Return the identifier of this library in stores. Its file is created if it does not exist."""
    if not file.exists():
        replace_file(file, f"{uuid4().hex}\n")
    return file.read_text(encoding="ascii").strip()


def check_owner(store: Store, owner: str) -> None:
    """Check that a store is empty, or that its index was copied from this library.

    Raises:
        StoreError: It was copied from another library.
    """
    before = store.current()
    if before is not None and _owner(store, before) != owner:
        manifest = manifest_of(before)
        of = f" of {manifest.documents:,} documents" if manifest else ""
        message = f"{store.name} holds an index{of} that another library has copied there."
        hint = "A machine that only asks does not reindex. To replace that index by this one: ragadmin reindex --full"
        raise StoreError(message, hint=hint)


def from_files(generations: Generations, owner: str, about: "Mapping[str, Json] | None" = None) -> Original:
    """Return the current generation in files.

    Raises:
        IndexMissing: No index has been built.
        IndexCorrupt: The index cannot be read.
    """
    with generations.opening():
        manifest = generations.current()
        segments = {info.name: generations.open_segment(info) for info in manifest.segments}
        statistics = generations.statistics(manifest)
    sources = {
        entry.alias: {
            "source_alias": entry.alias, "source_type": entry.type, "language": entry.language
        }
        for entry in manifest.sources
    }  # fmt: skip

    def segment(info: SegmentInfo) -> Iterator[tuple[Kind, Iterator[Row]]]:
        return store_rows.segment_rows(
            segments[info.name], sources.get(info.alias, {"source_alias": info.alias})
        )

    return Original(manifest, owner, about or {}, segment, lambda: store_rows.statistics_rows(statistics))


def from_store(store: Store) -> Original:
    """Return the current generation in a store.

    Raises:
        IndexMissing: Nothing has been published.
        IndexCorrupt: The manifest cannot be read.
        StoreError: The store cannot be reached.
    """
    published = store.current()
    if published is None:
        message = f"{store.name} has no index yet."
        raise IndexMissing(message, hint="Build it, on the machine that indexes, with: ragadmin reindex")
    manifest = Manifest.from_json(published.manifest, store.name)._replace(number=published.number)

    def segment(info: SegmentInfo) -> Iterator[tuple[Kind, Iterator[Row]]]:
        seal = seal_of(store, info.name)
        for kind in store_rows.KINDS:
            yield kind, store_rows.with_vectors(kind, store.scan(info.name, kind))
        yield "table", iter([seal])

    def tables() -> Iterator[Row]:
        found = store.scan(statistics_name(published.number), "table")
        return (row for row in found if row.key != store_rows.OWNER)

    return Original(manifest, _owner(store, published), _about(store, published), segment, tables)


def copy(
    original: Original,
    store: Store,
    on_copied: OnCopied = lambda _done, _whole: None,
    *,
    verify: bool = False,
) -> Published:
    """Copy a generation into a store, and publish it.

    Args:
        original: The generation.
        store: The store.
        on_copied: Called after each segment.
        verify: Whether to read the rows back before publishing.

    Raises:
        IndexCorrupt: The original cannot be read, or differs from the rows that were read back.
        IndexLocked: Another process has published in the store; its generation stays current.
        StoreError: The store cannot be written; its generation stays current.
    """
    manifest = original.manifest
    before = store.current()
    kept = {info.name for info in manifest.segments}
    number = 1
    if before:
        old = manifest_of(before)
        is_same = old and old._replace(number=manifest.number) == manifest
        if is_same and (_owner(store, before), _about(store, before)) == (original.owner, original.about):
            return before
        number = before.number + 1
        kept |= {statistics_name(before.number), *(info.name for info in old.segments)} if old else set()
    documents = sum(info.documents for info in manifest.segments)
    copied = 0
    for info in manifest.segments:
        copy_segment(original, store, info)
        if verify:
            _check_segment(store, info.name)
        copied += info.documents
        on_copied(copied, documents)
    tables = statistics_name(number)
    store.drop(tables)
    tally = store_rows.Tally()
    store.write(tables, "table", tally.of(original.tables()))
    write_owner(store, tables, original.owner, original.about, tally)
    published = Published(number, manifest._replace(number=number).to_json())
    store.publish(published, replaces=before.number if before else 0)
    for name in store.segments() - kept - {tables}:
        store.drop(name)
    return published


def copy_segment(original: Original, store: Store, info: SegmentInfo) -> None:
    """Copy a segment, unless it is already complete in the store."""
    if not store.rows(info.name, "table", [store_rows.SEAL]):
        for kind, found in original.segment(info):
            store.write(info.name, kind, found)


def withdraw(store: Store, owner: str) -> None:
    """Remove the index of this library from a store: publish an empty generation, and delete the rows.

    An index of another library is not changed.

    Raises:
        StoreError: The store cannot be written.
    """
    before = store.current()
    if before is None or _owner(store, before) != owner:
        return
    number = before.number + 1
    tables = statistics_name(number)
    tally = store_rows.Tally()
    store.write(tables, "table", tally.of(store_rows.no_statistics()))
    write_owner(store, tables, owner, {}, tally)
    manifest = Manifest(number, datetime.now(UTC).isoformat(timespec="seconds"), {}, {}, ())
    store.publish(Published(number, manifest.to_json()), replaces=before.number)
    for name in store.segments() - {tables}:
        store.drop(name)


def about(store: Store) -> "Mapping[str, Json]":
    """Return the description of the current index in a store.

    Raises:
        IndexMissing: Nothing has been published.
    """
    return from_store(store).about


def check(store: Store, on_checked: OnCopied = lambda _done, _whole: None) -> Manifest:
    """Read all rows of the current generation, and verify their checksums.

    Raises:
        IndexMissing: Nothing has been published.
        IndexCorrupt: A part is missing or damaged; the message names it.
        StoreError: The store cannot be reached.
    """
    original = from_store(store)
    manifest = original.manifest
    documents = sum(info.documents for info in manifest.segments)
    checked = 0
    for info in manifest.segments:
        _check_segment(store, info.name)
        checked += info.documents
        on_checked(checked, documents)
    tables = statistics_name(manifest.number)
    says = store.rows(tables, "table", [store_rows.OWNER]).get(store_rows.OWNER, Row(store_rows.OWNER)).fields
    if _tallied(original.tables()) != (says.get("rows"), says.get("checksum")):
        raise _damaged(store, tables, "table")
    return manifest


def _check_segment(store: Store, name: str) -> None:
    says = seal_of(store, name).fields
    counts, checksums = (
        found if isinstance(found, Mapping) else {} for found in (says.get("rows"), says.get("checksums"))
    )
    for kind in store_rows.KINDS:
        if _tallied(store.scan(name, kind)) != (counts.get(kind), checksums.get(kind)):
            raise _damaged(store, name, kind)


def _tallied(found: Iterator[Row]) -> tuple[int, str]:
    """Return the count and checksum of rows."""
    tally = store_rows.Tally()
    for _ in tally.of(found):
        pass
    return tally.count, tally.checksum


def _damaged(store: Store, name: str, kind: Kind) -> IndexCorrupt:
    message = (
        f"The segment {name} in {store.name} is damaged: its {kind} rows are not those that were written."
    )
    return IndexCorrupt(message, hint=_REBUILD)


def seal_of(store: Store, name: str) -> Row:
    """Return the seal, the row that marks a segment as complete.

    Raises:
        IndexCorrupt: The segment is incomplete.
    """
    found = store.rows(name, "table", [store_rows.SEAL]).get(store_rows.SEAL)
    if found is None:
        raise IndexCorrupt(f"The segment {name} in {store.name} is not whole.", hint=_REBUILD)
    return found


def write_owner(
    store: Store, tables: str, owner: str, about: "Mapping[str, Json]", tally: store_rows.Tally
) -> None:
    """Write the owner of a generation, after its tables."""
    fields: dict[str, Json] = {
        "owner": owner,
        "about": about,
        "rows": tally.count,
        "checksum": tally.checksum,
    }
    store.write(tables, "table", [Row(store_rows.OWNER, fields)])


def _about(store: Store, published: Published) -> "Mapping[str, Json]":
    """Return the description of a generation; empty if there is none."""
    found = store.rows(statistics_name(published.number), "table", [store_rows.OWNER]).get(store_rows.OWNER)
    says = found.fields.get("about") if found else None
    return says if isinstance(says, Mapping) else {}


def _owner(store: Store, published: Published) -> str:
    """Return the identifier of the library that a generation was copied from; "" if there is none."""
    found = store.rows(statistics_name(published.number), "table", [store_rows.OWNER]).get(store_rows.OWNER)
    return str(found.fields.get("owner", "")) if found else ""


def manifest_of(published: Published) -> Manifest | None:
    """Parse a manifest. Return None if it has another version or is damaged, so that it cannot be used."""
    try:
        return Manifest.from_json(published.manifest, published.number)
    except (IndexStale, IndexCorrupt):
        return None
