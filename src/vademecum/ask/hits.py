"""Search results: documents with their best passage, and passages."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from vademecum.ask.links import url_of
from vademecum.ask.sites import Site
from vademecum.core.answers import Hit
from vademecum.core.candidates import DocumentId, PassageScore
from vademecum.core.documents import Block
from vademecum.core.passages import SECTION
from vademecum.index.reader.index import Index
from vademecum.retrieval.passages.features import Met
from vademecum.retrieval.passages.ranking import RankedPassage
from vademecum.retrieval.question.question import analyse


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageHit:
    """A passage that was found.

    Attributes:
        rank: The rank, from 1.
        passage: `<alias>:<sha256 of the document>:<n>`.
        document: `<alias>:<sha256 of the document>`.
        alias: The alias of the source.
        reference: How people cite the document (`px4/middleware/uorb.md`).
        title: The document's title.
        heading: The path of its headings, or "".
        anchor: The URL fragment of its section, or "".
        url: The address of its page, or "".
        start: The first code point of the passage in the document's text.
        end: The end of the passage, exclusive.
        text: `document.text[start:end]`.
        score: The score that ranked it; higher is better.
        relevance: The score as a number from 0 to 1, falling with the rank.
        distance: The cosine distance (0 to 2) between the vectors of the question and the passage.
        features: Its features, in the order of `retrieval.passages.features.FEATURES`; empty for a baseline.
        blocks: The blocks of the document that it overlaps, headings included.

    Example:
        >>> hit = library.passages("train tickets")[0]
        >>> hit.rank, hit.reference, hit.heading
        (1, 'travel.md', 'Travel')
    """

    rank: int
    passage: str
    document: str
    alias: str
    reference: str
    title: str
    heading: str
    anchor: str
    url: str
    start: int
    end: int
    text: str
    score: float
    relevance: float
    distance: float
    features: tuple[float, ...] = ()
    blocks: tuple[Block, ...] = field(default=(), repr=False)


def at_place(hit: PassageHit, start: int) -> PassageHit:
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
    hit: PassageHit


def search_plain(text: str, index: Index, limit: int) -> list[Hit]:
    """Search with the baseline: rank documents by the BM25 score of their best passage."""
    found: dict[DocumentId, PassageScore] = {}
    for part in index.parts():
        for place, passage in part.passages(analyse(text, part).vector(), 50 * limit):
            found.setdefault(place, passage)
    best = sorted(found.items(), key=lambda pair: -pair[1].score)[:limit]
    return numbered([hit_of(place, passage.passage, passage.score, index) for place, passage in best])


def numbered(hits: Sequence[Hit]) -> list[Hit]:
    """Return search results with their ranks."""
    return [replace(hit, rank=rank) for rank, hit in enumerate(hits, 1)]


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


def hits_of(index: Index, ranked: Sequence[RankedPassage], site: Site | None = None) -> list[PassageHit]:
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
) -> PassageHit:
    """Return a passage of a document by its number within the segment, without a score."""
    unasked = RankedPassage(place, PassageScore(number, SECTION, 0, 0.0), 0.0, (), Met((), ()), score, 0.0)
    return _hit(index, unasked, rank, site)


def _hit(index: Index, one: RankedPassage, rank: int, site: Site | None) -> PassageHit:
    segment = index.segments[one.place.segment]
    flat = segment.flat
    record = flat.document(one.place.document)
    strings = flat.strings(record)
    passage = flat.passage(one.passage.passage)
    document = f"{segment.info.alias}:{record.digest.hex()}"
    anchor = flat.label(passage.anchor)
    return PassageHit(
        rank=rank,
        passage=f"{document}:{one.passage.passage - record.first_passage}",
        document=document,
        alias=segment.info.alias,
        reference=strings.reference,
        title=strings.title,
        heading=flat.label(passage.heading),
        anchor=anchor,
        url=_url(index, segment.info.alias, strings.reference, anchor, site),
        start=passage.start,
        end=passage.end,
        text=flat.words(record, passage),
        score=one.score,
        relevance=one.relevance,
        distance=1.0 - one.cosine,
        features=one.features,
        blocks=flat.blocks(passage),
    )


def _url(index: Index, alias: str, reference: str, anchor: str, site: Site | None) -> str:
    if site:
        return site.url(reference, anchor)
    entry = next((source for source in index.manifest.sources if source.alias == alias), None)
    return url_of(entry, reference) if entry else ""
