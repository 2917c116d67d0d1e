"""Build segments from references that still have to be read, and from entries of older segments.

A process builds one segment at a time, and starts another when it reaches `SEGMENT_BYTES`. The words and vectors of an unfinished
segment are in memory. `workers` lets two processes build at the same time.
"""

import errno
import uuid
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from vademecum.core.documents import OTHER_LANGUAGE, Document, DocumentRef, Problem, digest, structure_fault
from vademecum.core.errors import DiskFull, IndexCorrupt, SourceError, StoreError, VademecumError
from vademecum.core.passages import Entry
from vademecum.core.protocols import Source
from vademecum.core.settings import EmbedderName, Method
from vademecum.index.catalog.mistakes import SOURCE_MISTAKE, described
from vademecum.index.manifest import SegmentInfo
from vademecum.index.segments import SegmentWriter
from vademecum.retrieval.methods import METHODS
from vademecum.retrieval.passages.examples import shown_tasks
from vademecum.retrieval.passages.joining import joined
from vademecum.retrieval.passages.needs import met_needs
from vademecum.retrieval.passages.passages import passages_of, with_blocks
from vademecum.stores.flat import FlatReader

BATCH = 200

SEGMENT_BYTES = 48_000_000
"""The size of text in one segment. Two processes that finish one at the same time should use at most a gigabyte together."""

_FULL = {errno.ENOSPC, errno.EDQUOT}


class Carried(NamedTuple):
    """Documents to copy from an older segment: its folder and their numbers."""

    folder: Path
    numbers: tuple[int, ...]


Batch = tuple[DocumentRef, ...] | Carried


class Job(NamedTuple):
    """The parameters of a worker."""

    source: Source
    recipe: str
    segments: Path
    embedder: EmbedderName = "builtin"
    method: Method = "manual-pages"
    is_first: bool = False
    """Whether the source is read for the first time, so that each process finishes a first segment early."""


class Done(NamedTuple):
    """The result of a batch: written documents, bytes of text, problems, and the segment that it has finished, if any."""

    documents: int
    text_bytes: int
    problems: tuple[Problem, ...]
    segment: SegmentInfo | None = None


class Builder:
    """Builds segments from batches, in this process. The folder of a segment is created with its first document."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._built: list[SegmentInfo] = []
        self._writer: SegmentWriter | None = None

    def add(self, batch: Batch) -> Done:
        """Read, encode and write a batch."""
        problems: list[Problem] = []
        before = (self._writer.documents, self._writer.text_bytes) if self._writer else (0, 0)
        for entry in self._entries(batch, problems):
            if self._writer is None:
                folder = self._job.segments / uuid.uuid4().hex[:12]
                job = self._job
                self._writer = SegmentWriter(folder, job.source.alias, job.recipe, job.embedder, job.method)
            self._writer.add(entry)
        after = (self._writer.documents, self._writer.text_bytes) if self._writer else (0, 0)
        is_full = after[1] >= SEGMENT_BYTES or (self._job.is_first and after[0] > 0 and not self._built)
        if is_full:
            self._finish()
        finished = self._built[-1] if is_full else None
        return Done(after[0] - before[0], after[1] - before[1], tuple(problems), finished)

    def _entries(self, batch: Batch, problems: list[Problem]) -> Iterator[Entry]:
        if isinstance(batch, Carried):
            old = FlatReader(batch.folder / "flat")
            for number in batch.numbers:
                yield _intact(old.entry(number), batch.folder)
            return
        knows_language = getattr(self._job.source, "knows_language", False)
        for ref, result in zip(batch, self._read(batch), strict=True):
            if isinstance(result, Problem):
                problems.append(result)
            elif not _is_text(result):
                problems.append(
                    Problem(place=ref.key, fault="not-text", message=_NOT_TEXT, hint=_NOT_TEXT_HINT)
                )
            elif wrong := _wrong(result, ref):
                problems.append(
                    Problem(place=ref.key, fault="source-mistake", message=wrong, hint=SOURCE_MISTAKE)
                )
            else:
                if knows_language and not result.language.startswith("en"):
                    said = f"It seems to be in another language than English ({result.language})."
                    problems.append(
                        Problem(place=ref.key, fault=OTHER_LANGUAGE, message=said, hint=_IN_ENGLISH)
                    )
                yield entry_of(result, ref, self._job.method)

    def _read(self, batch: Sequence[DocumentRef]) -> list[Document | Problem]:
        source = self._job.source
        try:
            results = list(source.read(batch))
        except VademecumError:
            raise
        except Exception as error:
            if isinstance(error, OSError) and is_full(error):
                raise
            message = f"The source {source.alias} failed on {_named(batch)}: {described(error)}"
            hint = _SOURCE_CHANGED if isinstance(error, OSError) else SOURCE_MISTAKE
            raise SourceError(message, hint=hint) from error
        given: Sequence[object] = results
        if strange := [result for result in given if not isinstance(result, Document | Problem)]:
            message = f"The source {source.alias} gave {strange[0]!r:.60} for {_named(batch)}."
            raise SourceError(message, hint=SOURCE_MISTAKE)
        if len(results) != len(batch):
            message = (
                f"The source {source.alias} gave {len(results)} documents for {len(batch)}: {_named(batch)}."
            )
            raise SourceError(message, hint=SOURCE_MISTAKE)
        return results

    def _finish(self) -> None:
        if self._writer:
            self._built.append(self._writer.commit())
            self._writer = None

    def discard(self) -> None:
        """Close the files of an unfinished segment."""
        if self._writer:
            self._writer.discard()

    def commit(self) -> list[SegmentInfo]:
        """Finish the last segment, and return all segments; empty if nothing was written."""
        self._finish()
        return self._built


_NOT_TEXT = "It has characters that are not text (lone surrogates)."
_IN_ENGLISH = "Questions are understood in English only; words that both languages have are found."
_NOT_TEXT_HINT = "Rename the file, or store it in UTF-8."

_SOURCE_CHANGED = "It may have been changed while it was read; run again: ragadmin reindex"


def _named(batch: Sequence[DocumentRef]) -> str:
    return batch[0].key if len(batch) == 1 else f"{batch[0].key} or one of the {len(batch) - 1} after it"


def _wrong(document: Document, ref: DocumentRef) -> str:
    """Return what is wrong with a document that a source gives for a reference, as a sentence; "" if nothing is."""
    if document.key != ref.key:
        return f"The source gave {document.key!r:.80} for it."
    return structure_fault(document)


def _is_text(document: Document) -> bool:
    """Return whether all searchable and displayable text of a document can be encoded as UTF-8."""
    anchors = (block.anchor for block in document.blocks)
    fields = (
        document.reference,
        document.title,
        document.summary,
        *document.names,
        *document.links,
        *(part for need in document.needs for part in (need.text, need.line)),
        *anchors,
    )
    try:
        "".join((document.text, *fields)).encode()
    except UnicodeEncodeError:
        return False
    return True


def _intact(entry: Entry, folder: Path) -> Entry:
    """Check that the text of an entry is unchanged, so that damage is not copied."""
    if digest(entry.reference, entry.text) != entry.digest:
        message = f"The index in {folder} is damaged: {entry.reference} is not what was written."
        raise IndexCorrupt(message, hint="Rebuild it with: ragadmin reindex --full")
    return entry


def entry_of(document: Document, ref: DocumentRef, method: Method = "manual-pages") -> Entry:
    """Return the entry that the index stores for a document."""
    passages = passages_of(document)
    if most_words := METHODS[method].joined_words:
        passages = joined(document.text, passages, most_words)
    manual = document.reference if method == "manual-pages" else ""
    return Entry(
        key=document.key,
        fingerprint=ref.fingerprint,
        digest=document.digest(),
        reference=document.reference,
        title=document.title,
        summary=document.summary,
        names=document.names,
        links=document.links,
        text=document.text,
        passages=with_blocks(document, passages),
        needs=met_needs(document, passages, shown_tasks(document.text, document.blocks, manual=manual)),
    )


def batches(refs: Sequence[DocumentRef], carried: Iterable[Carried]) -> list[Batch]:
    """Yield the work in batches of at most `BATCH` documents."""
    found: list[Batch] = [tuple(refs[start : start + BATCH]) for start in range(0, len(refs), BATCH)]
    for old in carried:
        starts = range(0, len(old.numbers), BATCH)
        found += [Carried(old.folder, old.numbers[start : start + BATCH]) for start in starts]
    return found


def is_full(error: OSError) -> bool:
    """Return whether the disk or the user's quota is full."""
    return error.errno in _FULL


def translated(error: OSError, place: Path) -> StoreError:
    """Translate an `OSError` into an exception with a hint."""
    if is_full(error):
        message = f"The disk holding {place} is full; the index is as it was."
        return DiskFull(message, hint="Free some space, then run: ragadmin reindex")
    return StoreError(f"{place} cannot be written: {error}", hint="Check the folder's owner and permissions.")
