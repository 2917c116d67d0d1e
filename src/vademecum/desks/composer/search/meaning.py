"""Find the capabilities that a request mentions, and the certainty of each.

A phrase is met as far as the request has its terms, each counted by its rarity among the phrases of all capabilities; a capability is
met as well as its best phrase.
"""

from typing import NamedTuple

from vademecum.desks.composer.request.words.phrases import denies, lexicon
from vademecum.text.patterns import Pattern
from vademecum.text.words import terms

_HALF = 2.0
"""The rarity of shared terms at which half the trust is given: one common word alone says little."""

_DENIED = 0.6
"""What a phrase that denies something counts for a request that does not: "no clicks" is not what "icons to click" asks for."""

_LIMB = Pattern(
    r"\b(?:robot(?:ic|s|'s)?|mechanical|manipulator|swivel|conveyor)[\s-]+arms?\b|\barms?[\s-]+(?:robot\w*|grippers?|joints?|of\s+(?:an?|the)\s+robot)\b"
)
"""An arm that is not a processor."""


class Met(NamedTuple):
    """How well a request speaks of a capability: 0-1, and the phrase that is nearest."""

    capability: str
    strength: float
    phrase: str


def met(text: str) -> list[Met]:
    """The capabilities that a request speaks of, the surest first."""
    denied = denies(text)
    known = lexicon()
    denying = set(known.denying)
    shared: dict[int, float] = {}
    for term in set(terms(text)):
        for at in known.having(term):
            shared[at] = shared.get(at, 0.0) + known.rarity[term]
    best: dict[str, Met] = {}
    for at, rarity in sorted(shared.items()):
        whole = known.rarities[at]
        strength = min(1.0, rarity / whole * rarity / (rarity + _HALF))
        if at in denying and not denied:
            if " " not in known.terms[at]:
                continue  # what is left of "no clicks" without its `no`
            strength *= _DENIED
        name = known.capabilities[at]
        if name not in best or strength > best[name].strength:
            best[name] = Met(name, strength, known.texts[at])
    if (
        "arm" in best
        and _LIMB.search(text)
        and not any(one.capability == "arm" for one in met(_LIMB.sub(" ", text)))
    ):
        del best["arm"]
    return sorted(best.values(), key=lambda one: (-one.strength, one.capability))
