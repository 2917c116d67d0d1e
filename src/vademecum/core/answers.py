"""Answers: every sentence has a citation of its source."""

from dataclasses import dataclass, field
from typing import Literal

from vademecum.core.trace import Trace

Outcome = Literal["answered", "partial", "not_found"]

LOW_CONFIDENCE = (
    "Answer is below the confidence threshold. Please rephrase your query or refresh sources via ragadmin."
)
"""The fixed sentence of a refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A citation: the exact words of a document, with `document.text[start:end] == quote`.

    Attributes:
        number: The displayed marker, one for each pair of alias and reference.
        alias: The alias of the source.
        document: `<alias>:<sha256 of the document>`.
        document_ref: The reference of the document (`chmod(1)`).
        location: Reference and anchor (`chmod(1)#R`).
        start: The first code point in the document's text.
        end: The end (exclusive).
        quote: The cited text.
    """

    number: int
    alias: str
    document: str
    document_ref: str
    location: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence or step of an answer, with its citations.

    Attributes:
        text: The displayed text.
        command: The command of a step, which `text` explains; otherwise "".
        citations: Indexes into `Answer.citations`; never empty in an answer from documents.
        origin: `composed` for a command line that was composed from the cited text. With a model: `copied` from the
            documents, `reworded` by the model, or `replaced` by the cited text because the model's words were not
            supported. Otherwise "".
    """

    text: str
    command: str = ""
    citations: tuple[int, ...] = ()
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A document that an answer cites or refers to.

    Attributes:
        number: The displayed marker, or 0 for a document that is not cited.
        alias: The alias of the source.
        document_ref: The reference of the document (`chmod(1)`).
        label: The displayed name; for a manual page the same as `document_ref`.
        url: The address that opens it, or "".
        notes: The one-line description of the document, or "".
        document: `<alias>:<sha256 of the document>`, if known.
        read_with: A command that opens the document (`man 1 chmod`), or the path and line of a file; otherwise "".
        section: The section with most of the citations, or "".
    """

    number: int
    alias: str
    document_ref: str
    label: str
    url: str = ""
    notes: str = ""
    document: str = ""
    read_with: str = ""
    section: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer or a refusal.

    Attributes:
        question: The question, as asked.
        outcome: `answered`, `partial` or `not_found`.
        summary: The sentences, in order.
        steps: The steps, in order.
        references: The cited documents, by number.
        citations: The citations of all statements.
        confidence: The probability (0-1) that the answer is right.
        answerability: The probability (0-1) that the documents contain an answer; never below `confidence`.
        no_answer: Whether this is a refusal.
        guidance: For a refusal, the reasons, the fixed sentence, and what to do next.
        see_also: For a refusal, the nearest documents; for an answer, others that may answer as well.
        dropped: The number of sentences that could not be verified and were dropped.
        warnings: Further warnings (a stale index, a truncated question).
        read_as: The resolved question, if it was a follow-up; otherwise "".
        model: The model that chose or wrote the sentences, such as `ollama:gemma3:1b`; "" for none.
        trace: The records of all steps.
    """

    question: str
    outcome: Outcome
    confidence: float
    answerability: float
    summary: tuple[Statement, ...] = ()
    steps: tuple[Statement, ...] = ()
    references: tuple[Reference, ...] = ()
    citations: tuple[Citation, ...] = ()
    no_answer: bool = False
    guidance: tuple[str, ...] = ()
    see_also: tuple[Reference, ...] = ()
    dropped: int = 0
    warnings: tuple[str, ...] = ()
    read_as: str = ""
    model: str = ""
    trace: Trace = field(default_factory=Trace)

    def __str__(self) -> str:
        """Format the answer as text: sentences and steps with markers, then the references; or the reason for a refusal."""
        notes = [f"Interpreted as: {self.read_as}"] if self.read_as else []
        notes += [f"Warning: {warning}" for warning in self.warnings]
        if self.no_answer:
            see_also = (f"See also: {reference.label}" for reference in self.see_also)
            return "\n".join([*notes, *self.guidance, *see_also])
        steps = [f"{number}. {self._marked(step)}" for number, step in enumerate(self.steps, start=1)]
        cited = [f"[{reference.number}] {reference.label}" for reference in self.references]
        cited += [f"Also: {', '.join(one.label for one in self.see_also)}"] if self.see_also else []
        parts = [
            "\n".join(notes),
            "\n".join(map(self._marked, self.summary)),
            "\n".join(steps),
            "\n".join(cited),
        ]
        return "\n\n".join(filter(None, parts))

    def _marked(self, statement: Statement) -> str:
        words = ": ".join(filter(None, (statement.command, statement.text)))
        numbers = dict.fromkeys(self.citations[position].number for position in statement.citations)
        return words + "".join(f" [{number}]" for number in numbers)
