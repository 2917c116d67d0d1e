"""What people want that the usual manual pages answer, in their words: `needs.txt`, written by hand.

A manual page says what a program does in the words of those who made it. People ask in other words: of
`find -size` they want "files bigger than 100 MB". Each need stands under the page that a good colleague would name.

    find(1)
      files bigger than a given size | -size
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from vademecum.core.documents import Need

FORMAT = "needs-3"
"""Raised when `needs.txt` changes: pages are then read anew."""

_FILE = Path(__file__).with_name("needs.txt")


def needs_of(names: Iterable[str]) -> tuple[Need, ...]:
    """The needs that a page answers, given all its references (`("stat(2)", "fstat(2)")`)."""
    table = _table()
    return tuple(dict.fromkeys(need for name in names for need in table.get(name, ())))


@cache
def _table() -> dict[str, tuple[Need, ...]]:
    found: dict[str, tuple[Need, ...]] = {}
    reference = ""
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            reference = line
        else:
            text, _, tags = line.strip().partition(" | ")
            found[reference] = (*found.get(reference, ()), Need(text, tuple(tags.split())))
    return found
