"""The profile of a question: the retrieved data that rules match."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from vademecum.ask.running_text.passages import Found
from vademecum.text.small_talk import SmallTalk

Result = Literal["match", "partial", "none"]
Kept = Literal["match", "partial"]


class Passage(NamedTuple):
    """A document of a collection, or a part of one.

    Attributes:
        distance: The cosine distance to the question, 0-2; smaller is nearer.
    """

    id: str
    title: str
    text: str
    distance: float
    url: str = ""
    heading: str = ""


class CollectionSettings(NamedTuple):
    """A collection's own metadata: its description, and how to answer from it. Variables in it are never substituted.

    Attributes:
        match_threshold: The threshold for a match, instead of the service's.
        partial_threshold: The threshold for a partial result, instead of the service's.
        scale: What measured the distances that the thresholds were set for; "" if unknown.
    """

    description: str = ""
    prompt: str | None = None
    max_tokens: int | None = None
    model: str | None = None
    temperature: float | None = None
    match_threshold: float | None = None
    partial_threshold: float | None = None
    scale: str = ""
    warnings: tuple[str, ...] = ()


class RagResult(NamedTuple):
    """A queried collection, whether or not any of its documents is near enough.

    Attributes:
        intent: The intent of a match: `identifier/collection`, or `collection` alone.
        distance: The distance of the nearest document; None if there is none.
        match_threshold: The distance below which it is a match; None if the answerability decides.
        partial_threshold: The distance below which it is partial; None if there is no such range.
        local: The library's result for a collection of this machine; otherwise None.
        leads: Whether the answer from all local collections together begins in it.
    """

    service: str
    collection: str
    intent: str
    result: Result
    distance: float | None
    match_threshold: float | None
    partial_threshold: float | None
    settings: CollectionSettings = CollectionSettings()
    documents: tuple[Passage, ...] = ()
    local: Found | None = None
    leads: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def answerability(self) -> float | None:
        """The probability that the collection contains an answer, 0-1; None for collections of other servers."""
        return self.local.answerability if self.local else None

    @property
    def identifier(self) -> str:
        """The identifier, `service/collection`."""
        return f"{self.service}/{self.collection}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Everything about a question that rules and prompts can name. All fields always exist; unset fields are None.

    Attributes:
        selected_collections: The selected collections, as `service/collection`.
        small_talk: `greeting`, `thanks`, `goodbye` or `help`, if it asks for nothing; then nothing is looked up.
        answerabilities: The probability of an answer in each queried local collection, by `service/collection`.
        rag_results: The kept results by `service/collection`, in the order of the queries.
        intent: The intent of the match, `identifier/collection`; otherwise the intent model's reply, if it was asked.
    """

    user_message: str
    selected_collections: tuple[str, ...]
    timestamp: str
    small_talk: SmallTalk | None = None
    rag_result: Result = "none"
    answerability: float | None = None
    answerabilities: dict[str, float] = field(default_factory=dict)
    rag_results: dict[str, RagResult] = field(default_factory=dict)
    best_match: RagResult | None = None
    service: str | None = None
    collection: str | None = None
    identifier: str | None = None
    distance: float | None = None
    context: tuple[Passage, ...] | None = None
    service_prompt: str | None = None
    service_tokens: int | None = None
    service_model: str | None = None
    service_temperature: float | None = None
    service_description: str | None = None
    intent: str | None = None
    intents: tuple[str, ...] = ()
    primary_intent: str | None = None

    @property
    def combined_context(self) -> tuple[Passage, ...]:
        """The documents of all kept results."""
        return tuple(document for asked in self.rag_results.values() for document in asked.documents)

    @property
    def documents(self) -> tuple[Passage, ...]:
        """The value of `${context}`: the promoted collection's documents, or those of all kept results."""
        return self.combined_context if self.context is None else self.context


OF_SERVICE = ("prompt", "tokens", "model", "temperature", "description")
"""The names of `${service.x}`, which is `${profile.service_x}`."""

PROMOTED = ("service", "collection", "identifier", "distance", *(f"service_{one}" for one in OF_SERVICE))
"""The fields of a partial result that are set only if it is promoted."""

FIELDS = (
    "user_message", "selected_collections", "timestamp", "small_talk", "rag_result", "answerability", "rag_results", "best_match", *PROMOTED, "context",
    "combined_context", "intent", "intents", "primary_intent",
)  # fmt: skip
"""The fields that rules can test and prompts can name."""


def values_of(profile: Profile, name: str) -> tuple[str | float | None, ...]:
    """Return the values of a field that rules test. A field can have several values."""
    if name == "intent":
        if profile.intent is None or profile.identifier is None:
            return (profile.intent,)
        return (profile.intent, profile.identifier)
    if name == "rag_results":
        return tuple(profile.rag_results) or (None,)
    if name == "best_match":
        return (profile.best_match.identifier if profile.best_match else None,)
    if name in {"context", "combined_context"}:
        found_there: tuple[Passage, ...] = getattr(profile, name) or ()
        return tuple(one.text for one in found_there) or (None,)
    value = getattr(profile, name)
    if isinstance(value, tuple):
        return value or (None,)
    return (value,)
