"""Rank units of documents from other servers, so that the best can be quoted."""

from collections import Counter
from collections.abc import Sequence
from math import log
from operator import mul

from vademecum.answering.quote import RankUnits
from vademecum.core.evidence import Unit
from vademecum.providers.builtin import word_table
from vademecum.text.words import STOP_WORDS, WORD, numbers
from vademecum.text.words import terms as terms_of

_LONGEST = 4000
_MOST_TERMS = 24


def ranker(question: str, texts: Sequence[str]) -> RankUnits:
    """Return a function that ranks units by meaning and by the question's words, weighted by rarity in `texts`."""
    asked = set(numbers(word for word in WORD.findall(question[:_LONGEST]) if word.lower() not in STOP_WORDS))
    spread = Counter(term for text in texts for term in set(numbers(WORD.findall(text))))
    rarity = {term: log(1 + (len(texts) + 0.5) / (spread[term] + 0.5)) for term in asked}
    whole = sum(rarity.values()) or 1.0
    table = word_table()
    meant = table.embed(terms_of(question[:_LONGEST]))

    def score(unit: Unit) -> float:
        found = set(numbers(WORD.findall(f"{unit.heading}\n{unit.text}")))
        near = float(sum(map(mul, meant, table.embed(terms_of(unit.text)[:_MOST_TERMS]))))
        return _WORDS * sum(rarity.get(term, 0.0) for term in found) / whole + _MEANING * max(0.0, near)

    def rank(units: Sequence[Unit]) -> list[tuple[Unit, float]]:
        scored = [(unit, float(score(unit))) for unit in units]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0].passage, pair[0].start))

    return rank


_WORDS, _MEANING = 5.3, 2.7
"""The weights of the question's words and of its meaning, on the scale of `retrieval.units.ranking`."""
