"""Judging sentences of documents that no index here knows, so that the best of them can be quoted."""

from collections import Counter
from collections.abc import Sequence
from math import log
from operator import mul

from vademecum.answering.extract import Relevance
from vademecum.providers.builtin import word_table
from vademecum.retrieval.words import STOP_WORDS, WORD, numbers
from vademecum.retrieval.words import terms as terms_of

_LONGEST = 4000
_MOST_TERMS = 24


def relevance(question: str, texts: Sequence[str]) -> Relevance:
    """A judge of text by its words: the summed rarity, within `texts`, of the question's words in it."""
    asked = set(numbers(one for one in WORD.findall(question[:_LONGEST]) if one.lower() not in STOP_WORDS))
    spread = Counter(term for text in texts for term in set(numbers(WORD.findall(text))))
    rarity = {term: log(1 + (len(texts) + 0.5) / (spread[term] + 0.5)) for term in asked}

    def judge(text: str) -> float:
        return sum(rarity.get(term, 0.0) for term in set(numbers(WORD.findall(text))))

    return judge


def likeness(question: str) -> Relevance:
    """A judge of text by its meaning, -1 to 1, by the built-in word table."""
    table = word_table()
    asked = table.embed(terms_of(question[:_LONGEST]))

    def judge(text: str) -> float:
        return float(sum(map(mul, asked, table.embed(terms_of(text)[:_MOST_TERMS]))))

    return judge
