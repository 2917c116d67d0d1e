"""Verify: tie every sentence to the exact words of its source, or drop it."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from vademecum.answering.injection import commands_in
from vademecum.answering.units import as_pairs
from vademecum.core.answers import Citation, Reference, Statement
from vademecum.core.evidence import COMPOSED, Draft, DraftStatement, Evidence, Span
from vademecum.text.sentences import fold

Part = Literal["summary", "steps"]

_BETWEEN_WORDS = re.compile(r"[\s,|=\[\]<>]+")
_PLACEHOLDER = re.compile(r"[A-Z][A-Z0-9_.:/-]*")
_PIECE = re.compile(r"%\w|[\w./~*?][\w./~*?-]*|[+-]\d+\w?")
"""What of a word of a line says something; other signs belong to the shell or to the command's own grammar."""

_AMOUNT = re.compile(r"[+-]?(\d+)[A-Za-z]?")
"""A number of the question as a command takes it: `100 MB` is `+100M`."""

_MODE = re.compile(r"[ugoa]*[-+=][rwxXst]+")
"""A mode of files; the letters are the shell's as much as a page's."""

_NOT_IN_WORDS = "not in the words cited"
SPEAKS = "speaks to a model"


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


def verify(draft: Draft, evidence: Sequence[Evidence], asked: str = "") -> Verified:
    """Check each statement against its spans and number the documents cited, in order of first use.

    A statement holds when it has a span, every span lies within its document, and its command and its text,
    white space folded, are in the words of its spans; or when it is a table's row with the names of its columns, or an
    entry's sentence behind its tag, as the two spans have them. A paragraph that speaks to a model instead of a reader may be quoted, as what the document says;
    it is never a step, nor something to type. A command is also accepted if each of its words appears in the question or in the cited spans. In a composed line,
    uppercase placeholders can replace operands.

    Args:
        draft: What is to be checked.
        evidence: The documents that its spans are of.
        asked: The reader's own words.
    """
    ledger = Ledger(evidence)
    own = fold(asked)
    for part in ("summary", "steps"):
        for statement in getattr(draft, part):
            ledger.add(part, statement, _verdict(part, statement, evidence, own))
    return ledger.verified()


def _verdict(part: Part, statement: DraftStatement, evidence: Sequence[Evidence], asked: str) -> str:
    if not _in_words(statement, evidence, asked):
        return _NOT_IN_WORDS
    is_done = part == "steps" or statement.command
    return (
        SPEAKS
        if is_done and any(speaks_to_model(span, evidence) for span in statement.spans)
        else "supported"
    )


def speaks_to_model(span: Span, evidence: Sequence[Evidence]) -> bool:
    """Whether the paragraphs of a span speak to a model."""
    text = evidence[span.evidence].text
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    return commands_in(text[start : end if end >= 0 else len(text)])


class Ledger:
    """What holds so far, with the citations it rests on. Nothing gets in without words that it points to.

    Args:
        evidence: The documents that may be cited.

    Attributes:
        citations: What is cited so far; `Statement.citations` points here.
    """

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self._evidence = evidence
        self._numbers: dict[tuple[str, str], int] = {}
        self._parts: dict[Part, list[Statement]] = {"summary": [], "steps": []}
        self._verdicts: list[str] = []
        self.citations: list[Citation] = []

    def add(self, part: Part, statement: DraftStatement, verdict: str = "supported") -> Statement | None:
        """Take in a statement, if it holds and every span of it is one.

        Args:
            part: Where it belongs.
            statement: What is said, and on what it rests.
            verdict: `supported`, or why it does not hold.

        Returns:
            The statement with its citations; None if it was dropped.
        """
        verdict = _fault(statement, self._evidence) or verdict
        self._verdicts.append(verdict)
        if verdict != "supported":
            return None
        first = len(self.citations)
        self.citations += [
            _citation(span, self._evidence[span.evidence], self._numbers) for span in statement.spans
        ]
        cited = tuple(range(first, len(self.citations)))
        kept = Statement(
            text=statement.text, command=statement.command, citations=cited, origin=statement.origin
        )
        self._parts[part].append(kept)
        return kept

    def verified(self) -> Verified:
        """All of it."""
        titles = {(document.alias, document.reference): document for document in self._evidence}
        references = tuple(
            Reference(
                number=number,
                alias=alias,
                document_ref=reference,
                label=titles[alias, reference].title,
                notes=titles[alias, reference].summary,
                section=_section(titles[alias, reference], self.citations),
            )
            for (alias, reference), number in self._numbers.items()
        )
        summary, steps = tuple(self._parts["summary"]), tuple(self._parts["steps"])
        return Verified(summary, steps, tuple(self.citations), references, tuple(self._verdicts))


_OPENING_SECTIONS = frozenset({"NAME", "SYNOPSIS"})


def _section(document: Evidence, citations: Sequence[Citation]) -> str:
    """The heading that most of the citations of a document are under, what every page opens with left out."""
    counted = Counter(
        heading
        for citation in citations
        if (citation.alias, citation.document_ref) == (document.alias, document.reference)
        and (heading := _heading_at(document, citation.start)).upper() not in _OPENING_SECTIONS
        and heading != document.title
    )
    counted.pop("", None)
    return counted.most_common(1)[0][0] if counted else ""


def _heading_at(document: Evidence, place: int) -> str:
    """The innermost heading that a place is under; "" where no passage has it."""
    found = next((passage for passage in document.passages if passage.start <= place < passage.end), None)
    return found.heading.rpartition(" > ")[2] if found else ""


def _fault(statement: DraftStatement, evidence: Sequence[Evidence]) -> str:
    """What is wrong with a statement's spans; "" for nothing."""
    if not statement.spans or not (statement.text or statement.command):
        return "no span"
    for span in statement.spans:
        if not 0 <= span.evidence < len(evidence):
            return "unknown document"
        if not 0 <= span.start < span.end <= len(evidence[span.evidence].text):
            return "span outside of the document"
    return ""


def _in_words(statement: DraftStatement, evidence: Sequence[Evidence], asked: str) -> bool:
    """Whether all that is said is in the words cited, to the letter."""
    if _fault(statement, evidence):
        return False
    quotes = [fold(evidence[span.evidence].text[span.start : span.end]) for span in statement.spans]
    if (
        len(quotes) == 2
        and not statement.command
        and fold(statement.text) in {as_pairs(*quotes), ": ".join(quotes)}
    ):
        return True
    quoted = " ".join(quotes)
    if fold(statement.text) not in quoted:
        return False
    command = fold(statement.command)
    if command in quoted:
        return True
    if statement.origin == COMPOSED:
        return _is_stated(command, quoted, asked)
    stated = set(_BETWEEN_WORDS.split(quoted))
    return bool(statement.text) and all(word in asked or word in stated for word in command.split())


def _is_stated(command: str, quoted: str, asked: str) -> bool:
    """Whether each word of a line that was put together is stated, is the reader's own, or is a placeholder in capitals."""
    stated = set(_BETWEEN_WORDS.split(quoted))
    for word in command.split():
        pieces = [word] if word.startswith("-") else _PIECE.findall(word)
        name, _, value = word.partition("=")
        if word.startswith("-") and value and name in stated | {one.rstrip("=") for one in stated}:
            pieces = _PIECE.findall(value)
        if not all(_is_known(piece, stated, asked) or f"{piece}=" in quoted for piece in pieces):
            return False
    return True


def _is_known(piece: str, stated: Collection[str], asked: str) -> bool:
    """Whether a piece of a line is stated, the reader's own, or a placeholder."""
    number = _AMOUNT.fullmatch(piece)
    return (
        piece in stated
        or piece in asked
        or _PLACEHOLDER.fullmatch(piece) is not None
        or (len(piece) == 1 and piece.isalpha())
        or _MODE.fullmatch(piece) is not None
        or ("/" in piece and all(not part or _is_known(part, stated, asked) for part in piece.split("/")))
        or (number is not None and (number[1] in asked or len(number[1]) == 1))
    )


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


def followed_by(first: Verified, second: Verified) -> Verified:
    """What one draft gave and then what another gave, the documents numbered through."""
    numbers = {(reference.alias, reference.document_ref): reference.number for reference in first.references}
    references = list(first.references)
    for reference in second.references:
        if (reference.alias, reference.document_ref) not in numbers:
            numbers[reference.alias, reference.document_ref] = len(numbers) + 1
            references.append(replace(reference, number=len(numbers)))
    shift = len(first.citations)
    more = tuple(
        replace(citation, number=numbers[citation.alias, citation.document_ref])
        for citation in second.citations
    )

    def moved(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return tuple(
            replace(statement, citations=tuple(at + shift for at in statement.citations))
            for statement in statements
        )

    return Verified(
        first.summary + moved(second.summary),
        first.steps + moved(second.steps),
        first.citations + more,
        tuple(references),
        first.verdicts + second.verdicts,
    )
