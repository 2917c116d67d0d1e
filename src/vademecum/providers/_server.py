"""A model on a server: address, key, JSON responses, and the common parts of all chat protocols."""

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from vademecum.core.deadline import Deadline
from vademecum.core.errors import ConfigError
from vademecum.core.models import Message, ModelSettings, Reply, Schema
from vademecum.net import Client, Exchange, Limits, Place, Secret, place_of
from vademecum.providers._chat import Asked, Piece, TextStream, checked, reply_of
from vademecum.text.printable import printable

Kind = TypeVar("Kind")


def dig(data: object, *way: str | int, kind: type[Kind]) -> Kind | None:
    """The value at the end of a way through mappings and lists; None if there is none of this kind.

    A number is never a truth value.

    >>> dig({"choices": [{"text": "hi"}]}, "choices", 0, "text", kind=str)
    'hi'
    """
    found: Any = data
    for step in way:
        if isinstance(step, str):
            found = found.get(step) if isinstance(found, dict) else None
        else:
            found = found[step] if isinstance(found, list) and step < len(found) else None
    if isinstance(found, bool) and kind is not bool:
        return None
    return found if isinstance(found, kind) else None


def text_in(data: object, *way: str | int) -> str:
    r"""The text at the end of a way, "" for none; halves of characters become U+FFFD, so that it can be printed.

    >>> text_in({"a": "x\ud83d"}, "a")
    'x�'
    """
    text = dig(data, *way, kind=str) or ""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def count_in(data: object, *way: str | int) -> int | None:
    """The number of something at the end of a way; None for none, or one below zero."""
    number = dig(data, *way, kind=int)
    return number if number is not None and number >= 0 else None


_NAMED = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^{}]*))?\}")


class Vendor(NamedTuple):
    """Where a provider's models are, unless the settings say.

    Attributes:
        url: Its own server.
        url_from: The environment variable that names another; "" for none.
        keys_from: The environment variables that may hold its key, the first one set counts.
        header: The header that carries the key.
        form: What is put before the key there.
        key_needed: Whether its own server wants one.
        read_url: How the variable's value is made an address.
    """

    url: str
    url_from: str = ""
    keys_from: tuple[str, ...] = ()
    header: str = "Authorization"
    form: str = "Bearer "
    key_needed: bool = False
    read_url: Callable[[str], str] = str


class Server(NamedTuple):
    """A server that can be called."""

    client: Client
    place: Place
    headers: dict[str, Secret | str]
    limits: Limits

    def call(
        self, path: str, body: object = None, deadline: Deadline | None = None, *, once: bool = False
    ) -> Exchange:
        """Prepare a call: POST with a body, GET without.

        Args:
            path: Below the server's own.
            body: What is sent, as JSON.
            deadline: None for what the settings say.
            once: Whether it is not tried again.
        """
        return self.client.exchange(
            self.place,
            path,
            method="GET" if body is None else "POST",
            body=body,
            headers=self.headers,
            deadline=deadline,
            limits=self.limits._replace(retries=0) if once else self.limits,
        )


def server_of(settings: ModelSettings, client: Client, vendor: Vendor) -> Server:
    """The server that settings name, allowed to the client.

    A key that the environment holds for a vendor goes to that vendor, or to the server that the environment names
    beside it. To the server of a section it goes only if the section says so.

    Raises:
        ConfigError: Address or key cannot be used.
    """
    from_environment = os.environ.get(vendor.url_from, "").strip() if vendor.url_from else ""
    url = settings.base_url or (vendor.read_url(from_environment) if from_environment else vendor.url)
    place = place_of(url)
    is_usual = place.origin == place_of(vendor.url).origin
    keys_from = vendor.keys_from if is_usual or not settings.base_url else ()
    key = _key(settings, vendor._replace(keys_from=keys_from, key_needed=vendor.key_needed and is_usual))
    client.allow(place)
    headers: dict[str, Secret | str] = {} if key is None else {vendor.header: key}
    limits = Limits(timeout_s=settings.timeout_s, stall_s=settings.stall_s, retries=settings.retries)
    return Server(client, place, headers, limits)


def _key(settings: ModelSettings, vendor: Vendor) -> Secret | None:
    named = None
    if settings.api_key:
        named = _NAMED.fullmatch(settings.api_key.strip())
        if named is None:
            message = (
                f"api_key of {printable(settings.provider, 40)} is not the name of an environment variable."
            )
            raise ConfigError(message, hint="Put the key into the environment, and write api_key: ${NAME}.")
        names: tuple[str, ...] = (named[1],)
    else:
        names = vendor.keys_from
    for name in names:
        if os.environ.get(name, "").strip():
            return Secret(os.environ[name], origin=name, form=vendor.form)
    if settings.api_key and named and named[2]:  # what a server that wants any key is sent, or none
        return Secret(named[3], origin=names[0], form=vendor.form) if named[3].strip() else None
    if settings.api_key or vendor.key_needed:
        message = f"{' or '.join(names)} is not set in the environment."
        raise ConfigError(message, hint=f"Set it to the key of {printable(settings.provider, 40)}.")
    return None


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
