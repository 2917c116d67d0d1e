"""Determine the target that a request asks for, and the parts of it that are unavailable."""

from collections.abc import Iterable
from typing import NamedTuple

from vademecum.core.errors import AnswerError
from vademecum.desks.composer.editing.outcome import Outcome
from vademecum.desks.composer.image_template.model import SYSTEM_OF
from vademecum.desks.composer.packages.choice import LABELS
from vademecum.desks.composer.wish import TARGET_KEYS, TARGETS, Wish

RELATIVES = {
    "fedora": "redhat-compatible-distro",
    "oracle-linux": "redhat-compatible-distro",
    "amazon-linux": "redhat-compatible-distro",
    "photon": "azure-linux",
    "linux-mint": "ubuntu",
    "kali": "debian",
    "raspberry-pi-os": "debian",
}
"""What stands nearest to distributions that no template can be made for."""

_ARCHITECTURES = ("x86_64", "aarch64", "armv7hl")


class Target(NamedTuple):
    """The target that a request asks for.

    Attributes:
        values: `os`, `dist`, `arch`, `imageType`, as far as they are said and can be had.
        open: The wishes that are in `values`.
    """

    values: dict[str, str]
    outcomes: tuple[Outcome, ...]
    open: tuple[Wish, ...]
    unwanted: frozenset[str] = frozenset()


def target_of(wishes: Iterable[Wish]) -> Target:
    """What the wishes say of the target. Of two that contradict each other the first one counts, and the other is named."""
    target: dict[str, str] = {}
    outcomes: list[Outcome] = []
    taken: list[Wish] = []
    wishes = [one for one in wishes if one.kind in TARGETS]
    unwanted = {one.value for one in wishes if not one.wanted}
    for wish in sorted((one for one in wishes if one.wanted), key=lambda one: one.kind != "version"):
        value, why = _possible(wish)
        field = TARGET_KEYS[wish.kind]
        if why:
            outcomes.append(Outcome(wish, "undeliverable", why))
        if not value:
            continue
        if field in target and target[field] != value:
            outcomes.append(Outcome(wish, "undeliverable", _contradiction(wish, target[field])))
            continue
        if wish.kind == "version":
            system = SYSTEM_OF[value]
            if target.get("os", system) != system:
                outcomes.append(
                    Outcome(
                        wish, "undeliverable", _contradiction(wish, LABELS.get(target["os"], target["os"]))
                    )
                )
                continue
            target["os"] = system
        target[field] = value
        if not why:
            taken.append(wish)
    foreign = next(
        (
            outcome.wish
            for outcome in outcomes
            if outcome.wish.kind == "distribution" and outcome.wish.value not in LABELS
        ),
        None,
    )
    if foreign is not None and "os" not in target:
        near = RELATIVES.get(foreign.value, "")
        nearest = f" Its nearest relative is {LABELS[near]}." if near else ""
        message = f"No image of {foreign.said or foreign.value} can be made: it is not among the distributions of the templates."
        raise AnswerError(
            message, hint=f"There are {', '.join(LABELS.values())}.{nearest} Ask again with one of them."
        )
    return Target(target, tuple(outcomes), tuple(taken), frozenset(unwanted))


def _possible(wish: Wish) -> tuple[str, str]:
    """The value that a wish for the target comes to, and what is wrong with it ("" if nothing)."""
    said = wish.said or wish.value
    if wish.kind == "distribution":
        if wish.value in LABELS:
            return wish.value, ""
        return "", f"No image of {said} can be made. There are {', '.join(LABELS.values())}."
    if wish.kind == "version":
        if wish.value in SYSTEM_OF:
            return wish.value, ""
        system = next(
            (
                one
                for dist, one in SYSTEM_OF.items()
                if dist.rstrip("0123456789") == wish.value.rstrip("0123456789")
            ),
            "",
        )
        known = sorted(
            (dist for dist, one in SYSTEM_OF.items() if one == system),
            key=lambda dist: int(dist.lstrip("abcdefghijklmnopqrstuvwxyz") or 0),
        )
        if not known:
            return "", ""  # the release of a distribution that is named by itself as not to be had
        number = int("".join(filter(str.isdigit, wish.value)) or 0)
        nearest = min(known, key=lambda dist: abs(int("".join(filter(str.isdigit, dist))) - number))
        return (
            nearest,
            f"There is no {wish.value} among the releases that templates can be made for; the nearest is taken: {nearest}.",
        )
    if wish.kind == "architecture" and wish.value not in _ARCHITECTURES:
        return "", f"No image for {said} can be made. There are {', '.join(_ARCHITECTURES)}."
    return wish.value, ""


def _contradiction(wish: Wish, taken: str) -> str:
    what = {
        "distribution": "one distribution",
        "version": "one release",
        "architecture": "one architecture",
        "image_type": "one type of image",
    }[wish.kind]
    return f"A template has {what}: {LABELS.get(taken, taken)} is taken, {wish.said or wish.value} needs a template of its own."
