"""Copying a generation into a store: nothing is read, split or embedded again.

Segments do not change, so one that is there whole is left as it is: a copy that was cut off goes on where it was. Readers
see the generation before until the last step, which names the new one; what the one before needs stays until
the next copy, for those who have not noticed yet.
"""

from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from vademecum.core.errors import IndexCorrupt, IndexStale, StoreError
from vademecum.core.stores import Published, Row, Store
from vademecum.library import rows
from vademecum.library.generations import Generations
from vademecum.library.manifest import Manifest
from vademecum.library.replacing import replace_file
from vademecum.library.stored import statistics_name

OnCopied = Callable[[int, int], None]
"""Called with how many documents are there, and how many there will be."""


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
    if before is None:
        return
    found = store.rows(statistics_name(before.number), "table", [rows.OWNER]).get(rows.OWNER)
    if found is None or found.fields.get("owner") != owner:
        manifest = _manifest_of(before)
        of = f" of {manifest.documents:,} documents" if manifest else ""
        message = f"{store.name} holds an index{of} that another library has copied there."
        hint = "A machine that only asks does not reindex. To replace that index by this one: ragadmin reindex --full"
        raise StoreError(message, hint=hint)


def copy(
    source: Generations, store: Store, owner: str, on_copied: OnCopied = lambda _done, _whole: None
) -> Published:
    """Make what is current in some files current in a store.

    Args:
        source: The files.
        store: Where to.
        owner: As of `owner_of`.
        on_copied: Called after each segment.

    Raises:
        IndexMissing: Nothing has been built.
        IndexCorrupt: The index cannot be read.
        IndexLocked: Another process has published in the store meanwhile; what it published stays.
        StoreError: The store cannot be written; what was current there stays.
    """
    with source.opening():
        manifest = source.current()
        segments = [source.open_segment(info) for info in manifest.segments]
        statistics = source.statistics(manifest)
    before = store.current()
    kept = {info.name for info in manifest.segments}
    number = 1
    if before:
        old = _manifest_of(before)
        if old and old._replace(number=manifest.number) == manifest:
            return before
        number = before.number + 1
        kept |= {statistics_name(before.number), *(info.name for info in old.segments)} if old else set()
    documents = sum(info.documents for info in manifest.segments)
    copied = 0
    for segment in segments:
        name = segment.info.name
        if not store.rows(name, "table", [rows.SEAL]):
            for kind, found in rows.segment_rows(segment):
                store.write(name, kind, found)
        copied += segment.info.documents
        on_copied(copied, documents)
    tables = statistics_name(number)
    store.drop(tables)
    store.write(tables, "table", [*rows.statistics_rows(statistics), Row(rows.OWNER, {"owner": owner})])
    published = Published(number, manifest._replace(number=number).to_json())
    store.publish(published, replaces=before.number if before else 0)
    for name in store.segments() - kept - {tables}:
        store.drop(name)
    return published


def _manifest_of(published: Published) -> Manifest | None:
    """A manifest; none where it is of another version, or damaged: then nobody can ask what it names."""
    try:
        return Manifest.from_json(published.manifest, published.number)
    except (IndexStale, IndexCorrupt):
        return None
