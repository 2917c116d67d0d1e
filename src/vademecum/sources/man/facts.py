"""From a page's layout to its `Document`: the summary, and the pages it points to."""

import re
from html import unescape

from vademecum.core.documents import Block, Document, DocumentRef
from vademecum.sources.man.layout import Layout
from vademecum.sources.man.needs import needs_of

_REFERENCE = re.compile(r"(?<![\w.:+/@-])([A-Za-z0-9_][\w.:+@-]*) ?\(([0-9][a-zA-Z]*|[nl])\)")
_CROSS_REFERENCE = re.compile(r'<a class="Xr"[^>]*>([^<]+)</a>')
_DASH = re.compile(r"\s(?:-{1,2}|[‐–—−])\s+|\s*—\s*")


def make_document(ref: DocumentRef, layout: Layout, links: tuple[str, ...] = ()) -> Document:
    """Join what the tree knows and what the page shows.

    Args:
        ref: Names and key.
        layout: Text and blocks.
        links: References the markup itself declares (`.Xr`).
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
    """The pages that a page's HTML links to by `.Xr`, in order, as written."""
    if 'class="Xr"' not in page:
        return ()
    return tuple(" ".join(unescape(name).split()) for name in _CROSS_REFERENCE.findall(page))


def _section(blocks: tuple[Block, ...], text: str, titles: tuple[str, ...]) -> list[Block]:
    """The blocks of the sections with one of these titles, headings left out."""
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
