"""Plan the reindex of a source: compare its documents with those in the index."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vademecum.core.documents import DocumentRef, Problem
from vademecum.core.errors import SourceError, VademecumError
from vademecum.core.protocols import Source
from vademecum.index.build import SEGMENT_BYTES, Batch, Carried, batches, is_full
from vademecum.index.catalog.mistakes import SOURCE_MISTAKE, described
from vademecum.index.generations import Generations
from vademecum.index.manifest import Failure, Manifest, SegmentInfo
from vademecum.index.progress import SourceReport
from vademecum.index.segments import open_flat

_DEAD_SHARE = 0.10
_MOST_SEGMENTS = 4
_HOLD_ON = "Run again when it is not being changed: ragadmin reindex"


class Plan(NamedTuple):
    """The work to do for a source."""

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

    def report(self, alias: str) -> SourceReport:
        """Return the report of the planned work."""
        return SourceReport(alias, "updated", self.added, self.changed, self.removed, self.unchanged)

    def failures_of(self, alias: str, problems: Iterable[Problem]) -> list[Failure]:
        """Convert problems to failures for the manifest."""
        return [_failure(alias, problem, self.recipe, self.refs) for problem in problems]


def plan_for(
    generations: Generations,
    current: Manifest | None,
    source: Source,
    recipe: str,
    *,
    full: bool = False,
    reread: bool = False,
) -> Plan:
    """Compare the documents of a source with those in the index.

    Args:
        current: The current manifest; `None` if there is no index.
        recipe: The recipe for its documents. Documents with another recipe are read again.
        full: Whether to read everything again, ignoring the index.
        reread: Whether to read everything again.
    """
    scanned = _scanned(source)
    refs = {ref.key: ref for ref in scanned if isinstance(ref, DocumentRef)}
    problems = [problem for problem in scanned if isinstance(problem, Problem)]
    old = [] if current is None else [one for one in current.segments if one.alias == source.alias]
    if full:
        old = []
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
            same = ref is not None and ref.fingerprint == strings.fingerprint
            if same and segment.recipe == recipe and not reread:
                alive.add(strings.key)
            else:
                dead.add(number)
        if len(dead) < segment.documents:
            kept.append(segment._replace(dead=tuple(sorted(dead))))
    unchanged = len(alive)
    failures = (
        []
        if full or reread or current is None
        else _still_failing(current.failures, source.alias, recipe, refs)
    )
    failed = {failure.key for failure in failures}
    listed = [_failure(source.alias, problem, recipe, refs) for problem in problems]
    problems += [
        Problem(place=one.key, fault=one.fault, message=one.message, hint=one.hint) for one in failures
    ]
    to_read = [ref for key, ref in refs.items() if key not in alive and key not in failed]
    changed = sum(1 for ref in to_read if ref.key in known)
    carried: list[Carried] = []
    compacted = _to_compact(kept, len(to_read))
    for segment in compacted:
        live = sorted(set(range(segment.documents)) - set(segment.dead))
        carried.append(Carried(generations.segment(segment.name), tuple(live)))
    kept = [segment for segment in kept if segment not in compacted]
    return Plan(
        kept=kept,
        work=batches(to_read, carried),
        recipe=recipe,
        refs=refs,
        problems=problems,
        failures=[*listed, *failures],
        added=len(to_read) - changed,
        changed=changed,
        removed=len(known - set(refs)),
        unchanged=unchanged,
    )


def _to_compact(kept: Sequence[SegmentInfo], to_read: int) -> list[SegmentInfo]:
    """Return the segments of a source to rebuild: all if too many documents are deleted, otherwise small ones if there are too many."""
    held = sum(segment.documents for segment in kept)
    if sum(len(segment.dead) for segment in kept) > _DEAD_SHARE * held:
        return list(kept)
    small = [segment for segment in kept if segment.text_bytes < SEGMENT_BYTES // 2]
    return small if len(small) + (to_read > 0) > _MOST_SEGMENTS else []


def _still_failing(
    failures: Iterable[Failure], alias: str, recipe: str, refs: dict[str, DocumentRef]
) -> list[Failure]:
    """Return documents that failed before and are unchanged, so that they are not read again."""
    return [
        failure
        for failure in failures
        if failure.alias == alias
        and failure.recipe == recipe
        and failure.key in refs
        and refs[failure.key].fingerprint == failure.fingerprint
    ]


def _failure(alias: str, problem: Problem, recipe: str, refs: dict[str, DocumentRef]) -> Failure:
    """Convert a problem to a failure, without a fingerprint if it belongs to no document."""
    ref = refs.get(problem.place)
    fingerprint = ref.fingerprint if ref else ""
    return Failure(alias, problem.place, fingerprint, recipe, problem.fault, problem.message, problem.hint)


def _scanned(source: Source) -> list[DocumentRef | Problem]:
    """List the documents of a source."""
    listed: list[DocumentRef | Problem] = []
    try:
        found: Iterable[object] = source.scan()
        for one in found:
            if not isinstance(one, DocumentRef | Problem):
                raise TypeError(f"it lists {one!r:.60}")  # noqa: TRY301 - reported like its other mistakes
            listed.append(one)
    except VademecumError:
        raise
    except OSError as error:
        if is_full(error):
            raise
        message = f"{source.alias} cannot be listed: {error}"
        raise SourceError(message, hint=_HOLD_ON) from error
    except Exception as error:
        message = f"The source {source.alias} failed while it was listed: {described(error)}"
        raise SourceError(message, hint=SOURCE_MISTAKE) from error
    return listed
