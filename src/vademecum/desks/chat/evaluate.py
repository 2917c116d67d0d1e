"""Evaluate, the second step: turn the retrieved passages into a profile. It makes no calls and reads no rules."""

from collections.abc import Sequence
from dataclasses import replace

from vademecum.desks.chat.profile import Profile, RagResult
from vademecum.text.small_talk import small_talk


def evaluate(
    asked: Sequence[RagResult],
    *,
    user_message: str,
    selected: Sequence[str],
    timestamp: str,
    has_intent: bool,
) -> Profile:
    """Return the profile that follows from the documents alone.

    A match sets every field, including the intent. All partial results are kept; the nearest one is promoted, unless
    an intent model is configured, which may choose another one.
    """
    kept = {one.identifier: one for one in asked if one.result != "none"}
    order = {identifier: place for place, identifier in enumerate(kept)}

    def nearness(one: RagResult) -> tuple[int, float, int]:
        """Sort the result that the answer begins in, by answerability those without a distance threshold, by distance the others."""
        if one.match_threshold is None:
            return -one.leads, -(one.answerability or 0.0), order[one.identifier]
        return 1, 2.0 if one.distance is None else one.distance, order[one.identifier]

    answerabilities = {one.identifier: one.answerability for one in asked if one.answerability is not None}

    matches = sorted((one for one in kept.values() if one.result == "match"), key=nearness)
    nearest = min(kept.values(), key=nearness, default=None)
    best = matches[0] if matches else nearest
    profile = Profile(
        user_message=user_message,
        selected_collections=tuple(selected),
        timestamp=timestamp,
        small_talk=small_talk(user_message),
        rag_result="match" if matches else "partial" if kept else "none",
        answerability=max(answerabilities.values(), default=None),
        answerabilities=answerabilities,
        rag_results=kept,
        best_match=best,
        intents=tuple(one.intent for one in kept.values()),
        primary_intent=best.intent if best else None,
    )
    if matches:
        return promote(profile, matches[0], intent=matches[0].intent)
    return promote(profile, best) if best and not has_intent else profile


def promote(profile: Profile, one: RagResult, *, intent: str | None = None) -> Profile:
    """Return the profile with the service, collection, documents and settings of a kept result."""
    return replace(
        profile,
        service=one.service,
        collection=one.collection,
        identifier=one.identifier,
        distance=one.distance,
        context=one.documents,
        service_prompt=one.settings.prompt,
        service_tokens=one.settings.max_tokens,
        service_model=one.settings.model,
        service_temperature=one.settings.temperature,
        service_description=one.settings.description or None,
        intent=intent if intent is not None else profile.intent,
    )
