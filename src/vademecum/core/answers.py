"""Answers, whose sentences all cite their sources, and hits of a search."""

from dataclasses import dataclass, field
from typing import Any, Literal

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

    Example:
        >>> citation = library.ask("When is the office open?").citations[0]
        >>> citation.location, citation.quote
        ('office.md#the-office', 'The office is open from nine to five on working days.')
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

    Example:
        >>> library.ask("When is the office open?").summary[0].citations
        (0,)
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

    Example:
        >>> library.ask("When is the office open?").references[0].label
        'The office'
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

    Example:
        >>> answer = library.ask("When is the office open?")
        >>> answer.outcome, answer.summary[0].text
        ('answered', 'The office is open from nine to five on working days.')
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

    def to_markdown(self) -> str:
        """Render the answer as Markdown: summary, steps, references and confidence, as `ragman` prints it.

        Example:
            >>> print(library.ask("When is the office open?").to_markdown())
            ## Summary
            ...
        """
        from vademecum.core.render import render_markdown  # noqa: PLC0415 - it renders this class

        return render_markdown(self)

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the answer as plain data that JSON can hold, as `ragman --json` prints it.

        Args:
            explain: Whether to include the trace.

        Example:
            >>> library.ask("When is the office open?").to_dict()["outcome"]
            'answered'
        """
        from vademecum.core.render import to_dict  # noqa: PLC0415 - it converts this class

        return to_dict(self, explain=explain)

    def _marked(self, statement: Statement) -> str:
        words = ": ".join(filter(None, (statement.command, statement.text)))
        numbers = dict.fromkeys(self.citations[position].number for position in statement.citations)
        return words + "".join(f" [{number}]" for number in numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A search result: a document with its best passage.

    Attributes:
        rank: The rank, from 1.
        alias: The alias of the source.
        document: `<alias>:<sha256 of the document>`.
        reference: The reference of the document (`chmod(1)`).
        names: All references to the document.
        title: The title of the document.
        summary: The one-line description of the document, or "".
        passage: `<alias>:<sha256 of the document>:<n>`.
        location: The reference and anchor (`chmod(1)#SETTING`).
        start: The first code point of the passage in the document's text.
        end: The end of the passage (exclusive).
        quote: `document.text[start:end]`.
        score: The ranking score. Higher is better. It is comparable only within one search.

    Example:
        >>> hit = library.search("train tickets")[0]
        >>> hit.rank, hit.reference, hit.title
        (1, 'travel.md', 'Travel')
    """

    rank: int
    alias: str
    document: str
    reference: str
    names: tuple[str, ...]
    title: str
    summary: str
    passage: str
    location: str
    start: int
    end: int
    quote: str
    score: float
