"""Prepare the source of a page for a renderer: decode it, and resolve includes."""

import codecs
import os
import re
from pathlib import Path

from vademecum.files.inflate import SUFFIXES, read_inflated
from vademecum.files.read import Unreadable

LIMIT_BYTES = 16 * 1024 * 1024
"""The maximum size of an inflated page."""

_INCLUDE = re.compile(rb"(?m)^[.'][ \t]*so[ \t]+(\S+)[^\n]*$")
_CODING = re.compile(rb"coding[:=][ \t]*([A-Za-z0-9_.-]+)")
_DEEPEST_INCLUDE = 8
_MOST_INCLUDES = 200


def read_source(path: Path, tree: Path) -> bytes:
    """Read a page as UTF-8 roff, with `.so` requests replaced by the named files.

    Args:
        tree: The folder of `man1`, `man2`, ... Nothing outside it is included. For a page in another tree, its own tree
            counts.
    """
    source = read_inflated(path, LIMIT_BYTES, follow=True)
    if _INCLUDE.search(source):
        if not path.resolve().is_relative_to(tree):
            tree = path.resolve().parent.parent
        source = _Includer(tree).expand(source, path.parent, 0)
    return _to_utf8(source)


def included(source: bytes) -> str | None:
    """Return the target of a page that consists of a single `.so` request, or None."""
    lines = [line for line in source.split(b"\n") if line.strip() and line[:3] not in _COMMENTS]
    if len(lines) != 1:
        return None
    found = _INCLUDE.match(lines[0])
    return os.fsdecode(found[1]) if found else None


_COMMENTS = (b'.\\"', b"'\\\"")


class _Includer:
    """Replaces requests with files, within the size limit of a page."""

    def __init__(self, tree: Path) -> None:
        self._tree = tree
        self._left_bytes = LIMIT_BYTES
        self._left_files = _MOST_INCLUDES

    def expand(self, source: bytes, folder: Path, depth: int) -> bytes:
        def put(request: re.Match[bytes]) -> bytes:
            file = _find(os.fsdecode(request[1]), folder, self._tree)
            if file is None or depth == _DEEPEST_INCLUDE:
                return b""
            self._left_files -= 1
            content = read_inflated(file, LIMIT_BYTES, follow=True)
            self._left_bytes -= len(content)
            if self._left_bytes < 0 or self._left_files < 0:
                raise Unreadable("too-large", "It includes too many files, or too large ones.")
            # The line end after the request also ends the last line of the included text.
            return self.expand(content, file.parent, depth + 1).rstrip(b"\n")

        return _INCLUDE.sub(put, source)


def _find(target: str, folder: Path, tree: Path) -> Path | None:
    root = tree.resolve()
    for base in (root, folder):
        for suffix in ("", *SUFFIXES):
            file = (base / f"{target}{suffix}").resolve()
            if file.is_file() and file.is_relative_to(root):
                return file
    return None


def _to_utf8(source: bytes) -> bytes:
    try:
        source.decode()
    except UnicodeDecodeError:
        return source.decode(_declared_coding(source), "replace").encode()
    return source


def _declared_coding(source: bytes) -> str:
    first_lines = b"\n".join(source.split(b"\n", 2)[:2])
    found = _CODING.search(first_lines) if b"-*-" in first_lines else None
    if found:
        name = found[1].decode("ascii")
        for ending in ("", "-unix"):
            try:
                return codecs.lookup(name.removesuffix(ending)).name
            except LookupError:
                continue
    return "latin-1"
