"""The start options of the web server."""

import re
import socket
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from vademecum.core.errors import ConfigError
from vademecum.files.folders import desk_folder
from vademecum.files.places import Places
from vademecum.text.printable import printable

PORT = 8765
_NAME = re.compile(r"[a-z0-9]([a-z0-9_.-]{0,251}[a-z0-9])?", re.IGNORECASE)


def server_folder() -> Path:
    """`${XDG_DATA_HOME}/vademecum/server`: API keys, and what several workers share."""
    return Path(desk_folder("server"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """How the server listens, what it serves, and how much of it anybody may have.

    Attributes:
        host: The address to listen on. Another than this machine's own needs API keys.
        port: The port; 0 for a free one.
        workers: How many processes answer.
        unix_socket: Whether the server is also the background service of `ragman`, on its Unix socket.
        allowed_hosts: Names by which browsers may call the server, beside its address and this machine's own names.
        allowed_origins: Web pages of other places that may ask (`https://book.example.org`).
        places: The folders of this machine's library; None for the usual ones.
        shared: Aliases of this machine's sources that every key may ask, besides manual pages and info manuals; `all`
            for all of them.
        collections_folder: Where the collections are; None for the usual place.
        folder: Where keys, traces and counts of requests are kept.
        chat_file: The chat desk's rules; None for one rule over all collections.
        template_folders: Folders of reasoning templates; None for the package's and the person's own.
        body_bytes: How large a request may be.
        upload_bytes: How large an upload may be.
        body_s: How long a client may take to send its request; an upload may take longer, as long as it goes on.
        answer_s: How long an answer may take, with all tries of all models.
        retrievals: How many questions are looked up at once in one process; more wait.
        streams: How many answers may be on their way at once in one process.
        calls_a_model: How many calls one model is given at once by one process.
        waiting_s: How long a question waits for its turn before it is refused as too much.
        connections: How many connections one process holds.
        stopping_s: How long running answers have when the server stops.
        wrong_keys: How many wrong API keys a minute an address may try.
        traces_s: How long traces are kept.
        traces: How many traces are kept.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    workers: int = 1
    unix_socket: bool = False
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    places: Places | None = None
    shared: tuple[str, ...] = ()
    collections_folder: Path | None = None
    folder: Path = field(default_factory=server_folder)
    chat_file: Path | None = None
    template_folders: tuple[Path, ...] | None = None
    body_bytes: int = 1 << 20
    upload_bytes: int = 64 << 20
    body_s: float = 10.0
    answer_s: float = 60.0
    retrievals: int = 2
    streams: int = 64
    calls_a_model: int = 4
    waiting_s: float = 5.0
    connections: int = 1000
    stopping_s: float = 10.0
    wrong_keys: int = 30
    traces_s: float = 24 * 3600.0
    traces: int = 10_000

    def __post_init__(self) -> None:
        for name, most in (("port", 65535), ("workers", 64)):
            if not 0 <= getattr(self, name) <= most:
                raise ConfigError(f"{name} must be at most {most}.", hint="See: vademecum serve --help")
        if self.workers < 1:
            raise ConfigError("The number of workers must be at least 1.", hint="Omit --workers for one.")
        if self.host.startswith("[") and self.host.endswith("]"):  # as URLs write it
            object.__setattr__(self, "host", self.host[1:-1])
        if self.host != "localhost" and not is_address(self.host):
            _check_known(self.host)
        for name in self.allowed_hosts:
            if not _NAME.fullmatch(name) and not is_address(name):
                message = f"{printable(name, 100)} is not a valid name for a server."
                raise ConfigError(
                    message, hint="Write it as book.example.org, without https://, port or path."
                )
        for origin in self.allowed_origins:
            if not _is_origin(origin):
                message = f"{printable(origin, 100)} is not the origin of a web site."
                raise ConfigError(message, hint="Write it as https://book.example.org, without a path.")

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def is_address(text: str) -> bool:
    """Whether a text is an IP address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _is_origin(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:  # `http://[`
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc) and not (parts.path or parts.query)


def _check_known(host: str) -> None:
    """See that a name leads to an address.

    Raises:
        ConfigError: It leads nowhere.
    """
    try:
        socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not a valid host name"
        message = f"{printable(host, 100)} cannot be resolved: {why}."
        raise ConfigError(message, hint="Omit --host to serve only this machine.") from error
