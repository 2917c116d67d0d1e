"""Find a quotation in a text, allowing for differences in white space, markup and typography."""

import re
from collections.abc import Iterator

_GAP = re.compile(r"\s*(?:\.{3,}|…|\[\.{3}\]|\[…\])\s*")
_SAME = {
    "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'", "“": '"', "”": '"', "„": '"', "″": '"', "«": '"', "»": '"',
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "−": "-", "×": "x",
}  # fmt: skip
_NOTHING = frozenset("*_`~#>|\u00ad\u200b\u200c\u200d\u2060\ufeff")
"""Markup, and characters that nobody sees."""

_LEAST_PART = 3
"""Letters and digits of a part of a quote with gaps; less says nothing about a place."""


def locate(quote: str, text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Where the words of a quote stand, in order; nothing if one of its parts does not.

    White space, letter case, markup (`*`, backticks, `_`) and the kind of quotation marks and dashes do not matter. An
    ellipsis in the quote stands for anything between its parts.

    Args:
        quote: What is said to stand there.
        text: Where.
        start: The first code point to look at.
        end: One past the last.

    Returns:
        The offsets in `text` of each part.

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
    """The characters that count, and where each stands."""
    kept = list(_counting(text, start, end))
    return "".join(letter for letter, _ in kept), [place for _, place in kept]


def _counting(text: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    for place in range(start, end):
        letter = text[place]
        if not letter.isspace() and letter not in _NOTHING:
            yield _SAME.get(letter, letter.lower() if len(letter.lower()) == 1 else letter), place
