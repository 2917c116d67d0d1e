"""Compose an answer from running text: the unit that answers, followed by at most three others."""

import re
from collections.abc import Callable, Iterator, Sequence

from vademecum.answering.units import units_of
from vademecum.core.evidence import Draft, DraftStatement, Evidence, Span, Unit
from vademecum.text.instructions import instructs
from vademecum.text.words import terms

RankUnits = Callable[[Sequence[Unit]], Sequence[tuple[Unit, float]]]
"""Ranks units, best first, with scores."""

_PASSAGES = 6
"""How many of the best passages have their units scored."""

_MOST = 4
MOST_CHARACTERS = 600
"""The maximum length of the answer in characters. The first unit is always complete."""

_LONGEST_INTRODUCTION = 200
_MOST_OF_PROCEDURE = 1000
"""The maximum length of a procedure in characters; a longer one is not included."""
_MOST_BETWEEN_STEPS = 3000
_DENIES = re.compile(r"\b(?:not|no|never|cannot|without|nobody|nothing)\b|n't\b", re.IGNORECASE)
_FARTHEST_HEADING = 10_000
"""How far above a unit its heading is looked for, in characters."""

_NUMBERED = re.compile(r"^(\d{1,3})[.)] ", re.MULTILINE)

NEAR_ENOUGH = 2.0

_SHARE_OF_HEADING = 0.6
"""The minimum share of a heading's words that are in the question."""


def quote(
    evidence: Sequence[Evidence],
    rank: RankUnits,
    *,
    near: float = NEAR_ENOUGH,
    characters: int = MOST_CHARACTERS,
    procedure: str = "",
) -> Draft:
    """Draft an answer from the chosen passages. Every statement is a unit, copied from its document.

    The first item of a list is preceded by the sentence that introduces the list.

    Args:
        evidence: The documents, each with the chosen passages only.
        rank: Ranks the units.
        near: The maximum difference between the scores of the first and a further unit.
        characters: The maximum length of the answer. The first unit is always complete.
        procedure: The question, if it asks how to do something. All steps of a numbered list are then included, in order,
            and the first instruction of a section that is about the question leads.

    Returns:
        The draft. It is empty if the passages contain no unit.
    """
    units = best_units(evidence)
    ranked = rank(units)
    if not ranked:
        return Draft((), ())
    first, best = ranked[0]
    if procedure:
        first = _instruction(units, first, procedure, evidence[first.evidence].text)
    if procedure and (steps := _steps(units, first, evidence[first.evidence].text)):
        return Draft(tuple(statements_of(steps, evidence)), ())
    chosen = {first.text: first}
    room = characters - len(first.text)
    others = [unit for unit, score in ranked if score >= best - near and not unit.text.endswith(":")]
    for unit in [*_items(units, first), *others]:
        if len(chosen) < _MOST and unit.text not in chosen and len(unit.text) <= room:
            chosen[unit.text] = unit
            room -= len(unit.text)
    return Draft(tuple(statements_of([*chosen.values()], evidence)), ())


def _instruction(units: Sequence[Unit], first: Unit, question: str, text: str) -> Unit:
    """Return the first instruction of the section whose heading says what is asked, in the document of a unit; otherwise the unit.

    A step seldom repeats the words of its heading. A remark below it often does: "Connect: start the client. Never connect from
    public computers." So the heading must name all that is asked, or else the unit must deny something.
    """
    if instructs(first.text):
        return first
    asked = set(terms(question))
    denies = _DENIES.search(first.text) and not _DENIES.search(question)
    best, most = first, 0
    for unit in sorted(units, key=lambda unit: unit.start):
        if unit.evidence == first.evidence and instructs(unit.text):
            named = set(terms(_heading(unit, text)))
            met = len(named & asked)
            is_all = asked <= named | set(terms(unit.heading.partition(" > ")[0]))
            if met > most and met >= _SHARE_OF_HEADING * len(named) and (denies or is_all):
                best, most = unit, met
    return best


def _heading(unit: Unit, text: str) -> str:
    """Return the heading right above a unit. A passage may have several sections."""
    names = [part for name in unit.heading.split(" > ") for part in (name, *name.split("; ")) if part]
    if not names:
        return ""
    is_heading = re.compile(rf"^(?:{'|'.join(map(re.escape, names))})$", re.MULTILINE)
    above = is_heading.findall(text, max(0, unit.start - _FARTHEST_HEADING), unit.start)
    return str(above[-1]) if above else names[-1]


def _items(units: Sequence[Unit], introduction: Unit) -> list[Unit]:
    """Return the items of the list that a unit introduces."""
    span = (introduction.start, introduction.end)
    return [unit for unit in units if unit.evidence == introduction.evidence and unit.introduction == span]


def _steps(units: Sequence[Unit], first: Unit, text: str) -> list[Unit]:
    """Return all steps of the numbered list that a unit belongs to or introduces; empty if they are incomplete or too long."""
    introduced = (first.start, first.end)
    steps: list[Unit] = []
    for unit in units:
        if unit.evidence != first.evidence or unit.passage != first.passage or not unit.number:
            continue
        if unit.number == 1 and first in steps:
            break
        if unit.number == 1:
            steps = []
        if unit.number == len(steps) + 1:
            steps.append(unit)
    is_it = first in steps or (len(steps) > 0 and steps[0].introduction == introduced)
    if not is_it or len(steps) == 1 or sum(len(step.text) for step in steps) > _MOST_OF_PROCEDURE:
        return []
    following = _NUMBERED.search(text, steps[-1].end, steps[-1].end + _MOST_BETWEEN_STEPS)
    if following and int(following[1]) == len(steps) + 1:  # the list goes on in another passage
        return []
    return steps if first in steps else [first, *steps]


def statements_of(chosen: Sequence[Unit], evidence: Sequence[Evidence]) -> Iterator[DraftStatement]:
    """Yield statements from units. The introduction of a list precedes its first item, unless it is already there."""
    said: set[tuple[int, int, int]] = set()
    for unit in chosen:
        introduction = unit.introduction
        if introduction and (unit.evidence, *introduction) not in said:
            said.add((unit.evidence, *introduction))
            words = evidence[unit.evidence].text[slice(*introduction)]
            if len(words) <= _LONGEST_INTRODUCTION:
                yield _statement(unit, f"{words} {unit.text}", introduction)
                continue
        said.add((unit.evidence, unit.start, unit.end))
        yield _statement(unit, unit.text, unit.head)


def best_units(evidence: Sequence[Evidence], most: int = _PASSAGES) -> list[Unit]:
    """Return the units of the best passages, at most `most`, best passage first."""
    chosen = [
        (-passage.score, position, passage.start, passage)
        for position, document in enumerate(evidence)
        for passage in document.passages
    ]
    chosen.sort(key=lambda found: found[:3])
    return [
        unit
        for rank, (lost, position, _, passage) in enumerate(chosen[:most])
        for unit in units_of(position, evidence[position], passage, rank, lost - chosen[0][0])
    ]


def _statement(unit: Unit, text: str, before: tuple[int, int] | None) -> DraftStatement:
    spans = [(unit.start, unit.end)] if before is None else [before, (unit.start, unit.end)]
    return DraftStatement(
        text, "", tuple(Span(unit.evidence, start, end, unit.anchor) for start, end in spans)
    )
