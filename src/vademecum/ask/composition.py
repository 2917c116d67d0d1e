"""Compose an answer one statement at a time, by a model or in the words of the documents.

By default, a model chooses among the statements of the documents. With the style `prose`, it writes sentences, which are verified.
Statements are never revoked. If a model stops after some supported statements, these are kept, and the answer continues in the words of the
documents. If none is supported, the whole answer is in the words of the documents.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from vademecum.answering.verify import Part, Verified, followed_by
from vademecum.ask.kinds import Decision
from vademecum.ask.path import own_words
from vademecum.core.answers import Citation, Statement
from vademecum.core.deadline import Closing, Deadline
from vademecum.core.errors import ProviderBusy, ProviderError, ReplyInvalid
from vademecum.core.settings import AnswerStyle

if TYPE_CHECKING:
    from vademecum.answering.choice import Chosen
    from vademecum.answering.model_draft import Written
    from vademecum.core.protocols import ChatModel

_OWN_WORDS_S = 0.3
"""Seconds reserved for an answer in the words of the documents, if the model is too slow."""

_REQUIRED = "Ask again, use another model, or do not require one."
_NOTHING_HOLDS = "Nothing that the model said is in the passages."
_NOTHING = Verified((), (), (), (), ())
_PARTS: tuple[Part, Part] = ("summary", "steps")


class Writers(NamedTuple):
    """The models that may write an answer, and their parameters.

    Attributes:
        models: The models, in order: the next is used if one is overloaded. Empty to answer in the words of the documents.
        style: Whether a model chooses statements of the documents, or writes sentences.
        required: Whether to fail instead of answering without a model.
        system: The system prompt, which precedes the citation rules.
        max_tokens: The maximum length of a reply; None to use the model's settings.
        temperature: The sampling temperature; None to use the model's settings.
        context_tokens: The maximum length of passages and question together; None for the context of the model.
        timeout_s: The timeout of each model in seconds.
    """

    models: "Sequence[ChatModel]" = ()
    style: AnswerStyle = "choose"
    required: bool = False
    system: str = ""
    max_tokens: int | None = None
    temperature: float | None = None
    context_tokens: int | None = None
    timeout_s: float = inf
    fault: ProviderError | None = None


class Composition:
    """An answer in progress: an iterator over its statements, each of which is verified before it is yielded.

    Args:
        closing: Closes open streams when the answer is cancelled.

    Attributes:
        part: The part of the answer that the last statement belongs to.
        model: The model that chose or wrote the statements; "" if there was none, or it failed.
        reason: Why the model's answer was incomplete; "" if it was complete, or no model was used.
        is_quoting: Whether the statements are quotations.
        is_refused: Whether the model found no answer, and the documents are unlikely to contain one.
        left_out: The number of statements omitted because of the length limit.
    """

    def __init__(self, decision: Decision, writers: Writers, deadline: Deadline, closing: Closing) -> None:
        self._decision, self._writers = decision, writers
        self._deadline, self._closing = deadline, closing
        self.part: Part = "summary"
        self.verified = _NOTHING
        self.citations: Sequence[Citation] = ()
        self.model = self.reason = ""
        self.warnings: tuple[str, ...] = ()
        self.is_quoting = self.is_refused = False
        self.left_out = 0

    def __iter__(self) -> Iterator[Statement]:
        """Yield the statements in order.

        Raises:
            ProviderError: A model is required, but none is available, or none of its statements is supported.
            StreamClosed: Another thread closed it.
        """
        decision = self._decision
        is_written = bool(decision.evidence) and not (decision.is_guess or decision.rated.in_own_words)
        fault = self._writers.fault
        if is_written and self._writers.models:
            fault = yield from (self._written() if self._writers.style == "prose" else self._chosen())
        if is_written and fault:
            if self._writers.required:
                raise fault
            self.reason = self.reason or fault.message
        if (self.reason or not self._said) and not self.is_refused:
            yield from self._quoted()

    @property
    def _said(self) -> bool:
        return bool(self.verified.summary or self.verified.steps)

    def _chosen(self) -> "Generator[Statement, None, ProviderError | None]":
        """Yield the statements that a model chooses. Return its error, if it fails."""
        from vademecum.answering.choice import MOST_CANDIDATES, MOST_CHOSEN, MOST_TOKENS, Selection  # noqa: PLC0415 - with a model only

        rated = self._decision.rated
        evidence, statements = rated.choices(self._decision.evidence, self._decision.limits)
        offered = list(islice(statements, MOST_CANDIDATES * 2))
        self.is_quoting = True
        selection: Selection | None = None
        for model in self._writers.models:
            selection = Selection(
                rated.question.text,
                offered,
                evidence,
                model,
                deadline=Deadline(min(self._writers.timeout_s, self._deadline.remaining_s - _OWN_WORDS_S)),
                closing=self._closing,
                most=min(MOST_CHOSEN, self._decision.limits.chosen),
                tokens=min(MOST_TOKENS, self._writers.context_tokens or MOST_TOKENS),
            )
            self.citations = selection.citations
            for self.part, statement in selection:
                yield statement
            if selection.citations or not isinstance(selection.chosen.error, ProviderBusy):
                break
        assert selection is not None  # noqa: S101 - there is a model
        self.verified = selection.verified
        return self._noted(selection.chosen, model, len(selection.offered))

    def _noted(self, chosen: "Chosen", model: "ChatModel", offered: int) -> ProviderError | None:
        """Record a choice, and what follows from it if it is empty. Return the error of the model, if it failed."""
        trace = self._decision.trace
        trace.calls += (chosen.call,)
        trace.record(
            "compose",
            model=chosen.model,
            offered=offered,
            chosen=[number + 1 for number in chosen.numbers],
            finish=chosen.finish,
            **({"reason": chosen.error.message} if chosen.error else {}),
        )
        trace.record("verify", verdicts=list(self.verified.verdicts), dropped=self.verified.dropped)
        self.warnings = chosen.warnings
        if self._said:
            self.model = model.name
            return None
        if chosen.error:
            self.reason = f"The model {model.name} did not return a complete answer: {chosen.error.message}"
        elif chosen.is_not_here:
            from vademecum.answering.choice import DOUBTFUL  # noqa: PLC0415 - see above

            self.warnings += (f"The model {model.name} found no answer in the documents.",)
            self.is_refused = self._writers.required or self._decision.rated.answerability < DOUBTFUL
        return chosen.error

    def _written(self) -> "Generator[Statement, None, ProviderError | None]":
        """Yield the statements of a model. Return its error, if it fails."""
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
        """Yield statements in the words of the documents."""
        own, self.left_out = own_words(self._decision)
        count = {part: len(getattr(self.verified, part)) for part in _PARTS}
        self.is_quoting = True
        self.verified = followed_by(self.verified, own)
        self.citations = self.verified.citations
        for self.part in _PARTS:
            yield from getattr(self.verified, self.part)[count[self.part] :]


def _record(decision: Decision, written: "Written") -> None:
    """Record in the trace what the model did."""
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
