"""List the documents in a folder and its subfolders, without opening any file."""

# A folder may hold a hundred thousand files: a `Path` for each would take longer than everything else.
# ruff: noqa: PTH118, PTH122

import errno
import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from vademecum.core.documents import LEFT_OUT, OTHER_KINDS, DocumentRef, Problem
from vademecum.core.errors import SourceError
from vademecum.files.read import Unreadable, is_within, open_within, read_open
from vademecum.sources._problems import problem

SUFFIXES = frozenset(
    """.md .markdown .mdx .qmd .rmd .html .htm .xhtml .txt .text .log .rst .adoc .asciidoc .asc .org .tex .rtf .pdf .docx .odt .pptx
    .odp .epub .csv .tsv .xlsx .xls .ods .ipynb .eml .mbox .mhtml .mht .json .jsonl .yaml .yml .toml .xml .srt .vtt""".split()  # noqa: SIM905
)
_OLD = frozenset({".doc", ".dot", ".ppt", ".pps"})
"""Suffixes of Office files of before 2007, which are named with the way to convert them."""

_NAMES = frozenset(
    """readme license licence copying install changelog changes news authors contributors contributing todo hacking notice faq
    history maintainers upgrading upgrade thanks credits bugs manual""".split()  # noqa: SIM905
)
"""Names of documents without a suffix, in lowercase."""

_MADE = frozenset({"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml"})
"""Files that programs write for themselves."""

_LEFT_OUT = frozenset({"node_modules", "__pycache__", "bower_components", "site-packages"})
_GIT = frozenset({".git", ".hg", ".svn"})
"""Folders of programs and version control. The first are named where they are left out."""

LIMIT_BYTES = 256 * 1024 * 1024
"""The maximum size of a file."""

_DEEPEST = 100
_MOST_NAMED = 12
_MOST_PATTERNS_BYTES = 1 << 20
Ignored = tuple[str, Callable[[str], bool]]
"""A folder, and whether its `.gitignore` names a path in it."""

_UPLOAD = re.compile(r"^[0-9a-f]{16}/")
"""The folder of an uploaded file. It is a random id, which says nothing to people."""

_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"})


def suffix_of(name: str) -> str:
    """Return the suffix of a file name in lowercase; "" for names such as README, which have none.

    >>> suffix_of("a/Notes.MD"), suffix_of("README"), suffix_of("README.dist")
    ('.md', '', '.dist')
    """
    return os.path.splitext(name)[1].lower()


def is_document(name: str) -> bool:
    """Return whether files of this name are documents."""
    suffix = suffix_of(name)
    return (suffix in SUFFIXES and name.lower() not in _MADE) or (not suffix and name.lower() in _NAMES)


class Folder:
    """A listing of a folder.

    Args:
        only: The name of a file in the folder, to list it alone; "" for all.

    Keys are paths relative to the folder. Symbolic links to targets in the folder are listed at their own place. Files of other
    kinds are counted; hidden folders, those of programs, and what `.gitignore` names are left out and named.
    """

    def __init__(self, location: Path, only: str = "") -> None:
        self._location, self._only = location, only
        self._root = os.path.realpath(location)
        self._refs: list[DocumentRef] = []
        self._problems: list[Problem] = []
        self._others: Counter[str] = Counter()
        self._left_out: list[str] = []

    def scan(self) -> Iterator[DocumentRef | Problem]:
        """List documents by key, then problems by place."""
        pending: list[tuple[str, int, tuple[Ignored, ...]]] = [("", 0, ())]
        while pending:
            folder, depth, ignored = pending.pop()
            entries = self._entries(folder)
            if any(entry.name == ".gitignore" for entry in entries):
                ignored += tuple(self._ignored(folder))
            for entry in entries:
                key = f"{folder}{entry.name}"
                is_folder = self._is_folder(entry) and not entry.is_symlink()
                if self._is_left_out(key, entry.name, is_folder=is_folder, ignored=ignored):
                    continue
                if is_folder:
                    if depth < _DEEPEST:
                        pending.append((f"{key}/", depth + 1, ignored))
                    else:
                        self._note(key, "unreadable", "It lies too deep.")
                else:
                    self._see(key, entry)
        yield from _named(sorted(self._refs, key=lambda ref: ref.key))
        yield from sorted(self._problems, key=lambda found: (found.place, found.fault))
        yield from self._said_of_others()

    def _ignored(self, folder: str) -> Iterator[Ignored]:
        """Yield the patterns of a folder's `.gitignore`."""
        from pathspec import GitIgnoreSpec  # noqa: PLC0415 - few folders have one

        with suppress(OSError, Unreadable, ValueError):
            descriptor = open_within(self._root, f"{folder}.gitignore", _MOST_PATTERNS_BYTES)
            lines = read_open(descriptor, _MOST_PATTERNS_BYTES).decode(errors="replace").splitlines()
            yield folder, GitIgnoreSpec.from_lines(lines).match_file

    def _is_left_out(self, key: str, name: str, *, is_folder: bool, ignored: Sequence[Ignored]) -> bool:
        """Return whether a file or folder is left out, and record it."""
        if self._only:
            return False
        if name.startswith("."):
            if is_folder and name not in _GIT:
                self._left_out.append(f"{key}/")
            return True
        path = f"{key}/" if is_folder else key
        if (is_folder and name in _LEFT_OUT) or any(
            match(path.removeprefix(folder)) for folder, match in ignored
        ):
            self._left_out.append(path)
            return True
        return False

    def _said_of_others(self) -> Iterator[Problem]:
        """Yield what is not read, by kind and by name."""
        if count := self._others.total():
            shown = ", ".join(f"{kind} {number:,}" for kind, number in self._others.most_common(_MOST_NAMED))
            more = "" if len(self._others) <= _MOST_NAMED else ", …"
            message = f"{count:,} {'file' if count == 1 else 'files'} of other kinds {'is' if count == 1 else 'are'} not read: {shown}{more}."
            yield problem("docs", self._location.name, OTHER_KINDS, message)
        if self._left_out:
            shown = ", ".join(sorted(self._left_out)[:_MOST_NAMED])
            more = (
                ""
                if len(self._left_out) <= _MOST_NAMED
                else f" and {len(self._left_out) - _MOST_NAMED:,} more"
            )
            message = (
                f"Hidden folders, folders of programs, and what .gitignore names are left out: {shown}{more}."
            )
            yield problem("docs", self._location.name, LEFT_OUT, message)

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(os.path.join(self._root, folder)) as entries:
                if self._only:
                    return [entry for entry in entries if entry.name == self._only]
                return [*entries]
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
        is_wanted = is_document(entry.name)
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
            if suffix_of(entry.name) in _OLD:
                self._note(key, "old-format", "It is an Office file of a version before 2007.")
            else:
                self._others[suffix_of(entry.name) or "without a suffix"] += 1
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
