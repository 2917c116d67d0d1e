"""Try a collection: the distances of its nearest passages to some questions, and suggested thresholds."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

from vademecum.core.errors import AnswerError, IndexMissing
from vademecum.library.collections import Collection

MOST_QUESTIONS = 50
_SHOWN = 3
_FARTHEST = 2.0
_ROOM = 0.05
"""The margin that is added to a distance to get a threshold if nothing else is known."""


def calibrate(
    collection: Collection, questions: Sequence[str], expected: Sequence[bool] | None = None
) -> dict[str, Any]:
    """Return the distances of some questions, and thresholds that would separate them.

    Args:
        expected: Whether the collection should answer each question.

    Returns:
        For each question, its nearest passages with their distances (0-2), and the result with the current thresholds
        (`match`, `partial`, `none`, or null if there are none). Also the suggested thresholds, or null if no passages
        were found, and whether the current thresholds were set for the same scale of distances.
    """
    match, partial = (collection.metadata.get(f"{name}_threshold") for name in ("match", "partial"))
    scale = collection.metadata.get("threshold_scale")
    with suppress(IndexMissing):
        scale = scale and scale == collection.library.scale
    rows: list[dict[str, Any]] = []
    for question in questions:
        try:
            hits = sorted(collection.library.passages(question, limit=10), key=lambda hit: hit.distance)
        except (AnswerError, IndexMissing):
            hits = []
        nearest = hits[0].distance if hits else _FARTHEST
        state = None
        if match is not None and scale is not False:
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
        "fits": scale is not False,
        "suggested": suggested(distances, expected) if found else None,
    }


def suggested(distances: Sequence[float], expected: Sequence[bool] | None) -> dict[str, float]:
    """Return thresholds for the distances of some questions.

    If `expected` is given, the match threshold is the one with the fewest errors, in the middle of its gap. The partial
    threshold extends to the farthest question that should be answered. If none should be, both are just below the nearest
    question. Otherwise, all questions count as questions that should be answered.

    >>> suggested([0.2, 0.3, 0.8], [True, True, False])
    {'match_threshold': 0.55, 'partial_threshold': 0.6}
    >>> suggested([0.6, 0.9], [False, False])
    {'match_threshold': 0.5, 'partial_threshold': 0.55}
    """
    wanted = [
        distance
        for distance, is_wanted in zip(distances, expected or [True] * len(distances), strict=True)
        if is_wanted
    ]
    others = [distance for distance in distances if distance not in wanted] if expected else []
    if not wanted:
        nearest = min(distances)
        match, partial = (max(0.0, nearest - room) for room in (2 * _ROOM, _ROOM))
        return {"match_threshold": round(match, 4), "partial_threshold": round(partial, 4)}
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
