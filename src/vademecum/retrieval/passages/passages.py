"""Divide a document's blocks into passages.

Each section is divided into windows of at most `WINDOW_WORDS` words and `MOST_CHARACTERS` characters, between blocks if possible, or
between sentences or words if a block is longer. In addition, each tagged entry of a list, usually an option, is a separate
passage: windows answer "what is this about", and entries answer "which option".
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import islice

from vademecum.core.documents import Block, Document
from vademecum.core.limits import CHARACTERS_A_TOKEN
from vademecum.core.passages import ITEM, OPTION, SECTION, Passage

WINDOW_WORDS = 300
MOST_CHARACTERS = 2000 * CHARACTERS_A_TOKEN
"""The maximum length of a passage, because keys and hashes can be as long as a page of text in a few words."""

_LONGEST_COLUMNS = 300
_OPTION_TAG = re.compile(r"[-+][\w?#@-]")
_WORD = re.compile(rf"\S{{1,{MOST_CHARACTERS}}}")


def passages_of(document: Document) -> tuple[Passage, ...]:
    """Return the passages of a document in reading order, both windows and entries.

    Headings are not in windows; they are the paths of the passages in their section. A document that consists of headings
    has no passages.
    """
    found: list[Passage] = []
    for heading, anchor, blocks in _sections(document):
        found.extend(_windows(document.text, heading, anchor, blocks))
        found.extend(_entries(document.text, heading, blocks))
    found.sort(key=lambda passage: (passage.start, -passage.end, passage.kind))
    return tuple(found)


def with_blocks(document: Document, passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Return the passages, windows with the headings above them, the block before them, and the blocks of the document that they overlap."""
    blocks, above = document.blocks, _headings_above(document)
    ends, starts = [block.end for block in blocks], [block.start for block in blocks]
    found = []
    for passage in passages:
        first = bisect_right(ends, passage.start)
        last = bisect_left(starts, passage.end)
        before = blocks[first - 1 : first] if first and blocks[first - 1].kind != "heading" else ()
        own = (*above[first], *before, *blocks[first:last]) if first < len(blocks) else ()
        found.append(passage._replace(blocks=own) if passage.kind == SECTION else passage)
    return tuple(found)


def _headings_above(document: Document) -> list[tuple[Block, ...]]:
    """Return for each block the headings that it is under, outermost first."""
    path: tuple[Block, ...] = ()
    found = []
    for block in document.blocks:
        found.append(path)
        if block.kind == "heading":
            path = (*(above for above in path if above.level < block.level), block)
    return found


def _sections(document: Document) -> Iterator[tuple[str, str, list[Block]]]:
    """Yield the heading path, anchor and blocks of each section. Text before the first heading has the path ""."""
    path: list[tuple[int, str]] = []
    anchor, blocks = "", []
    for block in document.blocks:
        if block.kind != "heading":
            blocks.append(block)
            continue
        if blocks:
            yield " > ".join(name for _, name in path), anchor, blocks
        while path and path[-1][0] >= block.level:
            path.pop()
        path.append((block.level, document.text[block.start : block.end]))
        anchor, blocks = block.anchor, []
    if blocks:
        yield " > ".join(name for _, name in path), anchor, blocks


def _windows(text: str, heading: str, anchor: str, blocks: list[Block]) -> Iterator[Passage]:
    """Yield the windows of a section. One that begins inside a table has the names of its columns in its path."""
    start = end = -1
    words, path = 0, heading
    for block in blocks:
        for piece_start, piece_end, piece_words in _pieces(text, block):
            if start >= 0 and (words + piece_words > WINDOW_WORDS or piece_end - start > MOST_CHARACTERS):
                yield Passage(SECTION, start, end, start, path, anchor)
                start, words = -1, 0
            if start < 0:
                start = piece_start
                columns = _columns(text, block) if start > block.start else ""
                path = " > ".join(filter(None, (heading, columns)))
            end = piece_end
            words += piece_words
    if start >= 0:
        yield Passage(SECTION, start, end, start, path, anchor)


def _columns(text: str, block: Block) -> str:
    """Return the first row of a table, which names its columns; "" if it is another block, or the row is long."""
    if block.kind != "table":
        return ""
    end = text.find("\n", block.start, block.end)
    return text[block.start : end] if 0 <= end - block.start <= _LONGEST_COLUMNS else ""


def _pieces(text: str, block: Block) -> Iterator[tuple[int, int, int]]:
    """Divide a block into pieces (start, end, words) that are not longer than a window."""
    if block.end - block.start <= MOST_CHARACTERS:
        words = _count(text, block.start, block.end)
        if words <= WINDOW_WORDS:
            yield block.start, block.end, words
            return
    following = (match.span() for match in _WORD.finditer(text, block.start, block.end))
    spans = [*islice(following, WINDOW_WORDS + 1)]
    while spans:
        last = min(WINDOW_WORDS, len(spans)) - 1
        while spans[last][1] - spans[0][0] > MOST_CHARACTERS:
            last -= 1
        if last < len(spans) - 1:
            later_half = range(last, last // 2, -1)
            last = next((i for i in later_half if _breaks_after(text, spans[i][1])), last)
        yield spans[0][0], spans[last][1], last + 1
        spans = [*spans[last + 1 :], *islice(following, last + 1)]


def _breaks_after(text: str, end: int) -> bool:
    """Return whether a sentence or line ends just before `end`."""
    return text[end - 1] in ".!?;:" or text.startswith("\n", end)


def _entries(text: str, heading: str, blocks: list[Block]) -> Iterator[Passage]:
    for position, block in enumerate(blocks):
        if block.kind != "item" or block.tag_end <= block.start:
            continue
        end = _entry_end(text, block, (blocks[later] for later in range(position + 1, len(blocks))))
        kind = OPTION if _OPTION_TAG.match(text, block.start) else ITEM
        yield Passage(kind, block.start, end, min(block.tag_end, end), heading, block.anchor)


def _entry_end(text: str, item: Block, following: Iterable[Block]) -> int:
    """Return the end of an entry. It includes the further blocks of its body, up to the length of a window."""
    end = item.end
    if end - item.start > MOST_CHARACTERS or (words := _count(text, item.start, end)) > WINDOW_WORDS:
        return next(piece_end for _, piece_end, _ in _pieces(text, item))
    for block in following:
        inside = block.level > item.level or (block.level == item.level and block.kind != "item")
        words += _count(text, block.start, block.end) if inside else 0
        if not inside or words > WINDOW_WORDS or block.end - item.start > MOST_CHARACTERS:
            break
        end = block.end
    return end


def _count(text: str, start: int, end: int) -> int:
    """Count the words in a range."""
    return len(text[start:end].split())
