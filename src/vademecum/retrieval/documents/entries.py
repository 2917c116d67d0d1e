"""Score the entries of a document, mostly options, for a question: features and fitted weights.

Entries are compared only with those of the same document, so most features are relative to its best entry.
"""

import re
from collections.abc import Sequence
from math import exp, log1p
from operator import mul
from typing import NamedTuple

from vademecum.core.candidates import FoundNeed
from vademecum.core.fitted import weights_of
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.weights import fitted_numbers

FEATURES = (
    "words",
    "cover",
    "meaning",
    "tag_meaning",
    "need",
    "need_share",
    "need_words",
    "option",
    "asked",
    "unasked_error",
    "length",
)
"""The names of the features, in order. `words`, `need_words` and `need_share` are relative to the document's best; `asked` means that the
question contains a part of the tag that is not a common word (`-R`, `EPERM`, `O_CLOEXEC`)."""

_WEIGHTS = weights_of(fitted_numbers("entries"), FEATURES)
"""Fitted by `training/entries.py`."""

_BORDER = re.compile(r"[\s,.;:?!|=<>\[\](){}\"'‘’]+")


class Entry(NamedTuple):
    """An entry to be scored.

    Attributes:
        words: Its score by words, at least 0.
        cover: The share (0-1) of the question's total rarity that it contains.
        meaning: The cosine of its beginning and the question; 0 if not computed.
        tag_meaning: The cosine of its first few words and the question; 0 if not computed.
    """

    passage: int
    tag: str
    words: float
    cover: float
    meaning: float
    tag_meaning: float
    is_option: bool
    is_error: bool
    length: int


def features_of(
    question: Question, entries: Sequence[Entry], needs: Sequence[FoundNeed]
) -> list[tuple[float, ...]]:
    """Return the features of each entry, in the order of `FEATURES`."""
    most_words = max((entry.words for entry in entries), default=0.0) or 1.0
    met: dict[int, tuple[float, float]] = {}
    for need in needs:
        for passage in need.passages:
            cosine, words = met.get(passage, (0.0, 0.0))
            met[passage] = max(cosine, need.cosine), max(words, need.words)
    best_need = max((need.cosine for need in needs), default=0.0)
    best_need_words = max((need.words for need in needs), default=0.0) or 1.0
    asks_error = "error" in question.kinds
    written = {word for word in _BORDER.split(question.text) if not word.isalpha() or not word.islower()} - {
        ""
    }
    found: list[tuple[float, ...]] = []
    for entry in entries:
        cosine, words = met.get(entry.passage, (0.0, 0.0))
        tags = _BORDER.split(entry.tag)
        found.append(
            (
                entry.words / most_words,
                entry.cover,
                entry.meaning,
                entry.tag_meaning,
                cosine,
                cosine / best_need if best_need > 0 else 0.0,
                words / best_need_words,
                float(entry.is_option),
                float(any(tag in written for tag in tags)),
                float(entry.is_error and not asks_error),
                log1p(entry.length),
            )
        )
    return found


def scores_of(features: Sequence[Sequence[float]]) -> list[float]:
    """Return the scores of entries, relative to the document's best (1); above 0."""
    values = [sum(map(mul, _WEIGHTS, feature)) for feature in features]
    best = max(values, default=0.0)
    return [exp(value - best) for value in values]
