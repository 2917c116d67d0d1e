"""The files of a manual: the contents between separators, in the main file and its subfiles."""

import os
import re
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from vademecum.files.inflate import read_inflated
from vademecum.files.read import Unreadable
from vademecum.sources.info.folder import compressions, inside
from vademecum.sources.info.markup import codec_named, decoded

LIMIT_BYTES = 64 * 1024 * 1024
"""The maximum total size of the files of one manual, inflated."""

MOST_NODES = 100_000
_MOST_PARTS = 1000
_AFTER_SEPARATOR = re.compile(rb"\x0c?[ \t]*(?:\n|\Z)")
_CODING = re.compile(rb"(?mi)^coding:[ \t]*([\w-]{1,40})")
_PART_LINE = re.compile(r"(?m)^(.+?):[ \t]*\d+[ \t]*$")


class Files:
    """The files of one manual, which are read completely.

    Args:
        root: The folder of the source, with all links resolved.
        file: The main file of the manual, relative to the folder.

    Attributes:
        preamble: The text before the first separator.
        stretches: The file and the content between two separators in it, in order, without tables.
        parts: The files that the manual is split into, as it names them, relative to the folder.
        faults: The problems that do not prevent reading the rest, each with its file.
    """

    def __init__(self, root: Path, file: str) -> None:
        self.stretches: list[tuple[str, bytes]] = []
        self.tags = ""
        self.parts: list[str] = []
        self.faults: list[tuple[str, Unreadable]] = []
        self._root = root
        self._file = file
        self._hash = blake2b(digest_size=16)
        self._left = LIMIT_BYTES
        self._separators = 0
        main = self._load(file)
        coding = _CODING.search(main, max(0, len(main) - 4096))
        self.codec = codec_named(coding[1].decode() if coding else "")
        self.preamble = decoded(main.partition(b"\x1f")[0], self.codec)
        self._take_parts(self._take(main, file))

    @property
    def digest(self) -> str:
        """A digest that changes if any byte of any file changes."""
        return self._hash.hexdigest()

    def _load(self, file: str) -> bytes:
        data = read_inflated(inside(self._root, file), self._left, suffix=Path(file).suffix)
        self._left -= len(data)
        self._hash.update(f"{len(data)} {file}\0".encode("utf-8", "surrogateescape"))
        self._hash.update(data)
        return data.replace(b"\r\n", b"\n") if b"\r" in data else data

    def _take(self, data: bytes, file: str) -> str:
        """Take the content of one file."""
        indirect = ""
        self._separators += data.count(b"\n\x1f")
        if self._separators > MOST_NODES:
            raise Unreadable("too-large", f"It holds more than {MOST_NODES:,} nodes.")
        for stretch in _parted(data)[1:]:
            line, _, body = stretch.lstrip(b"\n").partition(b"\n")
            match line.strip().lower():
                case b"indirect:":
                    indirect = decoded(body, self.codec)
                case b"tag table:":
                    self.tags = decoded(body, self.codec)
                case _:
                    self.stretches.append((file, stretch))
        return indirect

    def _take_parts(self, indirect: str) -> None:
        names = list(dict.fromkeys(_PART_LINE.findall(indirect)))
        for name in names[:_MOST_PARTS]:
            try:
                self._take_part(name)
            except Unreadable as bad:
                said = Unreadable(bad.fault, f"Its part {name!r}: {bad.message}")
                self.faults.append((self._file, said))
        if len(names) > _MOST_PARTS:
            self.faults.append(
                (self._file, Unreadable("too-large", f"It names more than {_MOST_PARTS} parts."))
            )

    def _take_part(self, name: str) -> None:
        if "/" in name or "\0" in name or name in {".", ".."}:
            raise Unreadable("outside", "A part must be in the same folder as the manual's first file.")
        part = str(PurePosixPath(self._file).with_name(name))
        if self._file in compressions(part):
            raise Unreadable("indirect-loop", "It is the file that names it.")
        found = next(
            (compression for compression in compressions(part) if os.path.lexists(self._root / compression)),
            "",
        )
        if not found:
            raise Unreadable("missing-part", "It is not there.")
        self.parts.append(part)
        if self._take(self._load(found), found):
            raise Unreadable("indirect-loop", "It names parts itself; they are not followed.")


def _parted(data: bytes) -> list[bytes]:
    """Return the content before, between and after the lines that separate nodes."""
    found: list[list[bytes]] = []
    for chunk in (b"\n" + data).split(b"\n\x1f"):
        separator = _AFTER_SEPARATOR.match(chunk) if found else None
        if separator:
            found.append([chunk[separator.end() :]])
        elif found:
            found[-1].append(chunk)
        else:
            found.append([chunk])
    return [b"\n\x1f".join(chunks) for chunks in found]
