"""The catalog: which sources there are, under which fixed names, and what became of each."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from vademecum.core.errors import ConfigError
from vademecum.library.replacing import replace_file

FORMAT = 1

Status = Literal["active", "pending", "error"]


class CatalogEntry(NamedTuple):
    """One source.

    Attributes:
        alias: Its fixed name: a slug of at most 31 characters.
        type: What kind of place it is (`man`).
        location: Where it is.
        language: A BCP 47 tag.
        status: `pending` before it was first indexed, `active` since, `error` when it can not be read.
        last_updated: When the index last took it in, ISO 8601 in UTC, or "".
        size_bytes: Of its text in the index.
        documents: Of it in the index.
        notes: Anything worth knowing; with `error`, what is wrong.
        seen: The modification times of its folders, in nanoseconds, when the index last looked.
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


DEFAULT = (CatalogEntry("man-pages", "man", "/usr/share/man"),)
"""The sources of a library that was never told of others."""

NO_PAGES_HINT = (
    "Install manual pages with: sudo apt install man-db manpages "
    "(on a minimized Ubuntu run: sudo unminimize), then: ragadmin reindex"
)
"""For a machine that has none: containers and minimized systems leave them out."""


class Catalog:
    """The catalog's file. A missing file is the default catalog.

    Args:
        path: The file; it need not exist.
    """

    __slots__ = ("path",)

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self) -> list[CatalogEntry]:
        """All sources, in the order in which they were added.

        Raises:
            ConfigError: The file can not be read. It is left as it is.
        """
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return list(DEFAULT)
        except (OSError, UnicodeDecodeError) as error:
            raise self._damaged(str(error)) from error
        try:
            data = json.loads(text)
            if data["format"] != FORMAT:
                raise self._damaged(f"format {data['format']!r} is not known")
            return [_checked(one) for one in data["sources"]]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise self._damaged(str(error)) from error

    @contextmanager
    def changing(self) -> Iterator[list[CatalogEntry]]:
        """The entries, to be changed in place and saved at the end; other processes wait meanwhile.

        An exception within leaves the catalog as it was.

        Raises:
            ConfigError: The file can not be read or written.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise self._unwritable(error) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            entries = self.entries()
            yield entries
            self._save(entries)
        finally:
            os.close(lock)

    def _save(self, entries: list[CatalogEntry]) -> None:
        data: dict[str, Any] = {"format": FORMAT, "sources": [entry._asdict() for entry in entries]}
        try:
            replace_file(self.path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> ConfigError:
        message = f"The catalog of sources, {self.path}, can not be written: {error.strerror}."
        return ConfigError(
            message, hint="Check the folder's owner, its rights and the space left on the disk."
        )

    def _damaged(self, why: str) -> ConfigError:
        message = f"The catalog of sources, {self.path}, can not be read: {why}."
        return ConfigError(message, hint="Repair it, or move it away and run: ragadmin init")


def _checked(data: dict[str, Any]) -> CatalogEntry:
    """An entry from its JSON form.

    Raises:
        TypeError: A field is missing, unknown or of the wrong type.
    """
    entry = CatalogEntry(**data)
    texts = (
        entry.alias,
        entry.type,
        entry.location,
        entry.language,
        entry.status,
        entry.last_updated,
        entry.notes,
    )
    numbers = (entry.size_bytes, entry.documents, *(entry.seen or {}).values())
    if not all(isinstance(text, str) for text in texts) or not all(
        isinstance(number, int) for number in numbers
    ):
        raise TypeError(f"a field of {entry.alias!r} is of the wrong type")
    return entry
