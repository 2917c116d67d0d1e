"""A compressed file in pieces, never more of it in memory than one, and never more in all than a limit."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

from vademecum.core.zstd import ZstdDecompressor, ZstdError

MOST_BYTES = 2 << 30
"""Of an index when inflated. The largest that are known have some 300 MB."""

_PIECE = 1 << 16
_OUT = 1 << 20
_XZ_MEMORY_BYTES = 256 << 20
_MOST_STREAMS = 1 << 14


class IndexUnusable(Exception):
    """An index that can not be read. It becomes the state of its repository.

    Args:
        fault: A short fixed name (`cut-off`, `damaged`, `too-large`, `entities`, `not-an-index`, `checksum`).
        message: What is wrong, in a sentence.
    """

    def __init__(self, fault: str, message: str) -> None:
        super().__init__(message)
        self.fault, self.message = fault, message


def inflated(file: BinaryIO, limit_bytes: int = MOST_BYTES) -> Iterator[bytes]:
    """What a file holds: gzip, xz, zstd and bzip2 are known by their first bytes, all else is taken as it is.

    Raises:
        IndexUnusable: It is cut off, damaged, or too large.
    """
    head = file.read(6)
    file.seek(0)
    kind = next((one for one in _KINDS if head.startswith(one.magic)), None)
    total = 0
    for piece in _streams(file, kind) if kind else iter(lambda: file.read(_OUT), b""):
        total += len(piece)
        if total > limit_bytes:
            raise IndexUnusable("too-large", f"It holds more than {limit_bytes:,} bytes.")
        yield piece


class _Stream:
    """A decompressor that gives at most so much at once."""

    def __init__(
        self, inner: "zlib._Decompress | bz2.BZ2Decompressor | lzma.LZMADecompressor | ZstdDecompressor"
    ) -> None:
        self._inner = inner

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def rest(self) -> bytes:
        return self._inner.unused_data

    def take(self, data: bytes) -> Iterator[bytes]:
        if isinstance(self._inner, bz2.BZ2Decompressor | lzma.LZMADecompressor | ZstdDecompressor):
            yield self._inner.decompress(data, _OUT)
            while not self._inner.eof and not self._inner.needs_input:
                yield self._inner.decompress(b"", _OUT)
            return
        while data and not self._inner.eof:
            yield self._inner.decompress(data, _OUT)
            data = self._inner.unconsumed_tail


class _Kind(NamedTuple):
    magic: bytes
    name: str
    open: Callable[[], _Stream]


_KINDS = (
    _Kind(b"\x1f\x8b", "gzip", lambda: _Stream(zlib.decompressobj(wbits=31))),
    _Kind(b"\xfd7zXZ\0", "xz", lambda: _Stream(lzma.LZMADecompressor(memlimit=_XZ_MEMORY_BYTES))),
    _Kind(b"BZh", "bzip2", lambda: _Stream(bz2.BZ2Decompressor())),
    _Kind(b"\x28\xb5\x2f\xfd", "zstd", lambda: _Stream(ZstdDecompressor())),
)


def _streams(file: BinaryIO, kind: _Kind) -> Iterator[bytes]:
    """The pieces of one stream after another, as many as there are."""
    stream, begun, count = kind.open(), False, 1
    while data := file.read(_PIECE):
        while data:
            if stream.eof:
                data = data.lstrip(b"\0")
                if not data:
                    break
                count += 1
                stream = kind.open()
            if count > _MOST_STREAMS:
                message = f"It is made of more than {_MOST_STREAMS:,} {kind.name} streams."
                raise IndexUnusable("damaged", message)
            begun = True
            yield from filter(None, _taken(stream, data, kind))
            data = stream.rest if stream.eof else b""
    if not begun or not stream.eof:
        raise IndexUnusable("cut-off", f"The {kind.name} data ends too early.")


def _taken(stream: _Stream, data: bytes, kind: _Kind) -> Iterator[bytes]:
    """What data becomes; a fault of the library below as ours."""
    try:
        yield from stream.take(data)
    except (zlib.error, lzma.LZMAError, ZstdError, OSError, EOFError, ValueError, MemoryError) as error:
        message = f"The {kind.name} data is damaged: {str(error)[:100]}."
        raise IndexUnusable("damaged", message) from error
