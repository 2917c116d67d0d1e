"""Compressed files to bytes, never more of them than asked for."""

import bz2
import lzma
import os
import stat
import zlib
from pathlib import Path
from typing import Protocol

from vademecum.sources.man.faults import BadPage

SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
LIMIT_BYTES = 16 * 1024 * 1024
_XZ_MEMORY_BYTES = 128 * 1024 * 1024


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def read_inflated(path: Path, limit_bytes: int = LIMIT_BYTES) -> bytes:
    """Read a file, inflated as its suffix says.

    Args:
        path: A regular file; `.gz`, `.bz2`, `.xz` and `.zst` are inflated.
        limit_bytes: The most the result may hold.

    Raises:
        BadPage: `unreadable`, `damaged-archive`, or `too-large` (decided without inflating more
            than `limit_bytes`).
    """
    raw = _read(path, limit_bytes)
    match path.suffix:
        case ".gz":
            return _inflate(raw, "gz", limit_bytes)
        case ".bz2":
            return _inflate(raw, "bz2", limit_bytes)
        case ".xz":
            return _inflate(raw, "xz", limit_bytes)
        case ".zst":
            return _inflate_zstd(raw, limit_bytes)
        case _:
            return raw


def _read(path: Path, limit_bytes: int) -> bytes:
    try:
        # Non-blocking: a pipe in the file's place must not hold us up.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 - a descriptor is no path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise BadPage("unreadable", "It is not a regular file.")
            raw = file.read(limit_bytes + 1)
            while raw and len(raw) <= limit_bytes and (more := file.read(limit_bytes)):
                raw += more
    except OSError as error:
        raise BadPage("unreadable", f"It can not be read: {error.strerror}.") from error
    if len(raw) > limit_bytes:
        raise _too_large(limit_bytes)
    return raw


def _decompressor(kind: str) -> _Decompressor:
    match kind:
        case "gz":
            return zlib.decompressobj(wbits=31)
        case "bz2":
            return bz2.BZ2Decompressor()
        case _:
            return lzma.LZMADecompressor(memlimit=_XZ_MEMORY_BYTES)


def _inflate(raw: bytes, kind: str, limit_bytes: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    try:
        while raw:
            decompressor = _decompressor(kind)
            piece = decompressor.decompress(raw, limit_bytes + 1 - size)
            pieces.append(piece)
            size += len(piece)
            if size > limit_bytes:
                raise _too_large(limit_bytes)
            if not decompressor.eof:
                raise BadPage("damaged-archive", f"The {kind} data ends too early.")
            raw = decompressor.unused_data.lstrip(b"\0")
    except (zlib.error, OSError, lzma.LZMAError, EOFError, ValueError) as error:
        raise BadPage("damaged-archive", f"The {kind} data is damaged: {error}.") from error
    if not pieces:
        raise BadPage("damaged-archive", f"The {kind} file is empty.")
    return b"".join(pieces)


def _inflate_zstd(raw: bytes, limit_bytes: int) -> bytes:
    import zstandard  # noqa: PLC0415 - hardly any system compresses its pages so

    pieces: list[bytes] = []
    size = 0
    try:
        with zstandard.ZstdDecompressor().stream_reader(raw) as reader:
            while (len(pieces) == 0 or pieces[-1]) and size <= limit_bytes:
                pieces.append(reader.read(limit_bytes + 1 - size))
                size += len(pieces[-1])
        if size > limit_bytes:
            raise _too_large(limit_bytes)
        # The bounded reader takes a frame that ends too early for its end; this one tells.
        check = zstandard.ZstdDecompressor().decompressobj()
        check.decompress(raw)
    except zstandard.ZstdError as error:
        raise BadPage("damaged-archive", f"The zst data is damaged: {error}.") from error
    if not check.eof:
        raise BadPage("damaged-archive", "The zst data ends too early.")
    return b"".join(pieces)


def _too_large(limit_bytes: int) -> BadPage:
    return BadPage("too-large", f"It holds more than {limit_bytes:,} bytes.")
