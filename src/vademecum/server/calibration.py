"""Try a collection: the distances of its nearest passages to some questions, and suggested thresholds."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from vademecum.core.errors import AnswerError, IndexMissing
from vademecum.library.collections import Collection

MOST_QUESTIONS = 50
_SHOWN = 3
_FARTHEST = 2.0
_ROOM = 0.05
"""How much farther than the farthest match a partial one may be, where nothing else is known."""


def calibrate(
    collection: Collection, questions: Sequence[str], expected: Sequence[bool] | None = None
) -> dict[str, Any]:
    """The distances of some questions, and thresholds that would tell them apart.

    Args:
        collection: The collection.
        questions: What people would ask.
        expected: For each whether the collection should answer it.

    Returns:
        For each question its nearest passages with their distances (0-2) and what it is by today's thresholds
        (`match`, `partial`, `none`, or null where there are none); and suggested thresholds, null without documents.
    """
    match, partial = (collection.metadata.get(f"{name}_threshold") for name in ("match", "partial"))
    rows: list[dict[str, Any]] = []
    for question in questions:
        try:
            hits = sorted(collection.library.passages(question, limit=10), key=lambda hit: hit.distance)
        except (AnswerError, IndexMissing):
            hits = []
        nearest = hits[0].distance if hits else _FARTHEST
        state = None
        if match is not None:
            state = "match" if nearest < match else "partial" if nearest < (partial or match) else "none"
        rows.append(
            {
                "question": question,
                "distance": round(nearest, 4),
                "result": state,
                "passages": [
                    {
                        "passage": hit.passage,
                        "title": hit.title,
                        "heading": hit.heading,
                        "distance": round(hit.distance, 4),
                        "text": hit.text[:300],
                    }
                    for hit in hits[:_SHOWN]
                ],
            }
        )
    distances = [row["distance"] for row in rows]
    found = any(row["passages"] for row in rows)
    return {
        "questions": rows,
        "match_threshold": match,
        "partial_threshold": partial,
        "suggested": suggested(distances, expected) if found else None,
    }


def suggested(distances: Sequence[float], expected: Sequence[bool] | None) -> dict[str, float]:
    """Thresholds from the distances of questions.

    Where it is said which questions should be answered, the border with the fewest mistakes, in the middle of its
    gap; a partial match reaches to the farthest that should be. Else every question counts as one that should be.

    >>> suggested([0.2, 0.3, 0.8], [True, True, False])
    {'match_threshold': 0.55, 'partial_threshold': 0.6}
    """
    wanted = [
        distance
        for distance, is_wanted in zip(distances, expected or [True] * len(distances), strict=True)
        if is_wanted
    ]
    others = [distance for distance in distances if distance not in wanted] if expected else []
    ordered = sorted({0.0, *distances, _FARTHEST})
    borders = [(low + high) / 2 for low, high in pairwise(ordered)]
    if others:
        best = min(
            borders,
            key=lambda border: (
                sum(one >= border for one in wanted) + sum(other < border for other in others),
                border,
            ),
        )
    else:
        best = min(_FARTHEST, max(wanted, default=0.0) + _ROOM)
    partial = min(_FARTHEST, max(best, *wanted, 0.0) + _ROOM)
    return {"match_threshold": round(best, 4), "partial_threshold": round(partial, 4)}
