"""A request as it is read: what is understood is taken out of it, stretch by stretch, so that nothing is understood twice."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from vademecum.desks.composer.negation import negated
from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.wish import Kind, Secret, Wish

TAKEN = "\x01"
"""Stands for each character that has been understood. It is no white space, so that no phrase reaches over it."""

_ENDS = Pattern(r"[.!?](?=\s|$)|[;\n]|\s[-–—]\s", flags=0)

_VERBS = (
    r"(?:add|install|include|put|set|change|make|rename|create|use|give|resize|increase|grow|replace|enable|turn\s+on|append|switch|keep|"
    r"shrink|reduce|extend|enlarge|move|name|call|mount|swap|bump|update|configure|want|need|i\s+want|i\s+need|we\s+need|also|instead)"
)
_REMOVALS = Pattern(
    r"\b(?:remove|delete|uninstall|purge|get\s+rid\s+of|take\s+out|take\s+away|taking\s+out|strip(?:\s+out)?|kick\s+out|eliminate|ditch|"
    r"throw\s+out|rip\s+out|erase|unset|removing|deleting|leave\s+out|omit|drop|dropping|lose|disable|turn\s+off|switch\s+off|deactivate|"
    r"no\s+longer\s+(?:need|want|have|include)s?|(?:take|kick|throw|leave|pull|rip|get|strip|boot|keep)\s+(?=(?:[\w.+-]+[\s,]+){1,5}?out\b)|"
    r"(?:ha[sd]|have|is|are|do|does|must|should|shall|may|can|will|would)(?:n't|\s+not)\s+(?:got|have|include|contain|come\s+with|ship|carry|bring|put)(?:\s+any)?|"
    r"stop\s+(?:installing|shipping|including)|do\s+away\s+with|free\s+of)\b"
)
_REMOVAL_ENDS = Pattern(
    rf"[.;!?](?=\s|$)|\n|\bbut\b|\b(?:and|then|,)\s+(?:then\s+|also\s+|please\s+|instead\s+)*{_VERBS}\b|,\s*{_VERBS}\b|\b(?:in\s+favou?r\s+of|with)\b"
)
_TRAILING = Pattern(
    r"(?P<things>(?:the\s+|both\s+)?[\w.+=-]+(?:(?:\s*,\s*|\s+and\s+|\s+or\s+|\s+)(?:the\s+)?[\w.+=-]+){0,4}?)\s+"
    r"(?:(?:(?:is|are)(?:\s+not|n't|\s+no\s+longer)|(?:do|does)(?:\s+not|n't)\s+(?:have\s+to|need\s+to)\s+be|need\s+not\s+be)\s+(?:really\s+|actually\s+)?(?:needed|wanted|required|necessary|of\s+use|useful|welcome|there|in\s+it)"
    r"|(?:can|must|may|should|has\s+to|have\s+to|needs\s+to|need\s+to)\s+(?:all\s+|both\s+)?(?:go|leave|disappear|be\s+(?:removed|deleted|dropped|left\s+out|taken\s+out|uninstalled))\b|out\b(?=\s*(?:$|[,.;!]|please)))"
)
_WANTED_AFTER = Pattern(
    r"[\w.+-]*\s+(?:(?:must|should|shall|has\s+to|have\s+to|needs?\s+to)\s+(?:be\s+)?(?:there|in\s+it|installed|included|present|available|stay|remain)|(?:is|are)\s+(?:needed|wanted|required|a\s+must))\b"
)
_WANTED_BEFORE = Pattern(
    r"\b(?:yes\s+to|no\s+\w+\s+(?:\w+\s+)?than|nothing\s+(?:but|except)|nothing\s+(?:\w+\s+)?than|only|just|instead\s+with|but\s+with|rather)\s+(?:an?\s+|the\s+)?$"
)
_SPARED = Pattern(r"\bbut\s+(?:not|keep|leave(?!\s+out)|spare)\s+(?P<things>[^.;!?\n]+)")
_OTHER_THING = Pattern(
    r"\b\d+(?:[.,]\d+)?\s?(?:[kmgt]i?b?|gigs?|gigabytes?|megabytes?)\b|\b(?:hostname|host\s+name|user|disk|partition|image)\b"
)
_MINUS = Pattern(r"(?:(?<=\s)|^)-(?=[A-Za-z][\w.+-]+(?:\s|,|$))", flags=0)
_OFF = Pattern(r"disable|turn\s+off|switch\s+off|deactivate")


_AFTER = Pattern(
    r"(?P<thing>(?:(?:secure\s|disk\s|drive\s|root\s|auto\s)(?=\w+\s))?[\w.+/=-]+)\s+(?:is\s+|are\s+|being\s+|all\s+|both\s+|completely\s+)*"
    r"(?:removed|disabled|turned\s+off|switched\s+off|deactivated|excluded|left\s+out|stripped(?:\s+out)?|uninstalled|taken\s+out|forbidden)\b"
)


class Span(NamedTuple):
    """A stretch of a request."""

    start: int
    end: int


class Request:
    """A request while it is read.

    Attributes:
        text: As said, its passwords already replaced by marks.
        left: The same, what has been understood blotted out.
        in_session: Whether there is a template in work.
        secrets: The passwords, by their marks.
    """

    def __init__(
        self, text: str, *, in_session: bool = False, secrets: dict[str, Secret] | None = None
    ) -> None:
        self.text = text
        self.left = text
        self.in_session = in_session
        self.secrets = secrets or {}
        self._negated = list(_ruled_out(text))
        self._removed: list[Span] = [_reach(text, one) for one in _TRAILING.finditer(text)]
        self._removed += [
            Span(one.end(), text.find(" ", one.end()) if " " in text[one.end() :] else len(text))
            for one in _MINUS.finditer(text)
        ]
        self._after = [Span(*one.span("thing")) for one in _AFTER.finditer(text)]
        self._spared: list[Span] = []
        self._off: list[Span] = []
        for one in _REMOVALS.finditer(text):
            end = _REMOVAL_ENDS.search(text, one.end())
            span = Span(one.end(), end.start() if end else len(text))
            (self._off if _OFF.match(one[0]) else self._removed).append(span)
        if self._removed:
            self._spared = [Span(*one.span("things")) for one in _SPARED.finditer(text)]

    def find(self, pattern: Pattern) -> Iterator[re.Match[str]]:
        """The matches in what is left; what a match's user takes is gone for the next one."""
        at = 0
        while found := pattern.search(self.left, at):
            yield found
            at = found.end() if found.end() > found.start() else found.end() + 1

    def speaks_of(self, *words: str) -> bool:
        """Whether any of some words, or parts of words, are left. It spares the patterns of whole subjects."""
        lowered = self.left.lower()
        return any(word in lowered for word in words)

    def take(self, start: int, end: int) -> None:
        """Blot out a stretch."""
        self.left = self.left[:start] + TAKEN * (end - start) + self.left[end:]

    def clause(self, at: int) -> Span:
        """The clause that a place stands in: from one full stop, semicolon or line end to the next."""
        start = max((one.end() for one in _ENDS.finditer(self.text, 0, at)), default=0)
        end = _ENDS.search(self.text, at)
        return Span(start, end.start() if end else len(self.text))

    def is_wanted(self, at: int) -> bool:
        """Whether a thing that is named at a place is wanted; not under a negation or a verb that takes away."""
        if any(one.start <= at < one.end for one in self._after):
            return False
        if not any(one.start <= at < one.end for one in (*self._negated, *self._removed)):
            return True
        if any(one.start <= at < one.end for one in self._removed):
            return False
        return bool(
            _WANTED_AFTER.match(self.text, at) or _WANTED_BEFORE.search(self.text[max(0, at - 40) : at])
        )

    @property
    def spared(self) -> tuple[tuple[int, int], ...]:
        """Stretches that only name what stays."""
        return tuple((one.start, one.end) for one in self._spared)

    def is_spared(self, at: int) -> bool:
        """Whether a thing is only named to say that it stays."""
        return any(one.start <= at < one.end for one in self._spared)

    def is_negated(self, at: int) -> bool:
        """Whether a place stands under a negation (and not merely after a verb that takes away)."""
        return any(one.start <= at < one.end for one in self._negated)

    def is_removed(self, at: int) -> bool:
        """Whether a place stands after a verb that takes away."""
        return any(one.start <= at < one.end for one in self._removed)

    def is_off(self, at: int) -> bool:
        """Whether a thing that can be on or off shall be off."""
        return not self.is_wanted(at) or any(one.start <= at < one.end for one in self._off)

    def wish(
        self,
        kind: Kind,
        value: str,
        found: re.Match[str] | Span,
        *,
        wanted: bool = True,
        details: dict[str, str] | None = None,
        note: str = "",
        secret: Secret | None = None,
    ) -> Wish:
        """A wish of some words, which are taken out."""
        start, end = (found.start(), found.end()) if isinstance(found, re.Match) else found
        said = " ".join(self.text[start:end].split()).strip(" ,;:.")
        self.take(start, end)
        return Wish(kind, value, wanted, said, start, details or {}, note, secret)


_ONE_THING = Pattern(r"\s+(?:is|isn't|does|doesn't|has|needs)\b")
_LAST_JOINT = Pattern(r".*(?:,|\band\b)\s*")
_LAST_COMMA = Pattern(r".*,\s*")
_JOINED = Pattern(r"\b(?:and|or)\b")


def _reach(text: str, found: re.Match[str]) -> Span:
    """How far back a verb behind its things reaches: "nginx and docker can go" takes out two, "nginx and docker is not needed" one."""
    start, end = found.span("things")
    joint = None
    if _ONE_THING.match(text, end):
        joint = _LAST_JOINT.match(found["things"])
    elif not _JOINED.search(found["things"]):
        joint = _LAST_COMMA.match(found["things"])
    return Span(start + (joint.end() if joint else 0), end)


def _ruled_out(text: str) -> Iterator[Span]:
    """The stretches that a negation governs: up to something of another kind ("without ostree, 8 GiB and htop" rules out one thing)."""
    ended: set[int] = set()
    for one in negated(text):
        if _OTHER_THING.search(one.words) and len(one.words.split()) > 1:
            ended.add(one.negation)
        if one.negation not in ended:
            yield Span(one.start, one.end)


def unquoted(text: str) -> str:
    """A word without the quotes around it."""
    text = text.strip()
    return text[1:-1].strip() if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`" else text


QUOTED = r"\"[^\"]{0,200}\"|'[^'\n]{0,120}'|`[^`\n]{0,120}`"
"""Matches a text in quotes."""

LIST_JOIN = r"(?:\s*,\s*(?:and\s+|or\s+|&\s*)?|\s+(?:and|or)\s+|\s*&\s*|\s*\+\s*)"
"""Matches what stands between the parts of a list."""
