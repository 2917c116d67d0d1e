"""The module that reads each type of source, and the default alias of a new source. Only indexing loads it."""

import re
import stat
import unicodedata
from collections import Counter
from contextlib import suppress
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import NamedTuple, cast

from vademecum import extensions
from vademecum.core.documents import Document, DocumentRef
from vademecum.core.errors import ConfigError, SourceError, VademecumError
from vademecum.core.protocols import Source
from vademecum.index.catalog.catalog import DEFAULT, NO_PAGES_HINT, CatalogEntry
from vademecum.index.catalog.changes import is_section, look
from vademecum.index.catalog.mistakes import SOURCE_MISTAKE, described
from vademecum.sources.docs.folder import SUFFIXES, is_document
from vademecum.text.language import tag_of_document
from vademecum.text.printable import printable


class _Reader(NamedTuple):
    """A reader of sources: its module, its class, and the kind of location that it reads."""

    module: str
    name: str
    reads: str
    folder: bool
    file: bool


_READERS = {
    "man": _Reader("man", "ManSource", "a folder that holds man1, man2, ...", folder=True, file=False),
    "info": _Reader("info", "InfoSource", "a folder of info manuals, or one of them", folder=True, file=True),
    "kiwix": _Reader("zim", "ZimSource", "a ZIM archive, a file", folder=False, file=True),
    "tldr": _Reader("tldr", "TldrSource", "a folder or zip file of tldr pages", folder=True, file=True),
    "help": _Reader("help", "HelpSource", "a folder of .help files, or one of them", folder=True, file=True),
    "records": _Reader(
        "records", "RecordsSource", "the description of a collection", folder=False, file=True
    ),
    "docs": _Reader("docs", "DocsSource", "a folder of documents, or one of them", folder=True, file=True),
}

TYPES = tuple(_READERS)
"""The source types and their readers."""

_LONGEST_ALIAS = 31
_LONGEST_SHOWN = 200
_ENDINGS = re.compile(
    rf"\.(?:zim|zimaa|zip|records|{'|'.join(ending[1:] for ending in SUFFIXES)})$", re.IGNORECASE
)
_INFO = re.compile(r"\.info(?:-\d+)?(?:\.(?:gz|bz2|xz|zst|lzma))?$")
_UNKNOWN = "und"
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}")
_SHORT = {
    "ara": "ar", "ces": "cs", "dan": "da", "deu": "de", "ell": "el", "eng": "en", "fas": "fa", "fin": "fi",
    "fra": "fr", "heb": "he", "hin": "hi", "hun": "hu", "ind": "id", "ita": "it", "jpn": "ja", "kor": "ko",
    "nld": "nl", "nor": "no", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru", "spa": "es", "swe": "sv",
    "tha": "th", "tur": "tr", "ukr": "uk", "vie": "vi", "zho": "zh",
}  # fmt: skip
"""ISO 639-3 codes in archives, and their shorter BCP 47 tags."""


def open_source(entry: CatalogEntry) -> Source:
    """Check the location of a source, and open its reader."""
    reader = _READERS.get(entry.type)
    location = Path(entry.location)
    if reader is None:
        return _open_extension(entry, location)
    _check_kind(entry, reader, location)
    module = f"vademecum.sources.{reader.module}"
    try:
        make = getattr(import_module(module), reader.name)
    except ModuleNotFoundError as error:
        if error.name == module:
            message = f"{entry.alias}: this version cannot read sources of type {entry.type} yet."
            raise SourceError(message, hint="Wait for a newer version, or remove the source.") from error
        message = f"{entry.alias}: sources of type {entry.type} need {error.name}, which is not installed."
        raise SourceError(message, hint=f"Install it with: pip install {error.name}") from error
    apart = {"exclude": entry.exclude} if entry.exclude else {}
    source = cast("Source", make(location, entry.alias, **apart))
    source.parser  # noqa: B018 - says whether a renderer is there, before anything is begun
    return source


def _open_extension(entry: CatalogEntry, location: Path) -> Source:
    """Open the reader of a source that another package adds."""
    extension = extensions.find("sources", entry.type)
    if extension is None:
        message = f"{entry.alias}: no installed package reads sources of type {printable(entry.type, 40)}."
        hint = f"Install the package that reads them, or remove it: ragadmin sources remove {entry.alias}"
        raise SourceError(message, hint=hint)
    try:
        make = extension.load()
    except ConfigError as error:
        raise SourceError(f"{entry.alias}: {error.message}", hint=error.hint) from error
    try:
        source = cast("Source", make(location, entry.alias))
        missing = [name for name in ("alias", "parser", "scan", "read") if not hasattr(source, name)]
    except SourceError:
        raise
    except Exception as error:
        why = printable(str(error) or type(error).__name__, _LONGEST_SHOWN)
        message = f"{entry.alias}: {extension.package} cannot read {printable(entry.location, _LONGEST_SHOWN)}: {why}"
        raise SourceError(
            message, hint="Check the location, or report it to the authors of that package."
        ) from error
    if missing or source.alias != entry.alias:
        what = f"has no {missing[0]}" if missing else "has another alias than the one it was made with"
        message = f"{entry.alias}: the source of {extension.package} {what}."
        raise SourceError(message, hint="This is a mistake in that package; report it to its authors.")
    return source


def check_source(source: Source, location: str) -> None:
    """Check that a source is undamaged, if its reader supports this: an archive is read completely."""
    check = getattr(source, "check", None)
    try:
        if check is not None:
            check()
        else:
            next(iter(source.scan()), None)
    except (OSError, ValueError) as error:
        message = f"{source.alias}: {printable(location, _LONGEST_SHOWN)} cannot be read: {error}."
        raise SourceError(message, hint="Check the file and its permissions.") from error
    except VademecumError:
        raise
    except Exception as error:
        message = f"The source {source.alias} failed while it was listed: {described(error)}"
        raise SourceError(message, hint=SOURCE_MISTAKE) from error


def language_of(source: Source) -> str:
    """Return the language of a source as a BCP 47 tag: the one that it declares, else that of most of a sample; "" if unknown."""
    metadata = getattr(source, "metadata", None)
    said = str(metadata().language) if metadata is not None else ""
    if said != _UNKNOWN and _LANGUAGE.fullmatch(said):
        return tag(said)
    listed = (ref for ref in islice(source.scan(), _LISTED) if isinstance(ref, DocumentRef))
    try:
        found = [ref for ref in listed if ref.size_bytes <= _SMALL_BYTES]
        read = source.read(found[:: len(found) // _SAMPLED + 1])
        tags = Counter(tag_of_document(document.text) for document in read if isinstance(document, Document))
    except Exception:  # noqa: BLE001 - a mistake of a source is reported when it is indexed
        return ""
    (most, count), *_ = *tags.most_common(1), ("", 0)
    return most if count > tags.total() / 2 else ""


_SAMPLED, _LISTED, _SMALL_BYTES = 20, 1_000, 1 << 20
"""The number of documents of a sample, of those that it is taken from, and their maximum size in bytes."""


def tag(language: str) -> str:
    """Convert a language to a BCP 47 tag.

    >>> tag("eng"), tag("pt-br"), tag("EN")
    ('en', 'pt-BR', 'en')
    """
    if not _LANGUAGE.fullmatch(language):
        message = f"{printable(language, 40)!r} is not a language."
        raise SourceError(message, hint="Languages are written like en, de or pt-BR.")
    first, *rest = language.split("-")
    first = _SHORT.get(first.lower(), first.lower())
    return "-".join([first, *(part.upper() if len(part) == 2 else part for part in rest)])


def known_type(name: str) -> str:
    """Check the name of a type."""
    if name not in _READERS and name not in (others := extensions.installed("sources")):
        message = f"There is no type of source named {printable(name, 40)!r}."
        raise SourceError(message, hint=f"These can be read: {', '.join((*TYPES, *others))}.")
    return name


def located(path: str) -> Path:
    """Return an existing path as an absolute path without symbolic links."""
    shown = printable(path, _LONGEST_SHOWN)
    hint = "Name a folder or a file of documents, a .zim file, or a .zip file of tldr pages."
    if path.startswith(("https:/", "http:/")):
        message = f"{shown} is a web address. Nothing is fetched from the web."
        raise SourceError(
            message, hint="Save the page in a browser as one file (HTML or MHTML), and add that file."
        )
    try:
        place = Path(path).expanduser().resolve()
        if path and place.exists():
            return place
    except (OSError, ValueError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"{shown!r} cannot be looked at: {why}.", hint=hint) from error
    raise SourceError(f"There is no file or folder {shown!r}.", hint=hint)


def guessed_type(place: Path) -> str:
    """Guess the source type of a path."""
    ending = place.suffix.lower()
    if ending in {".zim", ".zimaa"}:
        return "kiwix"
    try:
        if not place.is_dir():
            if ending == ".zip":
                return "tldr"
            if _INFO.search(place.name):
                return "info"
            if ending in {".help", ".records"}:
                return ending[1:]
            if type_ := _extension_of(ending):
                return type_
            if is_document(place.name):
                return "docs"
            message = (
                f"{printable(str(place), _LONGEST_SHOWN)} is a file, and none that can be read as a source."
            )
            raise SourceError(
                message,
                hint=f"Name a folder (one that holds man1, info manuals or documents), or a file: .zim, {', '.join(sorted(SUFFIXES))}.",
            )
        names = [one.name for one in place.iterdir()]
    except OSError as error:
        shown = printable(str(place), _LONGEST_SHOWN)
        raise SourceError(
            f"{shown} cannot be looked at: {error.strerror}.", hint="Check its permissions."
        ) from error
    if any(is_section(name) and (place / name).is_dir() for name in names):
        return "man"
    if (place / "pages" / "common").is_dir() or (place.name == "pages" and (place / "common").is_dir()):
        return "tldr"
    if any(_INFO.search(name) for name in names):
        return "info"
    if names and all(name.endswith(".help") for name in names):
        return "help"
    return "docs"


def _extension_of(ending: str) -> str:
    """Return the type of the extension that reads files with an ending, or "". An extension that fails reads none."""
    for name, extension in extensions.installed("sources").items():
        with suppress(ConfigError):
            if ending in getattr(extension.load(), "suffixes", ()):
                return name
    return ""


def alias_for(location: str, taken: set[str]) -> str:
    """Return the alias of a new source: a slug of its file name, with a number if it is taken.

    >>> alias_for("/srv/Python 3.12.zim", set())
    'python-3-12'
    >>> alias_for("/srv/python.zim", {"python"})
    'python-2'
    """
    for entry in DEFAULT:
        if location == entry.location and entry.alias not in taken:
            return entry.alias
    name = _ENDINGS.sub("", Path(location).name)
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST_ALIAS].rstrip("-") or "source"
    alias, number = slug, 1
    while alias in taken:
        number += 1
        ending = f"-{number}"
        alias = slug[: _LONGEST_ALIAS - len(ending)].rstrip("-") + ending
    return alias


def _check_kind(entry: CatalogEntry, reader: _Reader, location: Path) -> None:
    """Check that the location exists, and is a file or folder as its reader requires."""
    shown = printable(entry.location, _LONGEST_SHOWN)
    try:
        mode = location.stat().st_mode
    except (OSError, ValueError) as error:
        what = "folder" if reader.folder else "file"
        message = f"{entry.alias}: there is no {what} {shown}."
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            message = f"{entry.alias}: {shown} cannot be looked at: {error}."
        manual = (entry.type, entry.location) == DEFAULT[0][1:3]
        hint = NO_PAGES_HINT if manual else "Mount it, or point to another place: ragadmin sources update"
        raise SourceError(message, hint=hint) from error
    if not ((reader.folder and stat.S_ISDIR(mode)) or (reader.file and stat.S_ISREG(mode))):
        message = f"{entry.alias}: {shown} is not {reader.reads}."
        raise SourceError(message, hint="Give another --type, or name another place.")
    if entry.type == "man" and not look(entry).keys() - {""}:
        message = f"{entry.alias}: {shown} is not a folder of manual pages: it holds no man1, man2, ..."
        raise SourceError(message, hint="Give another --type, or name the folder above man1.")
