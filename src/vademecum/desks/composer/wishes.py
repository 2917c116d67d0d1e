"""Read a request as consistent wishes. Of two that contradict each other, the later one applies and the other is reported."""

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from vademecum.desks.composer.packages.concepts import phrases
from vademecum.desks.composer.wish import ONE_OF_EACH, Kind, Secret, Wish

if TYPE_CHECKING:
    from vademecum.desks.composer.request.frames import Context


class Wishes(NamedTuple):
    """A request, read.

    Attributes:
        secrets: The passwords, by their marks. They go no further than to who hashes them.
        theme: The request without accounts and names, which say nothing of what an image is for.
        base: The file of the template to start from, where a model chose one; "" if not.
    """

    request: str
    wishes: tuple[Wish, ...]
    secrets: dict[str, Secret]
    theme: str = ""
    background: tuple[str, ...] = ()
    hints: tuple[tuple[str, str], ...] = ()
    base: str = ""


def read_wishes(text: str, known: Collection[str] = (), context: "Context | None" = None) -> Wishes:
    """Read a request."""
    from vademecum.desks.composer.request.reading import read  # noqa: PLC0415 - not for who only looks at wishes

    found = read(text, known, context)
    return Wishes(
        found.text,
        tuple(settled(list(found.wishes))),
        found.secrets,
        theme=found.theme,
        background=found.background,
        hints=found.hints,
    )


def settled(wishes: list[Wish]) -> list[Wish]:
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


_YES_OR_NO: frozenset[Kind] = frozenset(["encryption", "read_only_root", "secure_boot", "swap", "grow"])
"""Kinds of which a template has one, or none."""

_EACH_YES_OR_NO: frozenset[Kind] = frozenset(
    ["package", "service", "kernel_module", "kernel_flavour", "unknown"]
)
"""Kinds of which a template has each one, or not."""


def _agreed(wishes: list[Wish]) -> list[Wish]:
    """The wishes, where those that a later one contradicts cannot be had: that one counts."""
    last = {_about(wish): wish for wish in wishes}
    made = []
    for wish in wishes:
        about = _about(wish)
        counts = last[about] if about else wish
        differs = counts.wanted != wish.wanted or (wish.kind in ONE_OF_EACH and counts.value != wish.value)
        if differs and counts.detail("corrects"):
            continue
        if differs:
            why = _contradiction(wish, counts)
            wish = wish._replace(kind="impossible", value=why, details={}, secret=None)  # noqa: PLW2901 - the same words
        made.append(wish)
    return made


def _about(wish: Wish) -> tuple[Kind, str] | None:
    """What a wish must agree about with all others of the request; `None` if nothing."""
    if wish.kind in _EACH_YES_OR_NO:
        return wish.kind, phrases().get(wish.value, wish.value) if wish.kind == "package" else wish.value
    if wish.kind in _YES_OR_NO or (wish.kind in ONE_OF_EACH and not wish.detail("op")):
        return wish.kind, ""
    return None


def _contradiction(wish: Wish, counts: Wish) -> str:
    """Why a wish is not heard."""
    if wish.wanted == counts.wanted:
        return f"It contradicts {counts.said!r}, which comes later and counts."
    how = "asked for" if counts.wanted else "ruled out"
    return f"It contradicts a later part of the request, which counts: {counts.said!r} is {how}."
