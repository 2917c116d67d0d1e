"""The operands in a question: numbers, sizes, paths, patterns, users. They are used in the line to type."""

import re
from collections.abc import Callable
from typing import NamedTuple

from vademecum.text.patterns import Pattern

NUMBER, SIZE, DURATION, PATH, GLOB, TEXT, NAME, PORT, HOST, PROCESS, SIGNAL, DATE, MODE = (
    "number", "size", "duration", "path", "glob", "text", "name", "port", "host", "process", "signal", "date", "mode"
)  # fmt: skip
"""Kinds of noun."""

_UNITS = {"b": "c", "byte": "c", "bytes": "c", "k": "k", "kb": "k", "kib": "k", "kilobytes": "k", "m": "M", "mb": "M", "mib": "M",
          "meg": "M", "megs": "M", "megabyte": "M", "megabytes": "M", "g": "G", "gb": "G", "gib": "G", "gig": "G", "gigs": "G",
          "gigabyte": "G", "gigabytes": "G", "t": "T", "tb": "T"}  # fmt: skip
_TIMES = {"second": "s", "seconds": "s", "sec": "s", "secs": "s", "minute": "m", "minutes": "m", "min": "m", "mins": "m", "hour": "h",
          "hours": "h", "day": "d", "days": "d", "week": "w", "weeks": "w", "month": "M", "months": "M", "year": "y", "years": "y"}  # fmt: skip
_COUNTS = {
    **{word: number for number, word in enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], start=1)},
    "dozen": 12, "second": 2, "third": 3, "fourth": 4, "fifth": 5,
}  # fmt: skip
_I = re.IGNORECASE
_MORE = Pattern(r"\b(?:bigger|larger|greater|more|over|above|longer|older|at least|exceed\w*|before)\b")
_LESS = Pattern(
    r"\b(?:smaller|less|under|below|shorter|newer|younger|at most|within|in the last|in the past|fewer|since)\b"
)
_GOAL = Pattern(r"\b(?:into|to|onto) (?:the |a |my |folder |directory |file )*$")
_WITHIN = Pattern(r"\b(?:in|under|inside|at|below) (?:the |a |my |folder |directory )*$")
_NEAR_SIGN = 24
"""The maximum distance, in characters, between a comparison and its number."""

_QUOTED = Pattern(r"(?<!\w)(['\"`‘“])(?P<text>[^'\"`‘’“”]{1,80})(?:['\"`’”])(?!\w)", flags=0)
_AFTER_ITS_KIND = (
    r"\b(?:user|users|owner|group|account|host|package|service|unit|branch|interface)"
    r" (?:named |called |is |to )?(?P<value>(?!\w+(?:ed|ing)\b)(?!(?:to|in|of|on|from|for|and|or|is|are|that|which|with|who|a|an|the|name|names|by|as|at|list|file|files|has|have|was|can|it|i|my|into|without|so|when|be|using|will|does|do|every|each|line|running|start|starts|stop|restart|enable|disable|should|must|would|could|read|write|execute|access|permissions?|rights|keeps?|again|over|via|at|ago|where|if|than|then|there|now|via|using|through|after|before|names?|info|information|status|id|ids)\b)[a-z][\w.@-]*)\b(?!')"
)
_BEFORE_ITS_KIND = (
    r"\bthe (?P<value>(?!(?:same|other|current|new|whole|given|right|real|primary|default|root|first|last|next|previous|old|following|local|remote|entire|effective|main|user|group|owner)\b)"
    r"[a-z][\w.-]*) (?:user|group|package|service|unit|branch|container|daemon|account|interface|module|table|database)\b"
)
_AFTER_CONTAINING = (
    r"\b(?:containing|contain|contains|matching|match|mention|mentions|mentioning|the (?:word|string|text|phrase|pattern)|for the word)"
    r" (?:the (?:word|string|text) |the )?(?P<value>(?!(?:a|an|the|this|that|any|some|one|given|certain|lines?|word|string|text|pattern|spaces?|in|of|is|its|their|it)\b)[\w.-]+)"
)
_PATTERNS = (  # a kind; what one of its nouns must contain, with # for any digit; its pattern
    (HOST, ". @ ://", r"\b(?:https?|ftp|ssh)://\S+|\b[\w.+-]+@[\w.-]+\b|\b\d{1,3}(?:\.\d{1,3}){3}(?:/\d+)?\b|\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|local|edu|de)\b"),
    (DATE, "# yesterday today tomorrow", r"\b\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?\b|\b(?:yesterday|today|tomorrow)\b|\b\d{1,2}:\d{2}\b"),
    (GLOB, "* ?", r"(?<![\w/])[\w./-]*(?:\*|\?(?=[\w.]))[\w.*?/-]*"),
    (PATH, "/ ~ .", r"(?<![\w/.:@])(?:~|\.{1,2})?/[\w.+@%/-]*[\w/]|(?<![\w/.@])~(?![\w/])|(?<![\w/.@-])(?!\d)[\w+-]+(?:\.[A-Za-z][A-Za-z0-9]{0,5})+(?![\w(/])"),
    (PORT, "port", r"\bport (?P<value>\d{1,5})\b"),
    (PROCESS, "pid process", r"\b(?:pid|process(?: id| number)?) (?P<value>\d+)\b"),
    (SIGNAL, "KILL TERM HUP INT QUIT STOP CONT USR", r"\b(?:SIG)?(?:KILL|TERM|HUP|INT|QUIT|STOP|CONT|USR1|USR2)\b"),
    (MODE, "# + = -", r"(?<![\w.])0?[0-7]{3}(?![\w.])(?=.*\b(?:permission|mode|rights)|$)|(?<!\w)[ugoa]*[-+=][rwx]{1,3}(?!\w)"),
    (SIZE, "#", r"(?<![\w.])(?P<count>\d+(?:\.\d+)?) ?(?P<unit>[kmgt]i?b?|bytes?|kilobytes|meg(?:abyte)?s?|gig(?:abyte)?s?)\b"),
    (DURATION, "sec min hour day week month year", r"(?<![\w.])(?P<count>\d+|one|two|three|four|five|six|seven|eight|nine|ten|an?|the last|a single)? ?(?P<unit>seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?)\b"),
    (NUMBER, "# two three four five six seven eight nine ten second third fourth fifth", r"(?<![\w./-])\d+(?:st|nd|rd|th)?(?![\w./])|\b(?:two|three|four|five|six|seven|eight|nine|ten|second(?! of)|third|fourth|fifth)\b"),
    (NAME, "user owner group account host package service unit branch interface", _AFTER_ITS_KIND),
    (NAME, "the", _BEFORE_ITS_KIND),
    (NAME, "named called owned belong", r"\b(?:named|called|owned by|belonging to|belongs to) (?P<value>(?!(?:a|an|the|by|it|me|my|someone|root user)\b)[\w.@-]+)"),
    (TEXT, "contain match mention word string text phrase pattern", _AFTER_CONTAINING),
)  # fmt: skip


class Noun(NamedTuple):
    """A value that a question names.

    Attributes:
        value: The value as it is typed (`20`, `100M`, `*.log`).
        start: The first code point in the question.
        end: The end, exclusive.
        sign: `+` for more than the value, `-` for less, "" for the value itself.
        unit: The letter of the unit of a duration or size.
        is_goal: Whether it is a destination or a place to search (`into`, `to`, `in`).
    """

    kind: str
    value: str
    start: int
    end: int
    sign: str = ""
    unit: str = ""
    is_goal: bool = False


def nouns_of(question: str) -> list[Noun]:
    """Return the nouns of a question in order, without overlaps.

    >>> [(noun.kind, noun.value, noun.sign) for noun in nouns_of("find files bigger than 100 MB in /var")]
    [('size', '100M', '+'), ('path', '/var', '')]
    """
    found: list[Noun] = []

    def free(start: int, end: int) -> bool:
        return all(end <= noun.start or noun.end <= start for noun in found)

    for match in _QUOTED.finditer(question):
        text = match["text"].strip()
        if text and free(*match.span()):
            kind = GLOB if re.search(r"[*?]", text) else PATH if "/" in text and " " not in text else TEXT
            found.append(Noun(kind, text, match.start(), match.end()))
    signs = question.rstrip(" ?.!")
    signs += signs.lower() + "#" * any(map(str.isdigit, signs))
    for kind, hints, pattern in _PATTERNS:
        if not any(map(signs.__contains__, hints.split())):
            continue
        for match in re.finditer(pattern, question, 0 if kind == SIGNAL else _I):
            if free(*match.span()) and (noun := _noun(kind, match, question)):
                found.append(noun)  # noqa: PERF401 - what is found decides what is free
    return sorted(found, key=lambda noun: noun.start)


def without_own_names(question: str, is_topic: Callable[[Noun], bool]) -> str:
    """Return a question in which the user's own names (`notes.txt`, `bob`, `/backup`) are replaced by general words or omitted.

    Pages contain such names only by coincidence.

    Args:
        is_topic: Returns whether documents are about a noun.
    """
    said, last = [], 0
    for noun in nouns_of(question):
        if noun.kind in _IN_GENERAL and not is_topic(noun):
            general = _IN_GENERAL[noun.kind]
            stem, _, ending = noun.value.rpartition("/")[2].rpartition(".")
            if noun.kind == PATH and not stem:
                general = "directory"
            elif noun.kind == PATH and ending.lower() in _TOPICS:
                general = f"{ending} file"
            said += [question[last : noun.start], general if general not in question else ""]
            last = noun.end
    return "".join([*said, question[last:]])


_TOPICS = frozenset(
    """7z bz2 crt csv deb diff gz html iso jar json patch pdf pem rar rpm sql svg tar tgz xml xz zip zst""".split()  # noqa: SIM905
)
"""File extensions that indicate the task."""

_IN_GENERAL = {
    PATH: "file",
    GLOB: "files",
    HOST: "host",
    NAME: "",
    PORT: "port",
    PROCESS: "process",
    DATE: "",
}
"""The general words that replace the user's own names, by kind of noun."""


def _noun(kind: str, match: re.Match[str], question: str) -> Noun | None:
    groups = match.groupdict()
    value = groups.get("value") or match[0]
    sign = unit = ""
    if kind in {SIZE, DURATION, NUMBER}:
        before = question[max(0, match.start() - _NEAR_SIGN) : match.start()]
        sign = "+" if _MORE.search(before) else "-" if _LESS.search(before) else ""
        after = question[match.end() : match.end() + _NEAR_SIGN]
        if not sign and re.match(r" (?:ago|old|or older)\b", after):
            sign = "+"
    if kind == SIZE:
        unit = _UNITS[match["unit"].lower()]
        value = match["count"] + ("" if unit == "c" else unit)
    elif kind == DURATION:
        count = (match["count"] or "").lower()
        if not count and match["unit"].endswith("s"):
            return None
        unit = _TIMES[match["unit"].lower()]
        value = count if count.isdigit() else str(_COUNTS.get(count, 1))
    elif kind == NUMBER:
        word = value.lower()
        value = str(_COUNTS[word]) if word in _COUNTS else re.match(r"\d+", value)[0]  # type: ignore[index]
    elif kind in {PORT, PROCESS}:
        value = match["value"]
    start = match.start("value") if groups.get("value") else match.start()
    before = question[:start]
    is_folder = "." not in value.rpartition("/")[2]
    is_goal = kind == PATH and bool(_GOAL.search(before) or (is_folder and _WITHIN.search(before)))
    return Noun(
        kind, value.rstrip(".,;:?!") if kind != GLOB else value, start, match.end(), sign, unit, is_goal
    )
