"""Collect and rank candidate documents: rules first, then a fitted score.

A page that the question names is first. The number of pages of one family is limited. If a command and a C interface have similar
scores, the one that the question is about is first.
"""

from collections.abc import Iterator, Sequence

from vademecum.core.candidates import Candidate, DocumentId, FoundNeed, Page, SearchIndex
from vademecum.retrieval.documents.features import FEATURES
from vademecum.retrieval.lexical import family
from vademecum.retrieval.meaning import LINE, NEED
from vademecum.retrieval.question.question import Question
from vademecum.retrieval.question.wanted import asks_fact
from vademecum.retrieval.weights import ManualWeights

POOL = 150
"""The number of candidates that are ranked by the fitted score."""

_PAGES = 200
_NAMES_LOOKED_UP = 12
_NEAREST = 100
_NEEDS = 60
_NEEDS_KEPT = 4
_SAME_NAME = 2
_NEAR = 30.0
"""The weight of a cosine of 1 relative to scores by words, for choosing candidates."""


def collect(question: Question, index: SearchIndex) -> list[Candidate]:
    """Collect candidates: the best documents by words, by embeddings and by needs, and those that the question names.

    Returns:
        At most `POOL` candidates, best first; empty if the question has no terms.
    """
    if not question.terms:
        return []
    vector = question.vector()
    page_scores = dict(index.pages(vector, _PAGES))
    meanings = index.vectors(question.wording())
    near = dict(index.nearest(LINE, meanings[LINE], _NEAREST))
    needs: dict[DocumentId, list[FoundNeed]] = {}
    alike = index.needs(question.vector(unknown=True), meanings[NEED], _NEEDS)
    if asks_fact(question.text):  # tasks do not state facts
        alike = [need for need in alike if not need.line]
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
    for place in (*named, *chosen):
        page_score = page_scores.get(place, 0.0)
        score = page_score + _NEAR * near.get(place, 0.0)
        found.append(Candidate(place, index.page(place), page_score, tuple(needs.get(place, ())), (), score))
    found.sort(key=lambda candidate: (-candidate.score, candidate.page.reference))
    return found


def _spread_needs(needs: Sequence[FoundNeed], index: SearchIndex) -> Iterator[FoundNeed]:
    """Add each need also to documents with the same name that its document refers to.

    What a page of examples for `tar` answers, tar(1) answers too; but printf(1) does not answer for printf(3).
    """
    pages = {need.place: index.page(need.place) for need in needs}
    links = {place: _same_name(page) for place, page in pages.items()}
    for need in needs:
        yield need
        for link in links[need.place]:
            for place in index.named(link):
                if place != need.place:
                    yield need._replace(place=place, passages=())


def _same_name(page: Page) -> list[str]:
    """Return references with the same name in a page, unless it is a manual page itself."""
    name, _, section = page.reference.partition("(")
    links = () if section[:1].isdigit() else page.links[:_SAME_NAME]
    return [link for link in links if link.partition("(")[0] == name]


def _named(question: Question, index: SearchIndex) -> list[DocumentId]:
    """Return the documents whose name or reference is in the question."""
    names = dict.fromkeys((*question.references, *question.words))
    found: list[DocumentId] = []
    for name in list(names)[:_NAMES_LOOKED_UP]:
        found.extend(index.named(name)[:4])
    return found


_NAMED = 2.5
"""The bonus for a page that the question names, scaled by the share of the name in the question.

Few training questions name their page. Those that do gained 3 points, and the others did not change.
"""

_NAMED_WORD, _COVER_NAME = FEATURES.index("named_word"), FEATURES.index("cover_name")
_NAMED_REFERENCE = FEATURES.index("named_reference")

_INTERFACES = ("2", "3")
_COMMANDS = ("1", "8")
_BUILTINS = "bash-builtins(7)"
_INTERFACE_NEAR, _COMMAND_NEAR = 2.0, 3.0
"""The maximum difference (in the fitted score) at which an interface or a command is moved before the other.

Of the development questions on programming, this improved 20 and worsened 3; of the short ones, 18 and 3.
"""

_FEW_TERMS = 3
"""A question with at most this many terms asks for a command by default. Questions on programming are longer."""

_LOOKED_AT = 10
_FAMILY_SHARE = 3
"""The maximum number of pages of one family before other pages, unless the question names the family."""

_FAMILY_FROM = 12
"""The minimum number of candidates in a family: `git`, but not `ls` and `lsof`."""


def rank(question: Question, measured: Sequence[Candidate], weights: ManualWeights) -> list[Candidate]:
    """Rank candidates by the fitted score, best first. Ties are ordered by reference."""
    scored = [candidate._replace(score=_score(candidate.features, weights)) for candidate in measured]
    scored.sort(key=lambda candidate: (-candidate.score, candidate.page.reference))
    ranked = _spread(question, scored)
    if any(candidate.features[_NAMED_REFERENCE] for candidate in ranked):
        return _named_first(ranked)
    return _asked_for_first(question, ranked)


def _score(features: Sequence[float], weights: ManualWeights) -> float:
    return weights.rank(features) + _NAMED * features[_NAMED_WORD] * features[_COVER_NAME]


def _named_first(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Move pages whose references are in the question to the front, with the best score."""
    best = max(candidate.score for candidate in ranked)
    named = [one._replace(score=best) for one in ranked if one.features[_NAMED_REFERENCE]]
    return [*named, *(one for one in ranked if not one.features[_NAMED_REFERENCE])]


def _asked_for_first(question: Question, ranked: list[Candidate]) -> list[Candidate]:
    """Move the best command before a C interface at the front, or the reverse, if the question asks for it and its score is close.

    It gets the score of the one that it precedes.
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
    """Return whether a candidate is a command that the question names."""
    return _is_command(candidate) and candidate.features[_NAMED_WORD] > 0


def _is_interface(candidate: Candidate) -> bool:
    return candidate.page.reference.rpartition("(")[2].startswith(_INTERFACES)


def _spread(question: Question, ranked: list[Candidate]) -> list[Candidate]:
    """Move the pages of a large family above its limit to the end, in the same order."""
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
