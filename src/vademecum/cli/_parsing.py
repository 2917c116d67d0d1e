"""The parser of commands with subcommands: argparse, with suggestions for misspelled names."""

import argparse
import os
import re
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

from vademecum.text.similar import closest

_CHOICE = re.compile(r"invalid choice: '(?P<given>[^']*)' \(choose from (?P<known>[^)]*)\)")
_FLAG = re.compile(r"unrecognized arguments: (?P<given>--[\w-]+)")


class Parser(argparse.ArgumentParser):
    """As argparse's own, down to its sub-parsers; a flag is what is written, not whatever begins like it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"allow_abbrev": False, "formatter_class": _Formatter, **settings})

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and what may have been meant, and end with code 2."""
        known: list[str] = []
        if found := _CHOICE.search(message):
            known = [one.strip(" '") for one in found["known"].split(",")]
        elif found := _FLAG.search(message):
            known = [flag for flag in _flags_of(self) if flag != found["given"]]  # which another command has
        similar = closest(found["given"], known) if found else ""
        super().error(f"{message}. Did you mean {similar}?" if similar else message)


class _Formatter(argparse.HelpFormatter):
    """As argparse's own, which loads `shutil` for each parser only to measure the terminal."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    """The columns of the terminal, as `shutil.get_terminal_size` tells them."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return (os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else 0) or 80
    except (OSError, ValueError):
        return 80


def _flags_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    """All flags of a parser and of those below it."""
    for action in parser._actions:  # noqa: SLF001 - there is no other way to list them
        yield from action.option_strings
        if isinstance(action.choices, dict):
            for below in action.choices.values():
                yield from _flags_of(below)
