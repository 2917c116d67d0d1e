"""Convert Office files to HTML: Word and PowerPoint (ECMA-376), OpenDocument texts and presentations (ISO 26300)."""

import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

from vademecum.sources._blocks import Parsed
from vademecum.sources._html.blocks import fold, read_blocks
from vademecum.sources._markdown import slug
from vademecum.sources.docs.xml_parts import parse_part

_WORD = re.compile(r"word/document\d*\.xml")
_SLIDES = "ppt/presentation.xml"
_OPEN_DOCUMENT = "content.xml"
"""The names of the main parts."""

_PROPERTIES = ("docProps/core.xml", "meta.xml")
_STYLES = ("word/styles.xml", "word/numbering.xml", "styles.xml", _OPEN_DOCUMENT)
_NOTES = re.compile(r"word/(?:footnotes|endnotes|comments)\.xml")
_MARGINS = re.compile(r"word/(?:header|footer)\d*\.xml|styles\.xml")
_TAG = re.compile(r"<[^>]*>")
_HEADING = re.compile(r"heading\s*([1-9])", re.IGNORECASE)
_LONGEST_HEADING = 400
_MOST_REPEATED = 100
"""The maximum number of copies of an OpenDocument cell. Files declare millions of empty ones."""

_SKIPPED = frozenset({"Fallback", "moveFrom", "fld", "tracked-changes", "table-of-content", "note-citation"})
"""Elements without text of the document: alternatives for older programs, deletions, page numbers, indexes, and marks of notes."""

_ELEMENTS = {
    "tbl": "table", "table": "table", "tr": "tr", "table-row": "tr", "tc": "td", "table-cell": "td",
    "covered-table-cell": "td", "list-item": "li", "list-header": "li",
}  # fmt: skip
_REFERENCES = {"footnoteReference": "footnote", "endnoteReference": "endnote", "commentReference": "comment"}
_NOTED = {*_REFERENCES.values(), "note-body", "annotation"}


def is_office(names: Iterable[str]) -> bool:
    """Return whether a zip file with parts of these names is an Office file that is read here."""
    return any(name in {_SLIDES, _OPEN_DOCUMENT} or _WORD.fullmatch(name) for name in names)


def read_office(archive: zipfile.ZipFile) -> Parsed:
    """Read an Office file: headings, paragraphs, lists, tables, notes, comments, descriptions of pictures, and page margins.

    Deleted text and tables of contents are omitted. A note follows the paragraph that refers to it.
    """
    names = archive.namelist()
    styles, properties = _Styles(), _Properties()
    for part, found in ((_PROPERTIES, properties), (_STYLES, styles)):
        for name in filter(names.__contains__, part):
            parse_part(archive, name, found.start, found.end, getattr(found, "text", None))
    is_open = _OPEN_DOCUMENT in names
    notes = _read(archive, filter(_NOTES.fullmatch, names), _Reader(styles))
    margins = _read(archive, filter(_MARGINS.fullmatch, names), _Reader(styles, is_open=is_open))
    main = (
        [_OPEN_DOCUMENT]
        if is_open
        else _slides(archive)
        if _SLIDES in names
        else filter(_WORD.fullmatch, names)
    )
    body = _read(archive, main, _Reader(styles, notes.notes, is_open=is_open))
    repeated = dict.fromkeys(_TAG.sub(" ", markup).strip() for markup in margins.out)
    # a term is not a paragraph, which a summary would begin with
    above = "".join(f"<dl><dt>{words}</dt></dl>" for words in repeated if any(map(str.isalpha, words)))
    layout = read_blocks(above + "".join(body.out))
    return Parsed(properties.title or body.title, "", "", layout.text, tuple(layout.blocks))


def _read(archive: zipfile.ZipFile, names: Iterable[str], reader: "_Reader") -> "_Reader":
    for name in names:
        begin = len(reader.out)
        parse_part(archive, name, reader.start, reader.end, reader.text)
        blocks = reader.out[begin:]
        if (
            name.startswith("ppt/slides/")
            and blocks
            and not any(markup.startswith("<h") for markup in blocks)
        ):
            reader.out[begin] = blocks[0].replace("<p>", "<h1>").replace("</p>", "</h1>")
    return reader


def _slides(archive: zipfile.ZipFile) -> list[str]:
    """Return the parts of the slides in the order in which they are shown, each followed by its speaker notes."""
    related = _related(archive, _SLIDES)
    slides: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "sldId" and attributes.get("id") in related:
            slides.append(related[attributes["id"]])

    parse_part(archive, _SLIDES, start, lambda _tag: None)
    found: list[str] = []
    for slide in slides:
        found += [slide, *(name for name in _related(archive, slide).values() if "/notesSlides/" in name)]
    return found


def _related(archive: zipfile.ZipFile, part: str) -> dict[str, str]:
    """Return the parts that a part refers to, by id."""
    folder, name = posixpath.split(part)
    relations = f"{folder}/_rels/{name}.rels"
    found: dict[str, str] = {}

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "Relationship":
            target = posixpath.normpath(posixpath.join("/", folder, attributes.get("Target", "")))
            found[attributes.get("Id", "")] = target.removeprefix("/")

    if relations in archive.NameToInfo:
        parse_part(archive, relations, start, lambda _tag: None)
    return {id_: target for id_, target in found.items() if target in archive.NameToInfo}


class _Properties:
    """The title in the properties of the file."""

    def __init__(self) -> None:
        self.title = ""
        self._inside = False

    def start(self, tag: str, _attributes: dict[str, str]) -> None:
        self._inside = tag == "title"

    def end(self, _tag: str) -> None:
        self._inside = False

    def text(self, words: str) -> None:
        if self._inside:
            self.title = fold(self.title + words)


class _Styles:
    """The levels of headings by the id of their style, and which levels of which lists are numbered.

    Ids of styles are translated, their names are not.
    """

    def __init__(self) -> None:
        self.levels: dict[str, int] = {}
        self.numbered: set[tuple[str, int]] = set()
        self._style = self._list = ""
        self._level = 0
        self._defined: dict[str, set[int]] = {}

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        value = attributes.get("val", "")
        match tag:
            case "style":
                self._style = attributes.get("styleId", "")
            case "name" if self._style:
                found = _HEADING.fullmatch(value)
                if found or value.lower() == "title":
                    self.levels[self._style] = int(found[1]) if found else 1
            case "outlineLvl" if self._style and _number(value) < 9:
                self.levels.setdefault(self._style, _number(value) + 1)
            case "abstractNum":
                self._list = attributes.get("abstractNumId", "")
            case "lvl":
                self._level = _number(attributes.get("ilvl", ""))
            case "numFmt" if value not in {"bullet", "none"}:
                self._defined.setdefault(self._list, set()).add(self._level)
            case "num":
                self._list = attributes.get("numId", "")
            case "abstractNumId":
                self.numbered |= {(self._list, level) for level in self._defined.get(value, ())}
            case "list-style":
                self._list = attributes.get("name", "")
            case "list-level-style-number" if attributes.get("num-format"):
                self.numbered.add((self._list, _number(attributes.get("level", "1")) - 1))

    def end(self, tag: str) -> None:
        if tag == "style":
            self._style = ""


@dataclass
class _Paragraph:
    """A paragraph while it is read. Its notes and text boxes follow it."""

    level: int = 0  # of a heading
    depth: int = 0  # the number of enclosing lists, in Word
    list_id: str = ""
    words: list[str] = field(default_factory=list)
    following: list[str] = field(default_factory=list)


class _Reader:
    """Elements as HTML, with the notes of separate parts by kind and id."""

    def __init__(
        self, styles: _Styles, notes: dict[tuple[str, str], str] | None = None, *, is_open: bool = False
    ) -> None:
        self.out: list[str] = []
        self.notes = notes or {}
        self.title = ""
        self._styles = styles
        self._is_open = is_open
        self._skipping = self._reading = self._tables = 0
        self._open: list[_Paragraph] = []
        self._noted: list[tuple[str, str, list[_Paragraph], list[str]]] = []
        self._lists: list[str] = []
        self._is_title = False
        self._numbers: Counter[tuple[str, int]] = Counter()
        self._slugs: Counter[str] = Counter()

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Open an element."""
        if self._skipping or tag in _SKIPPED:
            self._skipping += 1
            return
        now = self._open[-1] if self._open else _Paragraph()
        value = attributes.get("val", "")
        match tag:
            case "p" | "h":
                self._reading += self._is_open
                is_title = self._is_title or attributes.get("style-name") == "Title"
                self._open.append(_Paragraph(_number(attributes.get("outline-level", "")) or int(is_title)))
            case "title" | "desc" if self._is_open:
                self._reading += 1
                self._open.append(_Paragraph())
            case "t":
                self._reading += 1
            case "tab" | "s":
                now.words.append(" ")
            case "br" | "cr" | "line-break":
                now.words.append("<br>")
            case "noBreakHyphen":
                now.words.append("-")
            case "docPr" | "cNvPr":
                self._block(f"<p>{escape(attributes.get('descr', ''))}</p>")
            case "pStyle":
                now.level = self._styles.levels.get(value, 0)
            case "outlineLvl" if _number(value) < 9:
                now.level = _number(value) + 1
            case "ilvl":
                now.depth = min(_number(value), 8) + 1
            case "numId" if value != "0":
                now.depth, now.list_id = max(now.depth, 1), value
            case "sp" | "frame" | "page":
                self._is_title = attributes.get("class") == "title"
            case "ph":
                self._is_title = attributes.get("type") in {"title", "ctrTitle"}
            case "list":
                self._lists.append(attributes.get("style-name") or (self._lists or [""])[-1])
                self._block(f"<{self._list_element()}>")
            case _ if tag in _REFERENCES:
                now.following.append(self.notes.get((_REFERENCES[tag], attributes.get("id", "")), ""))
            case _ if tag in _NOTED:
                self._noted.append((tag, attributes.get("id", ""), self._open, self.out))
                self._open, self.out = [], []
            case _ if element := _ELEMENTS.get(tag):
                self._tables += element == "table"
                copies = min(_number(attributes.get("number-columns-repeated", "1")), _MOST_REPEATED) - 1
                self._block("<td></td>" * copies + self._of_table(f"<{element}>"))

    def end(self, tag: str) -> None:
        """Close an element."""
        if self._skipping:
            self._skipping -= 1
            return
        match tag:
            case "p" | "h" | "title" | "desc" if self._open:
                self._reading -= self._is_open
                self._close(self._open.pop())
            case "t":
                self._reading -= 1
            case "list" if self._lists:
                self._block(f"</{self._list_element()}>")
                self._lists.pop()
            case _ if tag in _NOTED and self._noted:
                kind, id_, self._open, out = self._noted.pop()
                note, self.out = "".join(self.out), out
                if self._open:
                    self._open[-1].following.append(note)
                else:
                    self.notes[kind, id_] = note
            case _ if element := _ELEMENTS.get(tag):
                self._block(self._of_table(f"</{element}>"))
                self._tables -= element == "table"

    def text(self, words: str) -> None:
        """Read text."""
        if self._reading and not self._skipping and self._open:
            self._open[-1].words.append(escape(words, quote=False))

    def _block(self, markup: str) -> None:
        """Add markup after the open paragraph, if any."""
        (self._open[-1].following if self._open else self.out).append(markup)

    def _of_table(self, tag: str) -> str:
        """Return a tag; a space within a table in a table, which becomes the text of a cell."""
        return tag if self._tables < 2 else " "

    def _list_element(self) -> str:
        return "ol" if (self._lists[-1], len(self._lists) - 1) in self._styles.numbered else "ul"

    def _close(self, paragraph: _Paragraph) -> None:
        words = "".join(paragraph.words).strip()
        plain = fold(words)
        if plain and paragraph.level and not self._tables and len(plain) <= _LONGEST_HEADING:
            self.title = self.title or plain
            anchor = slug(plain)
            self._slugs[anchor] += 1
            number = self._slugs[anchor] - 1
            level = min(paragraph.level, 6)
            self._block(f'<h{level} id="{anchor}{f"-{number}" if number else ""}">{words}</h{level}>')
        elif plain and paragraph.depth:
            self._block(self._item(paragraph, words))
        elif plain:
            self._block(f"<p>{words}</p>")
        for markup in paragraph.following:
            self._block(markup)

    def _item(self, paragraph: _Paragraph, words: str) -> str:
        """Return an item of a Word list, in lists of its own."""
        at = (paragraph.list_id, paragraph.depth - 1)
        start = "<ul>"
        if at in self._styles.numbered:
            self._numbers[at] += 1
            for deeper in [key for key in self._numbers if key[0] == at[0] and key[1] > at[1]]:
                del self._numbers[deeper]
            start = f'<ol start="{self._numbers[at]}">'
        end = "</ol>" if start != "<ul>" else "</ul>"
        return f"{'<ul>' * at[1]}{start}<li>{words}</li>{end}{'</ul>' * at[1]}"


def _number(value: str) -> int:
    return int(value) if value.isdecimal() and len(value) < 10 else 0
