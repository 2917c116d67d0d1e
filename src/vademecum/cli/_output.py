"""Print the result of a command, its warnings, and its progress."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from vademecum.cli._style import harmless, typed_text
from vademecum.core.errors import AnswerError
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.cli._command import Options
    from vademecum.core.documents import Problem
    from vademecum.library.internal import InternalLibrary

WARNED = 3
"""The exit code of a successful command with warnings."""


def print_result(
    data: object, text: str | Iterable[str], *, as_json: bool, indent: int | None = None
) -> None:
    """Print the data of a result as one JSON object, or its text, which may be given as lines. An empty text is not printed."""
    if as_json:
        print(json.dumps(data, allow_nan=False, indent=indent))
    elif shown := harmless(text if isinstance(text, str) else "\n".join(text)):
        print(shown)


def wants_json(library: "InternalLibrary", options: "Options") -> bool:
    """Return whether a command of `ragadmin` prints JSON: if the flag or the configuration says so."""
    return bool(options.json) or library.settings.output_default == "json"


def columns(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return rows as lines with aligned columns, two spaces apart."""
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def print_rows(rows: Iterable[tuple[str, str, str]]) -> None:
    """Print the keys, values and origins of settings in columns."""
    lines = columns((key, printable(value) or "-", printable(origin, 200)) for key, value, origin in rows)
    print("\n".join(lines))


def warn(warnings: "Iterable[str | Problem]", *, about: str = "") -> int:
    """Print warnings and unreadable files on standard error; return 3 if there are any, otherwise 0."""
    code = 0
    for warning in warnings:
        if isinstance(warning, str):
            said = printable(warning, 400)
        else:
            said = f"{printable(warning.place, 200)}: {printable(warning.message)} {printable(warning.hint)}"
        print(f"vademecum: {about}{said}", file=sys.stderr)
        code = WARNED
    return code


def show_progress(done: int, total: int, what: str) -> None:
    """Show on a terminal how much is done, in a line that is removed at the end. Elsewhere, do nothing."""
    if sys.stderr.isatty():
        line = f"{done:,} of {total:,} {what}" if done < total else ""
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)


def asked_text(words: Sequence[str], noun: str, example: str) -> str:
    """Return a text from the command line, or for `-` from standard input.

    Raises:
        AnswerError: It is empty.
    """
    text = " ".join(words)
    text = (
        typed_text() if text == "-" else text.encode("utf-8", "replace").decode()
    )  # replaces undecodable bytes
    if not text.strip():
        raise AnswerError(f"No {noun} given.", hint=f"Put it in quotes: {example}")
    return text
