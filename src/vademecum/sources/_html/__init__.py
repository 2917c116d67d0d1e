"""Convert HTML to text and blocks, for archives, folders of pages, and books."""

from vademecum.sources._html.guard import decode_html
from vademecum.sources._html.page import HtmlLink, HtmlPage, read_html

__all__ = ["HtmlLink", "HtmlPage", "decode_html", "read_html"]
