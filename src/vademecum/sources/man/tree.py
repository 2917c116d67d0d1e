"""List the manual pages of a tree and their names, opening as few files as possible."""

# 20,000 files in half a second: a `Path` for each would take longer than everything else.
# ruff: noqa: PTH112, PTH113, PTH114, PTH115, PTH116, PTH118, PTH119, PTH120, PTH122

import errno
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from vademecum.core.documents import DocumentRef, Problem
from vademecum.core.errors import SourceError
from vademecum.files.inflate import SUFFIXES, read_inflated
from vademecum.files.read import Unreadable
from vademecum.sources._problems import problem
from vademecum.sources.man.roff import included

_SECTION_FOLDER = re.compile(r"man(?:[0-9]\w*|[a-z])")
_PAGE = re.compile(r"(.+)\.([0-9]\w*|[lnopx])")
_SMALL_BYTES = 512
_SMALL_PLAIN_BYTES = 2048


@dataclass(slots=True)
class _File:
    """A real file: its size and time, and every name that leads to it, its own name first."""

    size: int
    mtime_ns: int
    names: list[str] = field(default_factory=list)


class Tree:
    """A listing of the folder of `man1`, `man2`, ...

    Keys are paths of real files relative to `location`, with `..` if a link leaves the tree.
    """

    def __init__(self, location: Path) -> None:
        self._location = location
        self._root = os.path.realpath(location)
        self._files: dict[str, _File] = {}
        self._links: set[str] = set()
        self._aliases: dict[str, str] = {}
        self._by_page: dict[str, str] = {}
        self._problems: list[Problem] = []

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List documents by key, then problems by place."""
        for folder in self._section_folders():
            self._list(folder)
        self._by_page = {_plain(key): key for key in (*self._files, *self._links)}
        for key in list(self._files):
            self._unwrap(key)
        self._follow_links()
        self._drop_shadowed()
        yield from map(self._ref, sorted(key for key, file in self._files.items() if file.names))
        yield from sorted(self._problems, key=lambda found: (found.place, found.fault))

    def _section_folders(self) -> list[str]:
        try:
            with os.scandir(self._location) as entries:
                found = sorted(entry.name for entry in entries if _SECTION_FOLDER.fullmatch(entry.name))
        except OSError as error:
            message = f"{self._location} cannot be listed: {error.strerror}."
            raise SourceError(message, hint="Name the folder that holds man1, man2, ...") from error
        folders: list[str] = []
        seen = {self._root}
        for name in found:
            real = os.path.realpath(self._location / name)
            if real in seen:
                continue
            seen.add(real)
            if os.path.isdir(real):
                folders.append(os.path.relpath(real, self._root))
            elif os.path.islink(real):
                self._note(name, "link-cycle", "The folder is a link that leads to itself.")
        return folders

    def _list(self, folder: str) -> None:
        try:
            with os.scandir(os.path.join(self._root, folder)) as entries:
                for entry in entries:
                    self._see(f"{folder}/{entry.name}", entry)
        except OSError as error:
            self._note(folder, "unreadable", f"The folder cannot be listed: {error.strerror}.")

    def _see(self, key: str, entry: os.DirEntry[str]) -> None:
        if entry.name.startswith(".") or entry.is_dir(follow_symlinks=False):
            return
        if not _is_text(entry.name):
            place = os.fsencode(key).decode("utf-8", "backslashreplace")
            self._note(place, "not-a-page", "Its name is not UTF-8.")
        elif page_name(entry.name) is None:
            self._note(key, "not-a-page", "Its name does not end in a section of the manual.")
        elif entry.is_symlink():
            self._links.add(key)
        else:
            self._add(key, entry.stat(follow_symlinks=False))

    def _add(self, key: str, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode) or not _is_text(key):
            key = os.fsencode(key).decode("utf-8", "backslashreplace")
            self._note(key, "unreadable", "It is not a regular file with a name in UTF-8.")
            return
        name = page_name(os.path.basename(key))
        names = [name] if name else []
        self._files[key] = _File(status.st_size, status.st_mtime_ns, names)

    def _unwrap(self, key: str) -> None:
        """Convert a page that consists of a single `.so` request to a link."""
        limit = _SMALL_BYTES if key.endswith(SUFFIXES) else _SMALL_PLAIN_BYTES
        target = self._included(key) if self._files[key].size <= limit else None
        if target is None:
            return
        del self._files[key]
        self._aliases[key] = self._find(key, os.path.normpath(target))
        if not self._aliases[key] and self._leads_out(key, target):
            self._note(key, "outside", f"It includes {target}, which lies outside of the tree.")
        elif not self._aliases[key]:
            self._note(key, "dangling-link", f"It includes {target}, which is not there.")

    def _find(self, key: str, target: str) -> str:
        """Return the file that `.so man2/stat.2` or `.so stat.2` in a page refers to, or ""."""
        tree = os.path.dirname(os.path.dirname(key))
        for base in (tree, "", os.path.dirname(key)):
            if found := self._by_page.get(_plain(os.path.normpath(os.path.join(base, target)))):
                return found
        if tree and not target.startswith(("/", "..")):
            # A page outside our tree, known by a link, includes files of its own tree.
            for suffix in ("", *SUFFIXES):
                real = os.path.realpath(os.path.join(self._root, tree, target + suffix))
                if os.path.isfile(real):
                    found = os.path.relpath(real, self._root)
                    if found not in self._files:
                        self._add(found, os.stat(real))
                    return found
        return ""

    def _leads_out(self, key: str, target: str) -> bool:
        """Return whether a target that is not a page of the tree is outside it, for every base folder."""
        own = os.path.normpath(os.path.join(self._root, os.path.dirname(os.path.dirname(key))))
        trees = {self._root, own}  # a page outside our tree has its own tree
        found = [os.path.normpath(os.path.join(base, target)) for base in (*trees, os.path.join(own, "man1"))]
        outside = [place for place in found if not any(f"{place}/".startswith(f"{tree}/") for tree in trees)]
        return len(outside) == len(found) or any(map(os.path.isfile, outside))

    def _included(self, key: str) -> str | None:
        try:
            return included(read_inflated(Path(self._root, key), 64 * 1024, follow=True))
        except Unreadable:
            return None  # `read` will report the problem

    def _follow_links(self) -> None:
        for key in sorted((*self._links, *self._aliases)):
            target = self._resolve(key)
            if target is None:
                continue
            name = page_name(os.path.basename(key))
            file = self._files[target]
            if name and name not in file.names:
                file.names.append(name)

    def _resolve(self, key: str) -> str | None:
        place, seen = key, set[str]()
        while key not in self._files:
            if key in seen:
                self._note(place, "link-cycle", "It is a link that leads to itself.")
                return None
            seen.add(key)
            target = self._aliases[key] if key in self._aliases else self._target(place, key)
            if not target:
                return None
            key = target
        return key

    def _target(self, place: str, key: str) -> str | None:
        """Return the target of a symbolic link: the next link if it is in the same folder, otherwise the final file."""
        path = os.path.join(self._root, key)
        try:
            target = os.readlink(path)
            if "/" not in target:
                near = f"{os.path.dirname(key)}/{target}"
                if near in self._files or near in self._links or near in self._aliases:
                    return near
            real = os.path.realpath(path, strict=True)
            found = os.path.relpath(real, self._root)
            if found not in self._files and found not in self._aliases:
                self._add(found, os.stat(real))
                if found not in self._files:
                    return None
                self._unwrap(found)
        except OSError as error:
            if error.errno == errno.ELOOP:
                self._note(place, "link-cycle", "It is a link that leads to itself.")
            else:
                self._note(place, "dangling-link", f"What it links to cannot be read: {error.strerror}.")
            return None
        return found

    def _drop_shadowed(self) -> None:
        """Assign every name to one document: own names before links, then in order of keys."""
        owner: dict[str, str] = {}
        for key in sorted(self._files):
            names = self._files[key].names
            if names and owner.setdefault(names[0], key) != key:
                self._note(key, "shadowed", f"{owner[names[0]]} has the same name, {names[0]}.")
                names.clear()
        for key in sorted(self._files):
            names = self._files[key].names
            names[:] = [name for name in names if owner.setdefault(name, key) == key]

    def _ref(self, key: str) -> DocumentRef:
        file = self._files[key]
        names = hashlib.blake2b("\0".join(file.names).encode(), digest_size=8).hexdigest()
        return DocumentRef(
            key=key,
            names=tuple(file.names),
            fingerprint=f"{file.size:x}-{file.mtime_ns:x}-{names}",
            size_bytes=file.size,
        )

    def _note(self, place: str, fault: str, message: str) -> None:
        self._problems.append(problem("man", place, fault, message))


def page_name(file_name: str) -> str | None:
    """Return the reference of a page, or None if the file name is not a page's: `open.3perl.gz` is `open(3perl)`."""
    found = _PAGE.fullmatch(_plain(file_name))
    return f"{found[1]}({found[2]})" if found else None


def _is_text(name: str) -> bool:
    """Return whether a file name could be decoded."""
    return name.isascii() or not any("\udc80" <= sign <= "\udcff" for sign in name)


def _plain(key: str) -> str:
    stem, suffix = os.path.splitext(key)
    return stem if suffix in SUFFIXES else key
