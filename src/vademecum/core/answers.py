"""Answers: every sentence has a citation of its source."""

from dataclasses import dataclass, field
from typing import Literal

from vademecum.core.trace import Trace

Outcome = Literal["answered", "partial", "not_found"]

LOW_CONFIDENCE = (
    "Answer is below the confidence threshold. Please rephrase your query or refresh sources via ragadmin."
)
"""The fixed sentence shown instead of an answer that is not sure enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """The exact words a sentence rests on: `document.text[start:end] == quote`, always.

    Attributes:
        number: The marker shown, one for each pair of alias and reference.
        alias: The source.
        document: `<alias>:<sha256 of the document>`.
        document_ref: How people cite the document (`chmod(1)`).
        location: Reference and anchor (`chmod(1)#R`).
        start: First code point in the document's text.
        end: One past the last.
        quote: The words.
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
    """A sentence or step of an answer, and the citations it rests on.

    Attributes:
        text: What is shown.
        command: For a step, the words to type, which `text` explains; else "".
        citations: Positions in `Answer.citations`; never empty in an answer from documents.
        origin: `composed` for a line to type that was put together from the words cited; else "".
    """

    text: str
    command: str = ""
    citations: tuple[int, ...] = ()
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A document an answer cites, or points to.

    Attributes:
        number: The marker shown, or 0 for a document that is only pointed to.
        alias: The source.
        document_ref: How people cite the document (`chmod(1)`).
        label: What is shown; for a manual page the same as `document_ref`.
        url: Where it can be opened, or "".
        notes: The document's one line, or "".
        document: `<alias>:<sha256 of the document>`, where it is known.
        read_with: What to type to read the document (`man 1 chmod`), or of a file its path and line; else "".
        section: The section that most of what is cited is in, or "".
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
    """An answer, or an honest refusal.

    Attributes:
        question: As asked.
        outcome: `answered`, `partial` or `not_found`.
        summary: Sentences, in order.
        steps: What to type or do, in order.
        references: The documents cited, by number.
        citations: The spans everything rests on.
        confidence: Probability in 0-1 that the answer is right.
        answerability: Probability in 0-1 that the documents hold an answer; never below `confidence`.
        no_answer: Whether this is a refusal.
        guidance: What to do next, when `no_answer`: the fixed sentence, and before it the reasons.
        see_also: Of a refusal, the nearest documents; of an answer, others that may do as well.
        dropped: How many sentences could not be verified and were left out.
        warnings: Anything else a reader must know (a stale index, a question cut short).
        read_as: The question that was put to the documents, where it was a follow-up and taken as another; else "".
        model: Who wrote the sentences, as in `ollama:gemma3:1b`; "" where they are the documents' own words.
        trace: What every step saw and chose.
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
        """The answer as text: its sentences and steps with their markers, then what they cite; or why there is none."""
        notes = [f"Taken as: {self.read_as}"] if self.read_as else []
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
