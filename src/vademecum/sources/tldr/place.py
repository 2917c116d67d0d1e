"""Find the pages in a folder or zip file, and choose one page for each command."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from vademecum.core.documents import DocumentRef, Problem
from vademecum.core.errors import SourceError
from vademecum.files.read import is_within, open_within, read_open
from vademecum.sources._problems import problem

LIMIT_BYTES = 64 * 1024
"""The maximum size of a page. The longest real page has about 4 kB."""

LANGUAGES = ("pages.en", "pages")
"""The folders of English pages, the preferred one first."""

PLATFORMS = ("linux", "common")
"""The folders of platforms, the preferred one first."""

_COMMAND = re.compile(r"[^\s()/\\]+")


class Listed(NamedTuple):
    """A file in the listing of a place.

    Attributes:
        key: The path within the place, separated by `/`.
        stamp: A value that changes whenever the content may have changed.
        fault: The name of the fault that makes the file unreadable, or "".
    """

    key: str
    size_bytes: int
    stamp: str
    fault: str = ""
    message: str = ""


class Place(Protocol):
    """A folder or zip file with pages."""

    def list(self) -> Iterable[Listed]:
        """List the files that may be pages."""
        ...

    def read(self, key: str) -> bytes:
        """Return the content of a file."""
        ...


def choose(listed: Iterable[Listed]) -> Iterator[DocumentRef | Problem]:
    """Yield the English pages for Linux by key, then problems by place.

    If a command has a page for Linux, the common page is omitted, as in tldr clients. Pages for other platforms and in
    other languages are also omitted.
    """
    best: dict[str, tuple[tuple[int, int, str], Listed]] = {}
    seen: set[str] = set()
    problems: list[Problem] = []
    for file in listed:
        if (near := rank(file.key)) is None:
            continue
        place = file.key.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        name = file.key.rpartition("/")[2].removesuffix(".md")
        if file.key in seen:
            problems.append(problem("tldr", place, "shadowed", "Another file before it has the same name."))
        elif file.fault:
            problems.append(problem("tldr", place, file.fault, file.message))
        elif ".." in file.key.split("/") or not _COMMAND.fullmatch(name) or not name.isprintable():
            problems.append(problem("tldr", place, "bad-name", "Its name is not that of a command."))
        elif file.size_bytes > LIMIT_BYTES:
            problems.append(problem("tldr", place, "too-large", f"It holds more than {LIMIT_BYTES:,} bytes."))
        elif name not in best or near < best[name][0]:
            best[name] = near, file
        seen.add(file.key)
    yield from sorted((_ref(name, file) for name, (_, file) in best.items()), key=lambda ref: ref.key)
    yield from sorted(problems, key=lambda found: (found.place, found.fault))


def _ref(name: str, file: Listed) -> DocumentRef:
    return DocumentRef(
        key=file.key, names=(f"{name}(tldr)",), fingerprint=file.stamp, size_bytes=file.size_bytes
    )


def rank(key: str) -> tuple[int, int, str] | None:
    """Return the preference of a file (lower is better), or None if it is not an English page for Linux."""
    *folders, file = key.split("/")
    platform = folders.pop() if folders else ""
    language = folders.pop() if folders else LANGUAGES[0]
    if not file.endswith(".md") or platform not in PLATFORMS or language not in LANGUAGES or len(folders) > 1:
        return None
    return PLATFORMS.index(platform), LANGUAGES.index(language), key


class Folder:
    """A folder that contains `pages/common`, or `common` itself, or a folder with either. See `Place`."""

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
