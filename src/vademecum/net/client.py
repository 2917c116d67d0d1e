"""A connection pool for the configured hosts. It connects to no others."""

import contextlib
import ssl
import threading
import weakref
from collections.abc import Iterator, Mapping
from typing import Self

import httpcore2
import httpx2

from vademecum.core.deadline import Deadline
from vademecum.core.errors import ConfigError
from vademecum.net.address import Place, place_of
from vademecum.net.exchange import Exchange
from vademecum.net.secret import Secret
from vademecum.net.sockets import Limits, Sockets


class Pool(httpx2.BaseTransport):
    """Sends requests through a pool of httpcore connections.

    Args:
        pool: The pool. Its network backend interprets the timeouts of requests (see `Allowance`).
    """

    def __init__(self, pool: httpcore2.ConnectionPool) -> None:
        self._pool = pool

    @property
    def connections(self) -> int:
        """The number of connections, including idle ones."""
        return len(self._pool.connections)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, and wait for the headers of its response."""
        answer = self._pool.handle_request(
            httpcore2.Request(
                method=request.method,
                url=httpcore2.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.read(),
                extensions=request.extensions,
            )
        )
        return httpx2.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(answer),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()


class _Body(httpx2.SyncByteStream):
    """The body of a response, as it arrives."""

    def __init__(self, answer: httpcore2.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


MOST_CONNECTIONS = 100
_KEPT_CONNECTIONS = 20
_KEPT_S = 30.0
_UNKNOWN = "Name its address in the configuration if it is to be reached."


class Client:
    """An HTTP/1.1 client for servers on its allow-list. It is thread-safe.

    It never follows redirects, always verifies certificates, and reads nothing from the environment: no
    proxy, no `.netrc`.

    Args:
        proxy: The URL of a proxy, which must be on the allow-list; "" for none.
        ca_file: A file of certificates to trust in addition to the system's; "" for none.
        connections: The maximum number of simultaneous connections.
    """

    def __init__(self, *, proxy: str = "", ca_file: str = "", connections: int = MOST_CONNECTIONS) -> None:
        self._allowed: dict[tuple[str, int], str] = {}
        self._origins: set[tuple[str, str, int]] = set()
        self._lock = threading.Lock()
        self._exchanges: dict[int, weakref.ref[Exchange]] = {}
        through = None
        if proxy:
            place = place_of(proxy)
            through = httpcore2.Proxy(place.url())
            self._allowed[place.host, place.port] = ""
        self._pool = Pool(
            httpcore2.ConnectionPool(
                ssl_context=_trusting(ca_file),
                proxy=through,
                max_connections=connections,
                max_keepalive_connections=_KEPT_CONNECTIONS,
                keepalive_expiry=_KEPT_S,
                network_backend=Sockets(self._way_to),
            )
        )
        self._proxied = bool(proxy)
        self._http = httpx2.Client(
            transport=self._pool, trust_env=False, follow_redirects=False, timeout=None
        )

    def allow(self, place: Place) -> None:
        """Add a configured server to the allow-list."""
        with self._lock:
            self._origins.add(place.origin)
            if not self._proxied:
                self._allowed[place.host, place.port] = place.socket

    def exchange(
        self,
        place: Place,
        path: str,
        *,
        method: str = "POST",
        body: object = None,
        headers: Mapping[str, Secret | str] | None = None,
        deadline: Deadline | None = None,
        limits: Limits | None = None,
    ) -> Exchange:
        """Prepare a call. It is sent when its response is first read."""
        if place.origin not in self._origins:
            raise ConfigError(f"The configuration does not name {place}.", hint=_UNKNOWN)
        limits = limits or Limits()
        return Exchange(
            self._http,
            self._exchanges,
            place,
            path,
            method=method,
            body=body,
            headers=headers or {},
            deadline=deadline or Deadline(limits.timeout_s),
            limits=limits,
        )

    def _way_to(self, host: str, port: int) -> str:
        """Return the Unix socket for a host and port. Enforces the allow-list below the HTTP layer."""
        try:
            return self._allowed[host, port]
        except KeyError:
            raise ConfigError(f"The configuration does not name {host}:{port}.", hint=_UNKNOWN) from None

    @property
    def connections(self) -> int:
        """The number of connections, including idle ones."""
        return self._pool.connections

    @property
    def calls(self) -> int:
        """The number of calls in progress."""
        return len(self._exchanges)

    def close(self) -> None:
        """Cancel all calls, and close all connections."""
        for known in tuple(self._exchanges.values()):
            exchange = known()
            if exchange is not None:
                exchange.close()
        with contextlib.suppress(RuntimeError, httpcore2.NetworkError):
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _trusting(ca_file: str) -> ssl.SSLContext:
    """Return an SSL context that trusts the system's certificates and those of a file."""
    context = ssl.create_default_context()
    if ca_file:
        try:
            context.load_verify_locations(ca_file)
        except OSError as error:
            message = f"The certificates in {ca_file} cannot be read."
            raise ConfigError(message, hint="Name a file in PEM form with ca_file.") from error
    return context
