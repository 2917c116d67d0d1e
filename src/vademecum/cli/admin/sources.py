"""`ragadmin sources`: list, add, change and remove sources."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vademecum.cli._building import Meter
from vademecum.cli._command import Options
from vademecum.cli._output import WARNED, columns, print_result, wants_json
from vademecum.index.catalog.catalog import BY_HAND, CatalogEntry
from vademecum.library.audit import audited
from vademecum.library.help_texts import PREFIX, drop_help, keep_help
from vademecum.library.internal import InternalLibrary
from vademecum.text.printable import printable

_COLUMNS = ("alias", "type", "status", "documents", "size", "last updated", "location")


def list_sources(library: InternalLibrary, asked: Options) -> int:
    """Print the catalog."""
    entries = library.sources()
    lines = columns([_COLUMNS, *map(_row, entries)])
    lines += [said for entry in entries for said in _said(entry)]
    as_json = wants_json(library, asked)
    print_result([entry.to_dict() for entry in entries], lines, as_json=as_json, indent=2)
    return 0


def add(library: InternalLibrary, asked: Options) -> int:
    """Add a source to the catalog."""
    with _shown_progress() as meter, audited(library.places, "add", asked.path) as going_on:
        if asked.path.startswith(PREFIX):
            entry = keep_help(library, asked.path.removeprefix(PREFIX))
        else:
            entry = library.add_source(
                asked.path,
                type=asked.type,
                language=asked.language,
                notes=asked.notes,
                on_progress=meter.show,
            )
        going_on.target, going_on.message = entry.alias, _logged(entry)
    return _changed(library, asked, entry, "added")


def update(library: InternalLibrary, asked: Options) -> int:
    """Replace the settings of a source."""
    with _shown_progress() as meter, audited(library.places, "update", asked.alias) as going_on:
        entry = library.update_source(
            asked.alias,
            new_alias=asked.new_alias,
            type=asked.type,
            location=asked.location,
            language=asked.language,
            status=asked.status,
            notes=asked.notes,
            on_progress=meter.show,
        )
        going_on.message = _logged(entry)
    return _changed(library, asked, entry, "updated")


def remove(library: InternalLibrary, asked: Options) -> int:
    """Remove a source from the catalog and the index."""
    with audited(library.places, "remove", asked.alias) as going_on:
        if asked.alias.startswith(PREFIX):
            gone = drop_help(library, asked.alias.removeprefix(PREFIX))
        else:
            gone = library.remove_source(asked.alias)
        going_on.message = f"{gone.type} {gone.location}"
    lines = [f"removed  {gone.alias}: {printable(gone.location)}"]
    if gone.documents:
        lines.append(f"Its {gone.documents:,} documents will no longer be cited.")
    print_result(gone.to_dict(), lines, as_json=wants_json(library, asked), indent=2)
    return 0


def show(library: InternalLibrary, asked: Options) -> int:
    """Print all information about a source."""
    entry = library.source(asked.alias)
    lines = []
    for name, value in entry.to_dict().items():
        shown = f"{value:,}" if isinstance(value, int) else printable(value)
        lines.append(f"{name.replace('_', ' '):12}  {shown or '-'}")
    print_result(_with_warnings(entry), lines, as_json=wants_json(library, asked), indent=2)
    return 0


def _changed(library: InternalLibrary, asked: Options, entry: CatalogEntry, what: str) -> int:
    """Print the new state of a source and its warnings, and return the exit code."""
    about = f"{entry.type}, {entry.language}, {_size(entry)}, {entry.status}"
    lines = [f"{what}  {entry.alias}: {printable(entry.location)} ({about})"]
    lines += ["Next: ragadmin reindex"] if entry.status == "pending" else []
    print_result(_with_warnings(entry), lines, as_json=wants_json(library, asked), indent=2)
    for warning in entry.warnings:
        print(f"ragadmin: {printable(warning)}", file=sys.stderr)
    if entry.status == "error" and entry.fault != BY_HAND:
        print("See what to do with: ragadmin health", file=sys.stderr)
    return WARNED if entry.warnings else 0


@contextmanager
def _shown_progress() -> Iterator[Meter]:
    meter = Meter()
    try:
        yield meter
    finally:
        meter.clear()


def _logged(entry: CatalogEntry) -> str:
    """Return the message about a source in the audit log."""
    return " ".join([f"{entry.type} {entry.location}", *entry.warnings])


def _said(entry: CatalogEntry) -> list[str]:
    """Return the lines about a source below the table."""
    found = [f"{entry.alias}: {printable(said)}" for said in (entry.fault, entry.remark) if said]
    return found if entry.is_english else [*found, f"{entry.alias}: in {printable(entry.language)}"]


def _row(entry: CatalogEntry) -> tuple[str, ...]:
    return (
        entry.alias,
        printable(entry.type, 12),
        entry.status,
        f"{entry.documents:,}",
        _size(entry),
        entry.last_updated or "never",
        printable(entry.location),
    )


def _size(entry: CatalogEntry) -> str:
    return f"{entry.size_bytes / 1e6:,.1f} MB"


def _with_warnings(entry: CatalogEntry) -> dict[str, Any]:
    return {**entry.to_dict(), "warnings": list(entry.warnings)}
