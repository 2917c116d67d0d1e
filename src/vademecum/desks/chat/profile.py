"""The profile of a question: the retrieved data that rules match."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from vademecum.ask.running_text.passages import Found
from vademecum.text.small_talk import SmallTalk

Result = Literal["match", "partial", "none"]
Kept = Literal["match", "partial"]


class Given(NamedTuple):
    """A document, or a stretch of one, that a collection gave.

    Attributes:
        id: What it is called there.
        title: What a person reads as its title, or "".
        text: Its words.
        distance: Cosine distance to the question, 0-2, less is nearer.
        url: Where it can be opened, or "".
        heading: Path of headings above it, or "".
    """

    id: str
    title: str
    text: str
    distance: float
    url: str = ""
    heading: str = ""


class Facts(NamedTuple):
    """What a collection says of itself, and of how to answer from it. Nothing in it is ever expanded.

    Attributes:
        description: What it holds, in a sentence.
        prompt: The system prompt it brings.
        max_tokens: How long an answer may become.
        model: The model to ask.
        temperature: How much variety.
        match_threshold: In the place of the service's.
        partial_threshold: Likewise.
        warnings: What of it could not be used.
    """

    description: str = ""
    prompt: str | None = None
    max_tokens: int | None = None
    model: str | None = None
    temperature: float | None = None
    match_threshold: float | None = None
    partial_threshold: float | None = None
    warnings: tuple[str, ...] = ()


class Asked(NamedTuple):
    """A collection that was asked, whether or not anything of it was near enough.

    Attributes:
        service: Its service.
        collection: Its name there.
        intent: What a match of it is called: `identifier/collection`, or `collection` alone.
        result: By the thresholds.
        distance: Of the nearest result; None when there is none.
        match_threshold: Below it, a match; None where the answerability decides.
        partial_threshold: Below it, partial; None for no such range.
        facts: What the collection says of itself.
        documents: What it gave, best first.
        local: Of a collection of this machine, the same as the library found it; else None.
        warnings: What a person should know of how it was asked.
    """

    service: str
    collection: str
    intent: str
    result: Result
    distance: float | None
    match_threshold: float | None
    partial_threshold: float | None
    facts: Facts = Facts()
    documents: tuple[Given, ...] = ()
    local: Found | None = None
    warnings: tuple[str, ...] = ()

    @property
    def answerability(self) -> float | None:
        """The probability that it holds an answer, 0-1; None where nothing tells it, as of another server's collection."""
        return self.local.answerability if self.local else None

    @property
    def identifier(self) -> str:
        """`service/collection`."""
        return f"{self.service}/{self.collection}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Everything about a question that rules and prompts may name. All of it always exists, None when unset.

    Attributes:
        user_message: The question as asked.
        selected_collections: What was to be asked, `service/collection` each.
        timestamp: When, in UTC.
        small_talk: `greeting`, `thanks`, `goodbye` or `help`, where the message asks for nothing; then nothing is looked up.
        rag_result: The best result there is.
        answerability: The probability that one of the collections of this machine holds an answer: the best one's.
        answerabilities: The same of each of them that was asked, by `service/collection`.
        rag_results: Every kept result, by `service/collection`, in the order in which they were asked.
        best_match: The kept result that is nearest, if there is any.
        service: Of the match, or of the partial result that was promoted.
        collection: Likewise.
        identifier: Likewise: `service/collection`.
        distance: Likewise.
        context: Likewise, its documents.
        service_prompt: Likewise, of what the collection says of itself.
        service_tokens: Likewise.
        service_model: Likewise.
        service_temperature: Likewise.
        service_description: Likewise.
        intent: Of a match, `identifier/collection`; else what the intent model said, if it was asked.
        intents: What each kept result is called as an intent.
        primary_intent: The same of the nearest.
    """

    user_message: str
    selected_collections: tuple[str, ...]
    timestamp: str
    small_talk: SmallTalk | None = None
    rag_result: Result = "none"
    answerability: float | None = None
    answerabilities: dict[str, float] = field(default_factory=dict)
    rag_results: dict[str, Asked] = field(default_factory=dict)
    best_match: Asked | None = None
    service: str | None = None
    collection: str | None = None
    identifier: str | None = None
    distance: float | None = None
    context: tuple[Given, ...] | None = None
    service_prompt: str | None = None
    service_tokens: int | None = None
    service_model: str | None = None
    service_temperature: float | None = None
    service_description: str | None = None
    intent: str | None = None
    intents: tuple[str, ...] = ()
    primary_intent: str | None = None

    @property
    def combined_context(self) -> tuple[Given, ...]:
        """The documents of every kept result."""
        return tuple(document for asked in self.rag_results.values() for document in asked.documents)

    @property
    def documents(self) -> tuple[Given, ...]:
        """What `${context}` stands for: the promoted collection's documents, else those of every kept result."""
        return self.combined_context if self.context is None else self.context


OF_SERVICE = ("prompt", "tokens", "model", "temperature", "description")
"""`${service.x}` is `${profile.service_x}`."""

PROMOTED = ("service", "collection", "identifier", "distance", *(f"service_{one}" for one in OF_SERVICE))
"""Fields that a partial result has only when it is promoted."""

INTENT = ("intent", "primary_intent")
FIELDS = (
    "user_message",
    "selected_collections",
    "timestamp",
    "small_talk",
    "rag_result",
    "answerability",
    "rag_results",
    "best_match",
    *PROMOTED,
    "context",
    "combined_context",
    "intent",
    "intents",
    "primary_intent",
)
"""Every field that a rule may test and a prompt may name."""


def values_of(profile: Profile, name: str) -> tuple[str | float | None, ...]:
    """The values of a field as a rule tests them; several where the field has several."""
    if name == "intent":
        if profile.intent is None or profile.identifier is None:
            return (profile.intent,)
        return (profile.intent, profile.identifier)
    if name == "rag_results":
        return tuple(profile.rag_results) or (None,)
    if name == "best_match":
        return (profile.best_match.identifier if profile.best_match else None,)
    if name in {"context", "combined_context"}:
        found_there: tuple[Given, ...] = getattr(profile, name) or ()
        return tuple(one.text for one in found_there) or (None,)
    value = getattr(profile, name)
    if isinstance(value, tuple):
        return value or (None,)
    return (value,)
