"""The documents that a question is asked of, the rating that each kind of document gets for it, and the decision between them."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from vademecum.core.answers import LineNotes, Reference
from vademecum.core.errors import VademecumError
from vademecum.core.evidence import Draft, DraftStatement, Evidence
from vademecum.core.fitted import log_odds
from vademecum.core.trace import Json, Trace
from vademecum.index.reader.current import with_named_pages
from vademecum.index.reader.index import Index
from vademecum.retrieval.question.question import Question

if TYPE_CHECKING:
    from vademecum.answering.selection import Proof
    from vademecum.ask.hits import SourcedHit
    from vademecum.ask.sites import Site

PASSAGES, CHOSEN = 10, 3
"""How many passages of running text are considered, and how many of them an answer may use."""


class Corpus:
    """Documents that a question is asked of: those of a library, or of some of its sources.

    Attributes:
        threshold: The minimum confidence (0-1) of an answer.
        source: The name of the collection; "" to use the alias of each document's source.
        site: The site where the documents can be read; None to use the addresses of their sources.
        selected: The selection that the documents consist of, if they are one.
        faults: The errors of its parts on servers that could not be searched.
    """

    __slots__ = ("faults", "index", "selected", "site", "source", "threshold")

    def __init__(
        self,
        index: Index,
        threshold: float,
        source: str = "",
        site: "Site | None" = None,
        selected: "Selected | None" = None,
    ) -> None:
        self.index, self.threshold, self.source, self.site = index, threshold, source, site
        self.selected = selected
        self.faults: Sequence[VademecumError] = ()

    def of(self, index: Index) -> "Corpus":
        """Return the same with another index."""
        return Corpus(index, self.threshold, self.source, self.site, self.selected)

    def naming(self, text: str) -> "Corpus":
        """Return the corpus with the pages that a text names, if not all have been read yet, and with records of collections of others."""
        if self.selected:
            return self
        found = self.of(with_named_pages(self.index, text))
        if found.index.manifest.collections:
            from vademecum.index.records import with_records  # noqa: PLC0415 - most have none

            found.index, found.faults = with_records(found.index, text)
        return found


class Selected(NamedTuple):
    """A selection.

    Attributes:
        start: The first code point of the selection in the document's text.
        end: The end (exclusive).
        is_located: Whether a document contains it.
        numbers: The number that each of its passages has in the document.
    """

    reference: str
    start: int
    end: int
    is_located: bool
    numbers: Sequence[int]

    @property
    def length(self) -> int:
        """The number of characters."""
        return self.end - self.start

    def place(self) -> dict[str, Json]:
        """Describe the place of the selection, for the trace."""
        return {"located": self.is_located, "reference": self.reference, "start": self.start, "end": self.end}


class Limits(NamedTuple):
    """How many passages and lines, and how much text, an answer may use.

    Attributes:
        passages: How many passages of running text are considered.
        chosen: How many of them an answer may use.
        lines: How many lines of tasks are shown, if the first one is not clearly ahead.
        cosine: The minimum cosine similarity to the question; None for no minimum.
        characters: The maximum amount of running text as evidence, in characters.
    """

    passages: int = PASSAGES
    chosen: int = CHOSEN
    lines: int = 3
    cosine: float | None = None
    characters: float = inf


USUAL = Limits()
MORE = Limits(passages=2 * PASSAGES, chosen=2 * CHOSEN, lines=9)


class Rated(ABC):
    """The rating of the documents of one kind for a question.

    Attributes:
        question: The question, analysed with the vocabulary of these documents.
        index: The index of these documents; the best one if they are in several.
        threshold: The minimum confidence of an answer.
        answerability: The probability (0-1) that they contain an answer.
    """

    question: Question
    index: Index
    sources: Sequence[str]
    threshold: float
    answerability: float
    sooner: ClassVar[float] = 0.0
    """Log odds added to the confidence when kinds of documents compete."""

    least_guess: ClassVar[float] = 1.0
    """The minimum confidence of an answer that is shown as a guess."""

    if TYPE_CHECKING:

        @property
        def confidence(self) -> float:
            """The probability (0-1) that the first thing shown is right."""

        @property
        def reasons(self) -> Sequence[str]:
            """Why the confidence is low, most important first."""

    @property
    def margin(self) -> float:
        """The log odds that different kinds of documents are compared by."""
        return log_odds(self.confidence) + self.sooner

    @property
    def in_own_words(self) -> bool:
        """Return whether the answer must be in the words of the documents, even if a model is configured."""
        return False

    @property
    def answers(self) -> bool:
        """Return whether the confidence reaches the threshold."""
        return self.confidence >= self.threshold

    @property
    def is_guess(self) -> bool:
        """Return whether the nearest thing is shown, although the confidence does not reach the threshold."""
        return not self.answers and self.confidence >= self.least_guess

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
        names: Sequence[str] = (),  # noqa: ARG002 - for documents that can be searched for more
    ) -> tuple[Sequence[Evidence], Iterator[DraftStatement]]:
        """Return the documents that a model can choose an answer from, and their statements, best first.

        Args:
            evidence: The documents that the answer without a model is from.
            limits: Which passages of running text an answer may use.
            names: Names of manual pages that the model named; those that exist are included.
        """
        draft = self.draft(evidence)
        return evidence, iter((*draft.steps, *draft.summary))

    def prove(self, line: str) -> "Proof | str":  # noqa: ARG002 - for manual pages
        """Return the proof of a command line that a model wrote, or why it does not hold."""
        return "No manual page is searched."

    @property
    def takes_names(self) -> bool:
        """Return whether `choices` can include documents that a model names."""
        return False

    @property
    def asks_for_line(self) -> bool:
        """Return whether a command line would answer the question."""
        return False

    @abstractmethod
    def nearest(self, most: int) -> list[tuple[str, Reference]]:
        """Return the nearest documents, each with its collection."""

    @abstractmethod
    def passages(self) -> "Iterator[SourcedHit]":
        """Yield the passages with their collections, best first; one passage per manual page."""

    def others(self) -> list[Reference]:
        """Return documents that may answer equally well."""
        return []

    def carried(self) -> "Rated":
        """Return the rating of a question that was read with words of earlier ones, which are optional."""
        return self

    def names(self, word: str) -> bool:  # noqa: ARG002 - for running text
        """Return whether the first thing shown contains a word."""
        return False

    def missing(self) -> tuple[str, ...]:
        """Return pages that the question names but that do not exist."""
        return ()

    def notes(self) -> LineNotes:
        """Return what a reader must know of the lines of the answer."""
        return LineNotes()

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


class Decision(NamedTuple):
    """The documents that a question is answered from; `path.decide` makes it.

    Attributes:
        read_as: The resolved question, if it is a follow-up; otherwise "".
        rated: The kind of document that most probably answers.
        others: The other kinds, most probable first.
        faults: Errors of corpora that could not be searched.
        evidence: The documents to answer from; empty for a refusal.
        chosen: The references of these documents; for running text, the ids of the chosen passages.
        room: The maximum length of question and answer together, in characters.
        confidence: The probability (0-1) that the first thing shown is right: that of `rated`, until a model has chosen.
        is_guess: Whether the confidence is below the threshold, and the nearest thing is shown all the same.
        lines: Notes on the lines that a model chose; None for those of `rated`.
    """

    asked: str
    read_as: str
    rated: Rated
    others: Sequence[Rated]
    faults: Sequence[VademecumError]
    evidence: Sequence[Evidence]
    chosen: Sequence[str]
    room: float
    trace: Trace
    confidence: float
    limits: Limits = USUAL
    is_guess: bool = False
    lines: LineNotes | None = None
