"""The documents that a question is asked of, and the rating that each kind of document gets for it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from math import inf, log
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from vademecum.core.answers import Reference
from vademecum.core.evidence import Draft, DraftStatement, Evidence
from vademecum.core.trace import Json
from vademecum.index.reader.current import with_named_pages
from vademecum.index.reader.index import Index
from vademecum.retrieval.question.question import Question

if TYPE_CHECKING:
    from vademecum.ask.hits import SourcedHit
    from vademecum.ask.sites import Site
    from vademecum.core.answers import Hit

PASSAGES, CHOSEN = 10, 3
"""How many passages of running text are considered, and how many of them an answer may use."""

_SURE = 1e-6


def log_odds(chance: float) -> float:
    """Return the log odds of a probability (0-1). Values near 0 and 1 are clipped, so that the result is finite."""
    inside = min(max(chance, _SURE), 1 - _SURE)
    return log(inside / (1 - inside))


class Corpus:
    """Documents that a question is asked of: those of a library, or of some of its sources.

    Attributes:
        index: The searchable documents.
        threshold: The minimum confidence (0-1) of an answer.
        source: The name of the collection; "" to use the alias of each document's source.
        site: The site where the documents can be read; None to use the addresses of their sources.
    """

    __slots__ = ("index", "site", "source", "threshold")

    def __init__(self, index: Index, threshold: float, source: str = "", site: "Site | None" = None) -> None:
        self.index, self.threshold, self.source, self.site = index, threshold, source, site

    def naming(self, text: str) -> "Corpus":
        """Return the corpus with the pages that a text names, if not all pages have been read yet."""
        index = with_named_pages(self.index, text)
        return self if index is self.index else Corpus(index, self.threshold, self.source, self.site)


class Limits(NamedTuple):
    """How many passages, and how much text, an answer may use.

    Attributes:
        passages: How many passages of running text are considered.
        chosen: How many of them an answer may use.
        cosine: The minimum cosine similarity to the question; None for no minimum.
        characters: The maximum amount of running text as evidence, in characters.
    """

    passages: int = PASSAGES
    chosen: int = CHOSEN
    cosine: float | None = None
    characters: float = inf


USUAL = Limits()


class Rated(ABC):
    """The rating of the documents of one kind for a question.

    Attributes:
        question: The question, analysed with the vocabulary of these documents.
        index: The index of these documents; the best one if they are in several.
        sources: The collections that contain them.
        threshold: The minimum confidence of an answer.
        answerability: The probability (0-1) that they contain an answer.
    """

    question: Question
    index: Index
    sources: Sequence[str]
    threshold: float
    answerability: float
    in_own_words: ClassVar[bool] = False
    """Whether the answer must be in the words of the documents, even if a model is configured."""

    sooner: ClassVar[float] = 0.0
    """Log odds added to the confidence when kinds of documents compete."""

    if TYPE_CHECKING:

        @property
        def confidence(self) -> float:
            """The probability (0-1) that the answer is right; never above `answerability`."""

        @property
        def reasons(self) -> Sequence[str]:
            """Why the confidence is low, most important first."""

    @property
    def margin(self) -> float:
        """The log odds that different kinds of documents are compared by."""
        return log_odds(self.confidence) + self.sooner

    @property
    def answers(self) -> bool:
        """Return whether the confidence reaches the threshold."""
        return self.confidence >= self.threshold

    @property
    @abstractmethod
    def found(self) -> bool:
        """Return whether any document shares a word with the question."""

    @abstractmethod
    def evidence(self, limits: Limits) -> tuple[list[Evidence], list[str]]:
        """Return the documents to answer from, best first, and their names for the trace."""

    @abstractmethod
    def draft(self, evidence: Sequence[Evidence]) -> Draft:
        """Compose an answer in the words of the documents."""

    def choices(
        self,
        evidence: Sequence[Evidence],
        limits: Limits,  # noqa: ARG002 - for running text
    ) -> tuple[Sequence[Evidence], Iterator[DraftStatement]]:
        """Return the documents that a model can choose an answer from, and their statements, best first.

        Args:
            evidence: The documents that the answer without a model is from.
            limits: Which passages of running text an answer may use.
        """
        draft = self.draft(evidence)
        return evidence, iter((*draft.steps, *draft.summary))

    @abstractmethod
    def nearest(self, most: int) -> list[tuple[str, Reference]]:
        """Return the nearest documents, each with its collection."""

    @abstractmethod
    def results(self, limit: int) -> "list[Hit]":
        """Return the best documents, each with its best passage, as unranked search results."""

    @abstractmethod
    def passages(self, limit: int) -> "list[SourcedHit]":
        """Return the best passages, each with its collection; one passage per manual page."""

    def others(self) -> list[Reference]:
        """Return documents that may answer equally well."""
        return []

    def missing(self) -> tuple[str, ...]:
        """Return pages that the question names but that do not exist."""
        return ()

    def notes(self) -> tuple[str, ...]:
        """Return what a reader must know of the answer: what it leaves out, and whether its line destroys something."""
        return ()

    @abstractmethod
    def lacking(self) -> tuple[str, ...]:
        """Return sentences about what the answer lacks; empty if it is complete."""

    def noted(self, limits: Limits) -> dict[str, Json]:  # noqa: ARG002 - few kinds have any
        """Describe the effect of the limits, for the trace."""
        return {}

    @abstractmethod
    def retrieved(self) -> dict[str, Json]:
        """Describe the candidates, for the trace."""

    @abstractmethod
    def evaluated(self) -> dict[str, Json]:
        """Describe the ranking, for the trace."""
