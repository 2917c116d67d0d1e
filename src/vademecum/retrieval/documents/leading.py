"""Choose what leads an answer from manual pages (a line to type, a definition, a value, a prototype), with a calibrated confidence."""

from collections.abc import Mapping, Sequence
from functools import cache
from math import exp, log1p
from operator import mul
from typing import NamedTuple

from vademecum.core.fitted import log_odds, weights_of
from vademecum.retrieval.question.kinds import KINDS, kinds_of
from vademecum.retrieval.question.phrases import phrases_of, says, spoken
from vademecum.retrieval.question.wanted import NAMES as WANTS
from vademecum.retrieval.question.wanted import answer_kinds
from vademecum.retrieval.weights import fitted_numbers
from vademecum.text.patterns import Pattern

TASK, OPTION, DEFINITION, VALUE, DIFFERENCE = "task", "option", "definition", "value", "difference"
ERROR, FORMAT, FUNCTION, YES_NO = "error", "format", "function", "yes_no"
LEADS = (TASK, OPTION, DEFINITION, VALUE, DIFFERENCE, ERROR, FORMAT, FUNCTION, YES_NO)
"""The kinds of questions: a task, the meaning of an option, a definition, a fact, a difference, the meaning of a message, the format of a
file, a programming interface, and a yes-no question."""

_SHAPES = {
    "names_option": Pattern(r"(?<![\w-])--?[A-Za-z][\w-]*", flags=0),
    "names_errno": Pattern(r"\bE[A-Z]{3,}[0-9]?[A-Z]*\b|\bSIG[A-Z]{3,}\b", flags=0),
    "quotes_message": Pattern(r"[\"“'`][^\"”'`]{8,}[\"”'`]|\w: \w", flags=0),
    "names_file": Pattern(r"(?<!\w)/(?:etc|proc|sys|var|dev)/\w|\b\w+\.(?:conf|service|timer|cfg|ini)\b|\b(?:crontab|fstab|sudoers|passwd|shadow|inittab)\b"),
    "names_call": Pattern(r"\w\(\)|\w_t\b|\bstruct\b|\b[a-z]+_[a-z_]+\b", flags=0),
    "says_error": Pattern(r"\bget(?:ting)? (?:an? )?[A-Z\"']", flags=0),
    "asks_function": Pattern(r"\b(?:which|what) (?:\w+ )?(?:function|syscall|system call|header|macro|call|interface|api|type)\b"),
}  # fmt: skip
"""Features of the wording that no list of phrases can express."""

_WORDING = tuple(dict.fromkeys((*phrases_of("leading"), *_SHAPES)))

_SECTIONS = {"commands": "186", "interfaces": "23", "files": "45", "overviews": "7"}
"""Subjects of pages, by the first digit of their sections."""

_MOST_PAGES = 3

SIGNS = (
    "words",
    *(f"first_of_{pages}" for pages in _SECTIONS),
    *(f"share_of_{pages}" for pages in _SECTIONS),
    *(f"kind_{kind}" for kind in KINDS),
    *(f"wants_{kind}" for kind in WANTS),
    *_WORDING,
    *("has_question_mark", "is_two_words"),
)
"""The features: the number of words, the subjects of the best pages, the kinds of the question, the kind of answer it asks for, and its
wording."""


def signs_of(text: str, references: Sequence[str]) -> tuple[float, ...]:
    """Return the features in the order of `SIGNS`: the logarithm of the number of words, then values of 0-1.

    Args:
        references: The references of the best pages, best first (`chmod(1)`).
    """
    folded = " ".join(text.split())
    kinds, said, phrases = kinds_of(folded), spoken(folded), phrases_of("leading")
    sections = [reference.rpartition("(")[2][:1] for reference in references[:_MOST_PAGES]]
    return (
        log1p(len(folded.split())),
        *(float(section in digits) for digits in _SECTIONS.values() for section in sections[:1] or " "),
        *(sum(section in digits for section in sections) / _MOST_PAGES for digits in _SECTIONS.values()),
        *(float(kind in kinds) for kind in KINDS),
        *map(float, answer_kinds(folded)),
        *(
            float(says(said, phrases.get(name, ())) or bool(name in _SHAPES and _SHAPES[name].search(folded)))
            for name in _WORDING
        ),
        float(folded.endswith("?")),
        float(0 < len(folded.split()) <= 2),
    )


@cache
def _fitted() -> Mapping[str, tuple[float, tuple[float, ...]]]:
    fitted = fitted_numbers("leading")
    return {lead: (fitted[lead]["bias"], weights_of(fitted[lead]["signs"], SIGNS)) for lead in LEADS}


def leading_kind(text: str, references: Sequence[str]) -> str:
    """Return which of `LEADS` a question asks for.

    A multinomial logistic regression over `SIGNS`, fitted by `training/leading.py`.

    >>> leading_kind("difference between su and sudo", ["su(1)", "sudo(8)"])
    'difference'
    """
    signs = signs_of(text, references)
    scores = {lead: bias + sum(map(mul, weights, signs)) for lead, (bias, weights) in _fitted().items()}
    return max(LEADS, key=scores.__getitem__)


SIGNALS = (
    "there", "right", "named", "only_named", "need", "covered", "words", *(f"asks_for_{lead}" for lead in LEADS),
    "is_line", "line", "left_out", "agrees", "there_of_line", "right_of_line", "line_for_fact",
    "line_for_no_task",
)  # fmt: skip
"""The signals of the confidence in what is shown first, in order.

The log odds that the pages contain an answer, and that the first page is right; whether the question names that page, and nothing else; the similarity of its nearest need; the share of the question
that a lead from pages, its page and its summary contain; the length of the question, and its kind. For the line of a task: the log odds that
it does what is asked, the number of words left out, whether it is of the first page, the first two once more, and whether a fact is asked for, or anything but a task.
"""


class OfLine(NamedTuple):
    """A line that is shown first.

    Attributes:
        chance: The probability (0-1) that it does what is asked.
        for_fact: Whether the question asks for a fact.
    """

    chance: float
    left_out: int
    agrees: bool
    for_fact: bool


def signals_of_lead(
    *,
    there: float,
    right: float,
    named: bool,
    only_named: bool,
    need: float,
    covered: float,
    words: int,
    lead: str,
    line: OfLine | None,
) -> tuple[float, ...]:
    """Return the signals in the order of `SIGNALS`; `there` and `right` are probabilities (0-1)."""
    odds = log_odds(there), log_odds(right)
    of_line = (
        (
            1.0,
            log_odds(line.chance),
            float(line.left_out),
            float(line.agrees),
            *odds,
            float(line.for_fact),
            float(lead != TASK),
        )
        if line
        else (0.0,) * 8
    )
    return (
        *odds,
        float(named),
        float(only_named),
        need,
        covered,
        log1p(words),
        *(float(lead == kind) for kind in LEADS),
        *of_line,
    )


@cache
def _weights() -> tuple[float, tuple[float, ...]]:
    fitted = fitted_numbers("lead_confidence")
    return fitted["bias"], weights_of(fitted["signals"], SIGNALS)


def chance_of_lead(signals: Sequence[float]) -> float:
    """Return the probability (0-1) that what is shown first answers: a logistic regression, fitted by `training/lead_confidence.py`."""
    bias, weights = _weights()
    return 1 / (1 + exp(-bias - sum(map(mul, weights, signals))))
