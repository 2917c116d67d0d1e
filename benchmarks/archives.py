"""Makes a large ZIM archive of real words, and a folder of Markdown: what the machine's manuals say, as texts that all differ.

Paragraphs of manual pages and info manuals are dealt out over articles at random, and in each paragraph every tenth
word is another one of the manuals'. So the index cannot pass over an article as a copy of another, its words have
the frequencies of real text, and any size can be made. Articles are as long as those of an encyclopedia: many are
short, a few very long, 4 KB of text on the average.

It is written here and not by libzim, which packs for the smallest download: that took 25 minutes a gigabyte.
"""

import hashlib
import random
import struct
from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import log
from pathlib import Path
from typing import BinaryIO, NamedTuple

from vademecum.core.documents import Document, DocumentRef
from vademecum.core.zstd import compress
from vademecum.sources.info import InfoSource
from vademecum.sources.man import ManSource

PAGES, INFO = Path("/usr/share/man"), Path("/usr/share/info")

_PAGES_READ = 3000
_SHORTEST, _LONGEST = 80, 3000
_CHANGED = 10
_USUAL_BYTES, _SPREAD = 2200, 1.1
"""Of an article's text: the median, and the deviation of its logarithm."""

_NAVIGATION = (
    "<nav><ul>" + "".join(f'<li><a href="#s{n}">Section {n}</a></li>' for n in range(15)) + "</ul></nav>"
)
_HEAD = '<meta charset="utf-8"><link rel="stylesheet" href="style.css"><script>var page = {};</script>'

_HEADER = struct.Struct("<IHH16sIIQQQQIIQ")
_MAGIC, _VERSION = 0x044D495A, (6, 1)
_MIMES = ("text/html", "text/plain")
_CLUSTER_BYTES = 1 << 20
_ZSTD = 5
_NONE, _NOWHERE = (1 << 32) - 1, (1 << 64) - 1


class _Entry(NamedTuple):
    """An entry of the archive's directory; they stand in the order of their places."""

    place: bytes
    title: str
    mime: int
    cluster: int
    blob: int


def write_archive(place: Path, megabytes: float, seed: int, say: Callable[[str], None]) -> int:
    """Write an archive of so many millions of bytes of text.

    Args:
        place: The file.
        megabytes: Of the articles' text, without markup.
        seed: Of all that is left to chance.
        say: Called with how far it is.

    Returns:
        Bytes of text.
    """
    chance = random.Random(seed)  # noqa: S311 - chance is seeded, so that the archive is the same again
    say("reading manuals to make articles of")
    paragraphs, words = _material()
    titles: dict[str, None] = {}
    written = said = 0
    with place.open("w+b") as file:
        archive = _Archive(file)
        known: list[str] = []
        while written < megabytes * 1e6:
            title = " ".join(chance.choices(words, k=chance.randint(1, 4))).capitalize()
            if title in titles:
                title = f"{title} ({len(titles)})"
            titles[title] = None
            known.append(title)
            page, size = _article(title, known, paragraphs, words, chance)
            archive.add(b"C" + title.replace(" ", "_").encode(), title, 0, page.encode())
            written += size
            if written - said > 1e8:
                said = written
                say(f"  {written / 1e6:.0f} MB of text written")
        for name, value in {"Title": "Manuals, shuffled", "Language": "eng", "Name": "shuffled"}.items():
            archive.add(b"M" + name.encode(), "", 1, value.encode())
        archive.close()
    return written


def write_folder(place: Path, megabytes: float, seed: int, say: Callable[[str], None]) -> int:
    """Write a folder of Markdown files of so many millions of bytes of text.

    Args:
        place: The folder; it must not exist.
        megabytes: Of text, without markup.
        seed: Of all that is left to chance.
        say: Called with how far it is.

    Returns:
        Bytes of text.
    """
    chance = random.Random(seed)  # noqa: S311 - chance is seeded, so that the folder is the same again
    say("reading manuals to make notes of")
    paragraphs, words = _material()
    place.mkdir()
    written = number = 0
    while written < megabytes * 1e6:
        note, size = _note(number, paragraphs, words, chance)
        folder = place / f"{number // 100:03}"
        folder.mkdir(exist_ok=True)
        (folder / f"note-{number:06}.md").write_text(note)
        written, number = written + size, number + 1
    return written


def _note(
    number: int, paragraphs: Sequence[list[str]], words: Sequence[str], chance: random.Random
) -> tuple[str, int]:
    """One file of Markdown, and how many bytes of text it has: paragraphs with marks, links, lists, code, tables."""
    title = " ".join(chance.choices(words, k=3)).capitalize()
    parts, size = [f"# {title}"], len(title)
    wanted = chance.lognormvariate(log(_USUAL_BYTES), _SPREAD)
    while size < wanted:
        if chance.random() < 0.2:
            parts.append("## " + " ".join(chance.choices(words, k=2)))
        varied = _varied(paragraphs, words, chance)
        text, kind = " ".join(varied), chance.random()
        size += len(text.encode())
        if kind < 0.6:
            other = chance.randrange(number + 1)
            varied[0] = f"[{varied[0]}](../{other // 100:03}/note-{other:06}.md)"
            varied[-1] = f"**{varied[-1]}**"
            parts.append(" ".join(varied))
        elif kind < 0.8:
            parts.append("\n".join(f"- `{line[:8]}`: {line}" for line in text.split("\n")))
        elif kind < 0.95:
            parts.append(f"```sh\n{text}\n```")
        else:
            cells = " | ".join(text.replace("\n", " ").replace("|", "").split(". ")[:4])
            parts.append(f"| what | is | of | for |\n| --- | --- | --- | --- |\n| {cells} |")
    return "\n\n".join(parts) + "\n", size


def _varied(paragraphs: Sequence[list[str]], words: Sequence[str], chance: random.Random) -> list[str]:
    """The words of a paragraph, every tenth of them another one of the manuals'."""
    varied = list(chance.choice(paragraphs))
    for place in chance.choices(range(len(varied)), k=len(varied) // _CHANGED):
        varied[place] = chance.choice(words)
    return varied


class _Archive:
    """Writes a ZIM archive: clusters as they fill up, and the directory when it is closed."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._entries: list[_Entry] = []
        self._clusters: list[int] = []
        self._blobs: list[bytes] = []
        self._size = 0
        file.write(bytes(_HEADER.size) + b"".join(mime.encode() + b"\0" for mime in _MIMES) + b"\0")

    def add(self, place: bytes, title: str, mime: int, content: bytes) -> None:
        self._entries.append(_Entry(place, title, mime, len(self._clusters), len(self._blobs)))
        self._blobs.append(content)
        self._size += len(content)
        if self._size >= _CLUSTER_BYTES:
            self._write_cluster()

    def close(self) -> None:
        if self._blobs:
            self._write_cluster()
        self._entries.sort()
        pointers = [self._write_entry(entry) for entry in self._entries]
        by_title = sorted(
            range(len(pointers)),
            key=lambda n: (
                self._entries[n].place[:1] + (self._entries[n].title.encode() or self._entries[n].place[1:])
            ),
        )
        paths = self._write_numbers("Q", pointers)
        titles = self._write_numbers("I", by_title)
        clusters = self._write_numbers("Q", self._clusters)
        checksum = self._file.tell()
        self._file.seek(0)
        self._file.write(
            _HEADER.pack(
                _MAGIC, *_VERSION, bytes(range(16)), len(pointers), len(self._clusters),
                paths, titles, clusters, _HEADER.size, _NONE, _NONE, checksum,
            )
        )  # fmt: skip
        self._file.seek(0)
        digest = hashlib.file_digest(self._file, lambda: hashlib.md5(usedforsecurity=False))
        self._file.write(digest.digest())

    def _write_cluster(self) -> None:
        offsets = [4 * (len(self._blobs) + 1)]
        for blob in self._blobs:
            offsets.append(offsets[-1] + len(blob))
        data = struct.pack(f"<{len(offsets)}I", *offsets) + b"".join(self._blobs)
        self._clusters.append(self._file.tell())
        self._file.write(bytes([_ZSTD]) + compress(data))
        self._blobs, self._size = [], 0

    def _write_entry(self, entry: _Entry) -> int:
        start = self._file.tell()
        fields = struct.pack("<HBcIII", entry.mime, 0, entry.place[:1], 0, entry.cluster, entry.blob)
        self._file.write(fields + entry.place[1:] + b"\0" + entry.title.encode() + b"\0")
        return start

    def _write_numbers(self, code: str, numbers: Sequence[int]) -> int:
        start = self._file.tell()
        self._file.write(struct.pack(f"<{len(numbers)}{code}", *numbers))
        return start


def _material() -> tuple[list[list[str]], list[str]]:
    """The words of each paragraph, and all that are words of a language, as often as they come."""
    paragraphs = [paragraph.split(" ") for paragraph in _paragraphs()]
    return paragraphs, [word for paragraph in paragraphs for word in paragraph if word.isalpha()]


def _paragraphs() -> Iterator[str]:
    """Paragraphs of some of the machine's pages, and of all its info manuals."""
    for source, most in ((ManSource(PAGES, "man"), _PAGES_READ), (InfoSource(INFO, "info"), None)):
        refs = [ref for ref in source.scan() if isinstance(ref, DocumentRef)]
        for document in source.read(refs[:: max(1, len(refs) // most)] if most else refs):
            if isinstance(document, Document):
                for block in document.blocks:
                    if block.kind != "heading" and _SHORTEST <= block.end - block.start <= _LONGEST:
                        yield document.text[block.start : block.end]


def _article(
    title: str,
    titles: Sequence[str],
    paragraphs: Sequence[list[str]],
    words: Sequence[str],
    chance: random.Random,
) -> tuple[str, int]:
    """One article: its page, and how many bytes of text that has.

    It is as an encyclopedia's: a few sections of some paragraphs, links, now and then a list, a table or code.
    """
    parts, said = [f"<h1>{escape(title)}</h1>"], [title]
    wanted, size = chance.lognormvariate(log(_USUAL_BYTES), _SPREAD), 0
    until_heading = chance.randint(1, 4)
    while size < wanted:
        if not until_heading:
            until_heading = chance.randint(2, 8)
            heading = " ".join(chance.choices(words, k=2))
            said.append(heading)
            parts.append(f'<h2 id="{escape(heading.replace(" ", "_"))}">{escape(heading)}</h2>')
        until_heading -= 1
        said.append(" ".join(_varied(paragraphs, words, chance)))
        size += len(said[-1])
        text, kind = escape(said[-1]), chance.random()
        if kind < 0.75:
            first, _, rest = text.partition(" ")
            other = escape(chance.choice(titles))
            parts.append(f'<p><a href="{other.replace(" ", "_")}" title="{other}">{first}</a> {rest}</p>')
        elif kind < 0.9:
            parts.append("<ul>" + "".join(f"<li>{line}</li>" for line in text.split("\n")) + "</ul>")
        elif kind < 0.95:
            parts.append(f"<pre>{text}</pre>")
        else:
            cells = "".join(f"<td>{cell}</td>" for cell in text.split(". ")[:4])
            parts.append(f"<table><tr><th>what</th><th>is</th></tr><tr>{cells}</tr></table>")
    body = "\n".join(parts)
    page = f"<!DOCTYPE html><html><head><title>{escape(title)}</title>{_HEAD}</head><body>{_NAVIGATION}<main>{body}</main></body></html>"
    return page, len("\n".join(said).encode())
