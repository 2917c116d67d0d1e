"""Which module reads which type of source. Loaded by those who index, never by those who ask."""

import re
import unicodedata
from pathlib import Path

from vademecum.core.errors import SourceError
from vademecum.library.catalog import DEFAULT, NO_PAGES_HINT, CatalogEntry
from vademecum.library.freshness import look
from vademecum.library.indexing import ParsedSource
from vademecum.sources.man import ManSource

_LONGEST_ALIAS = 31


def open_source(entry: CatalogEntry) -> ParsedSource:
    """The reader of a source.

    Raises:
        SourceError: Its place can not be read, or a program it needs is missing.
    """
    if entry.type != "man":
        message = f"{entry.alias} is of a type this version can not read: {entry.type}."
        raise SourceError(message, hint="Manual pages (man) can be read.")
    if not Path(entry.location).is_dir():
        message = f"{entry.alias}: there is no folder {entry.location}."
        raise SourceError(message, hint=NO_PAGES_HINT if entry in DEFAULT else "Mount it, or add it anew.")
    source = ManSource(Path(entry.location), entry.alias)
    source.parser  # noqa: B018 - says whether a renderer is there, before anything is begun
    return source


def named(what: str, entries: list[CatalogEntry]) -> CatalogEntry:
    """The entry that `what` means: an alias, the machine's own manual pages (`man`), or a folder of pages.

    Returns:
        One of `entries`, or a new one that is not among them yet.

    Raises:
        SourceError: It is nothing that can be read.
    """
    for entry in entries:
        if entry.alias == what:
            return entry
    location = Path(what).expanduser().resolve()
    if what == "man" and not location.is_dir():
        location = Path(DEFAULT[0].location)
    for entry in entries:
        if Path(entry.location).resolve() == location:
            return entry
    if str(location) == DEFAULT[0].location:
        return DEFAULT[0]
    new = CatalogEntry(alias_for(str(location), {entry.alias for entry in entries}), "man", str(location))
    if not look(new):
        if location.exists():
            message = f"{location} is not a folder of manual pages."
            hint = "Folders of manual pages can be read, those that hold man1, man2 and so on."
        else:
            message = f"There is no source and no folder named {what}."
            hint = (
                "Name a source of the catalog (ragadmin sources list), or a folder that holds man1, man2, ..."
            )
        raise SourceError(message, hint=hint)
    return new


def alias_for(location: str, taken: set[str]) -> str:
    """A new source's name: a slug of its file name, numbered when another source has it.

    >>> alias_for("/srv/Python 3.12.zim", set())
    'python-3-12'
    >>> alias_for("/srv/python.zim", {"python"})
    'python-2'
    """
    name = Path(location).name
    plain = (
        unicodedata.normalize("NFKD", name.removesuffix(".zim")).encode("ascii", "ignore").decode().lower()
    )
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST_ALIAS].rstrip("-") or "source"
    alias, number = slug, 1
    while alias in taken:
        number += 1
        ending = f"-{number}"
        alias = slug[: _LONGEST_ALIAS - len(ending)].rstrip("-") + ending
    return alias
