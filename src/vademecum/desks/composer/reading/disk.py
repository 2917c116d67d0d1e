"""The size of the disk, in all the ways it is said; and main memory, which no template has."""

import re
from collections.abc import Iterator

from vademecum.desks.composer.measures import MEASURE as SIZE
from vademecum.desks.composer.measures import as_written as size_of
from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.reading.partitions import ADJECTIVE, DISK
from vademecum.desks.composer.reading.request import Request
from vademecum.desks.composer.wish import Wish

_CHANGES = r"(?:grow|growing|increase|increasing|extend|enlarge|expand|enlarging|bump|raise|add)"
_SHRINKS = r"(?:shrink|reduce|decrease|cut|lower|shrinking|reducing)"

_DISK_SIZE = (
    Pattern(rf"\b(?P<verb>{_CHANGES}|{_SHRINKS})\s+(?:the\s+|its\s+)?(?:size\s+of\s+the\s+)?(?:{DISK})(?:\s+size|\s+space|\s+capacity)?\s+by\s+(?:another\s+)?(?P<by>{SIZE})"),
    Pattern(rf"\b(?:add|give\s+it|give\s+the\s+disk|make\s+the\s+disk)\s+(?:another\s+|an\s+(?:extra|additional)\s+)?(?P<by>{SIZE})\s+(?:more|of\s+(?:extra|additional|more)|extra|additional|larger|bigger)(?:\s+(?:of\s+)?(?:{DISK})?(?:\s+space)?)?"),
    Pattern(rf"\b(?:the\s+)?(?:{DISK})(?:'s)?(?:\s+(?:image|size|space|capacity))?\s+(?:from\s+{SIZE}\s+)(?:up\s+|down\s+)?to\s+(?P<size>{SIZE})"),
    Pattern(rf"(?P<size>{SIZE})\s+(?:of\s+)?(?:total\s+|free\s+|overall\s+)?{ADJECTIVE}(?:{DISK})\b(?:\s+(?:space|size|image|capacity))?(?!\s+partition)"),
    Pattern(rf"\b(?:{DISK})(?:'s)?(?:\s+(?:size|space|image|capacity))?\s*(?:of\s+the\s+(?:image|disk)\s*)?(?:(?:should|must|shall|needs?\s+to|has\s+to|will|can)\s+(?:be|have)|is|to|of|=|:|at|with|be|has|have|size|becomes|only|larger|smaller|bigger|about|around|exactly|total|at\s+least|at\s+most|up\s+to|no\s+more\s+than|minimum|maximum|,|\()*(?:\s+(?:to|of|be|is|at\s+least|at\s+most|up\s+to|no\s+(?:more|larger|bigger)\s+than|exactly|about|around|only|a\s+total\s+of|roughly|some|size))*\s*(?P<size>{SIZE})"),
    Pattern(rf"\b(?:total\s+|overall\s+|image\s+|disk\s+)?size\s*(?:(?:should|must|shall)\s+be|is|to|of|=|:|be|at)?\s*(?:to\s+|of\s+)?(?P<size>{SIZE})(?!\s*(?:\w+\s+)?(?:partition|swap|ram|memory))"),
    Pattern(rf"\b(?:resize|grow|shrink|enlarge|expand|increase|reduce|extend|make|bump)\s+(?:it|the\s+image|this|the\s+whole\s+thing)\s+(?:to|up\s+to|down\s+to)?\s*(?:be\s+)?(?P<size>{SIZE})"),
    Pattern(rf"\b(?:fits?|fitting|must\s+fit)\s+(?:on|onto|into|in)\s+(?:an?\s+)?(?P<size>{SIZE})"),
)  # fmt: skip
_NAKED = Pattern(rf"\b(?:{DISK})\s+size\s*(?:is|to|of|=|:|should\s+be)?\s*(?P<number>\d{{1,4}})(?![\w.%-])")
_FACTOR = Pattern(
    rf"\b(?P<verb>double|halve|triple)\s+(?:the\s+)?(?:size\s+of\s+the\s+)?(?:{DISK})(?:\s+(?:size|space))?|\bmake\s+(?:the\s+)?(?:{DISK})(?:\s+size)?\s+(?P<times>twice|double|two\s+times|three\s+times|triple|half)\s+(?:as\s+(?:large|big|small)|the\s+size|its\s+size)"
)
_VAGUE = Pattern(
    rf"\b(?:(?:a\s+)?(?:bigger|larger|smaller|more)\s+(?:{DISK})(?:\s+(?:space|size))?|make\s+(?:the\s+)?(?:{DISK})\s+(?:bigger|larger|smaller))\b(?!\s+(?:by|than|to|\d))"
)
_MEMORY = Pattern(
    rf"(?:{SIZE})\s+(?:of\s+)?(?:ram|memory|main\s+memory)\b|\b(?:ram|memory)\s*(?:of|:|=|is|size)?\s*(?:{SIZE})"
)


def read(request: Request) -> Iterator[Wish]:
    """The wishes about the size of the disk."""
    if request.speaks_of("ram", "memory"):
        yield from _memory(request)
    if any(map(str.isdigit, request.left)) or request.speaks_of(*_COMPARED):
        yield from _size(request)


_COMPARED = ("double", "halve", "triple", "twice", "half", "bigger", "larger", "smaller", "more")


def _memory(request: Request) -> Iterator[Wish]:
    for found in request.find(_MEMORY):
        yield request.wish(
            "impossible",
            "A template has no field for main memory: it is a matter of the machine that runs the image.",
            found,
        )


def _size(request: Request) -> Iterator[Wish]:
    for pattern in _DISK_SIZE:
        for found in request.find(pattern):
            parts = found.groupdict()
            if parts.get("by"):
                shrinks = re.match(_SHRINKS, parts.get("verb") or "", re.IGNORECASE)
                yield request.wish(
                    "disk_size", size_of(parts["by"]), found, details={"op": "shrink" if shrinks else "grow"}
                )
                continue
            grows = re.search(r"\b(?:more|extra|additional)\b", found[0], re.IGNORECASE)
            yield request.wish(
                "disk_size",
                size_of(parts["size"]),
                found,
                details={"op": "grow"} if grows and request.in_session else {},
            )
    for found in request.find(_NAKED):
        yield request.wish("disk_size", f"{found['number']}GiB", found, note="no unit was said: taken as GiB")
    for found in request.find(_FACTOR):
        word = (found["verb"] or found["times"] or "").lower()
        factor = {"double": "2", "twice": "2", "two times": "2", "triple": "3", "three times": "3"}.get(
            " ".join(word.split()), "0.5"
        )
        yield request.wish("disk_size", factor, found, details={"op": "times"})
    for found in request.find(_VAGUE):
        yield request.wish("impossible", "No size is said; say it, as in: 16 GiB disk.", found)


_BARE = Pattern(
    rf"(?<![\w.-])(?P<size>{SIZE})(?!\s*(?:is\s+(?:far\s+|way\s+|much\s+)?too\b|/|per\b|rss\b|file|ram\b|memory|heap|cache|log|upload|swap|vram|model|video|film|bandwidth|network|ethernet|nic|link|card\s+reader|(?:\w+\s+)?partition))"
)


_ENOUGH = Pattern(
    r"(?<![\w.-])(?P<number>\d{1,4})\s+(?:is|are|would\s+be|should\s+be|will\s+be)\s+(?:enough|fine|plenty|ok(?:ay)?|sufficient|better|right)\b"
)
_BELOW_ZERO = Pattern(r"(?<![\w.])-\s?\d+(?:[.,]\d+)?\s?(?:[kmgt]i?b?|gigs?|gigabytes?)\b")


def read_bare(request: Request) -> Iterator[Wish]:
    """A size that nothing else has taken and that stands by itself: what has a size is the disk."""
    if not any(map(str.isdigit, request.left)) or any(
        one in request.left.lower() for one in ("gbps", "gbit", "mbit")
    ):
        return
    for found in request.find(_BELOW_ZERO):
        yield request.wish("impossible", f"{found[0].strip()} is no size of a disk.", found)
        return
    for found in request.find(_ENOUGH) if request.in_session else ():
        yield request.wish("disk_size", f"{found['number']}GiB", found, note="no unit was said: taken as GiB")
        return
    for found in request.find(_BARE):
        size = size_of(found["size"])
        if size and (
            size.endswith(("GiB", "TiB", "GB", "TB")) or int("".join(filter(str.isdigit, size))) >= 1024
        ):
            yield request.wish("disk_size", size, found)
            return
