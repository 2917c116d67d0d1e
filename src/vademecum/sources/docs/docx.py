"""Convert Word files (Office Open XML, ECMA-376 part 1, chapter 17) to text and blocks."""

import io
import re
import zipfile
import zlib
from xml.parsers import expat

from vademecum.files.read import Unreadable
from vademecum.sources._html.layout import Layout
from vademecum.sources._markdown import fold, row_of, slug
from vademecum.sources.docs.parsed import Parsed
from vademecum.sources.docs.xml_parts import parse_part

_BODY = "word/document.xml"
_STYLES = "word/styles.xml"
_PROPERTIES = "docProps/core.xml"
_HEADING = re.compile(r"heading\s*([1-9])", re.IGNORECASE)
_LONGEST_HEADING = 400


def read_docx(raw: bytes) -> Parsed:
    """Read a Word file: headings, paragraphs, lists and tables. Deleted text and notes are omitted.

    Raises:
        Unreadable: `not-text` (another kind of zip), `encrypted`, `damaged` or `too-large`.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            names = set(archive.namelist())
            if _BODY not in names:
                raise Unreadable("not-text", "It is a zip file, but not a document.")
            styles = _Styles()
            if _STYLES in names:
                parse_part(archive, _STYLES, styles.start, styles.end)
            properties = _Properties()
            if _PROPERTIES in names:
                parse_part(archive, _PROPERTIES, properties.start, properties.end, properties.text)
            body = _Body(styles.levels)
            parse_part(archive, _BODY, body.start, body.end, body.text)
    except (zipfile.BadZipFile, zlib.error, expat.ExpatError, EOFError, OSError, ValueError) as error:
        raise Unreadable("damaged", f"It is not a sound Word file: {error}.") from error
    except (NotImplementedError, RuntimeError) as error:
        raise Unreadable("damaged", "It is packed in a way that Word does not use.") from error
    body.layout.settle()
    title = fold("".join(properties.title)) or body.title
    return Parsed(title, "", "", body.layout.text, tuple(body.layout.blocks))


class _Styles:
    """The heading levels by style id. Ids are translated, names are not."""

    def __init__(self) -> None:
        self.levels: dict[str, int] = {}
        self._style = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        value = attributes.get("val", "")
        if tag == "style":
            self._style = attributes.get("styleId", "")
        elif tag == "name" and self._style:
            found = _HEADING.fullmatch(value)
            if found or value.lower() == "title":
                self.levels[self._style] = int(found[1]) if found else 1
        elif tag == "outlineLvl" and self._style and value.isdecimal() and int(value) < 9:
            self.levels.setdefault(self._style, int(value) + 1)

    def end(self, tag: str) -> None:
        if tag == "style":
            self._style = ""


class _Properties:
    """The title in the properties of the file."""

    def __init__(self) -> None:
        self.title: list[str] = []
        self._inside = False

    def start(self, tag: str, _attributes: dict[str, str]) -> None:
        self._inside = tag == "title"

    def end(self, _tag: str) -> None:
        self._inside = False

    def text(self, words: str) -> None:
        if self._inside:
            self.title.append(words)


class _Body:
    """The text by paragraph. The paragraphs of a table become its cells."""

    def __init__(self, levels: dict[str, int]) -> None:
        self.layout = Layout()
        self.title = ""
        self._levels = levels
        self._slugs: dict[str, int] = {}
        self._words: list[str] = []
        self._inside = False  # whether in the text of a run
        self._level = 0  # of a heading
        self._list = 0  # the number of enclosing lists
        self._skipped = 0  # the depth within an alternative for older programs
        self._tables = 0
        self._cell: list[str] = []
        self._row: list[str] = []
        self._rows: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._skipped or tag == "Fallback":
            self._skipped += 1
            return
        value = attributes.get("val", "")
        match tag:
            case "p":
                self._flush()  # a paragraph in a text box within another
            case "t":
                self._inside = True
            case "tab":
                self._words.append(" ")
            case "br" | "cr":
                self._words.append("\n")
            case "noBreakHyphen":
                self._words.append("-")
            case "pStyle":
                self._level = self._levels.get(value, 0)
            case "outlineLvl" if value.isdecimal() and int(value) < 9:
                self._level = int(value) + 1
            case "ilvl" if value.isdecimal():
                self._list = min(int(value), 8) + 1
            case "numId" if value != "0":
                self._list = max(self._list, 1)
            case "tbl":
                self._flush()
                self._tables += 1

    def end(self, tag: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        match tag:
            case "t":
                self._inside = False
            case "p":
                self._flush()
            case "tc" if self._tables == 1:
                self._row.append(" ".join(self._cell))
                self._cell = []
            case "tr" if self._tables == 1:
                self._rows.append(row_of(self._row))
                self._row = []
            case "tbl":
                self._tables -= 1
                if self._tables == 0:
                    self._table()

    def text(self, words: str) -> None:
        if self._inside and not self._skipped:
            self._words.append(words)

    def _flush(self) -> None:
        text = "\n".join(line for line in map(fold, "".join(self._words).split("\n")) if line)
        level, depth = self._level, self._list
        self._words, self._level, self._list = [], 0, 0
        if not text:
            return
        one_line = " ".join(text.split())
        if self._tables:
            self._cell.append(one_line)
        elif level and len(text) <= _LONGEST_HEADING:
            self.title = self.title or one_line
            self.layout.heading(one_line, level, self._unique(slug(one_line)))
        else:
            if depth:
                self.layout.marker("•")
            self.layout.paragraph(text, depth)

    def _unique(self, anchor: str) -> str:
        count = self._slugs.get(anchor, 0)
        self._slugs[anchor] = count + 1
        return f"{anchor}-{count}" if count else anchor

    def _table(self) -> None:
        rows = [row for row in self._rows if row]
        self._rows = []
        if rows:
            self.layout.table("\n".join(rows), 0)
