"""Lay out an answer for a terminal: its width, its styles, and no control sequences from documents."""

import os
import re
import sys
from collections.abc import Callable

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_CONTROLS = dict.fromkeys(
    (*range(9), *range(11, 32), *range(127, 160), 0x61C, *range(0x200E, 0x2010), *range(0x202A, 0x202F))
) | dict.fromkeys(range(0x2066, 0x206A))
"""Characters that could steer a terminal or turn the reading direction; a document must not. Tab and line feed stay."""

_WIDEST, _NARROWEST = 100, 20
_MARKERS = re.compile(r"((?: \([a-z0-9-]+\) \[\d+\])+)$")
_STEP = re.compile(r"(\d+)\. (`+)(.+?)\2(?=: | \(|$)(?:: )?(.*)", re.DOTALL)
_LINKED = re.compile(r"(\[\d+\] |^- (?!.*\[\d+\] ))([^<>]*?) <([a-z]+:[!-;=?-~]+)>")
_PAGE = re.compile(r"(?<=[]-] )[\w.:+@-]+\(\w+\)(?=[,:]|$)", re.ASCII)
_OPENED = {"file", "http", "https", "info", "man"}
_START, _END = "\x02", "\x03"
"""Stand around a link (OSC 8; terminals that know none show its text) until lines are made. No document has them here."""


def on_terminal() -> bool:
    """Whether stdout is a terminal that shows styles."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def harmless(text: str) -> str:
    """The text without characters that steer a terminal."""
    return text.translate(_CONTROLS)


def laid_out(markdown: str) -> str:
    """An answer in Markdown as this terminal shows it."""
    from shutil import get_terminal_size  # noqa: PLC0415 - for people only

    return shown(markdown, get_terminal_size().columns, styles=on_terminal())


def shown(markdown: str, columns: int, *, styles: bool) -> str:
    """An answer in Markdown for people: wrapped, with a hanging indent, and its marks turned into styles.

    Args:
        markdown: As `answering.render` makes it.
        columns: How wide the terminal is; longer lines than are easy to read are not made.
        styles: Whether it shows bold and dim type and links. If not, code keeps its backticks.
    """
    width = max(_NARROWEST, min(columns, _WIDEST + 1) - 1)
    lines: list[str] = []
    for line in harmless(markdown).split("\n"):
        lines += _laid_out(line, width, _styled if styles else _as_it_is)
    return "\n".join(lines)


_Style = Callable[[str, str], str]


def _styled(text: str, style: str) -> str:
    return f"{style}{text}{_PLAIN}"


def _as_it_is(text: str, _style: str) -> str:
    return text


def _laid_out(line: str, width: int, style: _Style) -> list[str]:
    """The lines that one line of Markdown becomes."""
    if line.startswith("## "):
        return [style(line[3:], _BOLD)]
    if len(line) > 2 and line[0] == line[-1] == "_":
        return [style(one, _DIM) for one in wrapped(line[1:-1], width)]
    if step := _STEP.fullmatch(line):
        return _step(step, width, style)
    if line.startswith("- "):
        return _links(line, width, style)
    markers = _MARKERS.search(line)
    found = wrapped(line, width, rest="  " if markers else "")
    return _dimmed(found, markers[1] if markers else "", style)


def _step(step: re.Match[str], width: int, style: _Style) -> list[str]:
    """A step: the command on a line of its own, and what the document says of it below."""
    number, mark, command, text = step.groups()
    indent = " " * (len(number) + 2)
    if not text.strip() or _MARKERS.fullmatch(text):
        markers = text
        text = ""
    else:
        found = _MARKERS.search(text)
        markers = found[1] if found else ""
    command = command.strip() if style is _styled else f"{mark}{command}{mark}"
    lines = wrapped(command, width, first=f"{number}. ", rest=indent + "  ")
    head = f"{number}. "
    bold = [style(lines[0][len(head) :], _BOLD)] + [
        indent + "  " + style(line.lstrip(), _BOLD) for line in lines[1:]
    ]
    bold[0] = head + bold[0]
    if not text:
        fits = width_of(lines[-1]) + len(markers) <= width
        tail = style(markers if fits else markers.strip(), _DIM)
        return [*bold[:-1], bold[-1] + tail] if fits else [*bold, indent + tail]
    return [*bold, *_dimmed(wrapped(text, width, first=indent, rest=indent), markers, style)]


def _dimmed(lines: list[str], markers: str, style: _Style) -> list[str]:
    """Wrapped lines with the aliases and numbers at their end in dim type."""
    missing = len(markers.split())
    for at in range(len(lines) - 1, -1, -1):
        if missing <= 0:
            break
        words = lines[at].split()
        here = min(missing, len(words))
        ending = " ".join(words[len(words) - here :])
        kept = lines[at][: len(lines[at]) - len(ending)]
        if not lines[at].endswith(ending):
            break
        lines[at] = kept + style(ending, _DIM)
        missing -= here
    return lines


def _links(line: str, width: int, style: _Style) -> list[str]:
    """A line of references or of "See also": documents that can be opened become links."""
    if style is not _styled:
        return wrapped(line, width, rest="  ")
    urls: list[str] = []

    def with_url(found: re.Match[str]) -> str:
        if found[3].partition(":")[0] not in _OPENED:
            return found[0]
        urls.append(found[3])
        return f"{found[1]}{_START}{found[2]}{_END}"

    def page(found: re.Match[str]) -> str:
        urls.append(f"man:{found[0]}")
        return f"{_START}{found[0]}{_END}"

    line = _PAGE.sub(page, line) if "<" not in line else _LINKED.sub(with_url, line)
    text = "\n".join(wrapped(line, width, rest="  "))
    for url in urls:
        text = text.replace(_START, f"\x1b]8;;{url}\x1b\\", 1).replace(_END, "\x1b]8;;\x1b\\", 1)
    return text.split("\n")


def wrapped(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """A text in lines of at most `width` columns, broken between words; a word that is longer has its own line.

    Args:
        text: One paragraph.
        width: Columns.
        first: Stands before the first line.
        rest: Before all others.
    """
    lines, line, used = [], first, width_of(first)
    bare = True
    for word in text.split(" "):
        size = width_of(word)
        if not bare and used + 1 + size > width:
            lines.append(line.rstrip())
            line, used, bare = rest, len(rest), True
        line += word if bare else f" {word}"
        used += size + (not bare)
        bare = False
    return [*lines, line.rstrip()]


def width_of(text: str) -> int:
    """How many columns a text takes: wide characters two, combining ones none."""
    text = text.replace(_START, "").replace(_END, "")
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # noqa: PLC0415 - most text is ASCII

    return sum(0 if combining(one) else 1 + (east_asian_width(one) in "WF") for one in text)
