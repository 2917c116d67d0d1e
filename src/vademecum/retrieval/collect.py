"""Retrieve: collect every document that may hold the answer, and decide nothing."""

from collections.abc import Iterator, Sequence

from vademecum.core.candidates import Candidate, DocumentId, FoundNeed, Page, SearchIndex
from vademecum.retrieval.meaning import LINE, NEED
from vademecum.retrieval.question import Question

POOL = 150
"""How many candidates go on to the second stage."""

_PAGES = 200
_NAMES_LOOKED_UP = 12
_NEAREST = 100
_NEEDS = 60
_NEEDS_KEPT = 4
_SAME_NAME = 2
_NEAR = 30.0
"""What a cosine of 1 counts beside the words' scores, for the pool's border."""


def collect(question: Question, index: SearchIndex) -> list[Candidate]:
    """The candidates: the best documents by words, by meaning and by their needs, and those the question names.

    Returns:
        At most `POOL` candidates, best first; empty when the question has no terms.
    """
    if not question.terms:
        return []
    vector = question.vector()
    page_scores = dict(index.pages(vector, _PAGES))
    meanings = index.vectors(question.wording())
    near = dict(index.nearest(LINE, meanings[LINE], _NEAREST))
    needs: dict[DocumentId, list[FoundNeed]] = {}
    alike = index.needs(question.vector(unknown=True), meanings[NEED], _NEEDS)
    index.prefetch({need.place for need in alike})
    for need in _spread(alike, index):
        kept_needs = needs.setdefault(need.place, [])
        if len(kept_needs) < _NEEDS_KEPT:
            kept_needs.append(need)
        near[need.place] = max(need.cosine, near.get(need.place, 0.0))
    named = dict.fromkeys(_named(question, index))
    scored = [
        (page_scores.get(place, 0.0) + _NEAR * near.get(place, 0.0), place)
        for place in dict.fromkeys([*page_scores, *near])
    ]
    scored.sort(key=lambda pair: -pair[0])
    chosen = [place for _, place in scored if place not in named][: max(0, POOL - len(named))]
    found = []
    index.prefetch((*named, *chosen))
    for place in (*named, *chosen):
        page_score = page_scores.get(place, 0.0)
        score = page_score + _NEAR * near.get(place, 0.0)
        found.append(Candidate(place, index.page(place), page_score, tuple(needs.get(place, ())), (), score))
    found.sort(key=lambda candidate: (-candidate.score, candidate.page.reference))
    return found


def _spread(needs: Sequence[FoundNeed], index: SearchIndex) -> Iterator[FoundNeed]:
    """The needs, each also for the documents of the same name that its own document points to.

    What a page of examples on `tar` answers, the manual page tar(1) answers, too; but printf(1) not printf(3).
    """
    pages = {need.place: index.page(need.place) for need in needs}
    links = {place: _same_name(page) for place, page in pages.items()}
    index.prefetch((), {link for of_page in links.values() for link in of_page})
    for need in needs:
        yield need
        for link in links[need.place]:
            for place in index.named(link):
                if place != need.place:
                    yield need._replace(place=place, passages=())


def _same_name(page: Page) -> list[str]:
    """The references of the same name that a page points to, unless it is a manual page itself."""
    name, _, section = page.reference.partition("(")
    links = () if section[:1].isdigit() else page.links[:_SAME_NAME]
    return [link for link in links if link.partition("(")[0] == name]


def _named(question: Question, index: SearchIndex) -> list[DocumentId]:
    """The documents whose very name or reference stands in the question."""
    names = dict.fromkeys((*question.references, *question.words))
    found: list[DocumentId] = []
    for name in list(names)[:_NAMES_LOOKED_UP]:
        found.extend(index.named(name)[:4])
    return found
