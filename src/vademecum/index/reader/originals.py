"""The current file that a document was read from."""

import os
from pathlib import Path
from typing import NamedTuple

from vademecum.core.errors import StoreError
from vademecum.files.read import Unreadable, open_within
from vademecum.index.catalog.catalog import CatalogEntry

OF_FILES = frozenset({"docs", "man"})
"""The source types in which each document is a separate file."""

LIMIT_BYTES = 64 << 20
"""The maximum size of a file."""


class Original(NamedTuple):
    """The file of a document."""

    name: str
    content: bytes


def open_original(entry: CatalogEntry, key: str) -> int:
    """Open the file of a document. The caller closes the descriptor."""
    if entry.type not in OF_FILES:
        message = f"The documents of {entry.alias} are not files of their own."
        raise StoreError(message, hint="Read it here, or in the program that the source is for.")
    return open_within(os.path.realpath(entry.root), key, LIMIT_BYTES)


def read_original(entry: CatalogEntry, key: str) -> Original:
    """Read the file of a document."""
    try:
        with os.fdopen(open_original(entry, key), "rb") as file:
            return Original(Path(key).name, file.read(LIMIT_BYTES + 1))
    except (Unreadable, OSError) as error:
        message = f"The file of this document cannot be read: {error}"
        raise StoreError(message, hint="It may have been moved since it was indexed.") from error
