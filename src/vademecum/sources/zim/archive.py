"""An open archive: header, directory and clusters, and what they say together."""

import struct
from collections.abc import Iterator
from pathlib import Path

from vademecum.sources.zim.clusters import Clusters
from vademecum.sources.zim.directory import Directory, Item
from vademecum.sources.zim.faults import BadArchive
from vademecum.sources.zim.header import CHECKSUM_BYTES, read_header
from vademecum.sources.zim.parts import Parts

_HTML = {"text/html", "application/xhtml+xml"}
_LISTING = b"listing/titleOrdered/v1"
_LISTING_LIMIT_BYTES = 256 * 1024 * 1024
_METADATA_LIMIT_BYTES = 1024 * 1024


class Archive:
    """An archive that is open for reading.

    Args:
        location: The `.zim`, or the first of its parts.

    Raises:
        BadArchive: It cannot be opened, or is not an archive.
    """

    def __init__(self, location: Path) -> None:
        self.parts = Parts(location)
        try:
            self.header = read_header(self.parts)
        except BadArchive:
            self.parts.close()
            raise
        self.directory = Directory(self.parts, self.header)
        self.clusters = Clusters(self.parts, self.header)
        self._html = {number for number, mime in enumerate(self.header.mimes) if _base(mime) in _HTML}

    def close(self) -> None:
        """Let go of the files."""
        self.parts.close()

    @property
    def checksum(self) -> str:
        """The MD5 that the archive says of itself, hexadecimal."""
        return self.parts.read(self.header.checksum, CHECKSUM_BYTES).hex()

    def is_article(self, item: Item) -> bool:
        """Whether an entry is a page of HTML in the namespace of articles."""
        return item.mime in self._html and item.namespace == self.header.content

    def charset(self, item: Item) -> str:
        """The encoding that an entry's type names, or ""."""
        _, _, rest = self.header.mimes[item.mime].partition("charset=")
        return rest.partition(";")[0].strip(" \"'")

    def content(self, item: Item) -> bytes:
        """What an entry holds.

        Raises:
            BadArchive: It cannot be read, or holds too much.
        """
        return self.clusters.blob(item.cluster, item.blob)

    def metadata(self, name: str) -> str:
        """What the archive says of itself under a name (`Title`), or ""; no more than a megabyte.

        Raises:
            BadArchive: It cannot be read.
        """
        item = self.directory.find(b"M", name.encode())
        for _ in range(4):  # it may be said elsewhere
            if item is None or item.target < 0:
                break
            item = self.directory.item(item.target)
        if item is None or item.cluster < 0:
            return ""
        raw = self.clusters.blob(item.cluster, item.blob, _METADATA_LIMIT_BYTES)
        return raw.decode("utf-8", "replace").strip()

    def front(self) -> bytearray | None:
        """For each entry whether the archive lists it as an article; None where it lists none.

        Pages that are only part of others, such as frames, are not listed.

        Raises:
            BadArchive: The list cannot be read.
        """
        count = 0
        marks = bytearray(len(self.directory))
        for number in self._listed():
            if number >= len(marks):
                raise BadArchive("bad-title-index", f"It lists entry {number}, which is not there.")
            marks[number] = 1
            count += 1
        return marks if count else None

    def front_count(self) -> int:
        """How many entries the archive lists as articles."""
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
