"""Convert plain text, and text with light markup, to text and blocks."""

import re
from collections.abc import Iterator

from vademecum.sources._blocks import Parsed
from vademecum.sources._html.layout import Layout
from vademecum.sources._markdown import fold, fold_code

_BLANK = re.compile(r"\n(?:[ \t]*\n)+")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+:.<>_])\1{2,}")
_BULLET = re.compile(r"[ \t]{0,3}([-*+•‣]|\(?\d{1,3}[.)])[ \t]+(?=\S)")
_INDENTED = re.compile(r"(?: {4}|\t)")
_SHORTEST_WRAPPED = 45
_LONGEST_TITLE = 160


def read_text(text: str) -> Parsed:
    """Read a plain text file.

    An underlined line is a heading, as in reStructuredText; the first kind of underline is the outermost level. Blank
    lines separate paragraphs. Lines are joined if they are long enough to have been wrapped; shorter lines remain
    lines. Indented text is code. Bullets and numbers are in the text, not in the blocks.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n").replace("\v", "\n")
    layout = Layout()
    rules: dict[str, int] = {}
    title = ""
    for piece in _pieces(text):
        if isinstance(piece, tuple):
            rule, words = piece
            level = rules.setdefault(rule, len(rules) + 1)
            title = title or words
            layout.heading(words, level, re.sub(r"\W+", "-", words.lower()).strip("-"))
        elif all(_INDENTED.match(line) for line in piece):
            if code := fold_code("\n".join(piece)):
                layout.code(code, 0)
        else:
            _paragraphs(layout, piece)
    layout.settle()
    return Parsed(title, "", "", layout.text, tuple(layout.blocks))


def _pieces(text: str) -> Iterator[list[str] | tuple[str, str]]:
    """Yield the text between blank lines, and headings as (rule, words)."""
    for stretch in _BLANK.split(text):
        waiting: list[str] = []
        for line in stretch.split("\n"):
            ruled = _UNDERLINE.fullmatch(line.rstrip()) if len(line) < 200 else None
            over = waiting[-1].strip() if waiting else ""
            if not ruled:
                if line.strip():
                    waiting.append(line)
            elif over and not _UNDERLINE.fullmatch(over) and len(over) <= min(len(line) + 2, _LONGEST_TITLE):
                above = waiting[-2].strip() if len(waiting) > 1 else ""
                both = _UNDERLINE.fullmatch(above) is not None
                if before := waiting[: -2 if both else -1]:
                    yield before
                yield (ruled[1] * (2 if both else 1), fold(over))
                waiting = []
            else:
                waiting.append(line)
        if waiting:
            yield waiting


def _paragraphs(layout: Layout, lines: list[str]) -> None:
    """Add one paragraph, or one per bullet."""
    kept: list[str] = []
    level = 0
    for line in [*lines, ""]:
        marked = _BULLET.match(line)
        if (marked or not line) and (text := _joined(kept)):
            layout.paragraph(text, level)
            kept = []
        if marked:
            layout.marker(marked[1] if marked[1][-1] in ".)" else "•")
            level = 1
            kept = [line[marked.end() :]]
        elif line:
            kept.append(line)


def _joined(lines: list[str]) -> str:
    """Join lines if they are long enough to have been wrapped by a program; otherwise keep their line ends."""
    folded = [words for words in map(fold, lines) if words and not _UNDERLINE.fullmatch(words)]
    wrapped = all(len(words) >= _SHORTEST_WRAPPED for words in folded[:-1])
    return (" " if wrapped else "\n").join(folded)
