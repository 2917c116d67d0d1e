"""Decompress data in pieces, with bounded memory and a bounded total size."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.core.zstd import ZstdDecompressor, ZstdError
from vademecum.files.read import Unreadable, open_file, read_open, too_large

_OUT_BYTES = 1 << 20
_XZ_MEMORY_BYTES = 128 << 20
_MOST_STREAMS = 16
"""The maximum number of streams in a file. The rest of the data is copied after each stream, so a million empty streams would take hours."""


class Damaged(Exception):
    """Compressed data that cannot be decompressed.

    Args:
        message: What is wrong, as a sentence.
        is_cut_off: Whether the data is only truncated.
    """

    def __init__(self, message: str, *, is_cut_off: bool = False) -> None:
        super().__init__(message)
        self.message, self.is_cut_off = message, is_cut_off


class Kind(NamedTuple):
    """A compression format.

    Attributes:
        magic: The first bytes of a file.
        open: Creates a decompressor.
    """

    name: str
    suffix: str
    magic: bytes
    open: Callable[[], Any]


GZIP = Kind("gzip", ".gz", b"\x1f\x8b", lambda: zlib.decompressobj(wbits=31))
BZIP2 = Kind("bzip2", ".bz2", b"BZh", bz2.BZ2Decompressor)
XZ = Kind("xz", ".xz", b"\xfd7zXZ\0", lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY_BYTES))
ZSTD = Kind("zstd", ".zst", b"\x28\xb5\x2f\xfd", ZstdDecompressor)
KINDS = (GZIP, BZIP2, XZ, ZSTD)
_BY_SUFFIX = {kind.suffix: kind for kind in KINDS}
SUFFIXES = tuple(_BY_SUFFIX)
"""The compression formats by suffix."""


def inflate(
    pieces: Iterable[bytes], kind: Kind, *, most_streams: int = _MOST_STREAMS, only_first: bool = False
) -> Iterator[bytes]:
    """Decompress data, in pieces of at most a megabyte.

    Args:
        most_streams: The maximum number of consecutive streams; zeros between them are skipped.
        only_first: Whether to ignore the data after the first stream.

    Raises:
        Damaged: The data is damaged or truncated, or has too many streams.
    """
    stream, begun, count = kind.open(), False, 1
    for piece in pieces:
        data = piece
        while data:
            if stream.eof:
                data = data.lstrip(b"\0")
                if not data:
                    break
                count += 1
                if count > most_streams:
                    raise Damaged(f"It is made of more than {most_streams:,} {kind.name} streams.")
                stream = kind.open()
            begun = True
            yield from filter(None, _taken(stream, data, kind))
            if stream.eof and only_first:
                return
            data = stream.unused_data if stream.eof else b""
    if not begun:
        raise Damaged(f"The {kind.name} data is empty.", is_cut_off=True)
    if not stream.eof:
        raise Damaged(f"The {kind.name} data ends too early.", is_cut_off=True)


def inflated(raw: bytes, suffix: str, limit_bytes: int) -> bytes:
    """Decompress the contents of a file, according to the suffix of its name.

    Args:
        suffix: One of `SUFFIXES`. With any other suffix, the data is returned unchanged.
        limit_bytes: The maximum size of the result. Decompression stops shortly after it is exceeded.

    Raises:
        Unreadable: `damaged-archive` or `too-large`.
    """
    kind = _BY_SUFFIX.get(suffix)
    if kind is None:
        return raw
    found: list[bytes] = []
    size = 0
    try:
        for piece in inflate([raw], kind):
            found.append(piece)
            size += len(piece)
            if size > limit_bytes:
                raise too_large(limit_bytes)
    except Damaged as error:
        raise Unreadable("damaged-archive", error.message) from error
    return b"".join(found)


def read_inflated(path: Path, limit_bytes: int, *, suffix: str | None = None, follow: bool = False) -> bytes:
    """Read and decompress a file, according to its suffix.

    Args:
        limit_bytes: The maximum size of the file and of the result.
        suffix: A suffix to use instead of the path's.
        follow: Whether the path may be a symbolic link.

    Raises:
        Unreadable: `unreadable`, `damaged-archive` or `too-large`.
    """
    raw = read_open(open_file(path, limit_bytes, follow=follow, odd="unreadable"), limit_bytes)
    return inflated(raw, path.suffix if suffix is None else suffix, limit_bytes)


def _taken(stream: Any, data: bytes, kind: Kind) -> Iterator[bytes]:
    """Decompress one piece of data at a time."""
    try:
        if kind is GZIP:
            while data and not stream.eof:
                yield stream.decompress(data, _OUT_BYTES)
                data = stream.unconsumed_tail
            return
        yield stream.decompress(data, _OUT_BYTES)
        while not stream.eof and not stream.needs_input:
            yield stream.decompress(b"", _OUT_BYTES)
    except (zlib.error, lzma.LZMAError, ZstdError, OSError, EOFError, ValueError, MemoryError) as error:
        raise Damaged(f"The {kind.name} data is damaged: {str(error)[:100]}.") from error
