"""Probe something that may not respond: a timeout for each attempt, and increasing pauses between attempts."""

import errno
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import NamedTuple, TypeVar

from vademecum.core.errors import ProviderBusy, ProviderTimeout, ProviderUnreachable, VademecumError

T = TypeVar("T")

_PASSING = {
    errno.EAGAIN, errno.ECONNABORTED, errno.ECONNREFUSED, errno.ECONNRESET, errno.EHOSTDOWN, errno.EHOSTUNREACH,
    errno.EINTR, errno.EIO, errno.ENETDOWN, errno.ENETUNREACH, errno.ENOTCONN, errno.EPIPE, errno.EREMOTEIO,
    errno.ESTALE, errno.ETIMEDOUT,
}  # fmt: skip
"""The errors of a mount or service that is slow or starting up. Other errors are permanent."""


class Patience(NamedTuple):
    """Timeouts and retries.

    Attributes:
        pauses_s: The pause before each retry, in seconds.
        timeout_s: The time limit of each attempt, in seconds.
    """

    pauses_s: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0)
    timeout_s: float = 3.0


class Probe(NamedTuple):
    """A test of a configured component outside of the library.

    Attributes:
        ask: Takes the time limit in seconds, and returns a sentence about the result. It raises a `VademecumError`,
            an `OSError` or a `ValueError` if there is a problem.
        remedy: What to do about a problem: one line, preferably a command.
    """

    name: str
    ask: Callable[[float], str]
    remedy: str


class NoAnswerError(OSError):
    """There was no answer within the time limit."""


def within(timeout_s: float, ask: Callable[[], T]) -> T:
    """Return or raise what `ask` returns or raises within the time limit.

    It runs in a daemon thread, because an attempt that hangs in a dead mount must not prevent the exit.
    """
    answer: Future[T] = Future()

    def attempt() -> None:
        try:
            answer.set_result(ask())
        except Exception as fault:  # noqa: BLE001 - raised again in the thread that asked
            answer.set_exception(fault)

    Thread(target=attempt, daemon=True).start()
    if not wait([answer], timeout_s).done:
        raise NoAnswerError(errno.ETIMEDOUT, f"no answer within {timeout_s:g} s")
    return answer.result()


def persist(
    ask: Callable[[], T],
    patience: Patience,
    *,
    on_wait: Callable[[Exception, float], None] = lambda _fault, _pause_s: None,
) -> T:
    """Call `ask` until it succeeds, raises a permanent error, or there are no more retries.

    Args:
        ask: Called for each attempt.
        on_wait: Called with the error and the pause in seconds before each pause.
    """
    for pause_s in patience.pauses_s:
        try:
            return within(patience.timeout_s, ask)
        except Exception as fault:
            if not passes(fault):
                raise
            on_wait(fault, pause_s)
            time.sleep(pause_s)
    return within(patience.timeout_s, ask)


def passes(fault: Exception) -> bool:
    """Return whether an error is typical of a slow service or mount, or of one that is starting up."""
    if isinstance(fault, ProviderUnreachable | ProviderTimeout | ProviderBusy):
        return True
    return isinstance(fault, OSError) and (fault.errno in _PASSING or isinstance(fault, TimeoutError))


def why(fault: Exception) -> str:
    """Describe an error in a few words."""
    if isinstance(fault, VademecumError):
        return fault.message.rstrip(".")
    return getattr(fault, "strerror", None) or str(fault) or type(fault).__name__
