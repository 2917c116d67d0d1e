"""Add checked sources to the catalog, change them, and remove them."""

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from vademecum.core.errors import SourceError
from vademecum.index.catalog import changes
from vademecum.index.catalog.catalog import BY_HAND, DEFAULT, Catalog, CatalogEntry, Status
from vademecum.index.catalog.checksums import parts
from vademecum.index.catalog.source_types import (
    alias_for,
    guessed_type,
    known_type,
    language_of,
    located,
    open_source,
    tag,
)
from vademecum.index.generations import Generations
from vademecum.index.progress import OnProgress
from vademecum.index.recovery import recovered, standing
from vademecum.index.survey import checked
from vademecum.index.update import drop, writing
from vademecum.text.printable import printable

_LONGEST_NOTES = 2000
_SEE = "List them with: ragadmin sources list"


def find(entries: list[CatalogEntry], alias: str) -> CatalogEntry:
    """Return the entry with an alias."""
    for entry in entries:
        if entry.alias == alias:
            return entry
    raise SourceError(f"Source {printable(alias, 40) or repr('')} not found.", hint=_SEE)


def meant(entries: list[CatalogEntry], what: str) -> tuple[CatalogEntry | None, str]:
    """Return the source that an alias, `man` or a path refers to, if any, and the path."""
    for entry in entries:
        if entry.alias == what:
            return entry, entry.location
    is_manual = what == "man" and not Path(what).is_dir()
    place = DEFAULT[0].location if is_manual else str(located(what))
    return next((entry for entry in entries if entry.location == place), None), place


def add(
    catalog: Catalog,
    path: str,
    *,
    type: str | None,  # noqa: A002 - that is what the catalog calls it
    language: str | None,
    notes: str,
    exclude: Sequence[str] = (),
    on_progress: OnProgress,
) -> CatalogEntry:
    """See `Library.add_source`."""
    place = located(path)
    entry = CatalogEntry(
        alias=alias_for(str(place), {one.alias for one in catalog.entries()}),
        type=known_type(type) if type is not None else guessed_type(place),
        location=str(place),
        language=tag(language or "en"),
        remark=_noted(notes),
        exclude=tuple(exclude),
    )
    if exclude and entry.type != "docs":
        message = f"Files can be left out of folders of documents only, and {entry.type} is none."
        raise SourceError(message, hint="Leave exclude out, or give the type docs.")
    data = catalog.path.parent
    _check_new(entry, catalog.entries(), data)
    entry = _validated(entry, declared=language is not None, on_progress=on_progress)
    with catalog.changing() as entries:
        _check_new(entry, entries, data)  # it may have been added meanwhile
        entry = entry._replace(alias=alias_for(entry.location, {one.alias for one in entries}))
        entries.append(entry)
    return entry


def update(
    catalog: Catalog,
    alias: str,
    *,
    new_alias: str | None,
    type: str | None,  # noqa: A002 - that is what the catalog calls it
    location: str | None,
    language: str | None,
    status: str | None,
    notes: str | None,
    on_progress: OnProgress,
) -> CatalogEntry:
    """See `Library.update_source`."""
    before = find(catalog.entries(), alias)
    if new_alias is not None and new_alias != alias:
        message = f"The alias {alias} is fixed; it cannot become {printable(new_alias, 40) or repr('')}."
        hint = f"For another alias remove and add the source: ragadmin sources remove {alias}"
        raise SourceError(message, hint=hint)
    if status is not None and status not in get_args(Status):
        message = f"{printable(status, 40)!r} is not a status."
        raise SourceError(message, hint=f"A source is one of: {', '.join(get_args(Status))}.")
    entry = before._replace(
        type=known_type(before.type if type is None else type),
        location=before.location if location is None else str(located(location)),
        language=before.language if language is None else tag(language),
        remark=before.remark if notes is None else _noted(notes),
    )
    others = [one for one in catalog.entries() if one.alias != alias]
    if type is not None or location is not None:
        _check_new(entry, others, catalog.path.parent)
    entry = _validated(entry, declared=language is not None, on_progress=on_progress)
    if status == "error" and entry.status != "error":
        entry = entry._replace(status="error").with_fault(BY_HAND)
    with catalog.changing() as entries:
        now = find(entries, alias)  # it may have been removed, or read, meanwhile
        held = entry._replace(documents=now.documents, last_updated=now.last_updated, recipe=now.recipe)
        entries[entries.index(now)] = held
    return held


def remove(catalog: Catalog, generations: Generations, alias: str) -> CatalogEntry:
    """See `Library.remove_source`.

    The source is removed from the index first and then from the catalog. If this is interrupted, the source is still listed and can be
    removed again, but it is never cited without being listed.
    """
    find(catalog.entries(), alias)
    with writing(generations):
        recovered(catalog, standing(generations))  # nothing is answered from an index that cannot be read
        drop(generations, alias)
        current = standing(generations)
        with catalog.changing(current.number if current else None) as entries:
            gone = find(entries, alias)
            entries.remove(gone)
    return gone


def _validated(entry: CatalogEntry, *, declared: bool, on_progress: OnProgress) -> CatalogEntry:
    """Return the new entry of a source after checking its location: pending, or quarantined with the reason."""
    seen = changes.look(entry)
    opened = False
    try:
        source = open_source(entry)
        opened = True
        found = checked(source, entry, on_progress)
        said = language_of(source)
    except SourceError as error:
        # an empty mapping lets one that cannot be opened be tried at every reindex, which costs nothing
        broken = entry._replace(
            status="error", seen=seen if opened else {}, checksum="", size_bytes=_size(Path(entry.location))
        )
        return broken.with_fault(printable(error.message))
    entry = entry._replace(
        status="pending", seen=seen, checksum=found.checksum, size_bytes=found.size_bytes, notes=entry.remark
    )
    if said and said != entry.language:
        if declared:
            entry = entry.with_fault(f"It was declared to be in {entry.language}, and is in {said}.")
        entry = entry._replace(language=said)
    return entry


def _check_new(entry: CatalogEntry, others: list[CatalogEntry], data: Path) -> None:
    """Check that a source is not the library itself, and that no other source has the same location and type."""
    if entry.type == "docs" and data.resolve().is_relative_to(entry.location):
        shown = printable(entry.location, 200)
        message = f"{shown} holds this library's own data, {printable(str(data), 200)}."
        raise SourceError(message, hint="Name the folders that hold your documents, one after another.")
    for other in others:
        if other.type == entry.type and _is_same(other.location, entry.location):
            message = f"{printable(entry.location, 200)} is a source already: {other.alias}."
            raise SourceError(message, hint=f"Read it again with: ragadmin reindex --source {other.alias}")


def _is_same(one: str, other: str) -> bool:
    """Return whether two paths refer to the same file."""
    try:
        return one == other or Path(one).samefile(other)
    except (OSError, ValueError):
        return False


def _noted(notes: str) -> str:
    """Clean a remark, so that it can be stored and printed."""
    if len(notes) > _LONGEST_NOTES:
        message = f"Notes of {len(notes):,} characters are too long; {_LONGEST_NOTES:,} can be kept."
        raise SourceError(message, hint="Shorten them.")
    return printable(notes)


def _size(place: Path) -> int:
    """Return the size of a file in bytes; 0 if it has none."""
    try:
        return sum(part.stat().st_size for part in parts(place) if part.is_file())
    except OSError:
        return 0
