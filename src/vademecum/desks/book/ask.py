"""Ask a book: retrieve, evaluate, decide, compose, verify. The reply is returned as a whole or streamed."""

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from vademecum.ask.composition import Composition, Writers
from vademecum.ask.kinds import PASSAGES, Corpus, Decision, Limits
from vademecum.ask.path import decide, next_best, turns_of
from vademecum.ask.running_text.texts import RatedTexts
from vademecum.core.answers import Statement
from vademecum.core.deadline import Closing, Deadline
from vademecum.core.errors import (
    CollectionMissing,
    DeadlinePassed,
    IndexCorrupt,
    IndexMissing,
    ProviderError,
    StoreError,
    StreamClosed,
    VademecumError,
)
from vademecum.core.limits import CHARACTERS_A_TOKEN
from vademecum.core.trace import Json, Trace
from vademecum.desks.book.answers import TextReply, page_events, page_reply, token
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.reply import NOTHING_FOUND, Ask, Event, Kept, Reply
from vademecum.desks.book.request import checked
from vademecum.desks.book.selection import decide_in_selection

if TYPE_CHECKING:
    from vademecum.library.collections import Collection

__all__ = ["Ask", "AskStream", "Event", "Reply", "ask_book", "stream_book"]

_SYSTEM = "You answer questions on a book, for its readers. Say it plainly, and leave out what the passages do not say."
_EVERYTHING = "*"
"""The name in the trace for all sources on this machine's library."""

OpenCorpus = Callable[[], Corpus]


def ask_book(request: Ask, desk: Desk, *, deadline: Deadline | None = None) -> Reply:
    """Answer a question from the books, like `stream_book`, and return the complete reply.

    Args:
        deadline: The deadline for the reply; by default, from the settings. A model that misses it is not used.
    """
    with stream_book(request, desk, deadline=deadline) as stream:
        return stream.whole()


def stream_book(
    request: Ask, desk: Desk, *, deadline: Deadline | None = None, libraries: Sequence[OpenCorpus] = ()
) -> "AskStream":
    """Answer a question as a stream of events. Errors before the first event are raised here.

    Args:
        deadline: The deadline for the reply; by default, from the settings.
        libraries: Functions that open further corpora to search, such as the library of this machine.
    """
    deadline = deadline or Deadline(desk.settings.timeout_s)
    return AskStream(checked(request, desk.settings), desk, deadline, libraries)


class AskStream:
    """A streamed reply: an iterator of events. The last one is `final`, with the whole reply, or `error`.

    The concatenated texts of the `token` events are the final `answer`. Each is a complete, verified statement that is
    followed by its citations, and is never withdrawn. Use it as a context manager, or call `close`.
    """

    def __init__(
        self, request: Ask, desk: Desk, deadline: Deadline, libraries: Sequence[OpenCorpus] = ()
    ) -> None:
        self.reply: Reply | None = None
        self._began_s = time.perf_counter()
        self._request, self._desk, self._deadline = request, desk, deadline
        self._closing = Closing()
        self._quiet = False
        self._error: VademecumError | None = None
        if request.require_model and not desk.settings.models:
            message = "A model is required, and none is configured."
            raise ProviderError(
                message, hint="Set OPENAI_API_KEY or OPENAI_MODEL, or ask without require_model."
            )
        corpora, self._faults = _opened(request, desk, libraries)
        self._key = _key(request, desk, corpora)
        self._kept = desk.cache.get(self._key) if self._key is not None else None
        self._decision = None if self._kept else self._decided(corpora)
        self._events = self._all()

    def _decided(self, corpora: Sequence[Corpus]) -> Decision | None:
        """Return the decision on the question, or None if there are no documents yet."""
        request, settings = self._request, self._desk.settings
        self._limits = limits = Limits(
            passages=max(PASSAGES, request.k or 1),
            chosen=request.k or settings.top_k,
            cosine=settings.similarity_threshold,
            characters=settings.max_tokens * CHARACTERS_A_TOKEN,
        )
        decision = None
        try:
            if request.mode == "selected-text":
                decision = decide_in_selection(request, corpora, limits)
            elif corpora:
                before = turns_of(request.before)
                decision = decide(request.query, corpora, limits=limits, before=before)
        except StoreError:
            if not request.selection:
                self._desk.asked(request)  # a collection that has been deleted is reported as missing
            raise
        if self._deadline.passed:
            message = f"The time for the question was over after {self._deadline.seconds:g} s."
            raise DeadlinePassed(message, hint="Give it more time, or ask something shorter.")
        if decision is None:
            return None
        if decision.others or not isinstance(decision.rated, RatedTexts):
            _note_asked(decision)
        return decision._replace(faults=(*self._faults, *decision.faults))

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Event:
        if self._closing.closed:
            raise StopIteration
        return next(self._events)

    def close(self) -> None:
        """Stop the stream immediately, from any thread, and cancel the model. Repeated calls are allowed."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def whole(self) -> Reply:
        """Return the whole reply, after consuming the remaining events."""
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
            yield from self._again(self._kept) if self._kept else self._new()
        except VademecumError as error:
            self._error = error
            yield Event("error", {"code": error.code, "detail": error.message, "hint": error.hint})

    def _new(self) -> Iterator[Event]:
        events: list[Event] = []
        for event in self._steps(self._decision):
            events.append(event)
            if not self._quiet:
                yield event
        if self._key is not None and self.reply:
            self._desk.cache.put(self._key, (self.reply, tuple(events)))
        if self.reply and not self._quiet:
            yield Event("final", self.reply.to_dict())

    def _steps(self, decision: Decision | None) -> Iterator[Event]:
        """Yield all events except the last. Afterwards, `reply` is set."""
        if decision is None:
            yield Event("retrieval", {"sources": []})
            yield token(NOTHING_FOUND, Statement(text=NOTHING_FOUND))
            self.reply = self._nothing()
            return
        composition = Composition(decision, self._writers(), self._deadline, self._closing)
        if isinstance(decision.rated, RatedTexts):
            growing = TextReply(self._request, decision)
            yield growing.retrieved()
            said = False
            for statement in composition:
                said = True
                yield from growing.add(statement, composition)
            if not said:
                yield token(NOTHING_FOUND, Statement(text=NOTHING_FOUND))
            self.reply = growing.whole(composition, self._latency_ms)
        else:
            statements = list(composition)
            is_open = not statements and not composition.is_refused and bool(decision.evidence)
            if is_open and (other := next_best(decision, self._limits)):
                yield from self._steps(other)
                return
            self.reply = page_reply(self._request, composition, self._latency_ms)
            yield from page_events(self.reply)

    @property
    def _latency_ms(self) -> float:
        return (time.perf_counter() - self._began_s) * 1000

    def _writers(self) -> Writers:
        """Return the models that may choose or write the answer."""
        settings = self._desk.settings
        if self._request.without_model:
            return Writers()
        return Writers(
            models=self._desk.models(),
            style=settings.style,
            required=self._request.require_model,
            system=_SYSTEM,
            max_tokens=settings.reply_tokens,
            temperature=settings.temperature,
            timeout_s=settings.model_timeout_s,
        )

    def _nothing(self) -> Reply:
        """Return the reply if none of the collections has documents yet."""
        names = ", ".join(book.name for book in self._desk.asked(self._request))
        return Reply(
            answer=NOTHING_FOUND,
            sources=(),
            status="no_results",
            latency_ms=self._latency_ms,
            mode=self._request.mode,
            warnings=(f"The collection {names} has no documents yet.",),
            explain=self._request.explain,
        )

    def _again(self, kept: Kept) -> Iterator[Event]:
        """Yield the events of a cached reply, updated for this question."""
        reply, events = kept
        trace = Trace()
        trace.steps = list(reply.trace.steps)
        trace.record("remembered", of=reply.trace.id)
        self.reply = replace(reply, latency_ms=self._latency_ms, explain=self._request.explain, trace=trace)
        if not self._quiet:
            yield from events
            yield Event("final", self.reply.to_dict())


def _opened(
    request: Ask, desk: Desk, libraries: Sequence[OpenCorpus]
) -> tuple[list[Corpus], list[VademecumError]]:
    """Return the corpora to search, and the errors of those that cannot be opened."""
    if request.selection:
        return [], []
    corpora: list[Corpus] = []
    faults: list[VademecumError] = []
    for open_corpus in libraries:
        try:
            corpora.append(open_corpus())
        except VademecumError as error:
            faults.append(error)
    books = desk.asked(request) if request.books or not libraries else []
    for book in books:
        try:
            corpora.append(book.library.corpus(name=book.name, documents=request.where))
        except IndexMissing:
            pass  # no documents yet
        except VademecumError as error:
            if not isinstance(error, IndexCorrupt) or book.folder.is_dir():  # otherwise, it is being deleted
                faults.append(error)
    if not corpora:
        if faults:
            raise faults[0]
        _check_empty(books)
    return corpora, faults


def _check_empty(books: "Sequence[Collection]") -> None:
    """Check that collections without an index have no documents yet.

    A new collection is empty. A book always has pages, so that it must have an index.
    """
    if gone := [book.name for book in books if not book.folder.is_dir()]:
        raise CollectionMissing(f"Collection {gone[0]} no longer exists.", hint="Ask another one.")
    if any(book.kind == "book" or book.library.sources() for book in books):
        names = ", ".join(book.name for book in books)
        message = f"Nothing of {names} has been indexed yet."
        raise IndexMissing(
            message, hint="Ask again once it is indexed, or index it with: vademecum book sync"
        )


def _note_asked(decision: Decision) -> None:
    """Record the confidence of each kind of documents in the trace."""
    asked: list[Json] = [
        {
            "sources": [source or _EVERYTHING for source in rated.sources],
            "confidence": round(rated.confidence, 4),
            "threshold": rated.threshold,
        }
        for rated in (decision.rated, *decision.others)
    ]
    decision.trace.record("choose", asked=asked)


def _key(request: Ask, desk: Desk, corpora: Sequence[Corpus]) -> Hashable | None:
    """Return the cache key, with everything that a quoted answer depends on; None if the answer cannot be cached.

    It cannot be cached if models are configured, caching is disabled, or there is nothing to search.
    """
    if desk.settings.models or not desk.settings.cached or not (corpora or request.selection):
        return None
    made_of: Hashable = tuple(
        (
            corpus.source,
            manifest.number,
            manifest.built,
            manifest.version,
            str(corpus.index.limits),
            str(corpus.site),
            corpus.index.is_embedded,
        )
        for corpus in corpora
        for manifest in [corpus.index.manifest]
    )
    if request.selection:
        made_of = request.selection.library.generation
    return made_of, desk.settings, replace(request, explain=False, owner=None)
