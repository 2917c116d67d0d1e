"""Copying a generation into a store: nothing is read, split or embedded again.

Segments do not change, so one that is there whole is left as it is: a copy that was cut off goes on where it was. Readers
see the generation before until the last step, which names the new one.
"""

from collections.abc import Callable

from vademecum.core.stores import Published, Store
from vademecum.library.generations import Generations
from vademecum.library.manifest import Manifest
from vademecum.library.stored import is_whole, segment_rows, statistics_name, statistics_rows

OnCopied = Callable[[int, int], None]
"""Called with how many documents are there, and how many there will be."""


def copy(source: Generations, store: Store, on_copied: OnCopied = lambda _done, _whole: None) -> Published:
    """Make a store hold what is current in some files, and nothing else.

    Args:
        source: The files.
        store: Where to.
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
    if (
        before
        and Manifest.from_json(before.manifest, store.name)._replace(number=manifest.number) == manifest
    ):
        return before
    number = before.number + 1 if before else 1
    documents = sum(info.documents for info in manifest.segments)
    copied = 0
    for segment in segments:
        if not is_whole(store, segment.info.name):
            for kind, rows in segment_rows(segment):
                store.write(segment.info.name, kind, rows)
        copied += segment.info.documents
        on_copied(copied, documents)
    tables = statistics_name(number)
    store.drop(tables)
    store.write(tables, "table", statistics_rows(statistics))
    published = Published(number, manifest._replace(number=number).to_json())
    store.publish(published, replaces=before.number if before else 0)
    kept = {tables, *(info.name for info in manifest.segments)}
    for name in store.segments() - kept:
        store.drop(name)
    return published
