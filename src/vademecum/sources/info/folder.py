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
"""How a file may be compressed; of two that differ in this alone, the first counts."""

_MAIN = re.compile(r"(?s)(.+)\.info(|\.gz|\.bz2|\.xz)")
_PART = re.compile(r"(?s)(.+\.info-\d+)(|\.gz|\.bz2|\.xz)")
_UNKNOWN = re.compile(r"(?s).+\.info(?:-\d+)?\.(?:zst|lz|lzma|lz4|Z|br)")
_DEEPEST = 3
_HINT = "Name a folder of info manuals such as /usr/share/info, or one file that ends in .info or .info.gz."


class Found(NamedTuple):
    """A manual.

    Attributes:
        file: Its main file, relative to the folder.
        links: Names of other manuals that are links to this one.
    """

    file: str
    links: tuple[str, ...]


class Folder:
    """One look at the place of info manuals.

    Args:
        location: A folder, or one manual's main file.

    Attributes:
        root: The folder, all links resolved. Nothing outside of it is read.
        parts: The parts of split manuals that are there, compression left out.
        problems: What cannot be a manual.

    Raises:
        SourceError: It is not there, or cannot be listed.
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
        """Manuals by name, each once however it is compressed and linked."""
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
            return  # pictures, and `dir`, the list of all manuals
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
        """The manual a link leads to, or "" for none."""
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
            return ""  # hidden, or said to be unreadable itself
        return target

    def _note(self, place: str, fault: str, message: str) -> None:
        self.problems.append(problem("info", place, fault, message))


def root_of(location: Path) -> Path:
    """The folder a source may read from: the location, or what a single file is in."""
    real = Path(os.path.realpath(location))
    return real if location.is_dir() else real.parent


def inside(root: Path, file: str) -> Path:
    """Where a file really is.

    Args:
        root: The folder, as `os.path.realpath` gives it.
        file: A path relative to it.

    Raises:
        Unreadable: `outside`, `dangling-link`.
    """
    try:
        real = Path(os.path.realpath(root / file, strict=True))
    except OSError as error:
        fault = "dangling-link" if (root / file).is_symlink() else "unreadable"
        raise Unreadable(fault, f"It cannot be read: {error.strerror}.") from error
    except ValueError as error:  # a NUL
        raise Unreadable("unreadable", "It cannot be read: no file has such a name.") from error
    if not real.is_relative_to(root):
        raise Unreadable("outside", "It leads out of the source's folder, and is not followed.")
    return real


def compressions(file: str) -> Iterator[str]:
    """A file's name as it may stand in a folder, compressed or not."""
    return (f"{file}{suffix}" for suffix in _SUFFIXES)


def name_of(file: str) -> str:
    """What `info` calls a manual, from its file: `emacs-28/elisp.info.gz` is `emacs-28/elisp`.

    Signs that would not show, or change how others show, are written as escapes, a backslash too.
    """
    return "".join(map(_visible, file.removesuffix(_suffix(file)).removesuffix(".info")))


def split_key(key: str) -> tuple[str, str]:
    """A document's key as file and node. No file lies below a file, so this is unambiguous."""
    steps = key.split("/")
    count = next((n for n, step in enumerate(steps, 1) if _MAIN.fullmatch(step)), len(steps))
    return "/".join(steps[:count]), "/".join(steps[count:])


def _suffix(file: str) -> str:
    suffix = Path(file).suffix
    return suffix if suffix in _SUFFIXES else ""


def _visible(sign: str) -> str:
    odd = sign == "\\" or unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return f"\\u{ord(sign):04x}" if odd else sign
