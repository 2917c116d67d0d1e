"""A question to every source: each kind is asked by its own method, and the likeliest answer is given."""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from math import log
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from vademecum.core.answers import Answer, Citation, Statement
from vademecum.core.deadline import Deadline
from vademecum.core.errors import VademecumError
from vademecum.desks.book.asking import AskStream, stream_book, token
from vademecum.desks.book.checking import checked
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.replying import Ask, BookSource, Event, Nearest, Reply, plain, unknown_words
from vademecum.library.library import Library
from vademecum.retrieval.calibration import USUAL_THRESHOLD
from vademecum.server.web.sources import Chosen

if TYPE_CHECKING:
    from vademecum.core.trace import Json

_TEXT_SOONER = 0.25
"""How much less likely (in log odds) an answer may be in running text than in manual pages, and it is given; as
`ask.rating` has it within one library."""

_SURE = 1e-6
_BETWEEN = "\n"
_MACHINE = "*"
"""In the trace: all sources of this machine's library."""

_NEAREST = 4
_SYNOPSIS = re.compile(r"[\[\]{}<>|]|\.\.\.|…")


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
    if stretch := chosen.selection:
        selected = stretch.library.text(stretch.document)[stretch.start : stretch.end]
        request = replace(request, mode="selected-text", selected_text=selected, selection=stretch)
        return stream_book(request, desk, deadline=deadline)
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
        self._asked: list[dict[str, Json]] = []
        for library, aliases, source in _libraries(chosen):
            try:
                answer = library.ask(request.query, sources=aliases)
                threshold = library.settings.confidence_threshold
                stream = _PagesStream(answer, request, source, threshold, began_s)
                candidates.append((_log_odds(answer.confidence), stream))
                self._ask(aliases or [source or _MACHINE], answer.confidence, threshold)
            except VademecumError as error:
                faults.append(error)
        if chosen.texts:
            try:
                texts = stream_book(request, desk, deadline=deadline)
                candidates.append((_log_odds(texts.confidence) + _TEXT_SOONER, texts))
                self._ask(request.books, texts.confidence, USUAL_THRESHOLD)
            except VademecumError as error:
                faults.append(error)
        if not candidates:
            raise faults[0]
        candidates.sort(key=lambda one: -one[0])
        streams = [stream for _, stream in candidates]
        self._stream, self._faults = streams[0], faults
        self._unknown = [
            word for word in streams[0].unknown if all(word in other.unknown for other in streams[1:])
        ]
        others = [other.reply for other in streams[1:] if isinstance(other, _PagesStream)]
        self._dropped = sum(other.dropped for other in others)
        self._verdicts = [
            verdict
            for other in others
            for step in other.trace.steps
            for verdict in cast("Sequence[str]", step.saw.get("verdicts", ()))
        ]
        self._nearest = _in_turns([stream.nearest for stream in streams])

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        event = next(self._stream)
        self.reply = self._stream.reply
        return Event("final", self._completed(event.data)) if event.name == "final" else event

    def _ask(self, sources: Sequence[str], confidence: float, threshold: float) -> None:
        """Note what some sources, asked together, had to say."""
        self._asked.append(
            {"sources": list(sources), "confidence": round(confidence, 4), "threshold": threshold}
        )

    def _completed(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The reply, with what all sources together have to say of the question."""
        said = [f"Not asked: {error.message}" for error in self._faults]
        data = {**data, "unknown": self._unknown, "warnings": [*data["warnings"], *said]}
        assert self.reply is not None  # noqa: S101 - the last event has come
        is_refusal = bool(data["no_answer"])
        verdicts = {"verdicts": self._verdicts} if is_refusal and self._verdicts else {}
        self.reply.trace.record("choose", asked=self._asked, **verdicts)
        if "trace" in data:
            data["trace"] = self.reply.trace.to_dict()
        if is_refusal:
            data["dropped"] += self._dropped
            data["see_also"] = [one._asdict() for one in self._nearest[:_NEAREST]]
        return data

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


def _in_turns(lists: Sequence[Sequence[Nearest]]) -> list[Nearest]:
    """The first of each list, then the second of each."""
    return [one for turn in zip_longest(*lists) for one in turn if one is not None]


def _log_odds(chance: float) -> float:
    chance = min(max(chance, _SURE), 1 - _SURE)
    return log(chance / (1 - chance))


class _PagesStream:
    """A library's answer, as the events of a stream."""

    def __init__(self, answer: Answer, request: Ask, source: str, threshold: float, began_s: float) -> None:
        latency_ms = (time.perf_counter() - began_s) * 1000
        self.reply = reply_of(answer, request, source=source, threshold=threshold, latency_ms=latency_ms)
        self.unknown, self.nearest = self.reply.unknown, self.reply.see_also
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
        for part, statement in _in_order(reply.summary, reply.steps, reply.citations):
            yield token(before + _written(statement, reply.citations), statement, part)
            before = _BETWEEN
            for position in statement.citations:
                citation = reply.citations[position]
                yield Event("citation", {**plain(citation), "source": reply.held_by[citation.document]})
        yield Event("final", reply.to_dict())


def reply_of(answer: Answer, request: Ask, *, source: str, threshold: float, latency_ms: float) -> Reply:
    """A library's answer as the reply to a question.

    Args:
        answer: The answer.
        request: The question.
        source: The name of the collection that is the library; "" for this machine's, whose sources go by their aliases.
        threshold: From which confidence on the library answers.
        latency_ms: How long it took.
    """
    found = not answer.no_answer
    ordered = _in_order(answer.summary, answer.steps, answer.citations)
    written = _BETWEEN.join(_written(one, answer.citations) for _, one in ordered)
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
        unknown=unknown_words(answer.trace),
        threshold=threshold,
        held_by={one.document: source or one.alias for one in answer.citations},
    )


def _is_line(statement: Statement) -> bool:
    """Whether a statement is a line that can be typed; a synopsis, with its brackets and dots, cannot."""
    return bool(statement.command) and not statement.text and not _SYNOPSIS.search(statement.command)


_Placed = tuple[Literal["summary", "steps"], Statement]


def _in_order(
    summary: Sequence[Statement], steps: Sequence[Statement], citations: Sequence[Citation]
) -> list[_Placed]:
    """The statements with what answers first: document by document, of each a line to type, sentences, and options."""
    placed: dict[int, list[_Placed]] = {}
    for part, statements in (("summary", summary), ("steps", steps)):
        for one in statements:
            placed.setdefault(citations[one.citations[0]].number, []).append((part, one))  # type: ignore[arg-type]
    found: list[_Placed] = []
    for of_document in placed.values():
        line = next((one for one in of_document if _is_line(one[1])), None)
        found += [line] if line else []
        found += [one for one in of_document if one is not line]
    return found


def _written(statement: Statement, citations: tuple[Citation, ...]) -> str:
    """A statement with the markers of what it cites."""
    said = f"{statement.command}: {statement.text}" if statement.command else statement.text
    said = said.removesuffix(": ")
    markers = dict.fromkeys(citations[position].number for position in statement.citations)
    return f"{said} {''.join(f'[{number}]' for number in markers)}"
