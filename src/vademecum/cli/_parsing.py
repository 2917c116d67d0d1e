"""The parser of commands that have commands of their own: argparse, which here also says what may have been meant."""

import argparse
import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, NoReturn

_CHOICE = re.compile(r"invalid choice: '(?P<given>[^']*)' \(choose from (?P<known>[^)]*)\)")
_FLAG = re.compile(r"unrecognized arguments: (?P<given>--[\w-]+)")


class Parser(argparse.ArgumentParser):
    """As argparse's own, down to its sub-parsers; a flag is what is written, not whatever begins like it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **settings})

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and what may have been meant, and end with code 2."""
        known: list[str] = []
        if found := _CHOICE.search(message):
            known = [one.strip(" '") for one in found["known"].split(",")]
        elif found := _FLAG.search(message):
            known = list(_flags_of(self))
        close = get_close_matches(found["given"][:80], known, n=1) if found else []
        super().error(f"{message}. Did you mean {close[0]}?" if close else message)


def _flags_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    """All flags of a parser and of those below it."""
    for action in parser._actions:  # noqa: SLF001 - there is no other way to list them
        yield from action.option_strings
        if isinstance(action.choices, dict):
            for below in action.choices.values():
                yield from _flags_of(below)
