"""Check that the index exists, is compatible, current and undamaged."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from vademecum.config.library import load_settings
from vademecum.core.errors import (
    ConfigError,
    IndexCorrupt,
    IndexLocked,
    IndexMissing,
    IndexStale,
    ProviderError,
)
from vademecum.files.locks import is_locked
from vademecum.files.places import Places
from vademecum.index import integrity
from vademecum.index.catalog import changes
from vademecum.index.catalog.catalog import Catalog, CatalogEntry
from vademecum.index.catalog.changes import Change
from vademecum.index.generations import Generations
from vademecum.index.manifest import Manifest
from vademecum.library import audit
from vademecum.library.health.diagnosis import Finding, HealthResult, summed_up
from vademecum.library.health.probing import NoAnswerError, Patience, within

OLD = timedelta(days=30)
"""The minimum age of an index that causes a warning."""

_REINDEX = "ragadmin reindex"
_REBUILD = "ragadmin reindex --full"
_TRIES = 5
_MOST_SAID = 5
"""The maximum number of reasons that are given why files were not read, or not as English."""


def index_freshness(
    generations: Generations,
    catalog: Catalog,
    places: Places,
    *,
    timeout_s: float = Patience().timeout_s,
    now: datetime | None = None,
) -> HealthResult:
    """Check that an index exists, was built by the current rules, and is up to date with the sources.

    Args:
        places: The folders of the library, for its settings, and for the audit log with the result of the last reindex.
        timeout_s: The time limit for checking the sources, which may be on a mount that hangs.
        now: The current time; by default, the system time.
    """
    manifest = generations.current()
    if not manifest.documents and not manifest.collections:
        raise IndexMissing("The index is empty: its sources hold no documents.", hint=_REINDEX)
    if not _of_these_rules(manifest, places):
        message = "The index was built by other rules, or with another embedder, than are in force now."
        raise IndexStale(message, hint=_REINDEX)
    age = (now or datetime.now(UTC)) - datetime.fromisoformat(manifest.built)
    findings: list[Finding] = []
    try:
        entries = catalog.entries()
    except ConfigError as error:
        message = "Whether the sources have changed is not known: the catalog cannot be read."
        findings.append(Finding("fail", message, error.hint, error.code))
    else:
        try:
            stale = within(timeout_s, partial(_stale, entries))
        except NoAnswerError:
            stale = [Change("Whether the sources have changed is not known: a place does not answer.")]
        findings += [
            Finding("warn", said, remedy, IndexStale.code)
            for said, remedy in map(partial(_shown, generations), stale)
        ]
    if age >= OLD:
        findings.append(Finding("warn", f"The index is {age.days} days old.", _REBUILD, IndexStale.code))
    elif age < -timedelta(days=1):
        message = f"The index is from {manifest.built}, which is still to come: a clock is wrong."
        findings.append(Finding("warn", message, "timedatectl status"))
    findings += _last_reindex(generations, places)
    alike: dict[str, list[str]] = {}
    for failure in manifest.failures:
        alike.setdefault(failure.message, []).append(failure.key)
    said = [
        f" {keys[0]}{f' and {len(keys) - 1:,} more' * (len(keys) > 1)}: {message}"
        for message, keys in alike.items()
    ]
    well = f"{manifest.documents:,} documents, built {_ago(age)}.{''.join(said[:_MOST_SAID])}"
    return summed_up("index_freshness", findings, well)


def _shown(generations: Generations, change: Change) -> tuple[str, str]:
    """Return what is said of a change, and its remedy; while an index grows, whether a process works on it."""
    if change.remedy == changes.GOES_ON:
        is_read = is_locked(generations.folder / "lock")
        return (f"{change.said} The rest is being read.", "") if is_read else (change.said, _REINDEX)
    return change.said, "" if change.remedy == changes.SEE_HEALTH else change.remedy


def _stale(entries: Sequence[CatalogEntry]) -> list[Change]:
    """Return what the index lacks. Missing sources are reported by `source_access`."""
    return changes.changed(entries) + [
        Change(f"{entry.alias} is not in the index yet.")
        for entry in entries
        if entry.status == "pending" and not entry.last_updated and Path(entry.location).exists()
    ]


def _of_these_rules(manifest: Manifest, places: Places) -> bool:
    from vademecum.index.embedding import made_by  # noqa: PLC0415 - needed only for a health check
    from vademecum.retrieval.methods import method_of  # noqa: PLC0415 - likewise

    try:
        embedder = load_settings(places.settings_file, places.settings_copy).embedder
    except ConfigError:
        return True  # invalid settings are reported elsewhere
    try:
        rules = {
            entry.alias: made_by(embedder, method_of(entry.type, "manual-pages"))
            for entry in manifest.sources
        }
    except ProviderError:
        return True  # a missing embedder is reported elsewhere
    return all(segment.recipe.endswith(rules[segment.alias]) for segment in manifest.segments)


def _last_reindex(generations: Generations, places: Places) -> list[Finding]:
    """Return whether, according to the audit log, the last reindex failed or was interrupted."""
    try:
        lines = [line for line in audit.recent(places) if line.get("action") == "reindex"]
    except OSError:
        return []  # reported by `permissions`
    turned_away = {line.get("trace_id") for line in lines if line.get("error_code") == IndexLocked.code}
    lines = [line for line in lines if line.get("trace_id") not in turned_away]
    last = lines[-1] if lines else {}
    if last.get("status") == "failed":
        said = str(last.get("message", "")).rstrip(".")
        return [
            Finding("warn", f"The last reindex failed: {said}.", _REINDEX, str(last.get("error_code", "")))
        ]
    if last.get("status") == "started" and not is_locked(generations.folder / "lock"):
        return [Finding("warn", "The last reindex was cut off before it was done.", _REINDEX)]
    return []


def _ago(age: timedelta) -> str:
    hours = max(0, int(age.total_seconds() // 3600))
    if hours < 1:
        return "within the last hour"
    count, unit = (hours, "hour") if hours < 48 else (age.days, "day")
    return f"{count} {unit}{'s' if count > 1 else ''} ago"


def index_integrity(generations: Generations) -> HealthResult:
    """Check the size and checksum of every file of the index.

    If the index is replaced at the same time, the check is repeated.
    """
    began_s = time.monotonic()
    for _ in range(_TRIES):
        manifest = generations.current()
        parts = [(generations.generation(manifest.number), manifest.files)]
        parts += [(generations.segment(segment.name), segment.files) for segment in manifest.segments]
        found = [integrity.verify(folder, files) for folder, files in parts]
        if generations.is_current(manifest):
            break
    else:
        message = f"The index was replaced {_TRIES} times while it was being looked at."
        return HealthResult("index_integrity", "warn", message, "Run it again when no reindex is going on.")
    findings = [
        Finding("fail", said, _REBUILD, IndexCorrupt.code) for verified in found for said in verified.damaged
    ]
    files = sum(one.files for one in found)
    if unknown := sum(one.unknown for one in found):
        message = f"{unknown:,} files have no checksum: an earlier version wrote them. Their sizes are right."
        findings.append(Finding("warn", message, _REBUILD))
    spent_s = time.monotonic() - began_s
    well = f"{files:,} files are what was written ({spent_s:.1f} s)."
    return summed_up("index_integrity", findings, well)
