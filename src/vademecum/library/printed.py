"""Page images of PDF files, and the positions of quotations on them."""

import base64
import os
from threading import Lock
from typing import TYPE_CHECKING, Any

from vademecum.core.errors import StoreError
from vademecum.files.read import Unreadable
from vademecum.index.reader.originals import open_original
from vademecum.sources.docs._contained import Contained
from vademecum.sources.docs.pdf import Placed

if TYPE_CHECKING:
    from vademecum.library.internal import InternalLibrary

_BEFORE = 60
_LONGEST_QUOTE = 1500
"""The maximum length of a searched quotation in code points, because a request is sent in one piece."""

_PAGE = "page-"
_TIME_LIMIT_S = 15.0


class PrintedPages:
    """Shows pages of PDF files. A child process reads them. It is thread-safe, and handles one call at a time."""

    def __init__(self) -> None:
        self._reader = Contained(_TIME_LIMIT_S)
        self._lock = Lock()

    def place(self, library: "InternalLibrary", id_: str, start: int, end: int) -> Placed:
        """Find the page of a range of a document, and the rectangles that the range covers.

        Args:
            id_: `<alias>:<sha256>`.
            start: The first code point of the range.
            end: The code point after the last.
        """
        text = library.text(id_)
        request = {
            "do": "place",
            "quote": text[start : min(end, start + _LONGEST_QUOTE)],
            "before": text[max(0, start - _BEFORE) : start],
            "page": _page_of(library, id_, start),
        }
        found = self._ask(library, id_, request)
        return Placed(**{**found, "rectangles": tuple(map(tuple, found["rectangles"]))})

    def draw(self, library: "InternalLibrary", id_: str, page: int, width: int) -> bytes:
        """Render a page as PNG.

        Args:
            id_: `<alias>:<sha256>`.
            page: The page number, from 1.
            width: The width in pixels.
        """
        found = self._ask(library, id_, {"do": "draw", "page": page, "width": width})
        return base64.b64decode(found["png"])

    def close(self) -> None:
        """Stop the child process."""
        with self._lock:
            self._reader.__exit__(None, None, None)

    def _ask(self, library: "InternalLibrary", id_: str, request: dict[str, Any]) -> dict[str, Any]:
        document = library.document(id_, end=0)
        descriptor = -1
        try:
            descriptor = open_original(library.source(document.alias), document.key)
            with self._lock:
                return self._reader.ask(descriptor, request)
        except Unreadable as error:
            message = f"The pages of this document cannot be shown: {error.message}"
            raise StoreError(
                message, hint="It may have changed since it was indexed; its text is still here."
            ) from error
        finally:
            if descriptor >= 0:
                os.close(descriptor)


def is_printed(source_type: str, key: str) -> bool:
    """Return whether a document has pages that can be displayed."""
    return source_type == "docs" and key.lower().endswith(".pdf")


def _page_of(library: "InternalLibrary", id_: str, place: int) -> int:
    """Return the page of a passage, from its anchor."""
    number = library.anchor(id_, place).removeprefix(_PAGE)
    return int(number) if number.isdecimal() else 1
