"""As little as possible: which template has the fewest packages, and what came of a request for that."""

from collections.abc import Iterable, Mapping, Sequence

from vademecum.desks.composer.editing import Outcome
from vademecum.desks.composer.library import Entry
from vademecum.desks.composer.negation import negated
from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.wish import Wish
from vademecum.sources.image_template import Facts

_LITTLE = Pattern(
    r"(?<![\w-])(?:as\s+)?(?:minimal(?:ist(?:ic)?)?|minimum|smallest(?:\s+possible)?|tiniest|bare[- ]?bones|stripped[- ]down|slimmed[- ]down|"
    r"(?:fewest|least)(?:\s+possible)?\s+packages|(?:small|minimal|tiny|low)(?:est)?\s+footprint|"
    r"(?:small|slim|lean|light|tiny|little)\s+as\s+(?:possible|(?:it\s+|you\s+)?(?:gets|can(?:\s+be)?))|as\s+few\s+packages\s+as\s+possible|"
    r"(?:(?:very|really|quite)\s+)?(?:small|tiny|slim|lean|compact)(?=\s+(?:(?!office|business|company|school|team|shop)[\w.-]+\s+){0,2}?(?:image|system|os|template|vm|linux|installation|server|box|setup|distro)\b)|"
    r"nothing\s+(?:else|more)(?=\s*(?:$|[.,;!]|on\s+it|in\s+it))|(?:and\s+)?no\s+other\s+(?:packages?|software|programs?|tools?)|"
    r"nothing\s+(?:superfluous|unnecessary|that\s+is\s+not\s+needed)|only\s+the\s+(?:bare\s+)?(?:essentials|necessary))"
    r"(?![\w-]|\s+(?:\d|disk|disc|partition|swap|size|log|latency|downtime|privileges?|permissions?|desktop|of\b))"
)
_ELSE = Pattern(r"(?:and\s+)?(?:nothing\s+(?:else|more)|no\s+other)\b")
"""As little as possible beside what is asked for."""

_OF_REPOSITORY, _OF_BURDEN = 3, 20
"""How many packages a further repository weighs, and all that can weigh on a template together (`basing.burden`, 0-1)."""

_SPOKEN = 0.5
"""The strength from which on a capability counts as asked for."""


def asked(request: str) -> Wish | None:
    """The wish for as little as possible, if a request has it."""
    found = _LITTLE.search(request)
    if not found or any(one.start <= found.start() < one.end for one in negated(request)):
        return None
    return Wish("capability", "minimal", said=" ".join(found[0].split()), start=found.start())


def lightest(
    entry: Entry, others: Iterable[Entry], strengths: Mapping[str, float], weighs: Mapping[str, float]
) -> Entry:
    """The template that brings least, of those that can do all that is asked for and that a template can do.

    Args:
        entry: That template.
        others: Those of the same target.
        strengths: How surely the request speaks of each capability.
        weighs: What weighs on each of them since nobody asked for it, by file.
    """
    needed = _needed(entry, strengths)
    choice = [
        one
        for one in (entry, *others)
        if one.facts.version == entry.facts.version and _needed(one, strengths) >= needed
    ]
    return min(
        choice,
        key=lambda one: (
            len(one.facts.packages)
            + _OF_REPOSITORY * len(one.facts.repositories)
            + _OF_BURDEN * weighs.get(one.file, 0.0)
        ),
    )


def told(wish: Wish, based_on: Entry | None, facts: Facts, entries: Sequence[Entry]) -> Outcome:
    """What came of the wish: how many packages there are, and whether a template of the same target has fewer."""
    number = f"{len(facts.packages)} packages"
    if _ELSE.match(wish.said):
        number += ", those of the template it is based on and of the defaults among them"
    if facts.unresolved:
        number += " beside those of the defaults, which are not known"
    if based_on is None:
        return Outcome(wish, "already", f"It has {number}: the bare defaults, and what was asked for.")
    base = based_on.facts
    fewer = [
        one
        for one in entries
        if _target(one.facts) == _target(base)
        and not one.facts.overlay
        and len(one.facts.packages) < len(base.packages)
    ]
    if not fewer:
        return Outcome(wish, "already", f"It has {number}; no template of this target begins with fewer.")
    least = min(fewer, key=lambda one: len(one.facts.packages))
    more = len(least.facts.repositories) - len(base.repositories)
    why = f", and {more} more repositories" if more > 0 else ", and is made for something else"
    return Outcome(
        wish,
        "already",
        f"It has {number}. {least.stem} begins with fewer ({len(least.facts.packages)}){why}.",
    )


def refused(wish: Wish, facts: Facts) -> Outcome:
    """What comes of the wish for a template in work, from which nothing is taken that was not named."""
    if _ELSE.match(wish.said):
        return Outcome(wish, "already", "Nothing else was changed.")
    return Outcome(
        wish,
        "undeliverable",
        f"It has {len(facts.packages)} packages, and none is taken out that is not named: say which, or ask for a new image.",
    )


def _needed(entry: Entry, strengths: Mapping[str, float]) -> frozenset[str]:
    return frozenset(
        one for one in entry.indexed.capabilities if one != "minimal" and strengths.get(one, 0.0) >= _SPOKEN
    )


def _target(facts: Facts) -> tuple[str, ...]:
    return (facts.version, facts.architecture, facts.image_type)
