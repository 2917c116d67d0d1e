"""A page's text and blocks, put together piece by piece while its markup is read."""

from vademecum.core.documents import Block, BlockKind


class Layout:
    """Collects blocks in reading order and joins their text with line ends.

    A list tag waits until what follows it is known: a paragraph of the list's body joins it as
    one `item`, another tag extends it, anything else leaves it alone.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._pieces: list[str] = []
        self._length = 0
        self._anchors: set[str] = set()
        self._tag = ""
        self._tag_anchor = ""
        self._tag_level = 0
        self._marker = ""

    @property
    def text(self) -> str:
        """The text so far: pieces in order, a line end between any two."""
        return "\n".join(self._pieces)

    def heading(self, text: str, level: int, anchor: str) -> None:
        """Add a heading of depth `level`, from 1."""
        self.settle()
        self._add("heading", text, level, anchor)

    def paragraph(self, text: str, level: int) -> None:
        """Add running text inside `level` lists; it becomes the body of a tag that waits for one."""
        if self._tag and not self._marker and level >= self._tag_level:
            tag, self._tag = self._tag, ""
            self._add("item", f"{tag}\n{text}", level, self._tag_anchor, len(tag))
            return
        self._settle_tag()
        self._add("paragraph", text, level)

    def code(self, text: str, level: int) -> None:
        """Add lines whose breaks matter."""
        self._settle_tag()
        self._add("code", text, level)

    def table(self, text: str, level: int) -> None:
        """Add a table, one line a row."""
        self._settle_tag()
        self._add("table", text, level)

    def tag(self, text: str, level: int, anchor: str) -> None:
        """Add a list tag; several in a row are one tag of several lines."""
        if self._tag and self._tag_level == level and not self._marker:
            self._tag = f"{self._tag}\n{text}"
            self._tag_anchor = self._tag_anchor or anchor
            return
        self.settle()
        self._tag, self._tag_level, self._tag_anchor = text, level, anchor

    def marker(self, mark: str) -> None:
        """Put a bullet or number before the next block: part of the text, not of the block.

        One without a block after it is left out.
        """
        self._settle_tag()
        self._marker = mark

    def settle(self) -> None:
        """Add the waiting tag without a body: nothing that belongs to it follows."""
        self._marker = ""
        self._settle_tag()

    def _settle_tag(self) -> None:
        if self._tag:
            tag, self._tag = self._tag, ""
            self._add("item", tag, self._tag_level, self._tag_anchor, len(tag))

    def _add(self, kind: BlockKind, text: str, level: int, anchor: str = "", tag_length: int = 0) -> None:
        start = self._length
        if self._marker:
            start += len(self._marker) + 1
            self._pieces.append(f"{self._marker} {text}")
            self._marker = ""
        else:
            self._pieces.append(text)
        if anchor in self._anchors:
            anchor = ""  # a fragment leads to the first that has it
        elif anchor:
            self._anchors.add(anchor)
        end = start + len(text)
        self.blocks.append(Block(kind, start, end, level, anchor, start + tag_length))
        self._length = end + 1
