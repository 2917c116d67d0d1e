"""Links to cited documents: a URL for a terminal or browser, or a command that opens the document."""

import re
from pathlib import Path

from vademecum.index.catalog.catalog import CatalogEntry


def url_of(source: CatalogEntry, reference: str, anchor: str = "") -> str:
    """Return a URL that opens a document, or "": `man:` for manual pages, `file:` for files, at the page of a PDF file.

    >>> url_of(CatalogEntry("man-pages", "man", "/usr/share/man"), "chmod(1)")
    'man:chmod(1)'
    >>> url_of(CatalogEntry("notes", "docs", "/home/you/notes"), "to do/list.md")
    'file:///home/you/notes/to%20do/list.md'
    """
    if source.type == "man":
        return f"man:{_quoted(reference)}"
    if source.type == "records" and "://" in reference:
        return reference
    if source.type == "docs" and source.location.startswith("/") and "\\" not in reference:
        page = _PDF_PAGE.fullmatch(anchor)
        return f"file://{_quoted(source.root)}/{_quoted(reference)}{f'#page={page[1]}' if page else ''}"
    return ""


_PAGE = re.compile(r"([\w.+:@-]+)\((\d\w*)\)")
_NODE = re.compile(r"([\w .,+-]+)\(([\w.+-]+)\)")

_PDF_PAGE = re.compile(r"page-(\d+)")

_LARGEST_FILE = 1 << 20
_FIRST_WORDS = 6


def read_with(source: CatalogEntry, reference: str, quote: str = "", anchor: str = "") -> str:
    """Return a command that opens a document, or the path of a file with the page, or with the line of a quotation if it is found; otherwise "".

    >>> read_with(CatalogEntry("man-pages", "man", "/usr/share/man"), "chmod(1)")
    'man 1 chmod'
    >>> read_with(CatalogEntry("info-pages", "info", "/usr/share/info"), "chmod invocation(coreutils)")
    "info '(coreutils) chmod invocation'"
    """
    if source.type == "man" and (page := _PAGE.fullmatch(reference)):
        return f"man {page[2]} {page[1]}"
    if source.type == "info" and (node := _NODE.fullmatch(reference)):
        return f"info '({node[2]}) {node[1]}'"
    if source.type == "records":
        return url_of(source, reference)
    if source.type == "docs" and source.location.startswith("/"):
        path = f"{source.root}/{reference}"
        if page := _PDF_PAGE.fullmatch(anchor):
            return f"{path}, page {page[1]}"
        line = _line_of(path, quote)
        return f"{path}:{line}" if line else path * Path(path).is_file()
    return ""


def _line_of(path: str, quote: str) -> int:
    """Return the line number of a quotation, from 1; 0 if it is not found, or the file is not plain text."""
    words = quote.split()[:_FIRST_WORDS]
    try:
        with Path(path).open(encoding="utf-8") as file:
            text = file.read(_LARGEST_FILE)
    except (OSError, ValueError):
        return 0
    begins = re.search(r"\W+".join(map(re.escape, words)), text) if words else None
    return text.count("\n", 0, begins.start()) + 1 if begins else 0


def _quoted(text: str) -> str:
    from urllib.parse import quote  # noqa: PLC0415 - 5 ms, for what is not plain

    plain = text.isascii() and text.replace("/", "a").replace(".", "a").replace("-", "a").replace("_", "a")
    bare = plain and plain.replace("(", "a").replace(")", "a").isalnum()
    return text if bare else quote(text.encode("utf-8", "surrogatepass"), safe="/()@+:,")
