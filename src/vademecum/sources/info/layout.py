"""The text and blocks of a node of an info manual."""

import re

from vademecum.core.documents import BlockKind
from vademecum.sources._blocks import BlockBuilder

_QUOTED = re.compile(r"‘([^‘’]+)’|`([^`']+)'|(?<![\w'])'([^'\s][^']*)'(?![\w'])")
_OPTION = re.compile(r"[-+][\w?#@-]")


def unquoted(tag: str) -> str:
    """Return a list tag without the quotes that `makeinfo` puts around literal text: `-R`, not `‘-R’`."""
    return _QUOTED.sub(lambda found: found[1] or found[2] or found[3], tag)


def is_quoted(tag: str) -> bool:
    """Return whether a line consists only of quoted words."""
    return tag[0] in "‘`'" and not _QUOTED.sub("", tag).strip(" ,")


def is_option(tag: str) -> bool:
    """Return whether a line starts with an option, ignoring quotes."""
    return _OPTION.match(unquoted(tag)) is not None


class Layout(BlockBuilder):
    """A builder for info nodes; see `BlockBuilder`.

    Args:
        anchor: The anchor of headings and items. `info` can go to a node, but not to a place within it.
    """

    def __init__(self, anchor: str) -> None:
        super().__init__()
        self._anchor = anchor

    def heading(self, text: str, level: int, number: str = "") -> None:
        """Add a heading of depth `level`, counted from 1. Its number is part of the text, not of the block."""
        self.marker(number)
        self._add("heading", text, level)

    def add(self, kind: BlockKind, text: str, level: int) -> None:
        """Add a block inside `level` lists. A paragraph becomes the body of a pending tag."""
        if self._tag and kind == "paragraph" and level == self._tag_level:
            self._add_tag(text, level)
            return
        self.settle()
        self._add(kind, text, level)

    def tag(self, text: str, level: int) -> None:
        """Add a list tag. Consecutive tags form one tag with several lines."""
        if self._tag and self._tag_level == level:
            self._extend_tag(text)
            return
        self.settle()
        self._tag, self._tag_level = text, level

    def marker(self, mark: str) -> None:
        """Put a bullet or number before the next block."""
        self.settle()
        self._marker = f"{self._marker} {mark}".strip()

    def _anchor_of(self, kind: BlockKind, _title: str, _anchor: str) -> str:
        return self._anchor if kind in {"heading", "item"} else ""
