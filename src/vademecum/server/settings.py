"""The start options of the web server."""

import re
import socket
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from vademecum.core.errors import ConfigError
from vademecum.files.folders import desk_folder
from vademecum.files.places import Places
from vademecum.text.printable import printable

PORT = 8765
_ROOT = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")
_NAME = re.compile(r"[a-z0-9]([a-z0-9_.-]{0,251}[a-z0-9])?", re.IGNORECASE)


def server_folder() -> Path:
    """Return `${XDG_DATA_HOME}/vademecum/server`, the folder for API keys and for data that workers share."""
    return Path(desk_folder("server"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """The server's address, its sources, and its limits.

    Attributes:
        host: The address to listen on. Addresses other than this machine's own require API keys.
        port: The port; 0 for a free one.
        unix_socket: Whether the server is also the background service of `ragman`, on its Unix socket.
        allowed_hosts: Host names that browsers may use, in addition to the server's address and this machine's names.
        trusted_proxies: Addresses and networks of proxies whose `X-Forwarded-*` headers are used.
        root_path: The path below which a proxy serves the server; "" for none.
        allowed_origins: Origins of other sites whose pages may send requests (`https://book.example.org`).
        places: The folders of this machine's library; None for the default ones.
        shared: Aliases of this machine's sources that every key may query, in addition to manual pages, info
            manuals and tldr pages; `all` for all of them.
        collections_folder: The folder of the collections; None for the default one.
        folder: The folder for keys, traces and request counts.
        chat_file: The file with the chat desk's rules; None for one rule over all collections.
        template_folders: Folders of reasoning templates; None for those of the package and of the user.
        body_bytes: The maximum size of a request body, in bytes.
        upload_bytes: The maximum size of an upload, in bytes.
        body_s: The timeout for receiving a request, in seconds. An upload may take longer while data arrives.
        answer_s: The maximum time for an answer, in seconds, including all attempts with all models.
        retrievals: The maximum number of concurrent retrievals in one process. Further ones wait.
        streams: The maximum number of concurrent answers in one process.
        calls_a_model: The maximum number of concurrent calls to a model in one process, for models without their own
            limit; None for the default limits.
        model_wait_s: The maximum time, in seconds, that further calls wait; None for the default. The answer is then that
            without a model.
        waiting_s: The time, in seconds, that a question waits in the queue before it is rejected.
        connections: The maximum number of connections in one process.
        stopping_s: The time, in seconds, that running answers have to finish when the server stops.
        wrong_keys: The maximum number of wrong API keys per minute from one address.
        traces_s: The time for which traces are stored, in seconds.
        traces: The maximum number of stored traces.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    workers: int = 1
    unix_socket: bool = False
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    root_path: str = ""
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
    calls_a_model: int | None = None
    model_wait_s: float | None = None
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
        if self.host.startswith("[") and self.host.endswith("]"):  # as in a URL
            object.__setattr__(self, "host", self.host[1:-1])
        if self.host != "localhost" and not is_address(self.host):
            _check_known(self.host)
        for name in self.allowed_hosts:
            if not _NAME.fullmatch(name) and not is_address(name):
                message = f"{printable(name, 100)} is not a valid host name."
                raise ConfigError(
                    message, hint="Write it as book.example.org, without https://, port or path."
                )
        for proxy in self.trusted_proxies:
            if not _is_network(proxy):
                message = f"{printable(proxy, 100)} is not the address or network of a proxy."
                raise ConfigError(message, hint="Write it as 127.0.0.1 or 10.0.0.0/8.")
        object.__setattr__(self, "root_path", self.root_path.rstrip("/"))
        if self.root_path and not _ROOT.fullmatch(self.root_path):
            message = f"{printable(self.root_path, 100)} is not a path."
            raise ConfigError(message, hint="Write it as /vademecum.")
        for origin in self.allowed_origins:
            if not _is_origin(origin):
                message = f"{printable(origin, 100)} is not the origin of a web site."
                raise ConfigError(message, hint="Write it as https://book.example.org, without a path.")

    @property
    def is_local(self) -> bool:
        """Return whether only this machine can reach the server, and no proxy passes on requests of others."""
        return self.is_loopback and not self.allowed_hosts and not self.trusted_proxies

    @property
    def is_loopback(self) -> bool:
        """Return whether the address is one of this machine only."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def is_address(text: str) -> bool:
    """Return whether a text is an IP address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _is_network(text: str) -> bool:
    try:
        ip_network(text, strict=False)
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
    """Check that a host name can be resolved."""
    try:
        socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not a valid host name"
        message = f"{printable(host, 100)} cannot be resolved: {why}."
        raise ConfigError(message, hint="Omit --host to serve only this machine.") from error
