"""Convert PDF to text and blocks, using the position and size of its lines. PDFium extracts the characters."""

import ctypes
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from vademecum.core.documents import Block
from vademecum.files.read import Unreadable
from vademecum.sources._markdown import fold
from vademecum.sources.docs.parsed import Parsed

_MOST_PAGES = 10_000
_MOST_CHARACTERS = 32 * 1024 * 1024
_PASSWORD = 4  # FPDF_ERR_PASSWORD
_HYPHEN = re.compile(r"(\w?)[\ufffe\x02](?:\s*\n)?(\w?)")
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"\W*(?:\d{1,4}|[ivxlc]{1,6})\W*", re.IGNORECASE)
_BULLET = re.compile(r"(?:[•‣▪◦∗*–-]|\(?\d{1,3}[.)])\s+")
_SENTENCE_END = (".", "!", "?", ":", ";", "”", '"', ")")
_REPEATED = 3
_HEADING_SIZE = 1.12
_LONGEST_HEADING = 160
_MOST_LEVELS = 4


class _Line(NamedTuple):
    """A line. Coordinates are in points from the lower left corner of the page; pages are counted from 1."""

    text: str
    page: int
    left: float
    right: float
    bottom: float
    low: float  # the bottom of its last character: PDFium merges lines joined by a hyphen
    size: float


class _Paragraph(NamedTuple):
    text: str
    page: int
    size: float


def read_pdf(raw: bytes) -> Parsed:
    """Read a PDF.

    Page numbers are omitted, and so are lines that occur at the top or bottom of at least three pages, ignoring digits.
    Lines are joined to paragraphs, and words hyphenated at a line end are rejoined. Lines in larger type are headings.
    Bullets and numbers are in the text, not in the blocks. The anchor of every block is its page (`page-3`).

    Raises:
        Unreadable: `extra-missing`, `encrypted`, `damaged`, `too-large` or `no-text`.
    """
    try:
        import pypdfium2  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise Unreadable("extra-missing", "PDF files need a reader that is not installed.") from error
    try:
        document = pypdfium2.PdfDocument(raw)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", 0) == _PASSWORD:
            raise Unreadable("encrypted", "It has a password.") from error
        raise Unreadable("damaged", "It is not a sound PDF file.") from error
    with document:
        if len(document) > _MOST_PAGES:
            raise Unreadable("too-large", f"It has more than {_MOST_PAGES:,} pages.")
        pages = list(_pages(document))
        title = fold(document.get_metadata_dict().get("Title", ""))
    paragraphs = list(_paragraphs(_without_frames(pages)))
    if not paragraphs:
        raise Unreadable("no-text", "It holds pictures of text, but no text.")
    text, blocks = _laid_out(paragraphs)
    return Parsed(title, "", "", text, blocks)


def _pages(document: Any) -> Iterator[list[_Line]]:
    total = 0
    for number in range(len(document)):
        page = document[number]
        words = page.get_textpage()
        lines = list(_lines(words, number + 1))
        total += sum(len(line.text) for line in lines)
        if total > _MOST_CHARACTERS:
            raise Unreadable("too-large", "It holds too much text.")
        yield lines
        words.close()
        page.close()


def _lines(words: Any, page: int) -> Iterator[_Line]:
    """Yield the lines of a page in reading order."""
    text = words.get_text_range()
    at = 0
    for line in text.split("\r\n"):
        shown = line.strip()
        if shown:
            first = at + line.index(shown[0])
            places = (first, first + len(shown) // 2, first + len(shown) - 1)
            try:
                boxes = [words.get_charbox(place, loose=True) for place in places]
            except (ctypes.ArgumentError, IndexError, RuntimeError, ValueError):
                boxes = [(0.0, 0.0, 0.0, 0.0)] * 3
            size = statistics.median(top - bottom for _, bottom, _, top in boxes)
            left, bottom, _, _ = boxes[0]
            _, low, right, _ = boxes[2]
            yield _Line(shown, page, left, right, bottom, low, round(size * 2) / 2)
        at += len(line) + 2


def _without_frames(pages: Sequence[list[_Line]]) -> Iterator[list[_Line]]:
    """Yield the pages without their running titles and page numbers."""
    edges = Counter(
        _DIGITS.sub("#", line.text) for lines in pages for line in {*lines[:1], *lines[-1:]} if lines
    )
    for lines in pages:
        kept = list(lines)
        for end in (0, -1):
            if kept and (
                _PAGE_NUMBER.fullmatch(kept[end].text) or edges[_DIGITS.sub("#", kept[end].text)] >= _REPEATED
            ):
                kept.pop(end)
        yield kept


def _paragraphs(pages: Iterator[list[_Line]]) -> Iterator[_Paragraph]:
    waiting: list[_Line] = []
    for lines in pages:
        gaps = [one.low - two.bottom for one, two in pairwise(lines)]
        leading = statistics.median([gap for gap in gaps if gap > 0] or [0.0])
        margin = max((line.right for line in lines), default=0.0)
        for line in lines:
            if waiting and _parts(waiting, line, leading, margin):
                yield _joined(waiting)
                waiting = []
            waiting.append(line)
    if waiting:
        yield _joined(waiting)


def _parts(waiting: Sequence[_Line], line: _Line, leading: float, margin: float) -> bool:
    """Return whether `line` begins a new paragraph."""
    before = waiting[-1]
    if abs(line.size - before.size) > 1 or _BULLET.match(line.text):
        return True
    gap = before.low - line.bottom
    if line.page != before.page or gap < 0:  # on another page, or in another column
        return not line.text[0].islower() or before.text.endswith(_SENTENCE_END[:3])
    if gap > max(1.25 * leading, 1.0):
        return True
    is_short = before.right < before.left + 0.7 * (margin - before.left)
    # The first line of a paragraph may have another indentation than its other lines.
    is_moved = len(waiting) > 1 and abs(line.left - before.left) > 6
    return (is_short and not line.text[0].islower()) or is_moved


def _joined(lines: Sequence[_Line]) -> _Paragraph:
    text = "\n".join(line.text for line in lines)
    return _Paragraph(fold(_HYPHEN.sub(_unparted, text)), lines[0].page, lines[0].size)


def _unparted(found: re.Match[str]) -> str:
    """Join two parts of a word; PDFium marks the hyphen at the end of a line."""
    before, after = found.groups()
    both_small = before.islower() and after.islower()
    return f"{before}{after}" if both_small else f"{before}-{after}"


def _laid_out(paragraphs: Sequence[_Paragraph]) -> tuple[str, tuple[Block, ...]]:
    letters: Counter[float] = Counter()
    for paragraph in paragraphs:
        letters[paragraph.size] += len(paragraph.text)
    usual = letters.most_common(1)[0][0]
    larger = sorted((size for size in letters if size > _HEADING_SIZE * usual), reverse=True)
    levels = {size: min(rank, _MOST_LEVELS) for rank, size in enumerate(larger, 1)}
    blocks: list[Block] = []
    pieces: list[str] = []
    at = 0
    for text, page, size in paragraphs:
        if not text:
            continue
        level = levels.get(size, 0) if len(text) <= _LONGEST_HEADING else 0
        marked = None if level else _BULLET.match(text)
        start = at + (marked.end() if marked else 0)
        end = at + len(text)
        if start < end:
            depth = 1 if marked else level
            blocks.append(
                Block("heading" if level else "paragraph", start, end, depth, f"page-{page}", start)
            )
            pieces.append(text)
            at = end + 1
    return "\n".join(pieces), tuple(blocks)
