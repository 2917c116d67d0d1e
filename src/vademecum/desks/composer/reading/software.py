"""Software: by the names of packages, by what people call it, and with slips of the pen. What is not known is named, too."""

import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

from vademecum.desks.composer.lay_words import phrases
from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.reading import unknown
from vademecum.desks.composer.reading.request import TAKEN, Request, Span
from vademecum.desks.composer.reading.unknown import SHAPE
from vademecum.desks.composer.reading.word_lists import COMMON, ENDS, FILE_SYSTEMS, NO_SLIPS, STEMS, is_noise
from vademecum.desks.composer.wish import Wish

_PURPOSE = Pattern(
    r"\b(?:for|as|used\s+(?:as|for)|acting\s+as|serves?\s+as|that\s+(?:acts|serves)\s+as|kind\s+of|type\s+of)\s+(?:an?\s+|the\s+|our\s+|my\s+)?(?:(?!(?:with|and|plus|including|running|having|has|needs?)\b)[\w-]+\s+){0,2}$"
)
_ASKING = Pattern(
    r"\b(?:with|plus|including|include[sd]?|install(?:ed|s|ing)?|add(?:ed|ing)?|having|has|have|contain(?:s|ing)?|need(?:s|ed|ing)?|want(?:s|ed)?|wants?|running|runs|run|get|gets|put|bring|ship(?:s|ping)?|"
    r"comes?|bundl\w+|pre-?install\w*|provid\w+|support(?:s|ing)?|require[sd]?|use[sd]?|using|enable[sd]?|give|also|packages?|tools?|software|programs?|on\s+it|on\s+top|remove|delete|drop|uninstall|without|no|not|replace[sd]?|instead\s+of|swap|"
    r"to\s+have|equipped|features?|featuring|offer(?:s|ing)?|host(?:s|ing)?|serv(?:es|ing)|throw\s+in|toss\s+in|and|or|both|yes\s+to|like|such\s+as|e\.g\.|namely|:|,|&|\+)\s*(?:also\s+|both\s+|the\s+|an?\s+|some\s+|any\s+|all\s+|our\s+|my\s+|latest\s+|both\s+|packages?\s+|in\s+)*$"
)
_LIST_END = Pattern(
    r"\s*(?:$|[.,;:!?)&+/]|and\b|or\b|plus\b|with\b|for\b|on\b|in\b|to\b|installed\b|pre-?installed\b|packages?\b|tools?\b|enabled\b|support\b|running\b|please\b|but\b|from\b|as\b|server\b|client\b|too\b|also\b|software\b|"
    rf"which\b|that\b|so\b|runtime\b|library\b|libraries\b|agent\b|daemon\b|service\b|instead\b|while\b|without\b|{TAKEN})"
)
_NAME = Pattern(r"(?<![\w./:@=-])[A-Za-z0-9][A-Za-z0-9+_.-]*[A-Za-z0-9+](?![\w@=])", flags=re.ASCII)
_REPLACE = Pattern(
    r"\b(?:rather|prefer)\s+(?:to\s+)?(?:have\s+|use\s+|take\s+)?(?P<new3>[\w.+-]+)\s+(?:than|over|to|instead\s+of)\s+(?P<old3>[\w.+-]+)|\b(?:replace|swap(?:\s+out)?|exchange|substitute)\s+(?:the\s+)?(?P<old>[\w.+ -]{1,40}?)\s+(?:with|by|for|against)\s+(?:the\s+)?(?P<new>[\w.+-]+(?:\s+[\w.+-]+)?)|\b(?:switch|change|migrate|move)\s+(?:over\s+)?from\s+(?P<old2>[\w.+ -]{1,40}?)\s+to\s+(?P<new2>[\w.+-]+(?:\s+[\w.+-]+)?)"
)


def read(request: Request, known: Collection[str]) -> Iterator[Wish]:
    """The wishes about software.

    Args:
        request: What is left of it.
        known: Names of packages that the library and the package indexes have.
    """
    yield from _replaced(request, known)
    yield from _desktop(request)
    found = [*_by_name(request, known), *_by_phrase(request)]
    found += _misspelt(request)
    yield from sorted(found, key=lambda one: one.start)
    named = [Span(one.start, one.start + len(one.said)) for one in found]
    yield from unknown.read(request, known)
    yield from unknown.read_beside(request, named)


def _replaced(request: Request, known: Collection[str]) -> Iterator[Wish]:
    for found in request.find(_REPLACE):
        newer = found["new"] or found["new2"] or found["new3"]
        old = _term(found["old"] or found["old2"] or found["old3"], known)
        new = _term(newer, known)
        if old and not new:  # two words were read where one is meant
            first = newer.split()[0]
            new = _term(first, known)
        if not old or not new:
            continue
        said = " ".join(found[0].split())
        start, end = found.span()
        if len(newer.split()) > 1 and not _term(newer, known):
            end = start + found[0].lower().rfind(first := newer.split()[0].lower()) + len(first)
        request.take(start, end)
        yield Wish("package", old, wanted=False, said=said, start=start, details={"op": "replace"})
        yield Wish(
            "package", new, wanted=True, said=said, start=start, details={"op": "replace", "instead": old}
        )


def _term(words: str | None, known: Collection[str]) -> str:
    """The concept or package that some words name; "" if none."""
    text = " ".join((words or "").lower().split()).strip(" .,'\"`")
    text = re.sub(r"^(?:the|an?|package|server)\s+|\s+(?:package|packages|server|daemon|service)$", "", text)
    if text in phrases():
        return text
    return text if text in known else ""


def _by_phrase(request: Request) -> Iterator[Wish]:
    for found in list(_spoken(request.left)):
        words = " ".join(request.left[found.start : found.end].lower().split())
        before = request.text[: found.start]
        behind = _RELEASE.match(request.left, found.end)
        if (
            words in COMMON
            and not behind
            and not (
                _ASKING.search(before[-60:])
                and _LIST_END.match(request.text, found.end)
                and not _PURPOSE.search(before[-50:])
            )
        ):
            continue
        if request.is_spared(found.start):
            request.take(*found)
            continue
        if _LIKE.match(request.text, found.end) and request.is_wanted(found.start):
            continue
        place = Span(found.start, behind.end()) if behind else found
        release = {"release": behind["release"]} if behind else None
        yield request.wish("package", words, place, wanted=request.is_wanted(found.start), details=release)


_RELEASE = Pattern(
    r"\s+(?:v|version\s+|release\s+)?(?P<release>\d{1,3}(?:\.\d{1,3}){0,3})(?:\.x|\+)?(?=\s*(?:$|[,;)&]|\.(?:\s|$)|(?:and|or|with|plus|on|for|from|in|toolchains?|server|runtime|database)\b))"
)
_LIKE = Pattern(r"\s*[-/]?(?:based|like|compatible|style|free|less)\b|[/=]")
_TOKEN = Pattern(r"[A-Za-z0-9][\w+.']*(?:-[\w+.]+)*", flags=0)
_LONGEST = 5
"""Words of a phrase."""


def _spoken(text: str) -> Iterator[Span]:
    """The phrases in a text, the longest where several begin."""
    known = phrases()
    words = [
        (one[0].lower().rstrip(".'"), one.start(), one.start() + len(one[0].rstrip(".'")))
        for one in _TOKEN.finditer(text)
    ]
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            stretch = words[at : at + length]
            start, end = stretch[0][1], stretch[-1][2]
            between = text[start:end]
            said = " ".join(between.lower().split())
            if said not in known and length == 1 and "-" not in said:
                said = said.removesuffix("s") if said.endswith("servers") else said
            if said in FILE_SYSTEMS:
                continue
            if (
                said in known
                and TAKEN not in between
                and "\n" not in between
                and text[end : end + 1] not in {"@", "="}
                and (
                    text[start - 1 : start] not in {"/", "@", "=", "-", "."}
                    or (text[start - 1 : start] == "-" and text[start - 2 : start - 1] in {"", " "})
                )
            ):
                yield Span(start, end)
                at += length - 1
                break
        at += 1


_DESKTOP = Pattern(rf"{TAKEN}\s+(?:\w+\s+)?(?P<desktop>desktop|workstation)\b(?!\s*-)")


def _desktop(request: Request) -> Iterator[Wish]:
    """Read the name of a distribution with the word behind it: an Ubuntu desktop."""
    for found in request.find(_DESKTOP):
        place = Span(*found.span("desktop"))
        yield request.wish("package", "desktop", place, wanted=request.is_wanted(place.start))


def _by_name(request: Request, known: Collection[str]) -> Iterator[Wish]:
    """Names of packages that are no words of the language: `docker-ce`, `libvirt-daemon-system`."""
    for found in request.find(_NAME):
        word = found[0]
        name = word if word in known else word.lower()
        if (joined := _WITH_RELEASE.fullmatch(name)) and name not in known and joined["name"] in phrases():
            yield request.wish(
                "package",
                joined["name"],
                found,
                wanted=request.is_wanted(found.start()),
                details={"release": joined["release"]},
            )
            continue
        is_known = name in known or name in known_names() or is_plausible(name, known)
        if request.is_spared(found.start()):
            continue
        if (
            not is_known
            or name in phrases()
            or not (SHAPE.fullmatch(name.lower()) or _stands_in_list(request, found))
        ):
            continue
        yield request.wish(
            "package",
            name,
            found,
            wanted=request.is_wanted(found.start()),
            details={"literal": "yes", **({} if name in known else {"plausible": "yes"})},
        )


_WITH_RELEASE = Pattern(
    r"(?!python|php|lua|ruby|perl|tcl)(?P<name>[a-z]{3,})-?(?P<release>\d+(?:\.\d+)+)", flags=0
)
"""nginx1.29"""


def _stands_in_list(request: Request, found: re.Match[str]) -> bool:
    before = request.text[: found.start()]
    previous = re.search(r"([\w.+-]+)[ ,]+$", before)
    beside = (
        _ASKING.search(before[-60:])
        or (previous and previous[1] in known_names())
        or request.left[: found.start()].rstrip(" ,+&").endswith(TAKEN)
    )
    following = _NAME.match(request.text, found.end() + 1)
    ends = _LIST_END.match(request.text, found.end()) or (
        following and (following[0] in known_names() or following[0].lower() in phrases())
    )
    return bool(beside and ends and not _PURPOSE.search(before[-50:]) and len(found[0]) > 1)


@cache
def known_names() -> frozenset[str]:
    """Names of packages that distributions are known to have, beside those of the tables."""
    text = Path(__file__).parents[1].joinpath("known_names.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


_PARTS = Pattern(r"[-_.](?=[a-z0-9])", flags=0)


def is_plausible(name: str, known: Collection[str]) -> bool:
    """Whether a name is built as those of packages are, on something that is one: `python3-certbot-nginx`, `postgresql-17-postgis-3`."""
    first, *rest = _PARTS.split(name)
    if not rest or not SHAPE.fullmatch(name):
        return False
    if (
        first in STEMS
        or (first.startswith("lib") and len(first) > 4)
        or (first in phrases() and " " not in first and rest[-1] in ENDS)
    ):
        return True
    return first in known and rest[-1] in ENDS


def _misspelt(request: Request) -> Iterator[Wish]:
    """Names with one slip of the pen (two letters swapped, one too many, too few or wrong), where things are asked for."""
    for found in request.find(_NAME):
        word = found[0].lower()
        if (
            not 4 <= len(word) <= 24
            or is_noise(word)
            or word in NO_SLIPS
            or not word.isalpha()
            or not _ASKING.search(request.text[: found.start()][-60:])
        ):
            continue
        near = next((one for one in _slips(word) if len(one) > 4 and one in phrases() and " " not in one), "")
        if near and near not in COMMON:
            yield request.wish(
                "package",
                near,
                found,
                wanted=request.is_wanted(found.start()),
                note=f"{found[0]} is taken for {near}, the nearest known name",
            )


_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def _slips(word: str) -> Iterator[str]:
    """Everything that is one slip away from a word; what begins with another letter is left out."""
    for at in range(1, len(word)):
        yield word[:at] + word[at + 1 :]
        if at + 1 < len(word):
            yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    for at in range(1, len(word) + 1):
        for letter in _LETTERS:
            yield word[:at] + letter + word[at:]
            if at < len(word):
                yield word[:at] + letter + word[at + 1 :]
