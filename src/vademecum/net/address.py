"""Parse and check a server's address, and compare it with the allow-list."""

from typing import NamedTuple
from urllib.parse import urlsplit

from vademecum.core.errors import ConfigError
from vademecum.text.printable import printable

_PORTS = {"http": 80, "https": 443}
_SHOWN = 80
_LONGEST = 2000
_HINT = "Write it like http://localhost:11434 or https://api.example.com/v1."


class Place(NamedTuple):
    """The address of a server: scheme, host, port and base path.

    Attributes:
        scheme: `http` or `https`.
        host: The host name or IP address, in lowercase, without brackets.
        path: The base path, without a trailing slash; "" for the root.
        socket: The Unix socket to use instead of TCP; "" for none.
    """

    scheme: str
    host: str
    port: int
    path: str = ""
    socket: str = ""

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port, which the allow-list compares."""
        return self.scheme, self.host, self.port

    @property
    def is_here(self) -> bool:
        """Return whether the server is on this machine."""
        return bool(self.socket) or self.host in {"localhost", "::1"} or self.host.startswith("127.")

    def url(self, path: str = "") -> str:
        """Return the URL of a path on the server."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}{path}"

    def __str__(self) -> str:
        return self.socket or self.url()


def place_of(url: str) -> Place:
    """Parse the address of a server.

    >>> place_of("HTTP://Localhost:11434/")
    Place(scheme='http', host='localhost', port=11434, path='', socket='')
    """
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme, parts.hostname or "", parts.port
        host = host.encode("idna").decode() if not host.isascii() else host
    except ValueError as error:  # a port that is none, brackets that do not close, a name that is none
        raise ConfigError("A server's address cannot be read.", hint=_HINT) from error
    if parts.username is not None or parts.password is not None:
        message = f"The address of {printable(host, _SHOWN)} has a name or password in it."
        raise ConfigError(message, hint="Leave it out; a key goes into api_key: ${NAME}.")
    fine = url.isprintable() and not any(one.isspace() for one in url) and len(url) <= _LONGEST
    if scheme not in _PORTS or not host or not fine or not parts.path.isascii() or port == 0:
        raise ConfigError(f"This is not a server's address: {printable(url, _SHOWN)}", hint=_HINT)
    if parts.query or parts.fragment:
        message = f"The address of {printable(host, _SHOWN)} goes on after the path."
        raise ConfigError(message, hint="Leave out what follows '?' or '#'.")
    return Place(scheme, host.lower(), port or _PORTS[scheme], parts.path.rstrip("/"))
