"""Quote: an answer made of the passages that fit best, each by those of its sentences that say the most on the question."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from vademecum.answering.extract import Relevance, cut, sentences
from vademecum.core.evidence import Draft, DraftStatement, Evidence, Span

_LONGEST_QUOTE = 1200
_LONGEST_LATER = 900
"""Characters that are quoted of the best passage, and of each of the others."""

_LONGEST_LINE = 400
_COMPARED = 6
"""How many sentences of a passage, the best by words, are compared by meaning, too."""

_NEIGHBOUR = 0.5
"""What a sentence gets of the score of the one beside it: what stands together belongs together."""


_LONGEST_JOINED = 600
_LEAST_LETTERS = 3
_SMALL_WORDS = frozenset(
    """a an and are as be by can for from if in is it of on or that the this to will with you
    your""".split()  # noqa: SIM905 - one word list reads best
)
_HEADING = re.compile(r"[A-Z][^\W_]*(?:[ ,:&/-]+[^\W_]+){0,7}")
_MOST_PASSAGES = 2048
_LONGEST_KEPT = 4000
"""Passages whose sentences are remembered, and their characters: what is quoted once is often quoted again."""


class _Piece(NamedTuple):
    """A sentence: its place in its passage, and its words."""

    start: int
    end: int
    text: str


def quote(evidence: Sequence[Evidence], relevance: Relevance, likeness: Relevance) -> Draft:
    """Draft an answer from the passages that were chosen, best first.

    Every statement is a stretch of a passage as it stands there. Of each passage that many sentences are quoted as
    fit its share, those that score best, in reading order; neighbours are one statement.

    Args:
        evidence: The documents, each with the chosen passages only.
        relevance: Judges a text by its words.
        likeness: Judges it by its meaning, -1 to 1.
    """
    chosen = [
        (one.score, -position, one) for position, document in enumerate(evidence) for one in document.passages
    ]
    chosen.sort(key=lambda found: (-found[0], -found[1], found[2].start))
    statements: list[DraftStatement] = []
    for rank, (_, place, passage) in enumerate(chosen):
        longest = _LONGEST_LATER if rank else _LONGEST_QUOTE
        span = Span(-place, passage.start, passage.end, passage.anchor)
        statements += _quoted(span, evidence[-place].text, longest, relevance, likeness)
    return Draft(tuple(statements), ())


def _quoted(
    span: Span, text: str, longest: int, relevance: Relevance, likeness: Relevance
) -> list[DraftStatement]:
    """The statements that a passage, given as a span, is quoted by."""
    passage = text[span.start : span.end]
    pieces = _known_pieces(passage) if len(passage) <= _LONGEST_KEPT else _pieces(passage)
    if not pieces:
        return []
    kept = _best(pieces, longest, relevance, likeness)
    found: list[DraftStatement] = []
    first = last = -1
    for at in [*sorted(kept), -1]:
        if at >= 0 and last >= 0 and at == last + 1:
            last = at
            continue
        if last >= 0:
            start, end = span.start + pieces[first].start, span.start + pieces[last].end
            found.append(DraftStatement(text[start:end], "", (span._replace(start=start, end=end),)))
        first = last = at
    return found


def _pieces(passage: str) -> tuple[_Piece, ...]:
    """The sentences of a passage. Lines of code stay together, with what introduces them; so does what has no words."""
    found: list[tuple[int, int]] = []
    last = ""
    for start, whole in sentences(passage, 0, len(passage)):
        end = cut(passage, start, whole, _LONGEST_LINE)
        said = passage[start:end]
        if found and end - found[-1][0] <= _LONGEST_JOINED and _belongs(said, last):
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
        last = said
    return tuple(_Piece(start, end, passage[start:end]) for start, end in found)


def _belongs(said: str, before: str) -> bool:
    """Whether a sentence or line says nothing without the one before it."""
    if sum(map(str.isalnum, said)) < _LEAST_LETTERS or before.endswith(":") or _is_heading(before):
        return True
    return _is_no_prose(said) and _is_no_prose(before)


def _is_heading(said: str) -> bool:
    """Whether a line may be a heading: it says nothing without what follows it."""
    return _HEADING.fullmatch(said) is not None and _is_no_prose(said)


def _is_no_prose(said: str) -> bool:
    """Whether a line is code, a command, or a name: no sentence ends it, and no small word of English is in it."""
    return said[-1] not in ".!?:" and _SMALL_WORDS.isdisjoint(said.lower().split())


_known_pieces = lru_cache(maxsize=_MOST_PASSAGES)(_pieces)


def _best(pieces: Sequence[_Piece], longest: int, relevance: Relevance, likeness: Relevance) -> set[int]:
    """The positions of the sentences that are quoted."""
    if pieces[-1].end - pieces[0].start <= longest:
        return set(range(len(pieces)))
    words = [relevance(one.text) for one in pieces]
    most = max(words) or 1.0
    compared = set(sorted(range(len(pieces)), key=lambda at: (-words[at], at))[:_COMPARED])
    own = [
        fit / most + (max(0.0, likeness(one.text)) if at in compared else 0.0)
        for at, (fit, one) in enumerate(zip(words, pieces, strict=True))
    ]
    fits = [
        one + _NEIGHBOUR * max(own[at - 1] if at else 0.0, own[at + 1] if at + 1 < len(own) else 0.0)
        for at, one in enumerate(own)
    ]
    kept: set[int] = set()
    room = longest
    for at in sorted(range(len(pieces)), key=lambda at: (-fits[at], at)):
        size = pieces[at].end - pieces[at].start + 1  # and what stands between it and the next
        if size <= room or not kept:
            kept.add(at)
            room -= size
    return kept
