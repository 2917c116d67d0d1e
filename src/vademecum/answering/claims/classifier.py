"""The probability that passages do not support a claim: boosted trees over its features, fitted by `training/verifier.py`."""

from collections.abc import Mapping
from math import exp
from pathlib import Path

from vademecum.core.fitted import Trees, read_fitted

_FITTED = read_fitted(Path(__file__).parents[1] / "data/claims.json")
_SIGNS = tuple(_FITTED["trees"]["splits"])
_TREES = Trees(_FITTED["trees"], _SIGNS)

THRESHOLD: float = _FITTED["threshold"]
"""The doubt at which a claim is unsupported."""

_SURE = {
    "surely absent": 0.0,
    "turned though covered": 0.0,
    "negation dropped though covered": 0.0,
    "time turned": 0.0,
    "rival in both": 0.3,
}
"""Features that decide on their own above these values: an invented fact, an opposite, a fact about something else."""

_LEAST, _LEAST_OF_FEW = 0.5, 0.7
"""More than this share of a claim's words must stand in the passages, be it in other words; of a short claim's, which is soon
more invented than not, the second."""

_FEW = 3

_ALL, _MOST, _HARDLY = 0.999, 0.6, 0.1
"""The share of a claim's words that a sentence has, of the sentence's words that the claim has, and of pairs in another order, if it is repeated."""


def doubt_of(signs: Mapping[str, float]) -> float:
    """Return the doubt in a claim, 0-1. It is unsupported at `THRESHOLD` and above."""
    if decided(signs):
        return 1.0
    doubt = 1.0 / (1.0 + exp(-_TREES([signs[name] for name in _SIGNS])))
    return min(doubt, THRESHOLD / 2) if is_repeated(signs) else doubt


def decided(signs: Mapping[str, float]) -> bool:
    """Return whether a single feature is enough to drop a claim."""
    return signs["all"] <= _least(signs) or any(signs[name] > most for name, most in _SURE.items())


def is_repeated(signs: Mapping[str, float]) -> bool:
    """Return whether a claim repeats one sentence: it has no other words, most of its words, in their order, and its negations."""
    return (
        signs["exact one"] >= _ALL
        and signs["said back"] >= _MOST
        and signs["turned order"] <= _HARDLY
        and not any(signs[name] for name in ("turned around", "odd near", "one side only", "widened"))
    )


def speak_of_it(signs: Mapping[str, float]) -> bool:
    """Return whether two sentences of the passages are about the subject of a claim, even if they contradict it."""
    return signs["two"] > _least(signs)


def _least(signs: Mapping[str, float]) -> float:
    return _LEAST_OF_FEW if signs["words"] <= _FEW else _LEAST
