"""Regular expressions that are compiled on first use, because a request needs few of them."""

import re
import sys
from collections.abc import Callable, Iterator
from typing import Any


class Pattern:
    """A regular expression that is compiled on first use. It ignores case unless other flags are given."""

    __slots__ = ("_compiled", "_flags", "source")

    def __init__(self, source: str, flags: int = re.IGNORECASE) -> None:
        self.source = source
        self._flags = int(flags)
        self._compiled: re.Pattern[str] | None = None

    @property
    def compiled(self) -> re.Pattern[str]:
        """The compiled expression."""
        if self._compiled is None:
            self._compiled = re.compile(self.source, self._flags)
        return self._compiled

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Return the first match, or None."""
        return self.compiled.search(text, start, end)

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Return the match that begins at `start`, or None."""
        return self.compiled.match(text, start, end)

    def fullmatch(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Return the match of the whole text from `start` to `end`, or None."""
        return self.compiled.fullmatch(text, start, end)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        """Yield all matches."""
        return self.compiled.finditer(text, start, end)

    def findall(self, text: str) -> list[Any]:
        """Return the matched strings or groups, as `re.Pattern.findall` does."""
        return self.compiled.findall(text)

    def split(self, text: str) -> list[str | Any]:
        """Split a text at the matches."""
        return self.compiled.split(text)

    def sub(self, by: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """Return a text with each match replaced, or the first `count`."""
        return self.compiled.sub(by, text, count)
