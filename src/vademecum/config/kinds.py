"""The kinds of values of settings: how each is parsed and formatted.

The sources of settings all give texts: a file in YAML, the environment, the command line. A kind reads them alike.
"""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.core.errors import ConfigError
from vademecum.stores import is_address

ANY = frozenset({"str", "int", "float", "bool", "null"})
"""The types of YAML that are plain values."""

_TEXT, _SWITCH, _NUMBER, _WHOLE = map(frozenset, ({"str"}, {"bool"}, {"int", "float"}, {"int"}))
_LONGEST_SPAN_S = 366 * 86_400.0
_LONGEST_TEXT = 2000
_LONGEST_WORD = 4096


class Kind(NamedTuple):
    """A kind of value.

    Attributes:
        wanted: What it must be, as the end of a sentence.
        read: Reads a text. It raises a `ValueError` for a text that is not of this kind.
        written: A value as a text that reads as the same value.
        types: How a file may write it, by YAML's names.
        is_secret: Whether a value that is not of the kind must not be shown.
    """

    wanted: str
    read: Callable[[str], Any]
    written: Callable[[Any], str] = str
    types: frozenset[str] = ANY
    is_secret: bool = False


def number(least: float, most: float, wanted: str = "", *, above: bool = False) -> Kind:
    """A number from `least`, or above it, to `most`."""

    def read(given: str) -> float:
        value = float(given)
        if not least <= value <= most or (above and value == least):  # a NaN is not between any two
            raise ValueError(given)
        return value

    return Kind(wanted or f"a number from {least:g} to {most:g}", read, lambda value: f"{value:g}", _NUMBER)


def whole(least: int, most: int, wanted: str = "") -> Kind:
    """A whole number from `least` to `most`."""

    def read(given: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,12}", given) or not least <= int(given) <= most:
            raise ValueError(given)
        return int(given)

    return Kind(wanted or f"a whole number from {least:,} to {most:,}", read, types=_WHOLE)


def choice(*words: str) -> Kind:
    """One of several words."""
    return text(f"one of {', '.join(words)}", lambda given: given in words)


def text(
    wanted: str = "a text", fits: Callable[[str], object] | None = None, *, is_secret: bool = False
) -> Kind:
    """A text that fulfils a condition."""

    def read(given: str) -> str:
        if len(given) > _LONGEST_TEXT or (fits and not fits(given)):
            raise ValueError(given)
        return given

    return Kind(wanted, read, types=_TEXT, is_secret=is_secret)


_SWITCHES = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(
    ("false", "no", "off", "0"), False
)
_UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_UNITS_BYTES = {
    "": 1,
    "b": 1,
    "kib": 1 << 10,
    "mib": 1 << 20,
    "gib": 1 << 30,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
}
_DECIMAL = r"[0-9]{1,12}(?:\.[0-9]{1,6})?"


def _switch(given: str) -> bool:
    if given.lower() not in _SWITCHES:
        raise ValueError(given)
    return _SWITCHES[given.lower()]


def _span(given: str) -> float:
    """`1h30m`, `90s`, `24h`, or seconds."""
    part = r"([0-9]{1,9}(?:\.[0-9]{1,6})?)([smhd])"
    if re.fullmatch(_DECIMAL, given):
        value = float(given)
    elif re.fullmatch(f"(?:{part})+", given):
        value = math.fsum(float(count) * _UNITS_S[unit] for count, unit in re.findall(part, given))
    else:
        raise ValueError(given)
    if value > _LONGEST_SPAN_S:
        raise ValueError(given)
    return value


def _some_span(given: str) -> float:
    value = _span(given)
    if not value:
        raise ValueError(given)
    return value


def _span_text(value: float) -> str:
    for unit in ("d", "h", "m"):
        if value and not value % _UNITS_S[unit] and (unit != "d" or value > _UNITS_S["d"]):
            return f"{value / _UNITS_S[unit]:.0f}{unit}"
    return f"{value:g}s" if value else "0"


def _size(given: str) -> int:
    found = re.fullmatch(rf"({_DECIMAL}) ?([a-z]*)", given.lower())
    if found is None or found[2] not in _UNITS_BYTES:
        raise ValueError(given)
    value = int(float(found[1]) * _UNITS_BYTES[found[2]])
    if not value:
        raise ValueError(given)
    return value


def _size_text(value: int) -> str:
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if not value % unit:
            return f"{value // unit}{name}"
    return f"{value}B"


def _word(given: str) -> str:
    if not given or not given.isprintable() or len(given) > _LONGEST_WORD:
        raise ValueError(given)
    return given


def _path(given: str) -> Path:
    try:
        return Path(_word(given)).expanduser()
    except RuntimeError as error:  # `~nobody`
        raise ValueError(given) from error


def _path_text(value: Path | None) -> str:
    if value is None:
        return ""
    return str(value) if value.is_absolute() or value.parts[:1] == ("..",) else f"./{value}"


def _url(given: str) -> str:
    from vademecum.net.address import place_of  # noqa: PLC0415 - only those who set an address need it

    try:
        place_of(_word(given))
    except ConfigError as error:
        raise ValueError(given) from error
    return given.rstrip("/")


SWITCH = Kind("true or false", _switch, lambda value: "true" if value else "false", _SWITCH)
FRACTION = number(0, 1)
COUNT = whole(1, 100_000_000, "a whole number above 0")
SECONDS = number(0, 86_400, "a number of seconds above 0", above=True)
SPAN_OR_NONE = Kind("a time such as 30m or 12h, or 0 for no limit", _span, _span_text)
SPAN = Kind("a time such as 30m or 12h", _some_span, _span_text)
SIZE = Kind("a size such as 256MiB", _size, _size_text)
PATH = Kind("a folder", _path, _path_text)
PATH_OR_NONE = Kind("a folder, or nothing", lambda given: _path(given) if given else None, _path_text)
URL = Kind("a server's address such as http://localhost:11434", _url)
URL_OR_NONE = Kind(
    "a server's address such as http://localhost:8000/v1, or nothing",
    lambda given: _url(given) if given else "",
)
WORD = Kind("a name", _word)
STORE = text(
    "files, or an address: postgresql://user@host/database, opensearch://host/NAME, qdrant://host/NAME or weaviate://host/NAME",
    lambda given: given == "files" or is_address(given),
    is_secret=True,
)
