"""Verify: tie every sentence to the exact words of its source, or drop it."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from vademecum.answering.blocks import as_pairs
from vademecum.answering.injection import commands_in
from vademecum.core.answers import Citation, Reference, Statement
from vademecum.core.evidence import LINES, Draft, DraftStatement, Evidence, Span
from vademecum.text.patterns import Pattern
from vademecum.text.sentences import fold
from vademecum.text.shell import OPERATOR, split

Part = Literal["summary", "steps"]

_BETWEEN_WORDS = Pattern(r"[\s,|=\[\]<>]+", flags=0)
_PLACEHOLDER = Pattern(r"[A-Z][A-Z0-9_.:/-]*", flags=0)
_PIECE = Pattern(r"%?[\w./~*?][\w./~*?-]*|[+-]\d+\w?", flags=0)
"""The parts of a word in a command line that must be known; other characters belong to the syntax of the shell or the command."""

_AMOUNT = Pattern(r"[+-]?\d+[A-Za-z]?", flags=0)
"""A number as a command accepts it (`+100M`)."""

_OPERAND = Pattern(r"^[^-].*[^a-z-]|^[^a-z-]", flags=0)
"""An operand that is data or a name, such as a path, a pattern or a number, and not a word of the command."""

_MODE = Pattern(r"[ugoa]*[-+=][rwxXst]+", flags=0)
"""A symbolic file mode."""

_NOT_IN_WORDS = "not in the words cited"
SPEAKS = "speaks to a model"


class Verified(NamedTuple):
    """The statements of a draft that were verified.

    Attributes:
        citations: Their citations; `Statement.citations` contains indexes into it.
        verdicts: For each statement of the draft, in order: `supported`, or why it was dropped.
    """

    summary: tuple[Statement, ...]
    steps: tuple[Statement, ...]
    citations: tuple[Citation, ...]
    references: tuple[Reference, ...]
    verdicts: tuple[str, ...]

    @property
    def dropped(self) -> int:
        """The number of dropped statements."""
        return sum(verdict != "supported" for verdict in self.verdicts)


def verify(draft: Draft, evidence: Sequence[Evidence], asked: str = "") -> Verified:
    """Check each statement against its spans, and number the cited documents in order of first use.

    A statement is kept if all of its spans lie within their documents, and its text and command appear in the cited text, ignoring differences in white space.
    A table row may be joined with its column names, and a sentence with the tag of its entry. A command is also accepted if
    each of its words appears in the question or in the cited text. In a composed line, uppercase placeholders can replace operands.
    A paragraph that addresses a language model may be quoted, but never becomes a step or a command.
    """
    ledger = Ledger(evidence)
    own = fold(asked)
    for part in ("summary", "steps"):
        for statement in getattr(draft, part):
            ledger.add(part, statement, verdict_of(part, statement, evidence, own))
    return ledger.verified()


def verdict_of(part: Part, statement: DraftStatement, evidence: Sequence[Evidence], asked: str) -> str:
    """Return `supported`, or why a statement that quotes documents is dropped; see `verify`."""
    if not is_in_words(statement, evidence, asked):
        return _NOT_IN_WORDS
    is_done = part == "steps" or statement.command
    return (
        SPEAKS
        if is_done and any(speaks_to_model(span, evidence) for span in statement.spans)
        else "supported"
    )


def speaks_to_model(span: Span, evidence: Sequence[Evidence]) -> bool:
    """Return whether the paragraphs of a span address a language model."""
    text = evidence[span.evidence].text
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    return commands_in(text[start : end if end >= 0 else len(text)])


class Ledger:
    """Collects verified statements and their citations. A statement without a valid span is never added.

    Attributes:
        citations: The citations so far; `Statement.citations` contains indexes into it.
    """

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self._evidence = evidence
        self._numbers: dict[tuple[str, str], int] = {}
        self._parts: dict[Part, list[Statement]] = {"summary": [], "steps": []}
        self._verdicts: list[str] = []
        self.citations: list[Citation] = []

    def add(self, part: Part, statement: DraftStatement, verdict: str = "supported") -> Statement | None:
        """Add a statement, if its verdict is `supported` and all of its spans are valid.

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

    def drop(self, verdict: str) -> None:
        """Count a statement that cannot be cited."""
        self._verdicts.append(verdict)

    def verified(self) -> Verified:
        """Return the kept statements, with their citations and numbered references."""
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
    """Return the heading of most citations of a document, ignoring the opening sections of manual pages."""
    counted = Counter(
        heading
        for citation in citations
        if (citation.alias, citation.document_ref) == (document.alias, document.reference)
        and (heading := heading_at(document, citation.start)).upper() not in _OPENING_SECTIONS
        and heading != document.title
    )
    counted.pop("", None)
    return counted.most_common(1)[0][0] if counted else ""


def heading_at(document: Evidence, place: int) -> str:
    """Return the innermost heading at a character offset; "" if it is in no passage."""
    found = next((passage for passage in document.passages if passage.start <= place < passage.end), None)
    if not found:
        return ""
    above = [block for block in found.blocks if block.kind == "heading" and block.end <= place]
    return document.text[above[-1].start : above[-1].end] if above else found.heading.rpartition(" > ")[2]


def _fault(statement: DraftStatement, evidence: Sequence[Evidence]) -> str:
    """Return what is wrong with the spans of a statement; "" if they are valid."""
    if not statement.spans or not (statement.text or statement.command):
        return "no span"
    for span in statement.spans:
        if not 0 <= span.evidence < len(evidence):
            return "unknown document"
        if not 0 <= span.start < span.end <= len(evidence[span.evidence].text):
            return "span outside of the document"
    return ""


def is_in_words(statement: DraftStatement, evidence: Sequence[Evidence], asked: str) -> bool:
    """Return whether the text and command of a statement appear literally in the cited text."""
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
    if statement.origin in LINES:
        return not unstated_words(statement, evidence, asked)
    stated = set(_BETWEEN_WORDS.split(quoted))
    return bool(statement.text) and all(word in asked or word in stated for word in command.split())


def unstated_words(statement: DraftStatement, evidence: Sequence[Evidence], asked: str) -> list[str]:
    """Return the words of a composed line that appear neither in the cited text nor in the question.

    Uppercase placeholders and operators of the shell need no source. Neither do operands that are data or names: words in quotes,
    those with other characters than lowercase letters, and `statement.data`.
    """
    quotes = (fold(evidence[span.evidence].text[span.start : span.end]) for span in statement.spans)
    quoted, asked = " ".join(quotes), fold(asked)
    stated = set(_BETWEEN_WORDS.split(quoted))
    missing: list[str] = []
    for token in split(fold(statement.command)):
        word = token.raw
        if token.kind == OPERATOR or token.is_quoted or _OPERAND.search(word) or word in statement.data:
            continue
        name, _, value = word.partition("=")
        if word.startswith("-"):
            missing += [] if _is_option_known(name, stated, asked) else [name]
            word = value
        missing += [
            piece
            for piece in _PIECE.findall(word)
            if not _is_known(piece, stated, asked) and f"{piece}=" not in quoted
        ]
    return missing


def _is_option_known(name: str, stated: Collection[str], asked: str) -> bool:
    """Return whether an option is stated: alone, as a signal, with a value attached, or as several letters that share a dash."""
    if name in stated or name in asked or f"{name}=" in stated or f"SIG{name[1:]}" in stated:
        return True
    if _PLACEHOLDER.fullmatch(name.lstrip("-")):
        return True
    letters = name[1:].rstrip("0123456789")
    return all(f"-{letter}" in stated for letter in letters or name[1:]) or (
        not letters and name[1:].isdigit()
    )


def _is_known(piece: str, stated: Collection[str], asked: str) -> bool:
    """Return whether part of a word appears in the cited text or the question, or is a placeholder, a mode or a number."""
    return (
        piece in stated
        or piece in asked
        or _PLACEHOLDER.fullmatch(piece.lstrip("+-")) is not None
        or (len(piece) == 1 and piece.isalpha())
        or _MODE.fullmatch(piece) is not None
        or _AMOUNT.fullmatch(piece) is not None
        or ("/" in piece and all(not part or _is_known(part, stated, asked) for part in piece.split("/")))
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
    """Append the second draft's statements to the first's, and renumber the documents."""
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
