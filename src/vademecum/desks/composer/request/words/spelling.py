"""Correct one typing error in a word: two letters swapped, or one wrong, missing or added."""

from collections.abc import Collection

_SHORTEST = 4
_SHORTEST_WRONG = 5
"""From so many letters on one of them may be wrong, missing or too many, and not only two of them swapped."""


def corrected(word: str, known: Collection[str], *, lacks_letter: bool = False) -> str:
    """The one known word that a word is a slip of; "" if none is, or several are.

    Args:
        lacks_letter: Whether a word of three or four letters may lack one.

    >>> corrected("ngnix", {"nginx", "redis"})
    'nginx'
    """
    if len(word) < _SHORTEST - lacks_letter:
        return ""
    near = {
        other
        for other in _variants(word, lacks_letter=lacks_letter)
        if other in known and other[0] == word[0]
    }
    if len(near) > 1:
        same = {other for other in near if sorted(other) == sorted(word)}
        near = same or near
    return near.pop() if len(near) == 1 else ""


_ALPHABET = "abcdefghijklmnopqrstuvwxyz-"


def _variants(word: str, *, lacks_letter: bool) -> set[str]:
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    found = {left + right[1] + right[0] + right[2:] for left, right in splits if len(right) > 1}
    if lacks_letter or len(word) >= _SHORTEST_WRONG:
        found |= {left + letter + right for left, right in splits for letter in _ALPHABET}
    if len(word) >= _SHORTEST_WRONG:
        found |= {left + right[1:] for left, right in splits if right}
        found |= {left + letter + right[1:] for left, right in splits if right for letter in _ALPHABET}
    return found - {word}
