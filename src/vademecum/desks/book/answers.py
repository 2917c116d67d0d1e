"""Build the reply of `/ask`, and the events of a streamed reply."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal

from vademecum.answering.injection import warnings_of_quotes
from vademecum.ask.answer import answer_of, caveats, not_asked, others_of, warnings_of, within_limits
from vademecum.ask.composition import Composition
from vademecum.ask.hits import SourcedHit, at_place
from vademecum.ask.kinds import Decision, Rated
from vademecum.ask.running_text.texts import RatedTexts, not_mentioned
from vademecum.core.answers import Citation, Reference, Statement
from vademecum.desks.book.reply import (
    NOTHING_FOUND,
    Ask,
    BookSource,
    Event,
    Nearest,
    Reply,
    plain,
    unknown_words,
)

if TYPE_CHECKING:
    from vademecum.core.trace import Json

_NEAREST, _NEAREST_OF_SEVERAL = 3, 4
_BETWEEN_QUOTES, _BETWEEN_SENTENCES, _BETWEEN_LINES = "\n\n", " ", "\n"
_SYNOPSIS = re.compile(r"[\[\]{}<>|]|\.\.\.|…")

Part = Literal["summary", "steps"]


# --- running text -----------------------------------------------------------------------------------------------------


class TextReply:
    """A reply from running text that is built statement by statement."""

    def __init__(self, request: Ask, decision: Decision) -> None:
        assert isinstance(decision.rated, RatedTexts)  # noqa: S101 - checked by the caller
        self._request, self._decision, self._rated = request, decision, decision.rated
        chosen = {*decision.chosen}
        self._chosen = [found for found in self._rated.hits if found.hit.passage in chosen]
        self._text = ""

    def retrieved(self) -> Event:
        """Return the event with the passages that were found, as sources without markers."""
        return Event(
            "retrieval",
            {"sources": [self._source(found, 0, found.hit.start).to_dict() for found in self._rated.hits]},
        )

    def add(self, statement: Statement, composition: Composition) -> Iterator[Event]:
        """Add the next statement. Yield its events: its text, and its citations."""
        cited = [composition.citations[at] for at in statement.citations]
        between = _BETWEEN_QUOTES if composition.is_quoting else _BETWEEN_SENTENCES
        text = f"{between if self._text else ''}{_marked(statement, cited)}"
        self._text += text
        yield token(text, statement, composition.part)
        for citation in cited:
            sources = self._sources_of(citation)
            yield Event(
                "citation",
                {
                    **plain(citation),
                    "source": sources[0].book if sources else "",
                    "chunk_id": sources[0].chunk_id if sources else "",
                    "title": sources[0].title if sources else "",
                    "url": sources[0].url if sources else "",
                },
            )

    def whole(self, composition: Composition, latency_ms: float) -> Reply:
        """Return the whole reply, after the last statement has been added."""
        decision, rated, verified = composition.decision, self._rated, composition.verified
        found = bool(self._text)
        is_guess = found and decision.is_guess
        lacks = rated.lacking() if found and not is_guess else _why_not(decision)
        reasons = (*lacks, *filter(None, [composition.reason]))
        return Reply(
            answer=self._text or NOTHING_FOUND,
            sources=self._sources(verified.citations),
            status="no_results" if is_guess or not found else "partial" if reasons else "success",
            latency_ms=latency_ms,
            reasons=reasons,
            summary=verified.summary,
            steps=verified.steps,
            references=self._references(verified.references),
            citations=verified.citations,
            confidence=decision.confidence if found or not verified.dropped else 0.0,
            answerability=max(rated.answerability, decision.confidence),
            mode=self._request.mode,
            not_in_book=rated.is_foreign,
            model=composition.model,
            dropped=verified.dropped,
            warnings=(
                *warnings_of(rated.question),
                *warnings_of_quotes(citation.quote for citation in verified.citations),
                *composition.warnings,
                *not_asked(decision),
            ),
            explain=self._request.explain,
            trace=decision.trace,
            held_by={
                citation.document: source.book
                for citation in verified.citations
                for source in self._sources_of(citation)
            },
            see_also=_others(others_of(decision, verified.references)) if found else nearest(decision),
            guidance=caveats(decision),
            unknown=unknown(decision),
            read_as=decision.read_as,
            selection=self._request.selection,
            threshold=rated.threshold,
        )

    def _sources(self, citations: Sequence[Citation]) -> tuple[BookSource, ...]:
        """Return the cited passages, best first."""
        found: dict[str, BookSource] = {}
        for citation in citations:
            for source in self._sources_of(citation):
                found.setdefault(source.chunk_id, source)
        return tuple(sorted(found.values(), key=lambda source: -source.relevance_score))

    def _sources_of(self, citation: Citation) -> list[BookSource]:
        """Return the chosen passages that a citation overlaps, best first; if a model chose another one, that one."""
        for passages in (self._chosen, self._rated.hits):
            overlapping = [
                self._source(found, citation.number, citation.start)
                for found in passages
                if found.hit.document == citation.document
                and found.hit.start < citation.end
                and citation.start < found.hit.end
            ]
            if overlapping:
                return overlapping
        return []

    def _source(self, found: SourcedHit, number: int, start: int) -> BookSource:
        """Convert a passage to a source, at an offset in it. Passages of a selection that is in no book have the book ""."""
        hit = at_place(found.hit, start)
        return BookSource(
            number=number,
            title=hit.title,
            section=hit.heading,
            url=hit.url,
            relevance_score=round(hit.relevance, 4),
            chunk_id=hit.passage,
            book="" if self._rated.is_foreign else found.source or hit.alias,
            reference=hit.reference,
        )

    def _references(self, cited: Sequence[Reference]) -> tuple[Reference, ...]:
        """Return the cited documents, by number."""
        hits = {
            (found.hit.alias, found.hit.reference): found.hit
            for found in (*reversed(self._rated.hits), *reversed(self._chosen))
        }
        return tuple(
            Reference(
                number=reference.number,
                alias=reference.alias,
                document_ref=reference.document_ref,
                label=hits[reference.alias, reference.document_ref].title,
                url=hits[reference.alias, reference.document_ref].url.partition("#")[0],
            )
            for reference in cited
        )


def _marked(statement: Statement, cited: Sequence[Citation]) -> str:
    """Return a statement with the markers of its citations."""
    said = f"{statement.command}: {statement.text}" if statement.command else statement.text
    markers = dict.fromkeys(citation.number for citation in cited)
    return f"{said.removesuffix(': ')} {''.join(f'[{number}]' for number in markers)}"


# --- manual pages -----------------------------------------------------------------------------------------------------


def page_reply(request: Ask, composition: Composition, latency_ms: float) -> Reply:
    """Return a reply from manual pages."""
    decision = composition.decision
    rated = decision.rated
    source = rated.sources[0]
    warnings = (*composition.warnings, *filter(None, [composition.reason]))
    answer = answer_of(decision, composition.verified, rated.index, warnings)
    is_partial = answer.outcome == "partial" or bool(composition.reason)
    ordered = _in_order(answer.summary, answer.steps, answer.citations)
    written = _BETWEEN_LINES.join(
        _marked(one, [answer.citations[at] for at in one.citations]) for _, one in ordered
    )
    sources = {
        citation.document: BookSource(
            number=citation.number,
            title=citation.document_ref,
            section=citation.location.partition("#")[2],
            url=next(
                (reference.url for reference in answer.references if reference.number == citation.number), ""
            ),
            relevance_score=round(1 / citation.number, 4),
            chunk_id="",
            book=source or citation.alias,
            reference=citation.document_ref,
        )
        for citation in reversed(answer.citations)
    }
    return Reply(
        answer="\n\n".join(filter(None, (" ".join(answer.guidance), written))),
        sources=tuple(sorted(sources.values(), key=lambda one: one.number)),
        status="no_results" if answer.no_answer else "partial" if is_partial else "success",
        latency_ms=latency_ms,
        reasons=answer.warnings if is_partial and not answer.no_answer else answer.guidance,
        summary=answer.summary,
        steps=answer.steps,
        references=answer.references,
        citations=answer.citations,
        confidence=answer.confidence,
        answerability=answer.answerability,
        mode=request.mode,
        model=composition.model,
        dropped=answer.dropped,
        warnings=answer.warnings,
        explain=request.explain,
        trace=answer.trace,
        see_also=nearest(decision) if answer.no_answer else _others(answer.see_also),
        guidance=answer.guidance,
        read_as=answer.read_as,
        unknown=unknown(decision),
        threshold=rated.threshold,
        held_by={one.document: source or one.alias for one in answer.citations},
    )


def page_events(reply: Reply) -> Iterator[Event]:
    """Yield the events of a complete reply, except the last."""
    yield Event("retrieval", {"sources": [source.to_dict() for source in reply.sources]})
    if reply.no_answer:
        yield token(reply.answer, Statement(text=reply.answer))
    before = ""
    for part, statement in _in_order(reply.summary, reply.steps, reply.citations):
        cited = [reply.citations[at] for at in statement.citations]
        yield token(before + _marked(statement, cited), statement, part)
        before = _BETWEEN_LINES
        for citation in cited:
            yield Event("citation", {**plain(citation), "source": reply.held_by[citation.document]})


_Placed = tuple[Part, Statement]


def _in_order(
    summary: Sequence[Statement], steps: Sequence[Statement], citations: Sequence[Citation]
) -> list[_Placed]:
    """Return the statements by document: first a command line to type, then the sentences and the other steps."""
    placed: dict[int, list[_Placed]] = {}
    for statement in summary:
        placed.setdefault(citations[statement.citations[0]].number, []).append(("summary", statement))
    for statement in steps:
        placed.setdefault(citations[statement.citations[0]].number, []).append(("steps", statement))
    found: list[_Placed] = []
    for of_document in placed.values():
        line = next((one for one in of_document if _is_line(one[1])), None)
        found += [line] if line else []
        found += [one for one in of_document if one is not line]
    return found


def _is_line(statement: Statement) -> bool:
    """Return whether a statement is a command line that can be typed, unlike a synopsis with brackets or ellipses."""
    return bool(statement.command) and not statement.text and not _SYNOPSIS.search(statement.command)


# --- both -------------------------------------------------------------------------------------------------------------


def token(text: str, statement: Statement, part: Part = "summary") -> Event:
    """Return the event of a statement: the text that it adds to a plain answer, and its parts."""
    data: dict[str, Json] = {
        "text": text,
        "part": part,
        "sentence": statement.text,
        "command": statement.command,
        "citations": list(statement.citations),
        "origin": statement.origin,
    }
    return Event("token", data)


def nearest(decision: Decision) -> tuple[Nearest, ...]:
    """Return the nearest documents for a question without an answer, alternating between the kinds of documents."""
    kinds = [decision.rated, *decision.others]
    turns = zip_longest(*(kind.nearest(_NEAREST) for kind in kinds))
    found = [
        Nearest(source or one.alias, one.document, one.document_ref, one.label, one.notes)
        for turn in turns
        for source, one in filter(None, turn)
    ]
    return tuple(found[: _NEAREST_OF_SEVERAL if decision.others else _NEAREST])


def _others(found: Iterable[Reference]) -> tuple[Nearest, ...]:
    """Convert references to documents that may also answer the question."""
    return tuple(Nearest(one.alias, one.document, one.document_ref, one.label, one.notes) for one in found)


def unknown(decision: Decision) -> tuple[str, ...]:
    """Return the words of the question that no document of any kind contains."""
    first, *others = (words for kind in (decision.rated, *decision.others) for words in _unknown(kind))
    return tuple(word for word in first if all(word in other for other in others))


def _unknown(rated: Rated) -> list[tuple[str, ...]]:
    """Return the unknown words for each analysis of the question."""
    if isinstance(rated, RatedTexts):
        return [unknown_words(found.question) for _, found in rated.searched]
    return [unknown_words(rated.question)]


def _why_not(decision: Decision) -> tuple[str, ...]:
    """Return why running text has no answer. Words that other kinds of documents contain are not a reason."""
    reasons = not_mentioned(unknown(decision)) if decision.others else tuple(decision.rated.reasons)
    limits = decision.rated.index.limits
    return (*reasons, *([within_limits(limits)] if limits else []))
