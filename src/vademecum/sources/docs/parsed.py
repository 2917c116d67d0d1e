"""The result of reading a file, in any format."""

from typing import NamedTuple

from vademecum.core.documents import Block


class Parsed(NamedTuple):
    """A file as structured text.

    Attributes:
        title: The title that the file declares, or "".
        language: A BCP 47 tag, or "".
    """

    title: str
    summary: str
    language: str
    text: str
    blocks: tuple[Block, ...]
    links: tuple[str, ...] = ()
