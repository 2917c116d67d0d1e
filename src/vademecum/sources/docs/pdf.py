"""Convert PDF to text and blocks by the position and size of its lines, draw its pages, and find quotations on them. PDFium does the work."""

import ctypes
import re
import statistics
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

from vademecum.core.documents import Block
from vademecum.files.read import Unreadable, read_open
from vademecum.sources._blocks import Parsed
from vademecum.sources._markdown import fold
from vademecum.sources.docs.folder import LIMIT_BYTES

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


_MOST_PIXELS = 12_000_000
_COMPRESSION = 3
_UNITS = 1 << 20
"""The number of units per side of a page for the coordinates of rectangles."""

_LEAST_PLACED = 0.5
"""The minimum share of a quote that must be found on a page. Below it, nothing is marked."""

_MOST_SEARCHED = 200
"""The maximum number of pages searched after the one where the quote should be."""


class Placed(NamedTuple):
    """The position of a quote.

    Attributes:
        page: The page, counted from 1.
        placed: The share of the letters and digits of the quote that are on this page, 0-1.
        rectangles: The area of the quote: left, top, right and bottom as fractions of the page size, 0-1. Empty if less
            than half of the quote was found.
    """

    page: int
    pages: int
    width: float
    height: float
    placed: float
    rectangles: tuple[tuple[float, float, float, float], ...]


def place(descriptor: int, quote: str, before: str, page: int) -> Placed:
    """Find the page that contains most of a quote, and the rectangles of the quote there.

    Only letters and digits are compared, because the spaces, hyphens and line ends of PDFium differ from those of the
    text.

    Args:
        before: The words before the quote, which distinguish repeated passages; "" at the beginning.
        page: The page where the search begins, counted from 1.
    """
    wanted, context = _bare(quote), _bare(before)
    best: tuple[int, int, Any] = (0, page, None)
    with _opened(descriptor) as document:
        count = len(document)
        page = min(max(page, 1), count)
        for number in range(page, min(count, page + _MOST_SEARCHED) + 1):
            letters, places = _letters(document, number)
            start, length = _found(letters, wanted, context)
            if length > best[0]:
                best = (length, number, places[start : start + length])
            if length == len(wanted):
                break
        length, number, places = best
        share = length / len(wanted) if wanted else 0.0
        if places is None:
            number = page
        found = document[number - 1]
        width, height = found.get_size()
        rectangles = tuple(_rectangles(found, places)) if places and share >= _LEAST_PLACED else ()
        return Placed(number, count, width, height, share, rectangles)


def draw(descriptor: int, page: int, width: int) -> bytes:
    """Render a page as PNG.

    Args:
        page: The page, counted from 1.
        width: The width in pixels. It is reduced if the page would have more than twelve million pixels.
    """
    with _opened(descriptor) as document:
        if not 1 <= page <= len(document):
            raise Unreadable("damaged", f"It has no page {page}.")
        shown = document[page - 1]
        wide, high = shown.get_size()
        scale = min(width / max(wide, 1.0), (_MOST_PIXELS / max(wide * high, 1.0)) ** 0.5)
        bitmap = shown.render(scale=scale, rev_byteorder=True)
        rows = memoryview(bitmap.buffer)
        line = bitmap.width * bitmap.n_channels
        pixels = b"".join(
            b"\0" + bytes(rows[start : start + line])
            for start in range(0, bitmap.stride * bitmap.height, bitmap.stride)
        )
        return _png(bitmap.width, bitmap.height, bitmap.n_channels, pixels)


@contextmanager
def _opened(descriptor: int) -> Iterator[Any]:
    try:
        import pypdfium2  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise Unreadable("extra-missing", "PDF files need a reader that is not installed.") from error
    raw = read_open(descriptor, LIMIT_BYTES)
    try:
        with pypdfium2.PdfDocument(raw) as document:
            yield document
    except pypdfium2.PdfiumError as error:
        raise Unreadable("damaged", "It is not a sound PDF file.") from error


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _letters(document: Any, number: int) -> tuple[str, list[int]]:
    """Return the letters and digits of a page as one string, and the PDFium index of each character."""
    from pypdfium2 import raw  # noqa: PLC0415 - an extra

    words = document[number - 1].get_textpage()
    letters: list[str] = []
    places: list[int] = []
    for at, sign in enumerate(words.get_text_range()):
        if sign.isalnum():
            place = raw.FPDFText_GetCharIndexFromTextIndex(words, at)
            for letter in sign.casefold():
                letters.append(letter)
                places.append(place)
    words.close()
    return "".join(letters), places


def _found(letters: str, wanted: str, context: str) -> tuple[int, int]:
    """Return the position and length of the longest match on a page: all of the text, its beginning, or its end."""
    if not wanted:
        return 0, 0
    at = letters.find(context + wanted)
    if at >= 0:
        return at + len(context), len(wanted)
    at = letters.find(wanted)
    if at >= 0:
        return at, len(wanted)
    # the quote may continue on another page
    low, high = 0, len(wanted)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if wanted[:middle] in letters else (low, middle - 1)
    beginning = low
    low, high = 0, len(wanted)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if wanted[-middle:] in letters else (low, middle - 1)
    if beginning >= low:
        return letters.rfind(wanted[:beginning]), beginning
    return letters.find(wanted[-low:]), low


def _rectangles(page: Any, places: list[int]) -> Iterator[tuple[float, float, float, float]]:
    """Yield the rectangles that some characters cover, one per line."""
    words = page.get_textpage()
    first, last = places[0], places[-1]
    line: list[float] = []
    for number in range(words.count_rects(first, last - first + 1)):
        left, bottom, right, top = words.get_rect(number)
        (x, y), (across, down) = _share(page, left, top), _share(page, right, bottom)
        box = [min(x, across), min(y, down), max(x, across), max(y, down)]
        if line and min(line[3], box[3]) - max(line[1], box[1]) > min(line[3] - line[1], box[3] - box[1]) / 4:
            line = [*map(min, line[:2], box[:2]), *map(max, line[2:], box[2:])]
            continue
        if line:
            yield line[0], line[1], line[2], line[3]
        line = box
    if line:
        yield line[0], line[1], line[2], line[3]
    words.close()


def _share(page: Any, x: float, y: float) -> tuple[float, float]:
    """Return a point of the page as fractions of its size, from the top left, rotated like the page."""
    from pypdfium2 import raw  # noqa: PLC0415 - an extra

    across, down = ctypes.c_int(), ctypes.c_int()
    raw.FPDF_PageToDevice(page, 0, 0, _UNITS, _UNITS, 0, x, y, ctypes.byref(across), ctypes.byref(down))
    return across.value / _UNITS, down.value / _UNITS


def _png(width: int, height: int, channels: int, pixels: bytes) -> bytes:
    """Return rows of pixels as a PNG file (RFC 2083).

    Each row is preceded by a zero byte. There are 1 (grey), 3 (RGB) or 4 (RGB and alpha) channels.
    """
    colour = {1: 0, 3: 2, 4: 6}[channels]
    head = width.to_bytes(4) + height.to_bytes(4) + bytes([8, colour, 0, 0, 0])
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(pixels, _COMPRESSION)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        len(data).to_bytes(4) + name + data + zlib.crc32(name + data).to_bytes(4) for name, data in chunks
    )
