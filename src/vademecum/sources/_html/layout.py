"""The text and blocks of an HTML page."""

from vademecum.core.documents import BlockKind
from vademecum.sources._blocks import BlockBuilder


class Layout(BlockBuilder):
    """A builder for HTML; see `BlockBuilder`. A marker without a following block is discarded."""

    def __init__(self) -> None:
        super().__init__()
        self._anchors: set[str] = set()

    def heading(self, text: str, level: int, anchor: str) -> None:
        """Add a heading of depth `level`, counted from 1."""
        self.settle()
        self._add("heading", text, level, anchor)

    def paragraph(self, text: str, level: int) -> None:
        """Add text inside `level` lists. It becomes the body of a pending tag."""
        if self._tag and not self._marker and level >= self._tag_level:
            self._add_tag(text, level)
            return
        self._add_tag()
        self._add("paragraph", text, level)

    def tag(self, text: str, level: int, anchor: str) -> None:
        """Add a list tag. Consecutive tags form one tag with several lines."""
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
        """Add the pending tag without a body, because nothing that belongs to it follows."""
        self._marker = ""
        self._add_tag()

    def _anchor_of(self, _kind: BlockKind, _title: str, anchor: str) -> str:
        if anchor in self._anchors:
            return ""  # a fragment leads to the first block that has it
        if anchor:
            self._anchors.add(anchor)
        return anchor


class TermLayout(Layout):
    """A `Layout` that writes `-u, --all: Take all files.` for a term of several lines and its description."""

    between_tags = ", "
    before_body = ": "

    def tag(self, text: str, level: int, anchor: str) -> None:
        """See `Layout.tag`. A colon at the end of a term is left out."""
        super().tag(text.rstrip(": ") or text, level, anchor)
