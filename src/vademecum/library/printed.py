"""Page images of PDF files, and the positions of quotations on them."""

import base64
import os
from threading import Lock
from typing import TYPE_CHECKING, Any

from vademecum.core.errors import StoreError
from vademecum.files.read import Unreadable
from vademecum.index.reader.originals import open_original
from vademecum.sources.docs._contained import Contained
from vademecum.sources.docs.pdf_pages import Placed

if TYPE_CHECKING:
    from vademecum.library.library import Library

_BEFORE = 60
_LONGEST_QUOTE = 1500
"""So much of a quote is looked for, in code points; a request is sent in one piece."""

_PAGE = "page-"
_TIME_LIMIT_S = 15.0


class PrintedPages:
    """Shows pages of PDF files. They are read in a process of its own; one serves any number of threads, one after another."""

    def __init__(self) -> None:
        self._reader = Contained(_TIME_LIMIT_S)
        self._lock = Lock()

    def place(self, library: "Library", id_: str, start: int, end: int) -> Placed:
        """Find the page of a stretch of a document, and what the stretch covers there.

        Args:
            library: That has the document.
            id_: `<alias>:<sha256>`.
            start: First code point of the stretch.
            end: One past its last.

        Raises:
            StoreError: The document is gone, or is not a PDF any more, or cannot be read.
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

    def draw(self, library: "Library", id_: str, page: int, width: int) -> bytes:
        """A page as a PNG.

        Args:
            library: That has the document.
            id_: `<alias>:<sha256>`.
            page: From 1.
            width: In pixels.

        Raises:
            StoreError: The document is gone, or is not a PDF any more, or has no such page.
        """
        found = self._ask(library, id_, {"do": "draw", "page": page, "width": width})
        return base64.b64decode(found["png"])

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._reader.__exit__(None, None, None)

    def _ask(self, library: "Library", id_: str, request: dict[str, Any]) -> dict[str, Any]:
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
    """Whether a document has pages that can be shown."""
    return source_type == "docs" and key.lower().endswith(".pdf")


def _page_of(library: "Library", id_: str, place: int) -> int:
    """The page on which the passage of a place begins, by its anchor."""
    number = library.anchor(id_, place).removeprefix(_PAGE)
    return int(number) if number.isdecimal() else 1
