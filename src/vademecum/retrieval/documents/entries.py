"""Score the entries of a document, mostly options, for a question: features and fitted weights.

The entries of one document compete with each other alone, so most measures are relative to the document's best.
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
"""Their names, in order. `words`, `need_words` and `need_share` are shares of the document's best; `asked` says that the
question names a part of the tag, and not by a common word (`-R`, `EPERM`, `O_CLOEXEC`)."""

_WEIGHTS = weights_of(fitted_numbers("entries"), FEATURES)
"""Fitted by `training/entries.py`."""

_BORDER = re.compile(r"[\s,.;:?!|=<>\[\](){}\"'‘’]+")


class Entry(NamedTuple):
    """An entry before it is judged.

    Attributes:
        passage: Its number within the segment.
        tag: Its tag (`-R, --recursive`).
        words: Its fit by words, at least 0.
        cover: Share (0-1) of the question's rarity that it has.
        meaning: Cosine of its beginning with the question; 0 where it was not compared.
        tag_meaning: Cosine of its first few words with the question; likewise.
        is_option: Whether its tag is an option.
        is_error: Whether it is in a list of errors.
        length: Characters.
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
    """Each entry's features, in the order of `FEATURES`.

    Args:
        question: What was asked.
        entries: Of one document.
        needs: All needs of that document.
    """
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
    """What each entry is worth beside the document's best one, which has 1; above 0."""
    values = [sum(map(mul, _WEIGHTS, feature)) for feature in features]
    best = max(values, default=0.0)
    return [exp(value - best) for value in values]
