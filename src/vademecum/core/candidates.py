"""Candidates: documents under consideration for one question, with all their scores."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from vademecum.core.passages import SparseVector


class Place(NamedTuple):
    """A document within an open index: the segment's position, and the document's number there."""

    segment: int
    document: int


class PassageScore(NamedTuple):
    """A passage by its number within its segment, and how well it fits the question."""

    passage: int
    kind: int
    text: int
    score: float


class Page(NamedTuple):
    """What ranking reads of a document: as in `Entry`, and how many documents point to it (`linked`)."""

    reference: str
    names: tuple[str, ...]
    summary: str
    links: tuple[str, ...]
    first_passage: int
    passages: int
    linked: int


class Candidate(NamedTuple):
    """A document under consideration.

    Attributes:
        place: Where it stands in the index.
        page: What ranking reads of it.
        page_score: BM25F of the whole document; 0 when only a passage of it was found.
        passages: Its passages that were found, best first.
        features: Everything that was measured of it, in the order of `retrieval.features.FEATURES`.
        score: What it is ranked by, higher is better.
    """

    place: Place
    page: Page
    page_score: float
    passages: tuple[PassageScore, ...]
    features: tuple[float, ...]
    score: float


class SearchIndex(Protocol):
    """What retrieval asks of an open index. Scores of several segments are comparable."""

    def frequency(self, term: int) -> int:
        """Summed weight, in 1/64, of the windows of live documents that have a term."""
        ...

    def total(self) -> int:
        """Summed weight, in 1/64, of all windows of live documents."""
        ...

    def named(self, name: str) -> Sequence[Place]:
        """The live documents that answer to a name (`chmod`) or reference (`chmod(1)`), whatever its case."""
        ...

    def pages(self, query: SparseVector, limit: int) -> list[tuple[Place, float]]:
        """The best documents, best first."""
        ...

    def passages(self, query: SparseVector, limit: int) -> list[tuple[Place, PassageScore]]:
        """The best passages, best first; a text that many documents share is left out."""
        ...

    def embed(self, terms: Iterable[str]) -> list[float]:
        """The vector of a text given by its terms, of length 1, as the documents were embedded."""
        ...

    def nearest(self, meaning: str, vector: list[float], limit: int) -> list[tuple[Place, float]]:
        """The documents whose dense vector of that name is nearest by cosine, nearest first."""
        ...

    def nearness(self, meaning: str, vector: list[float], places: Sequence[Place]) -> list[float]:
        """The cosine (-1 to 1) with each document's dense vector of that name; 0 where it has none."""
        ...

    def page(self, place: Place) -> Page:
        """What ranking reads of a document."""
        ...

    def passage_text(self, place: Place, passage: int) -> str:
        """The words of a passage of this document."""
        ...

    def page_terms(self, places: Sequence[Place], terms: Sequence[int]) -> list[list[float]]:
        """For each document the weight of each term in it, 0 where it does not occur."""
        ...

    def passage_terms(self, texts: Sequence[tuple[int, int]], terms: Sequence[int]) -> list[list[float]]:
        """The same for passage texts, each given as (segment, text number)."""
        ...
