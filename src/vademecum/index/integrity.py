"""Checksums of the index files, and their verification.

They are in a separate file, because questions do not need them. The hash is BLAKE2b with 128 bits.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import NamedTuple

FILE = "checksums.json"
"""The file with the checksums. If it is damaged, it does not match the files, or is not valid JSON."""


class Verified(NamedTuple):
    """The result of comparing a folder with its checksums.

    Attributes:
        unknown: The number of files without checksums, which an earlier version wrote; their sizes are right.
    """

    files: int
    damaged: tuple[str, ...]
    unknown: int


def write_checksums(folder: Path) -> None:
    """Write the checksums of all files in a folder."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file != folder / FILE)
    sums = {str(file.relative_to(folder)): file_checksum(file) for file in files}
    (folder / FILE).write_text(json.dumps(sums, indent=0), encoding="utf-8")


def verify(folder: Path, sizes: Mapping[str, int]) -> Verified:
    """Compare files with their sizes and checksums.

    Args:
        sizes: The sizes in bytes from the manifest, by path relative to the folder.
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
    """Return the stored checksums; `None` and a sentence if they cannot be read."""
    try:
        return dict(json.loads((folder / FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, RecursionError) as error:
        damaged.append(f"{folder / FILE} cannot be read: {error}.")
        return None


def file_checksum(file: Path) -> str:
    """Return the checksum of a file, in hexadecimal."""
    with file.open("rb", buffering=0) as opened:
        return file_digest(opened, lambda: blake2b(digest_size=16)).hexdigest()
