"""Repair the catalog after a power failure, from the copy in the generation's manifest.

A generation is published before the catalog is written. So after a power failure, the catalog can be older than the
generation, but never newer. A missing catalog is restored from the index, for readers and writers.
"""

from collections.abc import Sequence

from vademecum.core.errors import IndexCorrupt, IndexMissing, IndexStale
from vademecum.files.places import Places
from vademecum.index.catalog.catalog import Catalog, CatalogEntry, default
from vademecum.index.generations import Generations
from vademecum.index.manifest import Manifest


def catalog_of(places: Places, generations: Generations, *, empty: bool = False) -> Catalog:
    """Return the catalog of a library. If the file is missing, it is the catalog of its index, or else the default catalog.

    Args:
        empty: Whether a new library has no sources, instead of the default ones.
    """

    def missing() -> tuple[list[CatalogEntry], int]:
        current = standing(generations)
        return (
            (list(current.sources), current.number)
            if current and current.sources
            else ([], 0)
            if empty
            else default()
        )

    return Catalog(places.catalog_file, missing)


def standing(generations: Generations) -> Manifest | None:
    """Return the current generation; `None` if there is none that this version can read."""
    try:
        return generations.current()
    except (IndexMissing, IndexCorrupt, IndexStale):
        return None


def recovered(catalog: Catalog, current: Manifest | None) -> tuple[str, ...]:
    """Update the catalog from the current generation. The caller holds the lock.

    Returns:
        The repairs, as sentences; empty if none were necessary.
    """
    if current is None or not _is_behind(catalog, current):
        return ()
    is_missing = not catalog.path.exists()
    with catalog.changing(current.number) as entries:
        entries[:], said = _righted(entries, current, is_missing=is_missing)
    return said


def foreseen(catalog: Catalog, current: Manifest | None) -> tuple[list[CatalogEntry], tuple[str, ...]]:
    """Return the catalog that `recovered` would write, and its repairs. Nothing is written."""
    entries = catalog.entries()
    if current is None or not _is_behind(catalog, current):
        return entries, ()
    return _righted(entries, current, is_missing=not catalog.path.exists())


def _is_behind(catalog: Catalog, current: Manifest) -> bool:
    """Return whether the catalog is older than the current generation."""
    if not catalog.path.exists():
        return bool(current.sources)
    return catalog.generation() not in {None, current.number}


def _righted(
    entries: Sequence[CatalogEntry], current: Manifest, *, is_missing: bool
) -> tuple[list[CatalogEntry], tuple[str, ...]]:
    """Return the entries updated from a generation, and the repairs."""
    if is_missing:
        said = f"The catalog was missing; its {len(current.sources)} sources were taken from the index."
        return list(current.sources), (said,)
    held = {entry.alias: entry for entry in current.sources}
    right = [_right(entry, held.get(entry.alias)) for entry in entries]
    changes = [
        f"{before.alias} was noted as {before.status} with {before.documents:,} documents and is "
        f"{after.status} with {after.documents:,}."
        for before, after in zip(entries, right, strict=True)
        if before != after
    ]
    if not changes:
        return right, ()
    said = "An earlier run was cut short before it had written the catalog, which was put right."
    return right, (said, *changes)


def _right(entry: CatalogEntry, held: CatalogEntry | None) -> CatalogEntry:
    if held is None:
        if entry.status != "active":
            return entry
        return entry._replace(status="pending", documents=0, seen=None, recipe="")
    if not held.is_same_place(entry):
        return entry  # it was updated since; what the index holds is of another place
    return held._replace(remark=entry.remark)
