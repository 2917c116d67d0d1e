"""How an answer looks on a terminal: bold where Markdown says heading or code, and nothing that steers it."""

import os
import re
import sys

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)))
"""Characters that could steer a terminal; a document must not. Tab and line feed stay."""


def on_terminal() -> bool:
    """Whether stdout is a terminal that shows styles."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def harmless(text: str) -> str:
    """The text without characters that steer a terminal."""
    return text.translate(_CONTROLS)


def styled(markdown: str) -> str:
    """An answer in Markdown as a terminal shows it."""
    lines = [_line(line) for line in harmless(markdown).split("\n")]
    return "\n".join(lines)


def _line(line: str) -> str:
    if line.startswith("## "):
        return f"{_BOLD}{line[3:]}{_PLAIN}"
    if len(line) > 2 and line[0] == line[-1] == "_":
        return f"{_DIM}{line[1:-1]}{_PLAIN}"
    return re.sub(r"`([^`]+)`", rf"{_BOLD}\1{_PLAIN}", line)
