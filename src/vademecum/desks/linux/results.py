"""The outcome of an evaluation question, and a selection of the worst."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from vademecum.desks.linux.questions import Question
from vademecum.evaluation.metrics import reciprocal_rank


class Counted(NamedTuple):
    """How many of some things were as they should be."""

    good: int
    total: int


class Lead(NamedTuple):
    """How an answer begins, and how long it is.

    Attributes:
        answers: Whether the first line to type, with at most two options more than asked for, or where nothing is typed the
            first two sentences have all that a lead must have (`Question.lead_must`); false where that is empty.
        any_line: Whether any line to type has all of it.
        lines: How many lines there are to type.
        words: Of all sentences and steps.
    """

    answers: bool
    any_line: bool
    lines: int
    words: int


_NONE_COUNTED = Counted(0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of one question.

    Attributes:
        found: References of the pages retrieved, best first, whether or not the question was refused.
        rank: Of the first right page, from 1; `None` if none came, or no gold is known.
        lacking: The items of `must_contain` the answer lacks; all of them after a refusal.
        citations: How many quotes are in the document, character by character, where they claim to be.
    """

    question: Question
    group: str
    found: tuple[str, ...]
    rank: int | None
    baseline_rank: int | None
    answered: bool
    confidence: float
    lacking: tuple[str, ...]
    citations: Counted
    sentences: Counted
    ask_ms: float
    search_ms: float
    baseline_ms: float
    faults: tuple[str, ...] = ()
    lead: "Lead | None" = None
    explained: Counted = _NONE_COUNTED

    @property
    def has_page(self) -> bool:
        """Return whether the page metrics count it: something answers it, and we know what."""
        return self.question.answerable and bool(self.question.gold)

    @property
    def right(self) -> bool | None:
        """Return whether a right page was first: what confidence is held against.

        Where nothing answers the question no page is right; `None` where no gold is known.
        """
        if not self.question.answerable:
            return False
        return self.rank == 1 if self.question.gold else None

    @property
    def shortfall(self) -> float:
        """How far from what it should be, 0 (nothing to complain of) to 1.

        A question that nothing answers: 1 if it was answered. Any other: one minus the reciprocal rank
        of its page, but at least a half if it was refused, a quarter if the answer lacks something.
        """
        if not self.question.answerable:
            return float(self.answered)
        page = 1 - reciprocal_rank(self.rank) if self.question.gold else 0.0
        return max(page, 0.0 if self.answered else 0.5, 0.25 if self.lacking else 0.0)

    def complaints(self) -> tuple[str, ...]:
        """What was not as it should be, in words, then the faults."""
        said = []
        if not self.question.answerable and self.answered:
            said.append("answered, though nothing answers it")
        if self.has_page and self.rank is None:
            said.append("no right page was found")
        if self.has_page and self.rank is not None and self.rank > 1:
            said.append(f"the right page came at {self.rank}")
        if self.question.answerable and not self.answered:
            said.append("refused")
        elif self.question.answerable and self.lacking:
            said.append("the answer lacks " + ", ".join(self.lacking))
        return (*said, *self.faults)


def worst(results: Iterable[Result], limit: int) -> list[Result]:
    """The questions that fell shortest, at most `limit`: among equals the most confident first, then file order."""
    short = [result for result in results if result.shortfall > 0 or result.faults]
    return sorted(short, key=lambda result: (-result.shortfall, -result.confidence))[:limit]
