"""Passages: the citable ranges of a document, and the stored record of a document."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from vademecum.core.documents import Block, BlockKind

SECTION, OPTION, ITEM = range(3)
"""The kinds of passages: part of a section, an option with its description, or another tagged list item."""


class Passage(NamedTuple):
    """A citable range of a document's text. Offsets count code points.

    Attributes:
        kind: `SECTION`, `OPTION` or `ITEM`.
        start: The first code point.
        end: The end (exclusive).
        tag_end: The end (exclusive) of the tag of an option or item; otherwise equal to `start`.
        heading: The path of its headings (`OPTIONS > Output`), or "".
        anchor: The fragment that addresses it within the document, or "".
        blocks: The blocks of the document that it overlaps, in order, headings included.
    """

    kind: int
    start: int
    end: int
    tag_end: int
    heading: str
    anchor: str
    blocks: tuple[Block, ...] = ()


_BLOCK_KINDS: dict[str, BlockKind] = {
    "h": "heading",
    "p": "paragraph",
    "i": "item",
    "c": "code",
    "t": "table",
}


def outline_of(blocks: Iterable[Block]) -> str:
    """Return blocks as they are stored: a line for each, with its kind, level, distance, length, tag length and anchor.

    >>> outline_of([Block("item", 10, 30, 1, "R", 14)])
    'i1 10 20 4 R'
    """
    lines, before = [], 0
    for block in blocks:
        tag = max(0, block.tag_end - block.start)
        anchor = " ".join(block.anchor.split())
        lines.append(
            f"{block.kind[0]}{block.level} {block.start - before} {block.end - block.start} {tag} {anchor}"
        )
        before = block.start
    return "\n".join(lines)


def blocks_in(outline: str) -> tuple[Block, ...]:
    """Return the blocks that `outline_of` has written.

    Raises:
        ValueError: The outline is damaged.
    """
    found, start = [], 0
    for line in outline.split("\n") if outline else ():
        kind, distance, length, tag, anchor = line.split(" ", 4)
        start += int(distance)
        of_kind = _BLOCK_KINDS.get(kind[:1], "paragraph")
        found.append(Block(of_kind, start, start + int(length), int(kind[1:]), anchor, start + int(tag)))
    return tuple(found)


OF_FILE = re.compile(r"([\w.+:@\[-]+\((?:\d\w*|n)\)): (.+)", re.DOTALL)
"""The reference of the page about a file, and a line of such a file."""


class MetNeed(NamedTuple):
    """A need (`core.documents.Need`), the positions of the passages of its document that meet it (often empty), and its line."""

    text: str
    passages: tuple[int, ...]
    line: str = ""


class Wording(NamedTuple):
    """A text to embed, with its terms from the lexical step, so that it is not tokenized twice."""

    text: str
    terms: Sequence[str]


class SparseVector(NamedTuple):
    """Weights by term. `terms` is in ascending order and has no duplicates."""

    terms: list[int]
    weights: list[float]


DOCUMENT_STEPS = 512
"""The number of steps per unit of the weight of a term in a document: weights are multiples of 1/512."""

QUESTION_STEPS = 128
"""The same for a term in a question: weights are multiples of 1/128, and scores therefore multiples of 1/65536."""

WHOLE = 64
"""The full weight of a document in the term statistics."""


class TermSteps(NamedTuple):
    """Weights by term, as whole numbers of steps, at least 1. `terms` has no duplicates."""

    terms: list[int]
    steps: list[int]


class Entry(NamedTuple):
    """The record of a document in an index: enough to search, cite and reindex it.

    Attributes:
        key: As in `Document.key`.
        fingerprint: The `DocumentRef.fingerprint` at the time of reading.
        digest: The SHA-256 hash of the document, in hexadecimal.
        reference: Its reference (`chmod(1)`).
        title: Its title.
        summary: Its one-line description, or "".
        names: All references to it, its own first.
        links: The references of documents that it links to.
        text: The whole text.
        passages: Its passages, in reading order.
        needs: The needs that it meets.
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
    """An entry as sparse vectors, with weights in steps of 1/`DOCUMENT_STEPS`.

    Attributes:
        page: The vector of the whole document, all fields weighted together.
        passages: One vector for each passage, in order.
        needs: One vector for each need, in order.
        windows: The set of terms of each window of the document. The last set has the terms that are in no window.
        share: The weight of one of its windows, in 1/64.
        weight: The number of windows of the document, times `share`.
        texts: The terms of each passage with those of its headings and title, with repetitions.
    """

    page: TermSteps
    passages: tuple[TermSteps, ...]
    needs: tuple[TermSteps, ...]
    windows: tuple[Collection[int], ...]
    share: int
    weight: int
    texts: tuple[list[int], ...] = ()

    @property
    def counts(self) -> dict[int, int]:
        """The number of windows that contain each term, times `share`."""
        counted = Counter(chain.from_iterable(self.windows))
        return {term: self.share * count for term, count in counted.items()}
