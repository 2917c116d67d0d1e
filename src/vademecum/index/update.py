"""The document path: update the index from the catalog, and publish the result in a single step."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from vademecum.core.documents import LEFT_OUT, OTHER_KINDS, OTHER_LANGUAGE, Problem
from vademecum.core.errors import IndexCorrupt, IndexMissing, IndexStale, StoreError
from vademecum.core.protocols import Source
from vademecum.core.settings import EmbedderName, Method
from vademecum.index.build import translated
from vademecum.index.catalog.catalog import Catalog, CatalogEntry
from vademecum.index.generations import Generations
from vademecum.index.manifest import Failure, Manifest, SegmentInfo, check_sizes
from vademecum.index.progress import OnProgress, Progress, Report, SourceReport
from vademecum.index.recovery import foreseen, recovered, standing
from vademecum.index.results import (
    Result,
    carry_out,
    entries_after,
    entries_of_manifest,
    fault_of_all,
    fault_of_nothing,
    live_documents,
)
from vademecum.index.statistics import FILES, write_statistics
from vademecum.index.survey import UpdateRequest, check_aliases, survey, unlisted


def update(catalog: Catalog, generations: Generations, request: UpdateRequest) -> Report:
    """Update the index from the catalog's sources. See `Library.reindex`."""
    began_s = time.monotonic()
    check_aliases(catalog.entries(), request.aliases)  # before anything is made or waited for
    with writing(generations):
        current = readable(generations, full=request.full)
        repaired = recovered(catalog, standing(generations))
        views = survey(catalog.entries(), current, request)
        with swept(generations, current, full=request.full) as leftovers:
            parts = Parts(catalog, generations, current, [view.entry for view in views])
            results = [
                carry_out(generations, current, view, request, on_part=parts.publish) for view in views
            ]
            after = entries_after(results, built := _now())
            if current is None and (fault := fault_of_nothing(results)):
                _note(catalog, results, after, None)
                raise fault
            sources = entries_of_manifest(results, after, current)
            manifest = publish(generations, parts.newest, results, sources, request, built=built)
        generations.sweep(manifest)
        _note(catalog, results, after, manifest)
    if fault := fault_of_all(results):
        raise fault
    report = report_of(manifest, current, results, published=manifest is not current)
    return report._replace(recovered=(*repaired, *leftovers), duration_s=time.monotonic() - began_s)


class Parts:
    """Publishes parts of sources that are read for the first time, so that questions are answered meanwhile.

    Args:
        entries: All sources. A part also names those that are not read yet, since it repairs a lost catalog.

    Attributes:
        newest: The newest generation. Older ones are left for the next sweep.
    """

    def __init__(
        self,
        catalog: Catalog,
        generations: Generations,
        current: Manifest | None,
        entries: Sequence[CatalogEntry],
    ) -> None:
        self._catalog, self._generations, self._entries = catalog, generations, entries
        self.newest = current

    def publish(self, part: Result) -> None:
        """Publish what is read of a source, with everything that the newest generation has of the others."""
        alias, built = part.view.alias, _now()
        after = entries_after([part], built)
        old = self.newest or Manifest(0, built, {}, {}, ())
        segments = [segment for segment in old.segments if segment.alias != alias]
        failures = [failure for failure in old.failures if failure.alias != alias]
        known = {entry.alias: entry for entry in old.sources} | after
        sources = tuple(known.get(entry.alias, entry) for entry in self._entries)
        self.newest = _published(
            self._generations,
            self.newest,
            [*segments, *part.segments],
            [*failures, *part.failures],
            sources,
            built=built,
        )
        _note(self._catalog, [part], after, self.newest)


def preview(catalog: Catalog, generations: Generations, request: UpdateRequest) -> Report:
    """Report what `update` would do, without writing anything."""
    began_s = time.monotonic()
    check_aliases(catalog.entries(), request.aliases)
    current = readable(generations, full=request.full)
    entries, repaired = foreseen(catalog, standing(generations))
    views = survey(entries, current, request)
    results = [carry_out(generations, current, view, request, dry_run=True) for view in views]
    report = report_of(current, current, results, published=False)
    return report._replace(recovered=repaired, duration_s=time.monotonic() - began_s, dry_run=True)


def index_sources(
    generations: Generations,
    sources: Sequence[Source],
    *,
    full: bool = False,
    kept: Collection[str] = (),
    embedder: EmbedderName = "builtin",
    method: Method = "manual-pages",
    on_progress: OnProgress = lambda _progress: None,
) -> Report:
    """Update an index from sources that are not in a catalog, such as those of a test.

    Sources that are neither given nor kept are removed from the index.

    Args:
        full: Whether to build the whole index, even if the current one is damaged.
        kept: Aliases of sources whose index entries are kept as they are.
        method: How the documents are divided and searched.
        on_progress: Called with each progress report.
    """
    request = UpdateRequest(full=full, embedder=embedder, method=method, on_progress=on_progress)
    views = [unlisted(source, request) for source in sources]
    views += [unlisted(None, request, alias) for alias in kept]
    with writing(generations):
        current = readable(generations, full=full)
        with swept(generations, current, full=full) as leftovers:
            results = [carry_out(generations, current, view, request) for view in views]
            if fault := fault_of_all(results):
                raise fault
            manifest = publish(generations, current, results, (), request, built=_now())
        generations.sweep(manifest)
    report = report_of(manifest, current, results, published=manifest is not current)
    return report._replace(recovered=leftovers)


def drop(generations: Generations, alias: str) -> bool:
    """Publish a generation without a source. The caller holds the lock.

    Returns:
        Whether the index had entries of the source; false if no index can be read.
    """
    try:
        current = generations.current()
        segments = [segment for segment in current.segments if segment.alias != alias]
        _check(generations, segments)
    except (IndexMissing, IndexCorrupt, IndexStale):
        return False
    sources = tuple(entry for entry in current.sources if entry.alias != alias)
    if len(segments) == len(current.segments) and len(sources) == len(current.sources):
        return False
    failures = [failure for failure in current.failures if failure.alias != alias]
    generations.sweep(current)
    manifest = _published(generations, current, segments, failures, sources, built=_now())
    generations.sweep(manifest)
    return True


@contextmanager
def writing(generations: Generations) -> Iterator[None]:
    """Hold the writer's lock, and translate `OSError`s into this package's exceptions."""
    try:
        with generations.writing():
            yield
    except OSError as error:
        raise translated(error, generations.folder) from error


@contextmanager
def swept(generations: Generations, current: Manifest | None, *, full: bool) -> Iterator[tuple[str, ...]]:
    """Remove files left by earlier runs, and yield a message about them. If the block raises, also remove those of this run."""
    count = generations.sweep(current)
    message = f"{count} folders that an earlier run had left, or of a damaged index, were removed."
    try:
        yield (message,) if count else ()
    except BaseException:
        # it may have come when the new generation was current already
        with suppress(StoreError):
            generations.sweep(readable(generations, full=full))
        raise


def readable(generations: Generations, *, full: bool) -> Manifest | None:
    """The current generation; `None` if there is none to build on.

    With `full`, damaged segments and their sources are left out.
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
    """Check that the files of segments exist and have the right sizes."""
    for segment in segments:
        check_sizes(generations.segment(segment.name), segment.files)


def _sound(generations: Generations, current: Manifest) -> Manifest:
    """A generation without damaged segments, and without the sources that they belong to."""
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


def publish(
    generations: Generations,
    current: Manifest | None,
    results: Sequence[Result],
    sources: tuple[CatalogEntry, ...],
    request: UpdateRequest,
    *,
    built: str,
) -> Manifest:
    """Publish a generation made of the results, unless it would equal the current one. Returns the current generation."""
    old = [segment.name for segment in current.segments] if current else []
    segments = [segment for result in results for segment in result.segments]
    segments.sort(key=lambda segment: old.index(segment.name) if segment.name in old else len(old))
    failures = sorted(failure for result in results for failure in result.failures)
    if (
        current is not None
        and current == generations.current()
        and current.segments == tuple(segments)
        and current.failures == tuple(failures)
        and list(map(_identity, current.sources)) == list(map(_identity, sources))
    ):
        return current
    request.on_progress(Progress("publish", "", 0, 0, 0))
    return _published(
        generations, current, segments, failures, sources, built=built, prepare=request.before_publishing
    )


_ON_PURPOSE = frozenset({OTHER_KINDS, LEFT_OUT, OTHER_LANGUAGE})
_MOST_NAMED = 5


def report_of(
    manifest: Manifest | None, before: Manifest | None, results: Sequence[Result], *, published: bool
) -> Report:
    """The report on each source, and on all of them together."""
    reports = [result.report for result in results if result.report]
    reports += _dropped(before, {result.view.alias for result in results})
    problems = [problem for result in results for problem in result.problems]
    return Report(
        documents=manifest.documents if manifest else 0,
        passages=sum(segment.passages for segment in manifest.segments) if manifest else 0,
        added=sum(report.added for report in reports),
        changed=sum(report.changed for report in reports),
        removed=sum(report.removed for report in reports),
        unchanged=sum(report.unchanged for report in reports),
        text_bytes=sum(result.text_bytes for result in results),
        problems=tuple(problem for problem in problems if problem.fault not in _ON_PURPOSE),
        duration_s=0.0,
        published=published,
        sources=tuple(reports),
        version=manifest.version if manifest else "",
        left_out=_said_of_languages(problems)
        + tuple(
            f"{problem.place}: {problem.message} {problem.hint}"
            for problem in problems
            if problem.fault in _ON_PURPOSE - {OTHER_LANGUAGE}
        ),
    )


def _said_of_languages(problems: Sequence[Problem]) -> tuple[str, ...]:
    """Return a sentence about the documents that are not in English, if any."""
    foreign = [problem for problem in problems if problem.fault == OTHER_LANGUAGE]
    if not foreign:
        return ()
    named = ", ".join(problem.place for problem in foreign[:_MOST_NAMED]) + (
        ", …" if len(foreign) > _MOST_NAMED else ""
    )
    said = f"{len(foreign):,} document{'s' * (len(foreign) > 1)} seem{'s' * (len(foreign) == 1)} to be in another language than English: {named}."
    return (f"{said} {foreign[0].hint}",)


def _dropped(before: Manifest | None, listed: Collection[str]) -> list[SourceReport]:
    """A report for each source that the index had and that is no longer listed."""
    gone = Counter[str]()
    for segment in before.segments if before else ():
        if segment.alias not in listed:
            gone[segment.alias] += live_documents(segment)
    return [SourceReport(alias, "updated", removed=count) for alias, count in sorted(gone.items())]


def _identity(entry: CatalogEntry) -> tuple[object, ...]:
    """The fields of a source that must be equal for two generations to be equal."""
    return (*entry[:5], entry.checksum, entry.recipe)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _published(
    generations: Generations,
    current: Manifest | None,
    segments: Sequence[SegmentInfo],
    failures: Sequence[Failure],
    sources: tuple[CatalogEntry, ...],
    *,
    built: str,
    prepare: Callable[[Manifest], None] = lambda _manifest: None,
) -> Manifest:
    number = current.number + 1 if current else 1
    folder = generations.generation(number)
    folder.mkdir()
    totals = write_statistics(folder, [(segment, generations.segment(segment.name)) for segment in segments])
    files = {name: (folder / name).stat().st_size for name in FILES}
    manifest = Manifest(number, built, totals, files, tuple(segments), tuple(failures), sources)
    prepare(manifest)
    generations.publish(manifest)
    return manifest


def _note(
    catalog: Catalog, results: Sequence[Result], after: Mapping[str, CatalogEntry], manifest: Manifest | None
) -> None:
    """Update the catalog entry of each source, unless a user has changed it in the meantime.

    A source that the index no longer holds becomes pending again: it was lost with an index that could not be read.
    """
    held = {entry.alias for entry in manifest.sources} if manifest else set[str]()
    by_alias = {result.view.alias: result for result in results}
    with catalog.changing(manifest.number if manifest else None) as entries:
        for position, entry in enumerate(entries):
            result = by_alias.get(entry.alias)
            if result is None or not result.view.entry.is_same_place(entry):
                continue
            if entry.alias in after and (manifest or result.fault):
                entries[position] = after[entry.alias]._replace(remark=entry.remark)
            elif manifest and entry.status == "active" and entry.alias not in held:
                entries[position] = entry._replace(status="pending", documents=0, seen=None, recipe="")
