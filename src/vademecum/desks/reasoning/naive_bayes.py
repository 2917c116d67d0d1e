"""A naive Bayes classifier over the example questions of the templates.

Every line of a template (its examples, the questions asked, the situations it is for) is a bag of words. Three
measures are had of a new question:

- complement naive Bayes: how unlike the words of *other* templates it is (Rennie, Shih, Teevan & Karger, ICML 2003);
- multinomial naive Bayes: how like the words of this one (McCallum & Nigam 1998);
- the cosines of its nearest lines.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import log, sqrt
from typing import NamedTuple

from vademecum.text.words import stem

LONGEST = 4000
"""Characters of a problem that are looked at."""

_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
_MOST_TOKENS = 400
_NUMBER = "#"


@lru_cache(maxsize=1 << 15)
def _token(token: str) -> str:
    return _NUMBER if token.isdigit() else stem(token)


def wording(text: str) -> Counter[str]:
    """How often each word, sign and pair of neighbours is in a text. All numbers are one word.

    >>> sorted(wording("How many?"))
    ['?', 'how', 'how mani', 'mani', 'mani ?']
    """
    found = [
        _token(token) for token in _TOKEN.findall(text[:LONGEST].lower().replace("’", "'"))[:_MOST_TOKENS]
    ]
    counts = Counter(found)
    counts.update(f"{one} {other}" for one, other in pairwise(found))
    return counts


def weighed(counts: Counter[str], rarity: dict[str, float]) -> dict[str, float]:
    """Known words with their weights (logarithm of the count, times rarity), of Euclidean length 1."""
    weights = {word: (1 + log(count)) * rarity[word] for word, count in counts.items() if word in rarity}
    length = sqrt(sum(weight * weight for weight in weights.values()))
    return {word: weight / length for word, weight in weights.items()} if length else {}


_COMPLEMENT_PRIOR = 1.0
_OWN_PRIOR = 0.1
_NEAREST = 3


class Likeness(NamedTuple):
    """How a question is like the lines of one class.

    Attributes:
        unlike_others: Complement naive Bayes; comparable between the classes of one question.
        like_own: Multinomial naive Bayes; likewise.
        nearest: Cosine (0-1) of the nearest line.
        near: Mean of the nearest three.
        line: The number of the nearest line within its class, -1 if no line shares a word.
    """

    unlike_others: float
    like_own: float
    nearest: float
    near: float
    line: int


class Learnt:
    """All lines of some classes."""

    def __init__(self, classes: Sequence[Sequence[str]]) -> None:
        bags = [
            (number, at, wording(line))
            for number, lines in enumerate(classes)
            for at, line in enumerate(lines)
        ]
        spread = Counter(word for _, _, counts in bags for word in counts)
        self._rarity = {word: log((1 + len(bags)) / (1 + count)) + 1 for word, count in spread.items()}
        self._lines: list[tuple[int, int]] = []
        self._postings: dict[str, list[tuple[int, float]]] = {}
        sums: list[dict[str, float]] = [{} for _ in classes]
        for number, at, counts in bags:
            own = sums[number]
            for word, weight in weighed(counts, self._rarity).items():
                own[word] = own.get(word, 0.0) + weight
                self._postings.setdefault(word, []).append((len(self._lines), weight))
            self._lines.append((number, at))
        self._sums = sums
        size, owns = len(self._postings) or 1, [sum(own.values()) for own in sums]
        self._base_other = [log(sum(owns) - own + _COMPLEMENT_PRIOR * size) for own in owns]
        self._base_own = [log(_OWN_PRIOR) - log(own + _OWN_PRIOR * size) for own in owns]

    def _said(self, word: str) -> list[tuple[int, float, float]]:
        """Return what a word says of each class that has it, beyond what it says of a class without it."""
        weights = [(number, own[word]) for number, own in enumerate(self._sums) if word in own]
        prior = sum(weight for _, weight in weights) + _COMPLEMENT_PRIOR
        return [
            (number, log(prior) - log(max(prior - weight, 1e-9)), log(1 + weight / _OWN_PRIOR))
            for number, weight in weights
        ]

    def likenesses(self, text: str) -> tuple[list[Likeness], float]:
        """How a question is like each class, in their order; and the share (0-1) of its words that any line has.

        A text without known words is as like one as another.
        """
        counts = wording(text)
        query = weighed(counts, self._rarity)
        total = sum(query.values())
        other = [total * base for base in self._base_other]
        own = [total * base for base in self._base_own]
        cosines: dict[int, float] = {}
        for word, weight in query.items():
            for number, more_other, more_own in self._said(word):
                other[number] += weight * more_other
                own[number] += weight * more_own
            for line, held in self._postings[word]:
                cosines[line] = cosines.get(line, 0.0) + weight * held
        best: list[list[tuple[float, int]]] = [[] for _ in other]
        for line, cosine in cosines.items():
            number, at = self._lines[line]
            best[number].append((cosine, -at))
        found = []
        for number, near in enumerate(best):
            near.sort(reverse=True)
            top = [cosine for cosine, _ in near[:_NEAREST]]
            nearest, line = (top[0], -near[0][1]) if top else (0.0, -1)
            found.append(Likeness(other[number], own[number], nearest, sum(top) / _NEAREST, line))
        single = [word for word in counts if " " not in word]
        known = sum(word in self._rarity for word in single) / (len(single) or 1)
        return found, known
