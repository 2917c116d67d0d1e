"""Preparing: as many passages as a model takes in, by its own count of tokens, and the conversation with them."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from vademecum.answering.numbering import Count, Numbered, number
from vademecum.answering.prompting import RULES, messages_of
from vademecum.core.deadline import Deadline
from vademecum.core.evidence import Evidence
from vademecum.core.limits import CONTEXT_TOKENS
from vademecum.core.models import Message
from vademecum.core.protocols import ChatModel

_REPLY_TOKENS = 1000
_FRAME_TOKENS = 64
_CHARACTERS_A_TOKEN = 3
"""Of a prompt where the model does not count; names and options are cut into many tokens."""

_COUNTING_S = 12.0
"""What must be left of the time for the model's own counter to be asked."""


class Prompt(NamedTuple):
    """What a model is to be asked."""

    question: str
    evidence: Sequence[Evidence]
    model: ChatModel
    system: str
    history: tuple[Message, ...]
    context_tokens: int | None


class Limits(NamedTuple):
    """How it may answer."""

    deadline: Deadline
    max_tokens: int | None
    temperature: float | None


Prepared = tuple[list[Numbered], list[Message]]


def prepared(prompt: Prompt, limits: Limits, is_wanted: Callable[[], bool]) -> Prepared:
    """The passages that fit, and the conversation with them.

    Args:
        prompt: What is asked.
        limits: How it may be answered; where time is short, tokens are estimated.
        is_wanted: Whether anybody still waits for it; no more is counted by the model when not.
    """
    unhurried = limits.deadline.remaining_s > _COUNTING_S
    count = _counter(prompt.model if unhurried else None, is_wanted)
    room = (prompt.model.context_tokens if unhurried else None) or CONTEXT_TOKENS
    reply = min(limits.max_tokens or _REPLY_TOKENS, room // 2)
    said = "".join([RULES, prompt.system, prompt.question, *(one.text for one in prompt.history)])
    left = min(room - reply, prompt.context_tokens or room) - count(said) - _FRAME_TOKENS
    passages, _ = number(prompt.evidence, max(left, 1), count)
    messages = messages_of(
        prompt.question, passages, prompt.evidence, system=prompt.system, history=prompt.history
    )
    return passages, messages


def _counter(model: ChatModel | None, is_wanted: Callable[[], bool]) -> Count:
    """The model's own counter, as long as it is wanted; else an estimate."""

    @cache
    def count(text: str) -> int:
        counted = model.count_tokens(text) if model is not None and is_wanted() else None
        return counted if counted is not None else len(text) // _CHARACTERS_A_TOKEN + 1

    return count
