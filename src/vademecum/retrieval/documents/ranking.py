"""Collect and rank candidate documents: rules first, then a fitted score.

A page whose very reference is asked for is first, no family of pages may fill the result, and of a command and a
C interface that are near each other the one goes first that the question is about.
"""

from collections.abc import Iterator, Sequence

from vademecum.core.candidates import Candidate, DocumentId, FoundNeed, Page, SearchIndex
from vademecum.retrieval.documents.features import FEATURES
from vademecum.retrieval.lexical import family
from vademecum.retrieval.meaning import LINE, NEED
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.weights import ManualWeights

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
    for need in _spread_needs(alike, index):
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


def _spread_needs(needs: Sequence[FoundNeed], index: SearchIndex) -> Iterator[FoundNeed]:
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
    """The documents whose very name or reference is in the question."""
    names = dict.fromkeys((*question.references, *question.words))
    found: list[DocumentId] = []
    for name in list(names)[:_NAMES_LOOKED_UP]:
        found.extend(index.named(name)[:4])
    return found


_NAMED = 2.5
"""What is added where the question names the page, in proportion to how much of the question the name is.

Few of the questions that were fitted on name their page; those that do gained 3 points, the others none.
"""

_NAMED_WORD, _COVER_NAME = FEATURES.index("named_word"), FEATURES.index("cover_name")
_NAMED_REFERENCE = FEATURES.index("named_reference")

_INTERFACES = ("2", "3")
_COMMANDS = ("1", "8")
_BUILTINS = "bash-builtins(7)"
_INTERFACE_NEAR, _COMMAND_NEAR = 2.0, 3.0
"""How far (in the learned score) an interface, or a command, may lie behind the other and still go first.

Of the development questions on programming that put 20 right and 3 wrong, of the short ones 18 and 3.
"""

_FEW_TERMS = 3
"""A question of no more terms asks for a command, unless it says otherwise. Those on programming are longer."""

_LOOKED_AT = 10
_FAMILY_SHARE = 3
"""At most this many pages of one family stand before the others, unless the question names it."""

_FAMILY_FROM = 12
"""A family is what has at least this many candidates: `git`, not `ls` and `lsof`."""


def rank(question: Question, measured: Sequence[Candidate], weights: ManualWeights) -> list[Candidate]:
    """The candidates by the learned score, best first, ties by reference."""
    scored = [candidate._replace(score=_score(candidate.features, weights)) for candidate in measured]
    scored.sort(key=lambda candidate: (-candidate.score, candidate.page.reference))
    ranked = _spread(question, scored)
    if any(candidate.features[_NAMED_REFERENCE] for candidate in ranked):
        return _named_first(ranked)
    return _asked_for_first(question, ranked)


def _score(features: Sequence[float], weights: ManualWeights) -> float:
    return weights.rank(features) + _NAMED * features[_NAMED_WORD] * features[_COVER_NAME]


def _named_first(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Put the pages whose references are in the question before all others, scored as the best one."""
    best = max(candidate.score for candidate in ranked)
    named = [one._replace(score=best) for one in ranked if one.features[_NAMED_REFERENCE]]
    return [*named, *(one for one in ranked if not one.features[_NAMED_REFERENCE])]


def _asked_for_first(question: Question, ranked: list[Candidate]) -> list[Candidate]:
    """Put the best command before a C interface that is first, or the other way round, where that is asked for and near.

    It is scored as the one it goes before.
    """
    if "programming" in question.kinds:
        asked, other, near = _is_interface, _is_command, _INTERFACE_NEAR
    elif sum(term.known for term in question.terms) <= _FEW_TERMS:
        asked = _is_named_command if "concept" in question.kinds else _is_command
        other, near = _is_interface, _COMMAND_NEAR
    else:
        return ranked
    if not ranked or not other(ranked[0]):
        return ranked
    first = ranked[0]
    for at, one in enumerate(ranked[:_LOOKED_AT]):
        if asked(one) and first.score - one.score <= near:
            return [one._replace(score=first.score), *ranked[:at], *ranked[at + 1 :]]
    return ranked


def _is_command(candidate: Candidate) -> bool:
    reference = candidate.page.reference
    return reference.rpartition("(")[2].startswith(_COMMANDS) or reference == _BUILTINS


def _is_named_command(candidate: Candidate) -> bool:
    """Who asks what a thing is asks for no other."""
    return _is_command(candidate) and candidate.features[_NAMED_WORD] > 0


def _is_interface(candidate: Candidate) -> bool:
    return candidate.page.reference.rpartition("(")[2].startswith(_INTERFACES)


def _spread(question: Question, ranked: list[Candidate]) -> list[Candidate]:
    """Move a large family's pages past its share behind everything else, order kept."""
    families = [family(candidate.page.reference) for candidate in ranked]
    seen: dict[str, int] = {}
    first: list[Candidate] = []
    later: list[Candidate] = []
    for candidate, name in zip(ranked, families, strict=True):
        seen[name] = seen.get(name, 0) + 1
        crowded = (
            seen[name] > _FAMILY_SHARE and name not in question.words and families.count(name) >= _FAMILY_FROM
        )
        (later if crowded else first).append(candidate)
    return first + later
