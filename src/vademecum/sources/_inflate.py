"""Compressed bytes to bytes, never more of them than asked for."""

import bz2
import lzma
import zlib
from typing import Protocol

from vademecum.core.zstd import ZstdDecompressor, ZstdError
from vademecum.sources._files import Refused, too_large

SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
"""How a file may be compressed."""

_MOST_STREAMS = 16
"""Each is copied once for every one before it, so a file of a million empty ones would take hours."""

_XZ_MEMORY_BYTES = 128 * 1024 * 1024


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def inflate(raw: bytes, suffix: str, limit_bytes: int) -> bytes:
    """What compressed data holds.

    Args:
        raw: All of it.
        suffix: One of `SUFFIXES`; with any other the data is taken as it is.
        limit_bytes: The most the result may hold; no more than that is inflated.

    Raises:
        Refused: `damaged-archive` or `too-large`.
    """
    if suffix not in SUFFIXES:
        return raw
    return _of_streams(raw, suffix[1:], limit_bytes)


def _decompressor(kind: str) -> _Decompressor:
    match kind:
        case "gz":
            return zlib.decompressobj(wbits=31)
        case "bz2":
            return bz2.BZ2Decompressor()
        case "zst":
            return ZstdDecompressor()
        case _:
            return lzma.LZMADecompressor(memlimit=_XZ_MEMORY_BYTES)


def _of_streams(raw: bytes, kind: str, limit_bytes: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    try:
        while raw:
            if len(pieces) == _MOST_STREAMS:
                raise Refused("damaged-archive", f"It is made of more than {_MOST_STREAMS} {kind} streams.")
            decompressor = _decompressor(kind)
            piece = decompressor.decompress(raw, limit_bytes + 1 - size)
            pieces.append(piece)
            size += len(piece)
            if size > limit_bytes:
                raise too_large(limit_bytes)
            if not decompressor.eof:
                raise Refused("damaged-archive", f"The {kind} data ends too early.")
            raw = decompressor.unused_data.lstrip(b"\0")
    except (zlib.error, OSError, lzma.LZMAError, ZstdError, EOFError, ValueError) as error:
        raise Refused("damaged-archive", f"The {kind} data is damaged: {error}.") from error
    if not pieces:
        raise Refused("damaged-archive", f"The {kind} file is empty.")
    return b"".join(pieces)
