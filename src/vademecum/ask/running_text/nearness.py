"""The similarity of units to a question, by word vectors or by a transformer."""

from array import array
from collections.abc import Iterable
from functools import lru_cache
from operator import mul

from vademecum.answering.blocks import worded
from vademecum.core.candidates import DocumentId, UnitNearness
from vademecum.providers.builtin import english_table
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.units.features import Nearness
from vademecum.text.words import terms

_MOST_MEANT = 16384
_MEANT_TERMS = 60
"""The number of texts whose vectors are cached, and the number of terms that each vector is built from."""


def nearness(
    question: Question, near: UnitNearness | None = None, passages: Iterable[tuple[DocumentId, int]] = ()
) -> Nearness:
    """Return a function that measures how similar in meaning units are to a question.

    The similarity is that of word vectors of everyday English, or that of the transformer if it has embedded the documents.
    """
    asked = english_table().embed(term.text for term in question.terms)

    if near is None:
        return Nearness(lambda unit: float(sum(map(mul, asked, _meant(f"{unit.heading}. {unit.text}")))))
    known = near.units(passages)
    return Nearness(lambda unit: known(worded(unit)), by_transformer=True)


@lru_cache(maxsize=_MOST_MEANT)
def _meant(text: str) -> "array[float]":
    return array("f", english_table().embed(terms(text)[:_MEANT_TERMS]))
