"""List the documents in a folder and its subfolders, without opening any file."""

# A folder may hold a hundred thousand files: a `Path` for each would take longer than everything else.
# ruff: noqa: PTH118

import errno
import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from vademecum.core.documents import DocumentRef, Problem
from vademecum.core.errors import SourceError
from vademecum.files.read import is_within
from vademecum.sources._problems import problem

SUFFIXES = (
    ".md", ".markdown", ".mdx", ".html", ".htm", ".txt", ".text", ".rst", ".adoc", ".asciidoc", ".pdf", ".docx", ".epub",
    ".csv", ".tsv", ".xlsx", ".xls", ".ods",
)  # fmt: skip
LIMIT_BYTES = 256 * 1024 * 1024
"""The maximum size of a file."""

_DEEPEST = 100
_UPLOAD = re.compile(r"^[0-9a-f]{16}/")
"""The folder of an uploaded file. It is a random id, which says nothing to people."""

_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"})


class Folder:
    """A listing of a folder.

    Args:
        only: The name of a file in the folder, to list it alone; "" for all.

    Keys are paths relative to the folder. Hidden files and folders are omitted, and so are symbolic links to targets in
    the folder, which are listed at their own place.
    """

    def __init__(self, location: Path, only: str = "") -> None:
        self._location, self._only = location, only
        self._root = os.path.realpath(location)
        self._refs: list[DocumentRef] = []
        self._problems: list[Problem] = []

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List documents by key, then problems by place.

        Raises:
            SourceError: The folder cannot be listed.
        """
        pending = [("", 0)]
        while pending:
            folder, depth = pending.pop()
            for entry in self._entries(folder):
                key = f"{folder}{entry.name}"
                if self._is_folder(entry) and not entry.is_symlink():
                    if depth < _DEEPEST:
                        pending.append((f"{key}/", depth + 1))
                    else:
                        self._note(key, "unreadable", "It lies too deep.")
                else:
                    self._see(key, entry)
        yield from _named(sorted(self._refs, key=lambda ref: ref.key))
        yield from sorted(self._problems, key=lambda found: (found.place, found.fault))

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(os.path.join(self._root, folder)) as entries:
                if self._only:
                    return [entry for entry in entries if entry.name == self._only]
                return [entry for entry in entries if not entry.name.startswith(".")]
        except OSError as error:
            message = f"cannot be listed: {error.strerror}."
            if folder:
                self._note(folder.rstrip("/"), "unreadable", f"The folder {message}")
                return []
            hint = "Name a folder of documents that you may read."
            raise SourceError(f"{self._location} {message}", hint=hint) from error

    @staticmethod
    def _is_folder(entry: os.DirEntry[str]) -> bool:
        try:
            return entry.is_dir()
        except OSError:
            return False

    def _see(self, key: str, entry: os.DirEntry[str]) -> None:
        is_wanted = entry.name.lower().endswith(SUFFIXES)
        try:
            if entry.is_symlink():
                if is_wanted or self._is_folder(entry):
                    self._see_link(key)
                return
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            self._note(key, "unreadable", f"It cannot be read: {error.strerror}.")
            return
        if not is_wanted:
            return
        if not _is_text(key):
            self._note(key, "bad-name", "Its name is not UTF-8.")
        elif not stat.S_ISREG(status.st_mode):
            self._note(key, "not-a-file", "It is not a regular file.")
        elif status.st_size > LIMIT_BYTES:
            self._note(key, "too-large", f"It holds more than {LIMIT_BYTES:,} bytes.")
        else:
            self._refs.append(_ref(key, status))

    def _see_link(self, key: str) -> None:
        try:
            real = os.path.realpath(os.path.join(self._root, key), strict=True)
        except OSError as error:
            if error.errno == errno.ELOOP:
                self._note(key, "link-cycle", "It is a link that leads to itself.")
            else:
                self._note(key, "dangling-link", f"What it links to cannot be read: {error.strerror}.")
            return
        if not is_within(self._root, real):
            self._note(key, "outside", "It is a link that leads out of the folder.")

    def _note(self, key: str, fault: str, message: str) -> None:
        place = os.fsencode(key).decode("utf-8", "backslashreplace")
        self._problems.append(problem("docs", place, fault, message))


def _named(refs: Sequence[DocumentRef]) -> Iterator[DocumentRef]:
    """Yield the documents; one whose folder is that of an upload is named without it, where the name is still unique."""
    short = [_UPLOAD.sub("", ref.key, count=1) for ref in refs]
    count = Counter(short)
    for ref, name in zip(refs, short, strict=True):
        yield replace(ref, names=(reference_of(name),)) if name != ref.key and count[name] == 1 else ref


def reference_of(key: str) -> str:
    r"""Return the reference of a file: its path, with invisible characters escaped (`\n`, `\u202e`)."""
    shown = key.translate(_ESCAPES)
    if shown.isprintable():
        return shown
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in shown)


def _ref(key: str, status: os.stat_result) -> DocumentRef:
    name = hashlib.blake2b(key.encode(), digest_size=8).hexdigest()
    return DocumentRef(
        key=key,
        names=(reference_of(key),),
        fingerprint=f"{status.st_size:x}-{status.st_mtime_ns:x}-{name}",
        size_bytes=status.st_size,
    )


def _is_text(name: str) -> bool:
    """Return whether a file name could be decoded."""
    return name.isascii() or not any("\udc80" <= sign <= "\udcff" for sign in name)
