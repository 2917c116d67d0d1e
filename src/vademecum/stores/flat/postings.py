"""Postings: the documents or passage texts with each term, and its weight. One memory-mapped, immutable file.

The file contains a header, the terms in ascending order, the offset of the list of each term, the maximum weight in
each list, the numbers of all lists concatenated, and their weights in steps of 1/`DOCUMENT_STEPS`. Scores are sums of
integers, so that they do not depend on the order of addition.
"""

import sys
from array import array
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from heapq import nlargest
from itertools import accumulate, pairwise
from pathlib import Path
from struct import Struct, error
from typing import NamedTuple, Self

from vademecum.core.errors import IndexCorrupt
from vademecum.core.passages import DOCUMENT_STEPS, QUESTION_STEPS, TermSteps
from vademecum.stores.flat.tables import map_file

_HEADER = Struct("=8sQQ")
_MAGIC = b"postings"
_HIGH, _LOW = (1, 0) if sys.byteorder == "little" else (0, 3)
"""The positions of the number (32 bits) and the weight (16 bits) in a posting of 64 bits."""

_SCANNED_FOR_ONE = 30
"""The number of postings that can be read in the time of looking up one number in their list."""


class PostingsWriter:
    """A writer that collects postings in memory; `commit` writes them."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lists: defaultdict[int, array[int]] = defaultdict(partial(array, "Q"))

    def add(self, number: int, words: TermSteps) -> None:
        """Add a document or passage text. Numbers must ascend from call to call."""
        lists = map(self._lists.__getitem__, words.terms)
        deque(map(array.append, lists, map((number << 32).__or__, words.steps)), maxlen=0)

    def commit(self) -> None:
        """Write the file. The caller makes it durable."""
        terms = array("I", sorted(self._lists))
        postings = array("Q")
        lengths = array("I")
        for term in terms:
            found = self._lists.pop(term)
            lengths.append(len(found))
            postings.extend(found)
        every = memoryview(postings).cast("B")
        weights = array("H", every.cast("H")[_LOW::4].tobytes())
        offsets = array("I", accumulate(lengths, initial=0))
        greatest = array("H", (max(weights[start:end]) for start, end in pairwise(offsets)))
        if len(greatest) % 2:
            greatest.append(0)
        with self._file.open("wb") as file:
            file.write(_HEADER.pack(_MAGIC, len(terms), len(postings)))
            for column in (terms, offsets, greatest):
                file.write(column)
            file.write(every.cast("I")[_HIGH::2].tobytes())
            file.write(weights)


class _List(NamedTuple):
    """The postings of a query term: the most it can add to a score, its weight in the query, and their range."""

    bound: int
    step: int
    start: int
    end: int


class Postings:
    """A committed file of postings, read in place."""

    __slots__ = ("_file", "_greatest", "_numbers", "_offsets", "_steps", "_terms")

    _file: Path | str
    _terms: Sequence[int]
    _offsets: Sequence[int]
    _greatest: Sequence[int]
    _numbers: "memoryview[int] | array[int]"
    _steps: "memoryview[int] | array[int]"

    def __init__(self, file: Path) -> None:
        self._file = file
        data = map_file(file, scattered=True)
        try:
            magic, count, postings = _HEADER.unpack_from(data)
        except error:
            magic, count, postings = b"", 0, 0
        sizes = (4 * count, 4 * (count + 1), 2 * (count + count % 2), 4 * postings, 2 * postings)
        if magic != _MAGIC or len(data) != _HEADER.size + sum(sizes):
            raise self._damaged("its header does not fit it")
        edges = accumulate(sizes, initial=_HEADER.size)
        terms, offsets, greatest, numbers, steps = (data[start:end] for start, end in pairwise(edges))
        self._terms, self._offsets, self._numbers = terms.cast("I"), offsets.cast("I"), numbers.cast("I")
        self._greatest, self._steps = greatest.cast("H"), steps.cast("H")

    @classmethod
    def of(cls, lists: Mapping[int, tuple["array[int]", "array[int]"]]) -> Self:
        """Return postings in memory, given the numbers (ascending) and weights of each term."""
        made = cls.__new__(cls)
        made._fill(lists)  # noqa: SLF001 - of this class
        return made

    def _fill(self, lists: Mapping[int, tuple["array[int]", "array[int]"]]) -> None:
        self._file, self._terms = "memory", sorted(lists)
        self._numbers, self._steps = array("I"), array("H")
        self._offsets, self._greatest = array("I", [0]), array("H")
        for term in self._terms:
            numbers, steps = lists[term]
            self._numbers.extend(numbers)
            self._steps.extend(steps)
            self._offsets.append(len(self._numbers))
            self._greatest.append(max(steps))

    def each(self) -> Iterator[tuple[int, "array[int]", "array[int]"]]:
        """Yield every term with its numbers and weights, in ascending order of terms."""
        for at, term in enumerate(self._terms):
            start, end = self._offsets[at], self._offsets[at + 1]
            yield term, array("I", self._numbers[start:end]), array("H", self._steps[start:end])

    def search(
        self, query: TermSteps, limit: int, among: Collection[int] | None = None, *, least: float = 0.0
    ) -> list[tuple[int, float]]:
        """Return the best numbers by their sum over the query terms, as (number, score); best first, ties by number.

        Terms that can add most are processed first. Once no new number can reach the best `limit`, the remaining terms
        are only added to the numbers that can still be among them (MaxScore; Turtle & Flood, Information Processing &
        Management 1995).

        Args:
            query: The terms and their weights in steps of 1/`QUESTION_STEPS`.
            limit: The maximum number of results.
            among: If given, the only numbers to consider.
            least: The minimum score of a result. A higher minimum means that less is read.
        """
        if limit < 1:
            return []
        lists = self._lists(query)
        scores: dict[int, int] = {} if among is None else dict.fromkeys(among, 0)
        lowest = round(least * DOCUMENT_STEPS * QUESTION_STEPS)
        reachable, rest = 0, sum(one.bound for one in lists)
        if among is None:
            for position, found in enumerate(lists):
                if reachable > rest and len(scores) >= limit:
                    lowest = max(lowest, nlargest(limit, scores.values())[-1])
                if lowest > rest:
                    lowest, scores = self._reaching(lowest, scores, rest, limit)
                    lists = lists[position:]
                    break
                self._gather(scores, found)
                reachable += found.bound
                rest -= found.bound
            else:
                lists = []
        for found in lists:
            self._add(scores, found)
            if among is None:
                rest -= found.bound
                lowest, scores = self._reaching(lowest, scores, rest, limit)
        if len(scores) > limit:
            lowest = max(lowest, nlargest(limit, scores.values())[-1])
        best = [(-score, number) for number, score in scores.items() if score >= lowest and score]
        best.sort()
        return [(number, -score / (DOCUMENT_STEPS * QUESTION_STEPS)) for score, number in best[:limit]]

    def weights(self, terms: Sequence[int], numbers: Collection[int]) -> list[dict[int, float]]:
        """Return, for each term, its weight in each of these numbers that contains it."""
        found = []
        for term in terms:
            weights = dict.fromkeys(numbers, 0)
            for of_term in self._lists(TermSteps([term], [1])):
                self._add(weights, of_term)
            found.append({number: steps / DOCUMENT_STEPS for number, steps in weights.items() if steps})
        return found

    def scores(self, query: TermSteps, numbers: Collection[int]) -> dict[int, float]:
        """Return the score of each of these numbers that contains a term of the query."""
        return dict(self.search(query, len(numbers), numbers))

    def _lists(self, query: TermSteps) -> list[_List]:
        """Return the postings of the query terms that exist. Terms that can add most come first."""
        found = []
        for term, step in zip(query.terms, query.steps, strict=True):
            at = bisect_left(self._terms, term)
            if at < len(self._terms) and self._terms[at] == term:
                start, end = self._offsets[at], self._offsets[at + 1]
                if not start < end <= len(self._numbers):
                    raise self._damaged("a list ends before it begins")
                found.append(_List(step * self._greatest[at], step, start, end))
        found.sort(reverse=True)
        return found

    @staticmethod
    def _reaching(lowest: int, scores: dict[int, int], rest: int, limit: int) -> tuple[int, dict[int, int]]:
        """Return the minimum score of the best, and the scores that can still reach it if at most `rest` is added."""
        if len(scores) > limit:
            lowest = max(lowest, nlargest(limit, scores.values())[-1])
        needed = lowest - rest
        return lowest, {number: score for number, score in scores.items() if score >= needed}

    def _gather(self, scores: dict[int, int], found: _List) -> None:
        """Add a list to the scores, including numbers without a score so far."""
        numbers, steps = self._numbers[found.start : found.end], self._steps[found.start : found.end]
        step = found.step
        if not scores:
            scores.update(zip(numbers.tolist(), map(step.__mul__, steps.tolist()), strict=True))
            return
        known = scores.get
        for number, weight in zip(numbers.tolist(), steps.tolist(), strict=True):
            scores[number] = known(number, 0) + step * weight

    def _add(self, scores: dict[int, int], found: _List) -> None:
        """Add a list to existing scores, by reading it or by looking up each number, whichever is less work."""
        _, step, start, end = found
        numbers, steps = self._numbers, self._steps
        if end - start <= _SCANNED_FOR_ONE * len(scores):
            listed = zip(numbers[start:end].tolist(), steps[start:end].tolist(), strict=True)
            for number, weight in listed:
                if number in scores:
                    scores[number] += step * weight
            return
        for number in scores:
            at = bisect_left(numbers, number, start, end)
            if at < end and numbers[at] == number:
                scores[number] += step * steps[at]

    def _damaged(self, what: str) -> IndexCorrupt:
        message = f"A part of the index at {self._file} is damaged ({what})."
        return IndexCorrupt(message, hint="Rebuild the index with: ragadmin reindex --full")
