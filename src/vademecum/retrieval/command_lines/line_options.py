"""Choose the option entries that a command line for a question needs: features and fitted weights.

Unlike `retrieval.documents.entries`, which ranks a page's entries against each other, this module estimates the probability that each entry is typed.
"""

import re
from collections.abc import Sequence
from functools import cache
from math import exp, log1p
from typing import NamedTuple

from vademecum.core.fitted import Trees
from vademecum.retrieval.command_lines.nouns import (
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
)  # fmt: skip
from vademecum.retrieval.command_lines.options import NONE, REQUIRED, Form, forms_of
from vademecum.retrieval.weights import fitted_numbers
from vademecum.text.patterns import Pattern

FEATURES = (
    "share", "words", "cover", "meaning", "tag_meaning", "need", "need_share", "need_words", "asked",
    "first", "second", "near_first", "in_examples", "in_usage", "keyword", "subcommand",
    "noun_fits", "noun_lacks", "no_argument", "negated", "destroys", "is_help", "early", "crowd", "long_only",
    "needs_none", "best_need",
)  # fmt: skip
"""The names of the features, in order. All are from 0 to 1, except `crowd` and `in_examples`, which are logarithms of counts.
`needs_none` is high if the most similar need of the page requires no option, as for `uniq` and "remove duplicate lines"."""

_ARGUMENTS = (
    ("pid process proc.", (PROCESS, NUMBER)),
    ("port.", (PORT, NUMBER)),
    ("mode. perm", (MODE,)),
    ("sig", (SIGNAL, NUMBER)),
    ("size bytes block", (SIZE, NUMBER)),
    ("date time since until string stamp", (DATE, DURATION, TEXT)),
    ("sec interval delay duration min. mins. hours days", (DURATION, NUMBER)),
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

_NEGATION = Pattern(
    r"\b(?:not|never|no|don't|without|suppress|disable|omit|exclude|skip|except|ignore|avoid)\b"
)
DESTROYS = Pattern(
    r"\b(?:delet|remov|overwrit|kill|forc|eras|format|destroy|wipe|purg|discard|truncat|unlink|lock)\w*"
)
_HELP = frozenset({"--help", "--version", "--usage", "-V", "-?", "-help", "-version"})
_BEGINNING = 120


_NOT_TYPED_IN = Pattern(r"EXAMPLE|ENVIRONMENT|FILES\b|EXIT STATUS|SEE ALSO|DIAGNOSTICS")


class LineEntry(NamedTuple):
    """An entry that may be part of a line.

    Attributes:
        tag: Its tag.
        body: The beginning of its text.
        heading: The path of its headings.
        in_examples: The number of lines in the page's examples that use it.
        in_usage: Whether the SYNOPSIS names it.
    """

    tag: str
    body: str
    heading: str
    in_examples: int
    in_usage: bool


def may_be_typed(entry: LineEntry) -> bool:
    """Return whether an entry declares something that is typed."""
    return _NOT_TYPED_IN.search(entry.heading) is None and bool(forms_of(entry.tag))


def fitting(argument: str, nouns: Sequence[Noun]) -> Noun | None:
    """Return the first noun that fits an argument of this name, or None.

    >>> fitting("NUM", [Noun("number", "20", 0, 2)]).value
    '20'
    """
    name = _spaced(argument.lower().replace("timeout", "delay"))
    for parts, kinds in _ARGUMENTS:
        if any(map(name.__contains__, parts.split())):
            goes_there = _GOAL.search(argument) is not None
            fit = [noun for kind in kinds for noun in nouns if noun.kind == kind]
            if not goes_there:
                return next((noun for noun in fit if not noun.is_goal), None)
            return next((noun for noun in fit if noun.is_goal), fit[0] if fit else None)
    return None


def _spaced(name: str) -> str:
    """Return a name between `^` and `$`, with a full stop for whatever ends a word."""
    return f"^{''.join(sign if sign.isalnum() or sign in '_#' else '.' for sign in name)}.$"


def argument_of(tag: str) -> str:
    """Return the name of the argument that a tag declares, or ""."""
    first = re.split(r"\s*\|\s*(?=-)", tag.partition("\n")[0].strip())[0]
    first = re.sub(r"(?<=\w)\[[^\]]*\]\.*$", "", first)
    found = re.search(r"(?:[= <\[\]+]|(?<=-\w))([A-Za-z_][\w-]*)[>\]]?\.*\s*$", first)
    return found[1] if found and not found[1].startswith("-") else ""


def main_form(entry: LineEntry) -> Form | None:
    """Return the form of an entry that is typed: the short one if there is one, otherwise the first."""
    forms = forms_of(entry.tag)
    return next((form for form in forms if re.fullmatch(r"-\w", form.name)), forms[0] if forms else None)


def features_of_line(  # noqa: PLR0917 - what is measured comes from many sides
    question: str,
    nouns: Sequence[Noun],
    entries: Sequence[LineEntry],
    measured: Sequence[Sequence[float]],
    names: Sequence[str],
    shares: Sequence[float],
) -> list[tuple[float, ...]]:
    """Return each entry's features, in the order of `FEATURES`.

    Args:
        question: The question.
        nouns: The nouns of the question.
        entries: The entries of one page, in reading order.
        measured: The features of each entry from `retrieval.documents.entries`.
        names: The names of these features.
        shares: The score of each entry as a share of the page's best, from 0 to 1.
    """
    at = {name: number for number, name in enumerate(names)}
    order = sorted(range(len(entries)), key=lambda place: -shares[place])
    rank = {place: number for number, place in enumerate(order)}
    is_negative = _NEGATION.search(question) is not None
    asks_destruction = DESTROYS.search(question) is not None
    most = max((measures[at["need_share"]] for measures in measured), default=0.0)
    best_need = max((measures[at["need"]] for measures in measured), default=0.0) / most if most else 0.0
    found = []
    for place, (entry, measures) in enumerate(zip(entries, measured, strict=True)):
        form = main_form(entry)
        name = form.name if form else ""
        takes = form is not None and form.argument == REQUIRED
        noun = fitting(argument_of(entry.tag), nouns) if takes else None
        beginning = entry.body[:_BEGINNING]
        found.append(
            (
                shares[place],
                *(
                    measures[at[measure]]
                    for measure in (
                        "words",
                        "cover",
                        "meaning",
                        "tag_meaning",
                        "need",
                        "need_share",
                        "need_words",
                        "asked",
                    )
                ),
                float(rank[place] == 0),
                float(rank[place] == 1),
                1 / (1 + rank[place]),
                log1p(entry.in_examples),
                float(entry.in_usage),
                float(name.endswith("=")),
                float(name[:1].isalpha() and not name.endswith("=")),
                float(takes and noun is not None),
                float(takes and noun is None),
                float(form is not None and form.argument == NONE),
                float(bool(_NEGATION.search(beginning)) != is_negative),
                float(bool(DESTROYS.search(beginning)) and not asks_destruction),
                float(name in _HELP),
                1 / (1 + place),
                log1p(len(entries)),
                float(name.startswith("--")),
                1 - most,
                best_need,
            )
        )
    return found


@cache
def _fitted() -> tuple[Trees, float, float]:
    fitted = fitted_numbers("line_options")
    return Trees(fitted["trees"], fitted["features"]), fitted["threshold"], fitted["share_of_best"]


def chances_of(features: Sequence[Sequence[float]]) -> list[float]:
    """Return the probability that each entry is part of the line. The weights are fitted by `training/line_options.py`."""
    trees, _, _ = _fitted()
    return [1 / (1 + exp(-trees(row))) for row in features]


def least_chance(chances: Sequence[float]) -> float:
    """Return the minimum probability of an entry that belongs in the line, given those of all entries of the page."""
    _, threshold, share = _fitted()
    return max(threshold, share * max(chances, default=0.0))
