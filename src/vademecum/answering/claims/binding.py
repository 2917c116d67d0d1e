"""Check that the text states a fact about the same subject as the claim. A number from a neighbouring line is wrong."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from vademecum.answering.claims.alignment import Claimed, Row
from vademecum.answering.claims.likeness import likeness
from vademecum.answering.claims.words import NAME, NUMBER, OPTION, ORDINAL, PATH, WORD, Word

_THERE = 0.8
_NEIGHBOUR = 5
_ENDS = frozenset(["first", "last"])


def binding(claimed: Claimed, rows: Sequence[Row]) -> dict[str, float]:
    """Return the features of facts about another subject."""
    lines: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in rows:
        lines[row.text, row.unit.line].append(row)
    least = least_near = 1.0
    rival = rival_near = 0.0
    shares = []
    for place in claimed.facts:
        scopes = list(_scopes(place, rows, lines))
        if not scopes:
            continue
        rest, near = _rest(claimed, place)
        own = max(claimed.cover(scope, rest) for scope in scopes)
        own_near = max(claimed.cover(scope, near) for scope in scopes)
        least, least_near = min(least, own), min(least_near, own_near)
        shares.append(own)
        for row in rows:
            if row.matches[place][0] < _THERE and _has_rival(claimed, place, row):
                rival = max(rival, claimed.cover([row], rest) - own)
                rival_near = max(rival_near, claimed.cover([row], near) - own_near)
    apart = list(_apart(claimed, rows))
    return {
        "bound": least,
        "bound near": least_near,
        "bound mean": sum(shares) / len(shares) if shares else 1.0,
        "rival": rival,
        "rival near": rival_near,
        "apart": sum(apart) / len(apart) if apart else 0.0,
        "most apart": max(apart, default=0.0),
        "torn": _torn(claimed, rows),
        "counted otherwise": float(_counted_otherwise(claimed, rows)),
    }


def _scopes(place: int, rows: Sequence[Row], lines: dict[tuple[int, int], list[Row]]) -> Iterator[list[Row]]:
    """Return the ranges in which a fact can apply: its sentence and a neighbour, or the whole entry of its tag."""
    for row in rows:
        if row.matches[place][0] < _THERE:
            continue
        unit = row.unit
        line = lines[row.text, unit.line]
        carrier = row.matches[place][1]
        if carrier is not None and (carrier in unit.tag or carrier in unit.above):
            yield [*line, *lines.get((row.text, unit.line + 1), ())] if unit.is_heading else line
        yield [other for other in line if unit.place <= other.unit.place <= unit.place + 1]
        yield [other for other in line if unit.place - 1 <= other.unit.place <= unit.place]


def _rest(claimed: Claimed, place: int) -> tuple[list[int], list[int]]:
    """Return the other words of a claim, and those in the clause of the fact."""
    fact = claimed.content[place]
    rest = [other for other in range(len(claimed.content)) if other != place]
    near = [other for other in rest if claimed.content[other].clause == fact.clause]
    if sum(claimed.weights[other] for other in near) < 0.9:
        near = [other for other in rest if abs(claimed.content[other].place - fact.place) < _NEIGHBOUR]
    return rest, near


def _has_rival(claimed: Claimed, place: int, row: Row) -> bool:
    """Return whether a sentence contains another fact of the same kind instead of the claimed one."""
    kind = claimed.content[place].kind
    kinds = (NUMBER, ORDINAL) if kind in (NUMBER, ORDINAL) else (kind,)
    named = any(
        row.matches[other][0] >= _THERE for other in claimed.facts if claimed.content[other].kind in kinds
    )
    return not named and any(word.kind in kinds for word in row.unit.facts)


def _apart(claimed: Claimed, rows: Sequence[Row]) -> Iterator[float]:
    """Return the distance in clauses (scaled to 0-1) in the text between each fact and the words of its clause."""
    for place in claimed.facts:
        fact = claimed.content[place]
        carriers = [row for row in rows if row.matches[place][0] >= _THERE]
        for other, word in enumerate(claimed.content):
            if other == place or word.clause != fact.clause or abs(word.place - fact.place) > _NEIGHBOUR:
                continue
            nearest = _NEIGHBOUR
            for row in carriers:
                value, found = row.matches[other]
                carrier = row.matches[place][1]
                if value >= 0.7 and found is not None and carrier is not None:
                    above = row.unit.above
                    between = 0 if carrier in above or found in above else abs(carrier.clause - found.clause)
                    nearest = min(nearest, between)
            yield nearest / _NEIGHBOUR


def _torn(claimed: Claimed, rows: Sequence[Row]) -> float:
    """Return the share of neighbouring words in the claim that no sentence contains together."""
    torn = pairs = 0
    content = claimed.content
    for place in range(len(content) - 1):
        one, other = content[place], content[place + 1]
        if other.place - one.place <= 3 and one.clause == other.clause:
            pairs += 1
            torn += not any(row.matches[place][0] >= 0.6 <= row.matches[place + 1][0] for row in rows)
    return torn / pairs if pairs else 0.0


def _counted_otherwise(claimed: Claimed, rows: Sequence[Row]) -> int:
    """Count numbers before a word that the text always has with other numbers."""
    found = 0
    for place, word in enumerate(claimed.content):
        if not _counts(word):
            continue
        counted = next(
            (
                other
                for other in range(place + 1, len(claimed.content))
                if claimed.content[other].kind == WORD and claimed.content[other].place - word.place <= 2
            ),
            None,
        )
        if counted is None:
            continue
        so = otherwise = 0
        for row in rows:
            value, noun = row.matches[counted]
            if noun is None or value < _THERE or noun not in row.unit.words:
                continue
            at = row.unit.words.index(noun)
            for before in row.unit.words[max(0, at - 2) : at]:
                if _counts(before):
                    same = before.key == word.key or likeness(word, before) >= _THERE
                    so, otherwise = so + same, otherwise + (not same)
        found += bool(otherwise and not so)
    return found


def _counts(word: Word) -> bool:
    return word.kind in (NUMBER, ORDINAL) or word.text.lower() in _ENDS


KINDS = {"option": (OPTION,), "path": (PATH,), "number": (NUMBER, ORDINAL), "name": (NAME,)}
"""Kinds of facts, with their names in messages."""
