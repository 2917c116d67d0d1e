"""The edit distance of two names: insertions, deletions, substitutions and swaps of neighbouring letters.

This is the distance of Damerau and Levenshtein in the form that never edits a stretch twice (optimal string alignment).
"""

from collections.abc import Iterable


def distance(one: str, other: str, most: int) -> int:
    """The distance of two names, `most + 1` if it is larger than `most`.

    >>> distance("ngnix", "nginx", 2), distance("curl", "docker", 2)
    (1, 3)
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    while one and other and one[0] == other[0]:  # most names that are compared begin or end alike
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    if not one or not other:
        return len(one) + len(other)
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        earlier, before, row = before, row, [at, *[0] * len(other)]
        for to, wanted in enumerate(other, start=1):
            least = min(before[to] + 1, row[to - 1] + 1, before[to - 1] + (letter != wanted))
            if at > 1 and to > 1 and letter == other[to - 2] and one[at - 2] == wanted:
                least = min(least, earlier[to - 2] + 1)
            row[to] = least
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def _may(one: str, other: str, most: int) -> bool:
    """Return whether two names may be as near as that, judged by how many letters they share: fast, and never wrong about a no."""
    rest = other
    shared = 0
    for letter in one:
        left = rest.replace(letter, "", 1)
        shared += len(left) < len(rest)
        rest = left
    return max(len(one), len(other)) - shared <= most


def nearest(name: str, names: Iterable[str], limit: int) -> list[str]:
    """The names that are so near that one may have been meant, the nearest first."""
    most = 1 if len(name) <= 4 else 2 if len(name) <= 12 else 3
    letters = set(name)
    found = []
    for other in names:
        if (
            abs(len(other) - len(name)) <= most
            and len(letters.symmetric_difference(other)) <= 2 * most
            and _may(name, other, most)
        ):
            away = distance(name, other, most)
            if away <= most:
                found.append((away, other[:1] != name[:1], other))
    return [other for _, _, other in sorted(found)[:limit]]
