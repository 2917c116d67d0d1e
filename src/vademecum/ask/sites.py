"""Web addresses of the pages of a book that has its own site."""

import posixpath
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Self
from urllib.parse import quote

Style = Literal["docusaurus", "mdbook", "gitbook", "mkdocs", "sphinx", "plain"]

_NUMBERED = re.compile(r"^\d+[-_.]\s*(?=\D)")
_MOST_KEPT = 4096
"""The maximum number of cached addresses and anchors; each question needs those of a few pages."""
_INDEXES = frozenset({"readme", "index"})


class Part(NamedTuple):
    """A folder of a book whose pages share one scheme of addresses.

    Attributes:
        folder: The path within the book; "" for the whole book.
        base: The common beginning of the addresses: a URL, or a path (`/docs`).
    """

    folder: str
    base: str
    style: Style


class Site(NamedTuple):
    """The addresses of a book's pages.

    Attributes:
        parts: The folders, those with the longest names first.
        slugs: The addresses that pages declare themselves, by their path in the book.
    """

    parts: tuple[Part, ...]
    slugs: Mapping[str, str]

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the site that a collection's metadata describes."""
        parts = [Part(one["folder"], one["base"], one["style"]) for one in data["parts"]]
        return cls(tuple(sorted(parts, key=lambda one: -len(one.folder))), data.get("slugs", {}))

    def to_data(self) -> dict[str, Any]:
        """Return the site as plain data."""
        return {"parts": [part._asdict() for part in self.parts], "slugs": dict(self.slugs)}

    def url(self, reference: str, anchor: str = "") -> str:
        """Return the address of a page and an anchor in it; "" for a page outside of all parts.

        >>> Site((Part("", "/docs", "docusaurus"),), {}).url("01-intro/ros2-basics.md", "nodes")
        '/docs/intro/ros2-basics#nodes'
        """
        for part in self.parts:
            if part.folder and not reference.startswith(f"{part.folder}/"):
                continue
            inner = reference[len(part.folder) + 1 :] if part.folder else reference
            path = self.slugs.get(reference) or _path_of(inner, part.style)
            address = f"{part.base.rstrip('/')}/{_quoted(path.lstrip('/'))}"
            return f"{address}#{_quoted(anchor)}" if anchor else address
        return ""


@lru_cache(maxsize=_MOST_KEPT)
def _quoted(path: str) -> str:
    return quote(path, safe="/")


@lru_cache(maxsize=_MOST_KEPT)
def _path_of(reference: str, style: Style) -> str:
    """Return a page's address within its part."""
    folder, _, name = reference.rpartition("/")
    stem = posixpath.splitext(name)[0]
    is_index = stem.lower() in _INDEXES
    match style:
        case "docusaurus":
            names = [_NUMBERED.sub("", one) for one in (*folder.split("/"), stem) if one]
            # a page named like its folder is the folder's own, as an index is
            own = is_index or (len(names) > 1 and names[-1] == names[-2])
            return "/".join(names[:-1] if own else names)
        case "gitbook":
            return folder if is_index else posixpath.join(folder, stem)
        case "mkdocs":
            return (
                f"{folder}/"
                if is_index and folder
                else ""
                if is_index
                else f"{posixpath.join(folder, stem)}/"
            )
        case "mdbook":
            return posixpath.join(folder, "index.html" if stem == "README" else f"{stem}.html")
        case "sphinx":
            return posixpath.join(folder, f"{stem}.html")
        case "plain":
            return reference
