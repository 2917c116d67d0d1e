"""Compose an answer one statement at a time, by a model or in the words of the documents.

What was said is never taken back. Where a model breaks off after some statements that hold, these stay, and the documents' own
words follow them; where none holds, the documents' own words are the answer.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from vademecum.answering.verify import Part, Verified, followed_by
from vademecum.ask.decision import Decision
from vademecum.ask.path import own_words
from vademecum.core.answers import Citation, Statement
from vademecum.core.deadline import Closing, Deadline
from vademecum.core.errors import ProviderBusy, ProviderError, ReplyInvalid

if TYPE_CHECKING:
    from vademecum.answering.model_draft import Written
    from vademecum.core.protocols import ChatModel

_OWN_WORDS_S = 0.3
"""What is kept of the time to answer in the documents' own words when the model is too late."""

_REQUIRED = "Ask again, use another model, or do not require one."
_NOTHING_HOLDS = "Nothing that the model said is in the passages."
_NOTHING = Verified((), (), (), (), ())
_PARTS: tuple[Part, Part] = ("summary", "steps")


class Writers(NamedTuple):
    """The models that may write an answer, and how.

    Attributes:
        models: The next one is asked when one is too busy; none for the documents' own words.
        required: Whether to fail rather than answer without them.
        system: The system prompt, before the rules of citing.
        max_tokens: Of a reply; None for what a model's settings say.
        temperature: Likewise.
        context_tokens: How much passages and question may have together; None for what a model takes in.
        timeout_s: How long each may write.
        fault: Why there is no model, where one was asked for.
    """

    models: "Sequence[ChatModel]" = ()
    required: bool = False
    system: str = ""
    max_tokens: int | None = None
    temperature: float | None = None
    context_tokens: int | None = None
    timeout_s: float = inf
    fault: ProviderError | None = None


class Composition:
    """An answer that is being composed: an iterator of its statements, each verified before it comes.

    Args:
        decision: What it is made of.
        writers: Who may write it.
        deadline: For all of it.
        closing: Holds what is open.

    Attributes:
        part: Where the last statement belongs.
        verified: What was said so far; its citations are those that statements point to.
        model: Who wrote; "" for the documents' own words.
        reason: Why a model's answer is not enough; "" where it is, or none was asked.
        warnings: What a model's reply makes a reader wary of.
        is_quoting: Whether the documents' own words have begun.
        left_out: How many there was no room for.
    """

    def __init__(self, decision: Decision, writers: Writers, deadline: Deadline, closing: Closing) -> None:
        self._decision, self._writers = decision, writers
        self._deadline, self._closing = deadline, closing
        self.part: Part = "summary"
        self.verified = _NOTHING
        self.citations: Sequence[Citation] = ()
        self.model = self.reason = ""
        self.warnings: tuple[str, ...] = ()
        self.is_quoting = False
        self.left_out = 0

    def __iter__(self) -> Iterator[Statement]:
        """The statements, in order.

        Raises:
            ProviderError: A model is required, and none can be had, or nothing that it says holds.
            StreamClosed: It was closed from elsewhere.
        """
        is_written = bool(self._decision.evidence) and not self._decision.rated.in_own_words
        fault = self._writers.fault
        if is_written and self._writers.models:
            fault = yield from self._written()
        if is_written and fault:
            if self._writers.required:
                raise fault
            self.reason = self.reason or fault.message
        if self.reason or not self._said:
            yield from self._quoted()

    @property
    def _said(self) -> bool:
        return bool(self.verified.summary or self.verified.steps)

    def _written(self) -> "Generator[Statement, None, ProviderError | None]":
        """What a model says. Returns what it failed with, if it did."""
        from vademecum.answering.generation import write_stream  # noqa: PLC0415 - with a model only

        written: Written | None = None
        for model in self._writers.models:
            writing = write_stream(
                self._decision.rated.question.text,
                self._decision.evidence,
                model,
                deadline=Deadline(min(self._writers.timeout_s, self._deadline.remaining_s - _OWN_WORDS_S)),
                system=self._writers.system,
                max_tokens=self._writers.max_tokens,
                temperature=self._writers.temperature,
                context_tokens=self._writers.context_tokens,
            )
            self._closing.hold(writing)
            self.citations = writing.citations
            with closing(writing):
                for statement in writing:
                    self.part = writing.part
                    yield statement
                written = writing.written
            self._decision.trace.calls += written.calls
            self.verified = written.verified
            if self._said or not isinstance(written.error, ProviderBusy):
                break
        assert written is not None  # noqa: S101 - there is a model
        _record(self._decision, written)
        self.warnings = written.warnings
        self.reason = written.reason or ("" if self._said else _NOTHING_HOLDS)
        self.model = model.name if self._said else ""
        return written.error or (None if self._said else ReplyInvalid(self.reason, hint=_REQUIRED))

    def _quoted(self) -> Iterator[Statement]:
        """The documents' own words."""
        own, self.left_out = own_words(self._decision)
        count = {part: len(getattr(self.verified, part)) for part in _PARTS}
        self.is_quoting = True
        self.verified = followed_by(self.verified, own)
        self.citations = self.verified.citations
        for self.part in _PARTS:
            yield from getattr(self.verified, self.part)[count[self.part] :]


def _record(decision: Decision, written: "Written") -> None:
    """What the model did, in the trace."""
    decision.trace.record(
        "compose",
        model=written.model,
        passages=written.passages,
        finish=written.finish,
        sentences=len(written.judged),
        **({"reason": written.reason} if written.reason else {}),
    )
    decision.trace.record(
        "verify",
        verdicts=[sentence.verdict for sentence in written.judged],
        dropped=written.verified.dropped,
        mended=sum(sentence.mended for sentence in written.judged),
        sentences=[
            {
                "part": sentence.part,
                "verdict": sentence.verdict,
                "doubt": sentence.doubt,
                "passages": list(sentence.cites),
                "mended": sentence.mended,
            }
            for sentence in written.judged
        ],
    )
