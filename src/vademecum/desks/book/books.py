"""Add books: a folder of Markdown becomes a collection, with the addresses of its pages on the book's site."""

import os
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.ask.sites import Part, Site, Style
from vademecum.core.errors import CollectionMissing, ConfigError, SourceError
from vademecum.index.catalog.source_types import located
from vademecum.library.collections import FOLLOWS, LONGEST_NAME, Collection, Collections, checked_name
from vademecum.library.uploads.uploads import Uploads
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.index.progress import Progress, Report

USUAL_BASE = "/docs"
"""The default prefix of page addresses, as in Docusaurus."""

_MARKS: tuple[tuple[str, Style], ...] = (
    ("docusaurus.config.js", "docusaurus"),
    ("docusaurus.config.ts", "docusaurus"),
    ("sidebars.js", "docusaurus"),
    ("sidebars.ts", "docusaurus"),
    ("mkdocs.yml", "mkdocs"),
    ("book.toml", "mdbook"),
    (".gitbook.yaml", "gitbook"),
    ("book.json", "gitbook"),
    ("_toc.yml", "sphinx"),
    ("conf.py", "sphinx"),
    ("myst.yml", "sphinx"),
)
"""The files, in a folder or its parent, that identify its site generator."""

_CONTENTS = "SUMMARY.md"
_DEEPEST = 3
_HEAD_BYTES = 4096
_NO_SLUG = re.compile(r"[^a-z0-9_]+")


def add_book(
    collections: Collections,
    path: Path,
    *,
    name: str = "",
    url: str = "",
    style: Style | None = None,
    description: str = "",
    owner: str = "",
    exclude: Sequence[str] = (),
    follows: bool = False,
    on_progress: "Callable[[Progress], None] | None" = None,
) -> "tuple[Collection, Report]":
    """Add a folder of Markdown as a book, and index it. If this fails, nothing is left behind.

    Args:
        name: The name of the book; by default, derived from the name of the folder.
        url: The prefix of the addresses of its pages; by default, `/docs`.
        style: The site generator; by default, detected from the files in the folder.
        owner: The owner; "" if it belongs to everybody.
        exclude: Patterns of file names to skip.
        follows: Whether a server indexes it again when the folder changes.
        on_progress: Called repeatedly during indexing.
    """
    folder = located(str(path))
    if not folder.is_dir():
        message = f"{printable(str(path), 200)} is not a folder."
        raise SourceError(message, hint="Name a folder of documents.")
    title = checked_name(name) if name else _name_of(folder)
    site = site_of(folder, base=_checked(url) if url else USUAL_BASE, style=style)
    collection = collections.create(
        title,
        kind="book",
        description=description,
        owner=owner,
        metadata={"site": site.to_data()} | ({FOLLOWS: True} if follows else {}),
    )
    try:
        collection.library.add_source(folder, type="docs", exclude=exclude)
        report = collection.library.reindex(on_progress=on_progress)
        _check_holds(folder, report)
    except BaseException:
        collections.delete(title, here_only=True)
        raise
    return collections.get(title), report


def _check_holds(folder: Path, report: "Report") -> None:
    if not report.documents:
        message = f"{printable(str(folder), 200)} holds no documents."
        raise SourceError(message, hint="Name a folder of documents.")


def sync_book(
    collections: Collections, name: str, *, on_progress: "Callable[[Progress], None] | None" = None
) -> "Report":
    """Update a book from its folder. Unchanged files are not read again."""
    book = collections.get(name)
    known = book.metadata.get("site")
    folder = _folder_of(book)
    if known and folder:
        parts = Site.from_data(known).parts
        whole = next((part for part in parts if not part.folder), Part("", USUAL_BASE, "docusaurus"))
        style = whole.style if len(parts) == 1 else None
        site = site_of(folder, base=whole.base, style=style)
        book.describe(metadata={"site": site.to_data()})
    report = book.library.reindex(on_progress=on_progress)
    collections.get(name)
    return report


def _folder_of(book: Collection) -> Path | None:
    """Return the folder that a book was made from, if it still exists. Uploads are not part of the site."""
    handed_over = Uploads(book).files.resolve()
    folders = (Path(entry.location) for entry in book.library.sources())
    return next((folder for folder in folders if folder.is_dir() and folder.resolve() != handed_over), None)


def remove_book(collections: Collections, what: str) -> str:
    """Remove a book, given by its name or folder.

    Returns:
        The name of the book.
    """
    found = collections.get(named_by(collections, what))
    if found.kind != "book":
        message = f"There is no book named {found.name}; the {found.kind} of that name holds what was handed over to it."
        raise CollectionMissing(message, hint=f"Delete it over HTTP: DELETE /api/collections/{found.name}")
    collections.delete(found.name)
    return found.name


def named_by(collections: Collections, what: str) -> str:
    """Return the name of a book, or of another collection, given by its name or folder."""
    place = Path(what).expanduser()
    if place.is_dir():
        location = str(place.resolve())
        for book in collections.list(kind="book"):
            if any(entry.location == location for entry in book.library.sources()):
                return book.name
    return collections.get(what).name


def site_of(folder: Path, *, base: str, style: Style | None) -> Site:
    """Return the site of a folder, which determines the addresses of its pages.

    A subfolder with its own site generator becomes a separate part below the base: a folder may contain several books.

    Args:
        base: The prefix of addresses.
        style: The site generator of the whole folder; by default, detected from the files, or `docusaurus` if unknown.
    """
    parts = [
        Part("", base, style or _style_in(folder) or _style_in(folder.parent, own=False) or "docusaurus")
    ]
    if style is None:
        for inner in _folders(folder):
            if found := _style_in(inner):
                key = inner.relative_to(folder).as_posix()
                parts.append(Part(key, f"{base.rstrip('/')}/{key}", found))
    return Site(tuple(sorted(parts, key=lambda one: -len(one.folder))), _slugs(folder, parts))


def _folders(folder: Path, depth: int = 1) -> Iterator[Path]:
    if depth > _DEEPEST:
        return
    for inner in sorted(folder.iterdir()):
        if inner.is_dir() and not inner.name.startswith(".") and not inner.is_symlink():
            yield inner
            yield from _folders(inner, depth + 1)


def _style_in(folder: Path, *, own: bool = True) -> Style | None:
    """Return the site generator that the files of a folder indicate, or None."""
    for mark, style in _MARKS:
        if (folder / mark).is_file():
            return style
    if (
        own and (folder / _CONTENTS).is_file()
    ):  # used by GitBook and mdBook; GitBook's front page is README.md
        return "gitbook" if (folder / "README.md").is_file() else "mdbook"
    return None


def _slugs(folder: Path, parts: Sequence[Part]) -> dict[str, str]:
    """Return the addresses that pages specify in their front matter, as in Docusaurus."""
    from vademecum.sources._dialects import front_matter  # noqa: PLC0415 - questions read no files

    if all(part.style != "docusaurus" for part in parts):
        return {}
    found = {}
    for place, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith((".md", ".mdx", ".markdown")):
                file = Path(place, name)
                with file.open("rb") as opened:
                    head = opened.read(_HEAD_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
                front = (
                    front_matter(head.removeprefix("\ufeff"))[0]
                    if head[:4].lstrip("\ufeff")[:3] == "---"
                    else {}
                )
                key = file.relative_to(folder).as_posix()
                if slug := front.get("slug"):
                    inside = "" if slug.startswith("/") else posixpath.dirname(key)
                    found[key] = posixpath.join(inside, slug).strip("/") or "/"
                elif own := front.get("id"):
                    found[key] = posixpath.join(posixpath.dirname(key), own)
    return found


def _name_of(folder: Path) -> str:
    name = _NO_SLUG.sub("-", folder.name.lower()).strip("-_")[:LONGEST_NAME].rstrip("-_")
    return name or "book"


def _checked(url: str) -> str:
    """Return a prefix of addresses if it is valid: an HTTP URL or a path."""
    if not re.fullmatch(r"(?:https?://[^\s/?#]+)?(?:/[^\s?#]*)?", url) or not url.isprintable():
        message = f"{printable(url, 80)!r} is not a URL that addresses could begin with."
        raise ConfigError(message, hint="Give one like https://docs.example.org/guide, or a path like /docs.")
    return url
