"""Finding: from a question to the passages it is answered from, over whole books."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from vademecum.answering.extract import cut
from vademecum.answering.quoting import RankUnits
from vademecum.ask.passages import FAINT, Found, PassageHit
from vademecum.core.answers import Citation, Reference
from vademecum.core.errors import CollectionMissing, IndexCorrupt, IndexMissing
from vademecum.core.evidence import Evidence, ScoredPassage
from vademecum.core.limits import CHARACTERS_A_TOKEN
from vademecum.core.trace import Trace
from vademecum.desks.book.replying import Ask, BookSource
from vademecum.desks.book.settings import USUAL_THRESHOLD, BookSettings
from vademecum.library.collections import Collection
from vademecum.retrieval.calibration import THRESHOLD
from vademecum.retrieval.calibration import USUAL_THRESHOLD as ANSWERED_FROM
from vademecum.retrieval.question import Question, shown_terms

_POOL = 10
_EXPLAINED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class BookHit:
    """A passage, and the name of the book, or the source of this machine, that it is of."""

    source: str
    hit: PassageHit


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """All that an answer is composed of; retrieved, evaluated and decided.

    Attributes:
        request: The question.
        hits: What was found, best first.
        chosen: What may be answered from; empty for a refusal.
        evidence: The documents of these, with the chosen passages alone.
        rank: Ranks units by how well they answer.
        embed: Gives the vector of words, by which a model's paraphrases are judged.
        answerability: Probability that there is an answer.
        confidence: Probability that the chosen passages hold it.
        reasons: What is missing of a whole answer.
        warnings: What a reader must know.
        threshold: From which confidence on it is answered.
        unknown: Words of the question that what was asked does not have; None for what the analysis found.
        not_in_book: Whether a selection was not found in the book.
        trace: What every step saw and chose.
    """

    request: Ask
    hits: Sequence[BookHit]
    chosen: Sequence[BookHit]
    evidence: Sequence[Evidence]
    rank: RankUnits
    embed: Callable[[Iterable[str]], list[float]]
    answerability: float
    confidence: float
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    threshold: float = ANSWERED_FROM
    unknown: tuple[str, ...] | None = None
    not_in_book: bool = False
    trace: Trace

    def retrieved(self) -> list[BookSource]:
        """What was found, as sources without markers."""
        return [self._source(one, 0) for one in self.hits]

    def sources_of(self, citation: Citation) -> list[BookSource]:
        """The chosen passages that a citation lies in, best first."""
        return [
            self._source(one, citation.number)
            for one in self.chosen
            if one.hit.document == citation.document
            and one.hit.start < citation.end
            and citation.start < one.hit.end
        ]

    def _source(self, one: BookHit, number: int) -> BookSource:
        """A passage as a source; one of a selection that is in no book is of none."""
        return replace(source_of(one, number), book="") if self.not_in_book else source_of(one, number)

    def holds(self, citations: Sequence[Citation]) -> bool:
        """Whether all of what is cited lies in the chosen passages."""
        places = [(one.hit.document, one.hit.start, one.hit.end) for one in self.chosen]
        return all(
            any(
                one.document == document and start <= one.start and one.end <= end
                for document, start, end in places
            )
            for one in citations
        )

    def references(self, numbers: Mapping[tuple[str, str], int]) -> tuple[Reference, ...]:
        """The documents that are cited, by number."""
        hits = {(one.hit.alias, one.hit.reference): one.hit for one in reversed(self.chosen)}
        return tuple(
            Reference(
                number=number,
                alias=alias,
                document_ref=reference,
                label=hits[alias, reference].title,
                url=hits[alias, reference].url.partition("#")[0],
            )
            for (alias, reference), number in numbers.items()
        )


def source_of(one: BookHit, number: int) -> BookSource:
    """A passage as a source of an answer."""
    hit = one.hit
    return BookSource(
        number=number,
        title=hit.title,
        section=hit.heading,
        url=hit.url,
        relevance_score=round(hit.relevance, 4),
        chunk_id=hit.passage,
        book=one.source,
        reference=hit.reference,
    )


def in_books(request: Ask, books: Sequence[Collection], settings: BookSettings, trace: Trace) -> Prepared:
    """Retrieve, evaluate and decide over whole books.

    Raises:
        AnswerError: There is nothing to look for in the question.
        IndexMissing: None of the books has been indexed, though they have documents.
        IndexCorrupt: One can not be read.
    """
    limit = max(_POOL, request.k or 1)
    asked = [(book, found) for book in books if (found := _found(request.query, book, limit))]
    if not asked:
        return not_indexed(request, books, trace)
    best = max((found for _, found in asked), key=lambda found: found.answerability)
    trace.record(
        "analyse",
        terms=shown_terms(best.question),
        books=[book.name for book, _ in asked],
    )
    hits = [BookHit(source=book.name, hit=hit) for book, found in asked for hit in found.hits]
    hits.sort(key=lambda one: (-one.hit.score, one.source, one.hit.rank))
    hits = hits[:limit]
    trace.record("retrieve", passages=[_told(one) for one in hits])
    trace.record(
        "evaluate",
        features=[
            {"chunk_id": one.hit.passage, "score": round(one.hit.score, 4)} for one in hits[:_EXPLAINED]
        ],
    )
    near = [one for one in hits if 1.0 - one.hit.distance >= _threshold(settings)]
    answered = best.answerability >= THRESHOLD
    chosen = (
        [one for one in near[: request.k] if one.hit.relevance >= FAINT * hits[0].hit.relevance]
        if answered
        else []
    )
    trace.record(
        "decide",
        answerability=round(best.answerability, 4),
        confidence=round(best.confidence, 4),
        threshold=THRESHOLD,
        similarity_threshold=settings.similarity_threshold,
        usual_threshold_would_cut=[
            one.hit.passage for one in hits if 1.0 - one.hit.distance < USUAL_THRESHOLD
        ],
        chosen=[one.hit.passage for one in chosen],
    )
    return Prepared(
        request=request,
        hits=hits,
        chosen=chosen,
        evidence=within(_evidence(asked, chosen), settings.max_tokens),
        rank=best.ranked,
        embed=best.index.embed,
        answerability=best.answerability,
        confidence=best.confidence,
        reasons=best.unmentioned(names=True) if chosen else (),
        warnings=_read_as(best.question),
        trace=trace,
    )


def not_indexed(request: Ask, books: Sequence[Collection], trace: Trace) -> Prepared:
    """What there is in books of which nothing has been indexed: nothing, where they have no documents yet.

    A collection begins without documents. A book comes with its pages, so that one without an index lacks it.

    Raises:
        CollectionMissing: One has been deleted meanwhile.
        IndexMissing: There are documents, but no index of them.
    """
    names = ", ".join(book.name for book in books)
    if gone := [book.name for book in books if not book.folder.is_dir()]:  # deleted since the question came
        raise CollectionMissing(f"There is no collection named {gone[0]} any more.", hint="Ask another.")
    if any(book.kind == "book" or book.library.sources() for book in books):
        message = f"Nothing of {names} has been indexed yet."
        raise IndexMissing(
            message, hint="Ask again once it is indexed, or index it with: vademecum book sync"
        )
    return Prepared(
        request=request,
        hits=(),
        chosen=(),
        evidence=(),
        rank=lambda _units: [],
        embed=lambda _words: [],
        answerability=0.0,
        confidence=0.0,
        warnings=(f"The collection {names} has no documents yet.",),
        trace=trace,
    )


def _read_as(question: Question) -> tuple[str, ...]:
    """How words that no page has were read."""
    return tuple(f"No page has “{word}”; it was read as “{meant}”." for word, meant in question.read_as)


def within(evidence: Sequence[Evidence], max_tokens: int) -> list[Evidence]:
    """The evidence with passages so long that all of them fit, cut at a sentence; the best ones keep the most.

    A passage is never dropped so that nothing is left: of the first, some always stays.
    """
    room = max_tokens * CHARACTERS_A_TOKEN
    found: list[Evidence] = []
    for document in evidence:
        kept: list[ScoredPassage] = []
        for passage in document.passages:
            if room <= 0 and (kept or found):
                continue
            end = cut(document.text, passage.start, passage.end, max(1, room))
            kept.append(passage._replace(end=end))
            room -= end - passage.start
        if kept:
            found.append(document._replace(passages=tuple(kept)))
    return found


def _found(query: str, book: Collection, limit: int) -> Found | None:
    """What a book has; nothing of one that is not indexed yet, or is deleted at this moment."""
    try:
        return book.library.find(query, limit=limit)
    except IndexMissing:
        return None
    except IndexCorrupt:
        if book.folder.is_dir():
            raise
        return None


def _threshold(settings: BookSettings) -> float:
    return -1.0 if settings.similarity_threshold is None else settings.similarity_threshold


def _evidence(asked: Sequence[tuple[Collection, Found]], chosen: Sequence[BookHit]) -> list[Evidence]:
    """The documents of the chosen passages, in the order of their best."""
    by_book = {
        book.name: found.evidence([one.hit for one in chosen if one.source == book.name])
        for book, found in asked
    }
    order = list(dict.fromkeys((one.source, one.hit.document) for one in chosen))
    documents = {
        (name, f"{one.alias}:{one.digest}"): one for name, of_book in by_book.items() for one in of_book
    }
    return [documents[key] for key in order]


def _told(one: BookHit) -> dict[str, str | float]:
    return {
        "chunk_id": one.hit.passage,
        "reference": one.hit.reference,
        "section": one.hit.heading,
        "score": round(one.hit.score, 4),
        "cosine": round(1.0 - one.hit.distance, 4),
    }
