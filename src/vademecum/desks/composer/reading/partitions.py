"""Partitions: where they are mounted, how large, with which file system; those to add, to change, to rename and to take out."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from vademecum.desks.composer.measures import MEASURE as SIZE
from vademecum.desks.composer.measures import as_written as size_of
from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.reading.request import TAKEN, Request, Span
from vademecum.desks.composer.wish import Wish

DISK = r"(?:disk|disc|drive|hard\s?-?(?:disk|drive)|harddisk|root\s+disk|virtual\s+disk|storage|image|ssd|hdd|emmc|flash(?:\s+drive)?|(?:sd|cf|micro-?sd)\s*-?card|card|usb\s+(?:stick|drive)|stick|nvme|medium|capacity)"
ADJECTIVE = rf"(?:(?:[A-Za-z][\w-]*|{TAKEN}+)\s+){{0,2}}?"

_MOUNT = r"(?<![\w./:])/(?:[a-z0-9][\w.-]*(?:/[\w.-]*\w)*)?(?![\w/:])"
_SERVICES = r"postgres(?:ql)?|mysql|mariadb|mongodb|redis|influxdb|prometheus|libvirt|websites?|mails?"
_SERVICE = Pattern(rf"(?:{_SERVICES}|docker)\b")
_NAMED = rf"\b(?:root(?:\s?fs|\s+file\s?system|\s+partition)?|efi(?:\s+system)?|esp|boot|home|var|data|logs?|tmp|temp|opt|srv|docker|containers?|media|storage|backup|database|scratch|recovery|user\s?data|rootfs|{_SERVICES})(?:\s+(?:director(?:y|ies)|folders?|files)\b)?"
_FS = r"ext[234]|xfs|btrfs|f2fs|vfat|fat32|fat16|ntfs|exfat|jfs|reiserfs|zfs|bcachefs|erofs|squashfs"
_FS_RE = Pattern(rf"\b(?:{_FS})\b")
_SIZE_RE = Pattern(SIZE)
_REST = Pattern(
    r"\b(?:the\s+)?(?:rest|remaining|remainder|all\s+(?:the\s+)?(?:remaining|left|free)|what(?:ever)?\s+is\s+left|left-?over|fill(?:s|ing)?\s+(?:up\s+)?the\s+(?:rest|disk|remaining))(?:\s+(?:of\s+the\s+)?(?:disk|space|room|drive))*\b"
)
_NAME = Pattern(_NAMED)
_PLACE = Pattern(rf"{_MOUNT}|\b(?:esp|efi)\b|\broot\b")
_OF_DISK = Pattern(
    rf"\b(?:{DISK})(?:\s+(?:size|space))?\s+(?:to|of|is|should\s+be|be)?\s*(?:{SIZE})|(?:{SIZE})\s+{ADJECTIVE}(?:{DISK})\b(?!\s+partition)"
)
_ROOT_AS = Pattern(
    rf"\b(?P<one>{_FS})\s+(?:as\s+(?:the\s+)?)?root\b(?:\s+(?:partition|file\s?system))?|\broot(?:\s+(?:partition|file\s?system))?\s+(?:as|on|in|with|is|should\s+be|uses?|using)\s+(?P<two>{_FS})\b"
)
_NAMED_PART = Pattern(
    rf"(?:{_NAMED})\s+(?:partition|volume|file\s?system|slice)s?\b|\bpartitions?\s+(?:for|called|named|to\s+hold|holding|of)\s+(?:the\s+|my\s+|our\s+|all\s+|its\s+)?(?:{_NAMED})\b|(?:{_NAMED})\s+(?:on|in|onto|into|to|gets?|has|have|as|using|with|be|is|should|its|their)\b(?=[^,]*\b(?:partition|volume|file\s?system|{_FS})\b)|\b(?:swap|hash)\b(?=\s+partition)|\b(?:for|use|as|on)\s+(?:the\s+)?root\b"
)
_NOWHERE = Pattern(
    rf"(?P<size>{SIZE})\s+(?:(?:data|extra|separate|second|third|own|dedicated|further|additional)\s+)*partition\b|\bpartition\s+(?:of|with|sized)\s+(?:{SIZE})"
)
_OPTIONS = Pattern(
    r"\b(?:mount(?:ed)?(?:\s+\S+){0,2}\s+(?:with(?:\s+the)?(?:\s+options?)?|as)|with(?:\s+the)?(?:\s+mount)?\s+options?|mount\s+options?(?:\s+(?:of|to|are|:|=))?)\s*(?P<options>(?:no(?:exec|suid|dev|atime|diratime)|ro|rw|relatime|sync|discard|defaults|nofail|pquota|umask=\d+|compress=\w+)(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:no(?:exec|suid|dev|atime|diratime)|ro|relatime|sync|discard|nofail|pquota|umask=\d+|compress=\w+))*)"
)
_WORTH = Pattern(
    r"\bpartitions?\b|\bvolumes?\b|\bmount(?:ed|s|\s?point)?\b|\bfile\s?systems?\b|\bslices?\b|\bpartitioned\b|\bformat(?:ted)?\b"
)
_RENAME = Pattern(
    rf"\brename\s+(?:the\s+)?(?P<old>{_MOUNT}|[\w-]+)\s+partition\s+to\s+(?P<new>/?[\w./-]*\w)|\brename\s+(?:the\s+)?partition\s+(?P<old2>{_MOUNT}|[\w-]+)\s+to\s+(?P<new2>/?[\w./-]*\w)|\brename\s+(?:the\s+)?(?P<old4>{_MOUNT})\s+to\s+(?P<new4>{_MOUNT})|\b(?:move|remount|mount)\s+(?:the\s+)?(?P<old3>{_MOUNT}|[\w-]+)\s+partition\s+(?:to|at|on|under|as|in)\s+(?P<new3>{_MOUNT})"
)
_BY = Pattern(
    rf"\bby\s+(?:another\s+)?(?P<size>{SIZE})|(?P<more>{SIZE})\s+(?:more|larger|bigger|smaller|less)"
)
_ABSENT = Pattern(r"\b(?:an?|new|separate|extra|additional|another|own|dedicated|add|create|second|third)\b")  # fmt: skip

_NO_PARTITIONS = frozenset(
    """a an the separate own new extra dedicated additional another last first second third each every that this my our its big large small bigger larger
    smaller same whole single one two three gpt mbr disk data-less add create make resize remove delete drop grow shrink extra primary logical swap no
    any of with as on into for system-wide gib gb mib mb""".split()  # noqa: SIM905 - one list reads best
)
_MOUNTS = {
    "home": "/home", "var": "/var", "data": "/data", "log": "/var/log", "logs": "/var/log", "tmp": "/tmp", "temp": "/tmp", "opt": "/opt",  # noqa: S108 - mount points
    "srv": "/srv", "boot": "/boot", "root": "/", "rootfs": "/", "efi": "/boot/efi", "esp": "/boot/efi", "docker": "/var/lib/docker",
    "container": "/var/lib/docker", "containers": "/var/lib/docker", "media": "/media", "storage": "/storage", "backup": "/backup",
    "database": "/var/lib/postgresql", "scratch": "/scratch", "recovery": "/recovery", "postgres": "/var/lib/postgresql",
    "postgresql": "/var/lib/postgresql", "mysql": "/var/lib/mysql", "mariadb": "/var/lib/mysql", "mongodb": "/var/lib/mongodb", "redis": "/var/lib/redis",
    "influxdb": "/var/lib/influxdb", "prometheus": "/var/lib/prometheus", "libvirt": "/var/lib/libvirt", "website": "/var/www", "websites": "/var/www",
    "mail": "/var/mail", "mails": "/var/mail", "userdata": "/opt", "user data": "/opt",
}  # fmt: skip
_FILESYSTEMS = {"fat": "fat32", "vfat": "vfat"}


def read(request: Request) -> Iterator[Wish]:
    """The wishes about partitions, swap among them."""
    if request.speaks_of("rename", "mount", "move"):
        yield from _renamed(request)
    if request.speaks_of("swap"):
        yield from _swap(request)
    if request.speaks_of(
        "partition", "volume", "mount", "file", "/", "slice", "format", "esp", "efi", "root"
    ):
        yield from _partitions(request)


_SWAP = Pattern(
    rf"(?:\b(?:an?|the)\s+)?(?:(?P<size>{SIZE})\s+(?:of\s+)?)?(?:dedicated\s+|separate\s+|extra\s+|large\s+)?\bswap(?:\s+(?:partition|space|area|file|memory|disk))?\b(?:(?:\s+(?:of|with|is|to|at|size|sized|should\s+be|be)|\s*[:=])*\s*(?P<after>{SIZE}))?"
)


def _renamed(request: Request) -> Iterator[Wish]:
    for found in request.find(_RENAME):
        parts = found.groupdict()
        old, new = (
            next((parts[key] for key in (name, f"{name}2", f"{name}3", f"{name}4") if parts[key]), "")
            for name in ("old", "new")
        )
        yield request.wish(
            "partition", _MOUNTS.get(old.lower(), old), found, details={"op": "rename", "new": new}
        )


_EXCHANGED = Pattern(r"\s*(?:out|in|with|for)\b|\s+(?:the\s+)?(?!of\b|to\b|is\b|be\b)[\w.+-]+(?:\s+[\w.+-]+)?\s+(?:for|with|against|by)\s+(?!\d)")  # fmt: skip


def _swap(request: Request) -> Iterator[Wish]:
    for found in request.find(_SWAP):
        if _EXCHANGED.match(request.text, found.end()) or (
            re.search(r"\b(?:to|i'd|please|then|and)\s+$", request.text[: found.start()])
            and not re.search("space|partition|file", found[0])
        ):
            continue
        size = size_of(found["size"] or found["after"] or "")
        wanted = request.is_wanted(request.text.lower().find("swap", found.start())) and not request.is_off(
            found.start()
        )
        yield request.wish("swap", size, found, wanted=wanted)


class _Part(NamedTuple):
    """A word of a clause about partitions: what it is, what it says, and where."""

    kind: str
    value: str
    start: int
    end: int


def _partitions(request: Request) -> Iterator[Wish]:
    """Clause by clause: mount points, each with the size and file system that stand nearest."""
    at = 0
    while at < len(request.text):
        clause = request.clause(at)
        at = max(clause.end + 1, at + 1)
        for span in _stretches(request, clause):
            yield from _in_stretch(request, span)


def _stretches(request: Request, clause: Span) -> Iterator[Span]:
    """The parts of a clause that speak of partitions: between things that are understood already, or that speak of the whole disk."""
    text = request.left[clause.start : clause.end]
    if not (_WORTH.search(text) or _PLACE.search(text)):
        return
    borders = [clause.start]
    for one in _OF_DISK.finditer(text):
        if _touches_partition(text, one):
            continue
        borders += [clause.start + one.start(), clause.start + one.end()]
    borders.append(clause.end)
    for start, end in zip(borders[::2], borders[1::2], strict=True):
        if end > start:
            yield Span(start, end)


def _touches_partition(text: str, found: re.Match[str]) -> bool:
    return bool(
        re.match(r"\s*partition", text[found.end() :], re.IGNORECASE)
        or re.search(r"partition[^,]{0,30}$", text[: found.start()], re.IGNORECASE)
    )


def _in_stretch(request: Request, span: Span) -> Iterator[Wish]:
    text = request.left[span.start : span.end]
    parts = _parts(text, worth=bool(_WORTH.search(text)))
    mounts = [one for one in parts if one.kind == "mount"]
    if not mounts:
        yield from _nowhere(request, span)
        return
    sizes = [one for one in parts if one.kind in {"size", "rest"}]
    systems = [one for one in parts if one.kind == "fs"]
    # a bare path with nothing said of it is no partition ("put the file into /opt")
    if not (sizes or systems or _WORTH.search(text)):
        return
    if all(text[one.start : one.end].lower() == "root" for one in mounts) and not (
        systems or _WORTH.search(text)
    ):
        return
    for number, mount in enumerate(mounts):
        size = _nearest(mount, number, mounts, sizes, text)
        system = _nearest(mount, number, mounts, systems, text)
        yield from _partition(request, span, text, mount, size, system)
        for one in (mount, size, system):
            if one and not (
                one.kind == "mount" and _SERVICE.search(text, one.start, one.end)
            ):  # it is software, too
                request.take(span.start + one.start, span.start + one.end)
    for option in _OPTIONS.finditer(text):
        request.take(span.start + option.start(), span.start + option.end())


def _nowhere(request: Request, span: Span) -> Iterator[Wish]:
    """A partition of which only a size is said."""
    for found in _NOWHERE.finditer(request.left, span.start, span.end):
        why = "It is not said where that partition is mounted; say it, as in: a 20 GiB /data partition."
        yield request.wish("impossible", why, found)


def _parts(text: str, *, worth: bool) -> list[_Part]:
    found: list[_Part] = []
    for one in re.finditer(_MOUNT, text, re.IGNORECASE):
        if (
            one[0] != "/"
            or re.search(
                r"(?:mounted\s+(?:at|on)|partition|for|as|on|make|resize|grow|root|the)\s+[\"'`]?$|^[\"'`]?\s*(?:partition|to|is|should)",
                text[: one.start()][-24:] + "",
                re.IGNORECASE,
            )
            or re.match(
                r"[\"'`]?\s+(?:partition|file|to\b|on\b|is\b|should)", text[one.end() :], re.IGNORECASE
            )
        ):
            found.append(_Part("mount", one[0], one.start(), one.end()))  # noqa: PERF401 - the condition is long enough
    if re.search(r"\b(?:esp|efi)\b(?!\s+boot)", text, re.IGNORECASE) and not found:
        found += [
            _Part("mount", "/boot/efi", one.start(), one.end())
            for one in re.finditer(r"\b(?:esp|efi(?:\s+system)?(?:\s+partition)?)\b", text, re.IGNORECASE)
        ]
    root = _ROOT_AS.search(text)
    if root and all(one.value != "/" for one in found):
        word = re.search(r"\broot\b", text[root.start() :], re.IGNORECASE)
        at = root.start() + (word.start() if word else 0)
        found.append(_Part("mount", "/", at, at + 4))
    if worth and not found:
        for one in _NAMED_PART.finditer(text):
            word = _NAME.search(one[0])
            if word:
                name = re.sub(
                    r"\s+(?:partition|file\s?system|system|director(?:y|ies)|folders?|files)$",
                    "",
                    " ".join(word[0].lower().split()),
                )
                found.append(_Part("mount", _mount(name), one.start(), one.end()))
    if worth and not found:
        for one in re.finditer(r"\b(?P<name>[a-z][\w-]*)\s+partition\b", text, re.IGNORECASE):
            if one["name"].lower() not in _NO_PARTITIONS:
                found.append(_Part("mount", one["name"], one.start(), one.end()))
    for one in _SIZE_RE.finditer(text):
        found.append(_Part("size", size_of(one[0]), one.start(), one.end()))
    found += [_Part("rest", "rest", one.start(), one.end()) for one in _REST.finditer(text)]
    found += [
        _Part("fs", _FILESYSTEMS.get(one[0].lower(), one[0].lower()), one.start(), one.end())
        for one in _FS_RE.finditer(text)
    ]
    return sorted(found, key=lambda one: one.start)


def _nearest(mount: _Part, number: int, mounts: list[_Part], others: list[_Part], text: str) -> _Part | None:
    """What belongs to a mount point: by order if there is one for each, else the one beside it."""
    if len(others) == len(mounts) > 1:
        return others[number]
    pairs = [(_beside(text, one, other), _beside(text, other, one)) for one in mounts for other in others]
    behind_counts, before_counts = sum(one for one, _ in pairs), sum(other for _, other in pairs)
    later = mounts[number + 1].start if number + 1 < len(mounts) else len(text)
    behind = [one for one in others if mount.end <= one.start < later]
    before = [one for one in others if (mounts[number - 1].end if number else 0) <= one.end <= mount.start]
    if len(mounts) == 1:
        joined = [one for one in behind if _beside(text, mount, one)] or [
            one for one in before[-1:] if _beside(text, one, mount)
        ]
        if len(others) == 1 and _is_complaint(text):
            return others[0]
        near = [
            one
            for one in (*behind[:1], *before[-1:])
            if not re.search(
                r",|\band\b|\btotal|\bdisk|;", text[min(mount.end, one.end) : max(mount.start, one.start)]
            )
            and not _WHOLE.match(text, one.end)
        ]
        return joined[0] if joined else min(near, key=lambda one: abs(one.start - mount.start), default=None)
    if behind_counts >= before_counts:
        return behind[0] if behind else None
    return before[-1] if before else None


def _is_complaint(text: str) -> bool:
    """Whether a clause complains of a partition and then names a size: "/var is too tight, 4 GiB please"."""
    return bool(_COMPLAINT.search(text))


_COMPLAINT = Pattern(
    r"\btoo\s+(?:tight|small|little|big|large|much|full)\b|\bfills?\s+up\b|\bruns?\s+(?:full|out)\b|\bis\s+full\b|\bnot\s+enough\b"
)


def _beside(text: str, one: _Part, other: _Part) -> bool:
    """Whether two words stand beside each other, with nothing but little words between."""
    return one.end <= other.start and bool(_LITTLE.fullmatch(text[one.end : other.start]))


_WHOLE = Pattern(r"\s*(?:in\s+total|altogether|total|overall|disk|drive|image|in\s+all)\b")
_LITTLE = Pattern(
    r"[\s(]*(?:(?:partition|volume|file\s?system|with|of|is|to|at|should|shall|must|be|get|gets|have|has|as|using|formatted|a|an|the|its|own|separate|in|on|size|big|large|for|mounted|under|extra|dedicated|please|bigger|larger|smaller|gets?)\b[\s:=(]*)*"
)


def _partition(  # noqa: PLR0917 - parts of one match
    request: Request,
    span: Span,
    text: str,
    mount: _Part,
    size: _Part | None,
    system: _Part | None,
) -> Iterator[Wish]:
    place = span.start + mount.start
    start = min(one.start for one in (mount, size, system) if one)
    end = max(one.end for one in (mount, size, system) if one)
    said = " ".join(request.text[span.start + start : span.start + end].split())
    wanted = not (request.is_removed(place) or (request.is_negated(place) and not size))
    details: dict[str, str] = {}
    if size:
        details["size"] = size.value
        by = _BY.search(text)
        if by and by.start() <= size.start < by.end():
            shrinks = re.search(r"\b(?:shrink|reduc|decreas|smaller|less)", text, re.IGNORECASE)
            details["op"] = "shrink" if shrinks else "grow"
    if system:
        details["fs"] = system.value
    options = _OPTIONS.search(text)
    if options:
        details["options"] = ",".join(re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", options["options"].lower()))
    if _ABSENT.search(text):
        details["new"] = "yes"
    if size is None and not wanted:
        details.pop("fs", None)
    yield Wish("partition", mount.value, wanted, said, place, details)


def _mount(name: str) -> str:
    return name if name.startswith("/") else _MOUNTS.get(name.lower(), f"/{name.lower()}" if name else "")
