"""The request and reply of `/ask` as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from vademecum.core.answers import Citation, Reference, Statement
from vademecum.core.trace import Json, Trace
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.units.calibration import USUAL_THRESHOLD

if TYPE_CHECKING:
    from vademecum.library.internal import InternalLibrary

Mode = Literal["full-book", "selected-text"]
Status = Literal["success", "partial", "no_results", "error"]
EventName = Literal["retrieval", "token", "citation", "final", "error"]

MODES: tuple[Mode, ...] = ("full-book", "selected-text")
NOTHING_FOUND = "No relevant information found for your query."
"""The fixed sentence for a question that the book does not answer."""


class Selection(NamedTuple):
    """A range of a document.

    Attributes:
        source: The collection, or the source on this machine, that contains the document.
        document: `<alias>:<sha256>`.
        start: The first code point in the document's text.
        end: The end (exclusive).
    """

    source: str
    library: "InternalLibrary"
    document: str
    start: int
    end: int

    def to_dict(self) -> dict[str, Json]:
        """Convert the range to plain data."""
        return {"source": self.source, "document": self.document, "start": self.start, "end": self.end}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question to a book.

    Attributes:
        mode: Whether to search the whole book, or only the selection.
        selected_text: The selection, in the mode `selected-text`.
        selection: The position of the selection, if known. The books are then not searched for it.
        k: The maximum number of passages that an answer is based on (1-10); None to use the settings.
        book: The name of a book or other collection; "" for all books of the owner.
        books: The names of several collections. If given, `book` and `owner` are ignored.
        explain: Whether the reply includes its trace.
        require_model: Whether to fail if no model can answer.
        without_model: Whether to quote without a model, even if one is configured.
        owner: The owner whose books, and those of everybody, are searched if `book` is ""; None for all books.
        where: Patterns for the references of documents, such as `policies/*`; empty for all.
        before: The previous questions, oldest first, which a follow-up question may refer to.
    """

    query: str
    mode: Mode = "full-book"
    selected_text: str = ""
    selection: Selection | None = None
    k: int | None = None
    book: str = ""
    books: tuple[str, ...] = ()
    explain: bool = False
    require_model: bool = False
    without_model: bool = False
    owner: str | None = None
    where: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BookSource:
    """A passage that an answer cites.

    Attributes:
        number: The marker shown in the answer, one for each document.
        section: The path of its headings, or "".
        url: The address of the passage, or "".
        relevance_score: The relevance (0-1), which decreases with the rank.
        book: The name of the collection; "" for a selection that is in no book.
        reference: The reference of the document, such as its path in the book.
    """

    number: int
    title: str
    section: str
    url: str
    relevance_score: float
    chunk_id: str
    book: str
    reference: str

    def to_dict(self) -> dict[str, Json]:
        """Convert the source to plain data."""
        return plain(self)


_TELLING = 0.7
"""The minimum rarity of a word whose absence is significant, relative to the rarest word of its question."""


class Nearest(NamedTuple):
    """A document that is similar to a question.

    Attributes:
        source: The collection, or the source on this machine, that contains it.
        document: `<alias>:<sha256>`, or "".
        document_ref: Its reference (`chmod(1)`).
        label: Its displayed name.
        notes: Its one-line description, or "".
    """

    source: str
    document: str
    document_ref: str
    label: str
    notes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The reply to a question.

    Attributes:
        answer: The statements with their markers, or the fixed sentence.
        sources: The cited passages, best first; never passages that were only retrieved.
        status: `success`; `partial`, where `reasons` states what is missing; or `no_results`.
        latency_ms: The total duration in milliseconds.
        reasons: The reasons for the status, as sentences.
        summary: The statements of the answer.
        references: The cited documents, by number.
        confidence: The probability (0-1) that the answer is right.
        answerability: The probability (0-1) that the book, or the selection, contains an answer.
        not_in_book: Whether the selection was not found in the book.
        model: The model that wrote the answer; "" for quotations.
        dropped: The number of sentences that could not be verified and were dropped.
        explain: Whether the trace was requested.
        trace: The records of all steps, with an `id`.
        steps: The commands or steps, in order; only from manual pages.
        see_also: For a refusal, the nearest documents; for an answer, others that may answer as well.
        guidance: For a refusal, what to do next.
        read_as: The resolved question, if it was a follow-up; otherwise "".
        unknown: The words of the question that no searched document contains, or that the selection lacks.
        selection: The selection that the question is about, if its position was given.
        threshold: The minimum confidence at which a question is answered.
        held_by: The collection, or the source on this machine, that contains each cited document.
    """

    answer: str
    sources: tuple[BookSource, ...]
    status: Status
    latency_ms: float
    reasons: tuple[str, ...] = ()
    summary: tuple[Statement, ...] = ()
    references: tuple[Reference, ...] = ()
    citations: tuple[Citation, ...] = ()
    confidence: float = 0.0
    answerability: float = 0.0
    mode: Mode = "full-book"
    not_in_book: bool = False
    model: str = ""
    dropped: int = 0
    warnings: tuple[str, ...] = ()
    explain: bool = False
    trace: Trace = field(default_factory=Trace)
    steps: tuple[Statement, ...] = ()
    see_also: tuple[Nearest, ...] = ()
    guidance: tuple[str, ...] = ()
    read_as: str = ""
    unknown: tuple[str, ...] = ()
    selection: Selection | None = None
    threshold: float = USUAL_THRESHOLD
    held_by: Mapping[str, str] = field(default_factory=dict)

    @property
    def no_answer(self) -> bool:
        """Return whether this is a refusal."""
        return self.status == "no_results"

    def to_dict(self) -> dict[str, Json]:
        """Convert the reply to the JSON data of `/ask`. The four specified fields come first."""
        data: dict[str, Json] = {
            "answer": self.answer,
            "sources": [source.to_dict() for source in self.sources],
            "latency_ms": round(self.latency_ms, 3),
            "status": self.status,
            "reasons": list(self.reasons),
            "mode": self.mode,
            "not_in_book": self.not_in_book,
            "summary": [_statement(said) for said in self.summary],
            "steps": [{**_statement(step), "origin": step.origin} for step in self.steps],
            "references": [plain(reference) for reference in self.references],
            "citations": [
                {**plain(citation), "source": self.held_by.get(citation.document, "")}
                for citation in self.citations
            ],
            "confidence": round(self.confidence, 4),
            "answerability": round(self.answerability, 4),
            "no_answer": self.no_answer,
            "model": self.model,
            "dropped": self.dropped,
            "warnings": list(self.warnings),
            "see_also": [one._asdict() for one in self.see_also],
            "guidance": list(self.guidance),
            "read_as": self.read_as,
            "unknown": list(self.unknown),
            "threshold": self.threshold,
            "selection": self.selection.to_dict() if self.selection else None,
            "trace_id": self.trace.id,
        }
        if self.explain:
            data["trace"] = self.trace.to_dict()
        return data


def _statement(said: Statement) -> dict[str, Json]:
    return {"text": said.text, "command": said.command, "citations": list(said.citations)}


def unknown_words(question: Question) -> tuple[str, ...]:
    """Return the words of a question that no document contains, except those that say little."""
    known: dict[str, bool] = {}
    rarest = max((term.rarity for term in question.terms), default=0.0)
    for term in question.terms:
        is_known = term.known or term.rarity < _TELLING * rarest
        known[term.word] = known.get(term.word, False) or is_known
    return tuple(word for word, is_known in known.items() if not is_known)


def plain(one: BookSource | Reference | Citation) -> dict[str, Json]:
    """Convert a flat record to plain data, in a twentieth of the time of `dataclasses.asdict`."""
    return {name: getattr(one, name) for name in one.__slots__}


class Event(NamedTuple):
    """A server-sent event of a streamed reply: its name and its data."""

    name: EventName
    data: Mapping[str, Json]


Kept = tuple[Reply, tuple[Event, ...]]
"""A cached reply, and its events except the last."""
