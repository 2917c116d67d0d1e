"""Find a quotation in a text, allowing for differences in white space, markup and typography."""

import re
from collections.abc import Iterator

_GAP = re.compile(r"\s*(?:\.{3,}|…|\[\.{3}\]|\[…\])\s*")
_SAME = {
    "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'", "“": '"', "”": '"', "„": '"', "″": '"', "«": '"', "»": '"',
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "−": "-", "×": "x",
}  # fmt: skip
_NOTHING = frozenset("*_`~#>|\u00ad\u200b\u200c\u200d\u2060\ufeff")
"""Markup and invisible characters, which are ignored."""

_LEAST_PART = 3
"""The minimum number of characters that count in a part of a quote; shorter parts are ignored, because they do not
identify a place.
"""


def locate(quote: str, text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Return the offsets of the words of a quote, in order, or an empty list if one of its parts is not found.

    White space, letter case, markup (`*`, backticks, `_`) and the style of quotation marks and dashes are ignored. An
    ellipsis in the quote matches anything between its parts.

    Args:
        quote: The quotation to find.
        start: The offset in code points at which the search starts.
        end: The end of the search (exclusive); by default the end of the text.

    Returns:
        The start and end (exclusive) in `text` of each part.

    >>> locate("a *file*  mode", "Change a file mode.")
    [(7, 18)]
    """
    end = len(text) if end is None else end
    letters, places = _plain(text, start, end)
    found: list[tuple[int, int]] = []
    after = 0
    parts = [
        wanted for part in _GAP.split(quote) if len(wanted := _plain(part, 0, len(part))[0]) >= _LEAST_PART
    ]
    for wanted in parts:
        at = letters.find(wanted, after)
        if at < 0:
            return []
        after = at + len(wanted)
        found.append((places[at], places[after - 1] + 1))
    return found


def _plain(text: str, start: int, end: int) -> tuple[str, list[int]]:
    """Return the characters that count, and the offset of each."""
    kept = list(_counting(text, start, end))
    return "".join(letter for letter, _ in kept), [place for _, place in kept]


def _counting(text: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    for place in range(start, end):
        letter = text[place]
        if not letter.isspace() and letter not in _NOTHING:
            yield _SAME.get(letter, letter.lower() if len(letter.lower()) == 1 else letter), place
