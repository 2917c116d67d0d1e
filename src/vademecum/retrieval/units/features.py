"""The features of a sentence, list item or table row for a question.

The inexpensive `FEATURES` are computed for every unit of the best passages. `CLOSER` features are added for the units that are best by them:
differences to the best unit, the form of the text, and its context.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log1p
from operator import mul
from typing import NamedTuple

from vademecum.core.evidence import Unit
from vademecum.retrieval.passages.features import Likeness, meant, terms_in
from vademecum.retrieval.passages.ranking import labels
from vademecum.retrieval.question.answer_kinds import NAMES, answer_kinds
from vademecum.retrieval.question.definitions import asked_thing, defines, first_at
from vademecum.retrieval.question.phrases import phrases_of, says, spoken
from vademecum.retrieval.question.question import Question
from vademecum.text.words import WORD, numbers_of_word

_I = re.IGNORECASE
_NUMBER_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|half|once|twice|daily|weekly|monthly|yearly|every|each"
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"

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
    *(f"has_{kind}" for kind in phrases_of("asks")),
    *(f"lacks_{kind}" for kind in ("number", "time", "person", "place")),
    "states",
    "has_label",
    "has_other_label",
    "defines",
    "describes",
    "thing_first",
    *(f"is_{kind}" for kind in ("code", "entry", "item", "list")),
    "code_for_way",
    "cover_of_lead",
    "soft_of_lead",
    "cover_of_heading",
    "precision_of_heading",
    "is_first_of_section",
    "of_changes",
)
"""The features of every unit, in order. Covers are shares of the question's total weight; `meaning` is the similarity of the unit with its
headings; `has_` and `lacks_` tell whether it contains the requested kind of thing; the last three concern definitions."""

_BEHIND = FEATURES[: FEATURES.index("pairs") + 1]
"""The features that are also compared with those of the best unit."""

_FORMS = {
    "ends": re.compile(r"[.!]\Z"),
    "denies": re.compile(r"\b(?:not|no|never|cannot|without|none|unsupported|unable)\b|n't\b|✕", _I),
    "notes": re.compile(r"\A(?:note|tip|warning|info|important|caution)\b", _I),
    "demands": re.compile(
        r"\b(?:must|should|needs? to|ha(?:ve|s) to|required|recommended|cannot|can't|only|never|always)\b", _I
    ),
    "causes": re.compile(
        r"\b(?:because|since|due to|so that|in order to|therefore|as a result|thus|reason|caus\w+|leads? to|result\w*|allow\w*|"
        r"avoid\w*|prevent\w*|ensur\w+|otherwise)\b",
        _I,
    ),
    "compares": re.compile(
        r"\b(?:than|whereas|while|unlike|differ\w*|instead|compared|versus|rather|both|alternative\w*|prefer\w*|better|"
        r"recommend\w*)\b",
        _I,
    ),
    "instructs": re.compile(
        r"^(?:\d+[.)] )?(?:to [^,\n]{3,60}, )?(?:add|adjust|allow|apply|build|call|change|check|choose|clear|click|clone|close|"
        r"configure|connect|copy|create|define|delete|disable|download|edit|enable|ensure|enter|export|find|follow|go|install|"
        r"launch|load|make|modify|move|navigate|open|order|place|plug|press|pull|push|put|remove|replace|run|save|select|set|source|"
        r"specify|start|stop|switch|test|turn|type|update|upload|use|verify|wait|write)\b",
        _I | re.MULTILINE,
    ),
    "has_code": re.compile(r"[{};=<>\\$`]|\w\(|(?<!\w)--?\w|\w/\w|\A[#@]"),
    "points_back": re.compile(
        r"\A(?:it|this|these|those|they|that|he|she|such|both|and|but|or|so|however|also|then|similarly)\b",
        _I,
    ),
    "aims": re.compile(r"\A(?:\d+[.)] )?(?:in order )?to [a-z]", _I),
}
_ASKED_KINDS = ("way", "yes_no", "amount", "reason", "comparison")
CLOSER = (
    *FEATURES,
    "first_score",
    *(f"{name}_behind" for name in _BEHIND),
    "place",
    "alone",
    "alone_behind",
    "lead_alone",
    "missing",
    "missing_with_heading",
    "most_missing",
    "exact_terms",
    "window",
    "cover_before",
    "cover_after",
    "cover_of_first_words",
    "precision_of_title",
    "new_words",
    "digits",
    "names",
    *_FORMS,
    *(f"states_{kind}" for kind in _HAS),
    *(f"asks_{kind}" for kind in _ASKED_KINDS),
)
"""The features of the best units, in order: `FEATURES`; their weighted sum; the differences to the best; the parts of the question that it
lacks; the parts before, after and above it; its form; the quantities it states; and what the question asks for."""

_FIRST_WORDS = 8
_MOST_TEXTS = 8192
"""The number of texts whose form is cached, because quoted texts recur."""

_DIGITS = re.compile(r"\d+")
_CAPITALS = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z]\w+")

_CHANGES = re.compile(r"\b(?:change ?log|release notes|what['’]?s new|history of changes|news)\b", _I)
_LAG = 6.0


class Nearness(NamedTuple):
    """The similarity of units to a question, -1 to 1.

    Attributes:
        within: The similarity of a unit with its headings.
        alone: The similarity of a text on its own.
        by_transformer: Whether a transformer computes `within`.
    """

    within: Callable[[Unit], float]
    alone: Callable[[str], float]
    by_transformer: bool = False


def measure_units(
    question: Question, likeness: Likeness, units: Sequence[Unit], nearness: Nearness
) -> list[tuple[float, ...]]:
    """Compute the features of units.

    Args:
        question: The question.
        likeness: The question's terms and similar words.
        units: The units that can be quoted.
        nearness: Their similarity to the question.
    """
    said = spoken(question.text)
    wanted = {kind: says(said, phrases) for kind, phrases in phrases_of("asks").items()}
    rarest = max(range(len(likeness.news)), key=likeness.news.__getitem__, default=-1)
    pairs = list(pairwise(term.number for term in question.terms))
    named = labels(question.text)
    thing = asked_thing(question.text)
    asks_way = answer_kinds(question.text)[NAMES.index("way")]
    first_of_section: dict[tuple[int, str], Unit] = {}
    for unit in units:
        first_of_section.setdefault((unit.evidence, unit.heading), unit)
    rows = []
    for unit in units:
        words = terms_in(unit.text)
        own = words | likeness.stated(unit.text)
        heading, before = terms_in(unit.heading), terms_in(unit.before)
        met = likeness.met(own)
        soft = likeness.soft(own)
        with_heading = likeness.soft(own | heading)
        with_before = likeness.soft(own | heading | before) if before else with_heading
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
                nearness.within(unit),
                sum(one in words and other in words for one, other in pairs) / (len(pairs) or 1),
                min(_LAG, unit.lag),
                1 / (1 + unit.position),
                log1p(len(unit.text.split())),
                float(unit.kind == "row"),
                float(unit.text.endswith("?")),
                float(unit.text.endswith(":")),
                *map(float, has.values()),
                *(float(wanted[kind] and not has[kind]) for kind in ("number", "time", "person", "place")),
                float(len(own) > len(words)),
                float(1 in sides),
                float(-1 in sides),
                *(defines(unit.text, thing) if thing else (0.0, 0.0)),
                first_at(unit.text, thing) if thing else 0.0,
                *(float(unit.kind == kind) for kind in ("code", "entry", "item", "list")),
                float(asks_way and unit.kind == "code"),
                likeness.covered(terms_in(unit.text[: unit.lead])),
                likeness.soft(terms_in(unit.text[: unit.lead])),
                *_of_heading(likeness, unit),
                float(first_of_section[unit.evidence, unit.heading] is unit),
                float(bool(_CHANGES.search(unit.heading))),
            )
        )
    return rows


def measure_closer(
    question: Question,
    likeness: Likeness,
    units: Sequence[Unit],
    rows: Sequence[tuple[Unit, float, Sequence[float]]],
    nearness: Nearness,
) -> list[tuple[float, ...]]:
    """Compute the closer features of the best units.

    Args:
        question: The question.
        likeness: The question's terms and similar words.
        units: All units of the best passages.
        rows: The best units, each with its weighted sum and its `FEATURES`.
        nearness: Their similarity to the question.
    """
    best = [max(values) for values in zip(*(row[: len(_BEHIND)] for _, _, row in rows), strict=True)]
    alone = [nearness.alone(unit.text) for unit, _, _ in rows]
    most_alone = max(alone, default=0.0)
    asked = dict(zip(NAMES, map(float, answer_kinds(question.text)), strict=True))
    by_place = {(unit.evidence, unit.passage, unit.position): unit.text for unit in units}
    return [
        (
            *row,
            score,
            *(value - most for value, most in zip(row, best, strict=False)),
            float(unit.passage),
            near,
            near - most_alone,
            nearness.alone(unit.text[: unit.lead]) if unit.lead < len(unit.text) else near,
            *_missing(likeness, unit),
            *_around(likeness, unit, by_place),
            *_form(unit.text),
            *(asked[kind] for kind in _ASKED_KINDS),
        )
        for (unit, score, row), near in zip(rows, alone, strict=True)
    ]


def _of_heading(likeness: Likeness, unit: Unit) -> tuple[float, float]:
    """Return the share of the question in the heading right above a unit, and the share of the heading in the question."""
    title, _, rest = unit.heading.partition(" > ")
    last = terms_in(rest.rpartition(" > ")[2] or title)
    return likeness.covered(last), len(likeness.own & last) / len(last) if last else 0.0


@lru_cache(maxsize=_MOST_TEXTS)
def _form(text: str) -> tuple[float, ...]:
    """Compute the features of a text on its own: numbers, names, form and stated quantities."""
    return (
        float(len(_DIGITS.findall(text))),
        float(len(_CAPITALS.findall(text))),
        *(float(bool(form.search(text))) for form in _FORMS.values()),
        *(float(bool(has.search(text))) for has in _HAS.values()),
    )


def _missing(likeness: Likeness, unit: Unit) -> tuple[float, ...]:
    """Return the share of information that a unit lacks, the same with its headings, the largest missing part, and the number of its terms."""
    own = likeness.met(terms_in(unit.text) | likeness.stated(unit.text)).alike
    above = likeness.met(terms_in(unit.heading)).alike
    whole = sum(likeness.news) or 1.0
    lacks = [1 - degree for degree in meant(own)]
    lacks_with_heading = map(min, lacks, (1 - degree for degree in meant(above)))
    missing = list(map(mul, likeness.news, lacks))
    return (
        sum(missing) / whole,
        sum(map(mul, likeness.news, lacks_with_heading)) / whole,
        max(missing, default=0.0) / likeness.rarest,
        float(sum(degree >= 1.0 for degree in own)),
    )


def _around(
    likeness: Likeness, unit: Unit, by_place: Mapping[tuple[int, int, int], str]
) -> tuple[float, ...]:
    """Return how close together the terms are in a unit, and the shares of them before, after and above it."""
    words = [numbers_of_word(word) for word in WORD.findall(unit.text)]
    at = [place for place, numbers in enumerate(words) if not likeness.own.isdisjoint(numbers)]
    met = likeness.own & terms_in(unit.text)
    first = frozenset[int]().union(*words[:_FIRST_WORDS])
    before, after = (
        by_place.get((unit.evidence, unit.passage, unit.position + step), "") for step in (-1, 1)
    )
    entitled = terms_in(unit.heading.partition(" > ")[0])
    return (
        (at[-1] - at[0] + 1) / len(met) if at else 0.0,
        likeness.covered(terms_in(before)),
        likeness.covered(terms_in(after)),
        likeness.covered(first),
        len(likeness.own & entitled) / len(entitled) if entitled else 0.0,
        log1p(len(terms_in(unit.text) - likeness.own)),
    )
