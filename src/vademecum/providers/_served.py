"""A chat model behind a server: what all protocols have in common."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from vademecum.core.deadline import Deadline
from vademecum.core.models import Message, ModelSettings, Reply, Schema
from vademecum.net import Exchange
from vademecum.providers._chat import Asked, Piece, TextStream, checked, reply_of
from vademecum.providers._opening import Server


class Wish(NamedTuple):
    """What one call wants of a model; what it left open is as the settings say.

    Attributes:
        messages: The conversation, one at least.
        schema: What the reply must be: JSON of this schema.
        max_tokens: How long it may become.
        temperature: None for the model's own.
        stop: Words at which it ends.
    """

    messages: Sequence[Message]
    schema: Schema | None
    max_tokens: int
    temperature: float | None
    stop: list[str]


class ServedChat(ABC):
    """A chat model behind a server; see `ChatModel`. A protocol says how calls and answers are written.

    Args:
        settings: Which model, and how.
        server: Where.
    """

    def __init__(self, settings: ModelSettings, server: Server) -> None:
        self.name = f"{settings.provider}:{settings.model}"
        self._settings = settings
        self._server = server

    def reply(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        stop: Sequence[str] = (),
        deadline: Deadline | None = None,
    ) -> Reply:
        """Let the model answer."""
        wish = self._wish(messages, schema, max_tokens, temperature, stop)
        with self._server.call(*self._call(wish, streams=False), deadline) as exchange:
            piece = self._whole(exchange.read_json(), exchange)
        return reply_of(piece, self._asked(wish))

    def stream(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        stop: Sequence[str] = (),
        deadline: Deadline | None = None,
    ) -> TextStream:
        """The same, piece by piece."""
        wish = self._wish(messages, schema, max_tokens, temperature, stop)
        exchange = self._server.call(*self._call(wish, streams=True), deadline)
        return TextStream(exchange, self._pieces(exchange), self._asked(wish))

    @abstractmethod
    def check(self, deadline: Deadline | None = None) -> None:
        """See that the server answers and has the model, in one try."""

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Let go of what it holds."""

    def _wish(
        self,
        messages: Sequence[Message],
        schema: Schema | None,
        max_tokens: int | None,
        temperature: float | None,
        stop: Sequence[str],
    ) -> Wish:
        settings = self._settings
        return Wish(
            checked(messages),
            schema,
            settings.max_tokens if max_tokens is None else max_tokens,
            settings.temperature if temperature is None else temperature,
            list(stop),
        )

    def _asked(self, wish: Wish) -> Asked:
        """What the reply is measured by."""
        return Asked(self.name, wish.schema)

    @abstractmethod
    def _call(self, wish: Wish, *, streams: bool) -> tuple[str, dict[str, Any]]:
        """Path and body of a call."""

    @abstractmethod
    def _whole(self, data: object, exchange: Exchange) -> Piece:
        """What an answer says that comes at once.

        Raises:
            ProviderError: It holds no reply.
        """

    @abstractmethod
    def _pieces(self, exchange: Exchange) -> Iterator[Piece]:
        """What the events of a stream say.

        Raises:
            ProviderError: One holds an error in place of a reply.
        """
