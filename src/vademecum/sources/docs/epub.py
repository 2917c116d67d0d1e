"""Convert EPUB books (EPUB 3.3, also EPUB 2) to text and blocks: the chapters in the order of the spine."""

import posixpath
import zipfile
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from vademecum.core.documents import Block
from vademecum.files.read import Unreadable
from vademecum.sources._blocks import Parsed
from vademecum.sources._html import decode_html, read_html
from vademecum.sources._markdown import fold
from vademecum.sources.docs.xml_parts import MOST_BYTES, parse_part, read_part

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PAGES = {"application/xhtml+xml", "text/html"}
_MOST_CHAPTERS = 10_000
_BETWEEN = "\n\n"


def read_epub(archive: zipfile.ZipFile) -> Parsed:
    """Read a book: its chapters one after another, with their headings. Pictures are omitted."""
    container = _Container()
    parse_part(archive, _CONTAINER, container.start, _nothing)
    if not container.package:
        raise Unreadable("damaged", "It is not a sound EPUB book: it names no package.")
    package = _Package()
    parse_part(archive, container.package, package.start, package.end, package.text)
    chapters = package.chapters(posixpath.dirname(container.package))
    locked = _locked(archive)
    text, blocks = "", list[Block]()
    left = MOST_BYTES
    for name in chapters[:_MOST_CHAPTERS]:
        if name in locked:
            raise Unreadable("encrypted", "It is protected by digital rights management.")
        content = read_part(archive, name, left)
        left -= len(content)
        page = read_html(decode_html(content))
        if not page.text:
            continue
        start = len(text) + len(_BETWEEN) if text else 0
        text += (_BETWEEN if text else "") + page.text
        blocks += [_moved(block, start) for block in page.blocks]
    return Parsed(
        title=fold(package.of("title")),
        summary=fold(package.of("description")) if "<" not in package.of("description") else "",
        language=package.of("language").strip(),
        text=text,
        blocks=tuple(blocks),
    )


def _moved(block: Block, by: int) -> Block:
    return block._replace(start=block.start + by, end=block.end + by, tag_end=block.tag_end + by)


def _locked(archive: zipfile.ZipFile) -> frozenset[str]:
    """Return the parts that are encrypted. Fonts are often, and need not be read."""
    found: set[str] = set()

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "CipherReference":
            found.add(posixpath.normpath(unquote(attributes.get("URI", ""))))

    if _ENCRYPTION in archive.namelist():
        parse_part(archive, _ENCRYPTION, start, _nothing)
    return frozenset(found)


def _nothing(_tag: str) -> None:
    """Do nothing at the end of an element."""


class _Container:
    """The place of the package in the zip file."""

    def __init__(self) -> None:
        self.package = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "rootfile" and not self.package:
            self.package = posixpath.normpath(attributes.get("full-path", "")).removeprefix("./")


class _Item(NamedTuple):
    """A file of the package, by its address relative to the package."""

    address: str
    media: str


class _Package:
    """What the package declares: title and language, its files, and the order of its chapters."""

    def __init__(self) -> None:
        self._items: dict[str, _Item] = {}
        self._spine: list[str] = []
        self._said: dict[str, list[str]] = {}
        self._element = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._element = tag
        if tag == "item":
            self._items[attributes.get("id", "")] = _Item(
                attributes.get("href", ""), attributes.get("media-type", "")
            )
        elif tag == "itemref" and attributes.get("linear") != "no":
            self._spine.append(attributes.get("idref", ""))
        elif tag in {"title", "language", "description"}:
            self._said.setdefault(tag, []).append("")

    def end(self, _tag: str) -> None:
        self._element = ""

    def text(self, data: str) -> None:
        if self._element in self._said:
            self._said[self._element][-1] += data

    def of(self, name: str) -> str:
        """Return the first value of an element of the metadata, or ""."""
        return next(iter(self._said.get(name, ())), "")

    def chapters(self, folder: str) -> list[str]:
        """Return the names of the chapters in the zip file, in reading order."""
        named = (self._items[id_] for id_ in self._spine if id_ in self._items)
        addresses = (unquote(urlsplit(item.address).path) for item in named if item.media in _PAGES)
        return [posixpath.normpath(posixpath.join(folder, address)) for address in addresses]
