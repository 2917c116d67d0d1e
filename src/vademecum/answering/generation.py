"""Compose an answer with a language model. Every sentence is checked against its citations before it is returned.

Failures of a model never raise exceptions here: `Written.reason` says why its answer is not sufficient.
"""

from collections.abc import Sequence
from typing import Self
from weakref import finalize

from vademecum.answering.model_draft import Work, Written
from vademecum.answering.prompt import Limits, Prompt
from vademecum.answering.verify import Part
from vademecum.core.answers import Citation, Statement
from vademecum.core.deadline import Deadline
from vademecum.core.evidence import Evidence
from vademecum.core.models import Message
from vademecum.core.protocols import ChatModel


def write_stream(
    question: str,
    evidence: Sequence[Evidence],
    model: ChatModel,
    *,
    deadline: Deadline,
    system: str = "",
    history: Sequence[Message] = (),
    max_tokens: int | None = None,
    temperature: float | None = None,
    context_tokens: int | None = None,
) -> "Writing":
    """Answer a question from evidence with a model, sentence by sentence; see `Writing`.

    Args:
        question: The self-contained question; follow-ups are already resolved.
        evidence: The documents to answer from, best first.
        model: The model that writes.
        deadline: The deadline of the whole answer.
        system: The desk's system prompt, which precedes the citation rules.
        history: The earlier turns, oldest first.
        max_tokens: The maximum length of the reply; None to use the model's settings.
        temperature: The sampling temperature; None to use the model's settings.
        context_tokens: The maximum length of passages and question together; None for the context of the model.
    """
    prompt = Prompt(question, evidence, model, system, tuple(history), context_tokens)
    return Writing(prompt, Limits(deadline, max_tokens, temperature))


class Writing:
    """An answer in progress: an iterator over supported statements.

    The model is called when the first statement is requested. A statement is yielded as soon as it is complete. Statements after an
    unsupported step are yielded after that step was corrected or dropped, so that steps keep their order. Use it as a
    context manager, or call `close`; it is also cancelled when it is garbage-collected.
    """

    def __init__(self, prompt: Prompt, limits: Limits) -> None:
        self._work = Work(prompt, limits)
        finalize(self, self._work.close).atexit = False

    @property
    def part(self) -> Part:
        """The part of the answer that the last statement belongs to."""
        return self._work.part

    @property
    def citations(self) -> Sequence[Citation]:
        """The citations so far; `Statement.citations` contains indexes into it."""
        return self._work.ledger.citations

    @property
    def written(self) -> Written:
        """The whole answer. Waits for the remaining statements.

        Raises:
            StreamClosed: It was closed before its end.
        """
        return self._work.written()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Statement:
        """Return the next statement.

        Raises:
            StreamClosed: Another thread closed it.
        """
        return self._work.next()

    def close(self) -> None:
        """Cancel it immediately, from any thread, without waiting for the model. Repeated calls are allowed."""
        self._work.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
