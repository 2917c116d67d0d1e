"""What people want that the usual manual pages answer, in their words: `needs.txt`, written by hand.

A manual page says what a program does in the words of those who made it. People ask in other words: of
`find -size` they want "files bigger than 100 MB". Each need stands under the page that a good colleague would name.

    find(1)
      files bigger than a given size | -size

Recipes (`sources._recipes`) are needs, too: their options are those of their line.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from vademecum.core.documents import Need
from vademecum.sources._recipes import RECIPES, read_needs

FORMAT = "needs-4"
"""Raised when a need or a recipe changes: pages are then read once again."""

_NEEDS = Path(__file__).with_name("needs.txt")
_OPTION = re.compile(r"(?<=\s)-[\w?#-]+")


def needs_of(names: Iterable[str]) -> tuple[Need, ...]:
    """The needs that a page answers, given all its references (`("stat(2)", "fstat(2)")`)."""
    table = _table()
    return tuple(dict.fromkeys(need for name in names for need in table.get(name, ())))


@cache
def _table() -> dict[str, tuple[Need, ...]]:
    found: dict[str, list[Need]] = {}
    for reference, text, tags in read_needs(_NEEDS):
        found.setdefault(reference, []).append(Need(text, tuple(tags.split())))
    for reference, text, line in read_needs(RECIPES):
        needs = found.setdefault(reference, [])
        if all(need.text != text for need in needs):
            needs.append(Need(text, tuple(_OPTION.findall(line))))
    return {reference: tuple(needs) for reference, needs in found.items()}
