"""The features of a passage for a question: shared words, similar words, and position.

People ask in other words than books are written in. So a term counts as met to the degree to which the passage has a
word like it (`soft`), by the word vectors of the index's own vocabulary; this is what parts a good ranking from BM25.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import log1p
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from vademecum.core.candidates import DocumentId, PassageFacts, PassageScore, SearchIndex
from vademecum.core.passages import SparseVector
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.units.quantities import asked_by
from vademecum.text.sentences import SPACE_BETWEEN
from vademecum.text.words import WORD, numbers, stem

if TYPE_CHECKING:
    from vademecum.text.patterns import Pattern


def facts_of(title: str, heading: str, words: str, position: int, of: int) -> PassageFacts:
    """The facts of a passage.

    Args:
        title: Of its document.
        heading: The path of headings it is under.
        words: Its text.
        position: Its place among its document's passages.
        of: How many these are.
    """
    named = frozenset(numbers(WORD.findall(heading)))
    sentences = [numbers(WORD.findall(one)) for one in SPACE_BETWEEN.split(words)]
    return PassageFacts(
        terms=named.union(*sentences),
        heading=named,
        title=frozenset(numbers(WORD.findall(title))),
        sentences=tuple(frozenset(sentence) for sentence in sentences if sentence),
        length=sum(map(len, sentences)),
        position=position,
        of=of,
    )


FEATURES = (
    "words",
    "words_share",
    "page",
    "page_share",
    "cosine",
    "cosine_share",
    "cover",
    "cover_heading",
    "cover_title",
    "cover_sentence",
    "soft",
    "near",
    "near_share",
    "heading_precision",
    "before",
    "after",
    "best_of_page",
    "found_of_page",
    "length",
    "is_first",
    "defines",
)
"""Their names, in order. `words` and `page` are BM25F by the question's rarity, shares are of the best candidate's; covers
are shares of rarity. None depends on how large the collection is."""

_GENERAL = frozenset(
    map(
        stem,
        """many much often long far big large small old new good make take put keep let turn look find see say ask tell
        happen start stop mean call come go run try help fit part kind type sort case place time day number amount way
        whole own same different several certain possible usual exact current able must allow avoid cause""".split(),  # noqa: SIM905
    )
)
"""Words of asking: in a small collection they are as rare as any, and say as little as in a large one."""

_GENERAL_SHARE = 0.4

_SOFT_FROM, _SOFT_TO = 0.3, 1.0
_NEAR_FROM, _NEAR_TO = 0.4, 0.8
"""From which cosine on a word counts as like another, and from which on as the same."""

MEANT_FROM, MEANT_TO = 0.4, 0.9
"""From which cosine on a word stands for another, and from which on fully, when it is asked what is missing."""

_MOST_REPLACEMENTS = 8
"""How many words at most are looked for in place of those that no document has."""

_STATED = 0.9
"""How near a value is to the word that asks for one of its kind."""

_MOST_TEXTS = 8192
"""Sentences whose terms are remembered: those of the passages that are quoted come again and again."""


class Met(NamedTuple):
    """How far a passage, or a document, meets each of a question's terms, 0-1, in the order of the terms."""

    exact: tuple[bool, ...]
    alike: tuple[float, ...]


class Likeness:
    """A question's terms, and the words of the index that are like them.

    Args:
        question: The question.
        index: Whose words.

    Attributes:
        terms: The terms.
        worth: What each counts for: its rarity, less for small talk and for words that are in every question.
        total: All of it.
        news: What each would tell by its being missing: its rarity, less for words that are in every question.
        rarest: How rare a word is that no document has.
        own: The numbers of the terms.
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
        self._stated: dict[int, Pattern] = {}
        for position, term in enumerate(question.terms):
            for number, pattern in asked_by(term.text).items():
                self._stated[number] = pattern
                self._near.setdefault(number, []).append((position, _STATED))
        self.asks_for_value = bool(self._stated)
        self._all = frozenset(self._near)
        self._met: dict[frozenset[int], Met] = {}
        self._soft: dict[frozenset[int], float] = {}
        self.own = frozenset(term.number for term in question.terms)
        self._by_number = {term.number: worth for term, worth in zip(question.terms, self.worth, strict=True)}

    def replacements(self) -> SparseVector:
        """Words like those of the question that no document has, each worth what that one is, by how like it is."""
        worth: dict[int, float] = {}
        for number, found in self._near.items():
            for position, cosine in found:
                if not self.terms[position].known and _SOFT_FROM < cosine < 1:
                    share = (cosine - _SOFT_FROM) / (_SOFT_TO - _SOFT_FROM)
                    worth[number] = max(worth.get(number, 0.0), self.worth[position] * share)
        best = sorted(worth, key=lambda number: (-worth[number], number))[:_MOST_REPLACEMENTS]
        return SparseVector(sorted(best), [worth[number] for number in sorted(best)])

    def stated(self, text: str) -> frozenset[int]:
        """The kinds of quantities that are asked for and that a text states a value of, as numbers of terms."""
        return frozenset(number for number, pattern in self._stated.items() if pattern.search(text))

    def met(self, found: frozenset[int]) -> Met:
        """How far a set of terms meets the question's."""
        shared = self._all & found
        known = self._met.get(shared)
        if known is None:
            known = self._met[shared] = self._met_by(shared)
        return known

    def soft(self, found: frozenset[int]) -> float:
        """The share of what the terms are worth that a set of terms meets to some degree."""
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

    def nearest(self) -> tuple[float, ...]:
        """How near in meaning the nearest word of the index is to each term, 0-1."""
        best = [0.0] * len(self.terms)
        for number, found in self._near.items():
            for position, cosine in () if number in self._stated else found:
                best[position] = max(best[position], cosine)
        return tuple(
            1.0 if term.known else near if near < 1.0 else 0.0
            for term, near in zip(self.terms, best, strict=True)
        )

    def share(self, values: Sequence[float]) -> float:
        """Values of the terms, weighed by what these are worth."""
        return float(sum(map(mul, self.worth, values))) / self.total

    def fit(self, text: str) -> float:
        """How far a text meets the question's terms, 0-1, words near in meaning included."""
        return self.softly(self.met(terms_in(text)))[1]

    def softly(self, met: Met) -> tuple[float, float]:
        """The shares of what the terms are worth that are met to some degree, and nearly: `soft` and `near`."""
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
        """The largest share of what the terms are worth that any of a passage's sentences has."""
        worth, own = self._by_number.__getitem__, self.own & fact.terms
        if any(map(own.issubset, fact.sentences)):
            return sum(map(worth, own)) / self.total
        if len(own) == 1:  # which only the heading has
            return 0.0
        shared = set(map(own.__and__, fact.sentences))
        return max([sum(map(worth, one)) for one in shared], default=0.0) / self.total

    def covered(self, found: frozenset[int]) -> float:
        """The share of what the question's terms are worth that a set of terms has."""
        own = self.own & found
        return sum(map(self._by_number.__getitem__, own)) / self.total if own else 0.0


class Measured(NamedTuple):
    """A candidate, measured.

    Attributes:
        place: Its document.
        passage: Its number, and how well its words fit.
        cosine: How near it is to the question in meaning.
        features: In the order of `FEATURES`.
        met: How far it meets each term.
    """

    place: DocumentId
    passage: PassageScore
    cosine: float
    features: tuple[float, ...]
    met: Met


def measure_passages(
    likeness: Likeness,
    found: Sequence[tuple[DocumentId, PassageScore, float]],
    pages: Mapping[DocumentId, float],
    defining: Mapping[tuple[int, int], float],
    index: SearchIndex,
) -> list[Measured]:
    """Measure candidates, in their order.

    Args:
        likeness: Of the question.
        found: Their documents, their numbers and scores by words, and their cosines.
        pages: The scores of whole documents by words.
        defining: What defines the thing that is asked for, by segment and number, and how well.
        index: Where they are.
    """
    facts = [index.facts(place, passage.passage) for place, passage, _ in found]
    most_words = max((passage.score for _, passage, _ in found), default=0.0) or 1.0
    most_page = max(pages.values(), default=0.0) or 1.0
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
    by_page = {}
    for place, scores in of_page.items():
        page = pages.get(place, 0.0)
        by_page[place] = (
            page / likeness.total,
            page / most_page,
            max(scores) / most_words,
            log1p(len(scores)),
        )
    most_near = max((own[_NEAR] for *_, own in rows), default=0.0) or 1.0
    measured = []
    for place, passage, cosine, fact, met, own in rows:
        page_words, page_share, best_of_page, found_of_page = by_page[place]
        before = words.get((place.segment, passage.passage - 1), 0.0) if fact.position else 0.0
        after = words.get((place.segment, passage.passage + 1), 0.0) if fact.position + 1 < fact.of else 0.0
        features = (
            passage.score / likeness.total,
            passage.score / most_words,
            page_words,
            page_share,
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
"""Where `near` is in what is measured of a passage by itself."""


def _own(likeness: Likeness, fact: PassageFacts, met: Met) -> tuple[float, ...]:
    """What a passage is by itself: four covers, `soft`, `near`, and how much of its heading the question names."""
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
    """Cosines as numbers in 0-1: 0 up to `start`, 1 from `end` on."""
    return [min(1.0, max(0.0, (cosine - start) / (end - start))) for cosine in alike]


@lru_cache(maxsize=_MOST_TEXTS)
def terms_in(text: str) -> frozenset[int]:
    """The numbers of a text's terms."""
    return frozenset(numbers(WORD.findall(text)))
