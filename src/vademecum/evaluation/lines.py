"""Files of one JSON object a line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from vademecum.core.errors import ConfigError
from vademecum.text.printable import printable

_LONGEST_LINE = 100_000
_One = TypeVar("_One")


def read_lines(
    path: Path, make: Callable[[dict[str, object]], _One], *, what: str, example: str
) -> list[_One]:
    """What is made of each line; at least one, blank lines are skipped.

    Args:
        path: A file.
        make: Makes something of a line's object; raises `ValueError` with what is wrong with it.
        what: One of them, for a person.
        example: A line as it should be.

    Raises:
        ConfigError: The file cannot be read, is empty, or a line is not as it must be; the message names file and line.
    """
    hint, shown = f"Write one JSON object a line: {example}", printable(str(path), 200)
    try:
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"{shown} cannot be read: {reason}", hint=hint) from error
    made = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                made.append(make(_object(line)))
            except (ValueError, RecursionError) as error:
                message = f"{shown}, line {number}: {printable(str(error), 120)}"
                raise ConfigError(message, hint=hint) from error
    if not made:
        raise ConfigError(f"{shown} holds no {what}.", hint=hint)
    return made


def _object(line: bytes) -> dict[str, object]:
    data = json.loads(line[:_LONGEST_LINE].decode())
    if not isinstance(data, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 - it becomes a ConfigError
    return data
