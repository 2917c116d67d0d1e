"""One call on its way: how long it may still take, and how another thread ends it at once."""

import socket
from threading import Event, Lock
from typing import Self

from vademecum.core.deadline import Deadline
from vademecum.core.errors import ProviderTimeout, StreamClosed
from vademecum.net.limits import Limits

_SLOW = "Try again, give it more time (timeout_s), or ask for less."
_LEAST_S = 0.001  # a timeout of 0 would mean not to wait at all
_STALLED = "Try again, or let it pause for longer (stall_s)."


class Call:
    """What all tries of a call share.

    Closing a socket while another thread reads from it would let that thread read from whatever socket gets its
    number next. So `end` only shuts it down: the reader wakes with an end of file, and closes it itself.

    Args:
        whom: The server, as messages name it.
        deadline: For all of it.
        limits: The time to connect, and to pause.

    Attributes:
        answering: Whether the answer has begun.
        reusing: Whether the connection served another call before, so that the server may be about to close it.
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
        """Whether somebody has ended it."""
        return self._ended.is_set()

    def end(self) -> None:
        """End it, from any thread: its waiters wake."""
        self._ended.set()
        with self._lock:
            if self._socket is not None:
                shut_down(self._socket)

    def hold(self, used: socket.socket) -> None:
        """Note the socket in use, so that `end` finds it.

        Raises:
            StreamClosed: The call has been ended.
        """
        with self._lock:
            self._socket = used
        self.check()

    def let_go(self) -> None:
        """Forget the socket: it is closed, or another call may use it."""
        with self._lock:
            self._socket = None

    def check(self) -> None:
        """See that the call may go on.

        Raises:
            StreamClosed: It has been ended.
            ProviderTimeout: Its deadline has passed.
        """
        if self.is_ended():
            raise StreamClosed(f"The call to {self.whom} was ended before it was answered.")
        if self.deadline.passed:
            raise self.too_late()

    def patience_s(self, *, connecting: bool = False) -> float:
        """How long the next step may take.

        Raises:
            StreamClosed: It has been ended.
            ProviderTimeout: Its deadline has passed.
        """
        self.check()
        most = self._limits.stall_s if self.answering else float("inf")
        return max(_LEAST_S, min(self.deadline.remaining_s, self._limits.connect_s if connecting else most))

    def pause(self, seconds: float) -> None:
        """Wait before another try, unless the call is ended meanwhile.

        Raises:
            StreamClosed: It has been.
        """
        self._ended.wait(seconds)
        self.check()

    def hurry(self, seconds: float) -> None:
        """Let the rest of an answer pause no longer than this."""
        self._limits = self._limits._replace(stall_s=seconds)
        self.answering = True

    def too_late(self) -> ProviderTimeout:
        """What to raise when a step took too long: the deadline passed, or the answer stalled."""
        if self.deadline.passed:
            message = f"{self.whom} did not answer within {round(self.deadline.seconds, 2):g} s."
            return ProviderTimeout(message, hint=_SLOW)
        if self.answering:
            message = f"{self.whom} began to answer and then said nothing for {self._limits.stall_s:g} s."
            return ProviderTimeout(message, hint=_STALLED)
        message = f"{self.whom} could not be reached within {self._limits.connect_s:g} s."
        return ProviderTimeout(message, hint="Check the address, and that the server runs.")


class Allowance(float):
    """A call, in the place of a timeout.

    The pool of connections hands a request's timeouts down to the sockets as they are. So a socket learns from this
    whose it is just now, and how much time is left at that moment.
    """

    __slots__ = ("call",)
    call: Call

    def __new__(cls, call: Call) -> Self:
        """What is left for the call now."""
        made = super().__new__(cls, call.deadline.remaining_s)
        made.call = call
        return made


def shut_down(used: socket.socket) -> None:
    """End a socket's traffic both ways, and keep its number taken until its owner closes it."""
    try:
        socket.socket.shutdown(
            used, socket.SHUT_RDWR
        )  # an SSL socket's own would pull its state from under a reader
    except OSError:  # not connected, or closed already
        return
