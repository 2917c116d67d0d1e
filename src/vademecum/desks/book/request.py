"""Validate a request before anything is searched."""

import re
from dataclasses import replace

from vademecum.core.errors import AnswerError
from vademecum.desks.book.reply import MODES, Ask
from vademecum.desks.book.settings import MOST_PASSAGES, BookSettings
from vademecum.text.printable import printable

LONGEST_SELECTION = 200_000
"""The maximum number of characters of a selection, about a hundred pages of a book."""

_LONGEST_BEFORE = 2000
"""The maximum number of characters that are used of a previous question."""

_TOKEN = re.compile(r"\w{1,4}|[^\w\s]")


def checked(request: Ask, settings: BookSettings) -> Ask:
    """Return a validated request with defaults, and with text that can be stored and printed."""
    query = _text(request.query).strip()
    if not query:
        raise AnswerError("The query is blank.", hint="Ask something, such as: What is a ROS 2 node?")
    count = count_tokens(query, settings.max_question_tokens)
    if count > settings.max_question_tokens:
        message = f"The query has more than {settings.max_question_tokens} tokens."
        raise AnswerError(message, hint="Shorten it; text that is asked about goes into selected_text.")
    if request.mode not in MODES:
        message = f"There is no mode {printable(str(request.mode), 40)!r}."
        raise AnswerError(message, hint=f"The modes are {' and '.join(MODES)}.")
    selection = _text(request.selected_text)
    if request.mode == "selected-text" and not selection.strip():
        raise AnswerError(
            "The mode selected-text needs selected_text.", hint="Send the text that was selected."
        )
    if len(selection) > LONGEST_SELECTION:
        message = f"The selection has more than {LONGEST_SELECTION:,} characters."
        raise AnswerError(message, hint="Select less, or ask the whole book.")
    if request.require_model and request.without_model:
        raise AnswerError(
            "require_model and without_model cannot be used together.", hint="Omit one of them."
        )
    k = settings.top_k if request.k is None else request.k
    if not 1 <= k <= MOST_PASSAGES:
        raise AnswerError(f"k must be from 1 to {MOST_PASSAGES}, not {k}.", hint="Omit it for the default.")
    return replace(
        request,
        before=tuple(_text(question)[:_LONGEST_BEFORE] for question in request.before),
        query=query,
        k=k,
        selected_text=selection if request.mode == "selected-text" else "",
    )


def count_tokens(text: str, most: int = 0) -> int:
    """Estimate the number of tokens of a text, similar to most tokenizers: each four letters of a word, and each sign.

    Args:
        most: Stop counting at one more than this number; 0 for no limit.

    >>> count_tokens("What is ROS 2?")
    5
    """
    count = 0
    for count, _ in enumerate(_TOKEN.finditer(text), 1):
        if 0 < most < count:
            break
    return count


def first_tokens(text: str, most: int) -> str:
    """Return the beginning of a text, with at most `most` tokens.

    >>> first_tokens("What is ROS 2?", 3)
    'What is ROS'
    """
    end = 0
    for count, token in enumerate(_TOKEN.finditer(text), 1):
        if count > most:
            return text[:end]
        end = token.end()
    return text


def _text(said: str) -> str:
    """Return text that can be stored and printed, with lone surrogates replaced."""
    return said.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
