"""The first bytes of an archive: where everything is, and the list of MIME types.

The format is described at https://wiki.openzim.org/wiki/ZIM_file_format. All numbers are little-endian.
"""

import struct
from typing import NamedTuple

from vademecum.sources.zim.faults import BadArchive
from vademecum.sources.zim.parts import Parts

_LAYOUT = struct.Struct("<IHH16sIIQQQQIIQ")
_MAGIC = 0x044D495A
_VERSIONS = (5, 6)
_NO_TITLES = 2**64 - 1
_LONGEST_LIST = 64 * 1024
CHECKSUM_BYTES = 16


class Header(NamedTuple):
    """Where everything is. Positions count bytes from the start of the archive.

    Attributes:
        major: Version of the format: 5, or 6 where clusters may be extended.
        minor: From 1 on, all content is in the namespace C.
        entries: How many directory entries there are.
        clusters: How many clusters.
        paths: Position of the list of directory entries by path, 8 bytes each.
        titles: Position of the list of entry numbers by title, 4 bytes each; 0 when there is none.
        pointers: Position of the list of clusters, 8 bytes each.
        checksum: Position of the MD5 of all that is before it; the last thing in an archive.
        mimes: The MIME types that entries refer to by number.
        content: The namespace of articles: `b"C"`, or `b"A"` in archives of the old form.
    """

    major: int
    minor: int
    entries: int
    clusters: int
    paths: int
    titles: int
    pointers: int
    checksum: int
    mimes: tuple[str, ...]
    content: bytes


def read_header(parts: Parts) -> Header:
    """Read and check header and MIME list.

    Raises:
        BadArchive: It is not an archive, or not a whole one.
    """
    raw = parts.read(0, _LAYOUT.size)
    if not raw.startswith(_MAGIC.to_bytes(4, "little")):
        raise BadArchive(
            "not-an-archive", "It is empty." if not raw else "It does not begin as a ZIM file does."
        )
    if len(raw) < _LAYOUT.size:
        raise BadArchive("too-small", f"It ends within its header, after {len(raw)} bytes.")
    (_, major, minor, _, entries, clusters, paths, titles, pointers, mime_list, _, _, checksum) = (
        _LAYOUT.unpack(raw)
    )
    if major not in _VERSIONS:
        raise BadArchive("unknown-version", f"Its format is version {major}.{minor}; known are 5 and 6.")
    if mime_list != _LAYOUT.size:
        raise BadArchive(
            "bad-header", f"Its list of MIME types is said to be at {mime_list}, not at {_LAYOUT.size}."
        )
    if checksum < _LAYOUT.size:
        raise BadArchive("bad-header", f"Its checksum is said to be at {checksum}, within the header.")
    _check_size(parts, checksum + CHECKSUM_BYTES)
    titles = 0 if titles == _NO_TITLES else titles
    for name, start, count, each in (
        ("directory", paths, entries, 8),
        ("title index", titles, entries if titles else 0, 4),
        ("list of clusters", pointers, clusters, 8),
    ):
        if start + count * each > checksum or (count and start < _LAYOUT.size):
            raise BadArchive("bad-header", f"Its {name} is said to be at {start}, outside of the archive.")
    first_cluster = int.from_bytes(parts.read(pointers, 8), "little") if clusters else 0
    others = (paths, titles, pointers, checksum, first_cluster)
    limit = min(
        place for place in others if place >= _LAYOUT.size
    )  # the list ends before whatever comes first
    mimes = _read_mimes(parts.read(_LAYOUT.size, min(_LONGEST_LIST, limit - _LAYOUT.size)))
    return Header(
        major, minor, entries, clusters, paths, titles, pointers, checksum, mimes, b"C" if minor else b"A"
    )


def _check_size(parts: Parts, wanted: int) -> None:
    if parts.size == wanted:
        return
    if parts.size > wanted:
        raise BadArchive("bad-header", f"Its header says {wanted:,} bytes, but it has {parts.size:,}.")
    if parts.count > 1:
        raise BadArchive("missing-part", f"Its {parts.count} parts hold {parts.size:,} of {wanted:,} bytes.")
    raise BadArchive("truncated", f"It holds {parts.size:,} of {wanted:,} bytes.")


def _read_mimes(raw: bytes) -> tuple[str, ...]:
    """Zero-terminated names, the last one empty."""
    if raw.startswith(b"\0"):
        return ()
    end = raw.find(b"\0\0")
    if end < 0:
        raise BadArchive("bad-mime-list", "Its list of MIME types has no end.")
    return tuple(name.decode("utf-8", "replace") for name in raw[:end].split(b"\0"))
