"""Passages: the citable ranges of a document, and the stored record of a document."""

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import NamedTuple

SECTION, OPTION, ITEM = range(3)
"""Kinds of passage: a part of a section; an option with its text; any other tagged entry of a list."""

KIND_NAMES = ("section", "option", "item")


class Passage(NamedTuple):
    """A citable stretch of a document's text. Offsets count code points.

    Attributes:
        kind: `SECTION`, `OPTION` or `ITEM`.
        start: First code point.
        end: One past the last.
        tag_end: Of an option or item, one past its tag; else equal to `start`.
        heading: Path of headings it is under (`OPTIONS > Output`), or "".
        anchor: The fragment that addresses it within the document, or "".
    """

    kind: int
    start: int
    end: int
    tag_end: int
    heading: str
    anchor: str


class MetNeed(NamedTuple):
    """A need (`core.documents.Need`), and the passages of its document that meet it, by position; often none."""

    text: str
    passages: tuple[int, ...]


class Wording(NamedTuple):
    """A text to be embedded, and the terms the lexical step made of it, so that nothing is tokenised twice."""

    text: str
    terms: Sequence[str]


class SparseVector(NamedTuple):
    """Weights by term; `terms` ascend and have no repeats."""

    terms: list[int]
    weights: list[float]


DOCUMENT_STEPS = 512
"""The weight of a term in a document comes in steps of 1/512."""

QUESTION_STEPS = 128
"""The weight of a term in a question comes in steps of 1/128. So every score is a whole number of steps of 1/65536."""


class TermSteps(NamedTuple):
    """Weights by term, in whole steps of at least 1; `terms` have no repeats."""

    terms: list[int]
    steps: list[int]


class Entry(NamedTuple):
    """All that an index keeps of one document: enough to search, cite, and rebuild it.

    Attributes:
        key: As in `Document.key`.
        fingerprint: As in `DocumentRef.fingerprint`, when it was read.
        digest: SHA-256 of the document, hexadecimal.
        reference: How people cite it.
        title: What a person reads as its title.
        summary: Its one line, or "".
        names: Every reference it answers to, its own first.
        links: References of other documents it points to.
        text: The whole text.
        passages: In reading order.
        needs: What people want that it answers.
    """

    key: str
    fingerprint: str
    digest: str
    reference: str
    title: str
    summary: str
    names: tuple[str, ...]
    links: tuple[str, ...]
    text: str
    passages: tuple[Passage, ...]
    needs: tuple[MetNeed, ...] = ()


class Encoded(NamedTuple):
    """An entry as vectors, their weights in steps of 1/`DOCUMENT_STEPS`.

    Attributes:
        page: The whole document, all fields weighed together.
        passages: One vector for each passage, in order.
        needs: One vector for each need, in order.
        windows: The terms of each window of the document; last those of the document that are in none.
        share: What a window of it counts for, in 1/64.
        weight: How many windows the document has, times the same.
    """

    page: TermSteps
    passages: tuple[TermSteps, ...]
    needs: tuple[TermSteps, ...]
    windows: tuple[AbstractSet[int], ...]
    share: int
    weight: int

    @property
    def counts(self) -> dict[int, int]:
        """For each term, how many windows of the document have it, times `share`."""
        counted = Counter(chain.from_iterable(self.windows))
        return {term: self.share * count for term, count in counted.items()}
