"""Bringing the index up to date: what is built for each source, and the one step that makes it current."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from vademecum.core.documents import Problem
from vademecum.core.errors import IndexCorrupt, IndexMissing, IndexStale, SourceError, StoreError
from vademecum.core.settings import EmbedderName, Method
from vademecum.index.build import Carried, Done, Job, build, translated
from vademecum.index.catalog import CatalogEntry
from vademecum.index.generations import Generations, sync_tree
from vademecum.index.manifest import Failure, Manifest, SegmentInfo
from vademecum.index.plan import ParsedSource, Plan, Wanted, plan_for
from vademecum.index.progress import OnProgress, Progress, Report, SourceReport
from vademecum.index.sizes import check_sizes
from vademecum.index.statistics import FILES, write_statistics

__all__ = [
    "ParsedSource",
    "Progress",
    "Report",
    "Wanted",
    "bring_up",
    "drop",
    "preview",
    "readable",
    "reindex",
    "writing",
]

Snapshot = Callable[[Sequence[SegmentInfo], Mapping[str, SourceError], str], tuple[CatalogEntry, ...]]
"""The catalog's entries, given the live segments, the sources that failed, and the time."""


def reindex(
    generations: Generations,
    sources: Sequence[ParsedSource],
    *,
    full: bool = False,
    kept: Collection[str] = (),
    embedder: EmbedderName = "builtin",
    method: Method = "manual-pages",
    on_progress: OnProgress = lambda _progress: None,
) -> Report:
    """Bring the index up to date with its sources.

    Documents whose fingerprint, parser and rules are unchanged are left as they are. What the index holds of
    any source that is neither given nor kept is dropped. A source that fails stays in the index as it was.

    Args:
        generations: Where.
        sources: The sources to look at.
        full: Read everything again, whatever the index holds; also replaces one that is corrupt.
        kept: Aliases of sources that are not looked at, and stay in the index as they are.
        embedder: What documents are embedded with. Those of another are read and embedded again.
        method: How they are indexed, likewise.
        on_progress: Called often.

    Raises:
        IndexLocked: Another process writes it.
        ProviderError: The embedder is not installed, or damaged.
        IndexCorrupt: The index cannot be read, and `full` was not asked for.
        DiskFull: No room is left; the index is as it was.
        SourceError: None of the sources could be read.
    """
    with writing(generations):
        wanted = Wanted(
            sources, full=full, kept=kept, embedder=embedder, method=method, on_progress=on_progress
        )
        return bring_up(generations, wanted, lambda _segments, _failed, _built: ())[1]


@contextmanager
def writing(generations: Generations) -> Iterator[None]:
    """Hold the writer's lock; what the operating system refuses meanwhile becomes an error with a way out.

    Raises:
        IndexLocked: Another process writes the index.
    """
    try:
        with generations.writing():
            yield
    except OSError as error:
        raise translated(error, generations.folder) from error


def bring_up(generations: Generations, wanted: Wanted, snapshot: Snapshot) -> tuple[Manifest, Report]:
    """Do what `reindex` says, under the lock that the caller holds.

    Raises:
        As `reindex`.
    """
    began_s = time.monotonic()
    current = readable(generations, full=wanted.full)
    swept = generations.sweep(current)
    try:
        manifest, report = _bring_up(generations, current, wanted, snapshot)
    except BaseException:
        # it may have come when the new generation was current already
        with suppress(StoreError):
            generations.sweep(readable(generations, full=wanted.full))
        raise
    generations.sweep(manifest)
    recovered = (f"{swept} folders that an earlier run had left, or of a damaged index, were removed.",)
    return manifest, report._replace(
        duration_s=time.monotonic() - began_s, recovered=recovered if swept else ()
    )


def drop(generations: Generations, alias: str) -> bool:
    """Publish a generation without a source, under the lock that the caller holds.

    Returns:
        Whether there was anything of it. Where no index can be read there is not: nothing is answered from it.

    Raises:
        DiskFull: No room is left; the index is as it was.
    """
    try:
        current = generations.current()
        segments = [one for one in current.segments if one.alias != alias]
        _check(generations, segments)
    except (IndexMissing, IndexCorrupt, IndexStale):
        return False
    sources = tuple(one for one in current.sources if one.alias != alias)
    if len(segments) == len(current.segments) and len(sources) == len(current.sources):
        return False
    failures = [one for one in current.failures if one.alias != alias]
    generations.sweep(current)
    manifest = _published(generations, current, segments, failures, sources, built=_now())
    generations.sweep(manifest)
    return True


def preview(generations: Generations, wanted: Wanted) -> tuple[SourceReport, ...]:
    """What `bring_up` would do with each source. Nothing is written.

    Raises:
        IndexCorrupt: The index cannot be read, and `full` was not asked for.
    """
    current = readable(generations, full=wanted.full)
    found = []
    for source in wanted.sources:
        try:
            found.append(plan_for(generations, current, source, wanted).told(source.alias))
        except SourceError as error:
            found.append(SourceReport(source.alias, "failed", message=error.message))
    if current:
        found += _dropped(current, _left_alone(current, wanted), wanted)
    return tuple(found)


def readable(generations: Generations, *, full: bool) -> Manifest | None:
    """The current generation; `None` when there is none that can be built on.

    Of one in which segments are gone or cut short, `full` leaves these and their sources out.

    Raises:
        IndexCorrupt: It cannot be read, and `full` was not asked for.
    """
    while True:
        try:
            current = generations.current()
        except (IndexMissing, IndexStale):
            return None
        except IndexCorrupt:
            if full:
                return None
            raise
        try:
            if full:
                return _sound(generations, current)
            check_sizes(generations.generation(current.number), current.files)
            _check(generations, current.segments)
        except IndexCorrupt:
            if generations.is_current(current):
                raise
            continue  # a writer has published another meanwhile, and swept this one away
        return current


def _check(generations: Generations, segments: Iterable[SegmentInfo]) -> None:
    """See that the files of segments are there and as long as they were written.

    Raises:
        IndexCorrupt: One is not.
    """
    for segment in segments:
        check_sizes(generations.segment(segment.name), segment.files)


def _sound(generations: Generations, current: Manifest) -> Manifest:
    """A generation without the segments that are not whole, and as if it had never had their sources."""
    whole = []
    for segment in current.segments:
        with suppress(IndexCorrupt):
            _check(generations, [segment])
            whole.append(segment)
    if len(whole) == len(current.segments):
        return current
    harmed = {segment.alias for segment in current.segments if segment not in whole}
    sources = tuple(entry for entry in current.sources if entry.alias not in harmed)
    return current._replace(segments=tuple(whole), sources=sources)


def _left_alone(current: Manifest, wanted: Wanted) -> list[SegmentInfo]:
    """The segments of sources that are not looked at, as far as they stay."""
    return [
        segment
        for segment in current.segments
        if segment.alias in wanted.kept
        and (
            segment.alias not in wanted.only_current
            or segment.recipe.endswith(wanted.rules_of(segment.alias))
        )
    ]


def _dropped(current: Manifest, stays: Sequence[SegmentInfo], wanted: Wanted) -> list[SourceReport]:
    """Of each source that is not looked at, how many documents do not stay; none where all do."""
    looked_at = {source.alias for source in wanted.sources}
    gone = Counter[str]()
    for segment in current.segments:
        if segment.alias not in looked_at and segment not in stays:
            gone[segment.alias] += _living(segment)
    return [SourceReport(alias, "updated", removed=count) for alias, count in sorted(gone.items())]


def _living(segment: SegmentInfo) -> int:
    return segment.documents - len(segment.dead)


def _bring_up(
    generations: Generations, current: Manifest | None, wanted: Wanted, snapshot: Snapshot
) -> tuple[Manifest, Report]:
    segments = _left_alone(current, wanted) if current else []
    dropped = _dropped(current, segments, wanted) if current else []
    failures = [failure for failure in current.failures if failure.alias in wanted.kept] if current else []
    problems: list[Problem] = []
    totals: Counter[str] = Counter()
    told: list[SourceReport] = []
    failed: dict[str, SourceError] = {}
    for source in wanted.sources:
        alias = source.alias
        try:
            wanted.on_progress(Progress("scan", alias, 0, 0, 0))
            plan = plan_for(generations, current, source, wanted)
            built, new_problems = _carry_out(generations, source, plan, wanted, totals)
        except SourceError as error:
            failed[alias] = error
            problems.append(
                Problem(place=alias, fault="source-unreadable", message=error.message, hint=error.hint)
            )
            held = [one for one in (current.segments if current else ()) if one.alias == alias]
            last_good = [one for one in held if one.recipe.endswith(wanted.rules_of(alias))]
            segments += last_good
            removed = sum(map(_living, held)) - sum(map(_living, last_good))
            told.append(SourceReport(alias, "failed", removed=removed, message=error.message))
            failures += [one for one in (current.failures if current else ()) if one.alias == alias]
            continue
        segments += plan.kept + built
        failures += plan.failures
        new_failures = plan.failures_of(alias, new_problems)
        if new_failures and not wanted.undisturbed(alias):
            new_failures = [one._replace(fingerprint="") for one in new_failures]
        failures += new_failures
        problems += plan.problems + new_problems
        told.append(plan.told(alias))
    told += dropped
    failures.sort()
    old = [segment.name for segment in current.segments] if current else []
    segments.sort(key=lambda segment: old.index(segment.name) if segment.name in old else len(old))
    built_at = _now()
    sources = snapshot(segments, failed, built_at)
    if failed and len(failed) == len(wanted.sources) and (current is None or not wanted.tolerant):
        raise next(iter(failed.values()))
    if (
        current is None
        or current != generations.current()
        or current.segments != tuple(segments)
        or current.failures != tuple(failures)
        or [_identity(one) for one in current.sources] != [_identity(one) for one in sources]
    ):
        wanted.on_progress(Progress("publish", "", 0, 0, 0))
        manifest = _published(generations, current, segments, failures, sources, built=built_at)
    else:
        manifest = current
    report = Report(
        documents=manifest.documents,
        passages=sum(segment.passages for segment in manifest.segments),
        added=sum(one.added for one in told),
        changed=sum(one.changed for one in told),
        removed=sum(one.removed for one in told),
        unchanged=sum(one.unchanged for one in told),
        text_bytes=totals["text_bytes"],
        problems=tuple(problems),
        duration_s=0.0,
        published=manifest is not current,
        sources=tuple(told),
        version=manifest.version,
    )
    return manifest, report


def _identity(entry: CatalogEntry) -> tuple[object, ...]:
    """What of a source must be the same for a generation to be the same."""
    return (*entry[:5], entry.checksum, entry.recipe)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _carry_out(
    generations: Generations,
    source: ParsedSource,
    plan: Plan,
    wanted: Wanted,
    totals: Counter[str],
) -> tuple[list[SegmentInfo], list[Problem]]:
    """Build what a plan asks for, and make it durable."""
    if not plan.work:
        return [], []
    to_do = sum(len(batch.numbers) if isinstance(batch, Carried) else len(batch) for batch in plan.work)
    problems: list[Problem] = []
    documents = text_bytes = 0
    began_s = time.monotonic()

    def on_done(done: Done) -> None:
        nonlocal documents, text_bytes
        documents += done.documents + len(done.problems)
        text_bytes += done.text_bytes
        problems.extend(done.problems)
        spent_s = time.monotonic() - began_s
        wanted.on_progress(Progress("build", source.alias, documents, to_do, text_bytes, spent_s))

    wanted.on_progress(Progress("build", source.alias, 0, to_do, 0))
    job = Job(
        source, plan.recipe, generations.folder / "segments", wanted.embedder, wanted.method_of(source.alias)
    )
    built = build(job, plan.work, on_done)
    for segment in built:
        sync_tree(generations.segment(segment.name))
    totals["text_bytes"] += text_bytes
    return built, problems


def _published(
    generations: Generations,
    current: Manifest | None,
    segments: Sequence[SegmentInfo],
    failures: Sequence[Failure],
    sources: tuple[CatalogEntry, ...],
    *,
    built: str,
) -> Manifest:
    number = current.number + 1 if current else 1
    folder = generations.generation(number)
    folder.mkdir()
    totals = write_statistics(folder, [(segment, generations.segment(segment.name)) for segment in segments])
    files = {name: (folder / name).stat().st_size for name in FILES}
    manifest = Manifest(number, built, totals, files, tuple(segments), tuple(failures), sources)
    generations.publish(manifest)
    return manifest
