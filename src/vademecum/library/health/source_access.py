"""Check that the sources can be read: their locations, and the programs that render them."""

import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from vademecum.core.errors import ConfigError, RendererMissing, SourceError, VademecumError
from vademecum.files.rights import readable_again
from vademecum.index.catalog import changes
from vademecum.index.catalog.catalog import BY_HAND, DEFAULT, Catalog, CatalogEntry
from vademecum.library.health.diagnosis import Finding, HealthResult, summed_up
from vademecum.library.health.probing import Patience, persist, why

COMPONENT = "source_access"
_AT_ONCE = 16


def source_access(
    catalog: Catalog, patience: Patience, on_wait: Callable[[str], None] = lambda _said: None
) -> HealthResult:
    """Test every source, several at the same time.

    A location on a slow mount is retried as `patience` specifies. A location that is missing, or that this user may not
    read, is not retried, because this will not change.

    Args:
        patience: The timeouts and retries for a mount that does not respond.
        on_wait: Called with a message before each pause.
    """
    try:
        entries = catalog.entries()
    except ConfigError as error:
        message = "The sources are not known: the catalog cannot be read."
        return HealthResult(COMPONENT, "fail", message, error.hint, error.code)
    if not entries:
        return HealthResult(COMPONENT, "warn", "There are no sources.", "ragadmin sources add /usr/share/man")
    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        found = pool.map(partial(_tried, patience=patience, on_wait=on_wait), entries)
        findings = [finding for finding in found if finding]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # an interrupt does not wait for a dead mount
    names = ", ".join(entry.alias for entry in entries)
    well = f"{names} can be read." if len(entries) < 6 else f"All {len(entries)} sources can be read."
    foreign = ", ".join(f"{entry.alias} ({entry.language})" for entry in entries if not entry.is_english)
    return summed_up(COMPONENT, findings, well + f" Not in English: {foreign}." * bool(foreign))


def _tried(entry: CatalogEntry, *, patience: Patience, on_wait: Callable[[str], None]) -> Finding | None:
    """Return the problem of a source, or None."""

    def waited(fault: Exception, pause_s: float) -> None:
        on_wait(f"{entry.alias}: {why(fault)}; trying again in {pause_s:g} s")

    try:
        persist(partial(_reach, entry), patience, on_wait=waited)
    except FileNotFoundError:
        if _only_seeded(entry):
            message = f"{entry.alias}: this machine has no {entry.location}."
            return Finding("warn", message, f"ragadmin sources remove {entry.alias}", SourceError.code)
        message = f"{entry.alias}: {entry.location} is not there."
        return Finding("fail", message, changes.bring_back(entry), SourceError.code)
    except RendererMissing as error:
        return Finding("fail", f"{entry.alias}: {error.message}", error.hint, error.code)
    except VademecumError as error:
        if entry.status == "error":
            return _quarantined(entry, error.hint or changes.bring_back(entry))
        return Finding("fail", error.message, error.hint or changes.bring_back(entry), error.code)
    except PermissionError:
        message = f"{entry.alias}: {entry.location} may not be read by this user."
        return Finding("fail", message, readable_again(Path(entry.location)), SourceError.code)
    except (OSError, ValueError) as error:
        message = f"{entry.alias}: {entry.location} cannot be read: {why(error)}."
        return Finding("fail", message, changes.bring_back(entry), SourceError.code)
    return _quarantined(entry, _another_try(entry)) if entry.status == "error" else None


def _reach(entry: CatalogEntry) -> None:
    """Read a small part of a source; of a collection of others, a record."""
    from vademecum.index.catalog.source_types import open_source  # noqa: PLC0415 - the readers are not needed before
    from vademecum.sources.records import RecordsSource  # noqa: PLC0415 - likewise

    place = Path(entry.location)
    mode = place.stat().st_mode
    if stat.S_ISDIR(mode):
        with os.scandir(place) as inside:
            if next(inside, None) is None:
                hint = f"If it is to be mounted: mount {entry.location}"
                raise SourceError(f"{entry.alias}: {entry.location} is empty.", hint=hint)
    elif stat.S_ISREG(mode):
        with place.open("rb") as file:
            file.read(1)
    else:
        raise ValueError("it is neither a folder nor a file")
    source = open_source(entry)
    if isinstance(source, RecordsSource):
        from vademecum.index.records import looked_at  # noqa: PLC0415 - likewise

        looked_at(source.described())


def _quarantined(entry: CatalogEntry, remedy: str) -> Finding:
    kept = " The index has it as it was." if entry.last_updated else ""
    message = f"{entry.alias} is quarantined: {entry.fault or 'it could not be read.'}{kept}"
    return Finding("warn", message, remedy, SourceError.code)


def _another_try(entry: CatalogEntry) -> str:
    """Return the remedy for a quarantined source that exists. Retrying an unchanged broken file would not help."""
    is_same = bool(entry.seen) and changes.look(entry) == entry.seen
    is_archive = entry.type in {"kiwix", "tldr"} and Path(entry.location).is_file()
    if is_same and entry.fault != BY_HAND and is_archive:
        return f"Download {entry.location} again, or: ragadmin sources remove {entry.alias}"
    return f"ragadmin reindex --source {entry.alias}"


def _only_seeded(entry: CatalogEntry) -> bool:
    """Return whether a source was never requested: it is a default source of every library, and has never been read."""
    seeded = {(one.alias, one.location) for one in DEFAULT}
    return (entry.alias, entry.location) in seeded and not entry.last_updated
