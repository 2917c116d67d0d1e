"""What a reindex has to do for one source: what changed against what the index has of it."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

from vademecum.core.documents import DocumentRef, Problem
from vademecum.core.errors import SourceError, VademecumError
from vademecum.core.protocols import Source
from vademecum.core.settings import EmbedderName, Method
from vademecum.index.build import SEGMENT_BYTES, Batch, Carried, batches, is_full
from vademecum.index.embedding import made_by
from vademecum.index.generations import Generations
from vademecum.index.manifest import Failure, Manifest, SegmentInfo
from vademecum.index.progress import OnProgress, SourceReport
from vademecum.index.segments import open_flat

_DEAD_SHARE = 0.10
_MOST_SEGMENTS = 4
_HOLD_ON = "Run again when it is not being changed: ragadmin reindex"


class ParsedSource(Source, Protocol):
    """A source that can say how it parses."""

    @property
    def parser(self) -> str:
        """Format version and renderer; another value means that every document is read again."""
        ...


class Wanted(NamedTuple):
    """What a reindex is to do.

    Attributes:
        sources: To be looked at, one after another.
        full: Read everything again, whatever the index holds; also replaces one that is corrupt.
        kept: Aliases of sources that are not looked at, and stay in the index as they are.
        only_current: Aliases of those among them that stay only if they were made by the rules of today.
        reread: Aliases of sources of which everything is read again.
        tolerant: Publish also when all sources fail, unless there was no index before.
        undisturbed: Whether a source is still what it was before it was read. What could not be read of one that
            is not is tried again.
        embedder: What documents are embedded with.
        method: How they are indexed.
        methods: The same by alias, for sources that are indexed in another way.
        on_progress: Called often.
    """

    sources: Sequence[ParsedSource]
    full: bool = False
    kept: Collection[str] = ()
    only_current: Collection[str] = ()
    reread: Collection[str] = ()
    tolerant: bool = False
    undisturbed: Callable[[str], bool] = lambda _alias: True
    embedder: EmbedderName = "builtin"
    method: Method = "manual-pages"
    methods: Mapping[str, Method] = MappingProxyType({})
    on_progress: OnProgress = lambda _progress: None

    def method_of(self, alias: str) -> Method:
        """How the documents of a source are indexed."""
        return self.methods.get(alias, self.method)

    def rules_of(self, alias: str) -> str:
        """The rules and embedders that the recipe of its segments ends in."""
        return made_by(self.embedder, self.method_of(alias))


class Plan(NamedTuple):
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

    def told(self, alias: str) -> SourceReport:
        """What it comes to."""
        return SourceReport(alias, "updated", self.added, self.changed, self.removed, self.unchanged)

    def failures_of(self, alias: str, problems: Iterable[Problem]) -> list[Failure]:
        """Problems as the manifest remembers them."""
        return [_failure(alias, problem, self.recipe, self.refs) for problem in problems]


def recipe_of(source: ParsedSource, embedder: EmbedderName, method: Method = "manual-pages") -> str:
    """What makes entries of a source's documents: parser, rules and embedders."""
    return f"{source.parser} {made_by(embedder, method)}"


def plan_for(
    generations: Generations, current: Manifest | None, source: ParsedSource, wanted: Wanted
) -> Plan:
    """Compare what the source has with what the index has of it."""
    recipe = recipe_of(source, wanted.embedder, wanted.method_of(source.alias))
    full = wanted.full or source.alias in wanted.reread
    scanned = _scanned(source)
    refs = {ref.key: ref for ref in scanned if isinstance(ref, DocumentRef)}
    problems = [problem for problem in scanned if isinstance(problem, Problem)]
    old = [] if current is None else [one for one in current.segments if one.alias == source.alias]
    if wanted.full:
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
            if same and segment.recipe == recipe and not full:
                alive.add(strings.key)
            else:
                dead.add(number)
        if len(dead) < segment.documents:
            kept.append(segment._replace(dead=tuple(sorted(dead))))
    unchanged = len(alive)
    failures = [] if full or current is None else _still_failing(current.failures, source.alias, recipe, refs)
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
    """A source's segments that are to be built into new ones: all where too much is dead, else too many small ones."""
    held = sum(segment.documents for segment in kept)
    if sum(len(segment.dead) for segment in kept) > _DEAD_SHARE * held:
        return list(kept)
    small = [segment for segment in kept if segment.text_bytes < SEGMENT_BYTES // 2]
    return small if len(small) + (to_read > 0) > _MOST_SEGMENTS else []


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


def _failure(alias: str, problem: Problem, recipe: str, refs: dict[str, DocumentRef]) -> Failure:
    """A problem as the manifest remembers it; without a fingerprint when it belongs to no document."""
    ref = refs.get(problem.place)
    fingerprint = ref.fingerprint if ref else ""
    return Failure(alias, problem.place, fingerprint, recipe, problem.fault, problem.message, problem.hint)


def _scanned(source: ParsedSource) -> list[DocumentRef | Problem]:
    """All that a source says is there.

    Raises:
        SourceError: It cannot be listed, or its program has a mistake.
    """
    try:
        return list(source.scan())
    except VademecumError:
        raise
    except OSError as error:
        if is_full(error):
            raise
        message = f"{source.alias} cannot be listed: {error}"
        raise SourceError(message, hint=_HOLD_ON) from error
    except Exception as error:
        message = f"The source {source.alias} failed while it was listed: {type(error).__name__}: {error}"
        raise SourceError(
            message, hint="This is a mistake in the source's program, not in your files; please report it."
        ) from error
