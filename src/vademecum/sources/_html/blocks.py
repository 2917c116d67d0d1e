"""Convert HTML markup to text and blocks, in one pass over its tags.

The input is program output: well nested, with `<`, `>` and `&` escaped in text and attributes. A tokenizer therefore
does the work of a tree walk in a tenth of the time and at any depth. Other markup is also read to its end, but less
accurately.
"""

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import ClassVar

from vademecum.sources._html.layout import Layout

_INLINE = re.compile(
    r"<!--.*?(?:-->|\Z)|<\?[^<>]*>"
    r"|</?(?:abbr|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|img|ins|kbd|link|mark|meta|nobr|picture"
    r"|q|rb|ruby|s|samp|small|source|strike|strong|sub|sup|time|tt|u|var|wbr)(?:[\s/][^<>]*)?>"
    r"|</(?:a|span)>",
    re.DOTALL,
)
_TAG = re.compile(r"<(/?[a-zA-Z][^\s/<>]*)([^<>]*)>")
_ID = re.compile(r"""\s(?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_MADE_ID = re.compile(r"mw[\w-]{2,6}")
_START = re.compile(r"""\sstart="?'?(\d{1,6})\b""")
_SHAPELESS = re.compile("[\x00-\x1f\x7f-\x9f\xad\u200b\u2060\ufeff\ud800-\udfff]+")
_BREAK = "\x01"
_CODE_BREAK = re.compile(r"\n?\x01\n?")
_NOT_OF_DATA = {"table", "pre", "h1", "h2", "h3", "h4", "h5", "h6"}
_LONGEST_HEADING = 400


def fold(text: str) -> str:
    """Fold white space, and keep the line ends of `<br>`."""
    if "&" in text:
        text = unescape(text)
    if _BREAK not in text:
        return shown(" ".join(text.split()))
    lines = (shown(" ".join(line.split())) for line in text.split(_BREAK))
    return "\n".join(line for line in lines if line)


def shown(line: str) -> str:
    """Remove invisible characters from a line: control characters, soft hyphens, lone surrogates."""
    return line if line.isprintable() else _SHAPELESS.sub("", line).strip()


def fold_code(text: str) -> str:
    """Remove common indentation, repeated blank lines and blank ends of code, but keep its line ends."""
    text = _CODE_BREAK.sub("\n", unescape(text)).replace("\xa0", " ").replace("\r", "").expandtabs()
    lines = [shown(line).rstrip() for line in text.split("\n")]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line[margin:])
    return "\n".join(kept).strip()


def read_blocks(markup: str) -> Layout:
    """Read the content of the body of a page.

    Args:
        markup: The markup without scripts, styles and other elements that are not read.

    Returns:
        The text and blocks; without blocks if the page shows nothing.
    """
    reader = _Reader()
    reader.read(markup)
    return reader.layout


def _layout_tables(names: list[str]) -> Iterator[bool]:
    """Return, for each table in order, whether it is for layout, because it contains other tables, headings or code."""
    found: list[bool] = []
    open_ones: list[int] = []
    for name in names:
        if name in _NOT_OF_DATA and open_ones:
            found[open_ones[-1]] = True
        if name == "table":
            open_ones.append(len(found))
            found.append(False)
        elif name == "/table" and open_ones:
            open_ones.pop()
    return iter(found)


_BLOCKS = (
    "address", "article", "aside", "blockquote", "body", "center", "details", "div", "fieldset", "figcaption",
    "figure", "footer", "form", "header", "hgroup", "html", "legend", "main", "option", "p", "section", "summary",
    "tbody", "tfoot", "thead",
)  # fmt: skip


class _Reader:
    def __init__(self) -> None:
        self.layout = Layout()
        self._buffer: list[str] = []
        self._lists: list[int] = []  # the next number of each open list, or 0
        self._code = 0
        self._inside = ""  # "heading", "tag", "cell" or "caption": text that is not a separate block
        self._anchor = self._before = ""
        self._layout_tables: Iterator[bool] = iter(())
        self._tables: list[bool] = []
        self._rows: list[list[str]] = []
        self._named: list[str] = []  # for each row, which cells are headers

    def read(self, markup: str) -> None:
        on, keep = self._ON, self._buffer.append
        parts = _TAG.split(_INLINE.sub("", markup))
        if "table" in parts:
            self._layout_tables = _layout_tables(parts[1::3])
        keep(parts[0])
        triples = iter(parts[1:])
        for name, rest, text in zip(triples, triples, triples, strict=True):
            act = on.get(name)
            if act is not None:
                act(self, name, rest)
            if text and text != "\n":
                keep(text)
        self._finish()

    def _finish(self) -> None:
        while self._tables:
            self._close_table("", "")
        if self._inside == "tag":
            self._close_tag("", "")
        self._inside = ""
        self._border("", "")
        self.layout.settle()

    def _take(self) -> str:
        text = "".join(self._buffer)
        self._buffer.clear()
        return text

    def _see(self, _name: str, rest: str) -> None:
        """Store the id of an element. It is the anchor of the heading or entry that contains or follows it."""
        if "id=" not in rest and "name=" not in rest:
            return
        anchor = _anchor(rest)
        if anchor and self._inside in {"heading", "tag"}:
            self._anchor = self._anchor or anchor
        elif anchor:
            self._before = anchor

    def _border(self, _name: str, rest: str) -> None:
        """End a paragraph, because a block begins or ends."""
        if self._buffer:
            if self._inside:
                self._buffer.append(" ")
            elif self._code:
                if self._buffer[-1] != _BREAK:
                    self._buffer.append(_BREAK)
            else:
                self._flush()
        if rest:
            self._see("", rest)

    def _flush(self) -> None:
        if text := fold(self._take()):
            self.layout.paragraph(text, len(self._lists))
            self._before = ""

    def _break(self, _name: str, _rest: str) -> None:
        self._buffer.append(_BREAK)

    def _open_code(self, _name: str, rest: str) -> None:
        self._border("", rest)
        self._code += 1

    def _close_code(self, _name: str, _rest: str) -> None:
        if not self._code:
            return
        self._code -= 1
        if self._code or self._inside:
            return
        if code := fold_code(self._take()):
            self.layout.code(code, len(self._lists))
            self._before = ""

    def _open_list(self, name: str, rest: str) -> None:
        self._border("", rest)
        found = _START.search(rest)
        self._lists.append((int(found[1]) if found else 1) if name == "ol" else 0)

    def _close_list(self, _name: str, _rest: str) -> None:
        if self._inside == "tag":
            self._close_tag("", "")
        self._border("", "")
        if self._lists:
            self._lists.pop()

    def _open_entry(self, _name: str, rest: str) -> None:
        self._border("", rest)
        if self._inside or self._code:
            return
        number = self._lists[-1] if self._lists else 0
        self.layout.marker(f"{number}." if number else "•")
        if number:
            self._lists[-1] = number + 1

    def _open_tag(self, _name: str, rest: str) -> None:
        if self._inside == "tag":
            self._close_tag("", "")
        self._border("", "")
        if not self._inside and not self._code:
            self._inside, self._anchor = "tag", _anchor(rest) or self._before

    def _close_tag(self, _name: str, _rest: str) -> None:
        if self._inside != "tag":
            return
        self._inside = ""
        if text := fold(self._take()):
            self.layout.tag(text, len(self._lists), self._anchor)
            self._before = ""

    def _open_body(self, _name: str, rest: str) -> None:
        self._close_tag("", "")
        self._border("", rest)

    def _open_heading(self, _name: str, rest: str) -> None:
        if self._inside == "tag":
            return
        if self._inside == "heading":
            self._close_heading("h1", "")
        self._border("", "")
        if not self._inside and not self._code:
            self._inside, self._anchor = "heading", _anchor(rest)

    def _close_heading(self, name: str, _rest: str) -> None:
        if self._inside != "heading":
            return
        self._inside = ""
        text = " ".join(fold(self._take()).split()).rstrip(" ¶")  # the sign is a link to the heading itself
        if len(text) > _LONGEST_HEADING:
            self.layout.paragraph(text, len(self._lists))
        elif text:
            self.layout.heading(text, int(name[-1]), self._anchor or self._before)
        self._before = self._before if not text else ""

    def _open_table(self, _name: str, rest: str) -> None:
        arranges = next(self._layout_tables, True) or self._inside != ""
        self._border("", rest)
        self._tables.append(arranges)
        if not arranges:
            self._rows, self._named = [], []

    def _close_table(self, _name: str, _rest: str) -> None:
        if not self._tables:
            return
        if self._tables.pop():
            self._border("", "")
            return
        self._close_cell("", "")
        self._buffer.clear()
        self._inside = ""
        rows = [row for row in self._rows if any(row)]
        if rows and set(self._named) == {"hd"}:
            for name, said in rows:
                self.layout.tag(name or said, len(self._lists) + 1, "")
                self.layout.paragraph(said, len(self._lists) + 1)
        elif max(map(len, rows), default=0) > 1:
            self.layout.table("\n".join(map(_line, rows)), len(self._lists))
        else:
            for row in rows:
                self.layout.paragraph(row[0], len(self._lists))

    def _open_row(self, _name: str, _rest: str) -> None:
        if self._in_data():
            self._close_cell("", "")
            self._rows.append([])
            self._named.append("")
        else:
            self._border("", "")

    def _open_cell(self, name: str, _rest: str) -> None:
        if self._in_data():
            self._close_cell("", "")
            self._buffer.clear()
            self._inside = "cell"
            if self._named:
                self._named[-1] += name[1]
        else:
            self._border("", "")

    def _close_cell(self, _name: str, _rest: str) -> None:
        if self._inside == "cell":
            self._inside = ""
            if not self._rows:
                self._rows.append([])
            self._rows[-1].append(" ".join(fold(self._take()).split()))
        elif not self._in_data():
            self._border("", "")

    def _open_caption(self, _name: str, _rest: str) -> None:
        self._border("", "")
        if self._in_data():
            self._buffer.clear()
            self._inside = "caption"

    def _close_caption(self, _name: str, _rest: str) -> None:
        if self._inside == "caption":
            self._inside = ""
            self._flush()

    def _in_data(self) -> bool:
        return bool(self._tables) and not self._tables[-1]

    _ON: ClassVar[dict[str, Callable[["_Reader", str, str], None]]] = {
        **dict.fromkeys((*_BLOCKS, *(f"/{name}" for name in _BLOCKS), "hr"), _border),
        **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _open_heading),
        **dict.fromkeys(("/h1", "/h2", "/h3", "/h4", "/h5", "/h6"), _close_heading),
        "a": _see, "span": _see, "br": _break,
        "pre": _open_code, "/pre": _close_code,
        "ul": _open_list, "/ul": _close_list,
        "menu": _open_list, "/menu": _close_list,
        "ol": _open_list, "/ol": _close_list,
        "dl": _open_list, "/dl": _close_list,
        "dt": _open_tag, "/dt": _close_tag,
        "dd": _open_body, "/dd": _border,
        "li": _open_entry, "/li": _border,
        "table": _open_table, "/table": _close_table,
        "tr": _open_row, "/tr": _close_cell,
        "td": _open_cell, "/td": _close_cell,
        "th": _open_cell, "/th": _close_cell,
        "caption": _open_caption, "/caption": _close_caption,
    }  # fmt: skip


def _line(row: list[str]) -> str:
    """Join a row of cells into one line. Empty cells keep their position, except at the end."""
    last = max(number for number, cell in enumerate(row) if cell)
    return " | ".join(row[: last + 1]).strip()


def _anchor(rest: str) -> str:
    """Return the id of an element, or "" if it was numbered by the parser of a wiki."""
    found = _ID.search(rest)
    if not found:
        return ""
    anchor = unescape(found[1] or found[2] or found[3] or "")
    return "" if _MADE_ID.fullmatch(anchor) or " " in anchor or not anchor.isprintable() else anchor
