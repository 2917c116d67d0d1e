"""Case files: questions and their expected answers, one JSON object per line."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from vademecum.core.errors import ConfigError
from vademecum.text.printable import printable

_SHOWN = 120
_Case = TypeVar("_Case")
_Outcome = TypeVar("_Outcome")

Progress = Callable[[int, int], None]
"""Called after each case with the number of those that are done, and of all."""


class Fields:
    """Validated access to the fields of one line. `null` counts as absent.

    Methods raise a `ValueError` if a field is invalid.
    """

    def __init__(self, data: Mapping[str, object]) -> None:
        self._data = data

    def get(self, key: str) -> object:
        """A raw value; `None` if it is absent."""
        return self._data.get(key)

    def required(self, key: str) -> str:
        """A string that is not blank."""
        text = self.text(key)
        if not text.strip():
            raise ValueError(f'"{key}" is empty' if self.get(key) is not None else f'there is no "{key}"')
        return text

    def text(self, key: str) -> str:
        """A string; "" if it is absent."""
        value = self.get(key)
        return "" if value is None else checked(value, f'"{key}"', "a string")

    def texts(self, key: str, *, alone: bool = False) -> tuple[str, ...]:
        """A list of strings that are not blank; empty if it is absent."""
        values = self.get(key)
        if values is None:
            return ()
        if alone and isinstance(values, str):
            values = [values]
        return texts_in(values, key)

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false; the default if it is absent."""
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise ValueError(f'"{key}" is neither true nor false')  # noqa: TRY004 - it becomes a ConfigError
        return value

    def group(self, key: str) -> str:
        """The name of a group, which can be a number; "" if it is absent."""
        value = self.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.text(key).strip()


def checked(value: object, name: str, wanted: str) -> str:
    """Return the value if it is a string that can be encoded as UTF-8."""
    if not isinstance(value, str):
        raise ValueError(f"{name} is not {wanted}")  # noqa: TRY004 - it becomes a ConfigError
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} holds half a character (a lone surrogate)") from error
    return value


def texts_in(values: object, key: str) -> tuple[str, ...]:
    """Return the strings of a list, if none is blank."""
    wanted = "a list of strings"
    if not isinstance(values, list):
        raise ValueError(f'"{key}" is not {wanted}')  # noqa: TRY004 - it becomes a ConfigError
    texts = tuple(checked(value, f'"{key}"', wanted) for value in values)
    if not all(text.strip() for text in texts):
        raise ValueError(f'"{key}" holds an empty string')
    return texts


def read_cases(path: Path, make: Callable[[Fields], _Case], *, what: str, example: str) -> list[_Case]:
    """The cases of a file, in its order; at least one. Blank lines are skipped."""
    hint, shown = f"Write one JSON object a line: {example}", printable(str(path), 200)
    try:
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"{shown} cannot be read: {reason}", hint=hint) from error
    cases = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                cases.append(make(Fields(_object(line))))
            except ValueError as error:
                message = f"{shown}, line {number}: {printable(str(error), _SHOWN)}"
                raise ConfigError(message, hint=hint) from error
    if not cases:
        raise ConfigError(f"{shown}, line 1: the file holds no {what}", hint=hint)
    return cases


def _object(line: bytes) -> dict[str, object]:
    try:
        data = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise ValueError("the line is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the line is not JSON ({error})") from error
    if not isinstance(data, dict):
        raise ValueError("the line is not a JSON object")  # noqa: TRY004 - it becomes a ConfigError
    return data


def silent(_done: int, _total: int) -> None:
    """A `Progress` that shows nothing."""


def ask_all(
    cases: Sequence[_Case], ask: Callable[[_Case], _Outcome], progress: Progress = silent
) -> list[_Outcome]:
    """The outcome of each case, in order."""
    outcomes = []
    for done, case in enumerate(cases, start=1):
        outcomes.append(ask(case))
        progress(done, len(cases))
    return outcomes


def spread(cases: Sequence[_Case], limit: int | None) -> Sequence[_Case]:
    """At most `limit` of the cases, evenly over all of them and in their order; all if it is `None`."""
    if limit is None or limit >= len(cases):
        return cases
    return [cases[place * len(cases) // limit] for place in range(limit)]
