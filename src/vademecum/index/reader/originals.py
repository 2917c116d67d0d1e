"""The current file that a document was read from."""

import os
from pathlib import Path
from typing import NamedTuple

from vademecum.core.errors import StoreError
from vademecum.files.read import Unreadable, open_within
from vademecum.index.catalog.catalog import CatalogEntry

OF_FILES = frozenset({"docs", "man"})
"""Types of sources of which each document is a file of its own."""

LIMIT_BYTES = 64 << 20
"""The largest file that is handed out."""


class Original(NamedTuple):
    """A file.

    Attributes:
        name: Its name, without folders.
        content: What it holds.
    """

    name: str
    content: bytes


def open_original(entry: CatalogEntry, key: str) -> int:
    """Open the file behind a document; the caller closes the descriptor.

    Raises:
        StoreError: The source has no files of its own.
        Unreadable: The file is gone or not to be read.
    """
    if entry.type not in OF_FILES:
        message = f"The documents of {entry.alias} are not files of their own."
        raise StoreError(message, hint="Read it here, or in the program that the source is for.")
    return open_within(os.path.realpath(entry.location), key, LIMIT_BYTES)


def read_original(entry: CatalogEntry, key: str) -> Original:
    """The file behind a document.

    Args:
        entry: The source.
        key: The document's place within it.

    Raises:
        StoreError: The source has no files of its own, or the file is gone or not to be read.
    """
    try:
        with os.fdopen(open_original(entry, key), "rb") as file:
            return Original(Path(key).name, file.read(LIMIT_BYTES + 1))
    except (Unreadable, OSError) as error:
        message = f"The file of this document cannot be read: {error}"
        raise StoreError(message, hint="It may have been moved since it was indexed.") from error
