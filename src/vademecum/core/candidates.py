"""Candidates: the documents considered for a question, with all of their scores."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from vademecum.core.passages import SparseVector, Wording
from vademecum.core.settings import EmbedderName


class DocumentId(NamedTuple):
    """The position of a segment in an open index, and the number of a document in the segment."""

    segment: int
    document: int


class PassageScore(NamedTuple):
    """A passage, its kind, and its text, both by number within the segment, with its score for the question."""

    passage: int
    kind: int
    text: int
    score: float


class PassageFacts(NamedTuple):
    """The data of a passage that ranking uses. Terms are given by number.

    Attributes:
        terms: The terms of its text and headings.
        heading: The terms of its headings.
        title: The terms of its document's title.
        sentences: The terms of each sentence.
        length: The number of terms in its text, including repetitions.
        position: Its index among the passages of its document, from 0.
        of: The number of these passages.
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
        passages: The passages that meet it, by number within the segment; often empty.
        words: The score of its words.
        cosine: Its semantic similarity to the question, from -1 to 1.
        line: The command line that meets it; "" if none is known.
    """

    place: DocumentId
    text: str
    passages: tuple[int, ...]
    words: float
    cosine: float
    line: str = ""


class Page(NamedTuple):
    """The data of a document that ranking uses, as in `Entry`. `linked` is the number of documents that link to it."""

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
        place: Its location in the index.
        page: Its data for ranking.
        page_score: The BM25F score of the whole document; 0 if it was found in another way.
        needs: Its needs that were found, most similar first.
        features: The values of its features, in the order of `retrieval.features.FEATURES`.
        score: The ranking score; higher is better.
    """

    place: DocumentId
    page: Page
    page_score: float
    needs: tuple[FoundNeed, ...]
    features: tuple[float, ...]
    score: float


class UnitNearness(Protocol):
    """A transformer's cosine similarity (-1 to 1) of a question to each unit of running text in an index."""

    def nearest(self, limit: int) -> list[tuple[DocumentId, PassageScore]]:
        """Return the passages with the nearest units, nearest first, each with a score of 0."""
        ...

    def passages(self, passages: Sequence[tuple[DocumentId, int]]) -> list[float]:
        """Return the similarity of the nearest unit of each passage; 0 if it has no units."""
        ...

    def units(self, passages: Iterable[tuple[DocumentId, int]]) -> Callable[[str], float]:
        """Return a function from the embedded text of a unit in these passages to its similarity; 0 for other texts."""
        ...


class SearchIndex(Protocol):
    """The interface of an open index that retrieval uses. Scores from different segments are comparable.

    Attributes:
        embedder: The name, as in the configuration, of the embedder that it was built with.
    """

    embedder: EmbedderName

    def frequency(self, term: int) -> int:
        """Return the total weight, in 1/64, of the windows of live documents that contain a term."""
        ...

    def windows(self) -> float:
        """Return the number of windows of live documents."""
        ...

    def rarity(self, term: int) -> float:
        """Return the inverse document frequency of a term, above 0."""
        ...

    def rarest(self) -> float:
        """Return the rarity of a term that no document contains, as a reference: rarities grow with the collection."""
        ...

    def named(self, name: str) -> Sequence[DocumentId]:
        """Return the live documents with the given name (`chmod`) or reference (`chmod(1)`), ignoring case."""
        ...

    def pages(self, query: SparseVector, limit: int) -> list[tuple[DocumentId, float]]:
        """Return the best documents, best first."""
        ...

    def passages(self, query: SparseVector, limit: int) -> list[tuple[DocumentId, PassageScore]]:
        """Return the best passages, best first, without texts that many documents share."""
        ...

    def searched(
        self, queries: Sequence[tuple[SparseVector, int]], terms: Iterable[int], few: int
    ) -> list[list[tuple[DocumentId, PassageScore]]]:
        """Return the best passages for several queries, each with its limit, with one request to an engine.

        Args:
            queries: The queries. Empty ones find nothing.
            terms: The terms that the passages found will be compared with by `passage_nearness`.
            few: The number of passages up to which all of them are returned, too, as a last list, with a score of 0.
        """
        ...

    def passage_nearness(
        self, terms: Iterable[int], passages: Sequence[tuple[DocumentId, int]]
    ) -> list[float]:
        """Return the cosine (-1 to 1) of terms with each passage, given by document and number."""
        ...

    def unit_nearness(self, question: str) -> UnitNearness | None:
        """Return the similarity of all units to a question, or None if not all units have been embedded."""
        ...

    def prefetch(self, places: Iterable[DocumentId]) -> None:
        """Read documents that will be quoted from an engine, all at once."""
        ...

    def facts(self, place: DocumentId, passage: int) -> PassageFacts:
        """Return the ranking data of a passage of this document."""
        ...

    def document_terms(self, place: DocumentId) -> frozenset[int]:
        """Return the terms of the passages of a document; of a long document, only of its first passages."""
        ...

    def similar(self, term: str) -> Sequence[tuple[int, float]]:
        """Return the indexed terms that are most similar to a term in meaning, as (number, cosine), nearest first."""
        ...

    def embed(self, terms: Iterable[str]) -> list[float]:
        """Return the vector, of length 1, of a text given as terms. It is comparable with others of this method."""
        ...

    def vectors(self, question: Wording) -> Mapping[str, list[float]]:
        """Return the question's vector, of length 1, for each named dense vector, embedded like the documents."""
        ...

    def nearest(self, meaning: str, vector: list[float], limit: int) -> list[tuple[DocumentId, float]]:
        """Return the documents whose dense vector of that name has the highest cosine, nearest first."""
        ...

    def nearness(self, meaning: str, vector: list[float], places: Sequence[DocumentId]) -> list[float]:
        """Return the cosine (-1 to 1) with each document's dense vector of that name; 0 if it has none."""
        ...

    def needs(self, query: SparseVector, vector: list[float], limit: int) -> list[FoundNeed]:
        """Return the needs of live documents that are most similar in words, and in meaning: `limit` of each."""
        ...

    def page(self, place: DocumentId) -> Page:
        """Return the ranking data of a document."""
        ...

    def page_terms(self, places: Sequence[DocumentId], terms: Sequence[int]) -> list[list[float]]:
        """Return the weight of each term in each document; 0 if the document does not contain it."""
        ...

    def passage_terms(self, texts: Sequence[tuple[int, int]], terms: Sequence[int]) -> list[list[float]]:
        """Return the same for passage texts, given as (segment, text number)."""
        ...
