"""Documents as search results, each with its best passage."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from vademecum.ask.pages import hit_of
from vademecum.ask.rating import PASSAGES, Corpus, Limits, rate
from vademecum.core.answers import Hit
from vademecum.index.reader import Index
from vademecum.retrieval.question import analyse

if TYPE_CHECKING:
    from vademecum.core.candidates import DocumentId, PassageScore


def search(text: str, corpora: Sequence[Corpus], limit: int) -> list[Hit]:
    """The best documents for a question, each with its best passage: those of the likeliest kind before the others.

    Raises:
        AnswerError: There is nothing to look for in `text`.
    """
    rated, _ = rate(text, corpora, Limits(passages=PASSAGES * limit))
    return _numbered([hit for kind in rated for hit in kind.results(limit)][:limit])


def search_plain(text: str, index: Index, limit: int) -> list[Hit]:
    """The baseline: documents by the plain BM25 score of their best passage, nothing else."""
    found: dict[DocumentId, PassageScore] = {}
    for part in index.parts():
        for place, passage in part.passages(analyse(text, part).vector(), 50 * limit):
            found.setdefault(place, passage)
    best = sorted(found.items(), key=lambda pair: -pair[1].score)[:limit]
    return _numbered([hit_of(place, passage.passage, passage.score, index) for place, passage in best])


def _numbered(hits: Sequence[Hit]) -> list[Hit]:
    return [replace(hit, rank=rank) for rank, hit in enumerate(hits, 1)]
