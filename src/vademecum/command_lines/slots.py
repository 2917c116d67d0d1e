"""Slots of a line: fill them with the values that a question names, each written as its place requires."""

import re
from collections.abc import Iterable, Sequence

from vademecum.command_lines.nouns import (
    DATE,
    DURATION,
    GLOB,
    HOST,
    MODE,
    NAME,
    NUMBER,
    PATH,
    PORT,
    PROCESS,
    SIGNAL,
    SIZE,
    TEXT,
    Noun,
    nouns_of,
)  # fmt: skip
from vademecum.retrieval.english import english
from vademecum.text.patterns import Pattern
from vademecum.text.words import STOP_WORDS, number, stem

SLOT = Pattern(
    r"(?:(?<![A-Za-z0-9_$%{-])|(?<=size -))[A-Z][A-Z_]*[A-Z][0-9]?(?![A-Za-z0-9_])|(?:(?<![\w$%{-])|(?<=time -)|(?<=min -)|(?<=size -))N[0-9]?(?![\w;])",
    flags=0,
)
"""A slot of a line."""

_ARGUMENTS = (
    ("pid process proc.", (PROCESS, NUMBER)),
    ("port.", (PORT, NUMBER)),
    ("mode. perm", (MODE,)),
    ("sig", (SIGNAL, NUMBER)),
    ("size bytes block", (SIZE, NUMBER)),
    ("date time since until string stamp", (DATE, DURATION, TEXT)),
    ("sec interval delay duration min. mins. hours days", (DURATION, NUMBER)),
    ("percent", (NUMBER,)),
    ("num count line. lines. level. levels. column col width depth procs max jobs length digits ^#", (NUMBER, DURATION)),
    ("^n.$", (SIZE, DURATION, NUMBER)),
    ("pattern glob regex expr suffix ext", (GLOB, TEXT, PATH)),
    ("url host address addr destination server remote ip.", (HOST, NAME)),
    ("user login owner group name unit package pkg service cmdlist command list", (NAME, TEXT, GLOB)),
    ("dir folder start", (PATH,)),
    ("file path archive src source dest target output input ^name.$ member", (PATH, GLOB)),
    ("string text word value msg message sep delim char", (TEXT, NAME)),
)  # fmt: skip
"""Parts of the names of arguments (`.` ends a word, `^` begins and `$` ends the name), and the kinds of noun that fit."""

_GOAL = Pattern(r"dir|dest|target|path|start|outfile|folder|archive")
"""Names of arguments that are a destination or a place to search."""

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "M": 2592000, "y": 31536000}
_UNITS = (
    (Pattern(r"-[acm]time [+-]?$", flags=0), "d"),
    (Pattern(r"-[acm]min [+-]?$", flags=0), "m"),
    (Pattern(r"\b(?:sleep|timeout|watch -n|ping -i) $", flags=0), "s"),
)
"""The units of the numbers after some options and commands."""

_SUFFIX = Pattern(r"(?:\*?\.)?(\w{1,6})", flags=0)
"""The extension of a file, or a pattern of one."""

_SUFFIXES = "smhd"
"""The units of durations that commands take, such as `sleep 2h`."""

_UNIT_AFTER = Pattern(r" (second|minute|hour|day|week|month|year)s?\b", flags=0)
_QUOTES = "'\"`‘“"
_SIGNED = Pattern(r"-(?:size|[acm]time|[acm]min) ([+-]?)(?=[A-Z])", flags=0)
_EXTENSION = Pattern(r"\.?(?:tar\.)?(?:gz|xz|bz2|zst|zip|tgz|csv|json|txt|pdf|log)", flags=0)
_COMMON, _MOST_CONVERTED = 0.02, 1000
"""The share of windows of English text that contain a word that is not a name; the limit of a converted duration."""

_COMPARED = Pattern(r"-(?:size|[acm]time|[acm]min) $", flags=0)
"""Options whose number takes `+` for more and `-` for less."""

_IS_PATTERN = Pattern(r"PATTERN|TEXT", flags=0)


def slots_of(line: str) -> list[str]:
    """Return the slots of a line, in order."""
    return [slot[0] for slot in SLOT.finditer(line)]


def filled(line: str, question: str) -> str:
    """Return a line with the question's values in its slots. A slot that nothing fits stays; "" if a value contradicts the line.

    >>> filled("find DIR -type f -mtime +N", "files older than 2 weeks in /var")
    'find /var -type f -mtime +14'
    """
    nouns = [noun for noun in nouns_of(question) if _is_value(noun, line, question)]
    if any(
        sign and noun.sign and sign != noun.sign
        for sign, noun in zip(_SIGNED.findall(line), _signed(nouns), strict=False)
    ):
        return ""

    def fill(slot: re.Match[str]) -> str:
        name = slot[0].rstrip("0123456789").rpartition("_")[2]
        before, after = line[: slot.start()], line[slot.end() :]
        value = _taken("NUM" if name == "N" else name, before, after, nouns)
        return slot[0] if value is None else value.strip("'") if before.count("'") % 2 else value

    return SLOT.sub(fill, line)


def _signed(nouns: Iterable[Noun]) -> list[Noun]:
    return [noun for noun in nouns if noun.kind in {SIZE, DURATION}]


def _is_value(noun: Noun, line: str, question: str) -> bool:
    """Return whether a noun is a value: no word of general English unless it is quoted, no command of the line, and no bare extension."""
    if noun.kind in {NAME, TEXT}:
        is_quoted = question[noun.start] in _QUOTES
        is_common = (
            noun.value.lower() in STOP_WORDS or english().share(number(stem(noun.value.lower()))) >= _COMMON
        )
        return noun.value not in line.split() and (is_quoted or not is_common)
    return not _EXTENSION.fullmatch(noun.value) and not (noun.kind == PATH and noun.value in line.split())


def _taken(name: str, before: str, after: str, nouns: list[Noun]) -> str | None:
    """Take the first value that fits a slot, and return it as it is typed between `before` and `after`; None if there is none."""
    noun = fitting(name, nouns)
    if noun is None:
        return None
    value = noun.value
    if noun.kind == DURATION:
        unit = next((unit for pattern, unit in _UNITS if pattern.search(before)), "")
        if not unit and (said := _UNIT_AFTER.match(after)):
            unit = "M" if said[1] == "month" else said[1][0]
        if name == "DURATION":
            unit = noun.unit if noun.unit in _SUFFIXES else "d"
            amount = f"{converted}{unit}" if (converted := _converted(noun, unit)) else None
        else:
            amount = _converted(noun, unit) if unit else None
        if amount is None:
            return None
        value = amount
    elif name == "PERCENT":
        value = f"{value}%"
    elif name == "EXTENSION":
        value = _SUFFIX.fullmatch(value)[1] if _SUFFIX.fullmatch(value) else ""  # type: ignore[index]
        if not value:
            return None
    elif noun.kind == GLOB and _IS_PATTERN.search(name):
        value = f"'{value}'"  # a pattern is for the command; elsewhere the shell expands it
    elif noun.kind in {TEXT, DATE} and re.search(r"[^\w./:-]", value):
        value = "'{}'".format(value.replace("'", "'\\''"))
    nouns.remove(noun)
    return noun.sign + value if _COMPARED.search(before) else value


def _converted(noun: Noun, unit: str) -> str | None:
    """Return the amount of a duration in a unit, as in `Noun.unit`; None if it is not a whole number."""
    amount = int(noun.value) * _SECONDS.get(noun.unit, 0) / _SECONDS[unit] if noun.value.isdigit() else 0.0
    return str(int(amount)) if amount.is_integer() and 0 < amount < _MOST_CONVERTED else None


def fitting(argument: str, nouns: Sequence[Noun]) -> Noun | None:
    """Return the first noun that fits an argument of this name, or None.

    >>> fitting("NUM", [Noun("number", "20", 0, 2)]).value
    '20'
    """
    fit = [noun for kind in kinds_of(argument) for noun in nouns if noun.kind == kind]
    first = next((noun for noun in fit if noun.is_goal == bool(_GOAL.search(argument))), None)
    return first or (fit[0] if fit and _GOAL.search(argument) else None)


def kinds_of(argument: str) -> tuple[str, ...]:
    """Return the kinds of noun that fit an argument of this name, such as a slot; empty for an unknown name."""
    name = _spaced(argument.lower().replace("timeout", "delay"))
    return next((kinds for parts, kinds in _ARGUMENTS if any(map(name.__contains__, parts.split()))), ())


def _spaced(name: str) -> str:
    """Return a name between `^` and `$`, with a full stop for whatever ends a word."""
    return f"^{''.join(sign if sign.isalnum() or sign in '_#' else '.' for sign in name)}.$"
