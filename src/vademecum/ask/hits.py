"""Search results: documents, each with its best passage."""

from collections.abc import Sequence
from dataclasses import replace

from vademecum.ask.rating import PASSAGES, Corpus, Limits, rate
from vademecum.ask.running_text.passages import SourcedHit
from vademecum.core.answers import Hit
from vademecum.core.candidates import DocumentId, PassageScore
from vademecum.core.errors import VademecumError
from vademecum.index.reader.index import Index
from vademecum.retrieval.question.question import analyse


def search(text: str, corpora: Sequence[Corpus], limit: int) -> list[Hit]:
    """Search for documents, each with its best passage. The most probable kind of document comes first.

    Raises:
        AnswerError: `text` contains no searchable terms.
    """
    rated, _ = rate(text, corpora, Limits(passages=PASSAGES * limit))
    return _numbered([hit for kind in rated for hit in kind.results(limit)][:limit])


def search_passages(
    text: str, corpora: Sequence[Corpus], limit: int
) -> tuple[list[SourcedHit], list[VademecumError]]:
    """Search for passages, most probable kind of document first. Also return the errors of corpora that cannot be searched.

    Raises:
        AnswerError: `text` contains no searchable terms.
        VademecumError: None of the corpora can be searched.
    """
    rated, faults = rate(text, corpora, Limits(passages=max(PASSAGES, limit)))
    return [hit for kind in rated for hit in kind.passages(limit)][:limit], faults


def search_plain(text: str, index: Index, limit: int) -> list[Hit]:
    """Search with the baseline: rank documents by the BM25 score of their best passage."""
    found: dict[DocumentId, PassageScore] = {}
    for part in index.parts():
        for place, passage in part.passages(analyse(text, part).vector(), 50 * limit):
            found.setdefault(place, passage)
    best = sorted(found.items(), key=lambda pair: -pair[1].score)[:limit]
    return _numbered([hit_of(place, passage.passage, passage.score, index) for place, passage in best])


def hit_of(place: DocumentId, best: int, score: float, index: Index) -> Hit:
    """Return a document as a search result, with its best passage."""
    segment = index.segments[place.segment]
    flat = segment.flat
    record = flat.document(place.document)
    strings = flat.strings(record)
    passage = flat.passage(best)
    anchor = flat.label(passage.anchor)
    document = f"{segment.info.alias}:{record.digest.hex()}"
    return Hit(
        rank=0,
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


def _numbered(hits: Sequence[Hit]) -> list[Hit]:
    return [replace(hit, rank=rank) for rank, hit in enumerate(hits, 1)]
