"""The pages of a PDF: images of them, and the position of a quotation. PDFium does both."""

import ctypes
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from vademecum.files.read import Unreadable, read_open
from vademecum.sources.docs.folder import LIMIT_BYTES

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
        descriptor: The open file.
        quote: The quote.
        before: The words before the quote, which distinguish repeated passages; "" at the beginning.
        page: The page where the search begins, counted from 1.

    Raises:
        Unreadable: `damaged`: the file is not a PDF, or cannot be opened.
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
        descriptor: The open file.
        page: The page, counted from 1.
        width: The width in pixels. It is reduced if the page would have more than twelve million pixels.

    Raises:
        Unreadable: `damaged`: the file is not a PDF, or has no such page.
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
