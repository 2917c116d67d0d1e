"""Which titles several articles have, of millions, without keeping the titles."""

from array import array
from bisect import bisect_left, bisect_right

_BUCKETS = 256


class Titles:
    """Titles as hashes of 64 bits, eight bytes each. Add all, then sort, then ask."""

    def __init__(self) -> None:
        self._buckets = [array("q") for _ in range(_BUCKETS)]

    def add(self, title: str) -> None:
        """Take in one title."""
        number = hash(title)
        self._buckets[number % _BUCKETS].append(number)

    def sort(self) -> None:
        """Make it ready to be asked. A part at a time: sorting makes objects of numbers."""
        for place, bucket in enumerate(self._buckets):
            self._buckets[place] = array("q", sorted(bucket))

    def count(self, title: str) -> int:
        """How many of the titles are this one."""
        number = hash(title)
        bucket = self._buckets[number % _BUCKETS]
        return bisect_right(bucket, number) - bisect_left(bucket, number)
