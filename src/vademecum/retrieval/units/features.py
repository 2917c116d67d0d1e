"""The features of a part of running text for a question; see `answering.blocks`."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log1p
from typing import NamedTuple

from vademecum.core.evidence import Unit
from vademecum.retrieval.passages.features import Likeness, terms_in
from vademecum.retrieval.passages.ranking import labels
from vademecum.retrieval.question.definitions import asked_thing, defines, first_at
from vademecum.retrieval.question.phrases import spoken
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.question.wanted import FORMS, asked_forms, asks_way

FEATURES = (
    "cover", "soft", "soft_with_heading", "soft_with_before", "rarest", "precision", "meaning", "pairs", "lag", "position", "length", "is_row", "asks",
    "introduces", *(f"has_{kind}" for kind in FORMS), *(f"lacks_{kind}" for kind in ("number", "time", "person", "place")), "states", "has_label",
    "has_other_label", "defines", "describes", "thing_first", *(f"is_{kind}" for kind in ("code", "entry", "item", "list")), "code_for_way", "cover_of_lead",
    "soft_of_lead", "cover_of_heading", "precision_of_heading", "is_first_of_section", "soft_of_section", "size_of_section", "depth", "is_written",
    "points_elsewhere", "of_changes", "echoes", "after_echo",
)  # fmt: skip
"""The features of a unit, in order. Covers are shares of the question's total weight; `meaning` is the similarity of the unit with its
headings; `has_` and `lacks_` tell whether it contains the requested kind of thing; the lead is its first sentence."""

_CHANGES = re.compile(
    r"\b(?:change ?log|release notes|what['’]?s new|history of changes|news)\b", re.IGNORECASE
)
_SEE = re.compile(r"\W*(?:see|refer to|for (?:more|further)|check out|learn more)\b", re.IGNORECASE)
_LAG = 6.0
_RUN = 5
_MOST_TEXTS = 8192
"""The number of texts whose words are cached, because quoted texts recur."""


class Nearness(NamedTuple):
    """The similarity of units to a question, -1 to 1.

    Attributes:
        within: The similarity of a unit with its headings.
        by_transformer: Whether a transformer computes it.
    """

    within: Callable[[Unit], float]
    by_transformer: bool = False


_BETWEEN = re.compile(r"[\s,.;:?!|=<>\[\](){}\"'‘’]+")


@lru_cache(maxsize=_MOST_TEXTS)
def words_as_they_are(text: str) -> frozenset[str]:
    """Return the words of a text without punctuation, as they are written."""
    return frozenset(_BETWEEN.split(text))


def written_as_it_is(text: str) -> frozenset[str]:
    """Return the words of a question that are not plain English and may be a tag: `EAGAIN`, `RestartSec`, `-q`, `2`."""
    return frozenset(
        word for word in words_as_they_are(text) if word and not (word.isalpha() and word.islower())
    )


def measure_units(
    question: Question, likeness: Likeness, units: Sequence[Unit], nearness: Nearness
) -> list[tuple[float, ...]]:
    """Compute the features of units."""
    wanted = asked_forms(question.text)
    rarest = max(range(len(likeness.news)), key=likeness.news.__getitem__, default=-1)
    pairs = list(pairwise(term.number for term in question.terms))
    named = labels(question.text)
    thing = asked_thing(question.text)
    is_way = asks_way(question.text)
    written = {word for word in written_as_it_is(question.text) if not (word.isalpha() and word.istitle())}
    sections: dict[tuple[int, str], list[Unit]] = {}
    for unit in units:
        sections.setdefault((unit.evidence, unit.heading), []).append(unit)
    runs = _runs(question.text)
    echoing = {unit for unit in units if any(run in spoken(unit.text) for run in runs)} if runs else set()
    after = {(unit.evidence, unit.passage, unit.position) for unit in echoing}
    of_section = {
        place: likeness.soft(terms_in(place[1]).union(*(terms_in(unit.text) for unit in own)))
        for place, own in sections.items()
    }
    rows = []
    for unit in units:
        words = terms_in(unit.text)
        own = words | likeness.stated(unit.text)
        heading, before = terms_in(unit.heading), terms_in(unit.before)
        section = unit.evidence, unit.heading
        lead = terms_in(unit.text[: unit.lead])
        met = likeness.met(own)
        soft = likeness.soft(own)
        with_heading = likeness.soft(own | heading)
        with_before = likeness.soft(own | heading | before) if before else with_heading
        has = {kind: wants and bool(FORMS[kind].search(unit.text)) for kind, wants in wanted.items()}
        sides = [label.side(f"{unit.heading}\n{unit.text}") for label in named]
        rows.append((
            likeness.covered(words), soft, with_heading - soft, with_before - with_heading,
            met.alike[rarest] if rarest >= 0 else 0.0, len(words & likeness.own) / len(words) if words else 0.0,
            nearness.within(unit), sum(one in words and other in words for one, other in pairs) / (len(pairs) or 1),
            min(_LAG, unit.lag), 1 / (1 + unit.position), log1p(len(unit.text.split())), float(unit.kind == "row"),
            float(unit.text.endswith("?")), float(unit.text.endswith(":")), *map(float, has.values()),
            *(float(wanted[kind] and not has[kind]) for kind in ("number", "time", "person", "place")),
            float(len(own) > len(words)), float(1 in sides), float(-1 in sides),
            *(defines(unit.text, thing) if thing else (0.0, 0.0)), first_at(unit.text, thing) if thing else 0.0,
            *(float(unit.kind == kind) for kind in ("code", "entry", "item", "list")),
            float(is_way and unit.kind == "code"), likeness.covered(lead), likeness.soft(lead),
            *_of_heading(likeness, unit), float(sections[section][0] is unit), of_section[section],
            log1p(len(sections[section])), float(unit.heading.count(" > ")),
            float(not written.isdisjoint(words_as_they_are(unit.text))), float(bool(_SEE.match(unit.text))),
            float(bool(_CHANGES.search(unit.heading))), float(unit in echoing),
            float((unit.evidence, unit.passage, unit.position - 1) in after),
        ))  # fmt: skip
    return rows


def _runs(question: str) -> list[str]:
    """Return the runs of words of a long question, such as an error message, that text which only repeats it has as well."""
    words = spoken(question).split()[1:]
    return [f" {' '.join(words[at : at + _RUN])} " for at in range(len(words) - _RUN + 1)]


def _of_heading(likeness: Likeness, unit: Unit) -> tuple[float, float]:
    """Return the share of the question in the heading right above a unit, and the share of the heading in the question."""
    title, _, rest = unit.heading.partition(" > ")
    last = terms_in(rest.rpartition(" > ")[2] or title)
    return likeness.covered(last), len(likeness.own & last) / len(last) if last else 0.0
