"""Decompress a file in pieces, with bounded memory and a bounded total size."""

from collections.abc import Iterator
from typing import BinaryIO

from vademecum.files.inflate import KINDS, Damaged, inflate

MOST_BYTES = 2 << 30
"""Of an index when inflated. The largest that are known have some 300 MB."""

_PIECE = 1 << 16
_OUT = 1 << 20
_MOST_STREAMS = 1 << 14


class IndexUnusable(Exception):
    """An index that cannot be read. It becomes the state of its repository.

    Args:
        fault: A short fixed name (`cut-off`, `damaged`, `too-large`, `entities`, `not-an-index`, `checksum`).
        message: What is wrong, in a sentence.
    """

    def __init__(self, fault: str, message: str) -> None:
        super().__init__(message)
        self.fault, self.message = fault, message


def inflated(file: BinaryIO, limit_bytes: int = MOST_BYTES) -> Iterator[bytes]:
    """What a file holds: gzip, xz, zstd and bzip2 are known by their first bytes, all else is taken as it is."""
    head = file.read(6)
    file.seek(0)
    kind = next((kind for kind in KINDS if head.startswith(kind.magic)), None)
    raw = iter(lambda: file.read(_PIECE if kind else _OUT), b"")
    total = 0
    try:
        for piece in inflate(raw, kind, most_streams=_MOST_STREAMS) if kind else raw:
            total += len(piece)
            if total > limit_bytes:
                raise IndexUnusable("too-large", f"It holds more than {limit_bytes:,} bytes.")
            yield piece
    except Damaged as error:
        raise IndexUnusable("cut-off" if error.is_cut_off else "damaged", error.message) from error
