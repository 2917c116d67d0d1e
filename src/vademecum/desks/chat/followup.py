"""Resolve follow-up questions, using rules or a model."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import NamedTuple

from vademecum.ask.rewriting import rewritten
from vademecum.core.conversations import Turn
from vademecum.core.errors import StreamClosed
from vademecum.core.models import Message
from vademecum.core.protocols import ChatModel
from vademecum.desks.chat.services import Query
from vademecum.providers.builtin import words_near
from vademecum.retrieval.question.follow_up import readings
from vademecum.text.printable import printable

_LONGEST_TURN = 1500


class Rewritten(NamedTuple):
    """A question as looked up.

    Attributes:
        by: `rules`, the name of a model, or "" if the question was not changed.
        why: What shows that the question is a follow-up, or that a model rewrote it.
        prior: The log odds of this reading, compared with the first one.
    """

    text: str
    by: str = ""
    why: str = ""
    prior: float = 0.0


def rewrite(
    question: str, history: Sequence[Message], model: ChatModel | None, query: Query
) -> list[Rewritten]:
    """Return the ways to look a question of a conversation up, the likeliest first.

    If the model fails or gives no usable reply, the rules are used.
    """
    before: list[Turn] = []
    for message in history:
        said = printable(" ".join(message.text.split()), _LONGEST_TURN)
        if message.role == "user":
            before.append(Turn(said, said, ()))
        elif message.role == "assistant" and before:
            before[-1] = before[-1]._replace(references=(said,))
    if not before:
        return [Rewritten(question)]
    by_rules = readings(question, before, _no_command, words_near)
    if model is not None:
        with ExitStack() as held:
            try:
                reading = rewritten(
                    question,
                    before,
                    by_rules[0],
                    model,
                    deadline=query.deadline,
                    hold=lambda stream: held.enter_context(query.calls.holding(stream)),
                )
            except StreamClosed:
                query.calls.check()
                raise
        if reading is not by_rules[0]:
            by = "" if reading.text == question.strip() else model.name
            return [Rewritten(reading.text, by, reading.why)]
    return [
        Rewritten(reading.text, "rules" if reading.carried else "", reading.why, reading.prior)
        for reading in by_rules
    ]


def _no_command(_word: str) -> bool:
    """Return False: in a conversation about documents, no word is the name of a command."""
    return False
