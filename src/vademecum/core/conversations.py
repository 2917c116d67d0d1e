"""Earlier turns of a conversation."""

from typing import NamedTuple


class Turn(NamedTuple):
    """An earlier question of a conversation.

    Attributes:
        asked: The question, as asked.
        read_as: The resolved question; the same if it was self-contained.
        references: The documents that it was answered from, best first; empty if there was no answer.
    """

    asked: str
    read_as: str
    references: tuple[str, ...]
