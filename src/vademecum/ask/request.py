"""Clean and truncate a question, and add warnings about the index to its answer."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from vademecum.core.errors import IndexStale
from vademecum.core.limits import CHARACTERS_A_TOKEN
from vademecum.files.places import Places

if TYPE_CHECKING:
    from vademecum.core.answers import Answer
    from vademecum.index.catalog.changes import Change


class Taken(NamedTuple):
    """A question as it was taken in.

    Attributes:
        text: As much of it as is looked at.
        characters: How much question and answer together may hold.
        warnings: What its answer must say.
        places: Where the library is.
        logged: Whether the answer is logged.
        began_s: When it was asked.
    """

    text: str
    characters: int
    warnings: tuple[str, ...]
    places: Places
    logged: bool
    began_s: float

    def finish(self, answer: "Answer") -> "Answer":
        """Its answer with the warnings, logged where that is wanted."""
        from dataclasses import replace  # noqa: PLC0415 - the index is opened while it is loaded

        warnings = [*answer.warnings, *self.warnings]
        if self.logged:
            from vademecum.ask.query_log import log_query  # noqa: PLC0415 - off by default

            if fault := log_query(self.places, answer, (time.perf_counter() - self.began_s) * 1000):
                warnings.append(fault)
        return replace(answer, warnings=tuple(dict.fromkeys(warnings)))


def take(
    question: str,
    context_tokens: int,
    stale: "Sequence[Change]",
    *,
    strict: bool,
    places: Places,
    logged: bool,
) -> Taken:
    """Take a question in.

    Args:
        question: As asked.
        context_tokens: How much of it is looked at, and how long question and answer may be together.
        stale: Why the index is not up to date.
        strict: Whether that is a refusal.
        places: Where the library is.
        logged: Whether the answer is logged.

    Raises:
        IndexStale: With `strict`, the index is not up to date.
    """
    began_s = time.perf_counter()
    if strict and stale:
        advice = dict.fromkeys(change.advice for change in stale)
        raise IndexStale(" ".join(change.said for change in stale), hint="; ".join(advice))
    longest = context_tokens * CHARACTERS_A_TOKEN
    warnings = []
    if len(question) > longest:
        warnings.append(
            f"Only the first {context_tokens} tokens of the question were used. Narrow the question."
        )
    warnings += [f"{change.said} {change.advice}" for change in stale]
    return Taken(cleaned(question[:longest]), longest, tuple(warnings), places, logged, began_s)


def cleaned(question: str) -> str:
    """The question as it can be stored and printed: what is not text (lone surrogates) is marked as unknown."""
    return question.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
