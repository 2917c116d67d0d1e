"""The requests and replies of the chat desk, as plain data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple

from vademecum.core.answers import Citation, Reference, Statement
from vademecum.core.models import Message
from vademecum.core.trace import Trace
from vademecum.desks.chat.profile import Asked, Given, Profile
from vademecum.library.collections import Collection

Status = Literal["success", "partial", "no_results"]
EventName = Literal["retrieval", "token", "citation", "final"]
_SHOWN = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A message to the chat desk.

    Attributes:
        message: The question.
        collections: What is asked, `service/collection` or a pinned service each; None for all there is.
        history: What was said before, oldest first; only what users and assistants said.
        model: The model that the person has chosen, one of those that the rule offers; "" for the rule's own.
        explain: Whether the reply carries its trace.
        require_model: Rather fail than answer without the model that the rule names.
        where: Patterns of what the documents are called that are asked; none for all.
        may_see: Whether a collection may be asked by the caller.
    """

    message: str
    collections: Sequence[str] | None = None
    history: Sequence[Message] = ()
    model: str = ""
    explain: bool = False
    require_model: bool = False
    where: tuple[str, ...] = ()
    may_see: Callable[[Collection], bool] = lambda _collection: True


class Routing(NamedTuple):
    """Which way a question went: the summary that everybody is told.

    Attributes:
        rule: The rule's position in the configuration, from 0.
        rag_result: `match`, `partial` or `none`.
        service: Of the match, or of the partial result that was promoted; None when there is neither.
        collection: Likewise.
        distance: Likewise: the cosine distance, 0-2.
        intent: What the question is about, if that is known.
        read_as: The question that was looked up, where it was a follow-up and taken as another; else "".
    """

    rule: int
    rag_result: str
    service: str | None
    collection: str | None
    distance: float | None
    intent: str | None
    read_as: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain data."""
        return self._asdict() | {
            "distance": None if self.distance is None else round(self.distance, 6),
            "read_as": self.read_as or None,
        }


class Cited(NamedTuple):
    """The exact words that a sentence rests on, and the collection they are of.

    Attributes:
        citation: The words.
        collection: `service/collection`.
    """

    citation: Citation
    collection: str

    def to_dict(self) -> dict[str, Any]:
        """The citation as plain data."""
        return {**asdict(self.citation), "collection": self.collection}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What a message gets.

    Attributes:
        response: The answer, with markers behind what rests on documents.
        status: `success`; `partial`, and `reasons` say what is missing; `no_results`.
        grounded: Whether every sentence of it was checked against documents.
        routing: Which way the question went.
        model: Who wrote it; "" where the words are the documents' or the configuration's own.
        reasons: Why the status is not `success`.
        summary: The sentences that `response` is made of; empty when it is not grounded.
        steps: Likewise, what to do in order.
        references: The documents cited, by number.
        citations: What the sentences rest on.
        confidence: Probability in 0-1 that the answer is right; None where nothing tells it.
        dropped: How many sentences of a model did not hold and were left out.
        warnings: Anything else a reader must know.
        trace: What every step saw and chose.
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
        """The reply as it is sent."""
        data: dict[str, Any] = {
            "response": self.response,
            "status": self.status,
            "reasons": list(self.reasons),
            "grounded": self.grounded,
            "routing": self.routing.to_dict(),
            "model": self.model,
            "summary": "\n".join(one.text for one in self.summary),
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
    """A step of a reply that is being made: the server-sent event of that name, and its data."""

    name: EventName
    data: Mapping[str, Any]


def told_of(profile: Profile, *, texts: bool = True) -> dict[str, Any]:
    """A profile as plain data, for traces and for those who look for why a rule was taken.

    Args:
        profile: The profile.
        texts: Whether documents are told with the beginning of their words.
    """

    def given(one: Given) -> dict[str, Any]:
        data: dict[str, Any] = {"id": one.id, "title": one.title, "distance": round(one.distance, 6)}
        return data | ({"text": one.text[:_SHOWN]} if texts else {})

    def asked(one: Asked) -> dict[str, Any]:
        return {
            "identifier": one.identifier,
            "result_type": one.result,
            "service": one.service,
            "collection": one.collection,
            "distance": None if one.distance is None else round(one.distance, 6),
            "answerability": None if one.answerability is None else round(one.answerability, 4),
            "intent": one.intent,
            "description": one.facts.description or None,
            "documents": [given(document) for document in one.documents],
        }

    return {
        "user_message": profile.user_message[:2000],
        "selected_collections": list(profile.selected_collections),
        "timestamp": profile.timestamp,
        "small_talk": profile.small_talk,
        "rag_result": profile.rag_result,
        "answerability": None if profile.answerability is None else round(profile.answerability, 4),
        "answerabilities": {name: round(value, 4) for name, value in profile.answerabilities.items()},
        "rag_results": {identifier: asked(one) for identifier, one in profile.rag_results.items()},
        "best_match": profile.best_match.identifier if profile.best_match else None,
        "service": profile.service,
        "collection": profile.collection,
        "identifier": profile.identifier,
        "distance": None if profile.distance is None else round(profile.distance, 6),
        "context": None if profile.context is None else [one.id for one in profile.context],
        "service_prompt": profile.service_prompt,
        "service_tokens": profile.service_tokens,
        "service_model": profile.service_model,
        "service_temperature": profile.service_temperature,
        "service_description": profile.service_description,
        "intent": profile.intent,
        "intents": list(profile.intents),
        "primary_intent": profile.primary_intent,
    }


def _statement(one: Statement) -> dict[str, Any]:
    return {"text": one.text, "command": one.command, "citations": list(one.citations)}
