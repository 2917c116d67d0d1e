"""Clean and truncate a question, and add warnings about the index to its answer."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from vademecum.core.errors import IndexStale
from vademecum.core.limits import CHARACTERS_A_TOKEN
from vademecum.files.places import Places
from vademecum.index.catalog.changes import GOES_ON

if TYPE_CHECKING:
    from vademecum.core.answers import Answer
    from vademecum.index.catalog.changes import Change


class Taken(NamedTuple):
    """An accepted question.

    Attributes:
        characters: The maximum length of question and answer together.
        logged: Whether the answer is logged.
    """

    text: str
    characters: int
    warnings: tuple[str, ...]
    places: Places
    logged: bool
    began_s: float

    def finish(self, answer: "Answer") -> "Answer":
        """Add the warnings to its answer, and log it if the query log is on."""
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
    """Clean and truncate a question, and check that the index may answer it.

    Args:
        context_tokens: The maximum length of question and answer together.
        stale: Why the index is not up to date; empty if it is.
        strict: Whether a stale index is an error.
        places: The file locations of the library.
        logged: Whether the answer is logged.
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
    warnings += [f"{change.said} {change.advice}" for change in stale if change.remedy != GOES_ON]
    return Taken(cleaned(question[:longest]), longest, tuple(warnings), places, logged, began_s)


def cleaned(question: str) -> str:
    """Replace lone surrogates, which cannot be stored or printed, by the replacement character."""
    return question.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
