"""Regular expressions that are compiled on first use, because a request needs few of them."""

import re
import sys
from collections.abc import Callable, Iterator
from typing import Any


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
            self._compiled = re.compile(self.source, self._flags)
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
        """What is between the matches."""
        return self.compiled.split(text)

    def sub(self, by: str | Callable[[re.Match[str]], str], text: str) -> str:
        """A text with each match replaced."""
        return self.compiled.sub(by, text)
