"""Convert mandoc's HTML to text and blocks, in one pass over its tags.

The HTML is program output: well nested, with every `<`, `>` and `&` of the page escaped. A tokenizer therefore does the
work of a tree: it reads 140 MB, the manual pages of one machine, in a few seconds.
"""

import re
from collections.abc import Callable
from html import unescape
from typing import ClassVar

from vademecum.sources._html.blocks import fold, fold_code
from vademecum.sources.man.layout import Layout

_INLINE = re.compile(
    r"</?(?:b|i|a|code|var|span|small|cite|mark|section|math|mrow|em|s|u|strong)(?:\s[^>]*)?>"
)
_TAG = re.compile(r"<([^>]*)>")
_LINK_MARKS = ('class="Lk"', 'class="Mt"', "&#x27E8;")
_LINK = re.compile(r'<a class="(?:Lk|Mt)" href="(?:mailto:)?([^"]*)">([^<]*)</a>')
_BARE_LINK = re.compile(r"<i></i>\s+&lt;([^\s<]*?)&gt;")
_BRACKETED_MAIL = re.compile(r'&#x27E8;((?:<a class="Mt"[^>]*>)?[^<&\s]+@[^<&\s]*(?:</a>)?)&#x27E9;')
_LOOSE = re.compile(r"(?<=\w) (?=\(\)|,)")
_GLUED_MARKER = re.compile(r"•(?=\S)|\d{1,2}\.(?=[^\s\d.])")
_ANCHOR_END = re.compile(r"[^\w.~-]+(?=(?:~\d+)?$)")
_ID = re.compile(r'id="([^"]*)"')
_SOFT_HYPHEN = "&#x00AD;"
_BREAK = "\x01"


def show_links(body: str) -> str:
    """Write link targets as `man` does, where mandoc hides them in attributes.

    The form is `text ⟨target⟩` in man(7), and `text: target` in mdoc(7). A link without text in an asciidoctor page
    becomes its target.
    """
    if "<i></i>" in body:
        body = _BARE_LINK.sub(r"\1", body)
    if not any(mark in body for mark in _LINK_MARKS):
        return body
    is_mdoc = 'class="Nd"' in body
    if is_mdoc:
        body = _BRACKETED_MAIL.sub(r"&lt;\1&gt;", body)

    def show(link: re.Match[str]) -> str:
        target, text = link[1], " ".join(link[2].split())
        if is_mdoc:
            return target if text == target else f"{text}: {target}"
        return f"⟨{target}⟩" if text == target else f"{text} ⟨{target}⟩"

    return _LINK.sub(show, body)


def read_markup(body: str) -> Layout:
    """Read the content of the `<div class="manual-text">` of a page.

    Returns:
        The text and blocks; without blocks if the page shows nothing.
    """
    reader = _Reader()
    reader.read(body)
    return reader.layout


class _Reader:
    def __init__(self) -> None:
        self.layout = Layout()
        self._buffer: list[str] = []
        self._lists = 0
        self._divs: list[bool] = []
        self._after_list = False
        self._in_code = False
        self._div_is_new = False
        self._numbers: list[int] = []
        self._tables: list[str] = []
        self._rows: list[str] = []
        self._cells: list[str] = []
        self._anchor = ""

    def read(self, body: str) -> None:
        on, keep = self._ON, self._buffer.append
        parts = _TAG.split(_INLINE.sub("", show_links(body.replace(_SOFT_HYPHEN, ""))))
        keep(parts[0])
        pairs = iter(parts[1:])
        for tag, text in zip(pairs, pairs, strict=True):
            act = on.get(tag.partition(" ")[0])
            if act is not None:
                act(self, tag)
            if text and text != "\n":
                keep(text)
        self._flush("")
        self.layout.settle()

    def _take(self) -> str:
        text = "".join(self._buffer)
        self._buffer.clear()
        return text

    def _flush(self, _tag: str) -> None:
        if not self._buffer:
            return
        if self._tables:
            return
        if self._in_code:
            if code := fold_code(self._take()):
                self.layout.code(code, self._lists)
                self._after_list = False
        elif text := fold(self._take()):
            if self._div_is_new and (glued := _GLUED_MARKER.match(text)):
                self.layout.marker(glued[0])
                text = text[glued.end() :]
            self.layout.paragraph(text, self._lists)
            self._after_list = self._div_is_new = False

    def _break(self, _tag: str) -> None:
        self._buffer.append(_BREAK)

    def _open_code(self, _tag: str) -> None:
        self._flush("")
        self._in_code = True

    def _close_code(self, _tag: str) -> None:
        self._flush("")
        self._in_code = False

    def _open_div(self, tag: str) -> None:
        self._flush("")
        inner = self._lists + 1
        is_body = "Bd-indent" in tag and (self._after_list or self.layout.retag(inner))
        self._divs.append(is_body)
        self._lists += is_body
        self._after_list = False
        self._div_is_new = True

    def _close_div(self, _tag: str) -> None:
        self._flush("")
        if self._divs:
            self._lists -= self._divs.pop()

    def _open_list(self, tag: str) -> None:
        self._flush("")
        self._lists += 1
        self._numbers.append(1 if tag.startswith("ol") else 0)

    def _close_list(self, _tag: str) -> None:
        self._flush("")
        self._lists -= 1
        self._numbers.pop()
        self._after_list = True

    def _open_entry(self, _tag: str) -> None:
        self._flush("")
        number = self._numbers[-1]
        self.layout.marker(f"{number}." if number else "•")
        if number:
            self._numbers[-1] = number + 1

    def _open_tag(self, tag: str) -> None:
        self._flush("")
        self._anchor = _anchor(tag)

    def _close_tag(self, _tag: str) -> None:
        text = fold(self._take())
        if text:
            self.layout.tag(text, self._lists, self._anchor)
        else:
            self.layout.retag(self._lists)

    def _open_heading(self, tag: str) -> None:
        self._flush("")
        self._anchor = _anchor(tag)
        self._after_list = False

    def _close_heading(self, tag: str) -> None:
        if text := fold(self._take()):
            self.layout.heading(" ".join(text.split()), int(tag[2]), self._anchor)

    def _open_table(self, tag: str) -> None:
        if not self._tables:
            self._flush("")
            self._rows, self._cells = [], []
        self._tables.append(tag)

    def _close_table(self, _tag: str) -> None:
        tag = self._tables.pop()
        if self._tables:
            return
        self._buffer.clear()
        rows = "\n".join(row for row in self._rows if row)
        if rows and '"Nm"' in tag:
            self.layout.paragraph(rows, self._lists)
        elif rows:
            self.layout.table(rows, self._lists)
        self._after_list = False

    def _open_row(self, _tag: str) -> None:
        self._cells = []

    def _close_row(self, _tag: str) -> None:
        gap = " " if self._tables and '"Nm"' in self._tables[-1] else "  "
        self._rows.append(gap.join(cell for cell in self._cells if cell))

    def _open_cell(self, _tag: str) -> None:
        self._buffer.clear()

    def _close_cell(self, _tag: str) -> None:
        cell = " ".join(fold(self._take()).split())
        # mandoc reads macros within a cell as words: `.BR ctan ()` becomes `ctan ()`.
        self._cells.append(_LOOSE.sub("", cell))

    _ON: ClassVar[dict[str, Callable[["_Reader", str], None]]] = {
        "br/": _break,
        "p": _flush, "/p": _flush,
        "pre": _open_code, "/pre": _close_code,
        "div": _open_div, "/div": _close_div,
        "dl": _open_list, "/dl": _close_list,
        "ul": _open_list, "/ul": _close_list,
        "ol": _open_list, "/ol": _close_list,
        "dt": _open_tag, "/dt": _close_tag,
        "dd": _flush, "/dd": _flush,
        "li": _open_entry, "/li": _flush,
        "h1": _open_heading, "/h1": _close_heading,
        "h2": _open_heading, "/h2": _close_heading,
        "table": _open_table, "/table": _close_table,
        "tr": _open_row, "/tr": _close_row,
        "td": _open_cell, "/td": _close_cell,
    }  # fmt: skip


def _anchor(tag: str) -> str:
    """Return the anchor from mandoc, without the character after the name of an option (`format=`)."""
    found = _ID.search(tag)
    return _ANCHOR_END.sub("", unescape(found[1])) if found else ""
