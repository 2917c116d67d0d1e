"""Collect the pieces of a streamed reply, and detect its end."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Self

from vademecum.core.errors import AnswerError, ProviderError, ReplyInvalid
from vademecum.core.models import Finish, Message, Reply, Schema
from vademecum.net import Exchange


class Piece(NamedTuple):
    """The contents of one event of a stream.

    Attributes:
        finish: Why the reply ends with this event; None if it continues.
    """

    text: str = ""
    finish: Finish | None = None
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    model: str = ""
    last: bool = False


class Asked(NamedTuple):
    """The requirements that a reply is checked against.

    Attributes:
        warn: Returns warnings, given the number of prompt tokens and reply tokens.
    """

    name: str
    schema: Schema | None = None
    warn: Callable[[Reply], tuple[str, ...]] = lambda _reply: ()


class TextStream:
    """A streamed reply; see `ChatStream`."""

    def __init__(self, exchange: Exchange, pieces: Iterator[Piece], asked: Asked) -> None:
        self._exchange = exchange
        self._pieces = pieces
        self._asked = asked
        self._texts: list[str] = []
        self._so_far = Piece()
        self._reply: Reply | None = None
        self._fault: ProviderError | None = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        """Return the next part of the text, never empty."""
        if self._fault is not None:
            raise self._fault
        if self._reply is not None:
            raise StopIteration
        try:
            for piece in self._pieces:
                self._so_far = joined(self._so_far, piece)
                if piece.text:
                    self._texts.append(piece.text)
                    return piece.text
                if piece.last:
                    break
            self._reply = self._whole()
        except ProviderError as error:
            self._fault = error
            self._exchange.close()
            raise
        raise StopIteration

    def reply(self) -> Reply:
        """Return the whole reply. Waits for the remaining events."""
        for _ in self:
            pass
        if self._reply is None:
            raise cut_short(self._asked.name)
        return self._reply

    def _whole(self) -> Reply:
        if self._so_far.finish is None:
            raise cut_short(self._asked.name)
        self._exchange.finish()
        return reply_of(self._so_far._replace(text="".join(self._texts)), self._asked)

    def close(self) -> None:
        """Cancel the reply, from any thread."""
        self._exchange.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def joined(first: Piece, second: Piece) -> Piece:
    """Merge two events except for their texts. Values of the later one take precedence."""
    return Piece(
        "",
        second.finish or first.finish,
        first.prompt_tokens if second.prompt_tokens is None else second.prompt_tokens,
        first.reply_tokens if second.reply_tokens is None else second.reply_tokens,
        second.model or first.model,
        second.last,
    )


def reply_of(piece: Piece, asked: Asked) -> Reply:
    """Check a whole reply."""
    if piece.finish is None:
        raise cut_short(asked.name)
    reply = Reply(
        piece.text, piece.finish, piece.model or asked.name, piece.prompt_tokens, piece.reply_tokens
    )
    if asked.schema is not None:
        _check_json(reply, asked.name)
    return reply._replace(warnings=asked.warn(reply))


def _check_json(reply: Reply, name: str) -> None:
    try:
        json.loads(reply.text)
    except (ValueError, RecursionError):
        if reply.finish == "length":
            message = f"The reply of {name} was cut at max_tokens, in the middle of its JSON."
            raise ReplyInvalid(message, hint="Raise max_tokens, or ask for less.") from None
        message = f"The reply of {name} is not JSON, though a schema was given."
        hint = "Use a model or server that knows JSON schemas."
        raise ReplyInvalid(message, hint=hint, text=reply.text) from None


def cut_short(name: str) -> ReplyInvalid:
    """Return the exception for an incomplete reply."""
    message = f"The reply of {name} broke off: its server closed the connection before the end."
    return ReplyInvalid(message, hint="Try again; if it stays so, look into the server's log.")


def checked(messages: Sequence[Message]) -> Sequence[Message]:
    """Check that messages can be sent."""
    if not messages:
        raise AnswerError("There is nothing to say to the model.", hint="Give one message at least.")
    for message in messages:
        if message.role not in {"system", "user", "assistant"}:
            raise AnswerError("A message is of nobody.", hint="Its role is system, user or assistant.")
        try:
            message.text.encode()
        except UnicodeEncodeError as error:
            hint = "Take the text from a file or program that writes UTF-8."
            raise AnswerError("A message holds characters that are not text.", hint=hint) from error
    return messages
