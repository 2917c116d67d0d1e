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
    """Return the value at a path through mappings and lists; None if it is missing or of another kind.

    Booleans do not count as numbers.

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
    r"""Return the string at a path; "" if it is missing. Lone surrogates are replaced by U+FFFD, so that it can be printed.

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
    """Return the count at a path; None if it is missing or negative."""
    number = dig(data, *way, kind=int)
    return number if number is not None and number >= 0 else None


_NAMED = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^{}]*))?\}")


class Vendor(NamedTuple):
    """The default server and keys of a provider.

    Attributes:
        url_from: The environment variable with the address of another server; "" for none.
        keys_from: Environment variables for the key; the first that is set is used.
        form: The text before the key in the header.
        key_needed: Whether the provider's own server requires a key.
        read_url: Converts the value of the variable to an address.
    """

    url: str
    url_from: str = ""
    keys_from: tuple[str, ...] = ()
    header: str = "Authorization"
    form: str = "Bearer "
    key_needed: bool = False
    read_url: Callable[[str], str] = str


class Server(NamedTuple):
    """A server, with its address, key and client."""

    client: Client
    place: Place
    headers: dict[str, Secret | str]
    limits: Limits

    def call(
        self, path: str, body: object = None, deadline: Deadline | None = None, *, once: bool = False
    ) -> Exchange:
        """Prepare a call: POST if there is a body, otherwise GET.

        Args:
            path: The path, relative to that of the server.
            deadline: The deadline; None to use the settings.
            once: Whether to disable retries.
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
    """Return the server in the settings, and add it to the client's allow-list.

    A vendor's key from the environment is sent only to that vendor, or to the server that the environment names for it. It is sent
    to the server of a section only if the section refers to it.
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
    """The parameters of one call. The settings provide those that are not given.

    Attributes:
        schema: The JSON schema of the reply; None for text.
        temperature: The sampling temperature; None for the model's default.
    """

    messages: Sequence[Message]
    schema: Schema | None
    max_tokens: int
    temperature: float | None
    stop: list[str]


class ServedChat(ABC):
    """A chat model on a server; see `ChatModel`. Subclasses implement the formats of calls and responses."""

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
        """Return the model's reply."""
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
        """Return the model's reply as a stream."""
        wish = self._wish(messages, schema, max_tokens, temperature, stop)
        exchange = self._server.call(*self._call(wish, streams=True), deadline)
        return TextStream(exchange, self._pieces(exchange), self._asked(wish))

    @abstractmethod
    def check(self, deadline: Deadline | None = None) -> None:
        """Check, without retries, that the server responds and has the model."""

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Release the resources."""

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
        """Return the requirements of the reply."""
        return Asked(self.name, wish.schema)

    @abstractmethod
    def _call(self, wish: Wish, *, streams: bool) -> tuple[str, dict[str, Any]]:
        """Return the path and body of a call."""

    @abstractmethod
    def _whole(self, data: object, exchange: Exchange) -> Piece:
        """Parse a response that is not streamed."""

    @abstractmethod
    def _pieces(self, exchange: Exchange) -> Iterator[Piece]:
        """Parse the events of a stream."""
