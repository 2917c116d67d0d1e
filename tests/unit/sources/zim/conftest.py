"""A writer of small archives: whole ones, and ones that are wrong in one place."""

import hashlib
import lzma
import struct
from dataclasses import dataclass

import pytest

from vademecum.core.zstd import compress

UUID = bytes(range(16))
PLAIN, ZIP, XZ, ZSTD = 1, 2, 4, 5
PACK = {PLAIN: bytes, ZIP: bytes, XZ: lzma.compress, ZSTD: compress}
REDIRECT = 0xFFFF
TAIL = "<p>Text of the article.</p>"


@dataclass
class Entry:
    """One entry: with content, or with the path (or number) of the entry it leads to."""

    path: str
    content: str | bytes = TAIL
    title: str = ""
    mime: str = "text/html"
    to: str | int | None = None
    namespace: str = ""
    cluster: int = 0
    blob: int | None = None

    def place(self):
        return self.namespace.encode() + raw(self.path)


def raw(text):
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


class Written:
    """The bytes of an archive, and where its parts are.

    `put` overwrites; `sealed` gives the bytes with a checksum that fits.
    """

    def __init__(
        self,
        entries,
        *,
        version=(6, 1),
        compression=ZSTD,
        extended=False,
        metadata=None,
        front=(),
        titles=True,
        packed=None,
        mimes=None,
        ordered=True,
    ):
        content = "C" if version[1] else "A"
        facts = {"Title": "Handbook", "Language": "eng"} if metadata is None else metadata
        self.entries = [
            *entries,
            *(Entry(name, text, mime="text/plain", namespace="M") for name, text in facts.items()),
        ]
        for entry in self.entries:
            entry.namespace = entry.namespace or content
        self.order(ordered)
        if front:
            numbers = [self.number(path, content) for path in front]
            listing = struct.pack(f"<{len(numbers)}I", *sorted(numbers))
            listed = Entry("listing/titleOrdered/v1", listing, mime="application/octet-stream", namespace="X")
            listed.cluster, listed.blob = max(entry.cluster for entry in self.entries) + 1, 0
            self.entries.append(listed)  # X comes after C and M, so the numbers stay
        self.mimes = mimes or sorted({entry.mime for entry in self.entries if entry.to is None})
        self.width = 8 if extended else 4
        self.bytes = bytearray(80)
        for name in self.mimes:
            self.bytes += name.encode() + b"\0"
        self.bytes += b"\0"
        self.dirents = [self.write_dirent(entry, content) for entry in self.entries]
        self.paths = self.write_numbers("Q", self.dirents)
        by_title = sorted(range(len(self.entries)), key=lambda n: self.title_key(self.entries[n]))
        self.titles = self.write_numbers("I", by_title) if titles else 2**64 - 1
        self.clusters = [
            self.write_cluster(number, compression, extended=extended, packed=packed)
            for number in range(max((entry.cluster for entry in self.entries), default=-1) + 1)
        ]
        self.pointers = self.write_numbers("Q", self.clusters)
        self.checksum = len(self.bytes)
        self.bytes[:80] = struct.pack(
            "<IHH16sIIQQQQIIQ",
            0x044D495A, *version, UUID, len(self.entries), len(self.clusters),
            self.paths, self.titles, self.pointers, 80, 2**32 - 1, 2**32 - 1, self.checksum,
        )  # fmt: skip

    def order(self, ordered):
        if ordered:
            self.entries.sort(key=Entry.place)
        blobs = {}
        for entry in self.entries:
            if entry.to is None and entry.blob is None:
                entry.blob = blobs.get(entry.cluster, 0)
                blobs[entry.cluster] = entry.blob + 1

    def number(self, path, namespace):
        return next(n for n, e in enumerate(self.entries) if (e.path, e.namespace) == (path, namespace))

    def title_key(self, entry):
        return entry.namespace.encode() + raw(entry.title or entry.path)

    def write_numbers(self, code, numbers):
        start = len(self.bytes)
        self.bytes += struct.pack(f"<{len(numbers)}{code}", *numbers)
        return start

    def write_dirent(self, entry, content):
        start = len(self.bytes)
        namespace = entry.namespace.encode()
        if entry.to is None:
            mime = self.mimes.index(entry.mime)
            self.bytes += struct.pack("<HBcIII", mime, 0, namespace, 0, entry.cluster, entry.blob)
        else:
            target = entry.to if isinstance(entry.to, int) else self.number(entry.to, content)
            self.bytes += struct.pack("<HBcII", REDIRECT, 0, namespace, 0, target)
        self.bytes += raw(entry.path) + b"\0" + raw(entry.title) + b"\0"
        return start

    def write_cluster(self, number, compression, *, extended, packed):
        blobs = {e.blob: raw(e.content) for e in self.entries if e.to is None and e.cluster == number}
        contents = [blobs.get(n, b"") for n in range(max(blobs, default=-1) + 1)]
        offsets = [self.width * (len(contents) + 1)]
        for content in contents:
            offsets.append(offsets[-1] + len(content))
        data = struct.pack(f"<{len(offsets)}{'Q' if extended else 'I'}", *offsets) + b"".join(contents)
        start = len(self.bytes)
        self.bytes.append(compression | (0x10 if extended else 0))
        self.bytes += packed if packed is not None else PACK.get(compression, bytes)(data)
        return start

    def put(self, place, code, *numbers):
        struct.pack_into(f"<{code}", self.bytes, place, *numbers)
        return self

    def sealed(self):
        return bytes(self.bytes) + hashlib.md5(self.bytes, usedforsecurity=False).digest()


@pytest.fixture
def entry():
    """Make an entry: `entry(path, content, title=...)`."""
    return Entry


@pytest.fixture
def written():
    """Lay out an archive in memory, to be changed before it is sealed."""
    return Written


@pytest.fixture
def archive(tmp_path):

    def write(*entries, name="handbook.zim", **options):
        path = tmp_path / name
        path.write_bytes(Written(entries, **options).sealed())
        return path

    return write


@pytest.fixture
def fault_of():
    """The fault that checking an archive names, or ""; its message and hint are there."""
    from vademecum.core.errors import ArchiveBroken
    from vademecum.sources.zim import ZimSource

    def check(path):
        found = None
        try:
            ZimSource(path, "x").check()
        except ArchiveBroken as error:
            found = error
        if found is None:
            return ""
        assert path.name in found.message
        assert found.hint
        return found.fault

    return check
