"""Evaluate, second half: what a candidate is ranked by, and no family of pages may fill the result."""

from collections.abc import Sequence

from vademecum.core.candidates import Candidate
from vademecum.retrieval.features import FEATURES
from vademecum.retrieval.lexical import family
from vademecum.retrieval.question import Question
from vademecum.retrieval.weights import Weights, manual_pages

_NAMED = 2.5
"""What is added where the question names the page, in proportion to how much of the question the name is.

Few of the questions that were fitted on name their page; those that do gained 3 points, the others none.
"""

_NAMED_WORD, _COVER_NAME = FEATURES.index("named_word"), FEATURES.index("cover_name")
_FAMILY_SHARE = 3
"""At most this many pages of one family stand before the others, unless the question names it."""

_FAMILY_FROM = 12
"""A family is what has at least this many candidates: `git`, not `ls` and `lsof`."""


def rank(
    question: Question, measured: Sequence[Candidate], weights: Weights = manual_pages
) -> list[Candidate]:
    """The candidates by the learned score, best first, ties by reference."""
    scored = [candidate._replace(score=_score(candidate.features, weights)) for candidate in measured]
    scored.sort(key=lambda candidate: (-candidate.score, candidate.page.reference))
    return _spread(question, scored)


def _score(features: Sequence[float], weights: Weights) -> float:
    return weights.rank_score(features) + _NAMED * features[_NAMED_WORD] * features[_COVER_NAME]


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
