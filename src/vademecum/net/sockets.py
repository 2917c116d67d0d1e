"""The limits of a call, and a network backend for the connection pool that enforces them and the allow-list."""

import contextlib
import select
import socket
import ssl
from collections.abc import Callable, Iterable
from threading import Event, Lock
from typing import Any, NamedTuple, Self

import httpcore2

from vademecum.core.deadline import Deadline
from vademecum.core.errors import ConfigError, ProviderTimeout, StreamClosed

MEGABYTE = 1 << 20


class Limits(NamedTuple):
    """The limits of a call.

    Attributes:
        timeout_s: The timeout of all attempts together, unless the call has its own deadline.
        connect_s: The timeout of a connection attempt.
        stall_s: The maximum pause within a response.
        retries: The maximum number of retries. A call is not retried after its response has started.
        first_pause_s: The delay before the first retry. It doubles each time, with random jitter of up to a quarter.
        answer_bytes: The maximum size of a response that is not streamed.
        line_bytes: The maximum length of a line or event in a stream.
        stream_bytes: The maximum size of a stream.
    """

    timeout_s: float = 120.0
    connect_s: float = 5.0
    stall_s: float = 60.0
    retries: int = 3
    first_pause_s: float = 1.0
    answer_bytes: int = 32 * MEGABYTE
    line_bytes: int = MEGABYTE
    stream_bytes: int = 64 * MEGABYTE


_SLOW = "Try again, give it more time (timeout_s), or ask for less."
_LEAST_S = 0.001  # a timeout of 0 would mean not to wait at all
_STALLED = "Try again, or let it pause for longer (stall_s)."


class Call:
    """The state that all attempts of a call share.

    If a socket were closed while another thread reads from it, that thread could read from a new socket with the same
    descriptor. So `end` only shuts the socket down: the reader gets an end of file, and closes it.

    Args:
        whom: The name of the server in messages.
        limits: The timeouts for connecting and for pauses.

    Attributes:
        answering: Whether the response has started.
        reusing: Whether the connection is reused, so that the server may be about to close it.
    """

    def __init__(self, whom: str, deadline: Deadline, limits: Limits) -> None:
        self.whom = whom
        self.deadline = deadline
        self._limits = limits
        self._lock = Lock()
        self._ended = Event()
        self._socket: socket.socket | None = None
        self.answering = False
        self.reusing = False

    def is_ended(self) -> bool:
        """Return whether the call has been cancelled."""
        return self._ended.is_set()

    def end(self) -> None:
        """Cancel the call, from any thread. Threads that wait for it wake up."""
        self._ended.set()
        with self._lock:
            if self._socket is not None:
                shut_down(self._socket)

    def hold(self, used: socket.socket) -> None:
        """Record the socket in use, so that `end` can shut it down."""
        with self._lock:
            self._socket = used
        self.check()

    def let_go(self) -> None:
        """Forget the socket, which was closed or returned to the pool."""
        with self._lock:
            self._socket = None

    def check(self) -> None:
        """Check that the call may continue."""
        if self.is_ended():
            raise StreamClosed(f"The call to {self.whom} was ended before it was answered.")
        if self.deadline.passed:
            raise self.too_late()

    def patience_s(self, *, connecting: bool = False) -> float:
        """Return the time limit of the next step, in seconds."""
        self.check()
        most = self._limits.stall_s if self.answering else float("inf")
        return max(_LEAST_S, min(self.deadline.remaining_s, self._limits.connect_s if connecting else most))

    def pause(self, seconds: float) -> None:
        """Wait before a retry, unless the call is cancelled."""
        self._ended.wait(seconds)
        self.check()

    def hurry(self, seconds: float) -> None:
        """Reduce the maximum pause for the rest of the response."""
        self._limits = self._limits._replace(stall_s=seconds)
        self.answering = True

    def too_late(self) -> ProviderTimeout:
        """Return the exception for a step that took too long: a passed deadline, or a stalled response."""
        if self.deadline.passed:
            message = f"{self.whom} did not answer within {round(self.deadline.seconds, 2):g} s."
            return ProviderTimeout(message, hint=_SLOW)
        if self.answering:
            message = f"{self.whom} began to answer and then said nothing for {self._limits.stall_s:g} s."
            return ProviderTimeout(message, hint=_STALLED)
        message = f"{self.whom} could not be reached within {self._limits.connect_s:g} s."
        return ProviderTimeout(message, hint="Check the address, and that the server runs.")


class Allowance(float):
    """A float that serves as a timeout and carries its call.

    The connection pool passes the timeouts of a request to the sockets unchanged. A socket uses this to find out which call it
    serves, and how much time the call has left.
    """

    __slots__ = ("call",)
    call: Call

    def __new__(cls, call: Call) -> Self:
        """Create it with the time that the call has left."""
        made = super().__new__(cls, call.deadline.remaining_s)
        made.call = call
        return made


def shut_down(used: socket.socket) -> None:
    """Shut a socket down in both directions. Its descriptor stays in use until its owner closes it."""
    try:
        socket.socket.shutdown(
            used, socket.SHUT_RDWR
        )  # an SSL socket's own would pull its state from under a reader
    except OSError:  # not connected, or closed already
        return


Option = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]


class Sockets(httpcore2.NetworkBackend):
    """A network backend that opens connections.

    Args:
        way_to: Returns the Unix socket for a host and port, or "" to use TCP. It raises an error if the host is not on the allow-list.
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
        """Connect to the first address of a host that responds."""
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
        """Not used: `connect_tcp` also opens Unix sockets."""
        raise NotImplementedError(path, timeout, socket_options)

    def sleep(self, seconds: float) -> None:
        """Not used: the pool does not retry."""
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
    """A connection. The timeout of each read and write identifies the call that it serves."""

    def __init__(self, used: socket.socket) -> None:
        self._socket = used
        self._serves: Call | None = None

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read bytes; empty at the end of the stream."""
        call = self._begin(timeout)
        try:
            return self._socket.recv(max_bytes)
        except TimeoutError as error:
            raise call.too_late() from error
        except OSError as error:
            call.check()
            raise httpcore2.ReadError(error.strerror or "the connection broke") from error

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all bytes."""
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
        """Close the connection."""
        if self._serves is not None:
            self._serves.let_go()
            self._serves = None
        with contextlib.suppress(OSError):
            self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        """Start TLS, and verify the server's certificate."""
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
        """Return information about the connection for the pool."""
        if info == "is_readable":
            return _readable(self._socket)
        if info == "ssl_object":
            return self._socket if isinstance(self._socket, ssl.SSLSocket) else None
        return self._socket if info == "socket" else None


def _readable(used: socket.socket) -> bool:
    """Return whether a socket has data or an end of file to read. An idle connection should have neither."""
    if used.fileno() < 0:
        return True
    poll = select.poll()
    poll.register(used, select.POLLIN)
    return bool(poll.poll(0))


def _call(timeout: float | None) -> Call:
    if not isinstance(timeout, Allowance):
        raise ConfigError("A connection was asked for without a call.", hint="This is a fault in Vademecum.")
    return timeout.call
