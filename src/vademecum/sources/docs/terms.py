"""A builder of text in which a term and its description are one line, so that they are quoted together."""

from vademecum.sources._html.layout import Layout


class TermLayout(Layout):
    """A `Layout` that writes `-u, --all: Take all files.` for a term of several lines and its description."""

    def _extend_tag(self, text: str, anchor: str = "") -> None:
        self._tag = f"{self._tag}, {text}"
        self._tag_anchor = self._tag_anchor or anchor

    def _add_tag(self, body: str | None = None, level: int | None = None) -> None:
        if not self._tag:
            return
        tag, self._tag = self._tag.rstrip(": ") or self._tag, ""
        text = tag if body is None else f"{tag}: {body}"
        self._add("item", text, self._tag_level if level is None else level, self._tag_anchor, len(tag))
