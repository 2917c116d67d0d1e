"""A moment by which something must be done, however many steps and tries it takes."""

from time import monotonic


class Deadline:
    """A span of time that began when this was made. One is handed through all that an answer takes.

    Args:
        seconds: How long there is.

    >>> Deadline(0).passed
    True
    """

    __slots__ = ("_ends", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = max(0.0, seconds)
        self._ends = monotonic() + self.seconds

    @property
    def remaining_s(self) -> float:
        """How much of it is left; 0 when it has passed."""
        return max(0.0, self._ends - monotonic())

    @property
    def passed(self) -> bool:
        """Whether nothing of it is left."""
        return not self.remaining_s

    def __repr__(self) -> str:
        return f"Deadline({self.remaining_s:.1f} of {self.seconds:g} s left)"
