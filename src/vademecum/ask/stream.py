"""A question's path with a language model: it writes, every sentence is checked, and the documents' own words stand in for it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, Self

from vademecum.answering.generate import Writing, write_stream
from vademecum.answering.verify import Part, Verified, followed_by
from vademecum.answering.writing import Written
from vademecum.ask.path import TOO_LONG, Prepared, compose, finish, prepare, read_follow_up
from vademecum.ask.request import Taken
from vademecum.ask.rewriting import rewritten
from vademecum.core.answers import Answer, Citation, Statement
from vademecum.core.deadline import Deadline
from vademecum.core.errors import ProviderError, ReplyInvalid, StreamClosed
from vademecum.core.limits import CHARACTERS_A_TOKEN
from vademecum.core.models import ModelSettings
from vademecum.core.settings import Settings
from vademecum.index.reader import Index
from vademecum.providers.registry import open_model, settings_of

if TYPE_CHECKING:
    from vademecum.core.conversations import Turn
    from vademecum.core.protocols import ChatModel, ChatStream

_OWN_WORDS_S = 0.3
"""What is kept of the time to answer in the documents' own words when the model is too late."""

_REQUIRED = "Ask again, use another model, or do not require one."
_NOTHING = Verified((), (), (), (), ())
_INSTEAD = "{} The answer is made of the documents' own words."
_AFTER = "{} What it said that holds is followed by the documents' own words."


class Asking(NamedTuple):
    """A question for a model.

    Attributes:
        text: As asked.
        where: The index that is asked.
        settings: When to refuse.
        characters: How much question and answer together may hold.
        before: What was said before, oldest first.
        deadline: By when it must be answered.
        require_model: Whether to fail rather than answer without the model.
    """

    text: str
    where: Index
    settings: Settings
    characters: int
    before: "Sequence[Turn]"
    deadline: Deadline
    require_model: bool


class AnswerStream:
    """An answer that is being made: an iterator of its sentences and steps, each verified before it comes.

    Nothing that has come is taken back, and `answer` says the same as `Library.ask`. Use it as a context manager, or call
    `close`: whoever only drops it leaves a connection to the collector.

    Args:
        asking: The question.
        open_model: Gives the model; it is called when the first statement is wanted.
        told: What is done with the answer at its end.
        known: The answer, where there is nothing to ask.

    Attributes:
        part: Where the last statement belongs, `summary` or `steps`.
        citations: What is cited so far; `Statement.citations` are positions in it.
    """

    def __init__(
        self,
        asking: Asking,
        open_model: "Callable[[], ChatModel]",
        told: Callable[[Answer], Answer],
        known: Answer | None = None,
    ) -> None:
        self._asking = asking
        self._open_model = open_model
        self._told = told
        self._lock = Lock()
        self._closed = False
        self._open: ChatStream | Writing | None = None
        self._name = ""
        self._answer = told(known) if known else None
        self._statements = self._run()
        self.part: Part = "summary"
        self.citations: Sequence[Citation] = ()

    @property
    def answer(self) -> Answer:
        """All of it, once the rest has come.

        Raises:
            AnswerError: There is nothing to look for in the question.
            ProviderError: With `require_model`, the model does not answer, or says nothing that holds (`ReplyInvalid`).
            StreamClosed: It was closed before its end.
        """
        for _ in self:
            pass
        if self._answer is None:
            raise _was_closed()
        return self._answer

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Statement:
        """The next sentence or step.

        Raises:
            AnswerError: There is nothing to look for in the question.
            ProviderError: With `require_model`, the model does not answer, or says nothing that holds (`ReplyInvalid`).
            StreamClosed: It was closed from elsewhere.
        """
        if self._closed and self._answer is None:
            raise _was_closed()
        self.part, statement = next(self._statements)
        return statement

    def close(self) -> None:
        """End it, from any thread, at once. More than once is fine."""
        with self._lock:
            self._closed = True
            stream = self._open
        if stream is not None:
            stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # --- how ---

    def _run(self) -> Iterator[tuple[Part, Statement]]:
        if self._answer is not None:
            return
        asking = self._asking
        model, fault = self._opened()
        reading = None
        if asking.before:
            reading = read_follow_up(asking.text, asking.before, asking.where)
            if model is not None:
                reading = rewritten(
                    asking.text, asking.before, reading, model, deadline=asking.deadline, hold=self._hold
                )
        prepared = prepare(
            asking.text,
            asking.where,
            asking.settings,
            characters=asking.characters,
            before=asking.before,
            reading=reading,
        )
        if not prepared.evidence:
            self._answer = self._told(finish(prepared, compose(prepared)[0]))
            return
        written = None
        if model is not None:
            self._name = model.name
            writing = self._begun(prepared, model)
            self.citations = writing.citations
            for statement in writing:
                yield writing.part, statement
            written = writing.written
            _record(prepared, written)
            fault = written.error
            if fault is None and not (written.verified.summary or written.verified.steps):
                fault = ReplyInvalid(written.reason, hint=_REQUIRED)
        if fault is not None and asking.require_model:
            raise fault
        yield from self._ended(prepared, written, fault)

    def _opened(self) -> "tuple[ChatModel | None, ProviderError | None]":
        try:
            return self._open_model(), None
        except ProviderError as error:
            return None, error

    def _begun(self, prepared: Prepared, model: "ChatModel") -> Writing:
        asking = self._asking
        writing = write_stream(
            prepared.question.text,
            prepared.evidence,
            model,
            deadline=Deadline(asking.deadline.remaining_s - _OWN_WORDS_S),
            context_tokens=asking.characters // CHARACTERS_A_TOKEN,
        )
        self._hold(writing)
        return writing

    def _hold(self, stream: "ChatStream | Writing") -> None:
        """Keep what is open, so that it can be closed from elsewhere."""
        with self._lock:
            self._open = stream
            closed = self._closed
        if closed:
            stream.close()
            raise _was_closed()

    def _ended(
        self, prepared: Prepared, written: Written | None, fault: ProviderError | None
    ) -> Iterator[tuple[Part, Statement]]:
        """Let the documents' own words follow where the model's are not enough, and make the answer."""
        verified = written.verified if written else _NOTHING
        reason = written.reason if written else fault.message if fault else ""
        warnings = list(written.warnings if written else ())
        said = bool(verified.summary or verified.steps)
        if reason:
            own, left_out = compose(prepared)
            count = {part: len(getattr(verified, part)) for part in _PARTS}
            verified = followed_by(verified, own)
            self.citations = verified.citations
            for part in _PARTS:
                for statement in getattr(verified, part)[count[part] :]:
                    yield part, statement
            whole = reason if reason.endswith((".", "!", "?")) else f"{reason}."
            warnings.append((_AFTER if said else _INSTEAD).format(whole))
            warnings += [TOO_LONG.format(left_out)] if left_out else []
        answer = finish(prepared, verified, warnings)
        if reason and not answer.no_answer:
            answer = replace(answer, outcome="partial")
        if written and said:
            answer = replace(answer, model=self._name)
        self._answer = self._told(answer)


def start(
    taken: Taken,
    index: Index,
    settings: Settings,
    *,
    model: "ChatModel | ModelSettings | str",
    opened: "dict[ModelSettings, ChatModel]",
    timeout_s: float,
    require_model: bool,
    conversation: str,
) -> AnswerStream:
    """A stream for a question that was taken in.

    Args:
        taken: The question.
        index: What may be found.
        settings: When to refuse, and the models that have names.
        model: Who writes.
        opened: Models that are open already; one that is opened here is kept there.
        timeout_s: How long all of it may take.
        require_model: Whether to fail rather than answer without the model.
        conversation: The name of one, or "".

    Raises:
        ConfigError: That is no model, or no name of a conversation.
    """
    opener = _opener(model, settings, opened)
    asking = Asking(taken.text, index, settings, taken.characters, (), Deadline(timeout_s), require_model)
    if not conversation:
        return AnswerStream(asking, opener, taken.told)
    from vademecum.ask.conversation import Talk  # noqa: PLC0415 - most questions are the only one

    talk = Talk(taken.places, conversation, taken.text)
    asking = asking._replace(text=talk.question, before=tuple(talk.before))
    if talk.begun_anew is not None:
        return AnswerStream(asking, opener, taken.told, talk.begun_anew)
    return AnswerStream(asking, opener, lambda answer: taken.told(talk.keep(answer)))


_opening = Lock()


def _opener(
    model: "ChatModel | ModelSettings | str", settings: Settings, opened: "dict[ModelSettings, ChatModel]"
) -> "Callable[[], ChatModel]":
    """Gives the model: one that is open, or that is opened once and kept."""
    if not isinstance(model, str | ModelSettings):
        return lambda: model
    wanted = settings_of(model, settings.models)

    def give() -> "ChatModel":
        with _opening:
            if wanted not in opened:
                opened[wanted] = open_model(wanted)
            return opened[wanted]

    return give


def _was_closed() -> StreamClosed:
    return StreamClosed("The answer was ended before it was whole.")


_PARTS: tuple[Part, Part] = ("summary", "steps")


def _record(prepared: Prepared, written: Written) -> None:
    """What the model did, in the trace."""
    prepared.trace.record(
        "compose",
        model=written.model,
        passages=written.passages,
        finish=written.finish,
        sentences=len(written.judged),
        **({"reason": written.reason} if written.reason else {}),
    )
    prepared.trace.record(
        "verify",
        verdicts=[one.verdict for one in written.judged],
        dropped=written.verified.dropped,
        mended=sum(one.mended for one in written.judged),
        sentences=[
            {
                "part": one.part,
                "verdict": one.verdict,
                "doubt": one.doubt,
                "passages": list(one.cites),
                "mended": one.mended,
            }
            for one in written.judged
        ],
    )
