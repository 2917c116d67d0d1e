"""Read from and write to a terminal: answers with their width and styles, and no control sequences from documents."""

import os
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from vademecum.core.answers import Answer, Reference, Statement

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_CONTROLS = dict.fromkeys(
    (*range(9), *range(11, 32), *range(127, 160), 0x61C, *range(0x200E, 0x2010), *range(0x202A, 0x202F))
) | dict.fromkeys(range(0x2066, 0x206A))
"""Characters that are removed from documents because they control the terminal or the text direction.

Tab and line feed are kept.
"""

_WIDEST, _NARROWEST = 100, 20
_MARGIN = "  "
_GAP, _TAG_SHARE = 3, 3
"""The columns between a part and its text, and the share of the width, as its inverse, that parts have at most."""

_MOST_INPUT_BYTES = 1 << 20
_PAGE = re.compile(r"[\w.:+@-]+\(\w+\)", re.ASCII)
_OPENED = {"file", "http", "https", "info", "man"}


def on_terminal() -> bool:
    """Return whether stdout is a terminal that supports styles."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def harmless(text: str) -> str:
    """Return a text without characters that control the terminal."""
    return text.translate(_CONTROLS)


def typed_text() -> str:
    """Read at most a megabyte of text from standard input."""
    return sys.stdin.buffer.read(_MOST_INPUT_BYTES).decode("utf-8", "replace") if sys.stdin else ""


def laid_out(answer: "Answer") -> str:
    """Return an answer as text for this terminal."""
    from shutil import get_terminal_size  # noqa: PLC0415 - only for terminals

    return shown(answer, get_terminal_size().columns, styles=on_terminal())


def shown(answer: "Answer", columns: int, *, styles: bool) -> str:
    """Return an answer for a terminal: the line or block first, with its certainty, then its parts, what was left out, and the sources once.

    Args:
        columns: The width of the terminal. Lines have a maximum length, to be easy to read.
        styles: Whether the terminal supports bold and dim text and links.
    """
    from vademecum.core.answers import confidence_of, is_of_file, layout_of  # noqa: PLC0415 - not for the other commands

    screen = _Screen(max(_NARROWEST, min(columns, _WIDEST + 1) - 1), styles=styles)
    for note in ([f"Interpreted as: {answer.read_as}"] if answer.read_as else []) + list(answer.warnings):
        screen.paragraph(note, style=_DIM)
    screen.end_block()
    first, parts, others = layout_of(answer)
    if not first:
        for sentence in answer.guidance:
            screen.paragraph(sentence)
        screen.end_block()
        screen.entries([(page.label, page.notes) for page in answer.see_also])
        return screen.text()
    several = len(answer.references) > 1
    marks = {
        id(said): "".join(dict.fromkeys(f" [{answer.citations[at].number}]" for at in said.citations))
        if several
        else ""
        for said in (*first, *parts, *others)
    }

    def line_of(statement: "Statement") -> str:
        return ("! " if statement.command in answer.lines.destroying else "") + statement.command

    lead, *about = first
    rest_of_line = _MARGIN * 2 if lead.command else ""
    screen.lead(line_of(lead) if lead.command else lead.text, marks[id(lead)], answer.certainty, rest_of_line)
    if lead.command and lead.text:
        screen.paragraph(lead.text, _MARGIN * 2)
    screen.end_block()
    for said in about if is_of_file(answer) or not (lead.command and parts) else ():
        if said.command and not said.text:
            screen.end_block()
            screen.paragraph(line_of(said), _MARGIN * 2, marks[id(said)], style=_BOLD)
            screen.end_block()
            continue
        screen.paragraph(": ".join(filter(None, (said.command, said.text))), _MARGIN, marks[id(said)])
    screen.end_block()
    rest = [part for part in parts if part is not lead]
    screen.entries([(line_of(part), part.text + marks[id(part)]) for part in rest], _MARGIN * 2)
    if answer.lines.values:
        screen.paragraph(f"from your question: {', '.join(answer.lines.values)}", _MARGIN * 2, style=_DIM)
    screen.end_block()
    for note in (*answer.lines.sentences(), *answer.guidance):
        screen.paragraph(note, _MARGIN)
    screen.end_block()
    for other in others:
        screen.paragraph(f"or  {line_of(other)}", _MARGIN, marks[id(other)], rest=" " * 8)
    screen.end_block()
    screen.sources(answer.references, numbered=several)
    screen.sources(answer.see_also, numbered=False, before="also: ")
    if answer.model or answer.dropped:
        screen.paragraph(confidence_of(answer), style=_DIM)
    return screen.text()


class _Screen:
    """The lines of a text for a terminal."""

    def __init__(self, width: int, *, styles: bool) -> None:
        self._width, self._styles = width, styles
        self._lines: list[str] = [""]

    def text(self) -> str:
        """Return the text, with a final newline."""
        return "\n".join(self._lines).rstrip("\n") + "\n"

    def end_block(self) -> None:
        """Add an empty line, unless the last one is empty."""
        if self._lines[-1]:
            self._lines.append("")

    def paragraph(
        self, text: str, margin: str = "", marks: str = "", *, style: str = "", rest: str = ""
    ) -> None:
        """Add a wrapped paragraph, with citation marks at its end."""
        lines = wrapped(harmless(text) + marks, self._width, first=margin, rest=rest or margin)
        self._lines += [self._styled(line, style) for line in lines]

    def lead(self, text: str, marks: str, word: str, rest: str = "") -> None:
        """Add what comes first, in bold, with a word at the right edge of its last line."""
        lines = wrapped(harmless(text), self._width, first=_MARGIN, rest=rest or _MARGIN)
        end = f"{marks}  {word}"
        room = self._width - width_of(lines[-1]) - width_of(end)
        self._lines += [self._styled(line, _BOLD) for line in lines]
        if room < 0:
            self._lines.append("")
            room = max(0, self._width - width_of(end))
        self._lines[-1] += self._styled(marks + " " * room + f"  {word}", _DIM)

    def entries(self, entries: "Sequence[tuple[str, str]]", margin: str = _MARGIN) -> None:
        """Add names with texts in a column next to them; a long name has lines of its own."""
        most = self._width // _TAG_SHARE
        widths = [width_of(harmless(name)) for name, text in entries if text]
        column = max((width for width in widths if width <= most), default=0)
        indent = margin + " " * (column + _GAP if column else 4)
        for name, text in entries:
            lines = wrapped(harmless(name), self._width, first=margin, rest=margin + _MARGIN)
            said = wrapped(harmless(text), self._width, first=indent, rest=indent) if text.strip() else []
            if said and len(lines) == 1 and width_of(lines[0]) + _GAP <= len(indent):
                first = self._styled(lines[0][len(margin) :], _BOLD)
                self._lines.append(margin + first + said.pop(0)[width_of(lines[0]) :])
            else:
                self._lines += [self._styled(line, _BOLD) for line in lines]
            self._lines += said

    def sources(self, references: "Sequence[Reference]", *, numbered: bool, before: str = "") -> None:
        """Add documents, with how to open them, at the right edge; as links if the terminal supports them."""
        pieces = []
        for reference in references:
            number = f"[{reference.number}] " if numbered else ""
            opens = f", {reference.read_with}" if reference.read_with and reference.number else ""
            pieces.append((reference, number, opens))
        whole = before + "; ".join(f"{number}{reference.label}{opens}" for reference, number, opens in pieces)
        if not pieces:
            return
        lines = wrapped(harmless(whole), self._width)
        lines = [
            " " * (self._width - width_of(line)) + line if len(lines) == 1 else _MARGIN + line
            for line in lines
        ]
        text = self._styled("\n".join(lines), _DIM)
        for reference, _, _ in pieces if self._styles else ():
            label = reference.label
            url = reference.url or (f"man:{label}" if _PAGE.fullmatch(label) else "")
            if url.partition(":")[0] in _OPENED and label in text and url == harmless(url):
                text = text.replace(label, f"\x1b]8;;{url}\x1b\\{label}\x1b]8;;\x1b\\", 1)
        self._lines += text.split("\n")

    def _styled(self, text: str, style: str) -> str:
        return f"{style}{text}{_PLAIN}" if style and self._styles and text else text


def wrapped(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Wrap a text at spaces, in lines of at most `width` columns. A longer word has its own line.

    Args:
        width: The maximum width in columns.
        first: The prefix of the first line.
        rest: The prefix of all other lines.
    """
    if "\n" in text:
        return [line for part in text.split("\n") for line in wrapped(part, width, first=first, rest=rest)]
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
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # noqa: PLC0415 - most text is ASCII

    return sum(0 if combining(one) else 1 + (east_asian_width(one) in "WF") for one in text)
