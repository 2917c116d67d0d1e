"""Compose an answer from running text: the part that answers, followed by others that are nearly as good."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from vademecum.answering.blocks import lead_of, units_of
from vademecum.answering.injection import commands_in
from vademecum.core.evidence import Draft, DraftStatement, Evidence, Span, Unit

RankUnits = Callable[[Sequence[Unit]], Sequence[tuple[Unit, float]]]
"""Ranks units, best first, with scores."""

_PASSAGES = 6
"""How many of the best passages have their units scored."""

_MOST = 3
MOST_CHARACTERS = 700
"""The maximum length of the answer in characters. The first part is always complete."""

NEAR_ENOUGH, _NEARER_IN_SECTION = 1.0, 1.5
"""The maximum difference in score of a further part from the first, and what a part of the same section may lack in addition."""

_LONGEST_INTRODUCTION = 200
_MOST_OF_PROCEDURE = 1000
"""The maximum length of a procedure in characters; a longer one is not included."""


def quote(
    evidence: Sequence[Evidence],
    rank: RankUnits,
    *,
    near: float = NEAR_ENOUGH,
    characters: int = MOST_CHARACTERS,
    procedure: bool = False,
    whole: bool = True,
    sides: Sequence[Callable[[Unit], bool]] = (),
) -> Draft:
    """Draft an answer from the chosen passages, in the words of their documents; empty if they contain no text.

    The first part is always complete. For a `procedure`, all steps of a numbered list are included, in order. With `whole`, parts are
    quoted as they are, and otherwise by their first sentences. `sides` are tests of whether a part is about each side of a
    comparison; the answer has a part for each.
    """
    units = best_units(evidence, sentences=not whole)
    ranked = rank(units) if whole else [(lead_of(unit), score) for unit, score in rank(units)]
    if not ranked:
        return Draft((), ())
    first, best = ranked[0]
    if procedure and (steps := _steps(units, first)):
        return Draft(tuple(statements_of(steps, evidence)), ())
    chosen = [first]
    for side in sides:
        if not any(map(side, chosen)):
            chosen += [unit for unit, _ in ranked if side(unit) and not _overlap(unit, first)][:1]
    room = characters - sum(len(unit.text) for unit in chosen)
    for unit, score in ranked[1:]:
        if len(chosen) >= _MOST or score < best - near - _NEARER_IN_SECTION:
            break
        is_near = score >= best - near or _goes_with(unit, first)
        if is_near and len(unit.text) <= room and not any(_overlap(unit, other) for other in chosen):
            chosen.append(unit)
            room -= len(unit.text)
    if sum(unit.number > 0 for unit in chosen) > 1 and (steps := _steps(units, first)):
        chosen = steps  # which are never shown in another order than that of their list
    return Draft(tuple(statements_of(chosen, evidence)), ())


def _goes_with(unit: Unit, first: Unit) -> bool:
    """Return whether a part of running text is from the section of the first part."""
    same = unit.evidence == first.evidence and unit.heading == first.heading
    return same and {unit.kind, first.kind} <= {"paragraph", "code", "list"}


def _overlap(one: Unit, other: Unit) -> bool:
    """Return whether two parts share text, or say the same."""
    if one.evidence != other.evidence:
        return one.text == other.text
    first, last = _reach(one)
    return (first < _reach(other)[1] and _reach(other)[0] < last) or one.text == other.text


def _reach(unit: Unit) -> tuple[int, int]:
    """Return the range of a part, with its code."""
    return unit.start, max([unit.end, *(end for _, end in unit.code)])


def _steps(units: Sequence[Unit], first: Unit) -> list[Unit]:
    """Return the steps of the numbered list that a part belongs to, introduces or contains; empty if they are incomplete or too long."""
    steps: list[Unit] = []
    for unit in units:
        if unit.evidence != first.evidence or unit.passage != first.passage or not unit.number:
            continue
        if unit.number == 1:
            if any(_overlap(first, step) for step in steps):
                break
            steps = []
        if unit.number == len(steps) + 1:
            steps.append(unit)
    is_it = any(_overlap(first, step) or step.introduction == (first.start, first.end) for step in steps)
    if not is_it or len(steps) == 1 or sum(len(step.text) for step in steps) > _MOST_OF_PROCEDURE:
        return []
    return steps


def statements_of(chosen: Sequence[Unit], evidence: Sequence[Evidence]) -> Iterator[DraftStatement]:
    """Yield statements from units: their text, then their code. The introduction of a list precedes its first item.

    A part that speaks to a model is cut to its first sentence, so that what follows a true sentence does not come with it.
    """
    said: set[tuple[int, int, int]] = set()
    for part in chosen:
        unit = lead_of(part) if commands_in(part.text) else part
        text = evidence[unit.evidence].text
        words = unit.text.removesuffix("\n".join(text[slice(*line)] for line in unit.code)).rstrip("\n")
        spans = [*filter(None, [unit.head]), (unit.start, unit.end)]
        introduction = unit.introduction
        if introduction and (unit.evidence, *introduction) not in said:
            said.add((unit.evidence, *introduction))
            if introduction[1] - introduction[0] <= _LONGEST_INTRODUCTION:
                words = f"{text[slice(*introduction)]} {words}"
                spans.insert(0, introduction)
        if words:
            yield _statement(unit, words, "", spans)
        if unit.code:
            yield _statement(unit, "", "\n".join(text[slice(*line)] for line in unit.code), unit.code)


def offered_of(
    ranked: Iterable[tuple[Unit, float]], evidence: Sequence[Evidence]
) -> Iterator[DraftStatement]:
    """Yield the statements that a model can choose from, best first: the first sentence of each unit, with all of it."""
    for unit, _ in ranked:
        whole = tuple(statements_of([unit], evidence))
        if unit.kind in {"paragraph", "item", "code"} and whole and whole[0].text:
            (lead, *_) = statements_of([lead_of(unit)], evidence)
            yield lead._replace(whole=whole)
        else:
            yield from whole


def best_units(evidence: Sequence[Evidence], most: int = _PASSAGES, *, sentences: bool = False) -> list[Unit]:
    """Return the units of the best passages, at most `most`, best passage first; with `sentences`, also those that depend on others."""
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
        if sentences or not unit.depends
    ]


def _statement(unit: Unit, text: str, command: str, spans: Sequence[tuple[int, int]]) -> DraftStatement:
    return DraftStatement(
        text, command, tuple(Span(unit.evidence, start, end, unit.anchor) for start, end in spans)
    )
