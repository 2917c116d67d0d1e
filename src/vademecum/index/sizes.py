"""Check that the index files have the sizes that were recorded when they were written."""

import os
from collections.abc import Mapping
from pathlib import Path

from vademecum.core.errors import IndexCorrupt


def check_sizes(folder: Path, files: Mapping[str, int]) -> None:
    """Detect files that are missing, truncated or replaced, without reading them.

    Raises:
        IndexCorrupt: A file has another size than when it was written.
    """
    for name, size in files.items():
        place = f"{folder}/{name}"
        try:
            found: object = os.stat(place).st_size  # noqa: PTH116 - a Path for each of 100 files costs a millisecond
        except OSError as error:
            found = error
        if found != size:
            message = f"A part of the index at {place} is damaged: {size} bytes were written, now: {found}."
            raise IndexCorrupt(message, hint="Rebuild the index with: ragadmin reindex --full")
