"""Compressed bytes to bytes, never more of them than asked for."""

import bz2
import lzma
import zlib
from typing import Protocol

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
    return _of_zstd(raw, limit_bytes) if suffix == ".zst" else _of_streams(raw, suffix[1:], limit_bytes)


def _decompressor(kind: str) -> _Decompressor:
    match kind:
        case "gz":
            return zlib.decompressobj(wbits=31)
        case "bz2":
            return bz2.BZ2Decompressor()
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
    except (zlib.error, OSError, lzma.LZMAError, EOFError, ValueError) as error:
        raise Refused("damaged-archive", f"The {kind} data is damaged: {error}.") from error
    if not pieces:
        raise Refused("damaged-archive", f"The {kind} file is empty.")
    return b"".join(pieces)


def _of_zstd(raw: bytes, limit_bytes: int) -> bytes:
    import zstandard  # noqa: PLC0415 - hardly any system compresses its manuals so

    pieces: list[bytes] = []
    size = 0
    try:
        with zstandard.ZstdDecompressor().stream_reader(raw) as reader:
            while (len(pieces) == 0 or pieces[-1]) and size <= limit_bytes:
                pieces.append(reader.read(limit_bytes + 1 - size))
                size += len(pieces[-1])
        if size > limit_bytes:
            raise too_large(limit_bytes)
        # The bounded reader takes a frame that ends too early for its end; this one tells.
        check = zstandard.ZstdDecompressor().decompressobj()
        check.decompress(raw)
    except zstandard.ZstdError as error:
        raise Refused("damaged-archive", f"The zst data is damaged: {error}.") from error
    if not check.eof:
        raise Refused("damaged-archive", "The zst data ends too early.")
    return b"".join(pieces)
