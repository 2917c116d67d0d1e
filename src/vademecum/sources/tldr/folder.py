"""A folder of tldr pages."""

import os
from collections.abc import Iterator
from pathlib import Path

from vademecum.core.errors import SourceError
from vademecum.sources._files import is_within, open_within, read_open
from vademecum.sources.tldr.place import LANGUAGES, LIMIT_BYTES, PLATFORMS, Listed


class Folder:
    """A folder that holds `pages/common`, or `common` itself, or one folder that does. See `Place`."""

    def __init__(self, location: Path) -> None:
        self._location = location
        self._root = os.path.realpath(location)

    def list(self) -> Iterator[Listed]:
        """See `Place`."""
        found = False
        seen: set[str] = set()
        for folder in self._page_folders():
            real = os.path.realpath(Path(self._root, folder))
            if real in seen or not is_within(self._root, real) or not Path(real).is_dir():
                continue  # `pages.en` is often a link to `pages`
            seen.add(real)
            found = True
            yield from self._list(os.path.relpath(real, self._root))
        if not found:
            message = f"{self._location} holds no tldr pages."
            raise SourceError(message, hint="Name the folder that holds pages/common, or the zip of it.")

    def read(self, key: str) -> bytes:
        """See `Place`."""
        return read_open(open_within(self._root, key, LIMIT_BYTES), LIMIT_BYTES)

    def _page_folders(self) -> Iterator[str]:
        try:
            with os.scandir(self._root) as entries:
                inner = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        except OSError as error:
            message = f"{self._location} cannot be listed: {error.strerror}."
            raise SourceError(message, hint="Name the folder that holds pages/common.") from error
        tops = ["", *(name for name in inner if not name.startswith(("pages", ".")))]
        for top in tops:
            for language in ("", *LANGUAGES) if top == "" else LANGUAGES:
                yield from (str(Path(top, language, platform)) for platform in PLATFORMS)

    def _list(self, folder: str) -> Iterator[Listed]:
        try:
            with os.scandir(Path(self._root, folder)) as entries:
                pages = sorted(entries, key=lambda one: one.name)
        except OSError as error:
            message = f"{self._location / folder} cannot be listed: {error.strerror}."
            raise SourceError(message, hint="Check the folder's permissions.") from error
        for entry in pages:
            yield self._see(f"{folder}/{entry.name}", entry)

    def _see(self, key: str, entry: os.DirEntry[str]) -> Listed:
        try:
            if not entry.is_file(follow_symlinks=False):
                return Listed(key, 0, "", "not-a-file", "It is not a regular file.")
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            return Listed(key, 0, "", "unreadable", f"It cannot be read: {error.strerror}.")
        return Listed(key, status.st_size, f"{status.st_size:x}-{status.st_mtime_ns:x}")
