"""Build the text and blocks of a manual page from a renderer's output."""

import re

from vademecum.core.documents import BlockKind
from vademecum.sources._blocks import BlockBuilder

_OPTION = re.compile(r"(?:--?|\+)[^\s.,;:-]")
_WORD = re.compile(r"\w+")
_ENUMERATOR = re.compile(r"[•·*o+—–-]|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})[.)]")
_LONGEST_FAKE_TAG = 160
_MOST_WORDS_IN_FAKE_TAG = 8


def is_enumerator(tag: str) -> bool:
    """Return whether a list tag is only a number or mark (`1.`, `(a)`, `•`). Its entry is a paragraph, not an item."""
    return _ENUMERATOR.fullmatch(tag) is not None


def looks_like_tag(text: str) -> bool:
    """Return whether a paragraph above an indented block looks like a list tag.

    DocBook and AsciiDoc write option lists as `.PP`, the option, `.RS 4`, the explanation.
    """
    if len(text) > _LONGEST_FAKE_TAG or text.startswith(("$ ", "# ", "[")):
        return False
    if is_option(text):
        return True
    is_sentence = text[-1] in ".:,;!?" and not text.endswith("...")
    return not is_sentence and text.count(" ") < _MOST_WORDS_IN_FAKE_TAG


def is_option(tag: str) -> bool:
    """Return whether a tag starts with an option: `-x`, `--long`, `+x`."""
    return _OPTION.match(tag) is not None


def anchor_of(tag: str) -> str:
    """Return the anchor that mandoc would give a tag: its first word without dashes (`-R, --recursive`: `R`)."""
    word = _WORD.search(tag)
    if word:
        return word[0]
    sign = tag.split(maxsplit=1)[0]
    return sign.lstrip("-") or sign if sign.startswith(("-", "+")) else ""


class Layout(BlockBuilder):
    """A builder for manual pages; see `BlockBuilder`. A marker without a following block remains in the text."""

    def __init__(self) -> None:
        super().__init__()
        self._anchors: set[str] = set()
        self._tag_is_fake = False

    def heading(self, text: str, level: int, anchor: str = "") -> None:
        """Add a heading of depth `level`, counted from 1."""
        self.settle()
        self._add("heading", text, level, anchor)

    def paragraph(self, text: str, level: int) -> None:
        """Add text inside `level` lists. It becomes the body of a pending tag."""
        if self._tag and level >= self._tag_level:
            self._add_tag(text, level)
            return
        if self._tag:
            self.settle()
        # A command line at a prompt is code, whatever its markup.
        self._add("code" if text.startswith("$ ") else "paragraph", text, level)

    def code(self, text: str, level: int) -> None:
        """Add lines with significant line breaks."""
        self.settle()
        super().code(text, level)

    def table(self, text: str, level: int) -> None:
        """Add a table with one line per row."""
        self.settle()
        super().table(text, level)

    def tag(self, text: str, level: int, anchor: str = "") -> None:
        """Add a list tag. Consecutive tags form one tag with several lines."""
        if is_enumerator(text):
            self.marker(text)
            return
        if self._tag and self._tag_level == level and not self._tag_is_fake:
            self._extend_tag(text, anchor)
            return
        self.settle()
        self._tag, self._tag_level, self._tag_anchor = text, level, anchor
        self._tag_is_fake = False

    def marker(self, mark: str) -> None:
        """Put a bullet or number before the next block."""
        self.settle()
        self._marker = mark

    def retag(self, level: int) -> bool:
        """Convert the last paragraph to the tag of the indented block that begins now.

        Returns:
            Whether the last block was a paragraph that looks like a tag.
        """
        last = self.blocks[-1] if self.blocks else None
        if self._tag or self._marker or last is None or last.kind != "paragraph":
            return False
        text = self._pieces[-1]
        if last.end - last.start != len(text) or not looks_like_tag(text):
            return False
        self.blocks.pop()
        self._pieces.pop()
        self._length = last.start
        self._tag, self._tag_level, self._tag_anchor = text, level, ""
        self._tag_is_fake = True
        return True

    def settle(self) -> None:
        """Add the pending tag without a body, because nothing that belongs to it follows."""
        if self._marker:
            self._pieces.append(self._marker)
            self._length += len(self._marker) + 1
            self._marker = ""
        if self._tag and self._tag_is_fake and not is_option(self._tag):
            tag, self._tag = self._tag, ""
            self._add("paragraph", tag, self._tag_level - 1)
        self._add_tag()

    def _anchor_of(self, kind: BlockKind, title: str, anchor: str) -> str:
        if kind == "heading":
            wanted = anchor or re.sub(r"\s+", "_", title)
        elif kind == "item":
            wanted = anchor or anchor_of(title)
        else:
            return ""
        anchor, count = wanted, 1
        while anchor and anchor in self._anchors:
            count += 1
            anchor = f"{wanted}~{count}"
        self._anchors.add(anchor)
        return anchor
