"""Units of running text, ranked: which sentence, list item or row answers the question. A fitted sum of features."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from math import log1p
from operator import mul
from typing import NamedTuple

from vademecum.core.evidence import Unit
from vademecum.core.fitted import weights_of
from vademecum.retrieval.labels import labels
from vademecum.retrieval.passage_features import Likeness, terms_in
from vademecum.retrieval.question import Question
from vademecum.retrieval.weights import fitted_numbers

_I = re.IGNORECASE
_NUMBER_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|half|once|twice|daily|weekly|monthly|yearly|every|each"
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"

WANTED = {
    "number": re.compile(
        r"\bhow (?:many|much|long|often|far|fast|large|big|heavy|old|high|deep|wide|tall|thick|hot|warm|cold|late|early|soon|"
        r"strong|loud|close|near|small|frequently)\b|\b(?:price|costs?|amount|number|size|temperature|weight|length|height|"
        r"limit|maximum|minimum|max|min|rate|ratio|pressure|dose|dosage|code|pin|budget|fee|rent|deposit|speed|age|capacity|"
        r"phone|telephone|default|port|version|percentage|score|count|total|salary|fine|charge)\b",
        _I,
    ),
    "time": re.compile(
        r"\bwhen\b|\bwhat (?:time|day|date|year|month)\b|\bwhich (?:day|date|month|year|week|weekday)\b|\bhow (?:late|early|soon|often)\b|"
        r"\b(?:until|since|by) when\b|\b(?:hours|opening|deadline|schedule|due|date|expir\w+)\b",
        _I,
    ),
    "person": re.compile(
        r"\bwho(?:m|se)?\b|\bcontact\b|\bwhich (?:person|people|company|team|doctor|teacher|supplier)\b|\bname of\b",
        _I,
    ),
    "place": re.compile(
        r"\bwhere\b|\bwhich (?:room|shelf|drawer|cupboard|folder|place|shop|store)\b|\blocation\b|\baddress\b",
        _I,
    ),
    "reason": re.compile(r"\bwhy\b|\breasons?\b|\bhow come\b|\bwhat causes\b|\bpurpose\b", _I),
    "meaning": re.compile(r"\bmean(?:ing|s)?\b|\bwhat(?: is|'s| are)\b|\bstands? for\b|\bdefin\w+\b", _I),
}
"""What a question may want to know, by its words."""

_NUMBER = re.compile(rf"\d|[£€$%°]|\b(?:{_NUMBER_WORDS})\b", _I)
_TIME = re.compile(
    rf"\b\d{{1,2}}[:.]\d\d\b|\b\d{{1,2}} ?[ap]\.?m\b|\b(?:{_MONTHS})\b|\b{_DAYS}|\b(?:19|20)\d\d\b|\b(?:day|week|month|year|hour|minute|night|"
    rf"morning|evening|afternoon|noon|midnight|weekend|spring|summer|autumn|winter|before|after|until|daily|weekly|monthly)s?\b|\d(?:st|nd|rd|th)\b",
    _I,
)
_NAME = re.compile(r"(?<![.!?:•] )(?<!^)\b[A-Z][\w’'-]+")
_PLACE = re.compile(
    r"\b(?:in|at|on|under|behind|inside|beside|above|below|near|next to|from|opposite|by|between|outside|upstairs|downstairs) (?:the|a|an|our|my|your|its|[A-Z])\b|"
    r"\b(?:drawer|shelf|cupboard|room|box|door|cellar|office|street|road|floor|cabinet|fridge)\b|[\w.~-]*/\w+/",
    _I,
)
_REASON = re.compile(
    r"\b(?:because|since|so that|otherwise|as it|due to|that way|therefore|reason|or else|else)\b|\bso\b|\bto avoid\b",
    _I,
)
_MEANS = re.compile(r"\b(?:is|are|means|stands for|refers to|called)\b|^[^.:]{1,40}: ", _I)
_HAS = {
    "number": _NUMBER,
    "time": _TIME,
    "person": _NAME,
    "place": _PLACE,
    "reason": _REASON,
    "meaning": _MEANS,
}

FEATURES = (
    "cover",
    "soft",
    "soft_with_heading",
    "soft_with_before",
    "rarest",
    "precision",
    "meaning",
    "pairs",
    "lag",
    "position",
    "length",
    "is_row",
    "asks",
    "introduces",
    *(f"has_{kind}" for kind in WANTED),
    *(f"lacks_{kind}" for kind in ("number", "time", "person", "place")),
    "states",
    "has_label",
    "has_other_label",
)
"""What is measured of a unit, in order. Covers are shares of what the question's terms are worth; `meaning` is of the unit
with its headings; the last ones say whether it has, or lacks, the kind of thing that is asked for."""

_LAG = 6.0


def measure_units(
    question: Question, likeness: Likeness, units: Sequence[Unit], nearness: Callable[[str], float]
) -> list[tuple[float, ...]]:
    """The features of units.

    Args:
        question: The question.
        likeness: Its terms.
        units: What may be quoted.
        nearness: How near a text is to the question in meaning, -1 to 1.
    """
    wanted = {kind: bool(pattern.search(question.text)) for kind, pattern in WANTED.items()}
    rarest = max(range(len(likeness.news)), key=likeness.news.__getitem__, default=-1)
    pairs = list(pairwise(term.number for term in question.terms))
    named = labels(question.text)
    rows = []
    for unit in units:
        words = terms_in(unit.text)
        own = words | likeness.stated(unit.text)
        heading, before = terms_in(unit.heading), terms_in(unit.before)
        met = likeness.met(own)
        soft = likeness.softly(met)[0]
        with_heading = likeness.softly(likeness.met(own | heading))[0]
        with_before = likeness.softly(likeness.met(own | heading | before))[0]
        has = {kind: wants and bool(_HAS[kind].search(unit.text)) for kind, wants in wanted.items()}
        sides = [label.side(f"{unit.heading}\n{unit.text}") for label in named]
        rows.append(
            (
                likeness.covered(words),
                soft,
                with_heading - soft,
                with_before - with_heading,
                met.alike[rarest] if rarest >= 0 else 0.0,
                len(words & likeness.own) / len(words) if words else 0.0,
                nearness(f"{unit.heading}. {unit.text}"),
                sum(one in words and other in words for one, other in pairs) / (len(pairs) or 1),
                min(_LAG, unit.lag),
                1 / (1 + unit.position),
                log1p(len(unit.text.split())),
                float(unit.head is not None),
                float(unit.text.endswith("?")),
                float(unit.text.endswith(":")),
                *map(float, has.values()),
                *(float(wanted[kind] and not has[kind]) for kind in ("number", "time", "person", "place")),
                float(len(own) > len(words)),
                float(1 in sides),
                float(-1 in sides),
            )
        )
    return rows


class ScoredUnit(NamedTuple):
    """A unit, how well it answers the question (higher is better), and what was measured of it."""

    unit: Unit
    score: float
    features: tuple[float, ...]


@cache
def unit_weights() -> tuple[float, ...]:
    """What each feature of a unit counts, fitted by `training/units.py`."""
    return weights_of(fitted_numbers("text")["units"], FEATURES)


def ranked_units(
    question: Question, likeness: Likeness, units: Sequence[Unit], nearness: Callable[[str], float]
) -> list[ScoredUnit]:
    """Units by how well they answer the question, best first."""
    weights = unit_weights()
    measured = measure_units(question, likeness, units, nearness)
    found = [
        ScoredUnit(unit, float(sum(map(mul, weights, row))), row)
        for unit, row in zip(units, measured, strict=True)
    ]
    found.sort(key=lambda one: (-one.score, one.unit.passage, one.unit.start))
    return found
