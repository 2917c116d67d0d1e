"""Parse sizes as people write them ("16G", "20 gigabytes", "half a terabyte"), and format them for templates ("16GiB")."""

import re

from vademecum.text.patterns import Pattern

KIB, MIB, GIB, TIB = 1 << 10, 1 << 20, 1 << 30, 1 << 40

_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "twelve": 12, "fifteen": 15, "sixteen": 16, "twenty": 20, "twenty-four": 24, "twenty four": 24, "twenty-five": 25, "thirty": 30,
    "thirty-two": 32, "thirty two": 32, "forty": 40, "fifty": 50, "sixty": 60, "sixty-four": 64, "sixty four": 64, "eighty": 80,
    "a hundred": 100, "hundred": 100, "one hundred": 100, "two hundred": 200, "five hundred": 500, "half a": 0.5, "half": 0.5,
}  # fmt: skip
_UNITS = {
    "k": "KiB", "m": "MiB", "g": "GiB", "t": "TiB", "ki": "KiB", "mi": "MiB", "gi": "GiB", "ti": "TiB",
    "kib": "KiB", "mib": "MiB", "gib": "GiB", "tib": "TiB", "kb": "KB", "mb": "MB", "gb": "GB", "tb": "TB",
    "meg": "MiB", "megs": "MiB", "gig": "GiB", "gigs": "GiB", "megabyte": "MB", "megabytes": "MB", "gigabyte": "GB",
    "gigabytes": "GB", "kilobyte": "KB", "kilobytes": "KB", "kibibyte": "KiB", "kibibytes": "KiB", "gbyte": "GB", "gbytes": "GB", "mbyte": "MB", "mbytes": "MB", "terabyte": "TB", "terabytes": "TB",
    "mebibyte": "MiB", "mebibytes": "MiB", "gibibyte": "GiB", "gibibytes": "GiB", "tebibyte": "TiB", "tebibytes": "TiB",
}  # fmt: skip
_BYTES = {"KiB": KIB, "MiB": MIB, "GiB": GIB, "TiB": TIB, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}

_MEASURE = Pattern(r"(\d{1,6}(?:[.,]\d{1,3})?)[ -]?([a-z]+)")
_WORDS = Pattern(
    r"\b([a-z]+(?:[ -](?:a|hundred|two|four|five))?)(?=[ -](?:gigs?|megs?|g|m|t|[gmt]i?b|(?:mega|giga|tera|gibi|mebi|tebi)bytes?)\b)"
)


def in_digits(text: str) -> str:
    """A text where the numbers before units are digits.

    >>> in_digits("twenty gigabytes of disk and half a terabyte more")
    '20 gigabytes of disk and 0.5 terabyte more'
    """
    return _WORDS.sub(_digits, text)


def _digits(found: re.Match[str]) -> str:
    words = found[1].lower()
    if words in _COUNTS:
        return f"{_COUNTS[words]}"
    first, _, last = words.rpartition(" ")
    return f"{first} {_COUNTS[last]}" if last in _COUNTS and first else found[1]


def as_written(said: str) -> str:
    """A size as a template writes it; "" if the words are none, or say nothing that is more than 0.

    What people call G and gigs is GiB; GB stays GB. A fraction is written in the next smaller unit.

    >>> as_written("16G"), as_written("20 gigabytes"), as_written("1.5 GiB")
    ('16GiB', '20GB', '1536MiB')
    """
    found = _MEASURE.fullmatch(said.strip())
    if not found or found[2].lower() not in _UNITS:
        return ""
    number, unit = float(found[1].replace(",", ".")), _UNITS[found[2].lower()]
    if number <= 0:
        return ""
    if number == int(number):
        return f"{int(number)}{unit}"
    smaller = {"TiB": "GiB", "GiB": "MiB", "MiB": "KiB", "TB": "GB", "GB": "MB", "MB": "KB"}.get(unit)
    if not smaller:
        return ""
    return f"{round(number * _BYTES[unit] / _BYTES[smaller])}{smaller}"


def written(size_bytes: int) -> str:
    """A number of bytes in the largest unit that leaves no fraction.

    >>> written(2 << 30), written(513 << 20), written(8_000_000_000)
    ('2GiB', '513MiB', '8GB')
    """
    for unit in ("TiB", "GiB", "MiB", "GB", "MB", "KiB", "KB"):
        if size_bytes and not size_bytes % _BYTES[unit]:
            return f"{size_bytes // _BYTES[unit]}{unit}"
    return f"{size_bytes}B"


def offset(size_bytes: int) -> str:
    """A place on a disk, in whole MiB, as templates write it."""
    return f"{size_bytes // MIB}MiB"
