"""What a request rules out: the stretches of it that a negation governs, and no more.

"without docker and nginx" governs both; "no graphical desktop" the phrase; "not only docker" and "nothing else on it" nothing.
"must never change" does not rule out change: it asks for a system that stays as it is.
"""

from functools import cache
from typing import NamedTuple

from vademecum.desks.composer.patterns import Pattern

_TOKEN = Pattern(r"[^\W_][\w.+/-]*[\w+]|[^\W_]|[,;:.!?()]", flags=0)
_ENDS = frozenset(";:.!?()")
_TRIGGERS = """without any; without the; without; w/o; excluding; exclude; excludes; excluded; except for; except; apart from;
other than; anything but; rather than; instead of; free of; lacking; lacks; minus; omit; avoid; avoiding; skip; skipping; leave out;
leaving out; must not be; must not have; must not contain; must not include; should not be; should not have; do not want; do not need;
does not need; do not include; do not install; don't want; don't need; don't include; don't install; doesn't need; does not have;
doesn't have; nothing with; nothing like; nothing from; neither; nor; non; not; no"""
"""What begins a negation; of two that fit the longer one does."""

_NO_NEGATIONS = """not only; not just; not merely; not necessarily; not sure; not too; not very; not so; not yet; not like; no longer;
no matter; no need; no more than; no less than; no idea; no one; no problem; no doubt; no questions; nothing else; nothing fancy;
apart from that"""
_REFUSALS = """not wanted; not allowed; not welcome; not acceptable; not desired; not permitted; not an option; unwanted; undesired;
forbidden; prohibited; banned; is out of the question"""
"""What stands behind the thing that it rules out: "docker not wanted"."""

_ANYTHING = frozenset(
    [
        "anything",
        "everything",
        "something",
        "all",
        "whatever",
        "things",
        "stuff",
        "software",
        "packages",
        "programs",
        "tools",
        "any",
    ]
)
_LINKS = frozenset("with like from containing having of using".split())  # noqa: SIM905
"""In "anything with grub" it is grub that is ruled out."""

_AUXILIARIES = frozenset("do does did will would can could may might shall".split())  # noqa: SIM905
_NAMES_IN_ING = frozenset(
    [
        "monitoring",
        "logging",
        "networking",
        "hardening",
        "processing",
        "computing",
        "streaming",
        "learning",
        "swapping",
        "auditing",
        "scripting",
        "printing",
        "routing",
        "booting",
        "virtualising",
        "testing",
        "building",
        "gaming",
        "programming",
        "updating",
    ]
)
"""What ends in `ing` and still names a thing; any other such word begins a new thought."""

_BORDERS = frozenset(
    """but however yet although that which who whose because since so please just only with plus on for in from to at as when
    where while if then is are was were shall should will would can could must may needs has have runs installed get gets""".split()  # noqa: SIM905
)
"""Words that end what a negation governs."""

_MAY_BEGIN = frozenset(["for", "with", "on", "from", "in"])
"""Those that may stand right behind a negation: "not for robots"."""

_SPARED = frozenset("needed required necessary wanted too either also".split())  # noqa: SIM905 - one list reads best
"""What ends a phrase that rules nothing out: "no screen needed", "PCs without UEFI, too"."""

_JOINS = frozenset(["and", "or", "nor", "like"])
_ARTICLES = frozenset(["a", "an", "the", "any", "some", "all", "my", "our", "its", "of", "be", "have"])
_KEPT_AS_IT_IS = frozenset(
    """be been change changed changes changing alter altered modify modified tamper tampered read reading touch touched write
    written sit sits ask asked asks break broken lose lost stop stopped""".split()  # noqa: SIM905
)
"""What must not happen to the image or its data: that is asked for, and rules nothing out."""

_MOST_WORDS = 4
_MOST_THINGS = 50


class Negated(NamedTuple):
    """A thing that is ruled out: its words, where they stand in the request, and the number of its negation.

    "without docker and nginx" are two things of one negation.
    """

    words: str
    start: int
    end: int
    negation: int


class _Token(NamedTuple):
    text: str
    start: int
    end: int


def negated(query: str) -> list[Negated]:
    """The things that a request rules out, in order; nothing of it if it rules out nothing."""
    tokens = [
        _Token(one[0].lower(), one.start(), one.end()) for one in _TOKEN.finditer(query.replace("’", "'"))
    ]
    tokens = _joined_apostrophes(query, tokens)
    found: list[Negated] = []
    at = 0
    while at < len(tokens) and len(found) < _MOST_THINGS:
        if skipped := _matching(tokens, at, _no_negations()):
            at += skipped
        elif tokens[at].text == "not" and at and tokens[at - 1].text in _AUXILIARIES:
            at += 1  # "does not boot": something fails, and nothing is ruled out
        elif refused := _matching(tokens, at, _refusals()):
            found += _said_no_at_the_end(tokens, at)
            at += refused
        elif length := _matching(tokens, at, _triggers()):
            things, after = _governed(tokens, at + length)
            if things:
                found += things
            elif tokens[at].text == "no" and _ends(tokens, at + 1):
                found += _said_no_at_the_end(tokens, at)
            at = max(after, at + length)
        else:
            at += 1
    return found + [
        Negated(one[1].lower(), one.start(1), one.end(1), -one.start())
        for one in list(_FREE_OF.finditer(query))[:_MOST_THINGS]
    ]


_FREE_OF = Pattern(r"\b([\w.+]{3,30})-(?:free|less)\b", flags=0)


def _joined_apostrophes(query: str, tokens: list[_Token]) -> list[_Token]:
    """`don`, `t` as `don't`."""
    made: list[_Token] = []
    for token in tokens:
        if (
            made
            and token.start == made[-1].end + 1
            and query[made[-1].end] in "'’"
            and token.text in {"t", "s", "re"}
        ):
            made[-1] = _Token(f"{made[-1].text}'{token.text}", made[-1].start, token.end)
        else:
            made.append(token)
    return made


def _matching(tokens: list[_Token], at: int, patterns: dict[str, list[tuple[str, ...]]]) -> int:
    """How many tokens the longest pattern takes that begins there; 0 if none does."""
    return max(
        (
            len(one)
            for one in patterns.get(tokens[at].text, ())
            if len(one) <= len(tokens) - at
            and all(tokens[at + step].text == word for step, word in enumerate(one))
        ),
        default=0,
    )


@cache
def _triggers() -> dict[str, list[tuple[str, ...]]]:
    return _by_first(_TRIGGERS)


@cache
def _refusals() -> dict[str, list[tuple[str, ...]]]:
    return _by_first(_REFUSALS)


@cache
def _no_negations() -> dict[str, list[tuple[str, ...]]]:
    return _by_first(_NO_NEGATIONS)


def _by_first(patterns: str) -> dict[str, list[tuple[str, ...]]]:
    """Patterns of words, parted by `;`, by their first word."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for pattern in patterns.split(";"):
        words = tuple(pattern.split())
        found.setdefault(words[0], []).append(words)
    return found


def _ends(tokens: list[_Token], at: int) -> bool:
    return at >= len(tokens) or tokens[at].text in _ENDS or tokens[at].text == ","


def _governed(tokens: list[_Token], at: int) -> tuple[list[Negated], int]:
    """What stands under a negation from there on, as things, and the token after it."""
    things: list[list[_Token]] = [[]]
    begin = at
    while at < len(tokens):
        word = tokens[at].text
        if word in _ENDS or (word in _BORDERS and (things[-1] or word not in _MAY_BEGIN)):
            break
        if word == ",":
            if not _goes_on(tokens, at + 1) or not things[-1]:
                break
            things.append([])
        elif _matching(tokens, at, _triggers()):
            break
        elif not things[-1] and word in _ANYTHING and _text(tokens, at + 1) in _LINKS:
            at += 1
        elif word in _JOINS or (word, _text(tokens, at + 1)) == ("such", "as"):
            following = tokens[at + 1].text if at + 1 < len(tokens) else ""
            if word == "and" and following in {"a", "an", "the", "with", "please", "it", "i"} | _BORDERS:
                break
            if not things[-1] and len(things) == 1:
                break
            things.append([])
        elif (word in _ARTICLES or word in _MAY_BEGIN or word == "as") and not things[-1]:
            pass
        elif len(things[-1]) >= _MOST_WORDS or (
            things[-1] and word.endswith("ing") and word not in _NAMES_IN_ING
        ):
            break
        else:
            things[-1].append(tokens[at])
        at += 1
    made = [
        Negated(" ".join(token.text for token in thing), thing[0].start, thing[-1].end, begin)
        for thing in things
        if thing and thing[0].text not in _KEPT_AS_IT_IS and thing[-1].text not in _SPARED
    ]
    return made, at


def _text(tokens: list[_Token], at: int) -> str:
    return tokens[at].text if at < len(tokens) else ""


def _goes_on(tokens: list[_Token], at: int) -> bool:
    """Whether a list goes on behind a comma: some few words, then `and` or `or`."""
    for step in range(at, min(at + 8, len(tokens))):
        word = tokens[step].text
        if word in _JOINS:
            return step > at
        if word in _ENDS or word in _BORDERS or _matching(tokens, step, _triggers()):
            return False
    return False


def _said_no_at_the_end(tokens: list[_Token], at: int) -> list[Negated]:
    """`robots yes, windows no`: what stands before a `no` that ends its clause."""
    while at and tokens[at - 1].text in {"is", "are", "be", "was"}:
        at -= 1
    begin = at
    while (
        begin
        and tokens[begin - 1].text not in _ENDS
        and tokens[begin - 1].text not in {",", "yes", "and", "but"}
    ):
        begin -= 1
    thing = tokens[begin:at]
    return [Negated(" ".join(one.text for one in thing), thing[0].start, thing[-1].end, at)] if thing else []
