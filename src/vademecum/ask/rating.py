"""Analyse, retrieve and evaluate: what documents have on a question, each kind by its own method."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import inf, log
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from vademecum.core.answers import Reference
from vademecum.core.errors import AnswerError, VademecumError
from vademecum.core.evidence import Draft, Evidence
from vademecum.core.trace import Json
from vademecum.index.reader.index import Index
from vademecum.retrieval.question.question import Question

if TYPE_CHECKING:
    from vademecum.ask.running_text.passages import SourcedHit
    from vademecum.ask.running_text.sites import Site
    from vademecum.core.hits import Hit

PASSAGES, CHOSEN = 10, 3
"""How many passages of running text are looked at, and how many of them an answer may rest on."""

_SURE = 1e-6


def log_odds(chance: float) -> float:
    """Of a probability in 0-1; of one that is 0 or 1, as if it were nearly so."""
    inside = min(max(chance, _SURE), 1 - _SURE)
    return log(inside / (1 - inside))


class Corpus:
    """Documents as a question is put to them: those of a library, or of some of its sources.

    Attributes:
        index: What may be found.
        threshold: The confidence (0-1) from which they answer.
        source: The collection they are; "" where each goes by the alias of its source.
        site: Where they can be read; None where their sources say so.
    """

    __slots__ = ("index", "site", "source", "threshold")

    def __init__(self, index: Index, threshold: float, source: str = "", site: "Site | None" = None) -> None:
        self.index, self.threshold, self.source, self.site = index, threshold, source, site


class Limits(NamedTuple):
    """How much an answer may rest on.

    Attributes:
        passages: How many passages of running text are looked at.
        chosen: How many of them it may rest on.
        cosine: From which cosine with the question on; None for any.
        characters: Of evidence, of running text.
    """

    passages: int = PASSAGES
    chosen: int = CHOSEN
    cosine: float | None = None
    characters: float = inf


USUAL = Limits()


class Rated(ABC):
    """What the documents of one kind have on a question.

    Attributes:
        question: The question, analysed by the words of these documents.
        index: These documents; the best of them, where they are in several.
        sources: The collections they are in.
        threshold: The confidence from which they answer.
        answerability: Probability in 0-1 that they hold an answer.
    """

    question: Question
    index: Index
    sources: Sequence[str]
    threshold: float
    answerability: float
    in_own_words: ClassVar[bool] = False
    """Whether no model may write the answer."""

    sooner: ClassVar[float] = 0.0
    """How much less likely, in log odds, these may be to answer than others, and still answer."""

    if TYPE_CHECKING:

        @property
        def confidence(self) -> float:
            """Probability in 0-1 that the answer is right; never above `answerability`."""

        @property
        def reasons(self) -> Sequence[str]:
            """Why it is low, most telling first."""

    @property
    def margin(self) -> float:
        """The log odds by which documents of several kinds compete."""
        return log_odds(self.confidence) + self.sooner

    @property
    def answers(self) -> bool:
        """Whether the confidence is high enough."""
        return self.confidence >= self.threshold

    @property
    @abstractmethod
    def found(self) -> bool:
        """Whether anything shares a word with the question."""

    @abstractmethod
    def evidence(self, limits: Limits) -> tuple[list[Evidence], list[str]]:
        """The documents to answer from, best first, with what they are called in the trace."""

    @abstractmethod
    def draft(self, evidence: Sequence[Evidence]) -> Draft:
        """An answer in the documents' own words."""

    @abstractmethod
    def nearest(self, most: int) -> list[tuple[str, Reference]]:
        """The nearest documents, and the collections they are in."""

    @abstractmethod
    def results(self, limit: int) -> "list[Hit]":
        """The best documents, each with its best passage, as results of a search that are still to be ranked."""

    @abstractmethod
    def passages(self, limit: int) -> "list[SourcedHit]":
        """The best passages, and the collections they are in; of a manual page its best one."""

    def others(self) -> list[Reference]:
        """Documents that may do as well as the one that is answered from."""
        return []

    def missing(self) -> tuple[str, ...]:
        """The pages that the question names and that are not there."""
        return ()

    @abstractmethod
    def lacking(self) -> tuple[str, ...]:
        """What an answer lacks, in sentences; none where it is whole."""

    def noted(self, limits: Limits) -> dict[str, Json]:  # noqa: ARG002 - few kinds have any
        """What limits do to the choice, for the trace."""
        return {}

    @abstractmethod
    def retrieved(self) -> dict[str, Json]:
        """What was found, for the trace."""

    @abstractmethod
    def evaluated(self) -> dict[str, Json]:
        """How it was ranked, for the trace."""


def rate(
    text: str, corpora: Sequence[Corpus], limits: Limits = USUAL
) -> tuple[list[Rated], list[VademecumError]]:
    """What documents have on a question, those that are likeliest to answer first; and why some cannot be asked.

    Passages of running text compete with each other, whatever collection they are in; manual pages are a kind of their own.

    Args:
        text: The question.
        corpora: What it is put to; at least one.
        limits: How much is looked at.

    Raises:
        AnswerError: There is nothing to look for in `text`.
        VademecumError: None of them can be asked, or not all of the only one; what the first said.
    """
    rated: list[Rated] = []
    faults: list[VademecumError] = []
    texts: list[Corpus] = []
    for corpus in corpora:
        for part in corpus.index.parts() or [corpus.index]:
            of_part = Corpus(part, corpus.threshold, corpus.source, corpus.site)
            if part.method == "documents":
                texts.append(of_part)
                continue
            from vademecum.ask.manuals.pages import rate_pages  # noqa: PLC0415 - a question to running text alone needs none of it

            try:
                rated.append(rate_pages(text, of_part))
            except AnswerError:
                raise
            except VademecumError as error:
                faults.append(error)
    if texts:
        from vademecum.ask.running_text.texts import rate_texts  # noqa: PLC0415 - a question to manual pages alone needs none of it

        of_texts, of_their_faults = rate_texts(text, texts, limits)
        rated += [of_texts] if of_texts else []
        faults += of_their_faults
    if faults and (not rated or len(corpora) == 1):  # half of a library is not taken for the whole
        raise faults[0]
    return sorted(rated, key=lambda one: -one.margin), faults
