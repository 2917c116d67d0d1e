"""Embed the units of running text after they have been indexed by words."""

from collections.abc import Callable, Iterator
from math import inf
from typing import NamedTuple

from vademecum.answering.blocks import units_of, worded
from vademecum.core.evidence import Evidence, ScoredPassage, Unit
from vademecum.core.passages import SECTION
from vademecum.files.locks import locked
from vademecum.index.generations import Generations
from vademecum.index.manifest import Manifest
from vademecum.index.segments import Segment
from vademecum.index.unit_vectors import (
    UnitVectorsWriter,
    begun,
    complete,
    digest_of,
    folder_of,
    known_in,
    measure_scale,
    served_name,
    steps_of,
    sweep,
    unit_embedder,
)

_AT_ONCE = 64
"""The number of units that are embedded together. They are sorted by length, because shorter ones are padded."""


class Embedded(NamedTuple):
    """The progress of embedding the units of an index.

    Attributes:
        total: The number of passages of running text.
    """

    passages: int
    total: int

    @property
    def is_complete(self) -> bool:
        """Return whether nothing is left to embed."""
        return self.passages >= self.total

    def __str__(self) -> str:
        return f"{self.passages:,} of {self.total:,} passages"


def embedded(generations: Generations) -> Embedded | None:
    """Return the progress; None if there is no running text."""
    running = [info for info in generations.current().segments if info.method == "documents"]
    if not running:
        return None
    embedder = unit_embedder(generations.folder)
    folder = folder_of(generations.folder, embedder)
    passages = sum(
        info.passages
        if complete(folder, info.name).exists()
        else begun(folder, info.name, embedder.dimensions)
        for info in running
    )
    return Embedded(passages, sum(info.passages for info in running))


def embed_units(
    generations: Generations,
    on_progress: Callable[[Embedded], None],
    *,
    patience_s: float = inf,
    upcoming: Manifest | None = None,
) -> Embedded:
    """Embed all units of running text in a generation that are not embedded yet.

    Only one process does this at a time. Interrupted work is continued the next time.

    Args:
        on_progress: Called with progress reports. Its exceptions stop the work.
        patience_s: How long to wait for another process, in seconds.
        upcoming: The generation, if it is not published yet; by default, the current one.
    """
    embedder = unit_embedder(generations.folder)
    embedder.check()
    folder = folder_of(generations.folder, embedder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with locked(folder / "lock", patience_s=patience_s):
        with generations.opening():
            current = generations.current()
            manifest = upcoming or current
            running = [info for info in manifest.segments if info.method == "documents"]
            segments = [generations.open_segment(info) for info in running]
        total = sum(info.passages for info in running)
        done = sum(info.passages for info in running if complete(folder, info.name).exists())
        on_progress(Embedded(done, total))
        missing = [segment for segment in segments if not complete(folder, segment.info.name).exists()]
        known = known_in(folder, embedder.dimensions) if missing else {}
        for segment in missing:
            writer = UnitVectorsWriter(folder, segment.info.name, embedder.dimensions)
            try:
                for batch in _batches(segment, writer.after):
                    words = [worded(unit) for _, units in batch for unit in units]
                    fresh = [said for said in dict.fromkeys(words) if digest_of(said) not in known]
                    for said, vector in zip(fresh, embedder.embed(fresh) if fresh else [], strict=True):
                        known[digest_of(said)] = steps_of(vector)
                    for number, units in batch:
                        digests = [digest_of(worded(unit)) for unit in units]
                        writer.add(number, [(digest, known[digest]) for digest in digests])
                    on_progress(Embedded(done + batch[-1][0], total))
                writer.commit()
            finally:
                writer.close()
            done += segment.info.passages
        if missing and served_name(generations.folder):
            measure_scale(folder, embedder.dimensions)
        sweep(folder, [info.name for info in (*running, *current.segments)])
    on_progress(Embedded(total, total))
    return Embedded(total, total)


def _batches(segment: Segment, after: int) -> Iterator[list[tuple[int, list[Unit]]]]:
    """Yield batches of passages of a segment's live documents, with their units."""
    batch: list[tuple[int, list[Unit]]] = []
    for number, units in _passages(segment, after):
        batch.append((number, units))
        if sum(len(units) for _, units in batch) >= _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _passages(segment: Segment, after: int) -> Iterator[tuple[int, list[Unit]]]:
    flat = segment.flat
    for position in range(len(flat)):
        record = flat.document(position)
        last = record.first_passage + record.passages - 1
        if position in segment.dead or last <= after:
            continue
        strings = flat.strings(record)
        document = Evidence(
            segment.info.alias, "", strings.reference, strings.title, "", flat.text(record), ()
        )
        for number in range(max(record.first_passage, after + 1), last + 1):
            passage = flat.passage(number)
            if passage.kind == SECTION:
                scored = ScoredPassage(
                    SECTION,
                    passage.start,
                    passage.end,
                    passage.start,
                    flat.label(passage.heading),
                    "",
                    0.0,
                    0.0,
                    flat.blocks(passage),
                )
                yield number, units_of(0, document, scored, 0, 0.0)
