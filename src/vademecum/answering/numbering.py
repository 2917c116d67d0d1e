"""The passages a model is shown: chosen from the evidence, best first, numbered, cut to what fits."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import NamedTuple

from vademecum.core.evidence import Evidence, ScoredPassage, Span
from vademecum.core.passages import SECTION
from vademecum.text.sentences import cut, sentences

Count = Callable[[str], int]
"""How many tokens a text has."""

MOST_PASSAGES = 12
_LONGEST = 1600
"""Characters of a passage that is shown; a longer one is cut at a sentence."""

_SHARE_OF_FIRST = 2
"""How many passages the first document gives for each of another one."""

_NAMES = frozenset({"NAME"})
_SAYS_NOTHING = frozenset({"SEE ALSO", "COPYRIGHT", "AUTHOR", "AUTHORS", "REPORTING BUGS", "COLOPHON"})


class Numbered(NamedTuple):
    """A passage with the number by which a model cites it.

    Attributes:
        number: From 1.
        span: Where it stands.
        heading: Path of headings.
        tags: The tags of options and items that begin in it, as offsets in the document.
    """

    number: int
    span: Span
    heading: str
    tags: tuple[tuple[int, int], ...]


def number(evidence: Sequence[Evidence], tokens: int, count_tokens: Count) -> tuple[list[Numbered], int]:
    """Choose and number passages, as many of the best as fit.

    Args:
        evidence: The documents, best first, their passages with scores.
        tokens: How much they may have together.
        count_tokens: Counts.

    Returns:
        The passages, and how many were left out for want of room. Of the best one at least a sentence is there.
    """
    chosen: list[tuple[Span, str]] = []
    for position, passage in _ranked(evidence):
        text, start = evidence[position].text, passage.start
        end = cut(text, start, passage.end, _LONGEST)
        if text[start:end].strip() and not any(_overlap(position, start, end, other) for other, _ in chosen):
            chosen.append((Span(position, start, end, passage.anchor), passage.heading))
    kept: list[tuple[Span, str]] = []
    left = tokens
    for span, heading in chosen[:MOST_PASSAGES]:
        text = evidence[span.evidence].text
        fitting = _fitted(text, span, left, count_tokens, always=not kept)
        if fitting is None:
            continue
        kept.append((fitting, heading))
        left -= count_tokens(text[fitting.start : fitting.end]) + _FENCE_TOKENS
    numbered = [
        Numbered(place, span, heading, _tags(evidence[span.evidence], span))
        for place, (span, heading) in zip(count(1), kept)
    ]
    return numbered, len(chosen) - len(kept)


_FENCE_TOKENS = 24


def _ranked(evidence: Sequence[Evidence]) -> Iterator[tuple[int, ScoredPassage]]:
    """The passages of all documents, the first document's twice as often as another's."""
    ranked = []
    for position, document in enumerate(evidence):
        share = _SHARE_OF_FIRST if position == 0 else 1
        for rank, passage in enumerate(_of_document(document)):
            ranked.append(((rank // share, position, rank), position, passage))
    ranked.sort(key=lambda one: one[0])
    for _, position, passage in ranked:
        yield position, passage


def _of_document(document: Evidence) -> list[ScoredPassage]:
    """A document's passages, best first, windows and entries in turn; its one line before all."""
    windows = [one for one in document.passages if one.kind == SECTION and _top(one) not in _SAYS_NOTHING]
    entries = [one for one in document.passages if one.kind != SECTION and one.score > 0]
    names = [one for one in windows if _top(one) in _NAMES]
    windows = sorted((one for one in windows if one not in names), key=lambda one: (-one.score, one.start))
    entries.sort(key=lambda one: (-one.score, one.start))
    found = names[:1]
    for place in range(max(len(windows), len(entries))):
        found += windows[place : place + 1] + entries[place : place + 1]
    return found[: 2 * MOST_PASSAGES]


def _top(passage: ScoredPassage) -> str:
    return passage.heading.upper().partition(" > ")[0]


def _overlap(position: int, start: int, end: int, other: Span) -> bool:
    """Whether most of a stretch is shown already."""
    if other.evidence != position:
        return False
    return min(end, other.end) - max(start, other.start) > (end - start) / 2


def _fitted(text: str, span: Span, left: int, count_tokens: Count, *, always: bool) -> Span | None:
    """As many whole sentences as fit, and with `always` at least one of them."""
    if count_tokens(text[span.start : span.end]) + _FENCE_TOKENS <= left:
        return span
    best = None
    for _, end in sentences(text, span.start, span.end):
        if count_tokens(text[span.start : end]) + _FENCE_TOKENS > left:
            return span._replace(end=end) if best is None and always else best
        best = span._replace(end=end)
    return best


def _tags(document: Evidence, span: Span) -> tuple[tuple[int, int], ...]:
    return tuple(
        (one.start, min(one.tag_end, span.end))
        for one in document.passages
        if one.tag_end > one.start and span.start <= one.start < span.end
    )
