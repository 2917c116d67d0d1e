"""`POST /ask` and `GET /traces/{id}`: questions to any source."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.requests import Request
from starlette.responses import Response

from vademecum.core.deadline import Deadline
from vademecum.core.errors import DeadlinePassed, ProviderTimeout, StoreError, VademecumError
from vademecum.desks.book.reply import Ask, Reply
from vademecum.desks.book.request import LONGEST_SELECTION
from vademecum.desks.book.settings import MOST_PASSAGES
from vademecum.library.service.client import error_of
from vademecum.server.asking import open_stream
from vademecum.server.errors import HttpError
from vademecum.server.guard.authorization import Caller, may
from vademecum.server.guard.caller import CallerOf
from vademecum.server.guard.redaction import published, without_places
from vademecum.server.metrics import Stopwatch
from vademecum.server.routes.chat_bodies import NEW, SESSION, Routing, Where
from vademecum.server.routes.sources import DOCUMENT, MOST_CHARACTERS, missing_documents
from vademecum.server.sources import Chosen
from vademecum.server.state import Event, State
from vademecum.server.streams import EventStream, Lazily, WithFinal, gathered
from vademecum.server.traces import CALLS, ID, recorded

_LOOKED_UP = {"analyse", "retrieve", "evaluate"}
_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,4}(?:\.\d{1,3})?)", re.IGNORECASE)
_LONGEST_QUERY = 20_000
_MOST_SOURCES = 100


class SelectionInfo(BaseModel):
    """A range of a document, in code points of its text."""

    source: str = Field(max_length=63, description="A name from `GET /api/sources`.")
    document: str = Field(pattern=DOCUMENT, description="The `document` of a citation.")
    start: int = Field(ge=0, le=MOST_CHARACTERS)
    end: int = Field(ge=1, le=MOST_CHARACTERS)


class AskRequest(BaseModel):
    """A question to some sources: this machine's manuals and notes, books, other collections."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query: str = Field(
        min_length=1, max_length=_LONGEST_QUERY, pattern=r"\S", description="Up to 2,000 tokens."
    )
    mode: Literal["full-book", "selected-text"] = Field(
        default="full-book", description="Whether to answer from the whole book, or only from the selection."
    )
    selected_text: str | None = Field(
        default=None, max_length=LONGEST_SELECTION, description="Required in the mode `selected-text`."
    )
    selection: SelectionInfo | None = Field(
        default=None,
        description="The range of a document to answer from: an alternative to `selected_text`, for any source.",
    )
    k: int | None = Field(
        default=None, ge=1, le=MOST_PASSAGES, description="The maximum number of passages; by default 3."
    )
    book: str | None = Field(
        default=None,
        min_length=1,
        max_length=63,
        description="A book or another collection; by default everything that `source` names.",
    )
    source: str | list[str] | None = Field(
        default=None, description="One or more names from `GET /api/sources`; by default all of them."
    )
    where: Where | None = Field(
        default=None, description="Restricts the answer to some documents; by default all."
    )
    stream: bool = Field(
        default=False,
        description="Server-sent events `retrieval`, `token`, `citation`, `final`, `error` instead of a single response.",
    )
    conversation: str | None = Field(
        default=None,
        pattern=rf"{SESSION}|^{NEW}$",
        description="The id of a conversation, or `new` to start one; the answer is stored in it. A follow-up question (`and on Fridays?`) is resolved from the conversation; `read_as` contains the result.",
    )
    instead: int = Field(
        default=0, ge=0, le=1 << 31, description="The turn of the conversation that this answer replaces."
    )
    explain: bool = Field(default=False, description="Whether to include the trace of all steps.")
    require_model: bool = Field(default=False, description="Whether to fail if the model cannot answer.")
    without_model: bool = Field(default=False, description="Whether to answer without the model.")

    @model_validator(mode="after")
    def _meant(self) -> "AskRequest":
        if self.selection and {"mode", "selected_text", "book", "source", "where"} & self.model_fields_set:
            message = "selection excludes mode, selected_text, book, source and where"
            raise ValueError(message)
        if self.selected_text and "mode" not in self.model_fields_set:
            message = "selected_text requires the mode selected-text"
            raise ValueError(message)
        if self.selection and not 0 < self.selection.end - self.selection.start <= LONGEST_SELECTION:
            message = f"selection must have 1 to {LONGEST_SELECTION:,} characters"
            raise ValueError(message)
        if self.book and self.source:
            message = "book and source cannot be used together"
            raise ValueError(message)
        if isinstance(self.source, list) and not 1 <= len(self.source) <= _MOST_SOURCES:
            message = f"source must contain 1 to {_MOST_SOURCES} sources"
            raise ValueError(message)
        if self.instead and self.conversation in {None, NEW}:
            message = "instead requires conversation"
            raise ValueError(message)
        return self

    @property
    def sources(self) -> list[str]:
        """The names in `source`; empty for all sources."""
        return [self.source] if isinstance(self.source, str) else self.source or []

    def asked(self) -> Ask:
        """Return the question as a request to the desk."""
        return Ask(
            query=self.query,
            mode=self.mode,
            selected_text=self.selected_text or "",
            k=self.k,
            explain=self.explain,
            require_model=self.require_model,
            without_model=self.without_model,
            where=self.where.patterns if self.where else (),
        )


class Source(BaseModel):
    """A passage that an answer cites."""

    title: str
    section: str
    url: str
    relevance_score: float = Field(ge=0, le=1, description="Decreases with the rank.")
    chunk_id: str
    number: int = Field(description="The marker in the answer.")
    book: str
    reference: str


class StatementInfo(BaseModel):
    """A sentence of an answer, or a step."""

    text: str
    command: str = Field(default="", description="The command to type, for a step.")
    origin: str = Field(
        default="",
        description="`composed`, `written`, `copied`, `reworded` or `replaced`; empty for quotations.",
    )
    citations: list[int] = Field(description="Positions in `citations`.")


class CitationInfo(BaseModel):
    """The exact quotation that supports a statement: `text[start:end] == quote`, in code points."""

    number: int = Field(description="The marker in the answer, one for each document.")
    source: str = Field(description="The name of the source; empty for a selection that is in no source.")
    alias: str
    document: str
    document_ref: str
    location: str
    start: int
    end: int
    quote: str


class ReferenceInfo(BaseModel):
    """A document that an answer cites."""

    number: int
    alias: str
    document_ref: str
    label: str
    url: str
    notes: str
    document: str
    read_with: str = Field(
        description="How to open it: `man 1 chmod`, or the path and line of a file; may be empty."
    )
    section: str = Field(description="The section of most citations; may be empty.")


class NearestInfo(BaseModel):
    """A document that is close to a question."""

    source: str
    document: str
    document_ref: str
    label: str
    notes: str


class AskResponse(BaseModel):
    """An answer, or a refusal."""

    model_config = ConfigDict(extra="allow")

    answer: str
    sources: list[Source] = Field(description="The cited documents, best first.")
    latency_ms: float
    status: Literal["success", "partial", "no_results", "error"]
    reasons: list[str] = Field(description="The reasons why the status is not `success`.")
    summary: list[StatementInfo] = Field(description="The sentences of the answer.")
    steps: list[StatementInfo] = Field(description="The steps, in order.")
    references: list[ReferenceInfo]
    citations: list[CitationInfo] = Field(description="The exact quotations of the answer.")
    confidence: float | None = Field(
        description="The probability that the answer is right; for answers by rules, null if it is unknown."
    )
    answerability: float = Field(description="The probability that the book contains an answer.")
    no_answer: bool
    not_in_book: bool = Field(description="Whether the selection was not found in the book.")
    model: str = Field(description="The model that wrote it; empty for quotations.")
    dropped: int = Field(description="The number of sentences that failed verification and were omitted.")
    warnings: list[str]
    see_also: list[NearestInfo] = Field(
        description="For a refusal, the closest documents; for an answer, alternatives."
    )
    guidance: list[str] = Field(description="What to do next if there is no answer.")
    read_as: str = Field(description="The resolved question, if it differs from the question asked.")
    unknown: list[str] = Field(
        description="The words of the question that appear in no document, or not in the selection."
    )
    threshold: float = Field(description="The minimum confidence of an answer.")
    selection: SelectionInfo | None = Field(
        default=None, description="The range that was asked, if it was given as a selection."
    )
    grounded: bool | None = Field(
        default=None, description="False if an answer by rules was not checked against documents."
    )
    routing: Routing | None = Field(default=None, description="How the chat rules routed the question.")
    conversation: str | None = Field(default=None, description="The conversation that contains it.")
    turn: int = Field(default=0, description="Its number in the conversation.")
    trace_id: str = Field(description="For `GET /traces/{id}`.")
    trace: dict[str, Any] | None = None


class Traced(BaseModel):
    """The trace of an answer: what each step found and chose."""

    id: str
    desk: str
    steps: list[dict[str, Any]]
    calls: list[dict[str, Any]] | None = Field(
        default=None, description="For admins: what was `sent` to models, and what `came` back."
    )


class Asking:
    """A question that is being answered: its stream, and the records that are stored at its end.

    Args:
        choose: Returns the sources to query; None for the collections that the question names.
        conversation: The id of the conversation that stores the answer, `new` to start one; "" for none.
        instead: The turn that the answer replaces; 0 for none.
    """

    def __init__(
        self,
        state: State,
        caller: Caller,
        ask: Ask,
        deadline: Deadline,
        choose: Callable[[], Chosen] | None = None,
        *,
        conversation: str = "",
        instead: int = 0,
    ) -> None:
        self._state, self._caller = state, caller
        self._ask, self._deadline, self._choose = ask, deadline, choose
        self._conversation, self._instead = conversation, instead
        self._watch = Stopwatch()
        self.events = Lazily(self._opened)

    @property
    def model(self) -> str:
        """The name of the model that writes the answer; "" for none."""
        return model_of(self._state)

    def plain(self) -> dict[str, Any]:
        """Return the whole reply. This runs in a thread."""
        data: dict[str, Any] = {}
        for name, event in self._opened():
            self.on_event((name, event))
            if name == "error":
                raise error_of(dict(event))
            data = dict(event)
        return data

    def on_event(self, event: Event) -> None:
        """Count a failed answer."""
        if event[0] == "error":
            self._state.metrics.answered(
                "book", outcome="error", seconds=self._watch.seconds, provider=self.model
            )

    def _opened(self) -> WithFinal:
        sessions, owner = self._state.sessions, self._caller.owner
        conversation = self._conversation
        if conversation and conversation != NEW:
            with suppress(StoreError):  # answer even if the conversation cannot be read
                turns = sessions.turns(conversation, owner)
                before = tuple(
                    turn.message for turn in turns if turn.number < (self._instead or len(turns) + 1)
                )
                self._ask = replace(self._ask, before=before)
        stream = open_stream(self._ask, self._state.book, self._deadline, self._choose)

        def keep(data: Mapping[str, Any]) -> dict[str, Any]:
            assert stream.reply is not None  # noqa: S101 - this is the last event
            note(self._state, self._caller, stream.reply, self._watch.seconds)
            if not conversation:
                return dict(data)
            shown = {"reply": {name: value for name, value in data.items() if name != "trace"}}
            try:
                id_ = sessions.begin(owner).id if conversation == NEW else conversation
                number = sessions.add(
                    id_,
                    owner,
                    message=self._ask.query,
                    read_as=stream.reply.read_as or self._ask.query,
                    response=stream.reply.answer,
                    told=shown,
                    instead=self._instead,
                )
            except VademecumError as error:  # return the answer anyway
                said = f"The answer was not stored: {without_places(error.message)}"
                return {**data, "warnings": [*data["warnings"], said]}
            return {**data, "conversation": id_, "turn": number}

        return WithFinal(stream, keep)


def router(state: State) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["ask"])

    @routes.post(
        "/ask",
        summary="Ask all sources, some sources, or a selection",
        response_model=AskResponse,
        responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
    )
    async def ask(asked: AskRequest, request: Request, caller: CallerOf) -> Response:
        if asked.book:
            state.collection(caller, asked.book)
        own_s = wait_s(request)
        deadline = Deadline(min(own_s or state.book.settings.timeout_s, state.book.settings.timeout_s))

        def choose() -> Chosen:
            if stretch := asked.selection:
                with missing_documents():
                    return state.sources.select(
                        caller, stretch.source, stretch.document, stretch.start, stretch.end
                    )
            if asked.book:
                return state.sources.only(state.collection(caller, asked.book))
            return state.sources.choose(caller, asked.sources)

        asking = Asking(
            state,
            caller,
            asked.asked(),
            deadline,
            choose,
            conversation=asked.conversation or "",
            instead=asked.instead,
        )
        if asked.stream:
            return EventStream(state, asking.events, on_event=asking.on_event)
        try:
            if asking.model:
                final = await gathered(request, state, asking.events, on_event=asking.on_event)
                return JSONResponse(final)
            data = await state.slots.run(asking.plain)
            return JSONResponse(published(data, is_admin=caller.is_admin))
        except (DeadlinePassed, ProviderTimeout) as error:
            if own_s and own_s <= state.book.settings.timeout_s:
                message = f"The answer exceeded the time limit of {own_s:g} s in the request."
                raise HttpError(408, "TOO_LATE", message, "Increase the limit, or omit it.") from error
            raise

    @routes.get(
        "/traces/{id}",
        summary="Get the trace of an answer; for its caller and for admins",
        response_model=Traced,
    )
    async def trace(
        id_: Annotated[
            str, Path(alias="id", pattern=f"^{ID.pattern}$", description="The `trace_id` of an answer.")
        ],
        caller: CallerOf,
    ) -> Response:
        kept = await state.slots.run(lambda: state.traces.get(id_))
        if kept is None or not may(caller, kept.owner):
            message = "Trace not found."
            raise HttpError(404, "TRACE_MISSING", message, "Traces are stored for a day, for their caller.")
        hidden = () if caller.is_admin else (CALLS,)
        data = {name: value for name, value in kept.body.items() if name not in hidden}
        return JSONResponse(published(data, is_admin=caller.is_admin))

    return routes


def note(state: State, caller: Caller, reply: Reply, seconds: float) -> None:
    """Store the trace of an answer, and count the answer."""
    state.traces.keep(reply.trace.id, caller.owner, recorded(reply.trace, "book"))
    retrieval_ms = sum(step.duration_ms for step in reply.trace.steps if step.name in _LOOKED_UP)
    state.metrics.retrieved("book", retrieval_ms / 1000)
    provider = next((model.provider for model in state.book.settings.models if reply.model), "")
    state.metrics.answered("book", outcome=reply.status, seconds=seconds, provider=provider)


def model_of(state: State) -> str:
    """Return the name of the model that writes for the book desk, or ""."""
    models = state.book.settings.models
    return f"{models[0].provider}:{models[0].model}" if models else ""


def wait_s(request: Request) -> float | None:
    """Return the time, in seconds, that a client will wait, from `Prefer: wait=SECONDS` (RFC 7240), or None."""
    match = _WAIT.search(request.headers.get("prefer", ""))
    return float(match[1]) if match and float(match[1]) > 0 else None
