"""Setting the catalog right after a power cut: a generation carries the catalog's entries as they are with it.

A generation becomes current first, and the catalog is written after it. So what can be found after a cut is a
catalog of the generation before, never one that is ahead.
"""

from vademecum.library.catalog import Catalog, CatalogEntry
from vademecum.library.manifest import Manifest


def recovered(catalog: Catalog, current: Manifest | None) -> tuple[str, ...]:
    """Bring the catalog in line with the current generation, under the lock that the caller holds.

    Returns:
        What was put right, a sentence each; empty when nothing had to be.

    Raises:
        ConfigError: The catalog can not be read or written.
    """
    if current is None:
        return ()
    if not catalog.path.exists():
        entries = restored(current)
        if not entries:
            return ()
        with catalog.changing(current.number) as found:
            found[:] = entries
        return (f"The catalog was missing; its {len(entries)} sources were taken from the index.",)
    if catalog.generation() in {None, current.number}:
        return ()
    held = {entry.alias: entry for entry in current.sources}
    said = []
    with catalog.changing(current.number) as entries:
        for position, entry in enumerate(entries):
            right = _right(entry, held.get(entry.alias))
            if right != entry:
                entries[position] = right
                said.append(
                    f"{entry.alias} was noted as {entry.status} with {entry.documents:,} documents and is "
                    f"{right.status} with {right.documents:,}."
                )
    if not said:
        return ()
    return ("An earlier run was cut short before it had written the catalog, which was put right.", *said)


def restored(current: Manifest | None) -> list[CatalogEntry]:
    """The catalog as a generation has it."""
    return list(current.sources) if current else []


def _right(entry: CatalogEntry, held: CatalogEntry | None) -> CatalogEntry:
    if held is None:
        if entry.status != "active":
            return entry
        return entry._replace(status="pending", documents=0, seen=None, recipe="")
    if not held.is_same_place(entry):
        return entry  # it was updated since; what the index holds is of another place
    return held._replace(remark=entry.remark)
