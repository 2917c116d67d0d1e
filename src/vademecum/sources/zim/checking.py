"""Whether an archive is whole and sound, before anything of it is used."""

import hashlib
import struct

from vademecum.sources.zim.archive import Archive
from vademecum.sources.zim.directory import printable
from vademecum.sources.zim.faults import BadArchive

_PIECE_BYTES = 4 * 1024 * 1024
_NUMBERS_AT_ONCE = 64 * 1024


def check_archive(archive: Archive) -> None:
    """Check directory, title index, clusters and checksum, a few megabytes at a time.

    The structure goes first: it is checked sooner, and says more than that a checksum differs.

    Raises:
        BadArchive: The first fault found.
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
        raise BadArchive("wrong-checksum", f"Its MD5 is {found}, and it says {archive.checksum}.")


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
            raise BadArchive("bad-title-index", f"It lists entry {largest}, which is not there.")


def _check_title_order(archive: Archive) -> None:
    """Look whether the titles are out of order. We do not use them so, and it takes long: only to say what is wrong."""
    if not archive.header.titles:
        return
    before = b""
    for first in range(0, archive.header.entries, _NUMBERS_AT_ONCE):
        for number in _title_numbers(archive, first):
            item = archive.directory.item(number)
            here = item.namespace + (item.title or item.path)
            if here < before:
                title = printable(here[1:120].decode("utf-8", "replace"))
                raise BadArchive("bad-title-index", f"{title} is out of order in it.")
            before = here
