"""Plain words to wishes: what a person asks for, thing by thing, by rules alone.

The order matters: what has a form of its own (accounts, sizes, kernel options) is read first and taken out of the text, so that the words
left over for software are few. Nothing is guessed twice, and nothing is dropped: what is not understood becomes a wish of its own,
of the kind `unknown`, and is shown.
"""

from collections.abc import Collection
from typing import NamedTuple

from vademecum.core.errors import AnswerError
from vademecum.desks.composer.lay_words import phrases
from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.wish import Kind, Secret, Wish

MOST_CHARACTERS = 4_000
"""Of a request. Nobody says as much in one breath."""


class Wishes(NamedTuple):
    """A request, read.

    Attributes:
        request: As said, with a mark in the place of each password.
        wishes: In the order of the words.
        secrets: The passwords, by their marks. They go no further than to who hashes them.
        language: The language it seems to be in, if that is not English; else "".
        theme: The request without accounts and names, which say nothing of what an image is for.
        spared: Stretches that only name what stays as it is.
        unread: The words that nothing was made of.
    """

    request: str
    wishes: tuple[Wish, ...]
    secrets: dict[str, Secret]
    language: str = ""
    theme: str = ""
    spared: tuple[tuple[int, int], ...] = ()
    unread: tuple[str, ...] = ()


def read_wishes(text: str, known: Collection[str] = (), *, in_session: bool = False) -> Wishes:
    """Read a request.

    Args:
        text: As a person said it.
        known: Names of packages that the library and the package indexes have.
        in_session: Whether there is a template in work that the words may be about.

    Raises:
        AnswerError: There is nothing in it, or too much.
    """
    from vademecum.desks.composer.measures import in_digits  # noqa: PLC0415 - not for who only looks at wishes
    from vademecum.desks.composer.reading import (  # noqa: PLC0415 - not for who only looks at wishes
        disk,
        impossible,
        kernel,
        names,
        outputs,
        partitions,
        software,
        system,
        target,
        users,
    )
    from vademecum.desks.composer.reading.language import in_english, language_of, spelled_right  # noqa: PLC0415 - the same
    from vademecum.desks.composer.reading.leftover import unread  # noqa: PLC0415 - the same
    from vademecum.desks.composer.reading.passwords import hide  # noqa: PLC0415 - the same
    from vademecum.desks.composer.reading.request import TAKEN, Request  # noqa: PLC0415 - the same

    if len(text) > MOST_CHARACTERS:
        message = f"The request has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read."
        raise AnswerError(message, hint="Say in a few sentences what the image shall be.")
    plain = "".join(_PLAIN.get(one, one if one.isprintable() or one == "\n" else " ") for one in text)
    if not any(map(str.isalnum, plain)):
        raise AnswerError(
            "The request is empty.",
            hint='Say what the image shall be, as in: "minimal Debian 13 server with nginx"',
        )
    plain = _ENDLESS.sub(lambda found: found[0][:_LONGEST_WORD], plain)
    plain = _IDIOM.sub("minimal", plain)
    hidden = hide(spelled_right(in_digits(plain)))
    language = language_of(hidden.text)
    if language:
        hidden = hidden._replace(text=in_english(hidden.text))
    hidden = hidden._replace(text=_CLIENT_ONLY.sub(r"\g<name> client", hidden.text))
    hidden = hidden._replace(text=_JOINED.sub(" + ", hidden.text))
    request = Request(hidden.text, in_session=in_session, secrets=hidden.secrets)
    found: list[Wish] = [*impossible.read_shell(request)]
    for part in (users, names):
        found += part.read(request)
    theme = request.left.replace(TAKEN, " ")
    for part in (partitions, disk, outputs, kernel, system, target):
        found += part.read(request)
    found += impossible.read(request)
    if not any(one.kind == "disk_size" for one in found):
        found += disk.read_bare(request)
    found += software.read(request, known)
    return Wishes(
        hidden.text,
        tuple(_settled(found)),
        hidden.secrets,
        language,
        theme,
        request.spared,
        () if language else unread(request),
    )


_LONGEST_WORD = 200
_ENDLESS = Pattern(rf"\S{{{_LONGEST_WORD},}}", flags=0)
"""No name, path or address is as long; the rest of it is not looked at."""

_IDIOM = Pattern(
    r"\b(?:no|without(?:\s+any)?)[\s-](?:frills?|nonsense|fuss|bloat|bells\s+(?:and|or)\s+whistles)\b"
)
_CLIENT_ONLY = Pattern(
    r"\b(?P<name>[\w.-]+)\s*,?\s*(?:but\s+)?(?:(?:not|no)\s+the\s+server\s*,?\s*)?(?:but\s+)?(?:just|only)\s+(?:the|its)\s+clients?\b"
)
_JOINED = Pattern(r"(?<=[A-Za-z0-9])\+(?=[A-Za-z])", flags=0)
"""nginx+redis are two."""

_PLAIN = {
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
    "„": '"',
    "\u00a0": " ",
    "\u202f": " ",
    "\t": " ",
    "\r": "\n",
}


def _settled(wishes: list[Wish]) -> list[Wish]:
    """In the order of the words, what is said twice only once, and of what contradicts itself the last."""
    made: list[Wish] = []
    for wish in _agreed(sorted(wishes, key=lambda one: one.start)):
        same = [
            at
            for at, one in enumerate(made)
            if (one.kind, one.value, one.wanted) == (wish.kind, wish.value, wish.wanted)
        ]
        if same and wish.kind == "impossible":
            before = made[same[0]]
            both = before.said if wish.said in before.said else f"{before.said}, {wish.said}"
            made[same[0]] = before._replace(said=both)
        elif same and wish.kind not in {"unknown", "network"}:
            before = made[same[0]]
            made[same[0]] = before._replace(
                details={**wish.details, **before.details},
                secret=before.secret or wish.secret,
                note=before.note or wish.note,
            )
        else:
            made.append(wish)
    return made


_OF_WHICH_ONE: frozenset[Kind] = frozenset(
    ["hostname", "image_name", "image_version", "description", "disk_size", "timezone", "kernel_version", "partition_table"]
)  # fmt: skip
"""Kinds of which a template has one value."""

_YES_OR_NO: frozenset[Kind] = frozenset(["encryption", "read_only_root", "secure_boot", "swap", "grow"])
"""Kinds of which a template has one, or none."""

_EACH_YES_OR_NO: frozenset[Kind] = frozenset(
    ["package", "service", "kernel_module", "kernel_flavour", "unknown"]
)
"""Kinds of which a template has each one, or not."""


def _agreed(wishes: list[Wish]) -> list[Wish]:
    """The wishes, where those that a later one contradicts can not be had: that one counts."""
    last = {_about(one): one for one in wishes}
    made = []
    for one in wishes:
        about = _about(one)
        counts = last[about] if about else one
        if counts.wanted != one.wanted or (one.kind in _OF_WHICH_ONE and counts.value != one.value):
            why = _contradiction(one, counts)
            one = one._replace(kind="impossible", value=why, details={}, secret=None)  # noqa: PLW2901 - the same words
        made.append(one)
    return made


def _about(wish: Wish) -> tuple[Kind, str] | None:
    """What a wish must agree about with all others of the request; `None` if nothing."""
    if wish.kind in _EACH_YES_OR_NO:
        return wish.kind, phrases().get(wish.value, wish.value) if wish.kind == "package" else wish.value
    if wish.kind in _YES_OR_NO or (wish.kind in _OF_WHICH_ONE and not wish.details):
        return wish.kind, ""
    return None


def _contradiction(wish: Wish, counts: Wish) -> str:
    """Why a wish is not heard."""
    if wish.wanted == counts.wanted:
        return f"It contradicts {counts.said!r}, which is said later and counts."
    how = "asked for" if counts.wanted else "ruled out"
    return f"It contradicts that {counts.said!r} is {how} later, which counts."
