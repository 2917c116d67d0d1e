"""The requests and replies of the chat desk, as plain data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple

from vademecum.core.answers import Citation, Reference, Statement
from vademecum.core.models import Message
from vademecum.core.trace import Trace
from vademecum.desks.chat.profile import Passage, Profile, RagResult
from vademecum.library.collections import Collection

Status = Literal["success", "partial", "no_results"]
EventName = Literal["retrieval", "token", "citation", "final"]
_SHOWN = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A message to the chat desk.

    Attributes:
        collections: The collections to query, each `service/collection` or a pinned service; None for all.
        history: The previous messages of users and assistants, oldest first.
        model: The model that the user has chosen from those of the rule; "" for the rule's default.
        require_model: Whether to fail rather than answer without the model of the rule.
        without_model: Whether to quote the documents instead of using the model of the rule.
        where: Patterns of the names of the documents to query; empty for all.
        may_see: Returns whether the caller may query a collection.
    """

    message: str
    collections: Sequence[str] | None = None
    history: Sequence[Message] = ()
    model: str = ""
    explain: bool = False
    require_model: bool = False
    without_model: bool = False
    where: tuple[str, ...] = ()
    may_see: Callable[[Collection], bool] = lambda _collection: True


class Routing(NamedTuple):
    """The routing of a question, as shown to all callers.

    Attributes:
        rule: The position of the rule in the configuration, from 0.
        distance: The cosine distance of that result, 0-2.
        read_as: The question that was looked up, if a follow-up was rewritten; otherwise "".
    """

    rule: int
    rag_result: str
    service: str | None
    collection: str | None
    distance: float | None
    intent: str | None
    read_as: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain data."""
        return self._asdict() | {
            "distance": None if self.distance is None else round(self.distance, 6),
            "read_as": self.read_as or None,
        }


class Cited(NamedTuple):
    """The exact words that support a sentence, and their collection."""

    citation: Citation
    collection: str

    def to_dict(self) -> dict[str, Any]:
        """Return the citation as plain data."""
        return {**asdict(self.citation), "collection": self.collection}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """The reply to a message.

    Attributes:
        response: The answer, with markers after statements from documents.
        status: `success`, `partial` (`reasons` says what is missing) or `no_results`.
        grounded: Whether every sentence of the answer was verified against documents.
        model: The model that wrote the answer; "" if the words are those of the documents or the configuration.
        summary: The sentences of `response`; empty if the answer is not grounded.
        steps: The steps to take, in order; empty if the answer is not grounded.
        confidence: The probability that the answer is right, 0-1; None if unknown.
    """

    response: str
    status: Status
    grounded: bool
    routing: Routing
    model: str = ""
    reasons: tuple[str, ...] = ()
    summary: tuple[Statement, ...] = ()
    steps: tuple[Statement, ...] = ()
    references: tuple[Reference, ...] = ()
    citations: tuple[Cited, ...] = ()
    confidence: float | None = None
    dropped: int = 0
    warnings: tuple[str, ...] = ()
    trace: Trace = field(default_factory=Trace)

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the reply as plain data, as it is sent."""
        data: dict[str, Any] = {
            "response": self.response,
            "status": self.status,
            "reasons": list(self.reasons),
            "grounded": self.grounded,
            "routing": self.routing.to_dict(),
            "model": self.model,
            "summary": "\n".join(statement.text or statement.command for statement in self.summary),
            "steps": [_statement(step) for step in self.steps],
            "references": [
                asdict(reference) | {"url": reference.url or None} for reference in self.references
            ],
            "citations": [citation.to_dict() for citation in self.citations],
            "confidence": None if self.confidence is None else round(self.confidence, 4),
            "no_answer": self.status == "no_results",
            "dropped": self.dropped,
            "warnings": list(self.warnings),
            "trace_id": self.trace.id,
        }
        if explain:
            data["trace"] = self.trace.to_dict()
        return data


class Event(NamedTuple):
    """An event of a reply in progress: the name of the server-sent event, and its data."""

    name: EventName
    data: Mapping[str, Any]


def profile_data(profile: Profile) -> dict[str, Any]:
    """Return a profile as plain data, for traces and for explaining the choice of a rule."""

    def given(one: Passage) -> dict[str, Any]:
        distance = round(one.distance, 6)
        return {"id": one.id, "title": one.title, "distance": distance, "text": one.text[:_SHOWN]}

    def asked(one: RagResult) -> dict[str, Any]:
        return {
            "identifier": one.identifier,
            "result_type": one.result,
            "service": one.service,
            "collection": one.collection,
            "distance": None if one.distance is None else round(one.distance, 6),
            "answerability": None if one.answerability is None else round(one.answerability, 4),
            "intent": one.intent,
            "description": one.settings.description or None,
            "documents": [given(document) for document in one.documents],
        }

    return {
        "user_message": profile.user_message[:2000], "selected_collections": list(profile.selected_collections), "timestamp": profile.timestamp,
        "small_talk": profile.small_talk, "rag_result": profile.rag_result,
        "answerability": None if profile.answerability is None else round(profile.answerability, 4),
        "answerabilities": {name: round(value, 4) for name, value in profile.answerabilities.items()},
        "rag_results": {identifier: asked(one) for identifier, one in profile.rag_results.items()},
        "best_match": profile.best_match.identifier if profile.best_match else None, "service": profile.service, "collection": profile.collection,
        "identifier": profile.identifier, "distance": None if profile.distance is None else round(profile.distance, 6),
        "context": None if profile.context is None else [one.id for one in profile.context], "service_prompt": profile.service_prompt,
        "service_tokens": profile.service_tokens, "service_model": profile.service_model, "service_temperature": profile.service_temperature,
        "service_description": profile.service_description, "intent": profile.intent, "intents": list(profile.intents), "primary_intent": profile.primary_intent,
    }  # fmt: skip


def _statement(one: Statement) -> dict[str, Any]:
    return {"text": one.text, "command": one.command, "citations": list(one.citations), "origin": one.origin}


def _code(command: str) -> str:
    return f"```\n{command}\n```\n" if "\n" in command else f"`{command}`"


class Layout:
    """The layout of an answer: consecutive sentences, with numbered steps below them."""

    def __init__(self, between: str = " ") -> None:
        self._between = between
        self._part = ""
        self._steps = 0

    def add(self, statement: Statement, part: str, citations: Sequence[Citation]) -> str:
        """Return the text that a statement appends to the answer."""
        numbers = dict.fromkeys(citation.number for citation in citations)
        marks = "".join(f"[{number}]" for number in numbers)
        text = f"{statement.text or (part != 'steps' and _code(statement.command)) or ''} {marks}".strip()
        before = "" if not self._part else self._between if part == self._part else "\n\n"
        if part == "steps":
            self._steps += 1
            command = f"`{statement.command}`" if statement.command else ""
            said = f"{command}: {text}" if command and statement.text else f"{command} {text}".strip()
            text = f"{self._steps}. {said}"
            before = "\n" if self._part == "steps" else before
        self._part = part
        return before + text
