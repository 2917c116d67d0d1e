"""Read a zip file of tldr pages in place, without writing to disk."""

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

from vademecum.core.errors import SourceError
from vademecum.files.read import Unreadable, open_within, too_large
from vademecum.sources.tldr.place import LIMIT_BYTES, Listed, rank

_MOST_BYTES = 1024 * 1024 * 1024
_MOST_ENTRIES = 200_000
_MOST_DIRECTORY_BYTES = 24 * 1024 * 1024
_LOCAL = struct.Struct("<4s5H3L2H")
_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64_BYTES = 20
_LONGEST_COMMENT = 0xFFFF
_ENCRYPTED = 0x1
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, NotImplementedError)
_HINT = "Name the tldr folder or zip, or download it again."


class _Directory(NamedTuple):
    """The entries that may be pages, and the first entry of each name."""

    entries: tuple[zipfile.ZipInfo, ...]
    by_name: dict[str, zipfile.ZipInfo]


class Archive:
    """A zip file that contains `pages/common`, or `common` itself, or a folder with either. See `Place`."""

    def __init__(self, location: Path) -> None:
        self._location = location

    def list(self) -> Iterator[Listed]:
        """See `Place`."""
        entries = self._directory().entries
        if not entries:
            raise SourceError(f"{self._location} holds no tldr pages.", hint=_HINT)
        for entry in entries:
            if entry.flag_bits & _ENCRYPTED:
                yield Listed(entry.filename, 0, "", "encrypted", "It is encrypted.")
            elif entry.filename.startswith("/"):
                yield Listed(entry.filename, 0, "", "bad-name", "Its name is not that of a page.")
            else:
                yield Listed(entry.filename, entry.file_size, f"{entry.file_size:x}-{entry.CRC:08x}")

    def read(self, key: str) -> bytes:
        """See `Place`."""
        try:
            entry = self._directory().by_name.get(key)
        except SourceError as error:
            raise Unreadable("unreadable", error.message) from error
        if entry is None:
            raise Unreadable("unreadable", "It is no longer in the zip.")
        try:
            with _opened(self._location) as file:
                return _inflated(file, entry)
        except _BROKEN as error:
            raise Unreadable("damaged-archive", f"It cannot be inflated: {error}.") from error

    def _directory(self) -> _Directory:
        try:
            status = self._location.stat()
        except OSError as error:
            message = f"{self._location} cannot be read: {error.strerror}."
            raise SourceError(message, hint=_HINT) from error
        return _listed(self._location, (status.st_ino, status.st_size, status.st_mtime_ns))


def _opened(location: Path) -> BinaryIO:
    real = location.resolve()
    return os.fdopen(open_within(str(real.parent), real.name, _MOST_BYTES), "rb")


@lru_cache(maxsize=2)
def _listed(location: Path, _stamp: tuple[int, int, int]) -> _Directory:
    """Return the directory of a zip file. Reading it takes longer than reading several hundred pages."""
    try:
        with _opened(location) as file:
            if _directory_bytes(file) <= _MOST_DIRECTORY_BYTES:
                with zipfile.ZipFile(file) as archive:
                    if len(archive.filelist) <= _MOST_ENTRIES:
                        entries = tuple(entry for entry in archive.filelist if rank(entry.filename))
                        return _Directory(entries, {entry.filename: entry for entry in reversed(entries)})
    except Unreadable as error:
        raise SourceError(f"{location} cannot be read: {error.message}", hint=_HINT) from error
    except _BROKEN as error:
        raise SourceError(f"{location} is not a sound zip file: {error}.", hint=_HINT) from error
    raise SourceError(f"{location} holds too many files to be a zip of tldr pages.", hint=_HINT)


def _inflated(file: BinaryIO, entry: zipfile.ZipInfo) -> bytes:
    """Return the content of an entry. At most the size limit of a page is inflated."""
    file.seek(entry.header_offset)
    header = _LOCAL.unpack(file.read(_LOCAL.size))
    if header[0] != b"PK\x03\x04":
        raise zipfile.BadZipFile("no entry begins there")
    file.seek(header[9] + header[10], os.SEEK_CUR)
    raw = file.read(min(entry.compress_size, LIMIT_BYTES + 1))
    if entry.compress_type == zipfile.ZIP_DEFLATED:
        raw = zlib.decompressobj(wbits=-15).decompress(raw, LIMIT_BYTES + 1)
    elif entry.compress_type != zipfile.ZIP_STORED:
        raise zipfile.BadZipFile("it is packed in an unusual way")
    if len(raw) > LIMIT_BYTES:
        raise too_large(LIMIT_BYTES)
    if zlib.crc32(raw) != entry.CRC:
        raise zipfile.BadZipFile("its checksum is another")
    return raw


def _directory_bytes(file: BinaryIO) -> int:
    """Return the size of the directory that a zip file declares, because opening the file reads all of it."""
    size = file.seek(0, os.SEEK_END)
    tail_bytes = min(size, _END.size + _LONGEST_COMMENT + _LOCATOR_64_BYTES + _END_64.size)
    file.seek(size - tail_bytes)
    tail = file.read(tail_bytes)
    found = 0
    at = tail.rfind(b"PK\x05\x06")
    if at >= 0 and at + _END.size <= len(tail):
        found = int(_END.unpack_from(tail, at)[5])
    at -= _LOCATOR_64_BYTES + _END_64.size
    if at >= 0 and tail.startswith(b"PK\x06\x06", at):
        found = max(found if found != 0xFFFFFFFF else 0, int(_END_64.unpack_from(tail, at)[8]))
    file.seek(0)
    return found
