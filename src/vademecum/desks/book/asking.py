"""Asking a book: retrieve, evaluate, decide, compose, verify. A question in, a reply out, whole or step by step."""

import time
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Literal, Self

from vademecum.core.answers import Citation, Statement
from vademecum.core.deadline import Deadline
from vademecum.core.errors import (
    DeadlinePassed,
    IndexMissing,
    ProviderError,
    StoreError,
    StreamClosed,
    VademecumError,
)
from vademecum.core.trace import Json, Trace
from vademecum.desks.book.checking import checked
from vademecum.desks.book.composing import Composed, compose
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.finding import Prepared, in_books
from vademecum.desks.book.replying import (
    NOTHING_FOUND,
    Ask,
    BookSource,
    Event,
    Nearest,
    Reply,
    plain,
    unknown_words,
)
from vademecum.desks.book.selection import in_selection

if TYPE_CHECKING:
    from vademecum.answering.generate import Writing

_NEAREST = 3

__all__ = ["Ask", "AskStream", "Event", "Reply", "ask_book", "stream_book"]


def ask_book(request: Ask, desk: Desk, *, deadline: Deadline | None = None) -> Reply:
    """Answer a question from the books: what `stream_book` gives, as a whole.

    Args:
        request: The question.
        desk: Who is asked.
        deadline: For all of it; by default what the settings say. A model that is too late is done without.

    Raises:
        AnswerError: The question can not be taken as put: blank, too long, no selection, another mode.
        CollectionMissing: There is no such book.
        IndexMissing: There is no book at all, or nothing of it has been indexed.
        IndexCorrupt: The index can not be read.
        ProviderError: With `require_model`, the model does not answer.
        DeadlinePassed: The time was over before anything could be answered.
    """
    with stream_book(request, desk, deadline=deadline) as stream:
        return stream.whole()


def stream_book(request: Ask, desk: Desk, *, deadline: Deadline | None = None) -> "AskStream":
    """Answer it step by step. What goes wrong before there is anything to say is raised here.

    Raises:
        As `ask_book`; with `require_model` it is the last event that says so.
    """
    return AskStream(checked(request, desk.settings), desk, deadline or Deadline(desk.settings.timeout_s))


class AskStream:
    """A reply step by step: an iterator of events. The last is `final`, with the whole reply, or `error`.

    The texts of the `token` events, put together, are the final `answer`; each is a whole statement that was
    verified, and its citations follow it. Nothing is taken back. Use it in a `with`, or call `close`.

    Args:
        request: The question, checked.
        desk: Who is asked.
        deadline: For all of it.

    Attributes:
        reply: The whole reply, once the last event has come.
    """

    def __init__(self, request: Ask, desk: Desk, deadline: Deadline) -> None:
        self.reply: Reply | None = None
        self._began_s = time.perf_counter()
        self._request, self._desk, self._deadline = request, desk, deadline
        self._lock = Lock()
        self._writing: Writing | None = None
        self._closed = self._quiet = False
        self._error: VademecumError | None = None
        self._key = _key(request, desk)
        self._kept = desk.cache.get(self._key) if self._key is not None else None
        self._prepared = None if self._kept else _prepared(request, desk, deadline)
        self._events = self._all()

    @property
    def confidence(self) -> float:
        """The probability in 0-1 that the answer is right, known from the beginning."""
        if self._kept:
            return self._kept[0].confidence
        return self._prepared.confidence if self._prepared else 0.0

    @property
    def unknown(self) -> tuple[str, ...]:
        """Words of the question that no document has, known from the beginning."""
        if self._kept:
            return self._kept[0].unknown
        return _unknown(self._prepared) if self._prepared else ()

    @property
    def nearest(self) -> tuple[Nearest, ...]:
        """The documents that are nearest to the question, known from the beginning."""
        if self._kept:
            return self._kept[0].see_also
        return _nearest(self._prepared) if self._prepared else ()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        if self._closed:
            raise StopIteration
        return next(self._events)

    def close(self) -> None:
        """End it, from any thread, at once: a model that is writing is told to stop. More than once is fine."""
        with self._lock:
            self._closed, writing = True, self._writing
        if writing:
            writing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def whole(self) -> Reply:
        """The reply, once the rest has come.

        Raises:
            ProviderError: With `require_model`, the model does not answer; or it was closed.
        """
        self._quiet = True
        for _ in self:
            pass
        if self._error:
            raise self._error
        if self.reply is None:
            raise StreamClosed("The reply was closed before its end.", hint="Ask again.")
        return self.reply

    def _all(self) -> Iterator[Event]:
        try:
            if self._kept:
                yield from self._again(self._kept)
            elif self._prepared:
                yield from self._anew(self._prepared)
        except VademecumError as error:
            self._error = error
            yield Event("error", {"code": error.code, "detail": error.message, "hint": error.hint})

    def _anew(self, prepared: Prepared) -> Iterator[Event]:
        told: list[Event] = []
        for event in self._steps(prepared):
            told.append(event)
            yield event
        if self._key is not None and self.reply:
            self._desk.cache.put(self._key, (self.reply, tuple(told)))
        if self.reply and not self._quiet:
            yield Event("final", self.reply.to_dict())

    def _steps(self, prepared: Prepared) -> Iterator[Event]:
        """All but the last."""
        told = not self._quiet or self._key is not None
        if told:
            yield Event("retrieval", {"sources": [one.to_dict() for one in prepared.retrieved()]})
        models = self._desk.models() if prepared.chosen else []
        for step in compose(prepared, self._desk.settings, models, self._deadline, self._hold):
            if isinstance(step, Composed):
                if told and not step.answer:
                    yield token(NOTHING_FOUND, Statement(text=NOTHING_FOUND))
                self.reply = _reply(prepared, step, self._began_s)
            elif told:
                yield token(step.text, step.statement)
                for citation in step.citations:
                    yield _cited(citation, prepared.sources_of(citation))

    def _again(self, kept: "Kept") -> Iterator[Event]:
        """A reply that is remembered, as one of this question."""
        reply, told = kept
        trace = Trace()
        trace.steps = list(reply.trace.steps)
        trace.record("remembered", of=reply.trace.id)
        latency_ms = (time.perf_counter() - self._began_s) * 1000
        self.reply = replace(reply, latency_ms=latency_ms, explain=self._request.explain, trace=trace)
        if not self._quiet:
            yield from told
            yield Event("final", self.reply.to_dict())

    def _hold(self, writing: "Writing") -> None:
        with self._lock:
            self._writing, closed = writing, self._closed
        if closed:
            writing.close()


Kept = tuple[Reply, tuple[Event, ...]]
"""A reply that is remembered, and the events that came before its last."""


def _prepared(request: Ask, desk: Desk, deadline: Deadline) -> Prepared:
    """Analyse, retrieve, evaluate and decide."""
    books = [] if request.selection else desk.asked(request)
    if request.require_model and not desk.settings.models:
        message = "A model is required, and none is configured."
        raise ProviderError(message, hint="Set OPENAI_API_KEY or OPENAI_MODEL, or ask without require_model.")
    find = in_selection if request.mode == "selected-text" else in_books
    try:
        prepared = find(request, books, desk.settings, Trace())
    except StoreError:
        if not request.selection:
            desk.asked(request)  # one that was deleted meanwhile is said to be missing
        raise
    if deadline.passed:
        message = f"The time for the question was over after {deadline.seconds:g} s."
        raise DeadlinePassed(message, hint="Give it more time, or ask something shorter.")
    return prepared


def _reply(prepared: Prepared, composed: Composed, began_s: float) -> Reply:
    found = bool(composed.statements)
    reasons = (*prepared.reasons, *composed.reasons)
    return Reply(
        answer=composed.answer or NOTHING_FOUND,
        sources=_sources(prepared, composed.citations),
        status=("partial" if reasons else "success") if found else "no_results",
        latency_ms=(time.perf_counter() - began_s) * 1000,
        reasons=reasons,
        summary=composed.statements,
        references=composed.references,
        citations=composed.citations,
        confidence=prepared.confidence if found or not composed.dropped else 0.0,
        answerability=prepared.answerability,
        mode=prepared.request.mode,
        not_in_book=prepared.not_in_book,
        model=composed.model,
        dropped=composed.dropped,
        warnings=(*prepared.warnings, *composed.warnings),
        explain=prepared.request.explain,
        trace=prepared.trace,
        held_by={
            citation.document: source.book
            for citation in composed.citations
            for source in prepared.sources_of(citation)
        },
        see_also=() if found else _nearest(prepared),
        unknown=_unknown(prepared),
        selection=prepared.request.selection,
        threshold=prepared.threshold,
    )


def _unknown(prepared: Prepared) -> tuple[str, ...]:
    return unknown_words(prepared.trace) if prepared.unknown is None else prepared.unknown


def _nearest(prepared: Prepared) -> tuple[Nearest, ...]:
    """The documents that are nearest to a question without an answer."""
    found = dict.fromkeys(
        Nearest(one.source, one.hit.document, one.hit.reference, one.hit.title)
        for one in prepared.hits
        if not prepared.not_in_book
    )
    return tuple(found)[:_NEAREST]


def _sources(prepared: Prepared, citations: Sequence[Citation]) -> tuple[BookSource, ...]:
    """The passages that are cited, best first."""
    found: dict[str, BookSource] = {}
    for citation in citations:
        for source in prepared.sources_of(citation):
            found.setdefault(source.chunk_id, source)
    return tuple(sorted(found.values(), key=lambda one: -one.relevance_score))


def token(text: str, statement: Statement, part: Literal["summary", "steps"] = "summary") -> Event:
    """A statement as an event: what a plain answer goes on with, and the statement by itself."""
    data: dict[str, Json] = {
        "text": text,
        "part": part,
        "sentence": statement.text,
        "command": statement.command,
        "citations": list(statement.citations),
    }
    return Event("token", data)


def _cited(citation: Citation, sources: Sequence[BookSource]) -> Event:
    data: dict[str, Json] = {
        **plain(citation),
        "source": sources[0].book if sources else "",
        "chunk_id": sources[0].chunk_id if sources else "",
        "title": sources[0].title if sources else "",
        "url": sources[0].url if sources else "",
    }
    return Event("citation", data)


def _key(request: Ask, desk: Desk) -> Hashable | None:
    """What an answer of the book's own words depends on: generations, configuration, question. None where a model writes, or nothing is indexed."""
    if desk.settings.models or not desk.settings.cached:
        return None
    of_books: Hashable
    try:
        if request.selection:
            of_books = request.selection.library.generation
        else:
            of_books = tuple(
                (book.name, book.created, book.library.generation, str(book.metadata))
                for book in desk.asked(request)
            )
    except IndexMissing:
        return None
    return of_books, desk.settings, replace(request, explain=False, owner=None)
