"""An open archive: header, directory and clusters."""

import hashlib
import struct
from collections.abc import Iterator
from pathlib import Path

from vademecum.files.read import Unreadable
from vademecum.sources.zim.clusters import Clusters
from vademecum.sources.zim.directory import Directory, Item, printable
from vademecum.sources.zim.parts import CHECKSUM_BYTES, Parts, read_header

_HTML = {"text/html", "application/xhtml+xml"}
_LISTING = b"listing/titleOrdered/v1"
_LISTING_LIMIT_BYTES = 256 * 1024 * 1024
_METADATA_LIMIT_BYTES = 1024 * 1024


class Archive:
    """An archive that is open for reading."""

    def __init__(self, location: Path) -> None:
        self.parts = Parts(location)
        try:
            self.header = read_header(self.parts)
        except Unreadable:
            self.parts.close()
            raise
        self.directory = Directory(self.parts, self.header)
        self.clusters = Clusters(self.parts, self.header)
        self._html = {number for number, mime in enumerate(self.header.mimes) if _base(mime) in _HTML}

    def close(self) -> None:
        """Close the files."""
        self.parts.close()

    @property
    def checksum(self) -> str:
        """The MD5 that the archive declares, in hexadecimal."""
        return self.parts.read(self.header.checksum, CHECKSUM_BYTES).hex()

    def is_article(self, item: Item) -> bool:
        """Return whether an entry is an HTML page in the namespace of articles."""
        return item.mime in self._html and item.namespace == self.header.content

    def charset(self, item: Item) -> str:
        """Return the encoding in the MIME type of an entry, or ""."""
        _, _, rest = self.header.mimes[item.mime].partition("charset=")
        return rest.partition(";")[0].strip(" \"'")

    def content(self, item: Item) -> bytes:
        """Return the content of an entry."""
        return self.clusters.blob(item.cluster, item.blob)

    def metadata(self, name: str) -> str:
        """Return a metadata value of the archive (such as `Title`), or "". The limit is one megabyte."""
        item = self.directory.find(b"M", name.encode())
        for _ in range(4):  # it may be a redirect
            if item is None or item.target < 0:
                break
            item = self.directory.item(item.target)
        if item is None or item.cluster < 0:
            return ""
        raw = self.clusters.blob(item.cluster, item.blob, _METADATA_LIMIT_BYTES)
        return raw.decode("utf-8", "replace").strip()

    def front(self) -> bytearray | None:
        """Return, for each entry, whether the archive lists it as an article, or None if it lists none.

        Pages that are only parts of others, such as frames, are not listed.
        """
        count = 0
        marks = bytearray(len(self.directory))
        for number in self._listed():
            if number >= len(marks):
                raise Unreadable("bad-title-index", f"It lists entry {number}, which is not there.")
            marks[number] = 1
            count += 1
        return marks if count else None

    def front_count(self) -> int:
        """Return the number of entries that the archive lists as articles."""
        return sum(1 for _ in self._listed())

    def _listed(self) -> Iterator[int]:
        item = self.directory.find(b"X", _LISTING) if self.header.minor else None
        if item is None or item.cluster < 0:
            return
        raw = self.clusters.blob(item.cluster, item.blob, _LISTING_LIMIT_BYTES)
        for (number,) in struct.iter_unpack("<I", raw[: len(raw) // 4 * 4]):
            yield number


def _base(mime: str) -> str:
    return mime.partition(";")[0].strip().lower()


_PIECE_BYTES = 4 * 1024 * 1024
_NUMBERS_AT_ONCE = 64 * 1024


def check_archive(archive: Archive) -> None:
    """Check directory, title index, clusters and checksum, a few megabytes at a time.

    The structure is checked first, because that is faster and gives better errors than a different checksum.
    """
    for _ in archive.directory.walk():
        pass
    _check_title_index(archive)
    archive.front()
    for number in range(archive.header.clusters):
        archive.clusters.check(number)
    found = _md5(archive)
    if found != archive.checksum:
        _check_title_order(archive)
        raise Unreadable("wrong-checksum", f"Its MD5 is {found}, and it says {archive.checksum}.")


def _md5(archive: Archive) -> str:
    digest = hashlib.md5(usedforsecurity=False)
    end = archive.header.checksum
    for start in range(0, end, _PIECE_BYTES):
        digest.update(archive.parts.read(start, min(_PIECE_BYTES, end - start)))
    return digest.hexdigest()


def _title_numbers(archive: Archive, first: int) -> tuple[int, ...]:
    count = min(_NUMBERS_AT_ONCE, archive.header.entries - first)
    return struct.unpack(f"<{count}I", archive.parts.read(archive.header.titles + 4 * first, 4 * count))


def _check_title_index(archive: Archive) -> None:
    if not archive.header.titles:
        return
    for first in range(0, archive.header.entries, _NUMBERS_AT_ONCE):
        largest = max(_title_numbers(archive, first))
        if largest >= archive.header.entries:
            raise Unreadable("bad-title-index", f"It lists entry {largest}, which is not there.")


def _check_title_order(archive: Archive) -> None:
    """Raise `Unreadable` if the titles are out of order.

    The order is not used and takes long to check. The check only explains a wrong checksum.
    """
    if not archive.header.titles:
        return
    before = b""
    for first in range(0, archive.header.entries, _NUMBERS_AT_ONCE):
        for number in _title_numbers(archive, first):
            item = archive.directory.item(number)
            here = item.namespace + (item.title or item.path)
            if here < before:
                title = printable(here[1:120].decode("utf-8", "replace"))
                raise Unreadable("bad-title-index", f"{title} is out of order in it.")
            before = here
