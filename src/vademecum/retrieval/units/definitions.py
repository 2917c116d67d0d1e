"""Find the thing that a question wants defined, and the sentences that define it.

A sentence defines what it begins with: `uORB is an asynchronous messaging API`, `SITL stands for …`, `Geofence: a virtual
boundary`, `Extended Kalman Filter (EKF)`. An index of running text holds, with each passage, what the passage defines: in a book
on one product the product's name is on every page, and says nothing of where it is explained.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from vademecum.retrieval.question.question import Question
from vademecum.text.words import STOP_WORDS, number, stem

SAYS_WHAT_IT_IS, SAYS_WHAT_IT_DOES = 1.0, 0.5
"""What a mark weighs in a passage's vector."""

_I = re.IGNORECASE
_MOST_STEMS = 5
_LONGEST_QUESTION = 200
_KEPT = 4096

_ASKED = tuple(
    re.compile(pattern, _I)
    for pattern in (
        (
            r"^(?:(?:so|and|ok(?:ay)?|please|hey|but),? )*(?:what|who)(?:['’]?s| is| are| was| were)(?: exactly| actually)? "
            r"(?:the )?(?:meant by |(?:meaning|definition|purpose|role) of |(?:term|acronym|abbreviation|word) )?(?P<thing>.+)$"
        ),
        r"\bwhat (?:does|do|did) (?P<thing>.+?) (?:mean|stand for|refer to|do|describe)\b",
        r"\bwhat do you mean by (?P<thing>.+)$",
        r"^(?:please )?(?:define|explain)(?: to me| me)?(?: what)?(?: the (?:term|acronym|abbreviation|word))? (?P<thing>.+?)(?: is| are| means?)?$",
        r"\b(?:meaning|definition) of (?P<thing>.+)$",
        r"^(?P<thing>[\w./+-]+(?: [\w./+-]+)?)$",
    )
)
_TAIL = re.compile(
    r"\s(?:in|of|for|used|when|and how|on|at|by|with|from|to|that|which|called|about)\b.*$", _I
)
"""What follows the thing: `in PX4`, `used for`."""

_WORDS_OF_ASKING = frozenset(
    map(
        stem,
        """mean means meaning meant stand stands define defined definition explain term acronym abbreviation word purpose role refer describe
        exactly actually""".split(),  # noqa: SIM905 - one word list reads best
    )
)
_PIECES = re.compile(r"[^\W\d_]+|\d+")
_NO_THING = frozenset(
    """it this that these those they he she we you i there here what which who where when why how if as so then one each all both some
    such other another example note tip warning info however also first next now finally reason result goal aim following""".split()  # noqa: SIM905
)

_START = (
    r"(?:^|(?<=[.!?:;]\s)|(?<=\n)|(?<=•\s))(?:(?:[•*–-]|\d{1,3}[.)]|Note:?|Tip:?|Info:?|Warning:?)\s+)*"
    r"(?:(?:in|for|with) [\w-]+(?: \d+)?,? )?(?:(?:an?|the|our|your) )?"
)
_THING = (
    r"(?P<thing>\w[\w/+-]*(?:\.[\w/+-]+)*(?: [\w/+-]+(?:\.[\w/+-]+)*){0,4}?)[\"'”’`*]*(?: \([^()\n]{1,60}\))?"
)
_SAYS = re.compile(
    rf"{_START}{_THING}(?:, [^.\n]{{3,60}},)? (?:(?P<is>(?:is|are)(?: (?:basically|essentially|simply|just|only|actually|usually|typically|mainly|"
    r"primarily))? (?:an?|the|one|any|our|where|when|what|how)|means?|stands? for|refers? to|denotes?|represents?|"
    r"(?:is|are) (?:defined as|used|designed|intended|responsible|called|known as|software|hardware|data|files?|tools?))"
    r"|(?P<does>(?:also |can |typically |usually |automatically |will |may )?(?:is|are|provides?|allows?|enables?|consists?|contains?|lets?|"
    r"performs?|handles?|controls?|manages?|describes?|defines?|specif(?:y|ies)|determines?|combines?|implements?|hosts?|uses?|"
    r"supports?|makes?|gives?|includes?)))\b",
    _I,
)
_LABEL = re.compile(
    rf"(?:^|(?<=\n))(?:[•*–-]\s+)?(?:(?:an?|the) )?{_THING}(?:\s?[:–—]|\s-)\s+(?=\w+\s+\w+\s+\w+)", _I
)
_EXPANDED = re.compile(
    r"\b(?P<long>(?:[A-Z][\w-]*[ -](?:(?:of|and|for|the|in|on|to|a) )?){1,7})\((?P<short>[A-Z][\w/-]{1,9}?)s?\)|"
    r"\b(?P<before>[A-Z][A-Z0-9-]{1,9}) \((?P<after>[A-Za-z][\w-]+(?:[ -][\w-]+){1,6})\)"
)


def stems_of(thing: str) -> tuple[str, ...]:
    """The stems of a thing's name, stop words left out, digits apart from letters: `ROS2` and `ROS 2` are the same."""
    found = [stem(piece) for piece in _PIECES.findall(thing.lower()) if piece not in STOP_WORDS]
    return tuple(found)


@lru_cache(maxsize=256)
def asked_thing(question: str) -> tuple[str, ...]:
    """The stems of what a question wants explained; empty when it wants something else.

    >>> asked_thing("What is ROS 2?")
    ('ros', '2')
    >>> asked_thing("How do I install it?")
    ()
    """
    folded = " ".join(question.split()).rstrip(" ?.!").strip("\"“”'‘’")
    if len(folded) > _LONGEST_QUESTION:
        return ()
    for pattern in _ASKED:
        if match := pattern.search(folded):
            thing = stems_of(_TAIL.sub("", match["thing"]))
            return thing if len(thing) <= _MOST_STEMS else ()
    return ()


def without_asking(question: Question) -> Question:
    """The question without the terms that say only that something is to be explained, such as `mean` and `stand for`."""
    if not asked_thing(question.text):
        return question
    kept = tuple(term for term in question.terms if term.text not in _WORDS_OF_ASKING)
    return question._replace(terms=kept) if kept else question


def mark_of(thing: tuple[str, ...]) -> int:
    """The number under which an index has the passages that define a thing."""
    return number("= " + " ".join(thing))


def marks_in(text: str) -> dict[int, float]:
    """The marks of all things that a text defines, each with `SAYS_WHAT_IT_IS` or `SAYS_WHAT_IT_DOES`."""
    found: dict[int, float] = {}
    for thing, how in _defined(text):
        mark = mark_of(thing)
        found[mark] = max(found.get(mark, 0.0), SAYS_WHAT_IT_IS if how == "is" else SAYS_WHAT_IT_DOES)
    return found


def defines(text: str, thing: tuple[str, ...]) -> tuple[float, float]:
    """How far a text says what a thing is, 0-1, and how far it tells what the thing does or has."""
    best = {"is": 0.0, "does": 0.0}
    for name, how in _known(text):
        share = _same(name, thing)
        best[how] = max(best[how], share)
    return best["is"], best["does"]


def first_at(text: str, thing: tuple[str, ...]) -> float:
    """How early a text names a thing: 1 for its first word, a half for the second, 0 where it does not."""
    found = [stem(piece) for piece in _PIECES.findall(text.lower()) if piece not in STOP_WORDS]
    size = len(thing)
    at = next(
        (place for place in range(len(found) - size + 1) if tuple(found[place : place + size]) == thing), None
    )
    return 0.0 if at is None else 1 / (1 + at)


def _same(name: tuple[str, ...], thing: tuple[str, ...]) -> float:
    """How far a name is that of a thing: `the PX4 autopilot` is PX4's to a half."""
    if name == thing:
        return 1.0
    longer = len(name) - len(thing)
    near = 0 < longer <= 2 and (name[: len(thing)] == thing or name[longer:] == thing)
    return 0.5 if near else 0.0


@lru_cache(maxsize=_KEPT)
def _known(text: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    return tuple(_defined(text))


def _defined(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The names of what a text defines, and whether it says what that `is`, or what it `does`."""
    for match in _SAYS.finditer(text):
        if name := _name(match["thing"]):
            yield name, "is" if match["is"] else "does"
    for match in _LABEL.finditer(text):
        if name := _name(match["thing"]):
            yield name, "does"
    for match in _EXPANDED.finditer(text):
        short, long = match["short"] or match["before"], match["long"] or match["after"]
        if _abbreviates(short, long):
            yield stems_of(short), "is"


def _name(thing: str) -> tuple[str, ...]:
    first, _, _ = thing.partition(" ")
    if first.lower() in _NO_THING:
        return ()
    name = stems_of(thing)
    return name if len(name) <= _MOST_STEMS else ()


def _abbreviates(short: str, long: str) -> bool:
    """Whether the letters of one are in the other, in order: EKF in Extended Kalman Filter."""
    letters = iter(long.lower())
    return all(letter in letters for letter in short.lower() if letter.isalpha())
