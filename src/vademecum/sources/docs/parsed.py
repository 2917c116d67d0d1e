"""The result of reading a file, in any format."""

from typing import NamedTuple

from vademecum.core.documents import Block


class Parsed(NamedTuple):
    """A file as structured text.

    Attributes:
        title: The title that the file declares, or "".
        summary: A one-line description from the file, or "".
        language: A BCP 47 tag, or "".
        text: The whole text.
        blocks: The structure, in reading order.
        links: The link targets, as written.
    """

    title: str
    summary: str
    language: str
    text: str
    blocks: tuple[Block, ...]
    links: tuple[str, ...] = ()
