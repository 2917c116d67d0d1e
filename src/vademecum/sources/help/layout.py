"""Convert what a program prints for `--help` to text and blocks, using its columns.

There is no standard, but nearly all programs print alike: headings at the margin, then options or commands with their
descriptions in a second column, or below and further in.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vademecum.core.documents import Block
from vademecum.sources._html.layout import Layout
from vademecum.sources._markdown import fold, fold_code

_GAP = re.compile(r"(?<=\S)(?:[ ]{2,}|\t+[ ]*)(?=\S)")
_OPTION = re.compile(r"[-+]{1,2}[\w?#@<\[]|-(?=[ ,]|$)")
_USAGE = re.compile(r"(?:usage|synopsis)\b", re.IGNORECASE)
_BULLET = re.compile(r"[*•-] ")
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))|.\x08")
_EXAMPLES = re.compile(r"\bexamples?\b", re.IGNORECASE)
_MARGIN = 2
_LONGEST_TAG = 80
_LONGEST_HEADING = 80


class Help(NamedTuple):
    """A help text with its structure."""

    text: str
    blocks: tuple[Block, ...]


def read_help(text: str) -> Help:
    """Read a help text: headings, options and commands with their descriptions, usage, and paragraphs."""
    reader = _Reader()
    for group in _groups(_ESCAPE.sub("", text).expandtabs().splitlines()):
        reader.read(group)
    reader.layout.settle()
    return Help(reader.layout.text, tuple(reader.layout.blocks))


def _groups(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines between blank lines. A heading is a group of its own."""
    group: list[str] = []
    for line in lines:
        text = line.rstrip()
        is_heading = _is_heading(text)
        if group and (not text or is_heading):
            yield group
            group = []
        if text:
            group.append(text)
        if is_heading:
            yield group
            group = []
    if group:
        yield group


def _is_heading(line: str) -> bool:
    return line.endswith(":") and _column(line) <= _MARGIN and len(line) <= _LONGEST_HEADING


class _Reader:
    """A reader of groups of lines, which keeps the columns of the last list."""

    def __init__(self) -> None:
        self.layout = Layout()
        self._item = -1  # the column of the last item; -1 outside a list
        self._body = 0  # the column of its description; 0 until it is known
        self._in_usage = False
        self._in_examples = False

    def read(self, group: list[str]) -> None:
        """Add a group."""
        first = group[0]
        column = _column(first)
        if _USAGE.match(first.strip()) or (self._in_usage and column and not _is_item(first)):
            self._in_usage = first.endswith(":") and len(group) == 1
            self._leave()
            if self._in_usage:
                self.layout.heading(fold(first).rstrip(":"), 1, "")
                return
            ends = (at for at in range(1, len(group)) if not _column(group[at]) or _is_item(group[at]))
            end = next(ends, len(group))
            self.layout.code(fold_code("\n".join(group[:end])), 0)
            group = group[end:]
        self._in_usage = False
        if len(group) == 1 and _is_heading(first):
            self._leave()
            self._in_examples = _EXAMPLES.search(first) is not None
            self.layout.heading(fold(first).rstrip(":"), 1, "")
            return
        start = 0
        while start < len(group):
            start = self._read_piece(group, start)

    def _leave(self) -> None:
        self._item, self._body = -1, 0

    def _read_piece(self, group: Sequence[str], start: int) -> int:
        """Add an item, or lines up to the next item. Return the line after it."""
        line = group[start]
        column = _column(line)
        inside = self._item >= 0 and column > self._item and (not self._body or column >= self._body)
        following = group[start + 1] if start + 1 < len(group) else ""
        is_item = _is_item(line) or (len(line) <= _LONGEST_TAG // 2 and _column(following) > column + 1)
        if (column or _OPTION.match(line)) and is_item and not (inside and self._body):
            tag, body = _parted(line.strip())
            self._item = column
            self._body = line.rindex(body) if body else 0
            self.layout.tag(fold(tag), 1, "")
            rest = self._body_of(group, start + 1)
            if not self._body and rest:
                self._body = _column(rest[0])
            if text := _joined([body, *(part.strip() for part in rest)]):
                self.layout.paragraph(text, 1)
            return start + 1 + len(rest)
        end = start + 1
        while end < len(group) and (inside or not _is_item(group[end])):
            end += 1
        if not inside:
            self._leave()
        lines = group[start:end]
        is_code = (self._in_examples and column) or len({_column(part) for part in lines}) > 1
        if is_code and not inside:
            self.layout.code(fold_code("\n".join(lines)), 0)
        else:
            self.layout.paragraph(_joined([part.strip() for part in lines]), 1 if inside else 0)
        return end

    def _body_of(self, group: Sequence[str], start: int) -> list[str]:
        """Return the lines of a description: those that are further in than the item, and no item themselves."""
        found: list[str] = []
        body = self._body
        for line in group[start:]:
            column = _column(line)
            if column <= self._item or (body and column < body and _is_item(line)):
                break
            if not body and _is_item(line) and _OPTION.match(line.strip()) and not found:
                break
            found.append(line)
            body = body or column
        return found


def _column(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_item(line: str) -> bool:
    """Return whether a line begins with an option, or with a short term and a description in a second column."""
    text = line.strip()
    if _OPTION.match(text) and not _BULLET.match(text):
        return True
    tag, body = _parted(text)
    return bool(body) and len(tag) <= _LONGEST_TAG // 2 and not text.endswith(":")


def _parted(text: str) -> tuple[str, str]:
    """Return the term of a line, and the description in its second column."""
    for gap in _GAP.finditer(text):
        following = text[gap.end() :]
        # `-f,  --file=FILE  the file` and `      --long` have a gap within the term
        if _OPTION.match(following) and text[: gap.start()].endswith(","):
            continue
        return (text[: gap.start()], following) if gap.start() <= _LONGEST_TAG else (text, "")
    return text, ""


def _joined(lines: Sequence[str]) -> str:
    """Join the lines of a description. Bullets begin lines of their own."""
    pieces: list[str] = []
    for line in filter(None, map(fold, lines)):
        if pieces and not _BULLET.match(line):
            pieces[-1] += f" {line}"
        else:
            pieces.append(line)
    return "\n".join(pieces)
