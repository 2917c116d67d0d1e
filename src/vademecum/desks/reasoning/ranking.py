"""Rank templates by their features, and compute the probability that any of them fits.

Two fitted models, both in a few numbers (`data/weights.json`, made by `training/reasoning.py`): a conditional logit
ranks (McFadden 1974), and a logistic judge of the ranking says whether any fits.
"""

from collections.abc import Sequence
from math import exp, log1p
from operator import mul
from pathlib import Path
from typing import NamedTuple

from vademecum.core.fitted import chance_of, read_fitted, weights_of
from vademecum.desks.reasoning.index import Measures
from vademecum.text.patterns import Pattern

_LOOKED_AT = 300

KINDS = {
    "talk": Pattern(
        r"^\W*(?:hi|hello|hey|hiya|yo|good (?:morning|evening|night|day|afternoon)|thanks?|thank you|cheers|bye|"
        r"good ?bye|see you|ok(?:ay)?|k|yes|no|lol|haha|sorry|please|who are you|are you|what(?:'s| is) your|"
        r"how are you|do you (?:like|have|sleep|know))\b.{0,40}$"
    ),
    "sum": Pattern(
        r"^(?=.*\d)(?:[\d\s.,%+*/x×÷^=()?!'-]|\b(?:what|whats|s|is|calculate|compute|add|subtract|multiply|divide|square|"
        r"cube|root|of|and|plus|minus|times|by|to|from|percent)\b)+$"
    ),
    "fact": Pattern(
        r"^(?:who (?:is|was|wrote|invented|painted|discovered|founded|directed|said|won|played|plays|coined)|"
        r"when (?:was|is|did|does)|where (?:is|was|can i (?:buy|find))|what year|which (?:city|river|country|year)|"
        r"capital of|population of|definition of|define|meaning of|plural of|"
        r"how many (?:\w*seconds|minutes|hours|days|weeks|months|years|\w*grams?|ounces|pounds|inches|feet|yards|"
        r"\w*met(?:er|re)s|miles|\w*lit(?:er|re)s|cups|bits|bytes) (?:are |is |make )?(?:there )?(?:in )?(?:a|an|one)\b|"
        r"how (?:tall|high|old|far|do you (?:say|spell|pronounce)|is \w+ pronounced))\b"
    ),
    "word": Pattern(
        r"\b(?:stands? for|the word|translate|pronounced?|spell(?:ing)?|synonym|singular|plural|abbreviation|rhymes?|"
        r"past tense|into (?:spanish|french|german|portuguese|italian|polish|english|latin|dutch|finnish|japanese))\b"
    ),
    "errand": Pattern(
        r"^(?:please )?(?:turn|switch|remind|call|open|close|play|send|book|order|buy|set|show|navigate|save|delete|"
        r"print|mute|stop|reserve|forward|log|take|zoom|add \w+ to)\b"
    ),
    "writing": Pattern(
        r"^(?:please )?(?:write|compose|continue|tell me a|make (?:a|up|this)|sing|rewrite|correct|fix the|convert (?:this|the)|"
        r"put this|format|rephrase|proofread|generate a)\b"
    ),
    "syntax": Pattern(
        r"\b(?:syntax|regex|regular expression|css|html tag|command (?:to|for)|shortcut|excel formula)\b|"
        r"^how (?:do|to|can) (?:i |you )?(?:\w+ ){1,5}in (?:python|java|javascript|c|ruby|go|rust|bash|sql|excel)\W*$"
    ),
}
"""By name: small talk; a sum; a fact to look up; a matter of words; an errand; a text to be written; syntax to look up."""


def kinds_of(problem: str) -> tuple[float, ...]:
    """1.0 for each kind, in the order of `KINDS`, that the problem is of; else 0.0."""
    text = " ".join(problem[:_LOOKED_AT].split())
    return tuple(float(pattern.search(text) is not None) for pattern in KINDS.values())


_ABOUT = Pattern(r"^\W*(?:what|who|when|where|which|define|explain what|is|was)\b")


def asks_about(problem: str) -> bool:
    """Return whether a problem that names a method rather asks about it (`What is ...`) than to use it."""
    return _ABOUT.search(problem) is not None or any(kinds_of(problem))


FEATURES = ("unlike_others", "like_own", "nearest", "near", "words", "cover", "phrases", "meaning")
"""What the ranking weighs, in order. `words` is a share of the best template's."""

SIGNALS = ("bias", "unlike_nothing", "like_nothing", "nearest_nothing", "words", "known", "length", *KINDS)
"""What the judge weighs, in order."""

_FITTED = read_fitted(Path(__file__).with_name("data") / "weights.json")
_RANK_WEIGHTS, _FIT_WEIGHTS = weights_of(_FITTED["rank"], FEATURES), weights_of(_FITTED["fit"], SIGNALS)

THRESHOLD: float = _FITTED["threshold"]
"""The chance that any template fits, from which on one is taken."""

_NAMED = 3.0
"""What a template is worth more that the problem names, and its fitting, too, unless it is asked what the name means. Few
problems name one, so this is set and not fitted."""

_LONG = 12
"""Words from which on a problem counts as long."""


class Ranked(NamedTuple):
    """The templates in order, and what is thought of them.

    Attributes:
        order: Numbers of the templates, best first; among equals in the index's order.
        shares: The chance (0-1) of each, by number, if any fits; together 1.
    """

    order: list[int]
    shares: list[float]
    fits: float
    signals: tuple[float, ...]

    @property
    def decides(self) -> bool:
        """Return whether a template is taken, and not the fallback."""
        return self.fits >= THRESHOLD


def features_of(measures: Measures) -> list[tuple[float, ...]]:
    """Each template's features, in the order of `FEATURES`."""
    best = max((template.words for template in measures.templates), default=0.0) or 1.0
    return [
        (
            template.likeness.unlike_others,
            template.likeness.like_own,
            template.likeness.nearest,
            template.likeness.near,
            template.words / best,
            template.cover,
            log1p(template.phrases),
            template.meaning,
        )
        for template in measures.templates
    ]


def rank(problem: str, measures: Measures, weights: Sequence[float] = _RANK_WEIGHTS) -> Ranked:
    """Rank the templates, and judge whether any fits. Of no templates none fits."""
    named = [_NAMED * template.named for template in measures.templates]
    scores = [
        sum(map(mul, weights, one), bonus) for one, bonus in zip(features_of(measures), named, strict=True)
    ]
    if not scores:
        return Ranked([], [], 0.0, ())
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    best = scores[order[0]]
    powers = [exp(score - best) for score in scores]
    shares = [power / sum(powers) for power in powers]
    signals = signals_of(problem, measures, order[0])
    asked_for = _NAMED if named[order[0]] and not asks_about(problem) else 0.0
    return Ranked(order, shares, chance_of(sum(map(mul, _FIT_WEIGHTS, signals), asked_for)), signals)


def signals_of(problem: str, measures: Measures, best: int) -> tuple[float, ...]:
    """What tells whether any template fits, in the order of `SIGNALS`."""
    first = measures.templates[best]
    likenesses = [template.likeness for template in measures.templates]
    return (
        1.0,
        measures.nothing.unlike_others - max(likeness.unlike_others for likeness in likenesses),
        measures.nothing.like_own - max(likeness.like_own for likeness in likenesses),
        measures.nothing.nearest - max(likeness.nearest for likeness in likenesses),
        log1p(first.words),
        measures.known,
        log1p(min(len(problem.split()), _LONG)),
        *kinds_of(problem),
    )
