"""Detect claims that assert what the text denies, or deny what it asserts.

Each negation has a target: the word that it negates. The corresponding word on the other side must be negated too: by a
negation, by a word with the same effect (`fail`, `except`), by a prefix, or as an antonym.
"""

from collections.abc import Iterator, Sequence

from vademecum.answering.claims.alignment import Claimed, Row
from vademecum.answering.claims.lexicon import SOFT_NEGATIONS
from vademecum.answering.claims.likeness import likeness, opposite
from vademecum.answering.claims.words import NEGATION, WORD, Word, stem

_SOFT = frozenset(map(stem, SOFT_NEGATIONS))
_REACH = 4
"""The maximum distance from a negation to its target, in words."""

_BEFORE, _BEHIND = 7, 5
"""The maximum distance of a negation before and after a word."""

_JUST_BEFORE = 3

_CARRIES = 0.59
"""The minimum coverage of corresponding words."""

_HEDGES = frozenset(
    """only just rather instead than different other others still even keep keeps kept remain remains leave leaves stay""".split()  # noqa: SIM905 - a word list reads best
)
"""Words that can express a negation without a negative."""

_LOOSE = frozenset(["matter", "longer", "only", "just", "more", "later", "necessarily", "but"])
"""Words after a negation that change its meaning."""

_TIMES = frozenset(["before", "after"])
_SAYS, _LIKE = 0.6, 0.8


def polarity(claimed: Claimed, best: Sequence[Row], few: Sequence[Row]) -> dict[str, float]:
    """Return the features of a claim with reversed meaning."""
    words = claimed.words
    said = [word for row in best for word in row.unit.words]
    claim_hard, claim_soft = _counted(words), _soft(words)
    said_hard, said_soft = _counted(said), _soft(said)
    carriers = [_carrier(place, few) for place in range(len(claimed.content))]
    places = {id(word): place for place, word in enumerate(claimed.content)}
    added = unknown = 0
    for target in _targets(words):
        match, row = carriers[places[id(target)]]
        if match is None or row is None:
            unknown += 1
        elif not (_is_turned_somewhere(match, few) or opposite(target, match)):
            added += 1
    dropped = 0
    carried = {id(match): place for place, (match, _) in enumerate(carriers) if match is not None}
    for row in few:
        for target in _targets(row.unit.words):
            place = carried.get(id(target))
            if place is not None:
                word = claimed.content[place]
                again = any(_turns_around(words, at) for at, one in enumerate(words) if one.key == word.key)
                dropped += not (again or opposite(word, target))
    said_again = {
        id(match)
        for word, (match, _) in zip(claimed.content, carriers, strict=True)
        if match and word.key == match.key
    }
    turned = sum(
        match is not None
        and row is not None
        and opposite(word, match)
        and (word.key == match.key or id(match) not in said_again)
        and _turned_at(words, word) == _turned_at(row.unit.words, match)
        for word, (match, row) in zip(claimed.content, carriers, strict=True)
    )
    near = _near(carriers, best)
    near_few = _near(carriers, few)
    hard_near, soft_near = _counted(near) + _unlike(near), _soft(near)
    hard_few, soft_few = _counted(near_few) + _unlike(near_few), _soft(near_few)
    unlike_here = sum(word.unlike for word in words)
    unlike_there = sum(word.unlike for word in said)
    return {
        "hard claimed": claim_hard,
        "hard said": said_hard,
        "soft claimed": claim_soft,
        "soft said": said_soft,
        "hard more": float(claim_hard - said_hard),
        "odd": float((claim_hard + unlike_here - said_hard - unlike_there) % 2),
        "odd soft": float((claim_hard + claim_soft - said_hard - said_soft) % 2),
        "odd near": float((claim_hard + unlike_here - hard_near) % 2),
        "odd near soft": float((claim_hard + unlike_here + claim_soft - hard_near - soft_near) % 2),
        "odd near turned": float((claim_hard + unlike_here + turned - hard_near) % 2),
        "odd near turned soft": float(
            (claim_hard + unlike_here + claim_soft + turned - hard_near - soft_near) % 2
        ),
        "odd few": float((claim_hard + unlike_here + turned - hard_few) % 2),
        "one side only": float(bool(claim_hard + unlike_here) != bool(hard_near)),
        "one side only soft": float(
            bool(claim_hard + unlike_here + claim_soft) != bool(hard_near + soft_near)
        ),
        "one side few soft": float(bool(claim_hard + unlike_here + claim_soft) != bool(hard_few + soft_few)),
        "negation added": float(added),
        "negation of something else": float(unknown),
        "negation dropped": float(dropped),
        "turned": float(turned),
        "time turned": float(any(_time_turned(words, row.unit.words) for row in few)),
        "turned around": float(added + dropped + turned),
        "negation nowhere": float(claim_hard > 0 and not said_hard and not said_soft and not unlike_there),
        "negation lost": float(said_hard > 0 and not claim_hard and not claim_soft and not unlike_here),
        "strictly nowhere": float(_strict(words) > 0 and not any(_any_cue(row.unit.words) for row in few)),
        "strictly lost": float(
            _strict(near) > 0 and not _any_cue(words) and not any(one.text in _HEDGES for one in words)
        ),
    }


def _time_turned(words: Sequence[Word], said: Sequence[Word]) -> bool:
    """Return whether the temporal order is reversed."""
    for at, word in enumerate(words):
        if word.text not in _TIMES:
            continue
        left = next((one for one in reversed(words[:at]) if one.weight >= _SAYS), None)
        right = next((one for one in words[at + 1 :] if one.weight >= _SAYS), None)
        if left is None or right is None:
            continue
        for place, other in enumerate(said):
            if other.text == word.text:
                before, behind = said[:place], said[place + 1 :]
                if _has(before, right) and not _has(behind, right) and _has(behind, left):
                    return True
    return False


def _has(words: Sequence[Word], wanted: Word) -> bool:
    return any(likeness(wanted, word) >= _LIKE for word in words)


def _targets(words: Sequence[Word]) -> Iterator[Word]:
    """Return the targets of negations."""
    for at, word in enumerate(words):
        if not _is_strict(words, at):
            continue
        for behind in words[at + 1 : at + 1 + _REACH]:
            if behind.weight > 0 and behind.kind == WORD and behind.clause == word.clause:
                yield behind
                break


def _is_strict(words: Sequence[Word], at: int) -> bool:
    """Return whether a negation is unambiguous: not "without", "no matter", or "No" as an answer."""
    word = words[at]
    if word.kind != NEGATION or word.text == "without" or _answers(words, at):
        return False
    return at + 1 == len(words) or words[at + 1].text not in _LOOSE


def _answers(words: Sequence[Word], at: int) -> bool:
    """Return whether a negation is "No" as an answer at the beginning."""
    return at == 0 and words[0].text == "no" and len(words) > 1 and words[1].clause != words[0].clause


def _any_cue(words: Sequence[Word]) -> bool:
    """Return whether a sentence contains any negation."""
    return bool(_counted(words) or _soft(words) or _unlike(words))


def _near(carriers: Sequence[tuple[Word | None, Row | None]], rows: Sequence[Row]) -> list[Word]:
    """Return the words of the clauses that support a claim."""
    carrying = {id(match) for match, _ in carriers if match is not None}
    found = []
    for row in rows:
        clauses = {word.clause for word in row.unit.words if id(word) in carrying}
        found += [word for word in row.unit.words if word.clause in clauses]
    return found


def _unlike(words: Sequence[Word]) -> int:
    return sum(word.unlike for word in words)


def _strict(words: Sequence[Word]) -> int:
    """Count unambiguous negations."""
    return sum(_is_strict(words, at) for at in range(len(words)))


def _counted(words: Sequence[Word]) -> int:
    return sum(word.kind == NEGATION and not _answers(words, at) for at, word in enumerate(words))


def _soft(words: Sequence[Word]) -> int:
    return sum(word.kind == WORD and word.key in _SOFT for word in words)


def _turns_around(words: Sequence[Word], at: int) -> bool:
    """Return whether a word is negated, by itself or by a word near it."""
    word = words[at]
    if word.unlike or word.key in _SOFT:
        return True
    return any(other is not word and _is_cue(other) for other in words[max(0, at - _BEFORE) : at + _BEHIND])


def _is_turned_somewhere(match: Word, rows: Sequence[Row]) -> bool:
    """Return whether a word is negated, here or elsewhere in these sentences."""
    return any(
        _turns_around(row.unit.words, at)
        for row in rows
        for at, word in enumerate(row.unit.words)
        if word.key == match.key
    )


def _turned_at(words: Sequence[Word], word: Word) -> bool:
    """Return whether a word is negated by the words just before it."""
    if word not in words:
        return False
    at = words.index(word)
    return any(_is_cue(other) for other in words[max(0, at - _JUST_BEFORE) : at])


def _is_cue(word: Word) -> bool:
    return word.kind == NEGATION or (word.kind == WORD and (word.key in _SOFT or word.unlike))


def _carrier(place: int, rows: Sequence[Row]) -> tuple[Word | None, Row | None]:
    """Return the word that corresponds to a claim's word."""
    best, found, at = _CARRIES, None, None
    for row in rows:
        value, word = row.matches[place]
        if value > best:
            best, found, at = value, word, row
    return found, at
