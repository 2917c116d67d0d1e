"""Replace a sentence that may be unsupported by the words of its sources that are closest to it."""

from collections.abc import Sequence
from typing import NamedTuple

from vademecum.answering.claims.units import Unit
from vademecum.core.evidence import DraftStatement, Evidence, Span
from vademecum.text.sentences import fold, sentences

_ADDS = 0.1
_ENOUGH = 0.85
"""The coverage that a second sentence must add, and that the first must have to be sufficient."""

_LONGEST = 400
_LONGEST_TAG = 80
"""The maximum length of a quotation, and of the tag before it, in characters."""


class Near(NamedTuple):
    """The sentences that are closest to a claim.

    Attributes:
        units: Sentences of passages, closest first, each with the span of its passage.
        one: The share (0-1) of the words that the closest covers.
        two: The share that the two closest cover together.
    """

    units: Sequence[tuple[Span, Unit]]
    one: float
    two: float


def restated(near: Near, evidence: Sequence[Evidence]) -> DraftStatement | None:
    """Quote the closest sentence with its tag, or the two closest if both are needed.

    Returns:
        A statement with the words of its spans; None if they are empty.
    """
    needed = 2 if near.one < _ENOUGH and near.two >= near.one + _ADDS else 1
    tags: list[Span] = []
    bodies: list[Span] = []
    units = [one for one in near.units if not one[1].is_heading] or near.units
    for passage, unit in units[:needed]:
        text = evidence[passage.evidence].text
        tag, body = _sentence(text, passage, unit)
        length = sum(one.end - one.start for one in (*bodies, body))
        if (bodies and length > _LONGEST) or any(_overlap(body, one) for one in bodies):
            continue
        bodies.append(body)
        tags += [tag] if tag else []
    words = [fold(evidence[one.evidence].text[one.start : one.end]) for one in bodies]
    if not any(words):
        return None
    tag = tags[0] if len(tags) == len(bodies) == 1 else None
    command = fold(evidence[tag.evidence].text[tag.start : tag.end]) if tag else ""
    return DraftStatement(" ".join(words), command, (*([tag] if tag else []), *bodies))


def _sentence(text: str, passage: Span, unit: Unit) -> tuple[Span | None, Span]:
    """Return the whole sentence or line of a unit, and its tag if that is a separate line."""
    start, end = unit.start, unit.end
    for first, last in sentences(text, passage.start, passage.end):
        if first < unit.end and unit.start < last:
            start, end = min(start, first), max(end, last)
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    tag = None
    if unit.tag_start < unit.start:
        line_end = text.find("\n", unit.tag_start, start)
        if line_end < 0 and end - unit.tag_start <= _LONGEST:
            start = unit.tag_start
        elif 0 <= line_end <= unit.tag_start + _LONGEST_TAG:
            tag = passage._replace(start=unit.tag_start, end=line_end)
    return tag, passage._replace(start=start, end=end)


def _overlap(one: Span, other: Span) -> bool:
    return one.evidence == other.evidence and one.start < other.end and other.start < one.end
