"""How a problem is worded: its words in order, those that other searches leave out among them.

What a person wants done is said by small words ("how many", "why can't", "what if"), so nothing is left out, and two words
that stand together count as well as each alone.
"""

import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from math import log, sqrt

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
    """How often each word, sign and pair of neighbours stands in a text. All numbers are one word.

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
    """Known words with their weights (logarithm of the count, times rarity), of Euclidean length 1.

    Args:
        counts: Of one text.
        rarity: Of every known word; others are left out.
    """
    weights = {word: (1 + log(count)) * rarity[word] for word, count in counts.items() if word in rarity}
    length = sqrt(sum(weight * weight for weight in weights.values()))
    return {word: weight / length for word, weight in weights.items()} if length else {}
