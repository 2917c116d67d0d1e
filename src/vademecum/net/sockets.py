"""The sockets below the pool of connections: they know the call they serve, and go to allowed hosts only."""

import contextlib
import select
import socket
import ssl
from collections.abc import Callable, Iterable
from typing import Any

import httpcore2

from vademecum.core.errors import ConfigError
from vademecum.net.call import Allowance, Call

Option = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]


class Sockets(httpcore2.NetworkBackend):
    """Opens connections.

    Args:
        way_to: Tells for a host and port by which Unix socket to go, "" for none; it raises for what is not allowed.
    """

    def __init__(self, way_to: Callable[[str, int], str]) -> None:
        self._way_to = way_to

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002 - a part of the interface
        socket_options: Iterable[Option] | None = None,  # noqa: ARG002 - likewise
    ) -> httpcore2.NetworkStream:
        """Connect to a host, by the first of its addresses that answers."""
        call = _call(timeout)
        path = self._way_to(host, port)
        if path:
            return _connected(call, socket.AF_UNIX, path)
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpcore2.ConnectError(f"its name cannot be looked up ({error.strerror})") from error
        fault: Exception = httpcore2.ConnectError("it has no address")
        for family, _, _, _, address in found:
            try:
                return _connected(call, family, address)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                fault = error
        raise fault

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Option] | None = None
    ) -> httpcore2.NetworkStream:
        """Not used: `connect_tcp` knows which hosts are reached by a Unix socket."""
        raise NotImplementedError(path, timeout, socket_options)

    def sleep(self, seconds: float) -> None:
        """Not used: the pool itself never tries again."""
        raise NotImplementedError(seconds)


def _connected(call: Call, family: int, address: Any) -> "Line":
    used = socket.socket(family, socket.SOCK_STREAM)
    try:
        call.hold(used)
        used.settimeout(call.patience_s(connecting=True))
        used.connect(address)
        if family != socket.AF_UNIX:
            used.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException as error:
        call.let_go()
        used.close()
        call.check()
        if isinstance(error, TimeoutError):
            raise httpcore2.ConnectTimeout(str(call.too_late())) from error
        if isinstance(error, OSError):
            raise httpcore2.ConnectError(error.strerror or "no connection") from error
        raise
    return Line(used)


class Line(httpcore2.NetworkStream):
    """A connection. Which call it serves, each read and write says."""

    def __init__(self, used: socket.socket) -> None:
        self._socket = used
        self._serves: Call | None = None

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Wait for bytes; none at the end."""
        call = self._begin(timeout)
        try:
            return self._socket.recv(max_bytes)
        except TimeoutError as error:
            raise call.too_late() from error
        except OSError as error:
            call.check()
            raise httpcore2.ReadError(error.strerror or "the connection broke") from error

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it."""
        view = memoryview(buffer)
        while view:
            call = self._begin(timeout)
            try:
                view = view[self._socket.send(view) :]
            except TimeoutError as error:
                raise call.too_late() from error
            except OSError as error:
                call.check()
                raise httpcore2.WriteError(error.strerror or "the connection broke") from error

    def _begin(self, timeout: float | None) -> Call:
        call = _call(timeout)
        if call is not self._serves:
            call.reusing = self._serves is not None
            if self._serves is not None:
                self._serves.let_go()
            self._serves = call
            call.hold(self._socket)
        self._socket.settimeout(call.patience_s())
        return call

    def close(self) -> None:
        """Close it."""
        if self._serves is not None:
            self._serves.let_go()
            self._serves = None
        with contextlib.suppress(OSError):
            self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        """Encrypt it, once the server has shown that it is the one asked for."""
        call = _call(timeout)
        wrapped = ssl_context.wrap_socket(
            self._socket, server_hostname=server_hostname, do_handshake_on_connect=False
        )
        try:
            call.hold(wrapped)
            wrapped.settimeout(call.patience_s(connecting=True))
            wrapped.do_handshake()
        except BaseException as error:
            call.let_go()
            wrapped.close()
            call.check()
            if isinstance(error, ssl.SSLCertVerificationError):
                raise httpcore2.ConnectError(
                    f"its certificate is not trusted: {error.verify_message}"
                ) from error
            if isinstance(error, TimeoutError):
                raise httpcore2.ConnectTimeout(str(call.too_late())) from error
            if isinstance(error, OSError):
                raise httpcore2.ConnectError(f"no secure connection: {error.strerror}") from error
            raise
        return Line(wrapped)

    def get_extra_info(self, info: str) -> Any:
        """What the pool asks of a connection."""
        if info == "is_readable":
            return _readable(self._socket)
        if info == "ssl_object":
            return self._socket if isinstance(self._socket, ssl.SSLSocket) else None
        return self._socket if info == "socket" else None


def _readable(used: socket.socket) -> bool:
    """Whether a socket has something to read, be it its end. One that is idle should not."""
    if used.fileno() < 0:
        return True
    poll = select.poll()
    poll.register(used, select.POLLIN)
    return bool(poll.poll(0))


def _call(timeout: float | None) -> Call:
    if not isinstance(timeout, Allowance):
        raise ConfigError("A connection was asked for without a call.", hint="This is a fault in Vademecum.")
    return timeout.call
