"""The address of an HTTP store: `KIND://host:port/NAME?option=value`, or `KIND+https://` for TLS."""

import os
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from vademecum.core.errors import ConfigError, StoreError
from vademecum.net.secret import Secret

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,99}")


class Address(NamedTuple):
    """A parsed address.

    Attributes:
        kind: `qdrant`, `weaviate` or `chroma`.
        is_secure: Whether TLS is used.
        host: The host name or IP address, without brackets.
        name: The prefix of the names of the store's collections.
        key: The server's key; None for no key.
    """

    kind: str
    is_secure: bool
    host: str
    port: int
    name: str
    key: Secret | None
    options: Mapping[str, str]

    @property
    def url(self) -> str:
        """The HTTP URL of the server."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' if self.is_secure else ''}://{host}:{self.port}"

    @property
    def warnings(self) -> list[str]:
        """Return warnings about an insecure address."""
        is_here = self.host in {"localhost", "::1"} or self.host.startswith("127.")
        if not self.key or self.is_secure or is_here:
            return []
        return [
            f"The key of {self} goes over the network in clear text. Write the address as {self.kind}+https://"
        ]

    def __str__(self) -> str:
        where = self.url.partition("://")[2]
        return f"{self.kind}{'+https' if self.is_secure else ''}://{where}/{self.name}"

    def number(self, option: str, default: int) -> int:
        """Return the value of a numeric option, 1 to 1000."""
        said = self.options.get(option, str(default))
        if not (said.isascii() and said.isdecimal() and 1 <= int(said) <= 1000):
            message = f"The option {option} in the address of {self} is not a whole number from 1 to 1000."
            raise StoreError(message, hint=f"Write it as ?{option}={default}")
        return int(said)


def address_of(url: str, *, port: int, options: tuple[str, ...]) -> Address:
    """Parse an address. The key precedes the host, or is in the variable KIND_API_KEY.

    Args:
        options: The options that the store supports.
    """
    kind, _, transport = url.partition("://")[0].partition("+")
    try:
        parts = urlsplit(url)
        found = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
        host, port = parts.hostname or "", parts.port or port
        variable = f"{kind.upper()}_API_KEY"
        said = unquote(parts.password or parts.username or "") or os.environ.get(variable, "").strip()
        key = Secret(said, origin=variable) if said else None
        name = parts.path.strip("/") or "vademecum"
    except (ValueError, ConfigError):
        host, name, found, key = "", "", {}, None
    if not host or not url.isprintable() or not _NAME.fullmatch(name) or transport not in {"", "https"}:
        message = f"The address of the store on {kind.capitalize()} cannot be read."
        hint = f"Write ragadmin.store as {kind}://host:{port}/vademecum, or {kind}+https://KEY@host:{port}/vademecum."
        raise StoreError(message, hint=hint)
    if unknown := sorted(found.keys() - set(options)):
        message = (
            f"The address of the store on {kind.capitalize()} has an unknown option: {unknown[0][:40]!r}."
        )
        raise StoreError(message, hint=f"There are: {', '.join(options)}.")
    return Address(kind, transport == "https", host, port, name, key, found)
