"""Checksums of the index files, and their verification.

They are in a file of their own, since questions do not need them. BLAKE2b with 128 bits.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import NamedTuple

FILE = "checksums.json"
"""Its own damage shows, too: then it does not fit the files, or is not JSON."""


class Verified(NamedTuple):
    """What came of comparing a folder with its checksums.

    Attributes:
        files: How many were looked at.
        damaged: A sentence for each that is not what was written.
        unknown: How many have no checksum, since they were written by an earlier version; their sizes are right.
    """

    files: int
    damaged: tuple[str, ...]
    unknown: int


def write_checksums(folder: Path) -> None:
    """Write the checksums of all files below.

    Raises:
        OSError: A file cannot be read, or this one not written.
    """
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file != folder / FILE)
    sums = {str(file.relative_to(folder)): file_checksum(file) for file in files}
    (folder / FILE).write_text(json.dumps(sums, indent=0), encoding="utf-8")


def verify(folder: Path, sizes: Mapping[str, int]) -> Verified:
    """Compare files with their sizes and checksums.

    Args:
        folder: Where.
        sizes: In bytes, by name below the folder, as the manifest says.
    """
    damaged: list[str] = []
    sums = _kept(folder, damaged) if FILE in sizes else None
    unknown = 0
    for name, size in sizes.items():
        place = folder / name
        try:
            found = place.stat().st_size
            if found != size:
                damaged.append(f"{place} has {found:,} bytes; {size:,} were written.")
            elif name == FILE:
                continue
            elif sums is None:
                unknown += 1
            elif sums.get(name) != file_checksum(place):
                damaged.append(f"{place} is not what was written.")
        except OSError as error:
            damaged.append(f"{place} cannot be read: {error.strerror or error}.")
    return Verified(len(sizes), tuple(damaged), unknown)


def _kept(folder: Path, damaged: list[str]) -> dict[str, object] | None:
    """The checksums as they were written; `None`, and a sentence more, when they cannot be read."""
    try:
        return dict(json.loads((folder / FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, RecursionError) as error:
        damaged.append(f"{folder / FILE} cannot be read: {error}.")
        return None


def file_checksum(file: Path) -> str:
    """A file's checksum, in hexadecimal.

    Raises:
        OSError: It cannot be read.
    """
    with file.open("rb", buffering=0) as opened:
        return file_digest(opened, lambda: blake2b(digest_size=16)).hexdigest()
