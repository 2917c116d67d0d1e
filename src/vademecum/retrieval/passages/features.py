"""The features of a passage for a question: shared words, similar words, and position.

Questions and books use different words. So a term is met to the degree that the passage contains a similar
word (`soft`), by the word vectors of the index's own vocabulary. This is the main improvement over BM25.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import log1p
from operator import mul
from typing import NamedTuple

from vademecum.core.candidates import DocumentId, PassageFacts, PassageScore, SearchIndex
from vademecum.core.passages import SparseVector
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.question.wanted import asked_by
from vademecum.text.sentences import SPACE_BETWEEN
from vademecum.text.words import numbers_in, stem


def facts_of(title: str, heading: str, words: str, position: int, of: int) -> PassageFacts:
    """Compute the facts of a passage."""
    named = frozenset(numbers_in(heading))
    sentences = list(map(numbers_in, SPACE_BETWEEN.split(words)))
    return PassageFacts(
        terms=named.union(*sentences),
        heading=named,
        title=frozenset(numbers_in(title)),
        sentences=tuple(frozenset(sentence) for sentence in sentences if sentence),
        length=sum(map(len, sentences)),
        position=position,
        of=of,
    )


FEATURES = (
    "words", "words_share", "cosine", "cosine_share", "cover", "cover_heading", "cover_title", "cover_sentence", "soft", "near", "near_share",
    "heading_precision", "before", "after", "best_of_page", "found_of_page", "length", "is_first", "defines",
)  # fmt: skip
"""The names of the features, in order. `words` is BM25F divided by the question's rarity; shares are relative to the best
candidate; covers are shares of rarity. None depends on the size of the collection."""

_GENERAL = frozenset(
    map(
        stem,
        """many much often long far big large small old new good make take put keep let turn look find see say ask tell
        happen start stop mean call come go run try help fit part kind type sort case place time day number amount way
        whole own same different several certain possible usual exact current able must allow avoid cause""".split(),  # noqa: SIM905
    )
)
"""Words that are common in questions. In a small collection they are rare, but have as little meaning as in a large one."""

_GENERAL_SHARE = 0.4

_SOFT_FROM, _SOFT_TO = 0.3, 1.0
_NEAR_FROM, _NEAR_TO = 0.4, 0.8
"""The cosines at which words count as similar, and as the same."""

MEANT_FROM, MEANT_TO = 0.4, 0.9
"""The cosines at which a word partly and fully replaces another, for computing what is missing."""

_MOST_REPLACEMENTS = 8
"""The maximum number of words that are searched for in place of unknown words."""

_STATED = 0.9
"""The similarity of a value to the word that asks for it."""

_MOST_TEXTS = 8192
"""The number of sentences whose terms are cached, because quoted passages recur."""


class Met(NamedTuple):
    """How well a passage or document meets each term of a question, 0-1, in the order of the terms."""

    exact: tuple[bool, ...]
    alike: tuple[float, ...]


class Likeness:
    """The terms of a question, and similar words in the index.

    Attributes:
        worth: The weight of each: its rarity, reduced for small talk and for words that are common in questions.
        news: The weight of each if it is missing: its rarity, reduced for words that are common in questions.
        rarest: The rarity of a word that no document contains.
        asks_for_value: Whether a term asks for a value of some kind.
    """

    def __init__(self, question: Question, index: SearchIndex) -> None:
        self.terms = question.terms
        self.worth = tuple(
            term.weight * (_GENERAL_SHARE if term.text in _GENERAL else 1.0) for term in question.terms
        )
        self.total = sum(self.worth) or 1.0
        self.news = tuple(
            term.rarity * (_GENERAL_SHARE if term.text in _GENERAL else 1.0) for term in question.terms
        )
        self.rarest = index.rarest()
        self._near: dict[int, list[tuple[int, float]]] = {}
        for position, term in enumerate(question.terms):
            for number, cosine in index.similar(term.text):
                self._near.setdefault(number, []).append((position, cosine))
            self._near.setdefault(term.number, []).append((position, 1.0))
        self._stated: dict[int, re.Pattern[str]] = {}
        for position, term in enumerate(question.terms):
            for number, pattern in asked_by(term.text).items():
                self._stated[number] = pattern
                self._near.setdefault(number, []).append((position, _STATED))
        self._all = frozenset(self._near)
        self._met: dict[frozenset[int], Met] = {}
        self._soft: dict[frozenset[int], float] = {}
        self.own = frozenset(term.number for term in question.terms)
        self._by_number = {term.number: worth for term, worth in zip(question.terms, self.worth, strict=True)}

    def replacements(self) -> SparseVector:
        """Return words similar to unknown words of the question, weighted by similarity."""
        worth: dict[int, float] = {}
        for number, found in self._near.items():
            for position, cosine in found:
                if not self.terms[position].known and _SOFT_FROM < cosine < 1:
                    share = (cosine - _SOFT_FROM) / (_SOFT_TO - _SOFT_FROM)
                    worth[number] = max(worth.get(number, 0.0), self.worth[position] * share)
        best = sorted(worth, key=lambda number: (-worth[number], number))[:_MOST_REPLACEMENTS]
        return SparseVector(sorted(best), [worth[number] for number in sorted(best)])

    def stated(self, text: str) -> frozenset[int]:
        """Return the requested kinds of quantities that a text contains, as term numbers."""
        return frozenset(number for number, pattern in self._stated.items() if pattern.search(text))

    def met(self, found: frozenset[int]) -> Met:
        """Return how well a set of terms meets each term of the question."""
        shared = self._all & found
        known = self._met.get(shared)
        if known is None:
            known = self._met[shared] = self._met_by(shared)
        return known

    def soft(self, found: frozenset[int]) -> float:
        """Return the share of the total weight that a set of terms meets, at least partly."""
        shared = self._all & found
        known = self._soft.get(shared)
        if known is None:
            known = self._soft[shared] = self.softly(self.met(shared))[0]
        return known

    def _met_by(self, shared: frozenset[int]) -> Met:
        alike = [0.0] * len(self.terms)
        for number in shared:
            for position, cosine in self._near[number]:
                if cosine > alike[position]:  # noqa: PLR1730 - called too often for a call of `max`
                    alike[position] = cosine
        return Met(tuple([one >= 1.0 for one in alike]), tuple(alike))

    def alike(self, number: int) -> float:
        """Return the similarity of a term to the most similar term of the question, 0-1; 0 if none is similar."""
        return max([cosine for _, cosine in self._near.get(number, ())], default=0.0)

    def nearest(self) -> tuple[float, ...]:
        """Return the similarity of the most similar word to each term, 0-1."""
        best = [0.0] * len(self.terms)
        for number, found in self._near.items():
            for position, cosine in () if number in self._stated else found:
                best[position] = max(best[position], cosine)
        return tuple(
            1.0 if term.known else near if near < 1.0 else 0.0
            for term, near in zip(self.terms, best, strict=True)
        )

    def share(self, values: Sequence[float]) -> float:
        """Return the weighted mean of values of the terms."""
        return float(sum(map(mul, self.worth, values))) / self.total

    def fit(self, text: str) -> float:
        """Return how well a text meets the question's terms, 0-1, including similar words."""
        return self.softly(self.met(terms_in(text)))[1]

    def softly(self, met: Met) -> tuple[float, float]:
        """Return the shares of the total weight that are met partly and almost fully: `soft` and `near`."""
        soft = near = 0.0
        for worth, alike in zip(self.worth, met.alike, strict=True):
            if alike > _SOFT_FROM:
                soft += worth * ((alike - _SOFT_FROM) / (_SOFT_TO - _SOFT_FROM))
                if alike >= _NEAR_TO:
                    near += worth
                elif alike > _NEAR_FROM:
                    near += worth * ((alike - _NEAR_FROM) / (_NEAR_TO - _NEAR_FROM))
        return soft / self.total, near / self.total

    def best_covered(self, fact: PassageFacts) -> float:
        """Return the largest share of the total weight in a single sentence of a passage."""
        worth, own = self._by_number.__getitem__, self.own & fact.terms
        if any(map(own.issubset, fact.sentences)):
            return sum(map(worth, own)) / self.total
        if len(own) == 1:  # which only the heading has
            return 0.0
        shared = set(map(own.__and__, fact.sentences))
        return max([sum(map(worth, one)) for one in shared], default=0.0) / self.total

    def covered(self, found: frozenset[int]) -> float:
        """Return the share of the total weight that a set of terms contains."""
        own = self.own & found
        return sum(map(self._by_number.__getitem__, own)) / self.total if own else 0.0


class Measured(NamedTuple):
    """A candidate with its features."""

    place: DocumentId
    passage: PassageScore
    cosine: float
    features: tuple[float, ...]
    met: Met


def measure_passages(
    likeness: Likeness,
    found: Sequence[tuple[DocumentId, PassageScore, float]],
    defining: Mapping[tuple[int, int], float],
    index: SearchIndex,
) -> list[Measured]:
    """Compute the features of candidates, in order."""
    facts = [index.facts(place, passage.passage) for place, passage, _ in found]
    most_words = max((passage.score for _, passage, _ in found), default=0.0) or 1.0
    most_cosine = max((cosine for _, _, cosine in found), default=0.0)
    words = {(place.segment, passage.passage): passage.score for place, passage, _ in found}
    of_page: dict[DocumentId, list[float]] = {}
    for place, passage, _ in found:
        of_page.setdefault(place, []).append(passage.score)
    rows = []
    for (place, passage, cosine), fact in zip(found, facts, strict=True):
        met = likeness.met(fact.terms)
        own = _own(likeness, fact, met)
        rows.append((place, passage, cosine, fact, met, own))
    by_page = {place: (max(scores) / most_words, log1p(len(scores))) for place, scores in of_page.items()}
    most_near = max((own[_NEAR] for *_, own in rows), default=0.0) or 1.0
    measured = []
    for place, passage, cosine, fact, met, own in rows:
        best_of_page, found_of_page = by_page[place]
        before = words.get((place.segment, passage.passage - 1), 0.0) if fact.position else 0.0
        after = words.get((place.segment, passage.passage + 1), 0.0) if fact.position + 1 < fact.of else 0.0
        features = (
            passage.score / likeness.total,
            passage.score / most_words,
            cosine,
            cosine / most_cosine if most_cosine > 0 else 0.0,
            *own[: _NEAR + 1],
            own[_NEAR] / most_near,
            own[-1],
            before / most_words,
            after / most_words,
            best_of_page,
            found_of_page,
            log1p(fact.length),
            float(fact.position == 0),
            defining.get((place.segment, passage.passage), 0.0),
        )
        measured.append(Measured(place, passage, cosine, features, met))
    return measured


_NEAR = 5
"""The position of `near` among the features of a single passage."""


def _own(likeness: Likeness, fact: PassageFacts, met: Met) -> tuple[float, ...]:
    """Compute the features of a single passage: four covers, `soft`, `near`, and the share of its heading in the question."""
    cover = likeness.share(met.exact)
    in_sentence = likeness.best_covered(fact) if cover else 0.0
    soft, near = likeness.softly(met)
    precision = len(likeness.own & fact.heading) / len(fact.heading) if fact.heading else 0.0
    return (
        cover,
        likeness.covered(fact.heading),
        likeness.covered(fact.title),
        in_sentence,
        soft,
        near,
        precision,
    )


def meant(alike: Sequence[float], start: float = MEANT_FROM, end: float = MEANT_TO) -> list[float]:
    """Scale cosines to 0-1: 0 up to `start`, and 1 from `end`."""
    return [min(1.0, max(0.0, (cosine - start) / (end - start))) for cosine in alike]


@lru_cache(maxsize=_MOST_TEXTS)
def terms_in(text: str) -> frozenset[int]:
    """Return the numbers of the terms of a text."""
    return frozenset(numbers_in(text))
