"""Bringing the index up to date: what changed, what is built for it, and the one step that makes it current."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

from vademecum.core.documents import DocumentRef, Problem
from vademecum.core.errors import IndexCorrupt, IndexMissing, StoreError
from vademecum.core.protocols import Source
from vademecum.library.building import Batch, Carried, Done, Job, batches, build, translated
from vademecum.library.generations import Generations, sync_tree
from vademecum.library.manifest import Failure, Manifest, SegmentInfo
from vademecum.library.segments import open_flat
from vademecum.library.statistics import FILES, write_statistics
from vademecum.providers.builtin import WordTable
from vademecum.retrieval import rules

_DEAD_SHARE = 0.10
_MOST_SEGMENTS = 4


class ParsedSource(Source, Protocol):
    """A source that can say how it parses."""

    @property
    def parser(self) -> str:
        """Format version and renderer; another value means that every document is read anew."""
        ...


class Progress(NamedTuple):
    """How far a reindex has come.

    Attributes:
        stage: `scan`, `build` or `publish`.
        alias: The source at hand.
        documents: Done so far in this source.
        total: To do in this source.
        text_bytes: Of the text built so far.
    """

    stage: str
    alias: str
    documents: int
    total: int
    text_bytes: int


class Report(NamedTuple):
    """What a reindex did.

    Attributes:
        documents: Live in the index now, of all sources.
        passages: In the live segments.
        added: New documents.
        changed: Documents read anew.
        removed: Documents that are gone.
        unchanged: Documents that were not touched.
        text_bytes: Of text parsed in this run.
        problems: What could not be read, this time or before.
        duration_s: Wall time.
        published: Whether a new generation was made.
    """

    documents: int
    passages: int
    added: int
    changed: int
    removed: int
    unchanged: int
    text_bytes: int
    problems: tuple[Problem, ...]
    duration_s: float
    published: bool

    def __str__(self) -> str:
        count = len(self.problems)
        problems = f"{count} problem" if count == 1 else f"{count} problems"
        return f"{self.documents:,} documents, {self.passages:,} passages, {problems}"


class _Plan(NamedTuple):
    """What is to be done for one source."""

    kept: list[SegmentInfo]
    work: list[Batch]
    recipe: str
    refs: dict[str, DocumentRef]
    problems: list[Problem]
    failures: list[Failure]
    added: int
    changed: int
    removed: int
    unchanged: int


def reindex(
    generations: Generations,
    sources: Sequence[ParsedSource],
    *,
    full: bool = False,
    kept: Collection[str] = (),
    on_progress: Callable[[Progress], None] = lambda _progress: None,
) -> Report:
    """Bring the index up to date with its sources.

    Documents whose fingerprint, parser and rules are unchanged are left as they are. What the index holds of
    any source that is neither given nor kept is dropped.

    Args:
        generations: Where.
        sources: The sources to look at.
        full: Read everything anew, whatever the index holds; also replaces one that is corrupt.
        kept: Aliases of sources that are not looked at, and stay in the index as they are.
        on_progress: Called often.

    Raises:
        IndexLocked: Another process writes it.
        IndexCorrupt: The index can not be read, and `full` was not asked for.
        DiskFull: No room is left; the index is as it was.
    """
    began_s = time.monotonic()
    try:
        with generations.writing():
            current = _current(generations, full=full)
            generations.sweep(current)
            try:
                manifest, report = _bring_up(
                    generations, current, sources, kept, full=full, on_progress=on_progress
                )
            except BaseException:
                # it may have come when the new generation was current already
                with suppress(StoreError):
                    generations.sweep(_current(generations, full=full))
                raise
            generations.sweep(manifest)
    except OSError as error:
        raise translated(error, generations.folder) from error
    return report._replace(duration_s=time.monotonic() - began_s)


def _current(generations: Generations, *, full: bool) -> Manifest | None:
    try:
        return generations.current()
    except IndexMissing:
        return None
    except IndexCorrupt:
        if full:
            return None
        raise


def _bring_up(
    generations: Generations,
    current: Manifest | None,
    sources: Sequence[ParsedSource],
    kept: Collection[str],
    *,
    full: bool,
    on_progress: Callable[[Progress], None],
) -> tuple[Manifest, Report]:
    segments = [segment for segment in current.segments if segment.alias in kept] if current else []
    failures = [failure for failure in current.failures if failure.alias in kept] if current else []
    problems: list[Problem] = []
    totals: Counter[str] = Counter()
    for source in sources:
        on_progress(Progress("scan", source.alias, 0, 0, 0))
        plan = _plan(generations, current, source, full=full)
        built, new_problems = _carry_out(generations, source, plan, on_progress, totals)
        segments += plan.kept + built
        failures += plan.failures + [_failure(source.alias, plan, problem) for problem in new_problems]
        problems += plan.problems + new_problems
        for name in ("added", "changed", "removed", "unchanged"):
            totals[name] += getattr(plan, name)
    failures = sorted(failure for failure in failures if failure.key)
    old = [segment.name for segment in current.segments] if current else []
    segments.sort(key=lambda segment: old.index(segment.name) if segment.name in old else len(old))
    published = current is None or current.segments != tuple(segments) or current.failures != tuple(failures)
    if current is None or published:
        on_progress(Progress("publish", "", 0, 0, 0))
        manifest = _publish(generations, current, segments, failures)
    else:
        manifest = current
    report = Report(
        documents=manifest.documents,
        passages=sum(segment.passages for segment in manifest.segments),
        added=totals["added"],
        changed=totals["changed"],
        removed=totals["removed"],
        unchanged=totals["unchanged"],
        text_bytes=totals["text_bytes"],
        problems=tuple(problems),
        duration_s=0.0,
        published=published,
    )
    return manifest, report


def _plan(generations: Generations, current: Manifest | None, source: ParsedSource, *, full: bool) -> _Plan:
    """Compare what the source has with what the index has of it."""
    recipe = f"{source.parser} {rules.NAME} {WordTable().name}"
    scanned = list(source.scan())
    refs = {ref.key: ref for ref in scanned if isinstance(ref, DocumentRef)}
    problems = [problem for problem in scanned if isinstance(problem, Problem)]
    old = [] if full or current is None else [one for one in current.segments if one.alias == source.alias]
    alive, kept, unchanged = set[str](), list[SegmentInfo](), 0
    known: set[str] = set()
    for segment in old:
        flat = open_flat(generations.segment(segment.name), segment)
        dead = set(segment.dead)
        for number in range(len(flat)):
            if number in dead:
                continue
            strings = flat.strings(flat.document(number))
            known.add(strings.key)
            ref = refs.get(strings.key)
            if segment.recipe == recipe and ref is not None and ref.fingerprint == strings.fingerprint:
                alive.add(strings.key)
            else:
                dead.add(number)
        if len(dead) < segment.documents:
            kept.append(segment._replace(dead=tuple(sorted(dead))))
    unchanged = len(alive)
    failures = [] if full or current is None else _still_failing(current.failures, source.alias, recipe, refs)
    failed = {failure.key for failure in failures}
    problems += [
        Problem(place=one.key, fault=one.fault, message=one.message, hint=one.hint) for one in failures
    ]
    to_read = [ref for key, ref in refs.items() if key not in alive and key not in failed]
    changed = sum(1 for ref in to_read if ref.key in known)
    carried: list[Carried] = []
    if _wants_compaction(kept, len(to_read)):
        for segment in kept:
            live = sorted(set(range(segment.documents)) - set(segment.dead))
            carried.append(Carried(generations.segment(segment.name), tuple(live)))
        kept = []
    return _Plan(
        kept=kept,
        work=batches(to_read, carried),
        recipe=recipe,
        refs=refs,
        problems=problems,
        failures=failures,
        added=len(to_read) - changed,
        changed=changed,
        removed=len(known - set(refs)),
        unchanged=unchanged,
    )


def _wants_compaction(kept: Sequence[SegmentInfo], to_read: int) -> bool:
    """Whether a source's segments are to be built into new ones: too many of them, or too much is dead."""
    held = sum(segment.documents for segment in kept)
    dead = sum(len(segment.dead) for segment in kept)
    return dead > _DEAD_SHARE * held or len(kept) + (to_read > 0) > _MOST_SEGMENTS


def _still_failing(
    failures: Iterable[Failure], alias: str, recipe: str, refs: dict[str, DocumentRef]
) -> list[Failure]:
    """Documents that failed before and have not changed since: not worth another try."""
    return [
        failure
        for failure in failures
        if failure.alias == alias
        and failure.recipe == recipe
        and failure.key in refs
        and refs[failure.key].fingerprint == failure.fingerprint
    ]


def _failure(alias: str, plan: _Plan, problem: Problem) -> Failure:
    """A problem as the manifest remembers it; without a key when it belongs to no document."""
    ref = plan.refs.get(problem.place)
    key, fingerprint = (ref.key, ref.fingerprint) if ref else ("", "")
    return Failure(alias, key, fingerprint, plan.recipe, problem.fault, problem.message, problem.hint)


def _carry_out(
    generations: Generations,
    source: ParsedSource,
    plan: _Plan,
    on_progress: Callable[[Progress], None],
    totals: Counter[str],
) -> tuple[list[SegmentInfo], list[Problem]]:
    """Build what a plan asks for, and make it durable."""
    if not plan.work:
        return [], []
    to_do = sum(len(batch.numbers) if isinstance(batch, Carried) else len(batch) for batch in plan.work)
    problems: list[Problem] = []
    documents = text_bytes = 0

    def on_done(done: Done) -> None:
        nonlocal documents, text_bytes
        documents += done.documents + len(done.problems)
        text_bytes += done.text_bytes
        problems.extend(done.problems)
        on_progress(Progress("build", source.alias, documents, to_do, text_bytes))

    on_progress(Progress("build", source.alias, 0, to_do, 0))
    built = build(Job(source, plan.recipe, generations.folder / "segments"), plan.work, on_done)
    for segment in built:
        sync_tree(generations.segment(segment.name))
    totals["text_bytes"] += text_bytes
    return built, problems


def _publish(
    generations: Generations,
    current: Manifest | None,
    segments: Sequence[SegmentInfo],
    failures: Sequence[Failure],
) -> Manifest:
    number = current.number + 1 if current else 1
    folder = generations.generation(number)
    folder.mkdir()
    total = write_statistics(folder, [(segment, generations.segment(segment.name)) for segment in segments])
    files = {name: (folder / name).stat().st_size for name in FILES}
    built = datetime.now(UTC).isoformat(timespec="seconds")
    manifest = Manifest(number, built, total, files, tuple(segments), tuple(failures))
    generations.publish(manifest)
    return manifest
