"""Copy a generation into a store. No document is read, divided or embedded again.

Segments do not change, so one that is there whole is left as it is: a copy that was cut off goes on where it was. Readers
see the generation before until the last step, which names the new one; what the one before needs stays until
the next copy, for those who have not noticed yet.
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
"""Called with how many documents are done, and how many there are."""

_REBUILD = "Copy it again, or build it again on the machine that indexes, with: ragadmin reindex --full"


class Original(NamedTuple):
    """A generation that can be copied.

    Attributes:
        manifest: Of it.
        owner: What names the library that built it.
        about: What those who find it in the store may want to know.
        segment: All rows of a segment, kind by kind, the seal last; each kind is to be read to its end before the next.
        tables: The rows of the generation's own tables.
    """

    manifest: Manifest
    owner: str
    about: "Mapping[str, Json]"
    segment: Callable[[SegmentInfo], Iterator[tuple[Kind, Iterator[Row]]]]
    tables: Callable[[], Iterator[Row]]


def owner_of(file: Path) -> str:
    """What names this library among all that may be copied into a store. The file is made if it is not there."""
    if not file.exists():
        replace_file(file, f"{uuid4().hex}\n")
    return file.read_text(encoding="ascii").strip()


def check_owner(store: Store, owner: str) -> None:
    """See that what is in a store was copied from this library, or that nothing is.

    Raises:
        StoreError: It was copied from another one.
    """
    before = store.current()
    if before is not None and _owner(store, before) != owner:
        manifest = manifest_of(before)
        of = f" of {manifest.documents:,} documents" if manifest else ""
        message = f"{store.name} holds an index{of} that another library has copied there."
        hint = "A machine that only asks does not reindex. To replace that index by this one: ragadmin reindex --full"
        raise StoreError(message, hint=hint)


def from_files(generations: Generations, owner: str, about: "Mapping[str, Json] | None" = None) -> Original:
    """What is current in some files.

    Raises:
        IndexMissing: Nothing has been built.
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
    """What is current in a store.

    Raises:
        IndexMissing: Nothing was published.
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
    """Make a generation current in a store.

    Args:
        original: Which.
        store: Where to.
        on_copied: Called after each segment.
        verify: Read what was written again before it is made current.

    Raises:
        IndexCorrupt: The original cannot be read, or what was written is not what is read again.
        IndexLocked: Another process has published in the store meanwhile; what it published stays.
        StoreError: The store cannot be written; what was current there stays.
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
    """Copy a segment, unless it is there whole."""
    if not store.rows(info.name, "table", [store_rows.SEAL]):
        for kind, found in original.segment(info):
            store.write(info.name, kind, found)


def withdraw(store: Store, owner: str) -> None:
    """Take the index of this library out of a store: an empty generation takes its place, and its rows are deleted.

    An index of another library stays.

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
    """What the library whose index is current in a store has said of it.

    Raises:
        IndexMissing: Nothing was published.
    """
    return from_store(store).about


def check(store: Store, on_checked: OnCopied = lambda _done, _whole: None) -> Manifest:
    """Read everything that the current generation needs, and compare it with the checksums it was written with.

    Raises:
        IndexMissing: Nothing was published.
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
    """The count and checksum of rows."""
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
    """The row that says that a segment is whole.

    Raises:
        IndexCorrupt: It is not.
    """
    found = store.rows(name, "table", [store_rows.SEAL]).get(store_rows.SEAL)
    if found is None:
        raise IndexCorrupt(f"The segment {name} in {store.name} is not whole.", hint=_REBUILD)
    return found


def write_owner(
    store: Store, tables: str, owner: str, about: "Mapping[str, Json]", tally: store_rows.Tally
) -> None:
    """Write whose a generation is, after its tables."""
    fields: dict[str, Json] = {
        "owner": owner,
        "about": about,
        "rows": tally.count,
        "checksum": tally.checksum,
    }
    store.write(tables, "table", [Row(store_rows.OWNER, fields)])


def _about(store: Store, published: Published) -> "Mapping[str, Json]":
    """What is said of a generation; nothing where nothing is."""
    found = store.rows(statistics_name(published.number), "table", [store_rows.OWNER]).get(store_rows.OWNER)
    says = found.fields.get("about") if found else None
    return says if isinstance(says, Mapping) else {}


def _owner(store: Store, published: Published) -> str:
    """What names the library that a generation was copied from; "" where nothing does."""
    found = store.rows(statistics_name(published.number), "table", [store_rows.OWNER]).get(store_rows.OWNER)
    return str(found.fields.get("owner", "")) if found else ""


def manifest_of(published: Published) -> Manifest | None:
    """A manifest; none where it is of another version, or damaged: then nobody can ask what it names."""
    try:
        return Manifest.from_json(published.manifest, published.number)
    except (IndexStale, IndexCorrupt):
        return None
