"""Documents as search results, each with its best passage."""

from dataclasses import replace
from typing import TYPE_CHECKING

from vademecum.ask.gather import best_passage
from vademecum.ask.rating import PASSAGES, rate
from vademecum.core.answers import Hit
from vademecum.core.candidates import DocumentId, PassageScore
from vademecum.index.reader import Index
from vademecum.retrieval.question import analyse

if TYPE_CHECKING:
    from vademecum.ask.passages import PassageHit


def search(text: str, index: Index, limit: int) -> list[Hit]:
    """The best documents for a question, each with its best passage: those of the likeliest method before the others.

    Raises:
        AnswerError: There is nothing to look for in `text`.
    """
    found: list[Hit] = []
    for rated in rate(text, index, passages=PASSAGES * limit):
        if rated.found:
            best: dict[str, PassageHit] = {}
            for hit in rated.found.hits:
                best.setdefault(hit.document, hit)
            found += [_of_passage(hit, index) for hit in best.values()]
        else:
            found += [
                _hit(one.place, best_passage(rated.question, one.place, index), one.score, 0, index)
                for one in rated.ranked[:limit]
            ]
    return [replace(hit, rank=rank) for rank, hit in enumerate(found[:limit], 1)]


def search_plain(text: str, index: Index, limit: int) -> list[Hit]:
    """The baseline: documents by the plain BM25 score of their best passage, nothing else."""
    found: dict[DocumentId, PassageScore] = {}
    for part in index.parts():
        for place, passage in part.passages(analyse(text, part).vector(), 50 * limit):
            found.setdefault(place, passage)
    best = sorted(found.items(), key=lambda pair: -pair[1].score)[:limit]
    return [_hit(place, one.passage, one.score, rank, index) for rank, (place, one) in enumerate(best, 1)]


def _hit(place: DocumentId, best: int, score: float, rank: int, index: Index) -> Hit:
    """A document as a search result, with its best passage."""
    segment = index.segments[place.segment]
    flat = segment.flat
    record = flat.document(place.document)
    strings = flat.strings(record)
    passage = flat.passage(best)
    anchor = flat.label(passage.anchor)
    document = f"{segment.info.alias}:{record.digest.hex()}"
    return Hit(
        rank=rank,
        alias=segment.info.alias,
        document=document,
        reference=strings.reference,
        names=strings.names,
        title=strings.title,
        summary=strings.summary,
        passage=f"{document}:{best - record.first_passage}",
        location=f"{strings.reference}#{anchor}" if anchor else strings.reference,
        start=passage.start,
        end=passage.end,
        quote=flat.words(record, passage),
        score=score,
    )


def _of_passage(found: "PassageHit", index: Index) -> Hit:
    """A passage as a search result: its document, with it."""
    place = index.place(found.document)
    segment = index.segments[place.segment] if place else None
    strings = segment.flat.strings(segment.flat.document(place.document)) if segment and place else None
    return Hit(
        rank=found.rank,
        alias=found.alias,
        document=found.document,
        reference=found.reference,
        names=strings.names if strings else (),
        title=found.title,
        summary=strings.summary if strings else "",
        passage=found.passage,
        location=f"{found.reference}#{found.anchor}" if found.anchor else found.reference,
        start=found.start,
        end=found.end,
        quote=found.text,
        score=found.score,
    )
