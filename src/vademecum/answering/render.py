"""Render: an answer as Markdown, as plain text, or as data. All three say the same."""

import json
from collections.abc import Sequence
from typing import Any

from vademecum.core.answers import Answer, Citation, Reference, Statement


def render_markdown(answer: Answer) -> str:
    """The answer as Markdown, ending in a newline."""
    return _render(answer, _MARKDOWN)


def render_plain(answer: Answer) -> str:
    """The answer without any markup: the same sections, aliases and numbers."""
    return _render(answer, _PLAIN)


def to_dict(answer: Answer, *, explain: bool = False) -> dict[str, Any]:
    """The answer as plain data; with `explain` the whole trace, too."""
    data: dict[str, Any] = {
        "question": answer.question,
        "outcome": answer.outcome,
        "summary": "\n".join(statement.text for statement in answer.summary),
        "summary_sentences": [_statement(one) for one in answer.summary],
        "steps": [_statement(one) for one in answer.steps],
        "references": [_reference(one) for one in answer.references],
        "citations": [_citation(one) for one in answer.citations],
        "confidence": round(answer.confidence, 4),
        "answerability": round(answer.answerability, 4),
        "no_answer": answer.no_answer,
        "guidance": list(answer.guidance),
        "see_also": [_reference(one) for one in answer.see_also],
        "dropped": answer.dropped,
        "warnings": list(answer.warnings),
    }
    if explain:
        data["trace"] = answer.trace.to_dict()
    return data


def render_json(answer: Answer, *, explain: bool = False) -> str:
    """`to_dict` as JSON, ending in a newline."""
    return json.dumps(to_dict(answer, explain=explain), ensure_ascii=False, indent=2) + "\n"


class _Style:
    """How headings, commands and notes are set."""

    def __init__(self, heading: str, code: str, quiet: str) -> None:
        self.heading, self.code, self.quiet = heading, code, quiet


_MARKDOWN = _Style("## {}", "`{}`", "_{}_")
_PLAIN = _Style("{}", "{}", "{}")


def _render(answer: Answer, style: _Style) -> str:
    blocks = [style.quiet.format(f"Warning: {warning}") for warning in answer.warnings]
    if answer.no_answer:
        blocks += answer.guidance
        if answer.see_also:
            lines = [f"- {one.label}" + (f": {one.notes}" if one.notes else "") for one in answer.see_also]
            blocks.append("\n".join([style.heading.format("See also"), "", *lines]))
        return "\n\n".join([*blocks, style.quiet.format(_confidence(answer))]) + "\n"
    blocks.append(style.heading.format("Summary"))
    blocks.append("\n".join(_sentence(statement, answer.citations, style) for statement in answer.summary))
    if answer.steps:
        blocks.append(style.heading.format("Steps"))
        numbered = enumerate(answer.steps, start=1)
        blocks.append("\n".join(f"{n}. {_sentence(one, answer.citations, style)}" for n, one in numbered))
    blocks.append(style.heading.format("References"))
    blocks.append("\n".join(_reference_lines(answer.references)))
    blocks.append(style.quiet.format(_confidence(answer)))
    return "\n\n".join(blocks) + "\n"


def _confidence(answer: Answer) -> str:
    sentences = "1 sentence" if answer.dropped == 1 else f"{answer.dropped} sentences"
    dropped = f"; left out {sentences} that could not be verified" if answer.dropped else ""
    return f"Confidence: {answer.confidence:.0%}{dropped}"


def _sentence(statement: Statement, citations: Sequence[Citation], style: _Style) -> str:
    """A statement with its inline alias and numbers: `chmod - ... (man-pages) [1]`."""
    command = style.code.format(statement.command) if statement.command else ""
    words = f"{command}: {statement.text}" if command and statement.text else command or statement.text
    markers = dict.fromkeys(
        (citations[position].alias, citations[position].number) for position in statement.citations
    )
    return words + "".join(f" ({alias}) [{number}]" for alias, number in markers)


def _reference_lines(references: Sequence[Reference]) -> list[str]:
    """Each alias once, with its documents."""
    by_alias: dict[str, list[Reference]] = {}
    for reference in references:
        by_alias.setdefault(reference.alias, []).append(reference)
    return [
        f"- {alias}: "
        + ", ".join(f"[{one.number}] {one.label}" + (f" <{one.url}>" if one.url else "") for one in ones)
        for alias, ones in by_alias.items()
    ]


def _statement(statement: Statement) -> dict[str, Any]:
    return {"text": statement.text, "command": statement.command, "citations": list(statement.citations)}


def _reference(reference: Reference) -> dict[str, Any]:
    return {
        "number": reference.number,
        "alias": reference.alias,
        "document_ref": reference.document_ref,
        "label": reference.label,
        "url": reference.url or None,
        "notes": reference.notes or None,
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
