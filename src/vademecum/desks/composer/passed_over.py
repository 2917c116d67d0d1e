"""The words of a request that nothing was made of, so that nothing is dropped in silence."""

from collections.abc import Iterator
from typing import Any

from vademecum.desks.composer import lightness, qualities
from vademecum.desks.composer.capabilities import capabilities_of
from vademecum.desks.composer.understanding import meant_by
from vademecum.desks.composer.wishes import Wishes
from vademecum.sources.image_template import facts_of
from vademecum.sources.image_template.resolve import Resolved
from vademecum.text.words import terms

_TOLD = ("metadata", "image", "target")


def passed_over(read: Wishes, resolved: Resolved) -> tuple[str, ...]:
    """What is left of a request that the template does not have either, stretch by stretch.

    Args:
        read: The request.
        resolved: The template that was made, with what it inherits.
    """
    if not read.unread:
        return ()
    purpose = qualities.purpose_of(read)
    said = " ".join(one.said for one in (*qualities.asked(read), *([purpose] if purpose else [])))
    facts = facts_of(resolved)
    has = frozenset(capabilities_of(facts))
    own = frozenset(terms(" ".join((*_texts([resolved.data.get(key) for key in _TOLD]), *facts.packages))))
    return tuple(
        one
        for one in read.unread
        if not (
            lightness.asked(one)
            or has.intersection(meant_by(one))
            or own.issuperset(terms(one))
            or not terms(one)
            or one in said
        )
    )


def in_a_sentence(left: tuple[str, ...]) -> str:
    """To be told beside the account of what was asked for."""
    return f"Nothing was made of: {', '.join(repr(one) for one in left)}."


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, str):
        yield value
