"""Quote: an answer from running text. The unit that answers comes first, and then at most three that add to it."""

from collections.abc import Callable, Sequence

from vademecum.answering.units import units_of
from vademecum.core.evidence import Draft, DraftStatement, Evidence, Span, Unit

RankUnits = Callable[[Sequence[Unit]], Sequence[tuple[Unit, float]]]
"""Gives units with how well each answers the question, best first."""

_PASSAGES = 6
"""The units of so many passages, the best ones, are scored."""

_MOST = 4
_MOST_CHARACTERS = 600
"""How much is shown at most; the first unit is shown whole."""

NEAR_ENOUGH = 2.0


def quote(evidence: Sequence[Evidence], rank: RankUnits, *, near: float = NEAR_ENOUGH) -> Draft:
    """Draft an answer from the passages that were chosen. Every statement is a unit as it stands in its document.

    Args:
        evidence: The documents, each with the chosen passages only.
        rank: Ranks units.
        near: How far the score of another unit may be behind the first one's, and it is shown, too.

    Returns:
        A draft without statements where the passages hold no unit.
    """
    ranked = rank(best_units(evidence))
    chosen: dict[str, Unit] = {}
    room = _MOST_CHARACTERS
    for unit, score in ranked:
        if score < ranked[0][1] - near or len(chosen) == _MOST:
            break
        if not chosen or (unit.text not in chosen and len(unit.text) <= room):
            chosen[unit.text] = unit
            room -= len(unit.text)
    return Draft(tuple(map(_statement, chosen.values())), ())


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


def _statement(unit: Unit) -> DraftStatement:
    spans = [(unit.start, unit.end)] if unit.head is None else [unit.head, (unit.start, unit.end)]
    return DraftStatement(
        unit.text, "", tuple(Span(unit.evidence, start, end, unit.anchor) for start, end in spans)
    )
