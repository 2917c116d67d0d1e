"""The result of reading a file, in any format."""

from typing import NamedTuple

from vademecum.core.documents import Block


class Parsed(NamedTuple):
    """A file as text with its structure.

    Attributes:
        title: What it calls itself, or "".
        summary: What it says of itself in one line, or "".
        language: A BCP 47 tag, or "".
        text: The whole text.
        blocks: The structure, in reading order.
        links: Where it leads, as written.
    """

    title: str
    summary: str
    language: str
    text: str
    blocks: tuple[Block, ...]
    links: tuple[str, ...] = ()
