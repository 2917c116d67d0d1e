"""Names of well-known commands, with or without a page on this machine, and of products that no manual page documents."""

import re
from functools import cache
from pathlib import Path

_DATA = Path(__file__).with_name("data")
_PREPOSITIONS = ("on ", "in ", "for ")


@cache
def well_known() -> frozenset[str]:
    """Return the names of widely used commands that many machines lack."""
    return frozenset(name for line in _lines("commands.txt") for name in line.split())


def product_in(text: str) -> str:
    """Return the product that a text names, as it is written there; "" if it names none.

    >>> product_in("How to create a GUID in Excel?")
    'Excel'
    >>> product_in("How to convert Windows line endings")
    ''
    """
    found = _products().search(text)
    name = found[0] if found else ""
    return name.split(" ", 1)[1] if name.lower().startswith(_PREPOSITIONS) else name


@cache
def _products() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w-])(?:{'|'.join(map(re.escape, _lines('products.txt')))})(?![\w-])", re.IGNORECASE
    )


def _lines(file: str) -> list[str]:
    lines = (_DATA / file).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]
