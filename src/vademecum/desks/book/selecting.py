"""Selected text: a question put to a stretch of the book alone, and to nothing else of it."""

from collections.abc import Sequence
from typing import NamedTuple

from vademecum.core.documents import digest
from vademecum.core.errors import IndexMissing
from vademecum.core.evidence import Evidence, ScoredPassage
from vademecum.core.passages import SECTION
from vademecum.core.trace import Trace
from vademecum.desks.book.finding import BookHit, Prepared, within
from vademecum.desks.book.replying import Ask
from vademecum.desks.book.settings import BookSettings
from vademecum.library.collections import Collection
from vademecum.library.passages import PassageHit, Reading
from vademecum.retrieval.selection import BORDER, chance_in_selection

ALIAS = "selection"
"""What a selection that is not in the book is cited by."""

_TITLE = "Selected text"


class _Stretch(NamedTuple):
    """The selection, wherever it is: a document, and the passages of it that the selection touches, cut to it."""

    book: Collection
    alias: str
    digest: str
    reference: str
    title: str
    text: str
    hits: Sequence[PassageHit]
    located: bool


def in_selection(request: Ask, books: Sequence[Collection], settings: BookSettings, trace: Trace) -> Prepared:
    """Retrieve, evaluate and decide within the selection.

    Raises:
        AnswerError: There is nothing to look for in the question.
        IndexMissing: None of the books has been indexed.
    """
    stretch, reading = _stretch(request, books)
    trace.record(
        "analyse",
        terms=[
            {"term": term.text, "rarity": round(term.rarity, 3), "known": term.known}
            for term in reading.question.terms
        ],
        books=[book.name for book in books],
    )
    trace.record(
        "retrieve",
        located=stretch.located,
        reference=stretch.reference,
        start=stretch.hits[0].start,
        end=stretch.hits[-1].end,
    )
    scored = sorted((reading.scored(hit) for hit in stretch.hits), key=lambda hit: (-hit.score, hit.start))
    hits = [BookHit(book=stretch.book, hit=hit) for hit in scored]
    selected = stretch.text[stretch.hits[0].start : stretch.hits[-1].end]
    chance = chance_in_selection(reading.question, selected, reading.index)
    trace.record(
        "evaluate", passages=[{"chunk_id": one.passage, "score": round(one.score, 4)} for one in scored]
    )
    chosen = hits[: request.k] if chance >= BORDER else []
    trace.record(
        "decide", answerability=round(chance, 4), border=BORDER, chosen=[one.hit.passage for one in chosen]
    )
    evidence = Evidence(
        alias=stretch.alias,
        digest=stretch.digest,
        reference=stretch.reference,
        title=stretch.title,
        summary="",
        # nothing after the selection, so that nobody can cite it by mistake; what is before it keeps the places right
        text=stretch.text[: stretch.hits[-1].end],
        passages=tuple(
            ScoredPassage(
                SECTION,
                one.hit.start,
                one.hit.end,
                one.hit.start,
                one.hit.heading,
                one.hit.anchor,
                one.hit.score,
                one.hit.relevance,
            )
            for one in chosen
        ),
    )
    return Prepared(
        request=request,
        hits=hits,
        chosen=chosen,
        evidence=within([evidence], settings.max_tokens) if chosen else [],
        relevance=reading.relevance(),
        likeness=reading.likeness(),
        embed=reading.index.embed,
        answerability=chance,
        confidence=chance,
        not_in_book=not stretch.located,
        trace=trace,
    )


def _stretch(request: Ask, books: Sequence[Collection]) -> tuple[_Stretch, Reading]:
    """The selection in the first book that has it, else by itself."""
    first: tuple[Collection, Reading] | None = None
    for book in books:
        try:
            reading = book.library.reading(request.query)
        except IndexMissing:
            if len(books) == 1:
                raise
            continue
        first = first or (book, reading)
        for form in _forms(request.selected_text):
            if hits := reading.located(form):
                one = hits[0]
                text = reading.index.text(one.document)
                sha = one.document.rpartition(":")[2]
                found = _Stretch(book, one.alias, sha, one.reference, one.title, text, hits, located=True)
                return found, reading
    if first is None:
        message = "Nothing of the books has been indexed yet."
        raise IndexMissing(message, hint="Index them with: vademecum book sync")
    text = request.selected_text.strip()
    sha = digest(ALIAS, text)
    hits = first[1].foreign(ALIAS, sha, _TITLE, text)
    return _Stretch(first[0], ALIAS, sha, ALIAS, _TITLE, text, hits, located=False), first[1]


def _forms(selection: str) -> list[str]:
    """The selection as it is, and, if it is Markdown, as it reads."""
    from vademecum.sources._markdown import read_markdown  # noqa: PLC0415 - whole books need none of it

    read = read_markdown(selection).text
    return [selection] if read == selection.strip() else [selection, read]
