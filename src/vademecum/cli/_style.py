"""Lay out an answer for a terminal: its width, its styles, and no control sequences from documents."""

import os
import re
import sys
from collections.abc import Callable

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_CONTROLS = dict.fromkeys(
    (*range(9), *range(11, 32), *range(127, 160), 0x61C, *range(0x200E, 0x2010), *range(0x202A, 0x202F))
) | dict.fromkeys(range(0x2066, 0x206A))
"""Characters that are removed from documents because they control the terminal or the text direction.

Tab and line feed are kept.
"""

_WIDEST, _NARROWEST = 100, 20
_MARKERS = re.compile(r"((?: \([a-z0-9-]+\) \[\d+\])+)$")
_STEP = re.compile(r"(\d+)\. (`+)(.+?)\2(?=: | \(|$)(?:: )?(.*)", re.DOTALL)
_LINKED = re.compile(r"(\[\d+\] |^- (?!.*\[\d+\] ))([^<>]*?) <([a-z]+:[!-;=?-~]+)>")
_PAGE = re.compile(r"(?<=[]-] )[\w.:+@-]+\(\w+\)(?=[,:]|$)", re.ASCII)
_OPENED = {"file", "http", "https", "info", "man"}
_START, _END = "\x02", "\x03"
"""Placeholders for the start and end of a link (OSC 8), before lines are wrapped. Documents cannot contain them."""


def on_terminal() -> bool:
    """Return whether stdout is a terminal that supports styles."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def harmless(text: str) -> str:
    """Return a text without characters that control the terminal."""
    return text.translate(_CONTROLS)


def laid_out(markdown: str) -> str:
    """Return an answer in Markdown, laid out for this terminal."""
    from shutil import get_terminal_size  # noqa: PLC0415 - only for terminals

    return shown(markdown, get_terminal_size().columns, styles=on_terminal())


def shown(markdown: str, columns: int, *, styles: bool) -> str:
    """Return an answer in Markdown, wrapped with a hanging indent, and with styles instead of marks.

    Args:
        markdown: The answer, as returned by `core.answers`.
        columns: The width of the terminal. Lines have a maximum length, to be easy to read.
        styles: Whether the terminal supports bold and dim text and links. Otherwise code keeps its backticks.
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
    """Return the lines for one line of Markdown."""
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
    """Return the lines for a step: the command on its own line, and its description below."""
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
    """Return wrapped lines, with dimmed aliases and numbers at the end."""
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
    """Return the lines for a reference or "See also". Documents that can be opened become links."""
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
    """Wrap a text at spaces, in lines of at most `width` columns. A longer word has its own line.

    Args:
        text: A paragraph.
        width: The maximum width in columns.
        first: The prefix of the first line.
        rest: The prefix of all other lines.
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
    """Return the width of a text in columns. A wide character has two columns, a combining character none."""
    text = text.replace(_START, "").replace(_END, "")
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # noqa: PLC0415 - most text is ASCII

    return sum(0 if combining(one) else 1 + (east_asian_width(one) in "WF") for one in text)
