"""Build the text and blocks of a document while its markup is parsed."""

from typing import NamedTuple

from vademecum.core.documents import Block, BlockKind


class BlockBuilder:
    """A builder that collects blocks in reading order and joins their texts with newlines.

    A list tag is pending until the next block is known. If that is a paragraph of the list's body, tag and paragraph become one
    `item`. If it is another tag, that is appended. Otherwise, the tag has no body. A marker (a bullet or a number) is put before the next
    block; it is part of the text, not of the block. Each source defines a subclass that handles the elements of its
    markup.

    Attributes:
        between_tags: The text between two tags of one item.
        before_body: The text between the tag of an item and its body.
    """

    between_tags = "\n"
    before_body = "\n"

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._pieces: list[str] = []
        self._length = 0
        self._tag = ""
        self._tag_anchor = ""
        self._tag_level = 0
        self._marker = ""

    @property
    def text(self) -> str:
        """The text so far: the pieces in order, joined with newlines."""
        return "\n".join(self._pieces)

    def settle(self) -> None:
        """Add the pending tag without a body, because nothing that belongs to it follows."""
        self._add_tag()

    def code(self, text: str, level: int) -> None:
        """Add lines with significant line breaks."""
        self._add_tag()
        self._add("code", text, level)

    def table(self, text: str, level: int) -> None:
        """Add a table with one line per row."""
        self._add_tag()
        self._add("table", text, level)

    def _extend_tag(self, text: str, anchor: str = "") -> None:
        self._tag = f"{self._tag}{self.between_tags}{text}"
        self._tag_anchor = self._tag_anchor or anchor

    def _add_tag(self, body: str | None = None, level: int | None = None) -> None:
        """Add the pending tag, if any, as an item."""
        if not self._tag:
            return
        tag, self._tag = self._tag, ""
        text = tag if body is None else f"{tag}{self.before_body}{body}"
        self._add("item", text, self._tag_level if level is None else level, self._tag_anchor, len(tag))

    def _add(self, kind: BlockKind, text: str, level: int, anchor: str = "", tag_length: int = 0) -> None:
        start = self._length
        if self._marker:
            start += len(self._marker) + 1
            self._pieces.append(f"{self._marker} {text}")
            self._marker = ""
        else:
            self._pieces.append(text)
        end = start + len(text)
        anchor = self._anchor_of(kind, text[:tag_length] if kind == "item" else text, anchor)
        self.blocks.append(Block(kind, start, end, level, anchor, start + tag_length))
        self._length = end + 1

    def _anchor_of(self, _kind: BlockKind, _title: str, anchor: str) -> str:
        """Return the anchor of a block whose heading or tag is `title`, given the anchor in its markup."""
        return anchor


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
