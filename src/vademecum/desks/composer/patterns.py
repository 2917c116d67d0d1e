"""Regular expressions that are compiled when they are first used, and once for all processes.

Reading a request takes some hundred of them, and compiling those takes longer than all the rest. What the compiler makes of one is a
list of numbers: it is kept in the desk's own folder under the expression itself, for this version of Python alone, and the interpreter
checks it when it takes it back. Wherever that does not work, an expression is compiled as it always is.
"""

import json
import re
import sys
from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from vademecum.files.folders import desk_folder
from vademecum.files.write import replace_file

_FORMAT = 1
_MOST = 2000
"""Expressions that are kept; an older release leaves some that nobody needs any more."""


class Pattern:
    """A regular expression, without regard to case unless other flags are given, that is compiled when it is first used."""

    __slots__ = ("_compiled", "_flags", "source")

    def __init__(self, source: str, flags: int = re.IGNORECASE) -> None:
        self.source = source
        self._flags = int(flags)
        self._compiled: re.Pattern[str] | None = None

    @property
    def compiled(self) -> re.Pattern[str]:
        """The expression itself."""
        if self._compiled is None:
            self._compiled = _compiled(self.source, self._flags)
        return self._compiled

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """The first match."""
        return self.compiled.search(text, start, end)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """A match that begins at a place."""
        return self.compiled.match(text, start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """A match of the whole."""
        return self.compiled.fullmatch(text)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        """All matches."""
        return self.compiled.finditer(text, start, end)

    def findall(self, text: str) -> list[Any]:
        """What all matches hold."""
        return self.compiled.findall(text)

    def split(self, text: str) -> list[str | Any]:
        """What stands between the matches."""
        return self.compiled.split(text)

    def sub(self, by: str | Callable[[re.Match[str]], str], text: str) -> str:
        """A text with each match replaced."""
        return self.compiled.sub(by, text)


class _Kept(NamedTuple):
    """The compiled expressions of a file: their flags, groups and places in the numbers, by what they were compiled from."""

    heads: dict[str, list[Any]]
    numbers: "array[int]"


_kept: _Kept | None = None
_new: dict[str, tuple[list[Any], list[int]]] = {}


def keep() -> None:
    """Keep what was compiled in this process for those that come."""
    if not _new or _kept is None:
        return
    heads, numbers = (
        (dict(_kept.heads), array("I", _kept.numbers)) if len(_kept.heads) < _MOST else ({}, array("I"))
    )
    for key, (head, code) in _new.items():
        heads[key] = [*head, len(numbers), len(code)]
        numbers.extend(code)
    _new.clear()
    body = f"{json.dumps([_FORMAT, heads], separators=(',', ':'))}\n{numbers.tobytes().hex()}"
    with suppress(OSError):  # where they can not be kept they are compiled again
        replace_file(_file(), f"{crc32(body.encode())}\n{body}")


def _file() -> Path:
    name = f"patterns-{sys.implementation.cache_tag}-{sys.hexversion:x}-{sys.byteorder}.txt"
    return Path(desk_folder("composer"), "templates", name)


def _compiled(source: str, flags: int) -> re.Pattern[str]:
    global _kept  # noqa: PLW0603 - read once a process
    try:
        if _kept is None:
            _kept = _load()
        key = f"{flags} {source}"
        if key in _kept.heads:
            found, groups, names, start, length = _kept.heads[key]
            return _made(source, found, _kept.numbers[start : start + length].tolist(), groups, names)
        return _taken_apart(source, flags, key)
    except (ImportError, AttributeError, ValueError, TypeError, RuntimeError, LookupError, OverflowError):
        return re.compile(source, flags)


def _taken_apart(source: str, flags: int, key: str) -> re.Pattern[str]:
    """An expression compiled in the compiler's own two steps, as `re.compile` does, so that what stands between them can be kept."""
    parsed = import_module("re._parser").parse(source, flags)
    code = [int(one) for one in import_module("re._compiler")._code(parsed, flags)]  # noqa: SLF001 - the one way to have it
    state = parsed.state
    head = [int(flags | state.flags), state.groups - 1, dict(state.groupdict)]
    made = _made(source, head[0], code, head[1], head[2])
    _new[key] = (head, code)
    return made


def _made(source: str, flags: int, code: list[int], groups: int, names: dict[str, int]) -> re.Pattern[str]:
    by_number: list[str | None] = [None] * (groups + 1)
    for name, number in names.items():
        by_number[number] = name
    made: re.Pattern[str] = import_module("_sre").compile(
        source, flags, code, groups, names, tuple(by_number)
    )
    return made


def _load() -> _Kept:
    """What is kept; nothing if there is none, or it is unsound."""
    numbers = array("I")
    with suppress(OSError, ValueError, TypeError, RecursionError):
        checksum, _, body = _file().read_bytes().partition(b"\n")
        if int(checksum) != crc32(body):
            return _Kept({}, numbers)
        head, _, digits = body.partition(b"\n")
        format_, heads = json.loads(head)
        numbers.frombytes(bytes.fromhex(digits.decode()))
        if format_ == _FORMAT:
            return _Kept(heads, numbers)
    return _Kept({}, array("I"))
