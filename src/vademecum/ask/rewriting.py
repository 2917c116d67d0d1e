"""Let a model rewrite a follow-up as a self-contained question. If it adds words from outside the conversation, the rules' version is used."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from vademecum.core.conversations import Turn
from vademecum.core.deadline import Deadline
from vademecum.core.errors import ProviderError, StreamClosed
from vademecum.core.models import Message, Schema
from vademecum.retrieval.question.follow_up import Reading
from vademecum.text.words import STOP_WORDS, WORD, stem

if TYPE_CHECKING:
    from vademecum.core.protocols import ChatModel, ChatStream

_TURNS = 4
_LONGEST = 300
_MOST_TOKENS = 120
_SHARE_OF_TIME = 0.25
_LONGEST_S = 15.0
_RULES = (
    "You are given the questions of a conversation and the last one. Write the last question so that it can be understood "
    "alone, using only words of the conversation. If it can be understood alone already, repeat it. Do not answer it. "
    'Reply with JSON only: {"question": "..."}.'
)
_SCHEMA: Schema = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}
_QUESTION = re.compile(r'"question"\s*:\s*"((?:[^"\\]|\\.)*)"')
_FREE = frozenset(
    map(
        stem,
        ("find", "show", "tell", "mean", "work", "happen", "way", "possible", "option", "command", "file"),
    )
)
"""Words that a rewritten question may contain although they are not in the conversation."""


def rewritten(
    question: str,
    before: Sequence[Turn],
    by_rules: Reading,
    model: "ChatModel",
    *,
    deadline: Deadline,
    hold: "Callable[[ChatStream], None]",
) -> Reading:
    """Resolve a follow-up question with a model.

    Args:
        before: The turns of the conversation, oldest first.
        by_rules: The result of the rules. It is used if the model fails, or adds words that are not in the conversation.
        deadline: The deadline of the whole answer; at most a quarter of the time is used.
        hold: Called with the stream, so that it can be closed when the answer is cancelled.
    """
    earlier = [
        f"- {turn.read_as}" + (f" (answered from: {'; '.join(turn.references)})" if turn.references else "")
        for turn in before[-_TURNS:]
    ]
    lines = [*earlier, "", f"The last question: {question}"]
    messages = [Message("system", _RULES), Message("user", "\n".join(["The questions before:", *lines]))]
    stream = model.stream(
        messages,
        schema=_SCHEMA,
        max_tokens=_MOST_TOKENS,
        temperature=0.0,
        deadline=Deadline(min(deadline.remaining_s * _SHARE_OF_TIME, _LONGEST_S)),
    )
    hold(stream)
    try:
        with stream:
            said = stream.reply().text
    except StreamClosed:
        raise
    except ProviderError:
        return by_rules
    found = _QUESTION.search(said)
    text = " ".join(found[1].replace('\\"', '"').split()) if found else ""
    return (
        Reading(text, _carried(text, question), "the model rephrased it")
        if _may_stand(text, question, before)
        else by_rules
    )


def _may_stand(text: str, question: str, before: Sequence[Turn]) -> bool:
    """Return whether a rewritten question consists of words from the conversation, and keeps the content of the last question."""
    if not text or len(text) > _LONGEST + len(question) or not text.isprintable() or "\\" in text:
        return False
    said = _stems(question)
    earlier = {
        word
        for turn in before[-_TURNS:]
        for one in (turn.asked, turn.read_as, *turn.references)
        for word in _stems(one)
    }
    new = _stems(text)
    return bool(new) and new <= said | earlier | _FREE and len(said - new) <= len(said) / 2


def _carried(text: str, question: str) -> tuple[str, ...]:
    """Return the words that are not in the question itself."""
    said = _stems(question)
    return tuple(
        dict.fromkeys(
            word
            for word in WORD.findall(text)
            if word.lower() not in STOP_WORDS and stem(word.lower()) not in said
        )
    )


def _stems(text: str) -> set[str]:
    return {
        stem(word.lower()) for word in WORD.findall(text) if word.lower() not in STOP_WORDS and len(word) > 1
    }
