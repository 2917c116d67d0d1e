"""What a setting may be: how each kind of value is read from a text, and written as one."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.desks.composer.patterns import Pattern

_LONGEST = 4096
_LONGEST_S = 366 * 86_400.0


class Kind(NamedTuple):
    """A kind of value.

    Attributes:
        wanted: What it must be, as the end of a sentence.
        read: A text to a value; a `ValueError` for a text that is none.
        written: A value as a text that reads as the same value.
        example: A text of this kind.
    """

    wanted: str
    read: Callable[[str], Any]
    written: Callable[[Any], str] = str
    example: str = ""


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
_NUMBER = Pattern(r"[0-9]{1,12}(?:\.[0-9]{1,6})?", flags=0)
_SPAN = Pattern(r"(?:([0-9]{1,9}(?:\.[0-9]{1,6})?)([smhd]))+", flags=0)
_SPAN_PART = Pattern(r"([0-9]+(?:\.[0-9]+)?)([smhd])", flags=0)
_SIZE = Pattern(r"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?([a-z]*)", flags=0)
_PROVIDER = Pattern(r"[a-z][a-z0-9_-]{0,39}", flags=0)
_KNOWN = frozenset(["auto", "none", "ollama", "openai"])


def _switch(text: str) -> bool:
    if text.lower() not in _SWITCHES:
        raise ValueError(text)
    return _SWITCHES[text.lower()]


def _fraction(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:  # nor is a NaN
        raise ValueError(text)
    return value


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text[:12]) <= most or len(text) > 12:
            raise ValueError(text)
        return int(text)

    return read


def _seconds(text: str) -> float:
    value = float(text) if _NUMBER.fullmatch(text) else _span(text)
    if not 0 < value <= _LONGEST_S:
        raise ValueError(text)
    return value


def _span(text: str) -> float:
    """`1h30m`, `90s`, `24h`, or seconds."""
    if _NUMBER.fullmatch(text):
        value = float(text)
    elif _SPAN.fullmatch(text):
        value = math.fsum(float(number) * _UNITS_S[unit] for number, unit in _SPAN_PART.findall(text))
    else:
        raise ValueError(text)
    if value > _LONGEST_S:
        raise ValueError(text)
    return value


def _some_span(text: str) -> float:
    value = _span(text)
    if not value:
        raise ValueError(text)
    return value


def _span_text(value: float) -> str:
    for unit in ("d", "h", "m"):
        if value and not value % _UNITS_S[unit] and (unit != "d" or value > _UNITS_S["d"]):
            return f"{value / _UNITS_S[unit]:.0f}{unit}"
    return f"{value:g}s" if value else "0"


def _size(text: str) -> int:
    found = _SIZE.fullmatch(text.lower())
    if found is None or found[2] not in _UNITS_BYTES:
        raise ValueError(text)
    value = int(float(found[1]) * _UNITS_BYTES[found[2]])
    if not value:
        raise ValueError(text)
    return value


def _size_text(value: int) -> str:
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if not value % unit:
            return f"{value // unit}{name}"
    return f"{value}B"


def _word(text: str) -> str:
    if not text or not text.isprintable() or len(text) > _LONGEST:
        raise ValueError(text)
    return text


def _path(text: str) -> Path:
    try:
        return Path(_word(text)).expanduser()
    except RuntimeError as error:  # `~nobody`
        raise ValueError(text) from error


def _maybe_path(text: str) -> Path | None:
    return _path(text) if text else None


def _path_text(value: Path | None) -> str:
    return (
        ""
        if value is None
        else f"./{value}"
        if not value.is_absolute() and value.parts[:1] != ("..",)
        else str(value)
    )


def _url(text: str) -> str:
    from vademecum.core.errors import ConfigError  # noqa: PLC0415 - where an address is set, models are loaded anyway
    from vademecum.net.address import place_of  # noqa: PLC0415 - the same

    try:
        place_of(_word(text))
    except ConfigError as error:
        raise ValueError(text) from error
    return text.rstrip("/")


def _maybe_url(text: str) -> str:
    return _url(text) if text else ""


def _provider(text: str) -> str:
    name, mark, model = text.partition(":")
    fine = bool(_PROVIDER.fullmatch(name)) and (bool(_word(model)) if mark else name in _KNOWN)
    if not fine or (mark and name in {"auto", "none"}):
        raise ValueError(text)
    return text


def server_address(host: str) -> str:
    """`OLLAMA_HOST` as an address: Ollama itself takes it without scheme and port, and as the address it listens on."""
    scheme, mark, rest = host.strip().rpartition("://")
    rest = rest.rstrip("/")
    name, port = rest, ""
    if ":" in rest and (rest.startswith("[") or rest.count(":") == 1) and not rest.endswith("]"):
        name, _, port = rest.rpartition(":")
    if name.count(":") > 1 and not name.startswith("["):
        name = f"[{name}]"
    if name in {"", "0.0.0.0", "[::]"}:  # noqa: S104 - where a server listens, not where it is reached
        name = "127.0.0.1"
    if not port and not mark:
        port = "11434"
    return f"{scheme or 'http'}://{name}{f':{port}' if port else ''}"


SWITCH = Kind("true or false", _switch, lambda value: "true" if value else "false")
FRACTION = Kind("a number from 0 to 1", _fraction, lambda value: f"{value:g}")
COUNT = Kind("a whole number from 1 to 100000", _whole(1, 100_000))
ATTEMPTS = Kind("0, 1 or 2", _whole(0, 2))
SECONDS = Kind("a number of seconds above 0", _seconds, lambda value: f"{value:g}")
DURATION = Kind("a time such as 30m or 12h, or 0 for none", _span, _span_text, "30d")
SPAN = Kind("a time such as 30m or 12h", _some_span, _span_text)
SIZE = Kind("a size such as 256MiB", _size, _size_text)
PATH = Kind("a folder", _path, _path_text)
MAYBE_PATH = Kind("a folder, or nothing", _maybe_path, _path_text, "./os-defaults")
URL = Kind("a server's address such as http://localhost:11434", _url)
MAYBE_URL = Kind(
    "a server's address such as http://localhost:8000/v1, or nothing",
    _maybe_url,
    str,
    "http://localhost:8000/v1",
)
MODEL = Kind("a model's name", _word)
PROVIDER = Kind("auto, none, ollama, openai, or another as PROVIDER:MODEL", _provider)
