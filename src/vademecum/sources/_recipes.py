"""Recipes: command lines that meet needs, from the handwritten `_recipes.txt`. Placeholders are in capitals.

    find(1)
      find empty files and folders | find FOLDER -empty

A recipe is shown only if the installed page documents each part of it (`ask.command_lines.line_to_type`).
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

RECIPES = Path(__file__).with_name("_recipes.txt")


@cache
def recipes() -> Mapping[tuple[str, str], str]:
    """Return the command lines, by the reference of a page and the need that they meet."""
    return {(reference, need): line for reference, need, line in read_needs(RECIPES)}


def read_needs(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the needs of a file: the page, the need, and the text after it."""
    reference = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            reference = line
        else:
            text, _, rest = line.strip().partition(" | ")
            yield reference, text, rest
