"""Ask a model for a draft, return unsupported sentences to it once, and drop those that are still unsupported."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import NamedTuple

from vademecum.answering.checker import Checked, Checker
from vademecum.answering.model_stream import pieces
from vademecum.answering.prompt import (
    AGAIN,
    CORRECTED,
    Limits,
    Prepared,
    Prompt,
    corrections,
    prepared,
    schema_of,
)
from vademecum.answering.reply import Claim, Reader, corrected
from vademecum.answering.verify import Ledger, Part, Verified, is_in_words
from vademecum.core.answers import Statement
from vademecum.core.errors import ProviderError, ReplyInvalid, StreamClosed
from vademecum.core.evidence import COPIED, REPLACED, REWORDED
from vademecum.core.models import Finish, Message, Reply, Schema
from vademecum.core.protocols import ChatModel, ChatStream
from vademecum.core.trace import ModelCall

_MENDING_S = 1.0
_MOST_MENDED = 8
_ENOUGH = 0.5
"""The minimum share of supported sentences in an answer."""


class Judged(NamedTuple):
    """The result for a sentence, for the trace.

    Attributes:
        verdict: `supported`; `quoted` if it was replaced by the cited text; or why it was dropped.
        doubt: The probability (0-1) that the cited text does not say this.
    """

    part: Part
    verdict: str
    doubt: float
    cites: tuple[int, ...]
    mended: bool


class Written(NamedTuple):
    """The supported part of a model's answer.

    Attributes:
        reason: Why this is not sufficient for an answer, as a sentence; "" if it is.
    """

    verified: Verified
    model: str
    finish: Finish
    warnings: tuple[str, ...]
    reason: str
    error: ProviderError | None
    judged: tuple[Judged, ...]
    passages: int
    calls: tuple[ModelCall, ...] = ()


class Work:
    """The work of a `Writing`. It has no reference to it, so that an unused `Writing` is collected immediately."""

    def __init__(self, prompt: Prompt, limits: Limits) -> None:
        self._prompt = prompt
        self._limits = limits
        self._lock = Lock()
        self._closed = False
        self._woken = Event()
        self._open: ChatStream | None = None
        self.ledger = Ledger(prompt.evidence)
        self._judged: list[Judged] = []
        self._calls: list[tuple[Sequence[Message], _Round]] = []
        self._written: Written | None = None
        self._statements = self._run()
        self.part: Part = "summary"

    def written(self) -> Written:
        """Return the whole answer. Waits for the remaining statements."""
        with suppress(StopIteration):
            while True:
                self.next()
        if self._written is None:
            raise _was_closed(self._prompt.model)
        return self._written

    def next(self) -> Statement:
        """Return the next statement."""
        if self._closed and self._written is None:
            raise _was_closed(self._prompt.model)
        self.part, statement = next(self._statements)
        return statement

    def close(self) -> None:
        """Cancel it, from any thread."""
        with self._lock:
            self._closed = True
            stream = self._open
        self._woken.set()
        if stream is not None:
            stream.close()

    def _run(self) -> Iterator[tuple[Part, Statement]]:
        prompt = self._prompt
        passages, messages = self._prepared()
        entailment = getattr(prompt.model, "entailment", None)
        checker = Checker(prompt.question, prompt.evidence, passages, entailment=entailment)
        round_one = _Round()
        yield from self._taken(round_one, checker, messages)
        if round_one.error is None and round_one.finish == "stop" and self._may_mend(round_one):
            yield from self._mended(round_one, checker, messages)
        for waiting in round_one.waiting():
            yield from self._kept(waiting)
        if checker.error is not None:
            round_one.warnings += (f"{checker.error.message} Sentences are quoted instead.",)
        self._written = self._whole(round_one, len(passages))

    def _prepared(self) -> Prepared:
        """Return passages and messages. A token count by the server cannot be cancelled, so it runs in a thread."""
        came: list[Prepared] = []
        faults: list[BaseException] = []

        def prepare() -> None:
            try:
                came.append(prepared(self._prompt, self._limits, lambda: not self._closed))
            except BaseException as fault:  # noqa: BLE001 - it is raised where it is waited for
                faults.append(fault)
            finally:
                self._woken.set()

        Thread(target=prepare, name="vademecum-counting", daemon=True).start()
        self._woken.wait()
        if self._closed:
            raise _was_closed(self._prompt.model)
        if faults:
            raise faults[0]
        return came[0]

    def _taken(
        self, into: "_Round", checker: Checker, messages: Sequence[Message]
    ) -> Iterator[tuple[Part, Statement]]:
        """Call the model, and yield supported statements as they arrive."""
        reader = Reader()
        try:
            for piece in self._pieces(into, messages, schema_of()):
                for claim in reader.feed(piece):
                    yield from self._judge(into, checker, claim)
        except ReplyInvalid as error:
            if error.text is None:
                into.error = error
            else:  # it is whole, and only of another form than was asked for
                into.finish = "stop"
        except ProviderError as error:
            into.error = error
        if self._closed:
            raise _was_closed(self._prompt.model)
        if into.error is None:
            for claim in reader.end():
                yield from self._judge(into, checker, claim)

    def _pieces(self, into: "_Round", messages: Sequence[Message], schema: Schema | None) -> Iterator[str]:
        """Yield the parts of a reply."""
        deadline, max_tokens, temperature = self._limits

        def request(schema: Schema | None) -> ChatStream:
            stream = self._prompt.model.stream(
                messages, schema=schema, max_tokens=max_tokens, temperature=temperature, deadline=deadline
            )
            self._calls.append((messages, into))
            with self._lock:
                if self._closed:
                    raise _was_closed(self._prompt.model)
                self._open = stream
            return stream

        for piece in pieces(request, schema, into.end):
            into.text += piece
            yield piece

    def _judge(self, into: "_Round", checker: Checker, claim: Claim) -> Iterator[tuple[Part, Statement]]:
        key = (claim.text.lower(), claim.command)
        if key in into.said:
            return
        into.said.add(key)
        checked = checker.check(claim)
        if checked.quoted:
            key = (checked.statement.text.lower(), checked.statement.command)
            if key in into.said:
                return
            into.said.add(key)
        if checked.verdict == "supported" and not (claim.part == "steps" and into.holds_steps):
            into.count += 1
            yield from self._kept(checked)
        else:
            into.count += 1
            into.put_aside(checked)

    def _kept(self, checked: Checked) -> Iterator[tuple[Part, Statement]]:
        """Record the result for a sentence. Return the statement, if it is supported."""
        part = checked.claim.part
        draft = checked.statement._replace(origin=self._origin(checked))
        statement = self.ledger.add(part, draft, checked.verdict)
        verdict = checked.verdict if not statement else "quoted" if checked.quoted else "supported"
        self._judged.append(Judged(part, verdict, round(checked.doubt, 4), checked.cites, checked.mended))
        if statement:
            yield part, statement

    def _origin(self, checked: Checked) -> str:
        if checked.quoted:
            return REPLACED
        return (
            COPIED
            if is_in_words(checked.statement, self._prompt.evidence, self._prompt.question)
            else REWORDED
        )

    def _may_mend(self, done: "_Round") -> bool:
        faults = done.faults()
        if self._limits.deadline.remaining_s < _MENDING_S:
            return False
        return not done.count if not faults else len(faults) <= _MOST_MENDED

    def _mended(
        self, done: "_Round", checker: Checker, messages: Sequence[Message]
    ) -> Iterator[tuple[Part, Statement]]:
        """Return unsupported or unreadable sentences to the model once, and use its corrections that are supported."""
        if not done.text.strip():
            return
        faults = done.faults()
        request = (
            corrections(self._prompt.question, [(n, one.claim.said, one.why) for n, one in faults])
            if faults
            else AGAIN
        )
        more = [*messages, Message("assistant", done.text), Message("user", request)]
        again = _Round()
        if not faults:
            if done.readable:
                return
            yield from self._taken(again, checker, more)
            done.count, done.aside = again.count, again.aside
            return
        try:
            for _ in self._pieces(again, more, CORRECTED):
                pass
        except ProviderError:
            if self._closed:
                raise
            return
        for place, claim in corrected(again.text).items():
            if place in dict(faults):
                before = done.aside[place].claim
                checked = checker.check(claim._replace(part=before.part))
                if checked.verdict == "supported":
                    done.aside[place] = checked._replace(mended=True)

    def _whole(self, done: "_Round", passages: int) -> Written:
        verified = self.ledger.verified()
        kept = len(verified.summary) + len(verified.steps)
        name = self._prompt.model.name
        return Written(
            verified,
            done.model or name,
            done.finish,
            tuple(dict.fromkeys(done.warnings)),
            _reason(done, kept, name),
            done.error,
            tuple(self._judged),
            passages,
            tuple(
                ModelCall(tuple((message.role, message.text) for message in messages), round_.text)
                for messages, round_ in self._calls
            ),
        )


class _Round:
    """The result of one call."""

    def __init__(self) -> None:
        self.text = ""
        self.finish: Finish = "other"
        self.model = ""
        self.warnings: tuple[str, ...] = ()
        self.error: ProviderError | None = None
        self.said: set[tuple[str, str]] = set()
        self.count = 0
        self.aside: dict[int, Checked] = {}
        self.holds_steps = False

    def end(self, reply: Reply) -> None:
        """Record how the reply ended."""
        self.finish, self.model = reply.finish, reply.model
        self.warnings += reply.warnings

    def put_aside(self, checked: Checked) -> None:
        """Keep a sentence that is unsupported, or that must wait for one."""
        self.aside[self.count] = checked
        self.holds_steps |= checked.claim.part == "steps"

    def faults(self) -> list[tuple[int, Checked]]:
        """Return unsupported sentences by their index in the reply."""
        return [(place, one) for place, one in self.aside.items() if one.verdict != "supported"]

    def waiting(self) -> list[Checked]:
        """Return the kept sentences, in order."""
        return [one for _, one in sorted(self.aside.items())]

    @property
    def readable(self) -> bool:
        """Return whether a reply without sentences is valid: an object whose lists are empty."""
        folded = "".join(self.text.split())
        return folded.startswith("{") and folded.endswith("}") and "[]" in folded


def _reason(done: _Round, kept: int, name: str) -> str:
    """Return why the supported sentences are not sufficient; "" if they are."""
    if done.error is not None:
        return f"The model {name} did not return a complete answer: {done.error.message}"
    if done.finish != "stop":
        why = {"length": "its length limit", "filter": "its maker's rules"}.get(
            done.finish, "an unknown reason"
        )
        return f"The reply of the model {name} was cut off by {why}."
    if not done.count:
        return (
            f"The model {name} found no answer in the passages."
            if done.readable
            else f"The reply of the model {name} could not be read."
        )
    if kept < _ENOUGH * done.count:
        counted = "None" if not kept else f"Only {kept}"
        return f"{counted} of the {done.count} sentences of the model {name} could be verified."
    return ""


def _was_closed(model: ChatModel) -> StreamClosed:
    return StreamClosed(f"The answer of {model.name} was ended before it was whole.")
