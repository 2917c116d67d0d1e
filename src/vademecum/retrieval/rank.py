"""Evaluate, second half: what a candidate is ranked by, and what goes before the learned score.

A page whose very reference is asked for is first, no family of pages may fill the result, and of a command and a
C interface that are near each other the one goes first that the question is about.
"""

from collections.abc import Sequence

from vademecum.core.candidates import Candidate
from vademecum.retrieval.features import FEATURES
from vademecum.retrieval.lexical import family
from vademecum.retrieval.question import Question
from vademecum.retrieval.weights import ManualWeights

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
