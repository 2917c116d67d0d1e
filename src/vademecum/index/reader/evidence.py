"""Read a document as the basis of an answer."""

from collections.abc import Mapping, Sequence

from vademecum.core.candidates import DocumentId
from vademecum.core.evidence import Evidence, ScoredPassage
from vademecum.index.reader.index import Index
from vademecum.stores.flat import PassageRecord

_BEFORE_HEADING = 8


def heading_span(document: Evidence, section: ScoredPassage) -> tuple[int, int] | None:
    """Return the span of the heading above a section; None if it is not in the text."""
    heading = section.heading.rpartition(" > ")[2].rstrip(".:")
    start = document.text.rfind(
        heading, max(0, section.start - len(heading) - _BEFORE_HEADING), section.start
    )
    return (start, start + len(heading)) if heading and start >= 0 else None


def evidence_at(place: DocumentId, index: Index) -> Evidence:
    """Return a document as evidence, without scores."""
    flat = index.segments[place.segment].flat
    record = flat.document(place.document)
    numbers = range(record.first_passage, record.first_passage + record.passages)
    return document_of(place, [flat.passage(number) for number in numbers], {}, {}, index)


def document_of(
    place: DocumentId,
    passages: Sequence[PassageRecord],
    scores: Mapping[int, float],
    cover: Mapping[int, float],
    index: Index,
) -> Evidence:
    """Return a document as evidence, with the scores and the cover of its passages by their positions."""
    segment = index.segments[place.segment]
    flat = segment.flat
    record = flat.document(place.document)
    strings = flat.strings(record)
    return Evidence(
        alias=segment.info.alias,
        digest=record.digest.hex(),
        reference=strings.reference,
        title=strings.title,
        summary=strings.summary,
        text=flat.text(record),
        passages=tuple(
            ScoredPassage(
                passage.kind,
                passage.start,
                passage.end,
                passage.tag_end,
                flat.label(passage.heading),
                flat.label(passage.anchor),
                scores.get(at, 0.0),
                cover.get(at, 0.0),
                flat.blocks(passage),
            )
            for at, passage in enumerate(passages)
        ),
    )
