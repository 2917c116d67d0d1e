"""Retrieve: collect every document that may hold the answer, and decide nothing."""

from collections.abc import Iterable

from vademecum.core.candidates import Candidate, PassageScore, Place, SearchIndex
from vademecum.retrieval.meaning import NAMES
from vademecum.retrieval.question import Question

POOL = 150
"""How many candidates go on to the second stage."""

_PAGES = 200
_PASSAGES = 600
_PASSAGES_KEPT = 8
_NAMES_LOOKED_UP = 12
_NEAREST = 100
_NEAR = 30.0
"""What a cosine of 1 counts beside the words' scores, for the pool's border."""

_PASSAGE_SHARE = 1.0
"""What the best passage's score counts beside the document's own, for the pool's border."""


def collect(question: Question, index: SearchIndex) -> list[Candidate]:
    """The candidates: the best documents, the documents of the best passages, and those the question names.

    Returns:
        At most `POOL` candidates, best first by document and best passage together; empty when the
        question has no terms.
    """
    if not question.terms:
        return []
    vector = question.vector()
    page_scores = dict(index.pages(vector, _PAGES))
    passages: dict[Place, list[PassageScore]] = {}
    for place, passage in index.passages(vector, _PASSAGES):
        kept = passages.setdefault(place, [])
        if len(kept) < _PASSAGES_KEPT:
            kept.append(passage)
    meaning = index.embed(term.text for term in question.terms)
    near: dict[Place, float] = {}
    for name in NAMES:
        for place, cosine in index.nearest(name, meaning, _NEAREST):
            near[place] = max(cosine, near.get(place, 0.0))
    named = dict.fromkeys(_named(question, index))
    scored = [
        (
            _first_score(page_scores.get(place, 0.0), passages.get(place, ())) + _NEAR * near.get(place, 0.0),
            place,
        )
        for place in dict.fromkeys([*page_scores, *passages, *near])
    ]
    scored.sort(key=lambda pair: -pair[0])
    chosen = [place for _, place in scored if place not in named][: max(0, POOL - len(named))]
    found = []
    for place in (*named, *chosen):
        page_score, of_place = page_scores.get(place, 0.0), tuple(passages.get(place, ()))
        score = _first_score(page_score, of_place) + _NEAR * near.get(place, 0.0)
        found.append(Candidate(place, index.page(place), page_score, of_place, (), score))
    found.sort(key=lambda candidate: (-candidate.score, candidate.page.reference))
    return found


def _first_score(page_score: float, passages: Iterable[PassageScore]) -> float:
    return page_score + _PASSAGE_SHARE * max((passage.score for passage in passages), default=0.0)


def _named(question: Question, index: SearchIndex) -> list[Place]:
    """The documents whose very name or reference stands in the question."""
    names = dict.fromkeys((*question.references, *question.words))
    found: list[Place] = []
    for name in list(names)[:_NAMES_LOOKED_UP]:
        found.extend(index.named(name)[:4])
    return found
