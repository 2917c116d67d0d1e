"""Opening: where a document that is cited can be seen, as a URL that a terminal or browser follows."""

from vademecum.index.catalog import CatalogEntry


def url_of(source: CatalogEntry, reference: str) -> str:
    """Where a document can be opened, or "": manual pages by their name, files of a folder where they are.

    >>> url_of(CatalogEntry("man-pages", "man", "/usr/share/man"), "chmod(1)")
    'man:chmod(1)'
    >>> url_of(CatalogEntry("notes", "docs", "/home/you/notes"), "to do/list.md")
    'file:///home/you/notes/to%20do/list.md'
    """
    if source.type == "man":
        return f"man:{_quoted(reference)}"
    if source.type == "docs" and source.location.startswith("/") and "\\" not in reference:
        return f"file://{_quoted(source.location)}/{_quoted(reference)}"
    return ""


def _quoted(text: str) -> str:
    from urllib.parse import quote  # noqa: PLC0415 - 5 ms, for what is not plain

    plain = text.isascii() and text.replace("/", "a").replace(".", "a").replace("-", "a").replace("_", "a")
    bare = plain and plain.replace("(", "a").replace(")", "a").isalnum()
    return text if bare else quote(text.encode("utf-8", "surrogatepass"), safe="/()@+:,")
