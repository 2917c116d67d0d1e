"""Make a `Document` from a page: its summary, its references, and the needs that it meets."""

import re
from html import unescape

from vademecum.core.documents import Block, Document, DocumentRef
from vademecum.sources.man.layout import Layout
from vademecum.sources.man.tasks import needs_of

_REFERENCE = re.compile(r"(?<![\w.:+/@-])([A-Za-z0-9_][\w.:+@-]*) ?\(([0-9][a-zA-Z]*|[nl])\)")
_CROSS_REFERENCE = re.compile(r'<a class="Xr"[^>]*>([^<]+)</a>')
_DASH = re.compile(r"\s(?:-{1,2}|[‐–—−])\s+|\s*—\s*")


def make_document(ref: DocumentRef, layout: Layout, links: tuple[str, ...] = ()) -> Document:
    """Combine the data of the tree with the content of the page."""
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
