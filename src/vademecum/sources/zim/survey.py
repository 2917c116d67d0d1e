"""Scan the directory of an archive: articles in storage order, and their names.

An encyclopaedia has millions of entries. For each entry, a few numbers are stored, about 15 bytes in total. Entries
with names are read again when their turn comes.
"""

import hashlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate

from vademecum.core.documents import DocumentRef, Problem
from vademecum.sources._problems import problem
from vademecum.sources.zim.archive import Archive
from vademecum.sources.zim.directory import Item

_BUCKETS = 256


class Titles:
    """Titles as 64-bit hashes, eight bytes each. Add all titles, then sort, then count."""

    def __init__(self) -> None:
        self._buckets = [array("q") for _ in range(_BUCKETS)]

    def add(self, title: str) -> None:
        """Add a title."""
        number = hash(title)
        self._buckets[number % _BUCKETS].append(number)

    def sort(self) -> None:
        """Prepare for counting. One bucket is sorted at a time, because sorting converts the numbers to objects."""
        for place, bucket in enumerate(self._buckets):
            self._buckets[place] = array("q", sorted(bucket))

    def count(self, title: str) -> int:
        """Return how many of the titles equal this one."""
        number = hash(title)
        bucket = self._buckets[number % _BUCKETS]
        return bisect_right(bucket, number) - bisect_left(bucket, number)


_NEITHER, _ARTICLE, _REDIRECT, _LOOP, _OUTSIDE = range(5)
_MOST_HOPS = 32
_MOST_NAMES = 1000


class Survey:
    """The articles of an archive, each with the redirects that lead to it."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._item = archive.directory.item
        count = len(archive.directory)
        self._kinds = bytearray(count)
        self._places = array("I", bytes(4 * count))  # the cluster of an article, the target of a redirect
        self._titles = Titles()
        self._look()
        self._titles.sort()
        self._follow()

    def refs(self) -> Iterator[DocumentRef | Problem]:
        """Yield articles by cluster and position in it, then redirects without a target."""
        checksum = self._archive.checksum
        size_bytes = self._archive.parts.size // max(1, self._kinds.count(_ARTICLE))
        redirects, firsts = self._grouped(_REDIRECT, len(self._kinds))
        articles, starts = self._grouped(_ARTICLE, self._archive.header.clusters)
        for cluster in range(self._archive.header.clusters):
            for item in sorted(map(self._item, articles[starts[cluster] : starts[cluster + 1]]), key=_stored):
                names = self._names(item, redirects[firsts[item.number] : firsts[item.number + 1]])
                yield DocumentRef(
                    key=item.key,
                    names=names,
                    fingerprint=fingerprint(checksum, item.number, names),
                    size_bytes=size_bytes,
                )
        yield from self._lost()

    def _look(self) -> None:
        archive = self._archive
        front = archive.front()
        for item in archive.directory.walk():
            if item.target >= 0 and item.namespace == archive.header.content:
                self._kinds[item.number] = _REDIRECT
                self._places[item.number] = item.target
            elif archive.is_article(item) and (front is None or front[item.number]):
                self._kinds[item.number] = _ARTICLE
                self._places[item.number] = item.cluster
                self._titles.add(item.shown_title)

    def _follow(self) -> None:
        """Replace the target of every redirect with the entry at the end of the chain."""
        kinds, places = self._kinds, self._places
        for number, kind in enumerate(kinds):
            if kind != _REDIRECT:
                continue
            end, hops = places[number], 0
            while end < len(kinds) and kinds[end] == _REDIRECT and hops < _MOST_HOPS:
                end, hops = places[end], hops + 1
            if end >= len(kinds):
                kinds[number] = _OUTSIDE
            elif kinds[end] in {_REDIRECT, _LOOP, _OUTSIDE}:
                kinds[number] = _LOOP if kinds[end] == _REDIRECT else kinds[end]
            else:
                places[number] = end

    def _grouped(self, kind: int, groups: int) -> "tuple[array[int], array[int]]":
        """Return the entries of a kind, ordered by place, and the offset in that order at which each place begins."""
        kinds, places = self._kinds, self._places
        starts = array("I", bytes(4 * (groups + 1)))
        for number, its_kind in enumerate(kinds):
            if its_kind == kind:
                starts[places[number]] += 1
        starts = array("I", accumulate(starts))
        order = array("I", bytes(4 * (starts[-1] if groups else 0)))
        for number in range(len(kinds) - 1, -1, -1):
            if kinds[number] == kind:
                starts[places[number]] -= 1
                order[starts[places[number]]] = number
        return order, starts

    def _names(self, item: Item, redirects: "array[int]") -> tuple[str, ...]:
        """Return the reference of an article, then the titles of redirects to it that are not titles of articles."""
        title = reference = item.shown_title
        if not title or self._titles.count(title) > 1:
            reference = f"{title} ({item.key})" if title else item.key
            while self._titles.count(reference):
                reference = f"{reference} ({item.key})"  # it is the title of another article
        names = {reference: None}
        for number in redirects[:_MOST_NAMES]:
            name = self._item(number).shown_title
            if name and not self._titles.count(name):
                names[name] = None
        return tuple(names)

    def _lost(self) -> Iterator[Problem]:
        for number, kind in enumerate(self._kinds):
            if kind == _LOOP:
                place = self._item(number).key
                yield problem("zim", place, "redirect-loop", "It leads back to itself, or on and on.")
            elif kind == _OUTSIDE:
                place = self._item(number).key
                yield problem(
                    "zim", place, "redirect-out-of-range", "It leads to an entry that is not there."
                )


def _stored(item: Item) -> tuple[int, int]:
    return item.blob, item.number


def fingerprint(checksum: str, number: int, names: tuple[str, ...]) -> str:
    """Return the fingerprint of an article: its archive, its position in the directory, and its names."""
    digest = hashlib.blake2b("\0".join(names).encode(), digest_size=8).hexdigest()
    return f"{checksum[:16]}-{number:x}-{digest}"


def place_of(known_by: str, checksum: str) -> int:
    """Return the position in the directory that a fingerprint contains, or -1 if it is of another archive."""
    parts = known_by.split("-")
    if len(parts) != 3 or parts[0] != checksum[:16]:
        return -1
    try:
        return int(parts[1], 16)
    except ValueError:
        return -1
