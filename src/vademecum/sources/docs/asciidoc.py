"""Convert AsciiDoc to text and blocks: the language that Asciidoctor documents, as far as it carries text.

Nothing is included. An attribute is replaced by the value that the same file gives it, and `ifdef` asks whether the file
gives it one.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from html import unescape

from vademecum.sources._blocks import Parsed
from vademecum.sources._html.layout import TermLayout
from vademecum.sources._markdown import fold, fold_code, row_of, slug

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*$")
_ATTRIBUTE = re.compile(r":(!?[\w][\w-]*!?):(?:[ \t]+(.*))?$")
_ANCHOR = re.compile(r"\[\[([\w:.-]+)(?:,[^\]]*)?\]\]$|\[#([\w:.-]+)[^\]]*\]$")
_BLOCK_ATTRIBUTES = re.compile(r"\[[\w.#%,\"'= :*+/|<>^-]*\]$|\[(?:source|cols|options|quote|verse)\b.*\]$")
_TITLE = re.compile(r"\.([^\s.].*)$")
_FENCE = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|```\w*)[ \t]*$")
_TABLE = re.compile(r"([|,:!])={3,}[ \t]*$")
_UNORDERED = re.compile(r"[ \t]*(\*{1,5}|-|•)[ \t]+(?:\[[ xX*]\][ \t]+)?(\S.*)$")
_ORDERED = re.compile(r"[ \t]*(?:(\.{1,5})|(\d{1,3})\.|[a-zA-Z]\.|[ivxIVX]{1,5}\))[ \t]+(\S.*)$")
_DESCRIBED = re.compile(r"[ \t]*(\S.*?)(:{2,4}|;;)(?:[ \t]+(\S.*))?$")
_CALLOUT = re.compile(r"<(?:\d+|\.)>[ \t]+(\S.*)$")
_ADMONITION = re.compile(r"(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+(\S.*)$")
_CALLOUT_IN_CODE = re.compile(r"(?:\s*(?://|#|--|;;)?\s*<(?:\d{1,3}|\.)>)+\s*$")
_CONDITION = re.compile(r"(?P<kind>ifdef|ifndef|ifeval)::(?P<names>[\w,+-]*)\[(?:(?<=ifeval::\[).*)?\]")
_MACRO = re.compile(r"(?:include|ifdef|ifndef|endif|image|video|audio|toc)::\S*\[.*\]$")
_THEMATIC = re.compile(r"'{3,}$|<{3,}$|(?:- ?){3}$|(?:\* ?){3}$")
_CELL = r"(?:(?P<count>\d{1,3})?(?:\.\d{1,3})?(?P<sign>[+*]))?[<^>]?(?:\.[<^>])?[aehlmsdv]?"
_ESCAPE = re.compile(r"\\(?=[-{<\[*_`#'])")
_KEPT = re.compile("\0(\\d+)\0")
_AFTER_TEXT = (
    re.compile(r"\+"), _FENCE, _TABLE, _ATTRIBUTE, _BLOCK_ATTRIBUTES, _CONDITION, _MACRO,
)  # fmt: skip
"""The lines that end a paragraph without a blank line."""

_UNDERLINES = "=-~^+"
_LONGEST_HEADING = 400
_MOST_ATTRIBUTES = 1_000
_LONGEST_VALUE = 2_000
_LONGEST_LINE = 20_000
"""The length from which a line is text without markup, since patterns would take long."""

_INLINE = re.compile(
    r"""(?P<passed>\+\+\+(?P<raw>.*?)\+\+\+|pass:\w*\[(?P<pass>[^\]]*)\])
    |`\+?(?P<code>[^`\n]+?)\+?`
    |(?P<footnote>footnote:[\w-]*\[[^\]]*\]|\(\(\([^)]*\)\)\)|image:[^\s\[]+\[[^\]]*\]|indexterm2?:\[[^\]]*\])
    |\[\[[\w:.-]+(?:,[^\]]*)?\]\]
    |<<(?P<target>[^,<>\n]+)(?:,(?P<shown>[^<>\n]*))?>>
    |(?:link|xref|mailto):(?P<to>[^\s\[]+)\[(?P<named>[^\]\n]*)\]
    |(?P<page>\b[a-z]+:[\w.+-]+\[\d[a-z]*\])
    |(?P<url>(?:https?|ftp|irc)://[^\s\[\]<>]+)\[(?P<words>[^\]\n]*)\]
    |(?:kbd|btn|menu):(?P<menu>[\w ]*)\[(?P<keys>[^\]\n]*)\]
    |\{(?P<attribute>[\w][\w-]*)\}""",
    re.VERBOSE,
)
_STYLED = re.compile(
    r"""(?<![\w\\])(?:\[[\w.# -]*\])?
    (?P<mark>\*\*|__|\#\#|\*|_|\#)(?=\S)(?P<text>[^\n*_\#]+?)(?<=\S)(?P=mark)(?!\w)""",
    re.VERBOSE,
)
_GIVEN = {
    "amp": "&", "apos": "'", "asterisk": "*", "backslash": "\\", "blank": "", "caret": "^", "cpp": "C++",
    "empty": "", "endsb": "]", "gt": ">", "ldquo": "“", "lsquo": "‘", "lt": "<", "nbsp": " ", "plus": "+",
    "quot": '"', "rdquo": "”", "rsquo": "’", "sp": " ", "startsb": "[", "tilde": "~", "vbar": "|", "zwsp": "",
}  # fmt: skip
"""The attributes that AsciiDoc defines."""


def read_asciidoc(text: str) -> Parsed:
    """Read AsciiDoc: sections, paragraphs, lists, descriptions, code, tables and admonitions. Comments are omitted."""
    reader = _Reader(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    reader.read()
    layout = reader.layout
    layout.settle()
    return Parsed(
        title=reader.title,
        summary=reader.said(reader.attributes.get("description", "")),
        language=reader.attributes.get("lang", ""),
        text=layout.text,
        blocks=tuple(layout.blocks),
        links=tuple(reader.links),
    )


class _Reader:
    """A reader of lines, from the first to the last."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.layout = TermLayout()
        self.title = ""
        self.attributes: dict[str, str] = {}
        self.links: dict[str, None] = {}
        self._lines = [line.rstrip() for line in lines]
        self._at = 0
        self._lists: list[str] = []  # the markers of the open lists
        self._numbers: list[int] = []
        self._style = ""  # the attributes of the next block
        self._anchor = ""
        self._attached = False  # whether a `+` attaches the next block to an item

    def read(self) -> None:
        """Read all lines."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line:
                self._at += 1
            elif line == "+":
                self._attached = True
                self._at += 1
            elif not self._read_mark(line):
                self._read_block(line)
                self._style = self._anchor = ""
                self._attached = False

    def _read_mark(self, line: str) -> bool:
        """Read a line that is not text by itself. Return whether it is one."""
        if line.startswith("//") and not line.startswith("///"):
            pass
        elif found := _ATTRIBUTE.fullmatch(line):
            self._set(found[1], found[2] or "")
        elif found := _CONDITION.fullmatch(line):
            if not self._holds(found):
                self._skip_condition()
        elif found := _ANCHOR.fullmatch(line):
            self._anchor = found[1] or found[2]
        elif _BLOCK_ATTRIBUTES.fullmatch(line):
            self._style = line
        elif found := _TITLE.fullmatch(line):
            self._leave()
            self._paragraph([found[1]])
        elif not (_MACRO.fullmatch(line) or _THEMATIC.fullmatch(line)):
            return False
        self._at += 1
        return True

    def _set(self, name: str, value: str) -> None:
        while value.endswith(" \\") and self._at + 1 < len(self._lines) and len(value) < _LONGEST_VALUE:
            self._at += 1
            value = f"{value[:-2].rstrip()} {self._lines[self._at].strip()}"
        if "!" in name:
            self.attributes.pop(name.strip("!"), None)
        elif len(self.attributes) < _MOST_ATTRIBUTES:
            self.attributes[name.lower()] = self.said(value)[:_LONGEST_VALUE]

    def _holds(self, condition: re.Match[str]) -> bool:
        """Return whether the text below `ifdef`, `ifndef` or `ifeval` belongs to the document."""
        if condition["kind"] == "ifeval":
            return True
        names = re.split(r"[,+]", condition["names"].lower())
        found = [name in self.attributes for name in names]
        is_defined = all(found) if "+" in condition["names"] else any(found)
        return is_defined == (condition["kind"] == "ifdef")

    def _skip_condition(self) -> None:
        """Go to the line that ends the condition."""
        depth = 1
        while depth and self._at + 1 < len(self._lines):
            self._at += 1
            line = self._lines[self._at]
            depth += bool(_CONDITION.fullmatch(line)) - line.startswith("endif::")

    def _read_block(self, line: str) -> None:
        if found := _HEADING.fullmatch(line):
            self._heading(found[2], len(found[1]))
            self._at += 1
        elif level := self._underlined(line):
            self._heading(line, level)
            self._at += 2
        elif found := _FENCE.fullmatch(line):
            self._fenced(found[1])
        elif found := _TABLE.fullmatch(line):
            self._table(line, found[1])
        elif not self._read_item(line):
            if line[0] in " \t":
                self._leave()
                self.layout.code(fold_code("\n".join(self._until_blank())) or line, len(self._lists))
                return
            lines = list(self._until_blank())
            if found := _ADMONITION.fullmatch(lines[0]):
                lines[0] = found[1]
            self._leave()
            self._paragraph(lines)

    def _heading(self, text: str, level: int) -> None:
        text = self.said(text)
        self._lists.clear()
        if text and len(text) <= _LONGEST_HEADING:
            self.title = self.title or (text if level == 1 else "")
            self.layout.heading(text, level, self._anchor or slug(text))

    def _underlined(self, line: str) -> int:
        """Return the level of a heading whose next line is its underline; otherwise 0."""
        under = self._lines[self._at + 1] if self._at + 1 < len(self._lines) else ""
        is_line = len(under) > 2 and under[0] in _UNDERLINES and not under.strip(under[0])
        if not is_line or abs(len(under) - len(line)) > 1 or not any(map(str.isalnum, line)):
            return 0
        return _UNDERLINES.index(under[0]) + 1

    def _leave(self) -> None:
        """Leave all lists, unless the block is attached to an item."""
        if not self._attached:
            self._lists.clear()

    def _paragraph(self, lines: Sequence[str]) -> None:
        text = self._joined(lines)
        if text:
            self.layout.paragraph(text, len(self._lists))

    def _joined(self, lines: Sequence[str]) -> str:
        """Join lines, except after ` +`, and in verses."""
        pieces = []
        for line in lines:
            ends = line.endswith(" +") or self._style.startswith("[verse")
            pieces.append(line.removesuffix(" +") + ("\n" if ends else " "))
        return "\n".join(filter(None, (self.said(part) for part in "".join(pieces).split("\n"))))

    def _until_blank(self) -> Iterator[str]:
        """Yield the lines of a paragraph, and go behind them."""
        first = True
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line or (not first and any(pattern.fullmatch(line) for pattern in _AFTER_TEXT)):
                return
            first = False
            self._at += 1
            if not line.startswith("//"):
                yield line

    def _fenced(self, fence: str) -> None:
        """Read a block between two equal lines: code, a comment, or text, of which the lines are left out."""
        kind = "```" if fence.startswith("`") else fence
        is_source = self._style.startswith(("[source", "[listing", "[literal"))
        if kind[0] not in "-.`+/" or (kind == "--" and not is_source):
            self._at += 1
            return
        end = next(
            (at for at in range(self._at + 1, len(self._lines)) if self._lines[at] == kind), len(self._lines)
        )
        inside = self._lines[self._at + 1 : end]
        self._at = end + 1
        if kind[0] in "+/":
            return
        self._leave()
        if code := fold_code("\n".join(_CALLOUT_IN_CODE.sub("", line) for line in inside)):
            self.layout.code(code, len(self._lists))

    def _read_item(self, line: str) -> bool:
        """Read an item of a list, with the lines that follow it directly."""
        if found := _CALLOUT.fullmatch(line):
            self._at += 1
            self.layout.marker("•")
            self.layout.paragraph(self._joined([found[1], *self._rest()]), len(self._lists) + 1)
            return True
        if found := _UNORDERED.fullmatch(line) or _ORDERED.fullmatch(line):
            marker = found[1] or "1"
            if found.re is _UNORDERED:
                self._enter(marker)
                self.layout.marker("•")
            else:
                self._enter(marker)
                number = int(found[2]) if found[2] else self._numbers[-1] + 1
                self._numbers[-1] = number
                self.layout.marker(f"{number}.")
            self._at += 1
            self._paragraph([found[found.re.groups], *self._rest()])
            return True
        described = _DESCRIBED.fullmatch(line) if ":: " in f"{line} " or ";;" in line else None
        if described is None:
            return False
        self._enter(described[2])
        self._at += 1
        self.layout.tag(self.said(described[1]), len(self._lists), self._anchor)
        while not described[3] and self._at < len(self._lines) and not self._lines[self._at]:
            self._at += 1  # the description may follow a blank line
        following = self._lines[self._at] if self._at < len(self._lines) else ""
        if described[3]:
            self._paragraph([described[3], *self._rest()])
        elif following and not self._is_structure(following):
            self._paragraph(list(self._rest()))
        self._attached = False
        return True

    def _enter(self, marker: str) -> None:
        """Enter the list of a marker: one that is open, or a new one in the last."""
        if marker in self._lists:
            depth = self._lists.index(marker) + 1
            del self._lists[depth:], self._numbers[depth:]
        else:
            self._lists.append(marker)
            del self._numbers[len(self._lists) - 1 :]
            self._numbers += [0] * (len(self._lists) - len(self._numbers))

    def _rest(self) -> Iterator[str]:
        """Yield the further lines of an item."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line or line == "+" or self._is_structure(line):
                return
            self._at += 1
            if not line.startswith("//"):
                yield line.strip()

    def _is_structure(self, line: str) -> bool:
        patterns = (
            _FENCE,
            _TABLE,
            _UNORDERED,
            _ORDERED,
            _CALLOUT,
            _BLOCK_ATTRIBUTES,
            _ANCHOR,
            _HEADING,
            _MACRO,
        )
        if any(pattern.fullmatch(line) for pattern in patterns):
            return True
        return line == "+" or (":: " in f"{line} " and _DESCRIBED.fullmatch(line) is not None)

    def _table(self, fence: str, separator: str) -> None:
        end = next(
            (at for at in range(self._at + 1, len(self._lines)) if self._lines[at] == fence), len(self._lines)
        )
        lines = [line for line in self._lines[self._at + 1 : end] if not line.startswith("//")]
        self._at = end + 1
        self._leave()
        rows = self._rows(lines, separator if separator != "," else "")
        text = "\n".join(filter(None, map(row_of, rows)))
        if text:
            self.layout.table(text, len(self._lists))

    def _rows(self, lines: Sequence[str], separator: str) -> list[list[str]]:
        """Return the cells of a table by row."""
        if not separator:
            return [[self.said(cell) for cell in row] for row in csv.reader(filter(None, lines))]
        sign = re.escape(separator)
        cell = re.compile(rf"(?:^|(?<=\s)){_CELL}{sign}|(?<=[^\s\\]){sign}", re.MULTILINE)
        first = next((line for line in lines if line), "")
        width = _columns(self._style) or len(cell.findall(first))
        cells: list[str] = []
        whole = "\n".join(lines)
        marks = list(cell.finditer(whole))
        ends = [mark.start() for mark in marks[1:]] + [len(whole)]
        for mark, end in zip(marks, ends, strict=False):
            said = whole[mark.end() : end]
            text = self.said(" ".join(said.replace(f"\\{separator}", separator).split())).replace(" | ", "|")
            count, sign_of = int(mark["count"] or 1), mark["sign"] or ""
            cells += [text] * min(count, width) if sign_of == "*" else [text, *[""] * min(count - 1, width)]
        return [cells[at : at + width] for at in range(0, len(cells), max(width, 1))]

    def said(self, text: str) -> str:
        """Return the visible text of a line, and note its links."""
        if len(text) > _LONGEST_LINE:
            return fold(text)
        kept: list[str] = []

        def keep(found: re.Match[str]) -> str:
            kept.append(self._shown(found))
            return f"\0{len(kept) - 1}\0"

        plain = _INLINE.sub(keep, text.replace("\0", ""))
        for _ in range(2):  # bold in italics
            plain = _STYLED.sub(lambda found: found["text"], plain)
        plain = _ESCAPE.sub("", unescape(plain))
        return fold(_KEPT.sub(lambda found: kept[int(found[1])], plain))

    def _shown(self, found: re.Match[str]) -> str:
        """Return the visible text of an inline macro."""
        if found["passed"] or found["code"]:
            return found["raw"] or found["pass"] or found["code"] or ""
        if page := found["page"]:  # a manual page, as in the documentation of Git
            name, _, section = page.partition(":")[2].partition("[")
            return f"{name}({section[:-1]})"
        if name := found["attribute"]:
            value = self.attributes.get(name.lower(), _GIVEN.get(name.lower()))
            return found[0] if value is None else value
        if target := found["target"] or found["to"]:
            if found["to"]:
                self.links[target] = None
            return self._words(found["shown"] or found["named"]) or target.partition("#")[0] or target
        if url := found["url"]:
            self.links[url] = None
            return self._words(found["words"]) or url
        return " ".join(filter(None, (found["menu"], found["keys"])))

    def _words(self, text: str | None) -> str:
        """Return the text of a link, which may end with `^` or attributes."""
        return (text or "").partition(",window=")[0].partition(",role=")[0].rstrip("^").strip('"')


def _columns(style: str) -> int:
    """Return the number of columns that attributes declare (`cols="1,2*"`); 0 if they do not."""
    found = re.search(r"cols=\"?([^\"\]]*)", style)
    parts = re.split(r"[,;]", found[1]) if found and found[1] else []
    counts = (re.match(r"\s*(\d{1,3})\*", part) for part in parts)
    return sum(int(count[1]) if count else 1 for count in counts)
