"""The probability that a short text answers a question."""

from math import exp
from operator import mul

from vademecum.core.candidates import SearchIndex
from vademecum.retrieval.passages.features import Likeness
from vademecum.retrieval.question.question import Question
from vademecum.text.words import WORD, numbers, terms

THRESHOLD = 0.5
"""The minimum probability of an answer from a selection."""

_BASE, _COVERED, _MET, _NEAR = -5.24, 5.49, 8.32, 6.83
"""Fitted on the development questions: the passage that answers each, and two other passages of the book."""

_MEANT_TERMS = 400


def chance_in_selection(question: Question, text: str, index: SearchIndex) -> float:
    """Return the probability (0-1), given the share of the question's rarity in the text, and the similarity."""
    likeness = Likeness(question, index)
    covered = likeness.covered(frozenset(numbers(WORD.findall(text))))
    asked = index.embed(term.text for term in question.terms)
    near = sum(map(mul, asked, index.embed(terms(text)[:_MEANT_TERMS])))
    return 1 / (1 + exp(-(_BASE + _COVERED * covered + _MET * likeness.fit(text) + _NEAR * near)))
