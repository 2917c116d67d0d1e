"""The text and blocks of a page of HTML."""

from vademecum.core.documents import BlockKind
from vademecum.sources._blocks import BlockBuilder


class Layout(BlockBuilder):
    """See `BlockBuilder`. A marker without a block after it is left out."""

    def __init__(self) -> None:
        super().__init__()
        self._anchors: set[str] = set()

    def heading(self, text: str, level: int, anchor: str) -> None:
        """Add a heading of depth `level`, from 1."""
        self.settle()
        self._add("heading", text, level, anchor)

    def paragraph(self, text: str, level: int) -> None:
        """Add running text inside `level` lists; it becomes the body of a tag that waits for one."""
        if self._tag and not self._marker and level >= self._tag_level:
            self._add_tag(text, level)
            return
        self._add_tag()
        self._add("paragraph", text, level)

    def tag(self, text: str, level: int, anchor: str) -> None:
        """Add a list tag; several in a row are one tag of several lines."""
        if self._tag and self._tag_level == level and not self._marker:
            self._extend_tag(text, anchor)
            return
        self.settle()
        self._tag, self._tag_level, self._tag_anchor = text, level, anchor

    def marker(self, mark: str) -> None:
        """Put a bullet or number before the next block."""
        self._add_tag()
        self._marker = mark

    def settle(self) -> None:
        """Add the waiting tag without a body: nothing that belongs to it follows."""
        self._marker = ""
        self._add_tag()

    def _anchor_of(self, _kind: BlockKind, _title: str, anchor: str) -> str:
        if anchor in self._anchors:
            return ""  # a fragment leads to the first that has it
        if anchor:
            self._anchors.add(anchor)
        return anchor
