"""How an image shall be, where no field of a template says it: what there is of it is named, or what can be asked for instead."""

from collections.abc import Collection
from typing import NamedTuple

from vademecum.desks.composer.editing import Outcome
from vademecum.desks.composer.negation import negated
from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.understanding import met
from vademecum.desks.composer.wish import Wish
from vademecum.desks.composer.wishes import Wishes


class _Quality(NamedTuple):
    """Something that is said of an image as a whole.

    Attributes:
        words: Parts of words of which a request has one.
        pattern: How it is said.
        by: The capabilities that a template has it by.
        otherwise: What to tell where it has none of them.
        kinds: The kinds of wishes, or their values, that say the same more exactly.
    """

    words: tuple[str, ...]
    pattern: Pattern
    by: frozenset[str]
    otherwise: str
    kinds: frozenset[str] = frozenset()


_VERY = r"(?:(?:very|really|highly|extra|super|extremely|quite|more|as)\s+)?"
_QUALITIES = (
    _Quality(
        ("network", "lan", "pxe", "netboot", "diskless"),
        Pattern(
            r"\b(?:(?:start|boot|load|run)(?:s|ed|ing|ning)?\s+(?:up\s+)?(?:directly\s+|only\s+)?(?:from|over|via|by|through|off)\s+(?:the\s+|our\s+|a\s+)?(?:network|lan|pxe)|"
            r"(?:net(?:work)?|pxe)[- ]?boot(?:s|ing|able|ed)?|pxe|diskless)\b"
        ),
        frozenset(["netboot"]),
        "It starts from a disk: no template of this target is made to start from the network; one of the type img is.",
        frozenset(["img"]),
    ),
    _Quality(
        ("secur", "safe"),
        Pattern(
            rf"\b{_VERY}(?:secured?|safe|(?:high|good|strong|maximum|best|more)\s+security)(?![-\s]*(?:boot|shell|copy|erase|element|enclave|mode|world|to\b))\b"
        ),
        frozenset(["hardened", "selinux", "encrypted", "read-only-root", "secure-boot"]),
        "A template does not say it by itself: ask for what makes it so, as security hardening, disk encryption, a read-only root, secure boot or automatic updates.",
        frozenset(["encryption", "read_only_root", "secure_boot", "security-hardening"]),
    ),
    _Quality(
        ("boot", "start"),
        Pattern(
            rf"\b(?:{_VERY}(?:fast|quick|rapid|short)(?:er)?\s+(?:boot|start|start-?up)(?:s|ing|ed|\s+times?|-?up)?|(?:boot|start)s?\s+(?:up\s+)?{_VERY}(?:fast|quick|rapid)(?:er|ly)?)\b"
        ),
        frozenset(),
        "A template has no field for it: how fast it starts is a matter of the machine and of what runs on it. A minimal image has least to start.",
    ),
    _Quality(
        ("power", "energy", "battery"),
        Pattern(
            r"\b(?:(?:low|little|less|lower)[- ](?:power|energy)(?:\s+(?:consumption|use|usage))?|(?:power|energy)[- ](?:saving|efficient|efficiency)|(?:saves?|saving)\s+(?:power|energy)|(?:long|good)\s+battery\s+life)\b"
        ),
        frozenset(["cooling"]),
        "A template has no field for it; the packages powertop and tlp can be asked for.",
        frozenset(["tlp", "powertop"]),
    ),
    _Quality(
        ("fast", "perform", "responsive"),
        Pattern(
            rf"\b{_VERY}(?:fast(?:er)?(?:\s+as\s+possible)?|performant|responsive|(?:high|good|best|maximum)[- ]performance)(?!\s*(?:disk|disc|drive|ssd|nvme|storage|ethernet|network|api|cgi|link|nic)\b)\b"
        ),
        frozenset(),
        "A template has no field for it: how fast it runs is a matter of the machine and of what runs on it.",
    ),
    _Quality(
        ("reliab", "robust", "available", "availability"),
        Pattern(rf"\b{_VERY}(?:reliable|robust|fail[- ]?safe|highly\s+available|high\s+availability)\b"),
        frozenset(["slots", "watchdog", "ostree", "read-only-root"]),
        "A template does not say it by itself: ask for what makes it so, as a watchdog, a read-only root or updates that can be taken back (RAUC).",
        frozenset(["watchdog", "rauc", "read_only_root"]),
    ),
    _Quality(
        ("friendly", "easy", "beautiful", "nice-looking", "modern-looking"),
        Pattern(
            rf"\b{_VERY}(?:user[- ]?friendly|easy\s+to\s+(?:use|maintain|handle)|beautiful|(?:nice|modern)[- ]looking)\b"
        ),
        frozenset(),
        "A template has no field for it: say which software it shall have.",
    ),
)


def asked(read: Wishes) -> list[Wish]:
    """What a request says of the image as a whole, beside what it asks for by name."""
    lowered = read.request.lower()
    taken = [(one.start, one.start + len(one.said)) for one in read.wishes]
    said = {value for one in read.wishes if one.wanted for value in (one.kind, one.value)}
    found = []
    for quality in _QUALITIES:
        if not any(word in lowered for word in quality.words) or not said.isdisjoint(quality.kinds):
            continue
        ruled_out = [(one.start, one.end) for one in negated(read.request)]
        for one in quality.pattern.finditer(read.request):
            start, end = one.span()
            if not any(begin < end and start < stop for begin, stop in (*taken, *ruled_out)):
                taken.append((start, end))
                found.append(Wish("capability", " ".join(one[0].lower().split()), said=one[0], start=start))
                break
    return found


def told(wish: Wish, able: Collection[str]) -> Outcome:
    """What comes of such a wish.

    Args:
        wish: One of those that `asked` found.
        able: The names of the capabilities that the template has.
    """
    from vademecum.desks.composer.capabilities import says  # noqa: PLC0415 - few requests need them

    quality = next(one for one in _QUALITIES if one.pattern.fullmatch(wish.said))
    has = quality.by.intersection(able)
    return Outcome(wish, "already", says(has)) if has else Outcome(wish, "undeliverable", quality.otherwise)


_PURPOSE = Pattern(
    r"\bfor\s+(?:an?|the|our|my|some)\s+(?P<what>(?:[\w-]+\s+){0,2}?[\w-]+)(?=\s*(?:$|[.,;:!?]|\b(?:with|and|that|which|who|in|on|of|to|at|from|running|using|based|plus|without)\b))"
)
_SURELY = 0.6
"""The strength from which on a purpose speaks of a capability."""


def purpose_of(read: Wishes) -> Wish | None:
    """What the image is for, where that is said and is nothing that is asked for by name."""
    taken = [(one.start, one.start + len(one.said)) for one in read.wishes]
    for one in _PURPOSE.finditer(read.request):
        start, end = one.span("what")
        if not any(begin < end and start < stop for begin, stop in taken) and _abilities(one["what"]):
            return Wish("capability", " ".join(_abilities(one["what"])), said=one["what"], start=start)
    return None


def _abilities(purpose: str) -> list[str]:
    return [one.capability for one in met(purpose) if one.strength >= _SURELY]


def served(wish: Wish, able: Collection[str]) -> Outcome | str:
    """What comes of a purpose: what the template has for it; or, if that is nothing, what to note."""
    from vademecum.desks.composer.capabilities import says  # noqa: PLC0415 - few requests need them

    if has := set(wish.value.split()).intersection(able):
        return Outcome(wish, "already", says(has))
    return f"The template has nothing of its own for {wish.said!r}: say which software it shall have."
