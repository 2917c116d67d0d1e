"""Probe something that may not respond: a timeout for each attempt, and increasing pauses between attempts."""

import errno
import time
from collections.abc import Callable
from threading import Thread
from typing import Generic, NamedTuple, TypeVar

from vademecum.core.errors import ProviderBusy, ProviderTimeout, ProviderUnreachable, VademecumError

T = TypeVar("T")

_PASSING = {
    errno.EAGAIN, errno.ECONNABORTED, errno.ECONNREFUSED, errno.ECONNRESET, errno.EHOSTDOWN, errno.EHOSTUNREACH,
    errno.EINTR, errno.EIO, errno.ENETDOWN, errno.ENETUNREACH, errno.ENOTCONN, errno.EPIPE, errno.EREMOTEIO,
    errno.ESTALE, errno.ETIMEDOUT,
}  # fmt: skip
"""What a mount or service that is slow, or just coming up, answers. Anything else is a fact and will stay one."""


class Patience(NamedTuple):
    """How long to go on asking.

    Attributes:
        pauses_s: Before each further try.
        timeout_s: For each try.
    """

    pauses_s: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0)
    timeout_s: float = 3.0


class Probe(NamedTuple):
    """A configured part outside of the library, and how to find out whether it is there.

    Attributes:
        name: The component it is reported as.
        ask: Takes the time limit in seconds, and returns a sentence on what it found. It raises an error of the
            library, an `OSError` or a `ValueError` when the part is not as it should be.
        remedy: What to do then: one line, best a command.
    """

    name: str
    ask: Callable[[float], str]
    remedy: str


class NoAnswerError(OSError):
    """There was no answer within the time limit."""


class _Try(Thread, Generic[T]):
    """One try. A daemon: one that hangs in a dead mount cannot be stopped, and must not hold up the end."""

    def __init__(self, ask: Callable[[], T]) -> None:
        super().__init__(daemon=True)
        self._ask = ask
        self.answers: list[T] = []
        self.faults: list[Exception] = []

    def run(self) -> None:
        try:
            self.answers.append(self._ask())
        except Exception as fault:  # noqa: BLE001 - raised again in the thread that asked
            self.faults.append(fault)


def within(timeout_s: float, ask: Callable[[], T]) -> T:
    """What `ask` returns or raises, if it does in time.

    Raises:
        NoAnswerError: It does not.
    """
    trying = _Try(ask)
    trying.start()
    trying.join(timeout_s)
    if trying.faults:
        raise trying.faults[0]
    if not trying.answers:
        raise NoAnswerError(errno.ETIMEDOUT, f"no answer within {timeout_s:g} s")
    return trying.answers[0]


def persist(
    ask: Callable[[], T],
    patience: Patience,
    *,
    may_pass: Callable[[Exception], bool] | None = None,
    on_wait: Callable[[Exception, float], None] = lambda _fault, _pause_s: None,
) -> T:
    """Ask until there is an answer, or a fault that will not pass, or patience is at its end.

    Args:
        ask: Asked again each time.
        patience: Time limit and pauses.
        may_pass: Which faults are worth another try; by default those of a slow or restarting service.
        on_wait: Told of each fault that is waited out, and for how long.

    Raises:
        NoAnswerError: The last try had no answer in time.
        Exception: What the last try raised.
    """
    worth_it = may_pass or passes
    for pause_s in patience.pauses_s:
        try:
            return within(patience.timeout_s, ask)
        except Exception as fault:
            if not worth_it(fault):
                raise
            on_wait(fault, pause_s)
            time.sleep(pause_s)
    return within(patience.timeout_s, ask)


def passes(fault: Exception) -> bool:
    """Whether a fault is of the kind that a service or mount which is coming up gives."""
    if isinstance(fault, ProviderUnreachable | ProviderTimeout | ProviderBusy):
        return True
    return isinstance(fault, OSError) and (fault.errno in _PASSING or isinstance(fault, TimeoutError))


def why(fault: Exception) -> str:
    """A fault in a few words."""
    if isinstance(fault, VademecumError):
        return fault.message.rstrip(".")
    return getattr(fault, "strerror", None) or str(fault) or type(fault).__name__
