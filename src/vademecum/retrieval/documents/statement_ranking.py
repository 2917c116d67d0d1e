"""Rank sentences and entries of manual pages for questions that ask for a fact.

The score is a fitted sum of the features of running text and of the section of a unit. Trees over more features, as for running text, were not
better here.
"""

import re
from collections.abc import Sequence
from functools import cache
from operator import mul

from vademecum.core.evidence import Unit
from vademecum.core.fitted import weights_of
from vademecum.retrieval.passages.features import Likeness
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.units.features import (
    FEATURES,
    Nearness,
    measure_units,
    words_as_they_are,
    written_as_it_is,
)
from vademecum.retrieval.weights import fitted_numbers

_SECTIONS = {
    "in_description": re.compile(r"DESCRIPTION|OVERVIEW|INTRODUCTION"),
    "in_options": re.compile(r"OPTIONS|FLAGS|COMMANDS|DIRECTIVES|PARAMETERS"),
    "in_result": re.compile(r"RETURN|EXIT|STATUS|DIAGNOSTICS"),
    "in_errors": re.compile(r"ERRORS?\b"),
    "in_examples": re.compile(r"EXAMPLE"),
    "in_notes": re.compile(r"NOTES|BUGS|CAVEATS|HISTORY|STANDARDS|VERSIONS|CONFORMING"),
    "in_files": re.compile(r"FILES|ENVIRONMENT|FORMAT"),
}
PAGE_FEATURES = (*FEATURES, *_SECTIONS, "opens", "is_first_page", "is_asked")
"""The features of a unit: those of running text; its section; whether it is near the beginning of the description; whether its page is the
best one; and whether the question contains its name (`EAGAIN`, `RestartSec=`), except common words."""

_OPENING_UNITS = 3


def is_asked(tag: str, heading: str, written: frozenset[str]) -> bool:
    """Return whether a question contains the tag of an entry. Numbers count only if numbers are listed."""
    named = written & words_as_they_are(tag)
    return any(not word.isdigit() or _SECTIONS["in_result"].search(heading.upper()) for word in named)


def measure_page_units(
    question: Question, likeness: Likeness, units: Sequence[Unit], nearness: Nearness
) -> list[tuple[float, ...]]:
    """Return the features of units, in the order of `PAGE_FEATURES`."""
    measured = measure_units(question, likeness, units, nearness)
    written = written_as_it_is(question.text)
    return [(*row, *_of_page(unit, written)) for row, unit in zip(measured, units, strict=True)]


def _of_page(unit: Unit, written: frozenset[str]) -> tuple[float, ...]:
    section = unit.heading.upper().partition(" > ")[2]
    opens = "DESCRIPTION" in section and unit.head is None and unit.position < _OPENING_UNITS
    return (
        *(float(bool(pattern.search(section))) for pattern in _SECTIONS.values()),
        float(opens),
        float(unit.evidence == 0),
        float(unit.head is not None and is_asked(unit.text.partition(": ")[0], unit.heading, written)),
    )


@cache
def _weights() -> tuple[float, ...]:
    return weights_of(fitted_numbers("page_units"), PAGE_FEATURES)


def ranked_page_units(
    question: Question, likeness: Likeness, units: Sequence[Unit], nearness: Nearness
) -> list[tuple[Unit, float]]:
    """Rank units with scores, best first. Weights are fitted by `training/page_units.py`."""
    weights = _weights()
    measured = measure_page_units(question, likeness, units, nearness)
    ranked = [(unit, float(sum(map(mul, weights, row)))) for unit, row in zip(units, measured, strict=True)]
    return sorted(ranked, key=lambda pair: (-pair[1], pair[0].evidence, pair[0].start))
