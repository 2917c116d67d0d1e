"""Candidates: the documents considered for a question, with all of their scores."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from vademecum.core.passages import SparseVector, Wording
from vademecum.core.settings import EmbedderName


class DocumentId(NamedTuple):
    """A document within an open index: the segment's position, and the document's number there."""

    segment: int
    document: int


class PassageScore(NamedTuple):
    """A passage by its number within its segment, and how well it fits the question."""

    passage: int
    kind: int
    text: int
    score: float


class PassageFacts(NamedTuple):
    """What ranking reads of a passage, as numbers of terms.

    Attributes:
        terms: Those of its text and headings.
        heading: Those of its headings.
        title: Those of its document's title.
        sentences: Those of each of its sentences.
        length: How many its text has, repeats counted.
        position: Its place among its document's passages, from 0.
        of: How many these are.
    """

    terms: frozenset[int]
    heading: frozenset[int]
    title: frozenset[int]
    sentences: tuple[frozenset[int], ...]
    length: int
    position: int
    of: int


class FoundNeed(NamedTuple):
    """A need that resembles the question.

    Attributes:
        place: The document that answers it.
        text: The need.
        passages: The passages that meet it, by number within the segment; often none.
        words: How well its words fit.
        cosine: How near it is in meaning, -1 to 1.
    """

    place: DocumentId
    text: str
    passages: tuple[int, ...]
    words: float
    cosine: float


class Page(NamedTuple):
    """What ranking reads of a document: as in `Entry`, how many documents point to it (`linked`), and its count of needs."""

    reference: str
    names: tuple[str, ...]
    summary: str
    links: tuple[str, ...]
    first_passage: int
    passages: int
    linked: int
    needs: int


class Candidate(NamedTuple):
    """A document under consideration.

    Attributes:
        place: Where it is in the index.
        page: What ranking reads of it.
        page_score: BM25F of the whole document; 0 when it was found otherwise.
        needs: Its needs that were found, most alike first.
        features: Everything that was measured of it, in the order of `retrieval.features.FEATURES`.
        score: What it is ranked by, higher is better.
    """

    place: DocumentId
    page: Page
    page_score: float
    needs: tuple[FoundNeed, ...]
    features: tuple[float, ...]
    score: float


class UnitNearness(Protocol):
    """How near each unit of an index's running text is to a question, by a transformer: cosines, -1 to 1."""

    def nearest(self, limit: int) -> list[tuple[DocumentId, PassageScore]]:
        """The passages with the nearest units, nearest first, each with a score of 0."""
        ...

    def passages(self, passages: Sequence[tuple[DocumentId, int]]) -> list[float]:
        """How near the nearest unit of each passage is, 0 where it has none."""
        ...

    def units(self, passages: Iterable[tuple[DocumentId, int]]) -> Callable[[str], float]:
        """How near a unit of these passages is, by the words it is embedded as; 0 for other words."""
        ...


class SearchIndex(Protocol):
    """What retrieval asks of an open index. Scores of several segments are comparable.

    Attributes:
        embedder: What it was embedded with, by the name the configuration has for it.
    """

    embedder: EmbedderName

    def frequency(self, term: int) -> int:
        """Summed weight, in 1/64, of the windows of live documents that have a term."""
        ...

    def windows(self) -> float:
        """How many windows of live documents there are."""
        ...

    def rarity(self, term: int) -> float:
        """How rare a term is: its inverse document frequency, above 0."""
        ...

    def rarest(self) -> float:
        """The rarity of a term that no document has: what others are measured by, since they grow with the collection."""
        ...

    def named(self, name: str) -> Sequence[DocumentId]:
        """The live documents that answer to a name (`chmod`) or reference (`chmod(1)`), whatever its case."""
        ...

    def pages(self, query: SparseVector, limit: int) -> list[tuple[DocumentId, float]]:
        """The best documents, best first."""
        ...

    def passages(self, query: SparseVector, limit: int) -> list[tuple[DocumentId, PassageScore]]:
        """The best passages, best first; a text that many documents share is left out."""
        ...

    def passages_of_few(self, most: int) -> list[tuple[DocumentId, PassageScore]]:
        """All passages, with a score of 0, where there are at most so many; none where there are more."""
        ...

    def passage_nearness(
        self, vector: list[float], passages: Sequence[tuple[DocumentId, int]]
    ) -> list[float]:
        """The cosine (-1 to 1) with each passage, given by its document and its number."""
        ...

    def unit_nearness(self, question: str) -> UnitNearness | None:
        """How near every unit is to a question; None where units are not embedded, or not all of them yet."""
        ...

    def prefetch(self, places: Iterable[DocumentId], names: Iterable[str] = ()) -> None:
        """Say that these documents will be read next, and these names looked up: from a store all at once."""
        ...

    def facts(self, place: DocumentId, passage: int) -> PassageFacts:
        """What ranking reads of a passage of this document."""
        ...

    def document_terms(self, place: DocumentId) -> frozenset[int]:
        """The terms of all passages of a document."""
        ...

    def similar(self, term: str) -> Sequence[tuple[int, float]]:
        """The words of the documents that are nearest to a term in meaning, as (number, cosine), nearest first."""
        ...

    def embed(self, terms: Iterable[str]) -> list[float]:
        """The vector of a text given by its terms, of length 1, to be compared with others of this method."""
        ...

    def vectors(self, question: Wording) -> Mapping[str, list[float]]:
        """A question's vector for each dense vector's name, of length 1, as the documents were embedded."""
        ...

    def nearest(self, meaning: str, vector: list[float], limit: int) -> list[tuple[DocumentId, float]]:
        """The documents whose dense vector of that name is nearest by cosine, nearest first."""
        ...

    def nearness(self, meaning: str, vector: list[float], places: Sequence[DocumentId]) -> list[float]:
        """The cosine (-1 to 1) with each document's dense vector of that name; 0 where it has none."""
        ...

    def needs(self, query: SparseVector, vector: list[float], limit: int) -> list[FoundNeed]:
        """The needs of live documents that are most alike by words, and those nearest in meaning: `limit` of each."""
        ...

    def page(self, place: DocumentId) -> Page:
        """What ranking reads of a document."""
        ...

    def page_terms(self, places: Sequence[DocumentId], terms: Sequence[int]) -> list[list[float]]:
        """For each document the weight of each term in it, 0 where it does not occur."""
        ...

    def passage_terms(self, texts: Sequence[tuple[int, int]], terms: Sequence[int]) -> list[list[float]]:
        """The same for passage texts, each given as (segment, text number)."""
        ...
