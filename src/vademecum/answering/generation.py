"""Compose an answer with a language model. Every sentence is checked against its citations before it is returned.

Nothing here raises for what a model does or fails to do: `Written.reason` says why its answer is not enough.
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
    """Let a model answer a question from evidence, sentence by sentence; see `Writing`.

    Args:
        question: As it is to be answered; what leans on earlier ones has been put so that it stands alone.
        evidence: The documents to answer from, best first.
        model: Who writes.
        deadline: By when all of it must be done.
        system: What a desk wants of its model; the rules of citing come after it.
        history: What was said before, oldest first.
        max_tokens: How long the reply may become; None for what the model's settings say.
        temperature: Likewise.
        context_tokens: How much passages and question may have together; by default what the model takes in.
    """
    prompt = Prompt(question, evidence, model, system, tuple(history), context_tokens)
    return Writing(prompt, Limits(deadline, max_tokens, temperature))


class Writing:
    """An answer that is being written: an iterator of statements, each of which holds.

    Nothing is asked before the first one is wanted. A statement comes as soon as the model has ended it, but those that
    follow a step that did not hold come when that was mended or dropped, so that steps keep their order. Use it as a
    context manager, or call `close`; one that is only dropped ends at once, too.
    """

    def __init__(self, prompt: Prompt, limits: Limits) -> None:
        self._work = Work(prompt, limits)
        finalize(self, self._work.close).atexit = False

    @property
    def part(self) -> Part:
        """Where the last statement belongs."""
        return self._work.part

    @property
    def citations(self) -> Sequence[Citation]:
        """What is cited so far; `Statement.citations` are positions in it."""
        return self._work.ledger.citations

    @property
    def written(self) -> Written:
        """All of it, once the rest has come.

        Raises:
            StreamClosed: It was closed before its end.
        """
        return self._work.written()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Statement:
        """The next statement.

        Raises:
            StreamClosed: It was closed from elsewhere.
        """
        return self._work.next()

    def close(self) -> None:
        """End it, from any thread, at once: what the model still says is not waited for. More than once is fine."""
        self._work.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
