"""Verify: tie every sentence to the exact words of its source, or drop it."""

from collections.abc import Sequence
from typing import NamedTuple

from vademecum.answering.extract import fold
from vademecum.core.answers import Citation, Reference, Statement
from vademecum.core.evidence import Draft, DraftStatement, Evidence, Span


class Verified(NamedTuple):
    """What is left of a draft.

    Attributes:
        summary: Sentences that hold.
        steps: Steps that hold.
        citations: What they rest on; `Statement.citations` points here.
        references: The documents cited, by number.
        verdicts: For each drafted statement in order, `supported` or why it was dropped.
    """

    summary: tuple[Statement, ...]
    steps: tuple[Statement, ...]
    citations: tuple[Citation, ...]
    references: tuple[Reference, ...]
    verdicts: tuple[str, ...]

    @property
    def dropped(self) -> int:
        """How many statements did not hold."""
        return sum(verdict != "supported" for verdict in self.verdicts)


def verify(draft: Draft, evidence: Sequence[Evidence]) -> Verified:
    """Check each statement against its spans and number the documents cited, in order of first use.

    A statement holds when it has a span, every span lies within its document, and its command and its text,
    white space folded, stand in the words of its spans.
    """
    citations: list[Citation] = []
    numbers: dict[tuple[str, str], int] = {}
    verdicts: list[str] = []

    def kept(statements: Sequence[DraftStatement]) -> tuple[Statement, ...]:
        found = []
        for statement in statements:
            verdict = _verdict(statement, evidence)
            verdicts.append(verdict)
            if verdict == "supported":
                first = len(citations)
                citations.extend(
                    _citation(span, evidence[span.evidence], numbers) for span in statement.spans
                )
                cited = tuple(range(first, len(citations)))
                found.append(Statement(text=statement.text, command=statement.command, citations=cited))
        return tuple(found)

    summary, steps = kept(draft.summary), kept(draft.steps)
    titles = {(document.alias, document.reference): document for document in evidence}
    references = tuple(
        Reference(
            number=number,
            alias=alias,
            document_ref=reference,
            label=titles[alias, reference].title,
            notes=titles[alias, reference].summary,
        )
        for (alias, reference), number in numbers.items()
    )
    return Verified(summary, steps, tuple(citations), references, tuple(verdicts))


def _verdict(statement: DraftStatement, evidence: Sequence[Evidence]) -> str:
    if not statement.spans or not (statement.text or statement.command):
        return "no span"
    words = []
    for span in statement.spans:
        if not 0 <= span.evidence < len(evidence):
            return "unknown document"
        text = evidence[span.evidence].text
        if not 0 <= span.start < span.end <= len(text):
            return "span outside of the document"
        words.append(fold(text[span.start : span.end]))
    quoted = " ".join(words)
    for claimed in (statement.command, statement.text):
        if claimed and fold(claimed) not in quoted:
            return "not in the words cited"
    return "supported"


def _citation(span: Span, document: Evidence, numbers: dict[tuple[str, str], int]) -> Citation:
    number = numbers.setdefault((document.alias, document.reference), len(numbers) + 1)
    return Citation(
        number=number,
        alias=document.alias,
        document=f"{document.alias}:{document.digest}",
        document_ref=document.reference,
        location=f"{document.reference}#{span.anchor}" if span.anchor else document.reference,
        start=span.start,
        end=span.end,
        quote=document.text[span.start : span.end],
    )
