"""What things are called: the host, the image, its version and description."""

import re
from collections.abc import Iterator

from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.reading.request import QUOTED, Request, unquoted
from vademecum.desks.composer.wish import Kind, Wish

_VALUE = rf"(?P<value>{QUOTED}|[A-Za-z0-9][\w.-]*[\w]|[A-Za-z0-9])"
_IS = r"(?:\s*(?:(?:(?:should|must|shall|will|ought\s+to|has\s+to)\s+(?:be|read)|is|to|be|of|as|called|named|set\s+to|becomes|zu|auf|ist|est|à|es)\b|=|:)\s*)*"
_HOST_NOUN = r"(?:host\s?-?name|node\s?name|machine\s+name|computer\s+name|system\s+name|host)"
_MACHINE = r"(?:machines?|hosts?|box(?:es)?|servers?|computers?|nodes?|devices?|system|vm|appliance|gateway)"
_HOST: tuple[Pattern, ...] = (
    Pattern(rf"\b(?:rename\s+the\s+host|change\s+(?:the\s+)?{_HOST_NOUN})\s+(?:name\s+)?(?:from\s+[\w.\"'-]+\s+)?(?:in)?to\s+{_VALUE}"),
    Pattern(rf"\b(?:host\s?-?name|node\s?name|machine\s+name|computer\s+name|system\s+name)\b(?:\s+(?:of|for)\s+(?:the\s+|this\s+)?(?:{_MACHINE}|image|it))?{_IS}\s*{_VALUE}"),
    Pattern(rf"\b{_VALUE}\s+(?:as|for)\s+(?:the\s+|its\s+)?(?:host\s?-?name|node\s?name|machine\s+name)\b"),
    Pattern(rf"\b(?:call|name)\s+(?:the\s+|this\s+|my\s+|our\s+)?{_MACHINE}\s+{_VALUE}"),
    Pattern(rf"\b{_MACHINE}\s+(?:is\s+|should\s+be\s+|must\s+be\s+|shall\s+be\s+|to\s+be\s+|ought\s+to\s+be\s+|are\s+)?(?:called|named)\s+{_VALUE}"),
    Pattern(rf"\brename\s+(?:the\s+|this\s+)?{_MACHINE}\s+to\s+{_VALUE}"),
    Pattern(rf"\bhost\s+{_VALUE}(?=\s*(?:$|[.,;]|with\b|and\b))"),
)  # fmt: skip
_ON_NETWORK = r"(?=\s+(?:on|in|within)\s+(?:the|our|my)\s+(?:network|lan|dns|net)\b)"
_HOST += (
    Pattern(
        rf"\b(?:be\s+)?(?:called|named|known\s+as|known\s+by|name\s+it|call\s+it|calls?\s+itself)\s+{_VALUE}{_ON_NETWORK}"
    ),
    Pattern(
        rf"\b(?:network\s+name|name\s+(?:on|in)\s+the\s+network)(?:\s+of\s+(?:the|this)\s+\w+)?{_IS}\s*{_VALUE}"
    ),
    Pattern(rf"\b(?:should|shall|must|ought\s+to|will)\s+be\s+known\s+as\s+{_VALUE}"),
    Pattern(rf"(?:^|[,;.]\s*|\bthe\s+|\band\s+)host\s*(?:is|=|:)\s*{_VALUE}"),
    Pattern(
        rf"\bhost\s?-?name\b[^.;\n]{{0,20}}?,?\s+(?:take|use|make\s+it|i\s+want|let's\s+take|better)\s+{_VALUE}"
    ),
)
_BAD_HOST = Pattern(
    r"\b(?:host\s?-?name)\s*(?:is|to|=|:)?\s*(?P<value>\"[^\"]{0,200}\"|\.{1,2}/[^\s,;]*|[^\s\w\"',;.][^\s,;]*)"
)
_OF_SYSTEM = Pattern(
    r"\b(?:os|distro|distribution|release|ubuntu|debian|elxr|azure\s+linux|emt|rhel|centos|linux)\b[^.;\n]{0,12}$"
)
_BAD_IMAGE = Pattern(
    r"\b(?:rename|call|name)\s+(?:it|the\s+(?:image|template))\s+(?:to\s+)?(?P<value>[^\w\s\"',;.][^\s,;]*|\.{1,2}/[^\s,;]*)"
)
_NO_HOST = Pattern(r"\b(?:the\s+|its\s+)?(?:host\s?-?name)\b")
_IMAGE = (
    Pattern(rf"\brename\s+(?:it|this|the\s+(?:image|template))(?:'s\s+name)?\s+(?:from\s+[\w.\"'-]+\s+)?(?:in)?to\s+{_VALUE}"),
    Pattern(rf"\b(?:call|name)\s+(?:it|this|the\s+(?:new\s+)?(?:image|template)|this\s+(?:image|template))\s+{_VALUE}"),
    Pattern(rf"\b(?:image|template|build|output|artifact)\s*(?:'s)?\s+name\b{_IS}\s*{_VALUE}"),
    Pattern(rf"\b(?:change|set)\s+(?:the\s+|its\s+)?name\s+(?:of\s+the\s+(?:image|template)\s+)?(?:from\s+[\w.\"'-]+\s+)?to\s+{_VALUE}"),
    Pattern(rf"\bname\s+of\s+the\s+(?:image|template){_IS}\s*{_VALUE}"),
    Pattern(rf"\b(?:image|template|it|output\s+file|output|file|build|artifact)\s+(?:is\s+|should\s+be\s+|must\s+be\s+|shall\s+be\s+|ought\s+to\s+be\s+)?(?:called|named)\s+{_VALUE}"),
    Pattern(rf"\bunder\s+the\s+name\s+(?:of\s+)?{_VALUE}"),
)  # fmt: skip
_NUMBER = r"(?P<value>\d[\w.+-]*\w|\d)"
_VERSION = (
    Pattern(rf"\b(?:image|template|build|its|release)\s+version(?:\s+number)?{_IS}\s*v?{_NUMBER}"),
    Pattern(rf"\b(?:set|bump|change|update|raise|increase|make)\s+(?:the\s+|its\s+)?(?:image\s+|template\s+)?version(?:\s+number)?\s+(?:of\s+the\s+(?:image|template)\s+)?(?:from\s+[\w.]+\s+)?(?:to|=|:)\s*v?{_NUMBER}"),
    Pattern(rf"\bversion\s+of\s+the\s+(?:image|template){_IS}\s*v?{_NUMBER}"),
    Pattern(rf"\bversion\s*[:=]\s*v?{_NUMBER}"),
    Pattern(r"\b(?:and\s+)?version\s+(?:is\s+|to\s+|of\s+)?v?(?P<value>\d+\.\d+\.\d+[\w.+-]*)"),
)  # fmt: skip
_DESCRIPTION = Pattern(
    rf"\b(?:(?:change|set|update)\s+(?:the\s+|its\s+)?)?description{_IS}\s*(?P<value>{QUOTED})|\bdescribe\s+(?:it|the\s+(?:image|template))\s+as\s+(?P<value2>{QUOTED}|[^.;\n]+)"
)
_NO_VALUES = frozenset(
    """with and for who that in to on having has the a an of or it is as but please from by at instead name image template this hostname something
    anything should must be called named accordingly differently so properly better different like""".split()  # noqa: SIM905 - one list reads best
)
_ENDS = Pattern(r"\s*(?:$|[.,;\n]|and\b)")
"""Behind an "a" that is a name, and no article."""

_RIGHT: dict[str, Pattern] = {
    "hostname": Pattern(
        r"(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*",
        flags=re.IGNORECASE | re.ASCII,
    ),
    "image_name": Pattern(r"[a-zA-Z0-9]([a-zA-Z0-9\-_]*[a-zA-Z0-9])?", flags=re.ASCII),
    "image_version": Pattern(
        r"[0-9]+(\.([0-9]+|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)){0,2}(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?",
        flags=re.ASCII,
    ),
}
_WHY = {
    "hostname": "is no host name: it takes letters, digits and hyphens, with dots between",
    "image_name": "is no name of an image: it takes letters, digits, hyphens and underscores",
    "image_version": "is no version of an image: it takes one to three numbers with dots between",
}


def read(request: Request) -> Iterator[Wish]:
    """The wishes about names."""
    if not request.speaks_of("name", "call", "host", "version", "descri", "known"):
        return
    kinds: tuple[tuple[Kind, tuple[Pattern, ...]], ...] = (
        ("hostname", (*_HOST[-5:], *_HOST[:-5])),
        ("image_version", _VERSION),
        ("image_name", _IMAGE),
    )
    for kind, patterns in kinds:
        for pattern in patterns:
            for found in request.find(pattern):
                value = unquoted(found["value"])
                if (
                    value.lower() in _NO_VALUES
                    and not (value == "a" and _ENDS.match(request.text, found.end()))
                ) or (kind == "hostname" and value.lower() in _AFTER_HOST):
                    continue
                if request.is_removed(found.start()) and kind == "hostname":
                    yield request.wish("hostname", "", found, wanted=False)
                elif (
                    kind == "image_version"
                    and _OF_SYSTEM.search(request.text[max(0, found.start() - 30) : found.start()])
                    and value.count(".") < 2
                ):
                    continue  # the release of a distribution
                elif not _RIGHT[kind].fullmatch(value):
                    yield request.wish("impossible", f"{value!r} {_WHY[kind]}.", found)
                else:
                    yield request.wish(kind, value, found)
    for found in request.find(_BAD_IMAGE):
        yield request.wish("impossible", f"{found['value'][:60]!r} {_WHY['image_name']}.", found)
    for found in request.find(_BAD_HOST):
        yield request.wish("impossible", f"{unquoted(found['value'])[:60]!r} {_WHY['hostname']}.", found)
    for found in request.find(_NO_HOST):
        if request.is_removed(found.start()) or request.is_negated(found.start()):
            yield request.wish("hostname", "", found, wanted=False)
    for found in request.find(_DESCRIPTION):
        yield request.wish("description", unquoted(found["value"] or found["value2"] or "")[:300], found)


_AFTER_HOST = frozenset(
    """machine machines system os computer virtual containers docker kvm my our your key keys""".split()  # noqa: SIM905 - one list reads best
)
