"""Search results: documents with their best passage, and passages."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from vademecum.ask.sites import Site
from vademecum.core.answers import Hit
from vademecum.core.candidates import DocumentId, PassageScore
from vademecum.core.errors import StoreError
from vademecum.core.passages import SECTION
from vademecum.index.catalog.links import url_of
from vademecum.index.reader.index import Index
from vademecum.retrieval.passages.features import Met
from vademecum.retrieval.passages.ranking import RankedPassage
from vademecum.retrieval.question.question import analyse
from vademecum.text.printable import printable

_ID = re.compile(r"([a-z0-9-]{1,31}:[0-9a-f]{64}):([0-9]{1,9})")


def at_place(hit: Hit, start: int) -> Hit:
    """Return a passage as the place of an offset in it: with the headings that this is under, and their address."""
    headings = [block for block in hit.blocks if block.kind == "heading"]
    if not headings or headings[-1].start < hit.start:  # it has one section
        return hit
    headings = [block for block in headings if block.start <= start]
    inside = [block for block in headings if block.start >= hit.start]
    first = hit.heading.partition("; ")[0]
    if not inside:
        return replace(hit, heading=first)
    path = list(zip((block.level for block in headings), first.split(" > "), strict=False))
    for block in inside:
        path = [named for named in path if named[0] < block.level]
        path.append((block.level, hit.text[block.start - hit.start : block.end - hit.start]))
    bare, sign, _ = hit.url.partition("#")
    url = f"{bare}#{inside[-1].anchor}" if sign else hit.url
    return replace(hit, heading=" > ".join(name for _, name in path), anchor=inside[-1].anchor, url=url)


class SourcedHit(NamedTuple):
    """A passage and the name of its collection; "" if the alias of its source is the name."""

    source: str
    hit: Hit


def search_plain(text: str, index: Index, limit: int) -> list[Hit]:
    """Search with the baseline: rank documents by the BM25 score of their best passage."""
    found: dict[DocumentId, PassageScore] = {}
    for part in index.parts():
        for place, passage in part.passages(analyse(text, part).vector(), 50 * limit):
            found.setdefault(place, passage)
    best = sorted(found.items(), key=lambda pair: -pair[1].score)[:limit]
    return numbered([hit_at(index, place, passage.passage, score=passage.score) for place, passage in best])


def numbered(hits: Sequence[Hit]) -> list[Hit]:
    """Return search results with their ranks."""
    return [replace(hit, rank=rank) for rank, hit in enumerate(hits, 1)]


def hits_of(index: Index, ranked: Sequence[RankedPassage], site: Site | None = None) -> list[Hit]:
    """Return ranked passages as hits."""
    return [_hit(index, one, rank, site) for rank, one in enumerate(ranked, 1)]


def hit_at(
    index: Index,
    place: DocumentId,
    number: int,
    site: Site | None = None,
    *,
    rank: int = 1,
    score: float = 0.0,
) -> Hit:
    """Return a passage of a document by its number within the segment, without a score."""
    unasked = RankedPassage(place, PassageScore(number, SECTION, 0, 0.0), 0.0, (), Met((), ()), score, 0.0)
    return _hit(index, unasked, rank, site)


def _hit(index: Index, one: RankedPassage, rank: int, site: Site | None) -> Hit:
    segment = index.segments[one.place.segment]
    flat = segment.flat
    record = flat.document(one.place.document)
    strings = flat.strings(record)
    passage = flat.passage(one.passage.passage)
    document = f"{segment.info.alias}:{record.digest.hex()}"
    anchor = flat.label(passage.anchor)
    return Hit(
        rank=rank,
        passage=f"{document}:{one.passage.passage - record.first_passage}",
        document=document,
        alias=segment.info.alias,
        reference=strings.reference,
        names=strings.names,
        title=strings.title,
        summary=strings.summary,
        heading=flat.label(passage.heading),
        anchor=anchor,
        url=_url(index, segment.info.alias, strings.reference, anchor, site),
        start=passage.start,
        end=passage.end,
        text=flat.words(record, passage),
        score=one.score,
        relevance=one.relevance,
        distance=1.0 - segment.similarities.get(one.place.document, one.cosine),
        features=one.features,
        blocks=flat.blocks(passage),
    )


def _url(index: Index, alias: str, reference: str, anchor: str, site: Site | None) -> str:
    if site:
        return site.url(reference, anchor)
    entry = next((source for source in index.manifest.sources if source.alias == alias), None)
    return url_of(entry, reference) if entry else ""


def passage_by_id(index: Index, id_: str, *, site: Site | None = None) -> Hit:
    """Return the passage with an id. Its score is 0, because there is no question."""
    match = _ID.fullmatch(id_)
    place = index.place(match[1]) if match else None
    if match is None or place is None:
        raise _missing(id_)
    flat = index.segments[place.segment].flat
    record = flat.document(place.document)
    number = int(match[2])
    if number >= record.passages:
        raise _missing(id_)
    return hit_at(index, place, record.first_passage + number, site)


def _missing(id_: str) -> StoreError:
    message = f"The index has no passage {printable(id_, 120)}."
    return StoreError(message, hint="Its document may have changed: search again.")
