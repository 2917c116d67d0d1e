"""The bodies of the requests and responses of `/api/chat` and `/api/route`."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from vademecum.core.answers import Statement
from vademecum.core.models import Message
from vademecum.desks.book.reply import Reply
from vademecum.desks.chat.chat import LONGEST_MESSAGE
from vademecum.desks.chat.config.model import Configuration
from vademecum.desks.chat.reply import ChatReply, ChatRequest
from vademecum.desks.chat.retrieve import MOST_SELECTED
from vademecum.server.guard.authorization import Caller, may_ask

NEW = "new"
SESSION = r"^[0-9a-f]{32}$"
_MOST_TURNS = 200
_LONGEST_TURN = 100_000

_Pattern = Annotated[str, Field(min_length=1, max_length=300, pattern=r"\S")]


class Where(BaseModel):
    """The documents to query."""

    model_config = ConfigDict(extra="forbid", strict=True)

    document: _Pattern | Annotated[list[_Pattern], Field(min_length=1, max_length=100)] = Field(
        description="Patterns for names: a path, its last part, or a title; `*` matches any text, as in a shell. One of several must match."
    )

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns for the names of documents."""
        return (self.document,) if isinstance(self.document, str) else tuple(self.document)


class Said(BaseModel):
    """An earlier message."""

    model_config = ConfigDict(extra="forbid", strict=True)

    role: Literal["user", "assistant"]
    content: str = Field(max_length=_LONGEST_TURN)


class RouteRequest(BaseModel):
    """A message to route."""

    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)

    message: str = Field(min_length=1, max_length=LONGEST_MESSAGE, pattern=r"\S")
    collections: list[str] | None = Field(
        default=None,
        max_length=MOST_SELECTED,
        validation_alias=AliasChoices("collections", "selected_collections", "selectedCollections"),
        description="The collections to query: `service/collection`, or a service with one collection. By default all.",
    )
    history: list[Said] | None = Field(
        default=None,
        max_length=_MOST_TURNS,
        validation_alias=AliasChoices("history", "chatHistory"),
        description="The previous messages, oldest first; excludes a session.",
    )
    session: str | None = Field(
        default=None,
        pattern=rf"{SESSION}|^{NEW}$",
        description="The id of a session, or `new` to start one. Its messages are remembered.",
    )
    where: Where | None = Field(
        default=None,
        description="Restricts the answer to some documents of this machine's collections; by default all.",
    )
    explain: bool = Field(default=False, description="Whether to include what each step found and chose.")

    def asked(self, caller: Caller, history: Sequence[Message], **more: Any) -> ChatRequest:
        """Return the message as a request to the desk."""
        return ChatRequest(
            message=self.message,
            collections=self.collections,
            history=history,
            explain=self.explain,
            may_see=lambda collection: may_ask(caller, collection),
            where=self.where.patterns if self.where else (),
            **more,
        )


class ChatBody(RouteRequest):
    """A message to answer."""

    model: str | None = Field(
        default=None,
        max_length=200,
        description="A model from `GET /api/chat/models`, for rules that offer it.",
    )
    stream: bool = Field(
        default=False,
        description="Server-sent events `retrieval`, `token`, `citation`, `final`, `error` instead of a single response.",
    )
    require_model: bool = Field(
        default=False, description="Whether to fail if the rule's model cannot answer."
    )
    without_model: bool = Field(
        default=False, description="Whether to quote the documents without the rule's model."
    )
    as_ask: bool = Field(
        default=False,
        description="Whether to include `reply`, in the format of `POST /ask` with citations for each sentence, and `routing`.",
    )

    @model_validator(mode="after")
    def _meant(self) -> "ChatBody":
        if self.require_model and self.without_model:
            message = "require_model and without_model cannot be used together"
            raise ValueError(message)
        return self


class Routing(BaseModel):
    """How a question was routed."""

    rule: int = Field(description="The rule's position in the configuration, from 0.")
    rag_result: Literal["match", "partial", "none"]
    service: str | None
    collection: str | None
    distance: float | None = Field(description="The cosine distance of the nearest document, 0-2.")
    intent: str | None
    read_as: str | None = Field(description="The resolved question, if it was a follow-up.")


class ChatResponse(BaseModel):
    """An answer."""

    model_config = ConfigDict(extra="allow")

    response: str
    status: Literal["success", "partial", "no_results"]
    reasons: list[str] = Field(description="The reasons why the status is not `success`.")
    grounded: bool = Field(description="Whether every sentence was checked against documents.")
    routing: Routing
    model: str = Field(
        description="The model that wrote it; empty for quotations and for the rule's own text."
    )
    citations: list[dict[str, Any]] = Field(description="The exact quotations of the answer.")
    confidence: float | None = Field(description="The probability that the answer is right, if it is known.")
    no_answer: bool
    warnings: list[str]
    trace_id: str
    session: str | None = None


class RouteResponse(BaseModel):
    """How a question would be routed."""

    model_config = ConfigDict(extra="allow")

    routing: Routing
    warnings: list[str]
    trace_id: str


def as_ask(reply: ChatReply, configuration: Configuration, *, latency_ms: float) -> dict[str, Any]:
    """Return a reply of the chat rules in the format of `/ask`."""
    here = {name for name, service in configuration.rag_services.items() if service.type == "local"}
    held_by = {}
    for citation in reply.citations:
        service, _, collection = citation.collection.partition("/")
        held_by[citation.citation.document] = collection if service in here else ""
    as_asked = Reply(
        answer=reply.response,
        sources=(),
        status=reply.status,
        latency_ms=latency_ms,
        reasons=reply.reasons,
        summary=reply.summary or (() if reply.steps else (Statement(text=reply.response),)),
        steps=reply.steps,
        references=reply.references,
        citations=tuple(citation.citation for citation in reply.citations),
        confidence=reply.confidence or 0.0,
        model=reply.model,
        dropped=reply.dropped,
        warnings=reply.warnings,
        trace=reply.trace,
        read_as=reply.routing.read_as,
        held_by=held_by,
    )
    return {
        **as_asked.to_dict(),
        "confidence": None if reply.confidence is None else round(reply.confidence, 4),
        "grounded": reply.grounded,
        "routing": reply.routing.to_dict(),
    }
