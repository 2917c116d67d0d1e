"""Make a `Document` from a page: its summary, its references, and the needs that it meets.

A manual page describes a program in the words of its authors. Users ask in other words: about `find -size`, they ask
for "files bigger than 100 MB". The handwritten `needs.txt` lists each such need under the page that an expert would
recommend:

    find(1)
      files bigger than a given size | -size

Recipes (`sources._recipes`) are needs, too. Their options are those in their command line.
"""

import re
from collections.abc import Iterable
from functools import cache
from html import unescape
from pathlib import Path

from vademecum.core.documents import Block, Document, DocumentRef, Need
from vademecum.sources._recipes import RECIPES, read_needs
from vademecum.sources.man.layout import Layout

NEEDS_FORMAT = "needs-4"
"""The version of needs and recipes. Increment it when one changes, so that pages are read again."""

_NEEDS = Path(__file__).with_name("needs.txt")
_OPTION = re.compile(r"(?<=\s)-[\w?#-]+")


def needs_of(names: Iterable[str]) -> tuple[Need, ...]:
    """Return the needs that a page meets, given all its references (`("stat(2)", "fstat(2)")`)."""
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


_REFERENCE = re.compile(r"(?<![\w.:+/@-])([A-Za-z0-9_][\w.:+@-]*) ?\(([0-9][a-zA-Z]*|[nl])\)")
_CROSS_REFERENCE = re.compile(r'<a class="Xr"[^>]*>([^<]+)</a>')
_DASH = re.compile(r"\s(?:-{1,2}|[‐–—−])\s+|\s*—\s*")


def make_document(ref: DocumentRef, layout: Layout, links: tuple[str, ...] = ()) -> Document:
    """Combine the data of the tree with the content of the page.

    Args:
        ref: The names and the key.
        layout: The text and blocks.
        links: The references that the markup declares (`.Xr`).
    """
    text = layout.text
    blocks = tuple(layout.blocks)
    own = ref.names[0]
    return Document(
        key=ref.key,
        reference=own,
        title=own,
        summary=_summary(text, blocks),
        names=ref.names,
        text=text,
        blocks=blocks,
        links=_links(text, blocks, links, set(ref.names)),
        needs=needs_of(ref.names),
    )


def cross_references(page: str) -> tuple[str, ...]:
    """Return the pages that a page's HTML links to through `.Xr`, in order, as written."""
    if 'class="Xr"' not in page:
        return ()
    return tuple(" ".join(unescape(name).split()) for name in _CROSS_REFERENCE.findall(page))


def _section(blocks: tuple[Block, ...], text: str, titles: tuple[str, ...]) -> list[Block]:
    """Return the blocks of the sections with one of these titles, without headings."""
    found: list[Block] = []
    inside = False
    for block in blocks:
        if block.kind == "heading":
            if block.level == 1:
                inside = text[block.start : block.end].upper() in titles
        elif inside:
            found.append(block)
    return found


def _summary(text: str, blocks: tuple[Block, ...]) -> str:
    for block in _section(blocks, text, ("NAME",)):
        parts = _DASH.split(text[block.start : block.end], maxsplit=1)
        if len(parts) == 2 and parts[1].strip():
            return " ".join(parts[1].split("\n")[0].split())
    return ""


def _links(text: str, blocks: tuple[Block, ...], declared: tuple[str, ...], own: set[str]) -> tuple[str, ...]:
    found = dict.fromkeys(declared)
    for block in _section(blocks, text, ("SEE ALSO",)):
        for name, section in _REFERENCE.findall(text[block.start : block.end]):
            found[f"{name}({section})"] = None
    return tuple(name for name in found if name not in own)
