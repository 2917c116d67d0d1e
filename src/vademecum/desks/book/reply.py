"""The request and reply of `/ask`, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from vademecum.core.answers import Citation, Reference, Statement
from vademecum.core.trace import Json, Trace
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.units.calibration import USUAL_THRESHOLD

if TYPE_CHECKING:
    from vademecum.library.library import Library

Mode = Literal["full-book", "selected-text"]
Status = Literal["success", "partial", "no_results", "error"]
EventName = Literal["retrieval", "token", "citation", "final", "error"]

MODES: tuple[Mode, ...] = ("full-book", "selected-text")
NOTHING_FOUND = "No relevant information found for your query."
"""The fixed sentence for a question that the book does not answer."""


class Selection(NamedTuple):
    """A stretch of a document.

    Attributes:
        source: The collection, or the source of this machine, that has the document.
        library: The library that has it.
        document: `<alias>:<sha256>`.
        start: First code point of the stretch in the document's text.
        end: One past its last.
    """

    source: str
    library: "Library"
    document: str
    start: int
    end: int

    def to_dict(self) -> dict[str, Json]:
        """The stretch as plain data."""
        return {"source": self.source, "document": self.document, "start": self.start, "end": self.end}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question to a book.

    Attributes:
        query: The question.
        mode: Whether all of the book is asked, or the selection alone.
        selected_text: The selection, in the mode `selected-text`.
        selection: Where the selection is, if that is known; then no book is looked through for it.
        k: How many passages an answer may rest on (1-10); None for what the settings say.
        book: A book's name, or any collection's; "" for all books of the owner.
        books: The names of several collections; then `book` and `owner` are not looked at.
        explain: Whether the reply carries its trace.
        require_model: Rather fail than answer without the model.
        owner: Whose books "" means: theirs, and everybody's; None for all there are.
        where: Patterns such as `policies/*` of what the documents are called that are asked; none for all.
        before: What was asked before, oldest first: a question that leans on it is taken so.
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
    owner: str | None = None
    where: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BookSource:
    """A passage that an answer cites.

    Attributes:
        number: The marker shown in the answer, one for each document.
        title: Of the document.
        section: The path of headings, or "".
        url: Where it can be read, or "".
        relevance_score: 0-1, falling with the rank.
        chunk_id: The passage's id.
        book: The collection's name; "" for a selection that is in none.
        reference: How the document is cited, its path in the book.
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
        """The source as plain data."""
        return plain(self)


_TELLING = 0.7
"""How rare a word must be, beside the rarest of its question, so that its absence tells something."""


class Nearest(NamedTuple):
    """A document that is near to a question.

    Attributes:
        source: The collection, or the source of this machine, that has it.
        document: `<alias>:<sha256>`, or "".
        document_ref: How people cite it.
        label: What people read as its name.
        notes: Its one line, or "".
    """

    source: str
    document: str
    document_ref: str
    label: str
    notes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a question gets.

    Attributes:
        answer: The statements with their markers, or the fixed sentence.
        sources: What it cites, best first; never what was only retrieved.
        status: `success`; `partial`, and `reasons` say what is missing; `no_results`.
        latency_ms: Of all of it.
        reasons: Why the status is what it is, in sentences.
        summary: The statements that `answer` is made of.
        references: The documents cited, by number.
        citations: What they rest on.
        confidence: Probability in 0-1 that the answer is right.
        answerability: Probability in 0-1 that the book, or the selection, holds an answer.
        mode: As asked.
        not_in_book: Whether a selection was not found in the book.
        model: Who wrote it; "" where the words are the book's own.
        dropped: How many sentences of a model did not hold and were left out.
        warnings: Anything else a reader must know.
        explain: Whether the trace was asked for.
        trace: What every step saw and chose; its `id` names it.
        steps: What to type or do, in order; of manual pages.
        see_also: Of a refusal, the nearest documents; of an answer, others that may do as well.
        guidance: What to do next, where there is no answer.
        read_as: The question that was put to the documents, where it was taken as another; else "".
        unknown: Words of the question that no document of what was asked has, or that the selection lacks.
        selection: What the question was put to alone, where its place is known.
        threshold: From which confidence on a question is answered.
        held_by: For each document that is cited the collection, or the source of this machine, that has it.
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
        """Whether this is a refusal."""
        return self.status == "no_results"

    def to_dict(self) -> dict[str, Json]:
        """The reply as `/ask` sends it: the specification's four fields first, then ours."""
        data: dict[str, Json] = {
            "answer": self.answer,
            "sources": [source.to_dict() for source in self.sources],
            "latency_ms": round(self.latency_ms, 3),
            "status": self.status,
            "reasons": list(self.reasons),
            "mode": self.mode,
            "not_in_book": self.not_in_book,
            "summary": [{"text": one.text, "citations": list(one.citations)} for one in self.summary],
            "steps": [
                {
                    "text": step.text,
                    "command": step.command,
                    "citations": list(step.citations),
                    "origin": step.origin,
                }
                for step in self.steps
            ],
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


def unknown_words(question: Question) -> tuple[str, ...]:
    """The words of a question that no document has; those that say little are passed over."""
    known: dict[str, bool] = {}
    rarest = max((term.rarity for term in question.terms), default=0.0)
    for term in question.terms:
        is_known = term.known or term.rarity < _TELLING * rarest
        known[term.word] = known.get(term.word, False) or is_known
    return tuple(word for word, is_known in known.items() if not is_known)


def plain(one: BookSource | Reference | Citation) -> dict[str, Json]:
    """A flat record as plain data: a twentieth of the time that `dataclasses.asdict` takes."""
    return {name: getattr(one, name) for name in one.__slots__}


class Event(NamedTuple):
    """A step of a reply that is being made: the server-sent event of that name, and its data."""

    name: EventName
    data: Mapping[str, Json]
