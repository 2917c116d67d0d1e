"""User-defined patterns: `/body/flags` or a plain body. All patterns of a field are matched together, in linear time."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import re2

from vademecum.text.printable import printable

FLAGS = "ims"
_LARGEST = 4000
_LARGEST_IN_SET = 400
_MOST_IN_SET = 20_000
"""The maximum number of instructions in a pattern, in a pattern of a set, and in a whole set."""

_SET_BYTES = 64 << 20
_PATTERN_BYTES = 8 << 20


class BadPattern(ValueError):
    """A pattern that cannot be used. The message says why."""


class Pattern(NamedTuple):
    """A pattern.

    Attributes:
        body: The pattern without slashes and flags.
        flags: The flags, some of `i`, `m` and `s` in this order.
    """

    written: str
    body: str
    flags: str = ""
    warning: str = ""

    @property
    def whole(self) -> str:
        """The body, preceded by its flags."""
        return f"(?{self.flags}){self.body}" if self.flags else self.body


def read_pattern(written: str) -> Pattern:
    r"""Parse a pattern.

    A body in slashes ends at the last slash that is not escaped. An opening slash that is not closed is removed, with a
    warning. A pattern without an opening slash is all body.

    >>> read_pattern("/open shift/i").whole
    '(?i)open shift'
    >>> read_pattern(r"/^docs\/").body
    '^docs\\/'
    """
    pattern = Pattern(written, written)
    if written.startswith("/"):
        end = _last_slash(written)
        if end > 0:
            flags = written[end + 1 :]
            bad = next((flag for flag in flags if flag not in FLAGS), "")
            if bad:
                message = f"“{printable(bad)}” after the last slash is not a flag; the flags are i, m and s."
                raise BadPattern(message)
            used = "".join(flag for flag in FLAGS if flag in flags)
            pattern = Pattern(written, written[1:end], used)
        else:
            warning = "It starts with an unclosed slash, which is ignored."
            pattern = Pattern(written, written[1:], "", warning)
    if not pattern.body:
        raise BadPattern("It is empty and would match everything.")
    if _compiled(pattern).programsize > _LARGEST:
        raise BadPattern("It is too large: write shorter repetitions ({0,40} instead of {0,1000}).")
    return pattern


def _last_slash(written: str) -> int:
    """Return the position of the last slash that is not escaped; 0 if that is the first character or there is none."""
    for end in range(len(written) - 1, 0, -1):
        if written[end] == "/":
            escapes = len(written[:end]) - len(written[:end].rstrip("\\"))
            if escapes % 2 == 0:
                return end
    return 0


def _compiled(pattern: Pattern) -> Any:
    try:
        return re2.compile(pattern.whole, _options(_PATTERN_BYTES))
    except (re2.error, UnicodeEncodeError) as error:
        said = error.args[0] if error.args else error
        text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        if "perl operator" in text or re.search(r"escape sequence: \\\d", text):
            text = f"{text} (look-around and back-references are not supported: patterns are matched in linear time)"
        raise BadPattern(f"It is not a valid pattern: {printable(text, 160)}.") from error


def _options(most_bytes: int) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = most_bytes
    return options


class PatternSet:
    """Several patterns that are searched in one pass over a text.

    The set is an automaton that is built during the search. It contains an additional pattern that matches every text:
    if this pattern is not found, the set has run out of memory, and each pattern is searched separately.
    """

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self._single = [_compiled(pattern) for pattern in patterns]
        self._set = re2.Set.SearchSet(_options(_SET_BYTES))
        self._places: list[int] = []
        self._apart: list[int] = []
        room = _MOST_IN_SET
        for place, compiled in enumerate(self._single):
            size = compiled.programsize
            if size <= min(_LARGEST_IN_SET, room):
                room -= size
                self._set.Add(patterns[place].whole)
                self._places.append(place)
            else:
                self._apart.append(place)
        self._always = self._set.Add("")
        self._set.Compile()

    def matching(self, texts: Iterable[str]) -> frozenset[int]:
        """Return the positions of the patterns that match at least one of the texts."""
        found: set[int] = set()
        for text in texts:
            found.update(self._in(text.encode("utf-8", "replace")))
        return frozenset(found)

    def _in(self, text: bytes) -> Iterable[int]:
        hits = self._set.Match(text)
        if hits and self._always in hits:
            yield from (self._places[hit] for hit in hits if hit != self._always)
            single: Sequence[int] = self._apart
        else:
            single = range(len(self._single))
        yield from (place for place in single if self._single[place].search(text))
