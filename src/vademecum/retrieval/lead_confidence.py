"""How likely the lead of an answer from manual pages answers: the page may be right, and its line or sentence still not be."""

from collections.abc import Sequence
from functools import cache
from math import exp, log, log1p
from operator import mul

from vademecum.core.fitted import weights_of
from vademecum.retrieval.leading import LEADS
from vademecum.retrieval.weights import fitted_numbers

SIGNALS = (
    "page",
    "need",
    "covered",
    "left_out",
    "options",
    "is_composed",
    "words",
    *(f"asks_for_{lead}" for lead in LEADS),
)
"""What is looked at: the log odds that the page is right; how near its nearest need is; the share of the question that lead, page
and summary have; how likely the likeliest entry is that is not in the line; how many options are; whether it was put together;
how long the question is; and what it asks for."""

_LEAST = 1e-4


def signals_of_lead(  # noqa: PLR0917 - it is judged from many sides
    page: float,
    need: float,
    covered: float,
    left_out: float,
    options: int,
    composed: bool,
    words: int,
    lead: str,
) -> tuple[float, ...]:
    """The signals, in the order of `SIGNALS`; `page` is the probability that the page is right."""
    chance = min(max(page, _LEAST), 1 - _LEAST)
    return (
        log(chance / (1 - chance)),
        need,
        covered,
        left_out,
        float(options),
        float(composed),
        log1p(words),
        *(float(lead == kind) for kind in LEADS),
    )


@cache
def _weights() -> tuple[float, tuple[float, ...]]:
    fitted = fitted_numbers("lead_confidence")
    return fitted["bias"], weights_of(fitted["signals"], SIGNALS)


def chance_of_lead(signals: Sequence[float]) -> float:
    """The probability (0-1) that the lead answers: a logistic regression, fitted by `training/lead_confidence.py`."""
    bias, weights = _weights()
    return 1 / (1 + exp(-bias - sum(map(mul, weights, signals))))
