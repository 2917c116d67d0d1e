"""Find the thing that a question wants defined, and the sentences that define it.

A sentence defines the thing that it begins with: `uORB is an asynchronous messaging API`, `SITL stands for …`, `Geofence: a virtual
boundary`, `Extended Kalman Filter (EKF)`. An index of running text records what each passage
defines. In a book on one product, the product's name is on every page and does not show where it is explained.
"""

from collections.abc import Iterator
from functools import lru_cache

from vademecum.retrieval.question.question import Question
from vademecum.text.patterns import Pattern
from vademecum.text.words import STOP_WORDS, number, stem

SAYS_WHAT_IT_IS, SAYS_WHAT_IT_DOES = 2, 1
"""How often a passage that says what a thing is, or what it does, counts as having its mark."""

_MOST_STEMS = 5
_LONGEST_QUESTION = 200
_KEPT = 4096

_ASKED = tuple(
    Pattern(pattern)
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
_TAIL = Pattern(r"\s(?:in|of|for|used|when|and how|on|at|by|with|from|to|that|which|called|about)\b.*$")
"""Words that can follow the thing: `in PX4`, `used for`."""

_WORDS_OF_ASKING = frozenset(
    map(
        stem,
        """mean means meaning meant stand stands define defined definition explain term acronym abbreviation word purpose role refer describe
        exactly actually""".split(),  # noqa: SIM905 - one word list reads best
    )
)
_PIECES = Pattern(r"[^\W\d_]+|\d+", flags=0)
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
_SAYS = Pattern(
    rf"{_START}{_THING}(?:, [^.\n]{{3,60}},)? (?:(?P<is>(?:is|are)(?: (?:basically|essentially|simply|just|only|actually|usually|typically|mainly|"
    r"primarily))? (?:an?|the|one|any|our|where|when|what|how)|means?|stands? for|refers? to|denotes?|represents?|"
    r"(?:is|are) (?:defined as|used|designed|intended|responsible|called|known as|software|hardware|data|files?|tools?))"
    r"|(?P<does>(?:also |can |typically |usually |automatically |will |may )?(?:is|are|provides?|allows?|enables?|consists?|contains?|lets?|"
    r"performs?|handles?|controls?|manages?|describes?|defines?|specif(?:y|ies)|determines?|combines?|implements?|hosts?|uses?|"
    r"supports?|makes?|gives?|includes?)))\b"
)
_LABEL = Pattern(
    rf"(?:^|(?<=\n))(?:[•*–-]\s+)?(?:(?:an?|the) )?{_THING}(?:\s?[:–—]|\s-)\s+(?=\w+\s+\w+\s+\w+)"
)
_EXPANDED = Pattern(
    r"\b(?P<long>(?:[A-Z][\w-]*[ -](?:(?:of|and|for|the|in|on|to|a) )?){1,7})\((?P<short>[A-Z][\w/-]{1,9}?)s?\)|"
    r"\b(?P<before>[A-Z][A-Z0-9-]{1,9}) \((?P<after>[A-Za-z][\w-]+(?:[ -][\w-]+){1,6})\)",
    flags=0,
)


def stems_of(thing: str) -> tuple[str, ...]:
    """Return the stems of a name, without stop words. Digits and letters are separated, so that `ROS2` equals `ROS 2`."""
    found = [stem(piece) for piece in _PIECES.findall(thing.lower()) if piece not in STOP_WORDS]
    return tuple(found)


@lru_cache(maxsize=256)
def asked_thing(question: str) -> tuple[str, ...]:
    """Return the stems of the thing that a question asks to define; empty for other questions.

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
    """Remove the terms that only ask for a definition, such as `mean` and `stand for`."""
    if not asked_thing(question.text):
        return question
    kept = tuple(term for term in question.terms if term.text not in _WORDS_OF_ASKING)
    return question._replace(terms=kept) if kept else question


def mark_of(thing: tuple[str, ...]) -> int:
    """Return the term number of passages that define a thing."""
    return number("= " + " ".join(thing))


def marks_in(text: str) -> dict[int, int]:
    """Return the marks of all things that a text defines, each with `SAYS_WHAT_IT_IS` or `SAYS_WHAT_IT_DOES`."""
    return {mark_of(thing): times for thing, times in defined_in(text).items()}


def defined_in(text: str) -> dict[tuple[str, ...], int]:
    """Return the same by the stems of the things."""
    found: dict[tuple[str, ...], int] = {}
    for thing, how in _known(text):
        found[thing] = max(found.get(thing, 0), SAYS_WHAT_IT_IS if how == "is" else SAYS_WHAT_IT_DOES)
    return found


def defines(text: str, thing: tuple[str, ...]) -> tuple[float, float]:
    """Return the degrees (0-1) to which a text says what a thing is, and what it does or has."""
    best = {"is": 0.0, "does": 0.0}
    for name, how in _known(text):
        share = _same(name, thing)
        best[how] = max(best[how], share)
    return best["is"], best["does"]


def first_at(text: str, thing: tuple[str, ...]) -> float:
    """Return the reciprocal position of a thing in a text: 1 for the first word, 0.5 for the second, 0 if missing."""
    found = [stem(piece) for piece in _PIECES.findall(text.lower()) if piece not in STOP_WORDS]
    size = len(thing)
    at = next(
        (place for place in range(len(found) - size + 1) if tuple(found[place : place + size]) == thing), None
    )
    return 0.0 if at is None else 1 / (1 + at)


def _same(name: tuple[str, ...], thing: tuple[str, ...]) -> float:
    """Return the degree to which a name refers to a thing: 0.5 for `the PX4 autopilot` and PX4."""
    if name == thing:
        return 1.0
    longer = len(name) - len(thing)
    near = 0 < longer <= 2 and (name[: len(thing)] == thing or name[longer:] == thing)
    return 0.5 if near else 0.0


@lru_cache(maxsize=_KEPT)
def _known(text: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    return tuple(_defined(text))


def _defined(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Return the names of the things that a text defines, and whether it says what they are or do."""
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
    """Return whether one name contains the letters of the other in order: EKF in Extended Kalman Filter."""
    letters = iter(long.lower())
    return all(letter in letters for letter in short.lower() if letter.isalpha())
