"""A node's text and blocks, put together piece by piece."""

import re

from vademecum.core.documents import Block, BlockKind

_QUOTED = re.compile(r"‘([^‘’]+)’|`([^`']+)'|(?<![\w'])'([^'\s][^']*)'(?![\w'])")
_OPTION = re.compile(r"[-+][\w?#@-]")


def unquoted(tag: str) -> str:
    """A list tag without the quotes that `makeinfo` puts around what is to be typed: `-R`, not `‘-R’`."""
    return _QUOTED.sub(lambda found: found[1] or found[2] or found[3], tag)


def is_quoted(tag: str) -> bool:
    """Whether a line is nothing but quoted words."""
    return tag[0] in "‘`'" and not _QUOTED.sub("", tag).strip(" ,")


def is_option(tag: str) -> bool:
    """Whether a line, quotes aside, starts with an option."""
    return _OPTION.match(unquoted(tag)) is not None


class Layout:
    """Collects blocks in reading order and joins their text with line ends.

    A list tag waits until what follows it is known: a paragraph of the list's body joins it as one
    `item`, another tag extends it, anything else leaves it alone.

    Args:
        anchor: Of headings and items. `info` can go to a node and to nothing within it.
    """

    def __init__(self, anchor: str) -> None:
        self.blocks: list[Block] = []
        self._anchor = anchor
        self._pieces: list[str] = []
        self._length = 0
        self._tags: list[str] = []
        self._tag_level = 0
        self._marker = ""

    @property
    def text(self) -> str:
        """The text so far: pieces in order, a line end between any two."""
        return "\n".join(self._pieces)

    def heading(self, text: str, level: int, number: str = "") -> None:
        """Add a heading of depth `level`, from 1; its number is part of the text, not of the block."""
        self.marker(number)
        self._add("heading", text, level)

    def add(self, kind: BlockKind, text: str, level: int) -> None:
        """Add a block inside `level` lists; a paragraph becomes the body of a tag that waits for one."""
        if self._tags and kind == "paragraph" and level == self._tag_level:
            tag = self._take_tag()
            self._add("item", f"{tag}\n{text}", level, len(tag))
            return
        self.settle()
        self._add(kind, text, level)

    def tag(self, text: str, level: int) -> None:
        """Add a list tag; several in a row are one tag of several lines."""
        if self._tag_level != level:
            self.settle()
        self._tags.append(text)
        self._tag_level = level

    def marker(self, mark: str) -> None:
        """Put a bullet or number before the next block: part of the text, not of the block."""
        self.settle()
        self._marker = f"{self._marker} {mark}".strip()

    def settle(self) -> None:
        """Add the waiting tag without a body: nothing that belongs to it follows."""
        if self._tags:
            tag = self._take_tag()
            self._add("item", tag, self._tag_level, len(tag))

    def _take_tag(self) -> str:
        tag = "\n".join(self._tags)
        self._tags = []
        return tag

    def _add(self, kind: BlockKind, text: str, level: int, tag_length: int = 0) -> None:
        start = self._length + (len(self._marker) + 1 if self._marker else 0)
        self._pieces.append(f"{self._marker} {text}" if self._marker else text)
        self._marker = ""
        end = start + len(text)
        anchor = self._anchor if kind in {"heading", "item"} else ""
        self.blocks.append(Block(kind, start, end, level, anchor, start + tag_length))
        self._length = end + 1
