"""Choose what leads an answer from manual pages (a line to type, a definition, a value, a prototype), with a calibrated confidence."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from math import exp, log, log1p
from operator import mul

from vademecum.core.fitted import weights_of
from vademecum.retrieval.question.answer_kinds import NAMES as WANTS
from vademecum.retrieval.question.answer_kinds import answer_kinds
from vademecum.retrieval.question.kinds import KINDS, kinds_of
from vademecum.retrieval.weights import fitted_numbers

TASK, OPTION, DEFINITION, VALUE, DIFFERENCE = "task", "option", "definition", "value", "difference"
ERROR, FORMAT, FUNCTION, YES_NO = "error", "format", "function", "yes_no"
LEADS = (TASK, OPTION, DEFINITION, VALUE, DIFFERENCE, ERROR, FORMAT, FUNCTION, YES_NO)
"""The kinds of questions: a task, the meaning of an option, a definition, a fact, a difference, the meaning of a message, the format of a
file, a programming interface, and a yes-no question."""

_I = re.IGNORECASE
_SIGNS = {
    "names_option": re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*"),
    "says_option": re.compile(r"\b(?:options?|flags?|switch(?:es)?|arguments?|parameters?)\b", _I),
    "says_difference": re.compile(r"\bdiffer\w*|\bvs\b|\bversus\b|\bcompar\w+|\bdistinguish\w*|\binstead of\b|\brather than\b", _I),
    "says_or": re.compile(r" or ", _I),
    "says_error": re.compile(r"\berrors?\b|\bfail\w*|\bcannot\b|\bcan ?not\b|\bcan't\b|\bdenied\b|\bcomplain\w*|\brefus\w+|\binvalid\b|\bno such\b|\bunable\b|\bnot found\b|\bcrash\w*|\bget(?:ting)? (?:an? )?[A-Z\"']", 0),
    "names_errno": re.compile(r"\bE[A-Z]{3,}[0-9]?[A-Z]*\b|\bSIG[A-Z]{3,}\b"),
    "quotes_message": re.compile(r"[\"“'`][^\"”'`]{8,}[\"”'`]|\w: \w"),
    "says_format": re.compile(r"\b(?:format|syntax|fields?|columns?|layout|laid out|structure|grammar|entry|entries|lines? in|example (?:of|line|entry))\b", _I),
    "names_file": re.compile(r"(?<!\w)/(?:etc|proc|sys|var|dev)/\w|\b\w+\.(?:conf|service|timer|cfg|ini)\b|\b(?:crontab|fstab|sudoers|passwd|shadow|inittab)\b", _I),
    "says_ordinal": re.compile(r"\b(?:first|second|third|fourth|fifth|sixth|seventh|last|\d(?:st|nd|rd|th))\b", _I),
    "says_value": re.compile(r"\b(?:default|limit|max\w*|min\w*|port|exit (?:status|code|value)|return code|value|path|location|number of|size of|how many|how much|how long|how often|range|priority|signal)\b", _I),
    "says_default": re.compile(r"\bdefaults?\b", _I),
    "asks_what_value": re.compile(r"\b(?:what|which) (?:number|signal|port|value|size|version|name|date|key|code|user|directory|path)\b|\bwhat(?:'s| is| are) (?:the )?(?:default|max\w*|min\w*|limit|number|size|port|name|path|value|largest|smallest|longest)\b", _I),
    "asks_where": re.compile(r"\bwhere\b|\bwhich (?:file|directory|folder|variable|setting|directive|key|keyword|signal|section)\b|\bwhat (?:file|directory|variable|setting|directive|key|keyword|signal)\b", _I),
    "says_setting": re.compile(r"\b(?:setting|directive|keyword|config\w*|unit file|variable|parameter|sysctl)\b", _I),
    "asks_function": re.compile(r"\b(?:which|what) (?:\w+ )?(?:function|syscall|system call|header|macro|call|interface|api|type)\b", _I),
    "says_mean": re.compile(r"\bmean(?:s|ing)?\b|\bstands? for\b", _I),
    "asks_what_is": re.compile(r"^(?:so |ok |and |please )?what(?:'s|s| is| are| was| were)\b", _I),
    "asks_what_is_a": re.compile(r"\bwhat(?:'s|s| is| are) an? ", _I),
    "asks_what_does": re.compile(r"\bwhat (?:does|do|did|happens)\b", _I),
    "says_explain": re.compile(r"\bexplain\w*|\boverview\b|\bintro\w*|\bdefin\w+|\bdescribe\b|\bpurpose\b|\bused for\b|\bwhat for\b|\bwhy (?:is|are|do|does) there\b|\babout\b", _I),
    "asks_why": re.compile(r"\bwhy\b", _I),
    "asks_which": re.compile(r"\bwhich\b", _I),
    "asks_how": re.compile(r"^(?:so |and |ok |please )?how (?:do|can|to|would|should|could)\b", _I),
    "asks_how_does": re.compile(r"\bhow (?:does|is|are)\b", _I),
    "begins_with_auxiliary": re.compile(r"^(?:is|are|am|was|can|could|do|does|did|will|would|should|may|must|has|have|isn't|doesn't|can't)\b", _I),
    "has_question_mark": re.compile(r"\?\s*$"),
    "names_call": re.compile(r"\w\(\)|\w_t\b|\bstruct\b|\b[a-z]+_[a-z_]+\b"),
    "speaks_of_code": re.compile(r"\b(?:threads?|mutex|pointer|buffer|string|struct|array|callback|handler|socket|descriptor|fd|stream|float|double|integer|matrix|hash|compile[rd]?|program|library|libc|openssl|kernel|async\w*|memory|process)\b", _I),
    "is_two_words": re.compile(r"^\S+(?: \S+)?$"),
}  # fmt: skip

_SECTIONS = {"commands": "186", "interfaces": "23", "files": "45", "overviews": "7"}
"""Subjects of pages, by the first digit of their sections."""

_MOST_PAGES = 3

SIGNS = (
    "words",
    *(f"first_of_{pages}" for pages in _SECTIONS),
    *(f"share_of_{pages}" for pages in _SECTIONS),
    *(f"kind_{kind}" for kind in KINDS),
    *(f"wants_{kind}" for kind in WANTS),
    *_SIGNS,
)
"""The features: the number of words, the subjects of the best pages, the kinds of the question, the kind of answer it asks for, and its
wording."""


def signs_of(text: str, references: Sequence[str]) -> tuple[float, ...]:
    """Return the features in the order of `SIGNS`: the logarithm of the number of words, then values of 0-1.

    Args:
        text: The question.
        references: The references of the best pages, best first (`chmod(1)`).
    """
    folded = " ".join(text.split())
    kinds = kinds_of(folded)
    sections = [reference.rpartition("(")[2][:1] for reference in references[:_MOST_PAGES]]
    return (
        log1p(len(folded.split())),
        *(float(section in digits) for digits in _SECTIONS.values() for section in sections[:1] or " "),
        *(sum(section in digits for section in sections) / _MOST_PAGES for digits in _SECTIONS.values()),
        *(float(kind in kinds) for kind in KINDS),
        *map(float, answer_kinds(folded)),
        *(float(bool(sign.search(folded))) for sign in _SIGNS.values()),
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
    "page",
    "need",
    "covered",
    "left_out",
    "options",
    "is_composed",
    "words",
    *(f"asks_for_{lead}" for lead in LEADS),
)
"""The signals: the log odds that the page is right; the similarity of its nearest need; the shares of the question that the lead, the page and
the summary contain; the highest probability of an entry that is not in the line; the number of options in it; whether it was composed; the
length of the question; and its kind."""

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
    """Return the signals in the order of `SIGNALS`; `page` is the probability that the page is right."""
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
    """Return the probability (0-1) that the lead answers: a logistic regression, fitted by `training/lead_confidence.py`."""
    bias, weights = _weights()
    return 1 / (1 + exp(-bias - sum(map(mul, weights, signals))))
