"""Features of a question: whether it contains one of a list of words and phrases (`data/phrases.txt`).

    [wants]
    count: how many, number of
    terms: password, encrypt*

Words are compared without case and punctuation. `*` ends a prefix, and `^` begins the question.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_FILE = Path(__file__).parents[1] / "data/phrases.txt"
_WORD = re.compile(r"\w+")


def spoken(text: str) -> str:
    """Return a text as it is compared: its words in lowercase, between single spaces.

    >>> spoken("What's new?")
    '^ what s new '
    """
    return f"^ {' '.join(_WORD.findall(text.lower()))} "


def says(said: str, phrases: tuple[str, ...]) -> bool:
    """Return whether a text, as `spoken` gives it, contains one of the phrases of `phrases_of`.

    >>> [says(spoken(text), phrases_of("leading")["asks_how"]) for text in ("How do I?", "I know how to.")]
    [True, False]
    """
    return any(phrase in said for phrase in phrases)


@cache
def phrases_of(group: str) -> Mapping[str, tuple[str, ...]]:
    """Return the phrases of each feature of a group, as they are found in a spoken text."""
    found: dict[str, tuple[str, ...]] = {}
    is_in_group = False
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            is_in_group = line == f"[{group}]"
        elif is_in_group and line:
            name, _, listed = line.partition(": ")
            found[name] = tuple(map(_needle, listed.split(", ")))
    return found


def _needle(phrase: str) -> str:
    begins = "^ " if phrase[0] == "^" else " "
    words = phrase.lstrip("^")
    return begins + (words[:-1] if words[-1] == "*" else f"{words} ")
