"""Answers, whose sentences all cite their sources, and hits of a search."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from vademecum.core.trace import Trace

Outcome = Literal["answered", "partial", "not_found"]

LOW_CONFIDENCE = (
    "Answer is below the confidence threshold. Please rephrase your query or refresh sources via ragadmin."
)
"""The fixed sentence of a refusal."""

_SURE, _LIKELY = 0.85, 0.6
_CAUTION = "This deletes, overwrites or ends something; check it before you run it: {}"


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
        origin: `composed` for the command line of a task, whose words the cited text states. With a model: `copied` from the
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


class LineNotes(NamedTuple):
    """What a reader must know of the lines of an answer.

    Attributes:
        left_out: The words of the question that the first line does not cover.
        values: The words of the question that are in it as they are, such as names of files.
        destroying: The lines that delete, overwrite or end something.
    """

    left_out: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    destroying: tuple[str, ...] = ()

    def sentences(self) -> tuple[str, ...]:
        """Return the words left out and the lines to check, as sentences."""
        left_out = ", ".join(f"“{word}”" for word in self.left_out)
        cautions = (_CAUTION.format(", ".join(self.destroying)),) if self.destroying else ()
        return (*((f"Left out: {left_out}.",) if left_out else ()), *cautions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer, a guess or a refusal. A guess has sentences or steps although it is a refusal.

    Attributes:
        question: The question, as asked.
        outcome: `answered`, `partial` or `not_found`.
        summary: The sentences, in order.
        steps: The steps, in order.
        references: The cited documents, by number.
        citations: The citations of all statements.
        confidence: The probability (0-1) that the first thing shown is right.
        answerability: The probability (0-1) that the documents contain an answer; never below `confidence`.
        no_answer: Whether this is a refusal, because `confidence` is below the threshold.
        guidance: For a refusal, the reasons, the fixed sentence, and what to do next.
        see_also: For a refusal, the nearest documents; for an answer, others that may answer as well.
        dropped: The number of sentences that could not be verified and were dropped.
        warnings: Further warnings (a stale index, a truncated question).
        lines: Notes on the lines.
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
    lines: LineNotes = field(default_factory=LineNotes)
    read_as: str = ""
    model: str = ""
    trace: Trace = field(default_factory=Trace)

    @property
    def certainty(self) -> str:
        """The confidence in words, which measured shares stand for: `sure` (85 % right), `likely` (60 %) or `a guess`.

        Example:
            >>> library.ask("When is the office open?").certainty
            'sure'
        """
        return "sure" if self.confidence >= _SURE else "likely" if self.confidence >= _LIKELY else "a guess"

    def __str__(self) -> str:
        """Format the answer as plain text, as `ragman --plain` prints it."""
        from vademecum.core.rendering import render_plain  # noqa: PLC0415 - only to show it

        return render_plain(self).rstrip("\n")

    def to_markdown(self) -> str:
        """Render the answer as Markdown: summary, steps, references and confidence, as `ragman` prints it.

        Example:
            >>> print(library.ask("When is the office open?").to_markdown())
            ## Summary
            ...
        """
        from vademecum.core.rendering import render_markdown  # noqa: PLC0415 - only to show it

        return render_markdown(self)

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the answer as plain data that JSON can hold, as `ragman --json` prints it.

        Example:
            >>> library.ask("When is the office open?").to_dict()["outcome"]
            'answered'
        """
        from vademecum.core.rendering import to_dict  # noqa: PLC0415 - only to show it

        return to_dict(self, explain=explain)


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
