"""Sizes of disks that a request names: "disk size 32GiB", "more than twenty gigabytes"."""

from typing import NamedTuple

from vademecum.desks.composer.patterns import Pattern

_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10, "twelve": 12, "sixteen": 16,
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100,
}  # fmt: skip
_LEAST = "more than|over|above|bigger than|larger than|at least|no less than|minimum of"
_MOST = "less than|under|below|smaller than|at most|up to|no more than|maximum of|not more than"
_SIZE = Pattern(
    rf"(?:\b(?P<least>{_LEAST})\s+|\b(?P<most>{_MOST})\s+)?(?P<number>\b\d{{1,6}}(?:\.\d+)?|\b(?:{'|'.join(_NUMBERS)})\b)"
    r"[\s-]*(?P<unit>[gmt](?:ib?|b)?|(?:giga|mega|tera)bytes?)\b"
)
_UNITS = {"m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_STRICT = frozenset(
    [
        "more than",
        "over",
        "above",
        "bigger than",
        "larger than",
        "less than",
        "under",
        "below",
        "smaller than",
    ]
)


class Size(NamedTuple):
    """A size that is asked for.

    Attributes:
        least_bytes: The disk must have as many; `None` for no bound.
        most_bytes: It must not have more.
        said: The words.
    """

    least_bytes: int | None
    most_bytes: int | None
    said: str

    def fits(self, size_bytes: int | None) -> bool:
        """Whether a disk is of that size. Gigabytes of 1000 and of 1024 count as the same."""
        if size_bytes is None:
            return False
        return (self.least_bytes is None or size_bytes >= self.least_bytes) and (
            self.most_bytes is None or size_bytes <= self.most_bytes
        )


def size_in(query: str) -> Size | None:
    """The first size that a request names.

    >>> size_in("disk of 8 GB").fits(8 << 30), size_in("more than twenty gigabytes").fits(20 << 30)
    (True, False)
    """
    found = _SIZE.search(query)
    if not found:
        return None
    number = _NUMBERS.get(found["number"].lower()) or float(found["number"])
    size_bytes = int(number * _UNITS[found["unit"][0].lower()])
    step = 1 if (found["least"] or found["most"] or "").lower() in _STRICT else 0
    if found["least"]:
        return Size(size_bytes + step, None, found[0])
    if found["most"]:
        return Size(None, size_bytes - step, found[0])
    return Size(size_bytes, size_bytes, found[0])
