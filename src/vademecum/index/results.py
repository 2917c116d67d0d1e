"""The result of reindexing each source, and the catalog and manifest entries that record it."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from vademecum.core.documents import OTHER_LANGUAGE, Problem
from vademecum.core.errors import SourceError
from vademecum.index.build import Carried, Done, Job
from vademecum.index.catalog.catalog import DEFAULT, CatalogEntry
from vademecum.index.generations import Generations, sync_tree
from vademecum.index.manifest import Failure, Manifest, SegmentInfo
from vademecum.index.plan import Plan, plan_for
from vademecum.index.progress import Progress, SourceReport
from vademecum.index.survey import SourceView, UpdateRequest
from vademecum.index.workers import build
from vademecum.text.printable import printable

OnPart = Callable[["Result"], None]

_FIRST = 400
"""The minimum number of documents of a source that is published before all of it is read."""

_QUARANTINE_HINT = "Repair it, or try it all the same with: ragadmin reindex --source {}"


class Result(NamedTuple):
    """The result of reindexing one source.

    Attributes:
        failures: The documents that could not be read, as recorded in the manifest.
        report: What was done; `None` for a source that was not selected.
        problems: The documents that could not be read, as reported to users.
        fault: The reason that the whole source could not be read.
        unread: The number of documents that are still to be read.
    """

    view: SourceView
    segments: Sequence[SegmentInfo]
    failures: Sequence[Failure]
    report: SourceReport | None = None
    problems: Sequence[Problem] = ()
    fault: SourceError | None = None
    text_bytes: int = 0
    unread: int = 0

    @property
    def documents(self) -> int:
        """The number of live documents in its segments."""
        return sum(map(live_documents, self.segments))


def live_documents(segment: SegmentInfo) -> int:
    """The number of documents in a segment that are not deleted."""
    return segment.documents - len(segment.dead)


def carry_out(
    generations: Generations,
    current: Manifest | None,
    view: SourceView,
    request: UpdateRequest,
    *,
    dry_run: bool = False,
    on_part: OnPart = lambda _result: None,
) -> Result:
    """Read what has changed in a source, or keep its index entries as they are.

    If a source fails, its last good segments are kept, unless they were built with outdated rules. While a new source is
    read, `on_part` is called with each part that can be published.
    """
    alias, entry = view.alias, view.entry
    held = [segment for segment in (current.segments if current else ()) if segment.alias == alias]
    remembered = [failure for failure in (current.failures if current else ()) if failure.alias == alias]
    as_before = Result(view, held, remembered)
    if view.state == "skipped":
        return as_before
    if view.state == "unchanged":
        report = SourceReport(alias, "unchanged", unchanged=entry.documents)
        return as_before._replace(report=report, problems=[_problem(failure) for failure in remembered])
    fault = view.fault
    if view.state == "changed":
        try:
            return _read(generations, current, view, request, dry_run=dry_run, on_part=on_part)
        except SourceError as error:
            fault = error
    good = [segment for segment in held if segment.recipe.endswith(view.rules)]
    removed = sum(map(live_documents, held)) - sum(map(live_documents, good))
    if fault is None:
        report = SourceReport(alias, "quarantined", removed=removed, message=entry.fault)
        message = f"It is quarantined, has not changed, and was not tried: {entry.fault}"
        hint = _QUARANTINE_HINT.format(alias)
    else:
        report = SourceReport(alias, "failed", removed=removed, message=fault.message)
        message, hint = fault.message, fault.hint
    problem = Problem(place=alias, fault="source-unreadable", message=message, hint=hint)
    return Result(view, good, remembered, report, [problem], fault)


def _read(
    generations: Generations,
    current: Manifest | None,
    view: SourceView,
    request: UpdateRequest,
    *,
    dry_run: bool,
    on_part: OnPart,
) -> Result:
    assert view.source is not None  # noqa: S101 - for the type checker
    if not dry_run:
        request.on_progress(Progress("scan", view.alias, 0, 0, 0))
    plan = plan_for(generations, current, view.source, view.recipe, full=request.full, reread=view.reread)
    if dry_run:
        return Result(view, plan.kept, plan.failures, plan.report(view.alias))
    held = [segment for segment in (current.segments if current else ()) if segment.alias == view.alias]
    loses_nothing = sum(map(live_documents, plan.kept)) == sum(map(live_documents, held))
    has_parts = view.entry.type == "man" and loses_nothing and (not held or view.entry.unread > 0)

    def publish(segments: Sequence[SegmentInfo], unread: int) -> None:
        on_part(Result(view, [*plan.kept, *segments], plan.failures, unread=unread))

    built, problems, text_bytes = _build(generations, plan, view, request, publish if has_parts else None)
    failures = plan.failures_of(view.alias, problems)
    if failures and not view.is_still():
        # the source changed while it was read: try these documents again next time
        failures = [failure._replace(fingerprint="") for failure in failures]
    return Result(
        view,
        [*plan.kept, *built],
        [*plan.failures, *failures],
        plan.report(view.alias),
        [*plan.problems, *problems],
        text_bytes=text_bytes,
    )


def _build(
    generations: Generations,
    plan: Plan,
    view: SourceView,
    request: UpdateRequest,
    publish: Callable[[Sequence[SegmentInfo], int], None] | None,
) -> tuple[list[SegmentInfo], list[Problem], int]:
    """Build the segments of a plan and sync them to disk: returns them, the problems, and the number of text bytes.

    `publish`, if given, is called with the segments that are finished and the number of unread documents.
    """
    if not plan.work or view.source is None:
        return [], [], 0
    to_do = sum(len(batch.numbers) if isinstance(batch, Carried) else len(batch) for batch in plan.work)
    problems: list[Problem] = []
    finished: list[SegmentInfo] = []
    documents = text_bytes = 0
    began_s = time.monotonic()

    def on_done(done: Done) -> None:
        nonlocal documents, text_bytes
        documents += done.documents + sum(problem.fault != OTHER_LANGUAGE for problem in done.problems)
        text_bytes += done.text_bytes
        problems.extend(done.problems)
        spent_s = time.monotonic() - began_s
        request.on_progress(Progress("build", view.alias, documents, to_do, text_bytes, spent_s))
        if publish and done.segment:
            finished.append(done.segment)
            sync_tree(generations.segment(done.segment.name))
            if (held := sum(segment.documents for segment in finished)) >= _FIRST < to_do:
                publish(finished, to_do - held)

    request.on_progress(Progress("build", view.alias, 0, to_do, 0))
    segments = generations.folder / "segments"
    job = Job(
        view.source, plan.recipe, segments, request.embedder, view.method, to_do > _FIRST and bool(publish)
    )
    built = build(job, plan.work, on_done)
    for segment in built:
        sync_tree(generations.segment(segment.name))
    return built, problems, text_bytes


def fault_of_nothing(results: Sequence[Result]) -> SourceError | None:
    """The reason that no index can be built; `None` if a source was read."""
    if any(result.view.state == "changed" and not result.fault for result in results):
        return None
    if faults := [result.fault for result in results if result.fault]:
        return faults[0]
    quarantined = [result.view.entry for result in results if result.view.state == "quarantined"]
    entry = quarantined[0] if quarantined else results[0].view.entry
    message = f"{entry.alias} is quarantined and has not changed: {entry.fault}"
    return SourceError(message, hint=_QUARANTINE_HINT.format(entry.alias))


def fault_of_all(results: Sequence[Result]) -> SourceError | None:
    """The reason that none of the selected sources could be read; `None` if one was read or is unchanged."""
    looked_at = [result for result in results if result.view.state in {"changed", "failed", "unchanged"}]
    faults = [result.fault for result in looked_at if result.fault]
    return faults[0] if faults and len(faults) == len(looked_at) else None


# --- afterwards ---


def entries_after(results: Sequence[Result], built: str) -> dict[str, CatalogEntry]:
    """The new catalog entries of the selected sources, by alias."""
    after: dict[str, Callable[[Result, str], CatalogEntry]] = {
        "changed": _entry_read,
        "failed": _entry_failed,
        "unchanged": _entry_unchanged,
    }
    return {
        result.view.alias: (_entry_failed if result.fault else after[result.view.state])(result, built)
        for result in results
        if result.view.state in after
    }


def entries_of_manifest(
    results: Sequence[Result], after: Mapping[str, CatalogEntry], current: Manifest | None
) -> tuple[CatalogEntry, ...]:
    """The catalog entries for the manifest: new entries of selected sources, and previous entries of the others."""
    before = {entry.alias: entry for entry in current.sources} if current else {}
    held = [
        after.get(result.view.alias) or before.get(result.view.alias)
        for result in results
        if not (result.fault and after[result.view.alias].status != "error")
    ]
    return tuple(entry for entry in held if entry is not None)


def _entry_read(result: Result, built: str) -> CatalogEntry:
    view = result.view
    size_bytes, checksum = (view.checksum.size_bytes, view.checksum.checksum) if view.checksum else (0, "")
    return view.entry._replace(
        status="active",
        last_updated=built,
        size_bytes=size_bytes,
        documents=result.documents,
        notes=view.entry.remark,
        seen=view.seen,
        # unknown if the source changed while it was read, or is not whole
        checksum=checksum if view.is_still() and not result.unread else "",
        recipe=view.recipe,
        unread=result.unread,
    )


def _entry_failed(result: Result, _built: str) -> CatalogEntry:
    """A default source that has never existed becomes pending; any other source is quarantined."""
    view, entry = result.view, result.view.entry
    fault = printable(result.fault.message if result.fault else "")
    is_seed = any(entry[:3] == seed[:3] for seed in DEFAULT)
    if is_seed and view.is_missing and not entry.recipe:
        return entry._replace(status="pending").with_fault(fault)
    return entry._replace(
        status="error",
        seen=view.seen,
        documents=result.documents,
        recipe=entry.recipe if result.segments else "",
    ).with_fault(fault)


def _entry_unchanged(result: Result, _built: str) -> CatalogEntry:
    view = result.view
    size_bytes = view.checksum.size_bytes if view.checksum else view.entry.size_bytes
    return view.entry._replace(seen=view.seen, size_bytes=size_bytes)


def _problem(failure: Failure) -> Problem:
    return Problem(place=failure.key, fault=failure.fault, message=failure.message, hint=failure.hint)
