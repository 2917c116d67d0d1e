"""Composing: the answer from the chosen passages, by a model or by the book's own words, statement by statement.

What was said is never taken back. So where a model breaks off after some statements that hold, these stay, and the
book's own words follow them; where none holds, the book's own words stand alone.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from vademecum.answering.quoting import NEAR_ENOUGH, quote
from vademecum.answering.verify import verify
from vademecum.core.answers import Citation, Reference, Statement
from vademecum.core.deadline import Deadline
from vademecum.core.errors import ProviderBusy, ProviderError
from vademecum.desks.book.finding import Prepared

if TYPE_CHECKING:
    from vademecum.answering.generate import Writing
    from vademecum.answering.writing import Written
    from vademecum.core.protocols import ChatModel
    from vademecum.desks.book.settings import BookSettings

_BETWEEN_QUOTES = "\n\n"
_BETWEEN_SENTENCES = " "
_SYSTEM = "You answer questions on a book, for its readers. Say it plainly, and leave out what the passages do not say."
Holding = Callable[["Writing"], None]
"""Told what is being written, so that somebody else can close it."""


class Said(NamedTuple):
    """A statement that was verified.

    Attributes:
        text: What the answer goes on with, its markers and what parts it from the one before included.
        statement: The statement itself.
        citations: What it rests on.
    """

    text: str
    statement: Statement
    citations: tuple[Citation, ...]


class Composed(NamedTuple):
    """A whole answer.

    Attributes:
        answer: Its text; "" for none.
        statements: What it says; `Statement.citations` are positions in `citations`.
        citations: What it rests on.
        references: The documents cited, by number.
        model: Who wrote it; "" for the book's own words.
        reasons: Why it is not what was wished for.
        warnings: What a reader must know.
        dropped: How many statements did not hold.
    """

    answer: str
    statements: tuple[Statement, ...]
    citations: tuple[Citation, ...]
    references: tuple[Reference, ...]
    model: str = ""
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    dropped: int = 0


def compose(
    prepared: Prepared,
    settings: "BookSettings",
    models: "Sequence[ChatModel]",
    deadline: Deadline,
    hold: Holding,
) -> Iterator[Said | Composed]:
    """The statements as they come, and last of all the whole.

    Args:
        prepared: What there is to say.
        settings: How long a model's reply may be, and how free.
        models: Who may write; the next one when one is too busy. None for the book's own words.
        deadline: For all of it.
        hold: Told what is being written.

    Raises:
        ProviderError: The question requires a model, and none can be had.
        StreamClosed: It was closed from elsewhere.
    """
    answer = _Answer()
    if prepared.chosen and models:
        yield from _by_model(answer, prepared, settings, models, deadline, hold)
    if prepared.chosen and (answer.reasons or not answer.statements):
        # the reader chose this text, so more of it is shown
        near = inf if prepared.request.mode == "selected-text" else NEAR_ENOUGH
        draft = quote(prepared.evidence, prepared.rank, near=near)
        prepared.trace.record("compose", statements=len(draft.summary), by="the book's own words")
        verified = verify(draft, prepared.evidence)
        prepared.trace.record("verify", verdicts=list(verified.verdicts), dropped=verified.dropped)
        answer.dropped += verified.dropped
        answer.between = _BETWEEN_QUOTES
        for statement in verified.summary:
            yield answer.add(statement, verified.citations)
    yield answer.composed(prepared)


def _by_model(  # noqa: PLR0917 - what `compose` was given, and the answer
    answer: "_Answer",
    prepared: Prepared,
    settings: "BookSettings",
    models: "Sequence[ChatModel]",
    deadline: Deadline,
    hold: Holding,
) -> Iterator[Said]:
    from vademecum.answering.generate import write_stream  # noqa: PLC0415 - with a model only

    written: Written | None = None
    for model in models:
        writing = write_stream(
            prepared.request.query,
            prepared.evidence,
            model,
            deadline=_part_of(deadline, settings.model_timeout_s),
            system=_SYSTEM,
            max_tokens=settings.reply_tokens,
            temperature=settings.temperature,
        )
        hold(writing)
        with closing(writing):
            for statement in writing:
                if prepared.holds([writing.citations[at] for at in statement.citations]):
                    yield answer.add(statement, writing.citations)
                else:
                    answer.dropped += 1
            written = writing.written
        prepared.trace.calls += written.calls
        if answer.statements or not isinstance(written.error, ProviderBusy):
            break
    if written is None:
        return
    answer.end(written)
    prepared.trace.record(
        "compose",
        statements=len(answer.statements),
        by=written.model,
        finish=written.finish,
        passages=written.passages,
        reason=written.reason,
    )
    prepared.trace.record("verify", verdicts=[one.verdict for one in written.judged], dropped=answer.dropped)
    if prepared.request.require_model and not answer.statements:
        raise written.error or ProviderError(written.reason, hint="Ask again, or without require_model.")


def _part_of(deadline: Deadline, longest_s: float) -> Deadline:
    return deadline if deadline.remaining_s <= longest_s else Deadline(longest_s)


class _Answer:
    """An answer that grows."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.citations: list[Citation] = []
        self.reasons: tuple[str, ...] = ()
        self.warnings: tuple[str, ...] = ()
        self.model = ""
        self.dropped = 0
        self.between = _BETWEEN_SENTENCES
        self._numbers: dict[tuple[str, str], int] = {}
        self._text = ""

    def add(self, statement: Statement, citations: Sequence[Citation]) -> Said:
        """Take in a statement, its citations numbered as those of this answer."""
        cited = tuple(self._numbered(citations[at]) for at in statement.citations)
        first = len(self.citations)
        self.citations += cited
        positions = tuple(range(first, len(self.citations)))
        taken = Statement(text=statement.text, command=statement.command, citations=positions)
        self.statements.append(taken)
        said = f"{statement.command}: {statement.text}" if statement.command else statement.text
        text = f"{self.between if self._text else ''}{said} {_markers(cited)}"
        self._text += text
        return Said(text, taken, cited)

    def _numbered(self, citation: Citation) -> Citation:
        number = self._numbers.setdefault((citation.alias, citation.document_ref), len(self._numbers) + 1)
        if number == citation.number:
            return citation
        fields = {name: getattr(citation, name) for name in citation.__slots__}
        return Citation(**{**fields, "number": number})

    def end(self, written: "Written") -> None:
        """Note what a model's work came to."""
        self.model = written.model if self.statements else ""
        self.warnings = written.warnings
        self.dropped += written.verified.dropped
        if written.reason or not self.statements:
            self.reasons = (written.reason or "Nothing that the model said is in the passages.",)

    def composed(self, prepared: Prepared) -> Composed:
        """The whole."""
        return Composed(
            answer=self._text,
            statements=tuple(self.statements),
            citations=tuple(self.citations),
            references=prepared.references(self._numbers),
            model=self.model,
            reasons=self.reasons,
            warnings=self.warnings,
            dropped=self.dropped,
        )


def _markers(citations: Sequence[Citation]) -> str:
    return "".join(f"[{number}]" for number in dict.fromkeys(one.number for one in citations))
