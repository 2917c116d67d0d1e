"""A builder of text in which a term and its description are one line, so that they are quoted together."""

from vademecum.sources._html.layout import Layout


class TermLayout(Layout):
    """A `Layout` that writes `-u, --all: Take all files.` for a term of several lines and its description."""

    between_tags = ", "
    before_body = ": "

    def tag(self, text: str, level: int, anchor: str) -> None:
        """See `Layout.tag`. A colon at the end of a term is left out."""
        super().tag(text.rstrip(": ") or text, level, anchor)
