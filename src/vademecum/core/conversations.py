"""Earlier turns of a conversation."""

from typing import NamedTuple


class Turn(NamedTuple):
    """A question that was asked before.

    Attributes:
        asked: The question as asked.
        read_as: As it was taken; the same when it stood alone.
        references: The documents that it was answered from, best first; none when there was no answer.
    """

    asked: str
    read_as: str
    references: tuple[str, ...]
