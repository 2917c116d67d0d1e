"""Convert the text of a node to blocks, using the indentation of `makeinfo`.

The layout is relative to a margin. Text is at the margin, with the first line of a paragraph indented by 3 columns.
List tags are at the margin, with their bodies indented by 5. Bullets and numbers are indented, with their text indented
by 5. Definitions begin with ` -- `. Examples are preformatted and indented by 5. Headings are at the left, and
underlined.
"""

import re
from itertools import pairwise
from typing import NamedTuple
from unicodedata import east_asian_width

from vademecum.sources.info.layout import Layout, is_option, is_quoted, unquoted
from vademecum.sources.info.markup import fold

_STEP = 5
_PARAGRAPH = 3
_LEVELS = {"*": 1, "=": 2, "-": 3, ".": 4}
_UNDERLINE = re.compile(r"([*=.-])\1*")
_NUMBER = re.compile(r"((?:(?:Appendix|Chapter) )?(?:\d+|[A-Z])(?:\.\d+)*\.?) +(?=\S)")
_MARKED = re.compile(r"([•●*o+–—‣-]|\d{1,3}[.)]|[A-Za-z][.)]) +(?=\S)")
_OPTION_KIND = re.compile(r"-- [A-Z][\w ]{1,40}: (?=[-+]\w)")
_FOOTNOTES = re.compile(r"-+ Footnotes -+")
_RULE = re.compile(r"[-=*_─]{4,}")
_GAP = re.compile(r"(?<=[^\s.:!?])(?<![.:!?][)\"”’'])\s{2,}(?=\S)")
_FILLED_FROM = 60
"""The minimum column that every line of running text but the last would exceed with the first word of the next line."""

_MOST_TAGS = 12
_DEEPEST = 20
_LONGEST_GROUP = 60
"""The maximum number of lines in a group, because each may be examined again for every line before it."""


class _Line(NamedTuple):
    indent: int
    text: str


_BLANK = _Line(-1, "")


def read_structure(text: str, anchor: str) -> Layout:
    """Read the text of a node without its menu and cross-references."""
    lines = []
    for raw in text.split("\n"):
        line = raw.strip()
        lines.append(_Line(len(raw) - len(raw.lstrip()), line) if line else _BLANK)
    reader = _Reader(lines, anchor)
    reader.read(0, 0)
    reader.layout.settle()
    return reader.layout


class _Reader:
    def __init__(self, lines: list[_Line], anchor: str) -> None:
        self.layout = Layout(anchor)
        self._lines = lines
        self._headings = frozenset(
            at for at in range(len(lines) - 1) if _is_heading(lines[at], lines[at + 1])
        )
        self._at = 0

    def read(self, margin: int, level: int) -> None:
        """Read up to a line to the left of the margin."""
        while (line := self._next()) is not None and line.indent >= margin:
            if self._at in self._headings:
                self._read_heading()
                continue
            group = self._group(margin)
            shift = line.indent - margin
            if _FOOTNOTES.fullmatch(line.text):
                self._at += 1
            elif shift == 1 and line.text.startswith("-- "):
                self._read_definition(margin, level)
            elif 0 < shift < _STEP and level < _DEEPEST and (width := self._marker_width(group)):
                self._read_marked(width, level)
            elif level < _DEEPEST and (tags := _tags(group, margin, self._body_follows(len(group), margin))):
                self._read_tags(group, tags, margin, level)
            elif shift >= _STEP - 1:
                self._read_indented(group, margin, level)
            else:
                self._put(_until_deeper(group, margin), margin, level)

    def _next(self) -> _Line | None:
        while self._at < len(self._lines) and self._lines[self._at] is _BLANK:
            self._at += 1
        return self._lines[self._at] if self._at < len(self._lines) else None

    def _group(self, margin: int) -> list[_Line]:
        """Return the next lines, up to a blank line or one to the left of the margin."""
        end, last = self._at, min(len(self._lines), self._at + _LONGEST_GROUP)
        while end < last and self._lines[end].indent >= margin:
            if end > self._at and end in self._headings:
                break
            end += 1
        return self._lines[self._at : end]

    def _read_heading(self) -> None:
        text, below = self._lines[self._at].text, self._lines[self._at + 1].text
        self._at += 2
        number = _NUMBER.match(text)
        start = number.end() if number else 0
        self.layout.heading(fold(text[start:]), _LEVELS[below[0]], text[:start].strip())

    def _marker_width(self, group: list[_Line]) -> int:
        """Return the distance from a bullet or number to the text after it, or 0 without a marker."""
        first, following = group[0], group[1] if len(group) > 1 else None
        found = _MARKED.match(first.text)
        if not found:
            return 0
        column = first.indent + found.end()
        fits = following is None or following.indent == column or _MARKED.match(following.text)
        return found.end() if fits else 0

    def _read_marked(self, width: int, level: int) -> None:
        line = self._lines[self._at]
        self.layout.marker(line.text[:width].strip())
        self._lines[self._at] = _Line(line.indent + width, line.text[width:])
        self.read(line.indent + width, level + 1)

    def _read_definition(self, margin: int, level: int) -> None:
        """Read `-- Function: int f (int X)`. Its continuation lines are indented more than its body.

        For an option (`-- Test: -name PATTERN`), the tag is the option, preceded by its kind.
        """
        kind = _OPTION_KIND.match(self._lines[self._at].text)
        self.layout.marker(kind[0].rstrip() if kind else "--")
        while self._at < len(self._lines) and self._lines[self._at].text.startswith("-- "):
            tag = [self._lines[self._at].text[3:]]
            self._at += 1
            while self._at < len(self._lines) and self._lines[self._at].indent > margin + _STEP:
                tag.append(self._lines[self._at].text)
                self._at += 1
            said = fold(" ".join(tag))
            found = _OPTION_KIND.match(f"-- {said}") if kind else None
            self.layout.tag(said[found.end() - 3 :] if found else said, level + 1)
        self._read_body(margin, level)

    def _body_follows(self, length: int, margin: int) -> bool:
        """Return whether the text after these lines and blank lines is indented like the body of a tag."""
        at = self._at + length
        while at < len(self._lines) and self._lines[at] is _BLANK:
            at += 1
        return at < len(self._lines) and self._lines[at].indent == margin + _STEP

    def _read_tags(self, group: list[_Line], tags: range, margin: int, level: int) -> None:
        if tags.start:
            self._put(group[: tags.start], margin, level)
        for number in tags:
            self.layout.tag(unquoted(fold(group[number].text)), level + 1)
        self._at += len(tags)
        self._read_body(margin, level)

    def _read_body(self, margin: int, level: int) -> None:
        following = self._next()
        if following is not None and following.indent >= margin + _STEP:
            self.read(margin + _STEP, level + 1)
        self.layout.settle()

    def _read_indented(self, group: list[_Line], margin: int, level: int) -> None:
        """Read a quotation as a paragraph, and anything else as preformatted, including blank lines."""
        group = _deeper(group, margin)
        if _is_prose(group):
            self._at += len(group)
            self.layout.add("paragraph", _folded(group), level)
            return
        lines: list[_Line] = []
        while group and not (lines and _is_prose(group)):
            lines += group
            self._at += len(group)
            before = self._at
            if self._next() is None:
                break
            if self._at > before:
                lines.append(_BLANK)
            group = _deeper(self._group(margin), margin)
        least = min(line.indent for line in lines if line is not _BLANK)
        text = "\n".join(" " * (line.indent - least) + line.text for line in lines)
        self.layout.add("code", text.strip(), level)

    def _put(self, group: list[_Line], margin: int, level: int) -> None:
        """Add lines that belong together as one block: running text, a table, or preformatted text."""
        self._at += len(group)
        group = [line for line in group if not _RULE.fullmatch(line.text)]
        if not group:
            return
        if _is_table(group):
            rows = (_GAP.sub("  ", line.text) for line in group)
            self.layout.add("table", "\n".join(rows), level)
        elif all(line.indent == margin for line in group[1:]):
            self.layout.add("paragraph", _folded(group), level)
        else:
            least = min(line.indent for line in group)
            text = "\n".join(" " * (line.indent - least) + line.text for line in group)
            self.layout.add("code", text.strip(), level)


def _is_heading(line: _Line, below: _Line) -> bool:
    """Return whether a line is a heading: the next line is an underline of the same length."""
    if line.indent or below.indent or not _UNDERLINE.fullmatch(below.text) or _has_gap(line):
        return False
    width = sum(2 if east_asian_width(sign) in "WF" else 1 for sign in line.text[:1000])
    return abs(width - len(below.text)) <= 2 and any(map(str.isalnum, line.text))


def _has_gap(line: _Line) -> bool:
    """Return whether a line has columns."""
    return "  " in line.text and _GAP.search(line.text) is not None


def _until_deeper(group: list[_Line], margin: int) -> list[_Line]:
    """Return running text up to a list or example that follows without a blank line."""
    for number, line in enumerate(group[1:], 1):
        if line.indent != margin:
            is_other = line.indent - margin >= _STEP - 1 or _MARKED.match(line.text)
            return group[:number] if is_other and not _has_gap(group[0]) else group
    return group


def _deeper(group: list[_Line], margin: int) -> list[_Line]:
    """Return the first lines of a group that are indented like an example."""
    end = next((n for n, line in enumerate(group) if line.indent < margin + _STEP - 1), len(group))
    return group[:end]


def _folded(group: list[_Line]) -> str:
    return fold(" ".join(line.text for line in group))


def _tags(group: list[_Line], margin: int, body_follows: bool) -> range:
    """Return the range of lines that are list tags: the last lines before a body. It may be empty."""
    end = next((n for n, line in enumerate(group) if line.indent != margin), len(group))
    at_margin = [line.text for line in group[:end]]
    if not at_margin:
        return range(0)
    if end == len(group):
        # Without a body below them, lines are tags only if this is certain.
        sure = all(map(is_quoted, at_margin)) and (body_follows or all(map(is_option, at_margin)))
        return range(end) if sure and end <= _MOST_TAGS else range(0)
    if group[end].indent != margin + _STEP:
        return range(0)
    start = end
    while (
        start
        and end - start < _MOST_TAGS
        and (is_quoted(at_margin[start - 1]) or is_option(at_margin[start - 1]))
    ):
        start -= 1
    if start == end and (end == 1 or at_margin[-1][-1] not in ".:;,"):
        # One or more bare words: all lines, unless those before the last look like running text.
        if end > 1 and _is_prose(group[:end]):
            start = end - 1 if at_margin[-2][-1] in ".:" else end
        else:
            start = 0 if end <= _MOST_TAGS else end
    return range(start, end) if start < end else range(0)


def _is_prose(group: list[_Line]) -> bool:
    """Return whether lines are filled like running text, rather than broken deliberately."""
    first, last = group[0], group[-1]
    margin = last.indent
    if any(line.indent != margin for line in group[1:]) or first.indent not in (margin, margin + _PARAGRAPH):
        return False
    if any(map(_has_gap, group)) or first.text[0] in "$#%>|({[<":
        return False
    if len(group) == 1:
        words = first.text.split()
        return (
            len(words) > 3 and first.text[0].isupper() and last.text[-1] in ".:!?" and last.text[-2:] != "..."
        )
    widths = (
        line.indent + len(line.text) + 1 + len(after.text.split(maxsplit=1)[0])
        for line, after in pairwise(group)
    )
    return min(widths) > _FILLED_FROM and sum(
        map(str.isalpha, "".join(one.text for one in group))
    ) > 0.6 * sum(len(one.text) for one in group)


def _is_table(group: list[_Line]) -> bool:
    """Return whether lines have columns."""
    return len(group) > 1 and all(map(_has_gap, group))
