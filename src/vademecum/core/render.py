"""Render an answer as Markdown, plain text or data, all with the same content."""

import json
import re
from collections.abc import Sequence
from typing import Any

from vademecum.core.answers import Answer, Citation, Reference, Statement
from vademecum.core.evidence import COMPOSED, REPLACED, REWORDED
from vademecum.text.printable import inert, printable


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
