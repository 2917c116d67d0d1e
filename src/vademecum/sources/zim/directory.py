"""The directory of an archive: one entry per path, sorted by namespace and path."""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from vademecum.files.read import Unreadable
from vademecum.sources.zim.parts import Header, Parts

_REDIRECT, _LINK_TARGET, _DELETED = 0xFFFF, 0xFFFE, 0xFFFD
_ITEM = struct.Struct("<HBcIII")
_FIRST_READ = 512
_LONGEST_ENTRY = 64 * 1024
_WINDOW_BYTES = 256 * 1024
_POINTERS_AT_ONCE = 8192
_MOST_KEPT = 16_384


class Item(NamedTuple):
    """An entry of the directory.

    Attributes:
        mime: The number of its type in the list of the header, or -1 if it has no content.
        title: The title as stored; empty if it equals the path.
        target: For a redirect, the number of the target entry, otherwise -1.
    """

    number: int
    mime: int
    namespace: bytes
    path: bytes
    title: bytes
    cluster: int
    blob: int
    target: int

    @property
    def shown_title(self) -> str:
        """The title on one line, without invisible characters and characters that change the text direction."""
        return printable((self.title or self.path).decode("utf-8", "replace"))

    @property
    def key(self) -> str:
        """The path as text."""
        return self.path.decode("utf-8", "backslashreplace")


def printable(text: str) -> str:
    """Return a name on one line, without invisible characters and characters that change the text direction."""
    text = " ".join(text.split())
    return text if text.isprintable() else "".join(sign for sign in text if sign.isprintable()).strip()


class Directory:
    """The entries of an archive, by number or by path."""

    def __init__(self, parts: Parts, header: Header) -> None:
        self._parts = parts
        self._header = header
        self._window = b""
        self._window_start = 0
        self._probed: dict[int, bytes] = {}  # the first steps of searches, which are nearly always the same

    def __len__(self) -> int:
        return self._header.entries

    def item(self, number: int) -> Item:
        """Return the entry with a number."""
        if not 0 <= number < self._header.entries:
            raise Unreadable("bad-directory", f"There is no entry {number}.")
        pointer = self._parts.read(self._header.paths + 8 * number, 8)
        return self._at(number, int.from_bytes(pointer, "little"), ahead=False)

    def walk(self) -> Iterator[Item]:
        """Yield all entries in order, reading ahead where they are adjacent."""
        before = b""
        for first in range(0, self._header.entries, _POINTERS_AT_ONCE):
            count = min(_POINTERS_AT_ONCE, self._header.entries - first)
            raw = self._parts.read(self._header.paths + 8 * first, 8 * count)
            for number, (pointer,) in enumerate(struct.iter_unpack("<Q", raw), first):
                item = self._at(number, pointer, ahead=True)
                here = item.namespace + item.path
                if here <= before:
                    message = f"Its entries are out of order: {_named(before)} comes before {_named(here)}."
                    raise Unreadable("bad-directory", message)
                before = here
                yield item

    def find(self, namespace: bytes, path: bytes) -> Item | None:
        """Return the entry with a path, or None."""
        wanted = namespace + path
        low, high = 0, self._header.entries
        while low < high:
            middle = (low + high) // 2
            here = self._probed.get(middle, b"") or self._probe(middle)
            if here == wanted:
                return self.item(middle)
            if here < wanted:
                low = middle + 1
            else:
                high = middle
        return None

    def _probe(self, number: int) -> bytes:
        item = self.item(number)
        here = item.namespace + item.path
        if len(self._probed) < _MOST_KEPT:
            self._probed[number] = here
        return here

    def _at(self, number: int, position: int, *, ahead: bool) -> Item:
        if not 80 <= position < self._header.checksum:
            message = f"Entry {number} is said to be at {position}, outside of the archive."
            raise Unreadable("bad-directory", message)
        wanted = _FIRST_READ
        while True:
            raw, start = self._bytes(position, wanted, ahead=ahead)
            item = self._parse(number, raw, start)
            if item is not None:
                return item
            if wanted > _LONGEST_ENTRY or position + wanted > self._header.checksum:
                raise Unreadable("bad-directory", f"Entry {number} has no end.")
            wanted *= 16

    def _bytes(self, position: int, wanted: int, *, ahead: bool) -> tuple[bytes, int]:
        """Return bytes that contain the requested ones, and the offset of those."""
        start = position - self._window_start
        if start >= 0 and start + wanted <= len(self._window):
            return self._window, start
        if not ahead:
            return self._parts.read(position, wanted), 0
        # reading ahead is only worthwhile if the last read was close
        is_near = 0 <= start <= len(self._window) + _WINDOW_BYTES
        self._window = self._parts.read(position, max(wanted, _WINDOW_BYTES if is_near else 4096))
        self._window_start = position
        return self._window, 0

    def _parse(self, number: int, raw: bytes, start: int) -> Item | None:
        """Parse an entry, or return None if the bytes do not extend to its end."""
        if start + _ITEM.size > len(raw):
            raw += bytes(_ITEM.size)  # the last entry of an archive may be shorter, without a cluster
        mime, extra, namespace, _, cluster, blob = _ITEM.unpack_from(raw, start)
        target = -1
        names = start + 16
        if mime >= _DELETED:
            target = cluster if mime == _REDIRECT else -1
            names = start + (12 if mime == _REDIRECT else 8)
            mime = cluster = blob = -1
        elif mime >= len(self._header.mimes):
            raise Unreadable("bad-directory", f"Entry {number} is of type {mime}, which is not in the list.")
        elif cluster >= self._header.clusters:
            raise Unreadable("bad-directory", f"Entry {number} is in cluster {cluster}, which is not there.")
        middle = raw.find(b"\0", names)
        end = raw.find(b"\0", middle + 1) if middle >= 0 else -1
        if end < 0 or end + extra >= len(raw) + _FIRST_READ:
            return None
        return Item(number, mime, namespace, raw[names:middle], raw[middle + 1 : end], cluster, blob, target)


def _named(here: bytes) -> str:
    return printable(f"{here[:1].decode('latin-1')}/{here[1:120].decode('utf-8', 'replace')}")
