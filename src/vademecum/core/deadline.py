"""Deadlines, and cancellation from another thread."""

from threading import Lock
from time import monotonic
from typing import Protocol

from vademecum.core.errors import StreamClosed


class Deadline:
    """A time limit that starts when it is created. All steps of an answer share one.

    Args:
        seconds: The time limit in seconds.

    >>> Deadline(0).passed
    True
    """

    __slots__ = ("_ends", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = max(0.0, seconds)
        self._ends = monotonic() + self.seconds

    @property
    def remaining_s(self) -> float:
        """The remaining time in seconds; 0 if the deadline has passed."""
        return max(0.0, self._ends - monotonic())

    @property
    def passed(self) -> bool:
        """Return whether the deadline has passed."""
        return not self.remaining_s

    def __repr__(self) -> str:
        return f"Deadline({self.remaining_s:.1f} of {self.seconds:g} s left)"


class _Closable(Protocol):
    def close(self) -> None: ...


class Closing:
    """Closes a resource from any thread: immediately, or as soon as it is opened."""

    __slots__ = ("_closed", "_held", "_lock")

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: _Closable | None = None
        self._closed = False

    @property
    def closed(self) -> bool:
        """Return whether `close` was called."""
        return self._closed

    def hold(self, opened: _Closable) -> None:
        """Register an open resource. It replaces the previous one.

        Raises:
            StreamClosed: `close` was called before. The resource is closed.
        """
        with self._lock:
            self._held = opened
            closed = self._closed
        if closed:
            opened.close()
            raise StreamClosed("The answer was ended before it was whole.")

    def close(self) -> None:
        """Close the open resource, and every one registered later. Repeated calls are allowed."""
        with self._lock:
            self._closed, held = True, self._held
        if held is not None:
            held.close()
