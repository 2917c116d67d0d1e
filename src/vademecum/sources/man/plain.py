"""Convert groff's plain text to text and blocks, using the indentation.

The markup of the page is lost here, so the structure is inferred from the layout: a line at the margin is a heading, a
short line above an indented one is a tag, and a dot at the start of a line is a bullet.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from vademecum.sources.man.layout import Layout, is_enumerator, is_option, looks_like_tag

_HEADER = re.compile(r"\S.*\(\S*\)(?:\s{2,}.*)?")
_RULES = re.compile(r"[\u2500-\u257f]")
_RULE = re.compile(r"─+")
_GAP = re.compile(r"(?<=[^\s.:!?])\s{2,}(?=\S)")
_MARKED = re.compile(r"(\S{1,5})\s{1,4}(\S.*)")
_SUB_HEADING_INDENT = 3
_SENTENCE_END = (".", ":")
_CODE_END = ("{", "}", ";", "\\")
_WIDEST_TAG = 160
_LONGEST_HEADING = 160


class _Line(NamedTuple):
    indent: int
    text: str


class _Group(NamedTuple):
    lines: list[_Line]
    is_heading: bool = False


def read_plain(page: str) -> Layout:
    """Read a page as printed by groff.

    Args:
        page: The plain text with each paragraph on one line, including header and footer.

    Returns:
        The text and blocks; without blocks if the page shows nothing.
    """
    reader = _Reader()
    for group, following in pairwise([*_groups(_body(page)), None]):
        if group:
            reader.read(group, following)
    reader.layout.settle()
    return reader.layout


def _body(page: str) -> list[str]:
    """Return the lines between header and footer."""
    lines = [line.rstrip() for line in page.replace("\xa0", " ").replace("\xad", "").split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    if lines and _HEADER.fullmatch(lines[0]):
        lines.pop(0)
        if lines:
            lines.pop()
    return lines


def _groups(lines: list[str]) -> Iterator[_Group]:
    """Yield groups of lines separated by blank lines. Headings and ruled tables are separate groups."""
    group: list[_Line] = []
    in_box = False
    for raw, following in pairwise([*lines, ""]):
        text = raw.lstrip()
        line = _Line(len(raw) - len(text), text)
        ends_box = in_box and text.startswith("└")
        starts_box = text.startswith("┌")
        in_box = (in_box or starts_box) and not ends_box and bool(text)
        is_heading = _is_heading(line, following)
        if group and (not text or starts_box or is_heading):
            yield _Group(group)
            group = []
        if text and not _RULE.fullmatch(text):
            group.append(line)
        if group and (ends_box or is_heading):
            yield _Group(group, is_heading)
            group = []
    if group:
        yield _Group(group)


def _is_heading(line: _Line, following: str) -> bool:
    if line.indent == 0:
        return 0 < len(line.text) <= _LONGEST_HEADING
    return line.indent == _SUB_HEADING_INDENT and following.startswith(" " * (line.indent + 1))


class _Reader:
    def __init__(self) -> None:
        self.layout = Layout()
        self._bodies: list[tuple[int, int]] = []
        self._last_indent = 0

    def read(self, group: _Group, following: _Group | None) -> None:
        lines = group.lines
        first = lines[0]
        if group.is_heading:
            self._bodies.clear()
            self.layout.heading(_fold(first.text), 1 if first.indent == 0 else 2)
        elif _RULES.match(first.text):
            self._read_table(lines)
        elif _is_list(lines):
            self._read_list(lines)
        elif (
            len(lines) == 1
            and is_option(first.text)
            and looks_like_tag(first.text)
            and not _is_body(following, first)
        ):
            self.layout.tag(_fold(first.text), self._level(first.indent) + 1)
        else:
            self._read_lines(lines)
        self._last_indent = first.indent

    def _level(self, indent: int) -> int:
        """Leave the lists that end above this indentation, and return the number of the others."""
        while self._bodies and indent < self._bodies[-1][1]:
            self._bodies.pop()
        return len(self._bodies)

    def _read_table(self, group: list[_Line]) -> None:
        rows = (_fold(_RULES.sub(" ", line.text), gap="  ") for line in group)
        text = "\n".join(row for row in rows if row)
        if text:
            self.layout.table(text, self._level(group[0].indent))

    def _read_list(self, group: list[_Line]) -> None:
        """Read tags, each with its body on the same line, or indented on the following lines."""
        start = 0
        while start < len(group):
            line = group[start]
            level = self._level(line.indent)
            tag, body, step = _split_tag(line.text)
            if body:
                self._enter(line.indent, line.indent + step)
                self.layout.tag(tag, level + 1)
                self.layout.paragraph(_fold(body), level + 1)
            elif start + 1 < len(group) and group[start + 1].indent > line.indent:
                self._enter(line.indent, group[start + 1].indent)
                self.layout.tag(_fold(line.text), level + 1)
            elif is_option(line.text) or any(after.indent > line.indent for after in group[start + 1 :]):
                self.layout.tag(_fold(line.text), level + 1)
            else:
                self._put(group[start:])
                return
            start += 1
            end = start
            while end < len(group) and group[end].indent > line.indent:
                end += 1
            if end > start:
                self._put(group[start:end])
            start = end

    def _read_lines(self, group: list[_Line]) -> None:
        first = group[0]
        marked = _MARKED.fullmatch(first.text)
        if marked and is_enumerator(marked[1]) and len(marked[1]) < len(first.text):
            self._enter(first.indent, first.indent + len(first.text) - len(marked[2]))
            self.layout.marker(marked[1])
            inner = [_Line(self._bodies[-1][1], marked[2]), *group[1:]]
            self._put(inner)
            return
        if 0 < self._last_indent < first.indent and self.layout.retag(self._level(first.indent) + 1):
            self._enter(self._last_indent, first.indent)
        if (
            len(group) > 1
            and first.text[-1] in _SENTENCE_END
            and {line.indent for line in group[1:]} == {group[-1].indent}
        ):
            self._put(group[:1])
            group = group[1:]
        self._put(group)

    def _enter(self, indent: int, body_indent: int) -> None:
        self._level(indent)
        self._bodies.append((indent, body_indent))

    def _put(self, group: list[_Line]) -> None:
        """Add lines that belong together as one block."""
        level = self._level(group[0].indent)
        if len(group) == 1:
            self.layout.paragraph(_fold(group[0].text), level)
        elif _is_table(group):
            self.layout.table("\n".join(_fold(line.text, gap="  ") for line in group), level)
        elif _is_code(group):
            margin = min(line.indent for line in group)
            lines = (" " * (line.indent - margin) + line.text for line in group)
            self.layout.code("\n".join(lines).strip(), level)
        else:
            self.layout.paragraph("\n".join(_fold(line.text) for line in group), level)


def _fold(text: str, gap: str = " ") -> str:
    return gap.join(text.split()) if gap == " " else gap.join(re.split(r"\s{2,}", text.strip()))


def _split_tag(text: str) -> tuple[str, str, int]:
    """Split `-d     dee` into tag, body and the column of the body. Without such a gap, there is no body."""
    found = _GAP.search(text)
    if found and found.start() < _WIDEST_TAG:
        return text[: found.start()], text[found.end() :], found.end()
    # A tag that just fits is followed by one space: `--help display this help`, `EINVAL fd is ...`.
    fits = text[6:7] == " " and " " not in text[:6] and text[7:8].strip()
    if fits and (is_option(text) or text[:6].isupper()):
        return text[:6], text[7:], 7
    return text, "", 0


def _is_list(group: list[_Line]) -> bool:
    """Return whether a group of lines starts with a tag."""
    first = group[0]
    tag, body, step = _split_tag(first.text)
    if body:
        return is_option(tag) or (len(group) == 1 and step in (5, 7) and looks_like_tag(tag))
    if is_enumerator(first.text.partition(" ")[0]):
        return False
    if is_option(first.text) and any(_split_tag(line.text)[1] for line in group):
        return True
    deeper = next((n for n, line in enumerate(group) if line.indent > first.indent), 0)
    if not deeper or first.text.endswith((*_CODE_END, *_SENTENCE_END)):
        return False
    tags = [line.text for line in group if line.indent == first.indent]
    if any(line.indent < first.indent for line in group):
        return False
    return all(map(is_option, tags)) or (len(tags) == deeper and first.text[:2] not in ("$ ", "# "))


def _is_body(group: _Group | None, tag: _Line) -> bool:
    """Return whether a group of lines is indented relative to the tag above it."""
    return group is not None and group.lines[0].indent > tag.indent


def _is_table(group: list[_Line]) -> bool:
    """Return whether every line of a group has columns."""
    if len({line.indent for line in group}) > 1 or group[0].text.endswith(_CODE_END):
        return False
    return all(_GAP.search(line.text) for line in group)


def _is_code(group: list[_Line]) -> bool:
    """Return whether lines are preformatted: with varying indentation, with gaps, or with ends typical of code."""
    if len({line.indent for line in group}) > 1:
        return True
    return any(_GAP.search(line.text) or line.text.endswith(_CODE_END) for line in group)
