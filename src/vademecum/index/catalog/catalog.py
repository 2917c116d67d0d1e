"""The catalog file: the sources, their permanent aliases and their states."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args

from vademecum.core.errors import ConfigError
from vademecum.files.locks import locked
from vademecum.files.write import replace_file
from vademecum.text.printable import printable

FORMAT = 2
_OLDEST = 1
"""The oldest readable version. Missing fields have their defaults."""

_ALIAS = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,29}[a-z0-9])?")

BY_HAND = "It was quarantined by hand."
"""The reason of a source that was quarantined by hand."""

Status = Literal["active", "pending", "error"]

SIZE = "*size"
"""The key of the size in the state of a source that is a single file."""


class CatalogEntry(NamedTuple):
    """A source in the catalog.

    Attributes:
        alias: Its permanent name: a slug of at most 31 characters.
        type: Its type: `man`, `info`, `kiwix`, `tldr`, `help`, `records` or `docs`.
        location: Its path.
        language: A BCP 47 tag.
        status: `pending` until it is indexed with this entry, then `active`. `error` if it cannot be read: it is
            quarantined, and not read again until it changes.
        last_updated: When it was last indexed, ISO 8601 in UTC, or "".
        size_bytes: The size of its stored files.
        documents: The number of its documents in the index.
        notes: Notes; with `error`, the reason comes first.
        seen: The modification times of its folders, in nanoseconds, at the last check; see `changes`.
        checksum: Its SHA-256 checksum at the last check, in hexadecimal, or "": of the contents of an archive, or of the
            names, sizes and times of the files in a folder; see `checksums`.
        remark: The user's remark. `notes` contains it after the reason of an error.
        recipe: The parser and rules that it was indexed with, or "".
        exclude: Patterns of the names of files to exclude (`SOURCE.md`).
        unread: The number of documents that the first reindex has not read yet; 0 for a source that is whole.

    Example:
        >>> library.source("notes").type
        'docs'
    """

    alias: str
    type: str
    location: str
    language: str = "en"
    status: Status = "pending"
    last_updated: str = ""
    size_bytes: int = 0
    documents: int = 0
    notes: str = ""
    seen: dict[str, int] | None = None
    checksum: str = ""
    remark: str = ""
    recipe: str = ""
    exclude: tuple[str, ...] = ()
    unread: int = 0

    @property
    def root(self) -> str:
        """The folder that keys of documents are relative to; of a source that is a single file, the folder that it is in."""
        is_file = self.seen is not None and SIZE in self.seen
        return self.location.rpartition("/")[0] if is_file and self.type == "docs" else self.location

    @property
    def is_english(self) -> bool:
        """Return whether its language is any variety of English."""
        return self.language.partition("-")[0].lower() == "en"

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for the user, as sentences."""
        found = []
        if self.status == "error":
            found.append(f"{self.alias} is quarantined: {self.fault}")
        if not self.is_english:
            found.append(
                f"{self.alias} is not in English ({self.language}); questions are understood in English only."
            )
        return tuple(found)

    @property
    def growth(self) -> str:
        """How much of it is indexed, as a sentence; "" for a source that is whole."""
        whole = self.documents + self.unread
        said = f"{self.documents:,} of {whole:,} documents of {self.alias} are indexed so far."
        return said if self.unread else ""

    def to_dict(self) -> dict[str, Any]:
        """Convert the entry to plain data, without internal fields.

        Example:
            >>> library.source("notes").to_dict()["type"]
            'docs'
        """
        fields = self._asdict()
        return {
            name: fields[name]
            for name in fields
            if name not in {"seen", "remark", "recipe", "exclude", "unread"}
        }

    def stored(self) -> dict[str, Any]:
        """Convert the entry to plain data for a file. Earlier versions can read it unless it is partial.

        Example:
            >>> library.source("notes").stored()["alias"]
            'notes'
        """
        return {name: value for name, value in self._asdict().items() if value or name != "unread"}

    @property
    def fault(self) -> str:
        """Why it cannot be read, without its name and the remark; "" if it can."""
        said = self.notes.removesuffix(self.remark) if self.remark else self.notes
        return said.strip().removeprefix(f"{self.alias}: ")

    def with_fault(self, fault: str) -> "CatalogEntry":
        """Return the entry with a reason in its notes, before the remark.

        Example:
            >>> library.source("notes").with_fault("It is on fire.").notes
            'It is on fire.'
        """
        return self._replace(notes=f"{fault} {self.remark}".strip())

    def is_same_place(self, other: "CatalogEntry") -> bool:
        """Return whether both have the same location and are read in the same way.

        Example:
            >>> notes = library.source("notes")
            >>> notes.is_same_place(notes)
            True
        """
        return self[:4] == other[:4]


DEFAULT = (
    CatalogEntry("man-pages", "man", "/usr/share/man"),
    CatalogEntry("info-pages", "info", "/usr/share/info"),
)
"""The default sources of a library."""

NO_PAGES_HINT = (
    "Install manual pages with: sudo apt install man-db manpages "
    "(on a minimized Ubuntu run: sudo unminimize), then: ragadmin reindex"
)
"""The hint for machines without manual pages, such as containers and minimized systems."""


def default() -> tuple[list[CatalogEntry], int]:
    """Return the default catalog, which belongs to no generation of the index."""
    return list(DEFAULT), 0


class Catalog:
    """The catalog's file.

    Args:
        missing: Returns the contents of a missing file: the entries, and the generation that they belong to.
    """

    __slots__ = ("_missing", "path")

    def __init__(self, path: Path, missing: Callable[[], tuple[list[CatalogEntry], int]] = default) -> None:
        self.path, self._missing = path, missing

    def entries(self) -> list[CatalogEntry]:
        """Return all sources, in the order in which they were added."""
        return self._read()[0]

    def generation(self) -> int | None:
        """Return the generation of the index that it belongs to; 0 for none, `None` if unknown."""
        return self._read()[1]

    @contextmanager
    def changing(self, generation: int | None = None) -> Iterator[list[CatalogEntry]]:
        """Yield the entries to be changed in place, and save them at the end. Other processes wait.

        If the block raises, the catalog is not changed.

        Args:
            generation: The generation that the entries belong to afterwards; None to keep it.
        """
        with ExitStack() as stack:
            try:
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                stack.enter_context(locked(self.path.with_suffix(".lock")))
            except OSError as error:
                raise self._unwritable(error) from error
            entries, before = self._read()
            known, after = list(entries), before if generation is None else generation
            yield entries
            if (entries, after) != (known, before) or not self.path.exists():
                self._save(entries, after)

    def _read(self) -> tuple[list[CatalogEntry], int | None]:
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return self._missing()
        except PermissionError as error:
            from vademecum.files.rights import readable_again  # noqa: PLC0415 - seldom wanted

            message = f"The catalog of sources, {self.path}, may not be read by this user."
            raise ConfigError(message, hint=readable_again(self.path)) from error
        except (OSError, UnicodeDecodeError) as error:
            raise self._damaged(str(error)) from error
        try:
            data = json.loads(text)
            form = data["format"]
            if isinstance(form, int) and form > FORMAT:
                raise self._damaged(f"a newer version wrote it (format {form})")
            if form not in range(_OLDEST, FORMAT + 1):
                raise self._damaged(f"format {form!r} is not known")
            entries = [_checked(one) for one in data["sources"]]
            generation = data.get("generation")
            if len({entry.alias for entry in entries}) < len(entries):
                raise self._damaged("two sources have the same alias")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise self._damaged(str(error) or type(error).__name__) from error
        return entries, generation if isinstance(generation, int) else None

    def _save(self, entries: list[CatalogEntry], generation: int | None) -> None:
        data = {"format": FORMAT, "generation": generation, "sources": [entry.stored() for entry in entries]}
        text = json.dumps(data, indent=1, ensure_ascii=False)
        try:
            text.encode()
        except UnicodeEncodeError:  # a path need not be text
            text = json.dumps(data, indent=1)
        try:
            replace_file(self.path, text + "\n")
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> ConfigError:
        message = f"The catalog of sources, {self.path}, cannot be written: {error.strerror}."
        return ConfigError(
            message, hint="Check the folder's owner and permissions, and the free space on the disk."
        )

    def _damaged(self, why: str) -> ConfigError:
        message = f"The catalog of sources, {self.path}, cannot be read: {why}."
        return ConfigError(message, hint="Repair it, or move it away and run: ragadmin init")


def _checked(data: dict[str, Any]) -> CatalogEntry:
    """Create an entry from JSON data. Its type may be unknown to this version."""
    entry = CatalogEntry(**{**data, "exclude": tuple(data.get("exclude", ()))})
    if not _ALIAS.fullmatch(str(entry.alias)):
        raise TypeError(f"{printable(repr(entry.alias), 60)} is not an alias")
    texts = (*entry[:6], entry.notes, entry.checksum, entry.remark, entry.recipe, *entry.exclude)
    numbers = (entry.size_bytes, entry.documents, entry.unread, *(entry.seen or {}).values())
    if not all(isinstance(text, str) for text in texts) or not all(
        isinstance(number, int) for number in numbers
    ):
        raise TypeError(f"a field of {entry.alias!r} is of the wrong type")
    if entry.status not in get_args(Status):
        raise TypeError(f"{entry.alias!r} has a status that is not known: {entry.status!r}")
    return entry


def from_data(data: object) -> CatalogEntry:
    """Create an entry from the JSON data in a manifest."""
    return _checked(cast("dict[str, Any]", data))
