"""What stands among the things asked for and is nothing that is known: a slip of the pen, or unknown."""

import re
from collections.abc import Collection, Iterator
from difflib import get_close_matches

from vademecum.desks.composer.lay_words import phrases
from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.reading.request import TAKEN, Request, Span
from vademecum.desks.composer.reading.word_lists import (
    FILE_SYSTEMS,
    NO_SLIPS,
    NO_SOFTWARE,
    NO_SOFTWARE_WITHIN,
    is_noise,
)
from vademecum.desks.composer.wish import Wish

_EXPLICIT = Pattern(
    r"\b(?P<verb>with|install(?:ed)?|add|include|including|packages?|need|want|remove|uninstall|delete|drop|plus)\s+(?:also\s+|both\s+|the\s+|an?\s+|some\s+|following\s+|my\s+|our\s+)*(?:packages?\s*:?\s*|tools?\s*:?\s*|software\s*:?\s*)?(?P<things>[^.;!?\n]{1,400})"
)
_PARTS = Pattern(
    r"\s*(?:,|;|&|\+|/|\band\b|\bor\b|\bplus\b|\bas\s+well\s+as\b|\balong\s+with\b|\btogether\s+with\b)\s*"
)
_FILLERS = Pattern(
    r"^(?:(?:also|both|the|an?|some|any|all|our|my|latest|newest|current|then|please|too|it|its|with|support|for|to|of|package|packages|tool|tools|software|programs?|called|named|server|client|daemon|runtime|extra|additional|basic|standard|usual|common|necessary|working|proper|good|full|simple|small|i|we|want|need|have|has|be|is|are|in|on|by|at|so|that|this|image|template|system|installed|pre-?installed|ready|enabled|out|box|instead|only|just|not|no|without|add|include|install|remove|anyway|regardless|really|new|more|other|own)\b\s*)+"
)
_ANYWAY = Pattern(
    r"\b(?:anyway|regardless|even\s+(?:if|though)\s+(?:it\s+is\s+)?(?:unknown|not\s+known)|from\s+our\s+(?:own\s+)?repositor\w+|exactly\s+that\s+name|i\s+know\s+it\s+exists|it\s+exists)\b"
)
SHAPE = Pattern(r"[a-z0-9][a-z0-9+.-]*[0-9+.-][a-z0-9+.-]*|[a-z0-9]+(?:[-_.+][a-z0-9]+)+", flags=re.ASCII)
"""Looks like the name of a package and of nothing else: with hyphens, dots or digits."""


def read(request: Request, known: Collection[str]) -> Iterator[Wish]:
    """The wishes for what is not known."""
    at = 0
    while found := _EXPLICIT.search(request.left, at):
        at = found.start("things")
        start = found.start("things")
        verb = found["verb"].lower()
        offset = start
        for part in _PARTS.compiled.split(found["things"]):
            place = request.left.find(part, offset) if part else offset
            offset = max(offset, place + len(part))
            if not part:
                continue
            if TAKEN in part and not part.replace(TAKEN, "").strip():
                continue
            yield from _one_unknown(request, part, place, verb, known)
            if _is_clause(part) or len(part.split()) > 6:
                break


def read_beside(request: Request, named: Collection[Span]) -> Iterator[Wish]:
    """What stands in one list with software that is known, and is not known itself: "nginx, frobnicator and loki or graylog"."""
    if not named:
        return
    at = 0
    while at < len(request.text):
        clause = request.clause(at)
        at = max(clause.end + 1, at + 1)
        parts = list(_parts_of(request.text, clause))
        known = [any(one.start < part.end and part.start < one.end for one in named) for part in parts]
        for number, part in enumerate(parts):
            if known[number] or not any(known[max(0, number - 2) : number + 3]):
                continue
            if not number and part.start == clause.start:
                begin = max((one.end() for one in _BEGINS.finditer(request.text, *part)), default=-1)
                if begin < 0:
                    continue
                part = Span(begin, part.end)  # noqa: PLW2901 - only its end belongs to the list
            yield from _beside(request, part)


_BEGINS = Pattern(r"\b(?:with|including|includes?|has|having|running|runs|needs?|wants?|installs?|plus|namely|like)\b|:")  # fmt: skip
_BESIDE = Pattern(r"[A-Za-z][\w+.-]*(?:\s+[A-Za-z][\w+.-]*){0,2}")
_ENDS_OF_PART = Pattern(
    r"\s*\b(?:for|on|in|to|from|that|which|who|so|because|as|with|by|at|of|is|are|if|when|while|please|installed|instead|only|not|no|but)\b|[(:]"
)


def _parts_of(text: str, clause: Span) -> Iterator[Span]:
    start = clause.start
    for one in _PARTS.finditer(text, *clause):
        if one.end() > one.start():
            yield Span(start, one.start())
            start = one.end()
    yield Span(start, clause.end)


def _beside(request: Request, part: Span) -> Iterator[Wish]:
    text = request.left[part.start : part.end]
    begins = len(text) - len(text.lstrip(" (\"'`"))
    fillers = _FILLERS.match(text[begins:])
    begins += fillers.end() if fillers else 0
    ends = _ENDS_OF_PART.search(text, begins)
    body = text[begins : ends.start() if ends else len(text)].strip(" .'\"`()")
    words = body.lower().split()
    if (
        not _BESIDE.fullmatch(body)
        or all(is_noise(one) or one in FILE_SYSTEMS for one in words)
        or (len(words) == 1 and (len(body) < 3 or not request.is_wanted(part.start + begins)))
        or any(one in NO_SOFTWARE_WITHIN for one in words)
    ):
        return
    start = request.left.index(body, part.start + begins)
    if request.is_spared(start):
        return
    shape = {"shape": "package"} if len(words) == 1 else {}
    place = Span(start, start + len(body))
    yield request.wish("unknown", body, place, wanted=request.is_wanted(start), details=shape)


def _is_clause(part: str) -> bool:
    return bool(
        re.search(
            r"\b(?:is|are|should|must|will|can|that|which|so|because|while|when|where|if)\b",
            part,
            re.IGNORECASE,
        )
    )


def _one_unknown(
    request: Request, part: str, place: int, verb: str, known: Collection[str]
) -> Iterator[Wish]:
    text = re.split(TAKEN, part)[0] if not part.startswith(TAKEN) else part.replace(TAKEN, " ")
    fillers = _FILLERS.match(text.strip())
    body = text.strip()[fillers.end() :] if fillers else text.strip()
    body = re.split(
        r"\b(?:for|on|in|to|from|that|which|so|because|as|with|by|at|of|is|are|please|installed|instead|anyway|regardless)\b",
        body,
    )[0].strip(" '\"`()")
    words = body.split()
    if not words or len(words) > 4 or len(body) < 3:
        return
    word = words[0].strip("'\"`,()")
    single = len(words) == 1 or (
        len(words) == 2
        and words[1].lower()
        in {"package", "packages", "server", "daemon", "tool", "tools", "agent", "client"}
    )
    start = request.text.find(word, place)
    if start < 0:
        return
    wanted = request.is_wanted(start)
    if request.is_spared(start):
        return
    span = Span(start, start + len(word))
    if word.lower() in FILE_SYSTEMS:
        return
    if single and re.fullmatch(r"[A-Za-z0-9][\w.+-]*", word):
        near = nearest(word.lower(), known)
        if near:
            yield request.wish(
                "package",
                near,
                span,
                wanted=wanted,
                note=f"{word} is taken for {near}, the nearest known name",
            )
            return
        if _ANYWAY.search(request.text):
            yield request.wish(
                "package", word, span, wanted=wanted, details={"literal": "yes", "anyway": "yes"}
            )
            return
        listed = verb in {
            "install",
            "installed",
            "add",
            "package",
            "packages",
            "include",
            "including",
            "remove",
            "uninstall",
            "delete",
            "drop",
        }
        if (
            SHAPE.fullmatch(word.lower())
            or (listed and not is_noise(word))
            or (verb in {"with", "plus", "need", "want"} and not is_noise(word) and not word[0].isupper())
        ):
            yield request.wish("unknown", word, span, wanted=wanted, details={"shape": "package"})
        return
    whole = Span(start, min(start + len(body), len(request.text)))
    if (
        verb in {"install", "installed", "add", "include", "including", "package", "packages"}
        and TAKEN not in request.left[whole.start : whole.end]
        and wanted
        and not all(is_noise(one) for one in words)
        and words[-1].lower() not in NO_SOFTWARE
    ):
        yield request.wish("unknown", body, whole, wanted=wanted)


def nearest(word: str, known: Collection[str]) -> str:
    """The known name that a misspelt one is nearest to; "" if none is near enough."""
    if not 4 <= len(word) <= 40 or is_noise(word) or word in NO_SLIPS:
        return ""
    pool = [
        one for one in phrases() if " " not in one and abs(len(one) - len(word)) <= 2 and one[0] == word[0]
    ]
    pool += [one for one in known if abs(len(one) - len(word)) <= 1 and one[:1] == word[0] and len(one) > 4]
    close = get_close_matches(word, pool, n=1, cutoff=0.8 if len(word) > 5 else 0.74)
    return close[0] if close else ""
