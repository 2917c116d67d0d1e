"""Answers, whose sentences all cite their sources, hits of a search, and answers as Markdown, plain text or data.

Each form shows the line or block first, then its parts, what was left out, and the sources once.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from vademecum.core.documents import Block
from vademecum.core.evidence import BY_MODEL, LINES, REPLACED, REWORDED
from vademecum.core.trace import Trace
from vademecum.text.printable import inert, printable

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
        origin: `composed` for the command line of a task, and `written` for one that a model wrote; the cited text states their words.
            With a model: `copied` from the documents, `reworded` by the model, or `replaced` by the cited text because the model's words were not
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
    """Notes on the lines of an answer.

    Attributes:
        left_out: The words of the question that the first line does not cover.
        values: The words of the question that are in it as they are, such as names of files.
        destroying: The lines that delete, overwrite or end something.

    Example:
        >>> library.ask("When is the office open?").lines.left_out
        ()
    """

    left_out: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    destroying: tuple[str, ...] = ()

    def sentences(self) -> tuple[str, ...]:
        """Return the words left out and the lines to check, as sentences.

        Example:
            >>> library.ask("When is the office open?").lines.sentences()
            ()
        """
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
        return render_plain(self).rstrip("\n")

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that was found. A search for documents returns the best passage of each.

    Attributes:
        rank: The rank, from 1.
        passage: `<alias>:<sha256 of the document>:<n>`.
        document: `<alias>:<sha256 of the document>`.
        alias: The alias of the source.
        reference: How people cite the document (`chmod(1)`, `px4/middleware/uorb.md`).
        names: All references to the document.
        title: The document's title.
        summary: The one-line description of the document, or "".
        heading: The path of its headings, or "".
        anchor: The URL fragment of its section, or "".
        url: The address of its page, or "".
        start: The first code point of the passage in the document's text.
        end: The end of the passage, exclusive.
        text: `document.text[start:end]`.
        score: The score that ranked it; higher is better. It is comparable only within one search.
        relevance: The score of running text as a number from 0 to 1, falling with the rank.
        distance: The cosine distance (0 to 2) between the vectors of the question and the passage.
        features: Its features, in the order of `retrieval.passages.features.FEATURES`; empty for a baseline.
        blocks: The blocks of the document that it overlaps, headings included.

    Example:
        >>> hit = library.search("train tickets")[0]
        >>> hit.rank, hit.reference, hit.title, hit.heading
        (1, 'travel.md', 'Travel', 'Travel')
    """

    rank: int
    passage: str
    document: str
    alias: str
    reference: str
    title: str
    start: int
    end: int
    text: str
    score: float
    names: tuple[str, ...] = ()
    summary: str = ""
    heading: str = ""
    anchor: str = ""
    url: str = ""
    relevance: float = 0.0
    distance: float = 1.0
    features: tuple[float, ...] = ()
    blocks: tuple[Block, ...] = field(default=(), repr=False)

    @property
    def location(self) -> str:
        """The reference and anchor of the passage.

        Example:
            >>> library.search("train tickets")[0].location
            'travel.md#travel'
        """
        return f"{self.reference}#{self.anchor}" if self.anchor else self.reference


class Layout(NamedTuple):
    """The statements of an answer in the order in which they are shown.

    Attributes:
        first: The line or block, and the sentences about it.
        parts: The parts of the line, or the steps.
        others: Other lines that may do what is asked.
    """

    first: Sequence[Statement]
    parts: Sequence[Statement]
    others: Sequence[Statement]


def layout_of(answer: Answer) -> Layout:
    """Return the layout of an answer. The line of a task comes before the sentence about it."""
    lines = [step for step in answer.steps if step.origin in LINES]
    parts = [step for step in answer.steps if step.origin not in LINES]
    return Layout((*lines[:1], *answer.summary) or parts[:1], parts, lines[1:])


def is_of_file(answer: Answer) -> bool:
    """Return whether the first line belongs into a file, and is not to be typed: it is from a page about a format."""
    first = layout_of(answer).first[0]
    return answer.citations[first.citations[0]].document_ref.endswith("(5)")


def render_markdown(answer: Answer) -> str:
    """Render an answer as Markdown, with a final newline."""
    return _render(answer, _MARKDOWN)


def render_plain(answer: Answer) -> str:
    """Render an answer without markup, with the same sections, aliases and numbers."""
    return _render(answer, _PLAIN)


def to_dict(answer: Answer, *, explain: bool = False) -> dict[str, Any]:
    """Convert an answer to plain data. With `explain`, the trace is included."""
    data: dict[str, Any] = {
        "question": answer.question, "read_as": answer.read_as or None, "outcome": answer.outcome,
        "summary": "\n".join(filter(None, (said.text or said.command for said in layout_of(answer).first))),
        "summary_sentences": [_statement(one) for one in answer.summary], "steps": [_statement(step) for step in answer.steps],
        "references": [_reference(reference) for reference in answer.references], "citations": [_citation(citation) for citation in answer.citations],
        "confidence": round(answer.confidence, 4), "certainty": answer.certainty, "answerability": round(answer.answerability, 4), "no_answer": answer.no_answer,
        "guidance": list(answer.guidance), "see_also": [_reference(one) for one in answer.see_also], "model": answer.model or None, "dropped": answer.dropped,
        "warnings": [*answer.warnings, *answer.lines.sentences()], "lines": {name: list(words) for name, words in answer.lines._asdict().items()},
    }  # fmt: skip
    if explain:
        data["trace"] = answer.trace.to_dict()
    return data


def render_json(answer: Answer, *, explain: bool = False) -> str:
    """Render `to_dict` as JSON, with a final newline."""
    return json.dumps(to_dict(answer, explain=explain), ensure_ascii=False, indent=2) + "\n"


class _Style:
    """The format of headings and notes, and whether commands are marked."""

    def __init__(self, heading: str, quiet: str, *, marked: bool) -> None:
        self.heading, self.quiet, self.marked = heading, quiet, marked

    def code(self, text: str) -> str:
        """Format a command as code. If it contains backticks, longer delimiters are used. Several lines are a block."""
        if not self.marked:
            return f"\n{text}\n" if "\n" in text else text
        if "\n" in text:
            mark = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
            return f"\n{mark}\n{text}\n{mark}\n"
        if "`" not in text:
            return f"`{text}`"
        mark = "`" * (1 + max(map(len, re.findall("`+", text))))
        return f"{mark} {text} {mark}"


_MARKDOWN = _Style("## {}", "_{}_", marked=True)
_PLAIN = _Style("{}", "{}", marked=False)


def _render(answer: Answer, style: _Style) -> str:
    blocks = [style.quiet.format(f"Interpreted as: {answer.read_as}")] if answer.read_as else []
    blocks += [style.quiet.format(f"Warning: {warning}") for warning in answer.warnings]
    blocks += answer.guidance
    first, parts, others = layout_of(answer)
    if first:
        steps = [f"{n}. {step}" for n, step in enumerate(_paragraph(parts, answer.citations, style), start=1)]
        steps += [f"- or {line}" for line in _paragraph(others, answer.citations, style)]
        blocks.append(style.heading.format("Summary"))
        blocks.append("\n".join(_paragraph(first, answer.citations, style)))
        blocks += [style.quiet.format(note) for note in answer.lines.sentences()]
        blocks.append(style.heading.format("Steps"))
        blocks.append("\n".join(steps or _reading(answer.references, style)))
        blocks.append(style.heading.format("References"))
        blocks.append("\n".join(_reference_lines(answer, style, reads=bool(steps))))
    elif answer.see_also:
        lines = [f"- {_label(page)}" + (f": {page.notes}" if page.notes else "") for page in answer.see_also]
        blocks.append("\n".join([style.heading.format("See also"), "", *lines]))
    return "\n\n".join([*blocks, style.quiet.format(confidence_of(answer))]) + "\n"


def confidence_of(answer: Answer) -> str:
    """Return the confidence as a number and in words, with what a model did, and what was dropped."""
    sentences = "1 sentence" if answer.dropped == 1 else f"{answer.dropped} sentences"
    dropped = f"; left out {sentences} that could not be verified" if answer.dropped else ""
    return f"Confidence: {answer.confidence:.0%} ({answer.certainty}){_by_model(answer)}{dropped}"


def _by_model(answer: Answer) -> str:
    """Describe what a model did; "" without one."""
    if not answer.model:
        return ""
    name = printable(answer.model, 80)
    statements = [*answer.summary, *answer.steps]
    reworded = sum(statement.origin == REWORDED for statement in statements)
    if any(statement.origin == BY_MODEL for statement in statements):
        return f"; composed by {name}"
    if not reworded and not any(statement.origin == REPLACED for statement in statements):
        return f"; chosen by {name}"
    return f"; written by {name}: {reworded} of {len(statements)} sentences in its own words, each checked"


def _paragraph(statements: Sequence[Statement], citations: Sequence[Citation], style: _Style) -> list[str]:
    """Statements with their inline aliases and numbers, as in `chmod - ... (man-pages) [1]`: once where several have the same."""
    markers = [_markers(statement, citations) for statement in statements]
    return [
        _words(one, style) + ("" if own == following else own)
        for one, own, following in zip(statements, markers, (*markers[1:], ""), strict=False)
    ]


def _words(statement: Statement, style: _Style) -> str:
    command = style.code(statement.command) if statement.command else ""
    text = inert(statement.text) if style.marked else statement.text
    return f"{command}: {text}" if command and text else command or text


def _markers(statement: Statement, citations: Sequence[Citation]) -> str:
    cited = dict.fromkeys(
        (citations[position].alias, citations[position].number) for position in statement.citations
    )
    return "".join(f" ({alias}) [{number}]" for alias, number in cited)


def _reading(cited: Sequence[Reference], style: _Style) -> list[str]:
    """Return the steps of an answer that has none: to read on in its documents."""
    opened = [style.code(one.read_with) if one.read_with else one.label for one in cited]
    return [f"{number}. Read more: {reading}" for number, reading in enumerate(opened, start=1)]


def _reference_lines(answer: Answer, style: _Style, *, reads: bool) -> list[str]:
    """List each alias once, with its documents; then, with `reads`, how to open them; then alternatives."""
    by_alias: dict[str, list[Reference]] = {}
    for reference in answer.references:
        by_alias.setdefault(reference.alias, []).append(reference)
    lines = [
        f"- {alias}: " + ", ".join(f"[{one.number}] {_label(one)}" for one in ones)
        for alias, ones in by_alias.items()
    ]
    commands = [
        style.code(one.read_with) + (f" ({one.section})" if one.section else "")
        for one in answer.references
        if one.read_with and reads
    ]
    lines += [f"- read more: {', '.join(commands)}"] if commands else []
    return lines + ([f"- also: {', '.join(map(_label, answer.see_also))}"] if answer.see_also else [])


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
