"""The manuals in a folder of info files, and their names."""

import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vademecum.core.errors import SourceError
from vademecum.files import inflate
from vademecum.files.read import Unreadable
from vademecum.sources._problems import problem

if TYPE_CHECKING:
    from vademecum.core.documents import Problem

_SUFFIXES = ("", *inflate.SUFFIXES)
"""The suffixes of compressed files. If two files differ only in this suffix, the first one counts."""

_MAIN = re.compile(r"(?s)(.+)\.info(|\.gz|\.bz2|\.xz)")
_PART = re.compile(r"(?s)(.+\.info-\d+)(|\.gz|\.bz2|\.xz)")
_UNKNOWN = re.compile(r"(?s).+\.info(?:-\d+)?\.(?:zst|lz|lzma|lz4|Z|br)")
_DEEPEST = 3
_HINT = "Name a folder of info manuals such as /usr/share/info, or one file that ends in .info or .info.gz."


class Found(NamedTuple):
    """A manual."""

    file: str
    links: tuple[str, ...]


class Folder:
    """A listing of a location of info manuals.

    Args:
        location: A folder, or the main file of a manual.

    Attributes:
        root: The folder, with all links resolved. Nothing outside it is read.
        parts: The existing parts of split manuals, by name without the compression suffix.
    """

    def __init__(self, location: Path) -> None:
        self.parts: dict[str, str] = {}
        self.problems: list[Problem] = []
        self._mains: dict[str, list[str]] = {}
        self._links: list[str] = []
        self.root = root_of(location)
        if location.is_dir():
            self._list("", _DEEPEST)
        elif not location.is_file() or not _MAIN.fullmatch(location.name):
            raise SourceError(f"{location} is neither an info manual nor a folder.", hint=_HINT)
        else:
            self._add(Path(os.path.realpath(location)).name)

    def manuals(self) -> list[Found]:
        """Return the manuals by name, each once, whatever its compression and links."""
        links: dict[str, list[str]] = {}
        for link in sorted(self._links):
            target = self._target(link)
            if target:
                links.setdefault(target, []).append(name_of(link))
        found = []
        for _, files in sorted(self._mains.items()):
            first, *others = sorted(files, key=lambda file: _SUFFIXES.index(_suffix(file)))
            found.append(Found(first, tuple(dict.fromkeys(links.get(first, ())))))
            for other in others:
                self._note(other, "shadowed", f"It is the same manual as {first}, which is read.")
        return found

    def _list(self, folder: str, depth: int) -> None:
        try:
            with os.scandir(self.root / folder) as entries:
                seen = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            if not folder:
                message = f"{self.root} cannot be listed: {error.strerror}."
                raise SourceError(message, hint=_HINT) from error
            self._note(folder, "unreadable", f"The folder cannot be listed: {error.strerror}.")
            return
        for entry in seen:
            if not entry.name.startswith("."):
                self._see(f"{folder}/{entry.name}" if folder else entry.name, entry, depth)

    def _see(self, file: str, entry: os.DirEntry[str], depth: int) -> None:
        main, part = _MAIN.fullmatch(entry.name), _PART.fullmatch(entry.name)
        if entry.is_symlink():
            if main:
                self._links.append(file)
            elif part:
                self.parts[file.removesuffix(part[2])] = file
        elif entry.is_dir(follow_symlinks=False):
            if main:
                self._note(file, "not-a-manual", "It is a folder, not a file.")
            elif depth:
                self._list(file, depth - 1)
        elif _UNKNOWN.fullmatch(entry.name):
            self._note(file, "unknown-compression", "It is compressed in a way that is not read here.")
        elif not (main or part):
            return  # images, and `dir`, the list of all manuals
        elif part:
            self.parts[file.removesuffix(part[2])] = file
        elif not stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
            self._note(file, "unreadable", "It is not a regular file.")
        else:
            self._add(file)

    def _add(self, file: str) -> None:
        if any("\udc80" <= sign <= "\udcff" for sign in file):
            self._note(file, "not-a-manual", "Its name is not UTF-8.")
            return
        self._mains.setdefault(file.removesuffix(_suffix(file)), []).append(file)

    def _target(self, link: str) -> str:
        """Return the manual that a link leads to, or ""."""
        try:
            real = inside(self.root, link)
        except Unreadable as bad:
            self._note(link, bad.fault, bad.message)
            return ""
        target = str(real.relative_to(self.root))
        if not real.is_file() or not _MAIN.fullmatch(real.name):
            self._note(link, "not-a-manual", "It links to something that is not an info manual.")
            return ""
        if target not in self._mains.get(target.removesuffix(_suffix(target)), ()):
            return ""  # hidden, or already reported as unreadable
        return target

    def _note(self, place: str, fault: str, message: str) -> None:
        self.problems.append(problem("info", place, fault, message))


def root_of(location: Path) -> Path:
    """Return the folder that a source may read from: the location, or the folder of a single file."""
    real = Path(os.path.realpath(location))
    return real if location.is_dir() else real.parent


def inside(root: Path, file: str) -> Path:
    """Return the real path of a file.

    Args:
        root: The folder, as returned by `os.path.realpath`.
        file: A path relative to the folder.
    """
    try:
        real = Path(os.path.realpath(root / file, strict=True))
    except OSError as error:
        fault = "dangling-link" if (root / file).is_symlink() else "unreadable"
        raise Unreadable(fault, f"It cannot be read: {error.strerror}.") from error
    except ValueError as error:  # a NUL character
        raise Unreadable("unreadable", "It cannot be read: no file has such a name.") from error
    if not real.is_relative_to(root):
        raise Unreadable("outside", "It leads out of the source's folder, and is not followed.")
    return real


def compressions(file: str) -> Iterator[str]:
    """Return the possible names of a file, with and without compression."""
    return (f"{file}{suffix}" for suffix in _SUFFIXES)


def name_of(file: str) -> str:
    """Return the name that `info` gives a manual: `emacs-28/elisp.info.gz` is `emacs-28/elisp`.

    Characters that are invisible or affect the display of others are escaped, and so are backslashes.
    """
    return "".join(map(_visible, file.removesuffix(_suffix(file)).removesuffix(".info")))


def split_key(key: str) -> tuple[str, str]:
    """Split the key of a document into file and node. It is unambiguous, because no file is below another file."""
    steps = key.split("/")
    count = next((n for n, step in enumerate(steps, 1) if _MAIN.fullmatch(step)), len(steps))
    return "/".join(steps[:count]), "/".join(steps[count:])


def _suffix(file: str) -> str:
    suffix = Path(file).suffix
    return suffix if suffix in _SUFFIXES else ""


def _visible(sign: str) -> str:
    odd = sign == "\\" or unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return f"\\u{ord(sign):04x}" if odd else sign
