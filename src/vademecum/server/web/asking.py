"""A question to every source: each kind is asked by its own method, and the likeliest answer is given."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import log
from typing import Self

from vademecum.core.answers import Answer, Citation, Statement
from vademecum.core.deadline import Deadline
from vademecum.core.errors import VademecumError
from vademecum.desks.book.asking import AskStream, stream_book, token
from vademecum.desks.book.checking import checked
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.replying import Ask, BookSource, Event, Nearest, Reply, plain
from vademecum.library.library import Library
from vademecum.server.web.sources import Chosen

_TEXT_SOONER = 0.25
"""How much less likely (in log odds) an answer may be in running text than in manual pages, and it is given; as
`library.rating` has it within one library."""

_SURE = 1e-6
_BETWEEN = "\n"


def open_stream(
    request: Ask, desk: Desk, deadline: Deadline, choose: Callable[[], Chosen] | None
) -> "AskStream | SourcesStream":
    """The stream that answers a question.

    Args:
        request: The question.
        desk: Who answers from running text.
        deadline: For all of it.
        choose: Says what it is put to; without it, to the collections that the question names.

    Raises:
        AnswerError: The question cannot be taken as put.
        VademecumError: Nothing can be asked.
    """
    if choose is None:
        return stream_book(request, desk, deadline=deadline)
    chosen = choose()
    request = replace(request, books=tuple(book.name for book in chosen.texts))
    if request.mode == "selected-text" or not (chosen.library or chosen.pages):
        return stream_book(request, desk, deadline=deadline)
    return SourcesStream(request, chosen, desk, deadline)


class SourcesStream:
    """A reply step by step from the source that answers best; see `AskStream`.

    Args:
        request: The question.
        chosen: What it is put to.
        desk: Who answers from running text.
        deadline: For all of it.

    Attributes:
        reply: The whole reply, once the last event has come.

    Raises:
        AnswerError: The question cannot be taken as put.
        VademecumError: Everything that could be asked fails; what the first said.
    """

    def __init__(self, request: Ask, chosen: Chosen, desk: Desk, deadline: Deadline) -> None:
        self.reply: Reply | None = None
        began_s = time.perf_counter()
        request = checked(request, desk.settings)
        candidates: list[tuple[float, _PagesStream | AskStream]] = []
        faults: list[VademecumError] = []
        for library, aliases, source in _libraries(chosen):
            try:
                answer = library.ask(request.query, sources=aliases)
                stream = _PagesStream(answer, request, source, began_s)
                candidates.append((_log_odds(answer.confidence), stream))
            except VademecumError as error:
                faults.append(error)
        if chosen.texts:
            try:
                texts = stream_book(request, desk, deadline=deadline)
                candidates.append((_log_odds(texts.confidence) + _TEXT_SOONER, texts))
            except VademecumError as error:
                faults.append(error)
        if not candidates:
            raise faults[0]
        self._stream = max(candidates, key=lambda one: one[0])[1]
        self._faults = faults

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        event = next(self._stream)
        self.reply = self._stream.reply
        if event.name != "final" or not self._faults:
            return event
        said = [f"Not asked: {error.message}" for error in self._faults]
        return Event("final", {**event.data, "warnings": [*event.data["warnings"], *said]})  # type: ignore[misc]

    def close(self) -> None:
        """End it, from any thread, at once."""
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def _libraries(chosen: Chosen) -> Iterator[tuple[Library, tuple[str, ...], str]]:
    """The libraries that answer by themselves, which of their sources are asked, and their name where they have one."""
    if chosen.library:
        yield chosen.library, chosen.aliases, ""
    for collection in chosen.pages:
        yield collection.library, (), collection.name


def _log_odds(chance: float) -> float:
    chance = min(max(chance, _SURE), 1 - _SURE)
    return log(chance / (1 - chance))


class _PagesStream:
    """A library's answer, as the events of a stream."""

    def __init__(self, answer: Answer, request: Ask, source: str, began_s: float) -> None:
        latency_ms = (time.perf_counter() - began_s) * 1000
        self.reply: Reply | None = reply_of(answer, request, source=source, latency_ms=latency_ms)
        self._closed = False
        self._events = self._all(self.reply)

    def __next__(self) -> Event:
        if self._closed:
            raise StopIteration
        return next(self._events)

    def close(self) -> None:
        self._closed = True

    def _all(self, reply: Reply) -> Iterator[Event]:
        yield Event("retrieval", {"sources": [one.to_dict() for one in reply.sources]})
        if reply.no_answer:
            yield token(reply.answer, Statement(text=reply.answer))
        before = ""
        for part, statements in (("summary", reply.summary), ("steps", reply.steps)):
            for statement in statements:
                yield token(before + _written(statement, reply.citations), statement, part)  # type: ignore[arg-type]
                before = _BETWEEN
                for position in statement.citations:
                    citation = reply.citations[position]
                    yield Event("citation", {**plain(citation), "source": reply.held_by[citation.document]})
        yield Event("final", reply.to_dict())


def reply_of(answer: Answer, request: Ask, *, source: str, latency_ms: float) -> Reply:
    """A library's answer as the reply to a question.

    Args:
        answer: The answer.
        request: The question.
        source: The name of the collection that is the library; "" for this machine's, whose sources go by their aliases.
        latency_ms: How long it took.
    """
    found = not answer.no_answer
    written = _BETWEEN.join(_written(one, answer.citations) for one in (*answer.summary, *answer.steps))
    sources = {
        citation.document: BookSource(
            number=citation.number,
            title=citation.document_ref,
            section=citation.location.partition("#")[2],
            url=next((one.url for one in answer.references if one.number == citation.number), ""),
            relevance_score=round(1 / citation.number, 4),
            chunk_id="",
            book=source or citation.alias,
            reference=citation.document_ref,
        )
        for citation in reversed(answer.citations)
    }
    return Reply(
        answer=written or " ".join(answer.guidance),
        sources=tuple(sorted(sources.values(), key=lambda one: one.number)),
        status="no_results" if not found else "success" if answer.outcome == "answered" else "partial",
        latency_ms=latency_ms,
        reasons=answer.warnings if answer.outcome == "partial" else answer.guidance,
        summary=answer.summary,
        steps=answer.steps,
        references=answer.references,
        citations=answer.citations,
        confidence=answer.confidence,
        answerability=answer.answerability,
        mode=request.mode,
        model=answer.model,
        dropped=answer.dropped,
        warnings=answer.warnings,
        explain=request.explain,
        trace=answer.trace,
        see_also=tuple(
            Nearest(source or one.alias, one.document, one.document_ref, one.label, one.notes)
            for one in answer.see_also
        ),
        guidance=answer.guidance,
        read_as=answer.read_as,
        held_by={one.document: source or one.alias for one in answer.citations},
    )


def _written(statement: Statement, citations: tuple[Citation, ...]) -> str:
    """A statement with the markers of what it cites."""
    said = f"{statement.command}: {statement.text}" if statement.command else statement.text
    said = said.removesuffix(": ")
    markers = dict.fromkeys(citations[position].number for position in statement.citations)
    return f"{said} {''.join(f'[{number}]' for number in markers)}"
