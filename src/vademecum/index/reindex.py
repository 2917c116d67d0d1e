"""Reindexing as the catalog says: what is looked at, and what is noted of it after."""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vademecum.core.documents import Problem
from vademecum.core.errors import SourceError
from vademecum.core.settings import EmbedderName, Method
from vademecum.index import changes, update
from vademecum.index.catalog import DEFAULT, Catalog, CatalogEntry
from vademecum.index.checksums import Sum, checksum_of
from vademecum.index.generations import Generations
from vademecum.index.manifest import Manifest, SegmentInfo
from vademecum.index.plan import ParsedSource, Wanted, recipe_of
from vademecum.index.progress import OnProgress, Report, SourceReport
from vademecum.index.recovery import foreseen, recovered, standing
from vademecum.index.shares import Share, SharedSource
from vademecum.index.source_admin import checked
from vademecum.index.source_types import open_source
from vademecum.retrieval.methods import method_of
from vademecum.text.printable import printable

_NO_SOURCES = "Add one with: ragadmin sources add PATH"
_QUARANTINE_HINT = "Put it right, or try it all the same with: ragadmin reindex --source {}"


def reindex(
    catalog: Catalog,
    generations: Generations,
    *,
    full: bool,
    wanted: Collection[str] | None,
    embedder: EmbedderName,
    method: Method = "manual-pages",
    share: Share | None = None,
    on_progress: OnProgress,
) -> Report:
    """See `Library.reindex`.

    What there is to see of a source is taken down before it is read. So a change that comes meanwhile, or a
    process that is killed before it has noted it, makes the index look stale, never fresh.
    """
    began_s = time.monotonic()
    _chosen(catalog.entries(), wanted)  # a mistake is said before anything is made or waited for
    with update.writing(generations):
        current = update.readable(generations, full=full)
        put_right = recovered(catalog, standing(generations))
        run = _looked_at(
            catalog.entries(),
            current,
            full=full,
            wanted=wanted,
            embedder=embedder,
            method=method,
            share=share,
            on_progress=on_progress,
        )
        if current is None and not run.usable:
            _note(catalog, run, None)
            raise run.fault()
        try:
            manifest, report = update.bring_up(generations, run.wanted(full=full), run.snapshot)
        except SourceError:
            _note(catalog, run, None)
            raise
        _note(catalog, run, manifest)
    report = run.added_to(report)._replace(
        recovered=(*put_right, *report.recovered), duration_s=time.monotonic() - began_s
    )
    if run.has_nothing():
        raise run.fault()
    return report


def preview(
    catalog: Catalog,
    generations: Generations,
    *,
    full: bool,
    wanted: Collection[str] | None,
    embedder: EmbedderName,
    method: Method = "manual-pages",
    on_progress: OnProgress,
) -> Report:
    """See `Library.reindex` with `dry_run`."""
    began_s = time.monotonic()
    current = update.readable(generations, full=full)
    entries, put_right = foreseen(catalog, standing(generations))
    run = _looked_at(
        entries,
        current,
        full=full,
        wanted=wanted,
        embedder=embedder,
        method=method,
        on_progress=on_progress,
    )
    told = update.preview(generations, run.wanted(full=full))
    report = Report(
        documents=current.documents if current else 0,
        passages=sum(segment.passages for segment in current.segments) if current else 0,
        added=sum(one.added for one in told),
        changed=sum(one.changed for one in told),
        removed=sum(one.removed for one in told),
        unchanged=sum(one.unchanged for one in told),
        text_bytes=0,
        problems=tuple(
            Problem(place=one.alias, fault="source-unreadable", message=one.message)
            for one in told
            if one.outcome == "failed"
        ),
        duration_s=time.monotonic() - began_s,
        published=False,
        sources=told,
        recovered=put_right,
        version=current.version if current else "",
        dry_run=True,
    )
    return run.added_to(report)


@dataclass(slots=True, kw_only=True)
class _Run:
    """What was found when the sources were looked at, and what came of each."""

    entries: Sequence[CatalogEntry]
    current: Manifest | None
    embedder: EmbedderName
    method: Method
    on_progress: OnProgress
    usable: dict[str, ParsedSource] = field(default_factory=dict)
    seen: dict[str, dict[str, int]] = field(default_factory=dict)
    sums: dict[str, Sum] = field(default_factory=dict)
    failed: dict[str, SourceError] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)
    quarantined: dict[str, CatalogEntry] = field(default_factory=dict)
    same: dict[str, CatalogEntry] = field(default_factory=dict)
    after: dict[str, CatalogEntry] = field(default_factory=dict)

    def wanted(self, *, full: bool) -> Wanted:
        """What is to be brought up to date."""
        before = {entry.alias: entry for entry in self.current.sources} if self.current else {}
        moved = {
            entry.alias
            for entry in self.entries
            if entry.alias in before and entry[1:3] != before[entry.alias][1:3]
        }
        return Wanted(
            sources=tuple(self.usable.values()),
            full=full,
            kept={entry.alias for entry in self.entries if entry.alias not in self.usable},
            only_current={*self.failed, *self.quarantined},
            reread=moved,
            tolerant=True,
            undisturbed=self.undisturbed,
            embedder=self.embedder,
            method=self.method,
            methods={entry.alias: method_of(entry.type, self.method) for entry in self.entries},
            on_progress=self.on_progress,
        )

    def undisturbed(self, alias: str) -> bool:
        """Whether there is the same to see of a source as before it was read."""
        entry = next(entry for entry in self.entries if entry.alias == alias)
        return changes.look(entry) == self.seen[alias]

    def snapshot(
        self, segments: Sequence[SegmentInfo], failed: Mapping[str, SourceError], built: str
    ) -> tuple[CatalogEntry, ...]:
        """The catalog as it is with a new generation: each source that was looked at, and what is kept of others."""
        self.failed.update(failed)
        before = {entry.alias: entry for entry in self.current.sources} if self.current else {}
        found = []
        for entry in self.entries:
            if entry.alias in self.failed:
                self.after[entry.alias] = self._failed(entry, segments)
                if self.after[entry.alias].status == "error":
                    found.append(self.after[entry.alias])
            elif entry.alias in self.usable:
                self.after[entry.alias] = self._read(entry, segments, built)
                found.append(self.after[entry.alias])
            elif entry.alias in self.same:
                self.after[entry.alias] = self.same[entry.alias]
                found.append(self.after[entry.alias])
            elif entry.alias in before:
                found.append(before[entry.alias])
        return tuple(found)

    def _read(self, entry: CatalogEntry, segments: Sequence[SegmentInfo], built: str) -> CatalogEntry:
        own = [segment for segment in segments if segment.alias == entry.alias]
        return entry._replace(
            status="active",
            last_updated=built,
            size_bytes=self.sums[entry.alias].size_bytes,
            documents=sum(segment.documents - len(segment.dead) for segment in own),
            notes=entry.remark,
            seen=self.seen[entry.alias],
            # of one that was changed while it was read nobody knows what was read
            checksum=self.sums[entry.alias].checksum if self.undisturbed(entry.alias) else "",
            recipe=recipe_of(self.usable[entry.alias], self.embedder, method_of(entry.type, self.method)),
        )

    def _failed(self, entry: CatalogEntry, segments: Sequence[SegmentInfo]) -> CatalogEntry:
        """One of the sources a library begins with that never was there is waited for; others are quarantined."""
        fault = printable(self.failed[entry.alias].message)
        is_seed = any(entry[:3] == seed[:3] for seed in DEFAULT)
        if is_seed and entry.alias in self.missing and not entry.recipe:
            return entry._replace(status="pending").with_fault(fault)
        own = [segment for segment in segments if segment.alias == entry.alias]
        return entry._replace(
            status="error",
            # an empty mapping lets one that cannot be opened be tried each time, which costs nothing
            seen=self.seen.get(entry.alias, {}),
            documents=sum(segment.documents - len(segment.dead) for segment in own),
            recipe=entry.recipe if own else "",
        ).with_fault(fault)

    def added_to(self, report: Report) -> Report:
        """The report with the sources that were not handed on, all in the catalog's order."""
        told = {one.alias: one for one in report.sources}
        removed = {one.alias: one.removed for one in report.sources}
        problems = list(report.problems)
        for alias, error in self.failed.items():
            if alias in self.usable:
                continue  # it failed while it was read, which the report says
            told[alias] = SourceReport(alias, "failed", removed=removed.get(alias, 0), message=error.message)
            problems.append(
                Problem(place=alias, fault="source-unreadable", message=error.message, hint=error.hint)
            )
        for alias, entry in self.quarantined.items():
            dropped = removed.get(alias, 0)
            told[alias] = SourceReport(alias, "quarantined", removed=dropped, message=entry.fault)
            message = f"It is quarantined, has not changed, and was not tried: {entry.fault}"
            hint = _QUARANTINE_HINT.format(alias)
            problems.append(Problem(place=alias, fault="source-unreadable", message=message, hint=hint))
        for alias, entry in self.same.items():
            told[alias] = SourceReport(alias, "unchanged", unchanged=entry.documents)
            remembered = [one for one in self.current.failures if one.alias == alias] if self.current else []
            problems += [
                Problem(place=one.key, fault=one.fault, message=one.message, hint=one.hint)
                for one in remembered
            ]
        order = {entry.alias: position for position, entry in enumerate(self.entries)}
        sources = sorted(told.values(), key=lambda one: order.get(one.alias, len(order)))
        unchanged = report.unchanged + sum(entry.documents for entry in self.same.values())
        return report._replace(sources=tuple(sources), problems=tuple(problems), unchanged=unchanged)

    def fault(self) -> SourceError:
        """Why nothing could be read."""
        if self.failed:
            return next(iter(self.failed.values()))
        entry = next(iter(self.quarantined.values()))
        message = f"{entry.alias} is quarantined and has not changed: {entry.fault}"
        return SourceError(message, hint=_QUARANTINE_HINT.format(entry.alias))

    def has_nothing(self) -> bool:
        """Whether all that were looked at failed."""
        return bool(self.failed) and not self.same and set(self.failed) >= set(self.usable)


def _looked_at(
    entries: Sequence[CatalogEntry],
    current: Manifest | None,
    *,
    full: bool,
    wanted: Collection[str] | None,
    embedder: EmbedderName,
    method: Method = "manual-pages",
    share: Share | None = None,
    on_progress: OnProgress,
) -> _Run:
    """Open the sources that are wanted, and see which changed.

    Raises:
        SourceError: One is not in the catalog, or the catalog is empty.
    """
    if not entries:
        raise SourceError("There are no sources.", hint=_NO_SOURCES)
    run = _Run(entries=entries, current=current, embedder=embedder, method=method, on_progress=on_progress)
    before = {entry.alias: entry for entry in current.sources} if current else {}
    for entry in _chosen(entries, wanted):
        seen = changes.look(entry)
        if entry.status == "error" and entry.seen and seen == entry.seen and not full and wanted is None:
            run.quarantined[entry.alias] = entry
            continue
        try:
            source: ParsedSource = open_source(entry)
            run.seen[entry.alias] = seen
            found = _sum(source, entry, seen, full=full, on_progress=on_progress)
        except SourceError as error:
            run.failed[entry.alias] = error
            if not seen:
                run.missing.add(entry.alias)
            continue
        if share:
            source = SharedSource(source, share)
        was = before.get(entry.alias)
        if (
            not full
            and was is not None
            and was.status == entry.status == "active"
            and was.is_same_place(entry)
            and was.checksum == entry.checksum == found.checksum
            and was.recipe == entry.recipe == recipe_of(source, embedder, method_of(entry.type, method))
        ):
            run.same[entry.alias] = entry._replace(seen=seen, size_bytes=found.size_bytes)
            continue
        run.usable[entry.alias] = source
        run.sums[entry.alias] = found
    return run


def _sum(
    source: ParsedSource, entry: CatalogEntry, seen: dict[str, int], *, full: bool, on_progress: OnProgress
) -> Sum:
    """What a source is now. An archive of the same time and size is not read again, unless all is."""
    place = Path(entry.location)
    if place.is_dir():
        return checksum_of(place)
    if not full and entry.checksum and seen == entry.seen:
        return Sum(entry.checksum, entry.size_bytes)
    return checked(source, entry, on_progress)


def _chosen(entries: Sequence[CatalogEntry], wanted: Collection[str] | None) -> list[CatalogEntry]:
    """The entries of these aliases, or all.

    Raises:
        SourceError: One is not in the catalog.
    """
    unknown = sorted(set(wanted or ()) - {entry.alias for entry in entries})
    if unknown:
        named = ", ".join(printable(alias, 40) or "''" for alias in unknown)
        message = f"There is no source named {named}."
        raise SourceError(message, hint="See which there are with: ragadmin sources list")
    return [entry for entry in entries if wanted is None or entry.alias in wanted]


def _note(catalog: Catalog, run: _Run, manifest: Manifest | None) -> None:
    """Write into the catalog what each source has become, unless it was changed by hand meanwhile.

    What the index has nothing of is waited for again: it was lost with an index that could not be read.
    """
    if manifest is None:
        run.snapshot(run.current.segments if run.current else (), {}, "")
    held = {entry.alias for entry in manifest.sources} if manifest else set[str]()
    before = {entry.alias: entry for entry in run.entries}
    with catalog.changing(manifest.number if manifest else None) as entries:
        for position, entry in enumerate(entries):
            was = before.get(entry.alias)
            if was is None or not was.is_same_place(entry):
                continue
            if entry.alias in run.after and (manifest or entry.alias in run.failed):
                entries[position] = run.after[entry.alias]._replace(remark=entry.remark)
            elif manifest and entry.status == "active" and entry.alias not in held:
                entries[position] = entry._replace(status="pending", documents=0, seen=None, recipe="")
