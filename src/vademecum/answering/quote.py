"""Compose an answer from running text: the unit that answers, followed by at most three others."""

import re
from collections.abc import Callable, Iterator, Sequence

from vademecum.answering.units import units_of
from vademecum.core.evidence import Draft, DraftStatement, Evidence, Span, Unit

RankUnits = Callable[[Sequence[Unit]], Sequence[tuple[Unit, float]]]
"""Gives units with how well each answers the question, best first."""

_PASSAGES = 6
"""The units of so many passages, the best ones, are scored."""

_MOST = 4
MOST_CHARACTERS = 600
"""How much is shown at most; the first unit is shown whole."""

_LONGEST_INTRODUCTION = 200
_MOST_OF_PROCEDURE = 1000
"""How much of a procedure is shown: half of one is no help."""
_MOST_BETWEEN_STEPS = 3000
_NUMBERED = re.compile(r"^(\d{1,3})[.)] ", re.MULTILINE)

NEAR_ENOUGH = 2.0


def quote(
    evidence: Sequence[Evidence],
    rank: RankUnits,
    *,
    near: float = NEAR_ENOUGH,
    characters: int = MOST_CHARACTERS,
    procedure: bool = False,
) -> Draft:
    """Draft an answer from the passages that were chosen. Every statement is a unit as it is in its document.

    The first item of a list comes with the sentence that introduces the list.

    Args:
        evidence: The documents, each with the chosen passages only.
        rank: Ranks units.
        near: How far the score of another unit may be behind the first one's, and it is shown, too.
        characters: How much is shown at most; the first unit is shown whole.
        procedure: Whether a way to do something is asked for: of a numbered list all
            steps are then shown, in their order.

    Returns:
        A draft without statements where the passages hold no unit.
    """
    units = best_units(evidence)
    ranked = rank(units)
    if not ranked:
        return Draft((), ())
    first, best = ranked[0]
    if procedure and (steps := _steps(units, first, evidence[first.evidence].text)):
        return Draft(tuple(_statements(steps, evidence)), ())
    chosen = {first.text: first}
    room = characters - len(first.text)
    others = [unit for unit, score in ranked if score >= best - near and not unit.text.endswith(":")]
    for unit in [*_items(units, first), *others]:
        if len(chosen) < _MOST and unit.text not in chosen and len(unit.text) <= room:
            chosen[unit.text] = unit
            room -= len(unit.text)
    return Draft(tuple(_statements([*chosen.values()], evidence)), ())


def _items(units: Sequence[Unit], introduction: Unit) -> list[Unit]:
    """The items of the list that a unit introduces."""
    span = (introduction.start, introduction.end)
    return [unit for unit in units if unit.evidence == introduction.evidence and unit.introduction == span]


def _steps(units: Sequence[Unit], first: Unit, text: str) -> list[Unit]:
    """All steps of the numbered list that a unit is a step of or introduces; none where they are not all there, or too long.

    Args:
        units: Those of the best passages.
        first: The unit that answers best.
        text: Its document's.
    """
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


def _statements(chosen: Sequence[Unit], evidence: Sequence[Evidence]) -> Iterator[DraftStatement]:
    """What is said: the units, and before the first item of a list what introduces it, unless that has been said."""
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


def best_units(evidence: Sequence[Evidence]) -> list[Unit]:
    """The units of the best passages, best passage first."""
    chosen = [
        (-passage.score, position, passage.start, passage)
        for position, document in enumerate(evidence)
        for passage in document.passages
    ]
    chosen.sort(key=lambda found: found[:3])
    return [
        unit
        for rank, (lost, position, _, passage) in enumerate(chosen[:_PASSAGES])
        for unit in units_of(position, evidence[position], passage, rank, lost - chosen[0][0])
    ]


def _statement(unit: Unit, text: str, before: tuple[int, int] | None) -> DraftStatement:
    spans = [(unit.start, unit.end)] if before is None else [before, (unit.start, unit.end)]
    return DraftStatement(
        text, "", tuple(Span(unit.evidence, start, end, unit.anchor) for start, end in spans)
    )
