"""Answers, whose sentences all cite their sources, hits of a search, and answers as Markdown, plain text or data."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from vademecum.core.evidence import COMPOSED, REPLACED, REWORDED
from vademecum.core.trace import Trace
from vademecum.text.printable import inert, printable

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
        return render_markdown(self)

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Return the answer as plain data that JSON can hold, as `ragman --json` prints it.

        Example:
            >>> library.ask("When is the office open?").to_dict()["outcome"]
            'answered'
        """
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


def render_markdown(answer: Answer) -> str:
    """Render an answer as Markdown, with a final newline."""
    return _render(answer, _MARKDOWN)


def render_plain(answer: Answer) -> str:
    """Render an answer without markup, with the same sections, aliases and numbers."""
    return _render(answer, _PLAIN)


def to_dict(answer: Answer, *, explain: bool = False) -> dict[str, Any]:
    """Convert an answer to plain data. With `explain`, the trace is included."""
    data: dict[str, Any] = {
        "question": answer.question,
        "read_as": answer.read_as or None,
        "outcome": answer.outcome,
        "summary": "\n".join(statement.text for statement in answer.summary),
        "summary_sentences": [_statement(one) for one in answer.summary],
        "steps": [_statement(step) for step in answer.steps],
        "references": [_reference(reference) for reference in answer.references],
        "citations": [_citation(citation) for citation in answer.citations],
        "confidence": round(answer.confidence, 4),
        "answerability": round(answer.answerability, 4),
        "no_answer": answer.no_answer,
        "guidance": list(answer.guidance),
        "see_also": [_reference(one) for one in answer.see_also],
        "model": answer.model or None,
        "dropped": answer.dropped,
        "warnings": list(answer.warnings),
    }
    if explain:
        data["trace"] = answer.trace.to_dict()
    return data


def render_json(answer: Answer, *, explain: bool = False) -> str:
    """Render `to_dict` as JSON, with a final newline."""
    return json.dumps(to_dict(answer, explain=explain), ensure_ascii=False, indent=2) + "\n"


_PUT_TOGETHER = " - put together from"
_NO_SUMMARY = "The documents contain only steps."
_NO_STEPS = "No separate steps."


class _Style:
    """The format of headings and notes, and whether commands are marked."""

    def __init__(self, heading: str, quiet: str, *, marked: bool) -> None:
        self.heading, self.quiet, self.marked = heading, quiet, marked

    def code(self, text: str) -> str:
        """Format a command as code. If it contains backticks, longer delimiters are used."""
        if not self.marked:
            return text
        if "`" not in text:
            return f"`{text}`"
        mark = "`" * (1 + max(map(len, re.findall("`+", text))))
        return f"{mark} {text} {mark}"


_MARKDOWN = _Style("## {}", "_{}_", marked=True)
_PLAIN = _Style("{}", "{}", marked=False)


def _render(answer: Answer, style: _Style) -> str:
    blocks = [style.quiet.format(f"Interpreted as: {answer.read_as}")] if answer.read_as else []
    blocks += [style.quiet.format(f"Warning: {warning}") for warning in answer.warnings]
    if answer.no_answer:
        blocks += answer.guidance
        if answer.see_also:
            lines = [f"- {_label(one)}" + (f": {one.notes}" if one.notes else "") for one in answer.see_also]
            blocks.append("\n".join([style.heading.format("See also"), "", *lines]))
        return "\n\n".join([*blocks, style.quiet.format(_confidence(answer))]) + "\n"
    sentences = _paragraph(answer.summary, answer.citations, style)
    steps = _paragraph(answer.steps, answer.citations, style)
    blocks.append(style.heading.format("Summary"))
    blocks.append("\n".join(sentences) or _NO_SUMMARY)
    blocks.append(style.heading.format("Steps"))
    blocks.append("\n".join(f"{n}. {step}" for n, step in enumerate(steps, start=1)) or _NO_STEPS)
    blocks.append(style.heading.format("References"))
    blocks.append("\n".join(_reference_lines(answer.references, answer.see_also, style)))
    blocks.append(style.quiet.format(_confidence(answer)))
    return "\n\n".join(blocks) + "\n"


def _confidence(answer: Answer) -> str:
    sentences = "1 sentence" if answer.dropped == 1 else f"{answer.dropped} sentences"
    dropped = f"; left out {sentences} that could not be verified" if answer.dropped else ""
    return f"Confidence: {answer.confidence:.0%}{_by_model(answer)}{dropped}"


def _by_model(answer: Answer) -> str:
    """Describe what a model did; "" without one."""
    if not answer.model:
        return ""
    name = printable(answer.model, 80)
    statements = [*answer.summary, *answer.steps]
    reworded = sum(statement.origin == REWORDED for statement in statements)
    if not reworded and not any(statement.origin == REPLACED for statement in statements):
        return f"; chosen by {name}"
    return f"; written by {name}: {reworded} of {len(statements)} sentences in its own words, each checked"


def _paragraph(statements: Sequence[Statement], citations: Sequence[Citation], style: _Style) -> list[str]:
    """Statements with their inline aliases and numbers, as in `chmod - ... (man-pages) [1]`: once where several have the same."""
    markers = [_markers(statement, citations) for statement in statements]
    return [
        _words(one, style) + ("" if own == following and one.origin != COMPOSED else own)
        for one, own, following in zip(statements, markers, (*markers[1:], ""), strict=False)
    ]


def _words(statement: Statement, style: _Style) -> str:
    command = style.code(statement.command) if statement.command else ""
    text = inert(statement.text) if style.marked else statement.text
    words = f"{command}: {text}" if command and text else command or text
    return words + (_PUT_TOGETHER if statement.origin == COMPOSED else "")


def _markers(statement: Statement, citations: Sequence[Citation]) -> str:
    cited = dict.fromkeys(
        (citations[position].alias, citations[position].number) for position in statement.citations
    )
    return "".join(f" ({alias}) [{number}]" for alias, number in cited)


def _reference_lines(cited: Sequence[Reference], others: Sequence[Reference], style: _Style) -> list[str]:
    """List each alias once, with its documents; then how to open them, and alternatives."""
    by_alias: dict[str, list[Reference]] = {}
    for reference in cited:
        by_alias.setdefault(reference.alias, []).append(reference)
    lines = [
        f"- {alias}: " + ", ".join(f"[{one.number}] {_label(one)}" for one in ones)
        for alias, ones in by_alias.items()
    ]
    commands = [
        style.code(one.read_with) + (f" ({one.section})" if one.section else "")
        for one in cited
        if one.read_with
    ]
    lines += [f"- read more: {', '.join(commands)}"] if commands else []
    return lines + ([f"- also: {', '.join(map(_label, others))}"] if others else [])


def _label(reference: Reference) -> str:
    """Format a document, with its URL unless that is redundant (`man:chmod(1)`)."""
    if not reference.url or reference.url.startswith("man:"):
        return reference.label
    return f"{reference.label} <{reference.url}>"


def _statement(statement: Statement) -> dict[str, Any]:
    return {
        "text": statement.text,
        "command": statement.command,
        "citations": list(statement.citations),
        "origin": statement.origin or None,
    }


def _reference(reference: Reference) -> dict[str, Any]:
    return {
        "number": reference.number,
        "alias": reference.alias,
        "document_ref": reference.document_ref,
        "label": reference.label,
        "url": reference.url or None,
        "notes": reference.notes or None,
        "read_with": reference.read_with or None,
        "section": reference.section or None,
    }


def _citation(citation: Citation) -> dict[str, Any]:
    return {
        "number": citation.number,
        "alias": citation.alias,
        "document": citation.document,
        "document_ref": citation.document_ref,
        "location": citation.location,
        "start": citation.start,
        "end": citation.end,
        "quote": citation.quote,
    }
