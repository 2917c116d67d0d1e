"""Which template a draft begins with: the nearest one of the target that is asked for, or the bare defaults where the library has none."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from vademecum.core.errors import AnswerError
from vademecum.desks.composer.aiming import Aim
from vademecum.desks.composer.constraints import OS_OF
from vademecum.desks.composer.editing import Outcome
from vademecum.desks.composer.library import Entry, TemplateLibrary
from vademecum.desks.composer.lightness import lightest
from vademecum.desks.composer.naming import LABELS
from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.surgery import Document
from vademecum.desks.composer.template.check import check, is_sound
from vademecum.desks.composer.wish import TARGET_KEYS
from vademecum.desks.composer.writing import document
from vademecum.sources.image_template import Data, Template, resolve

_HINTS = {"iso": ("installer", "rescue"), "img": ("netboot",), "wsl2": ("wsl",)}
_SPOKEN = 0.35
"""The strength from which on a capability counts as asked for."""

_SURELY = 0.6
"""The strength from which on it decides on architecture or type."""


_ON_A_DISK = Pattern(r"\b(?:server|cloud|vms?|qcow2?|vhdx?|vmdk|hyper-?v|virtual|disk|drive|partition)\b")


def usual_for(strengths: Mapping[str, float], words: str) -> dict[str, frozenset[str]]:
    """What is meant where nothing is said of architecture and type, by what the words speak of."""
    types = {
        kind for kind, names in _HINTS.items() if any(strengths.get(name, 0.0) >= _SURELY for name in names)
    }
    if _ON_A_DISK.search(words):
        types -= {"img", "wsl2"}
    arm = strengths.get("arm", 0.0) >= _SURELY
    return {"imageType": frozenset(types or {"raw"}), "arch": frozenset(["aarch64"] if arm else ["x86_64"])}


_HEAVY = {
    "read-only-root": 0.08, "encrypted": 0.12, "secure-boot": 0.12, "slots": 0.08, "real-time": 0.08, "desktop": 0.10, "kiosk": 0.10,
    "signage": 0.10, "robotics": 0.12, "kubernetes": 0.12, "video-analytics": 0.12, "inference": 0.06, "gpu-compute": 0.12,
    "virtualisation": 0.10, "rescue": 0.08, "selinux": 0.04, "handheld": 0.10, "coding-agent": 0.08, "replaces-kernel": 0.10, "router": 0.08,
    "database": 0.08, "industrial": 0.06, "storage": 0.08, "continuous-integration": 0.08, "ostree": 0.06, "built-drivers": 0.08, "npu": 0.06,
    "virtual-desktop": 0.10, "depth-camera": 0.08, "simulation": 0.08, "early-boot-module": 0.06, "intel-kernel": 0.08, "satellite": 0.06,
    "cloud": 0.04, "containers": 0.08, "web-server": 0.08, "monitoring": 0.10, "mqtt": 0.08, "development": 0.08, "scripted": 0.02, "virtual-functions": 0.06,
}  # fmt: skip
"""What weighs on a template that brings it to somebody who has not asked for it."""


_USED_OTHERWISE = frozenset(
    """read-only-root encrypted secure-boot slots ostree real-time kiosk signage handheld replaces-kernel intel-kernel npu depth-camera
    virtual-functions early-boot-module""".split()  # noqa: SIM905 - one list reads best
)
"""What makes a system another one to use, or is for one kind of machine: nobody gets it for having asked for few packages."""


def _is_plain(entry: Entry, strengths: Mapping[str, float]) -> bool:
    """Whether a template has nothing that changes its use and was not asked for."""
    return not any(
        one in _USED_OTHERWISE and strengths.get(one, 0.0) < _SPOKEN for one in entry.indexed.capabilities
    )


_MUCH, _TOO_MUCH = 0.08, 0.15
"""Where a template weighs more, another one that is there is nearer to what was asked for; and the bare defaults of its distribution are."""


def burden(entry: Entry, strengths: Mapping[str, float]) -> float:
    """What weighs on a template that nobody asked for."""
    return sum(
        weight
        for name, weight in _HEAVY.items()
        if name in entry.indexed.capabilities and strengths.get(name, 0.0) < _SPOKEN
    )


def _asked_for(entry: Entry, strengths: Mapping[str, float]) -> frozenset[str]:
    """What a template can do that weighs, and that was asked for."""
    return frozenset(
        one for one in entry.indexed.capabilities if one in _HEAVY and strengths.get(one, 0.0) >= _SURELY
    )


def by_fit(
    scored: Iterable[tuple[Entry, float]],
    strengths: Mapping[str, float],
    present: Mapping[str, float],
    lacking: Mapping[str, float],
) -> list[Entry]:
    """Templates with the nearest first: by their score, by how much of what is asked for they have, less what nobody asked for.

    Args:
        scored: Templates with their scores.
        strengths: How surely the request speaks of each capability.
        present: The share of the packages asked for that each template has, by file.
        lacking: The share of them that a distribution has no package for, by its release.
    """

    def fit(entry: Entry, score: float) -> float:
        unasked = burden(entry, strengths)
        clean = 0.1 if entry.facts.repositories else 0.0
        return (
            score
            + 0.15 * present.get(entry.file, 0.0)
            - 0.6 * lacking.get(entry.facts.version, 0.0)
            - unasked
            - clean
            - 0.0005 * len(entry.facts.packages)
        )

    return [entry for entry, _ in sorted(scored, key=lambda one: -fit(*one))]


class Base(NamedTuple):
    """What a draft begins with.

    Attributes:
        document: Its text, parents flattened into it.
        file: Where it would lie in the folder of templates.
        entry: The template that it is; `None` for bare defaults.
        outcomes: What of the target could not be had.
        says: In a sentence, which one and why.
        target: What the draft's target is.
    """

    document: Document
    file: str
    entry: Entry | None
    outcomes: tuple[Outcome, ...]
    says: str
    target: dict[str, str]


_ORDER = ("imageType", "arch", "dist", "os")
"""What is given up first, where not everything can be had."""


CONSEQUENTIAL = ("encryption", "read_only_root", "secure_boot", "slots")
"""What changes how a system is used. Nobody inherits it who has not asked for it."""


def unasked(entry: Entry, asked: frozenset[str]) -> frozenset[str]:
    """The consequential things that a template has and nobody asked for."""
    facts = entry.facts
    there = {
        "encryption": facts.encrypted,
        "read_only_root": facts.read_only_root,
        "secure_boot": facts.secure_boot,
        "slots": "slots" in entry.indexed.capabilities,
    }
    return frozenset(name for name, has in there.items() if has and name not in asked)


def base_for(aim: Aim, ranked: Sequence[Entry], library: TemplateLibrary, *, wants_overlay: bool) -> Base:
    """The template to begin with.

    Args:
        aim: What it shall be for.
        ranked: Templates, the nearest to the request first. Others of the library come after them.
        library: All of them.
        wants_overlay: Whether a change of a ready image is asked for.

    Raises:
        AnswerError: There is nothing to begin with.
    """
    order = [*ranked, *(one for one in library.templates if one not in ranked)]
    if not order:
        raise AnswerError(
            "There are no templates to begin with.",
            hint="Correct ai.templates_dir, or leave it out for the templates of the package.",
        )
    sound = [one for one in order if one.facts.overlay == wants_overlay and not one.problems] or order
    sound = [one for one in sound if not unasked(one, aim.asked)]
    sound = [
        one
        for one in sound
        if not aim.unwanted
        & {one.facts.distribution, one.facts.version, one.facts.architecture, one.facts.image_type}
    ] or sound
    if not {"os", "dist"} & aim.target.keys():  # any distribution will do that has what is asked for
        least = min((aim.lacking.get(one.facts.version, 0.0) for one in sound), default=0.0)
        sound = [one for one in sound if aim.lacking.get(one.facts.version, 0.0) <= least]
    said = [field for field in _ORDER if field in aim.target]
    ways = [lost for count in range(len(said) + 1) for lost in combinations(said, count)]
    for usual in (
        True,
        False,
    ):  # an installer or an image for WSL is nothing for somebody who has not asked for one
        for lost in ways:
            if "os" in lost and (usual or ("dist" in aim.target and "dist" not in lost)):
                continue
            wanted = {field: value for field, value in aim.target.items() if field not in lost}
            if made := _base(wanted, aim, sound, library, lost, usual=usual):
                return made
    raise AnswerError(
        "There is no template to begin with.",
        hint="Name another distribution, or another folder of templates.",
    )


def _base(
    wanted: dict[str, str],
    aim: Aim,
    sound: Sequence[Entry],
    library: TemplateLibrary,
    lost: tuple[str, ...],
    *,
    usual: bool,
) -> Base | None:
    """A template of a target, or its bare defaults; `None` if there is neither.

    Args:
        wanted: The target, as far as it is not given up.
        aim: What was asked for.
        sound: The templates, the nearest first.
        library: All of them.
        lost: What is given up.
        usual: Whether what is not said must be as usual.
    """
    fitting = [one for one in sound if _fits(one, wanted)]
    if not fitting:
        made = _bare(wanted, aim.usual, sound, library) if wanted else None
        return made._replace(outcomes=_given_up(lost, aim, made.target)) if made else None
    as_usual = [one for one in fitting if _is_usual(one, wanted, aim.usual)]
    if not as_usual and wanted.get("os"):  # such as a distribution of which the library has an installer only
        made = _bare(wanted, aim.usual, fitting, library)
        if made:
            return made._replace(outcomes=_given_up(lost, aim, made.target))
    if usual and not as_usual:
        return None
    entry = (as_usual or fitting)[0]
    light = [
        one
        for one in as_usual
        if burden(one, aim.strengths) < _MUCH
        and ("os" not in wanted or one.facts.distribution == entry.facts.distribution)
        and _asked_for(one, aim.strengths) >= _asked_for(entry, aim.strengths)
    ]
    if light and burden(entry, aim.strengths) >= _MUCH:
        entry = light[0]
    plain = [
        one
        for one in as_usual or fitting
        if _is_plain(one, aim.strengths)
        and burden(one, aim.strengths) <= burden(entry, aim.strengths)
        and one.facts.version == entry.facts.version
        and _asked_for(one, aim.strengths) >= _asked_for(entry, aim.strengths) - aim.by_packages
    ]
    if plain and not _is_plain(entry, aim.strengths) and not entry.facts.repositories:
        entry = plain[0]
    if aim.minimal and not entry.facts.overlay:
        plain = [one for one in as_usual if _is_plain(one, aim.strengths)]
        entry = lightest(
            entry,
            plain or as_usual,
            aim.strengths,
            {one.file: burden(one, aim.strengths) for one in as_usual},
        )
    if "os" in wanted and not entry.facts.overlay and burden(entry, aim.strengths) >= _TOO_MUCH:
        made = _bare(wanted, aim.usual, as_usual or fitting, library)
        if made:
            says = f"No template of the library is near: {entry.stem} has much that was not asked for. It is made of the defaults of {LABELS.get(made.target['os'], '')} ({made.target['dist']})."
            return made._replace(outcomes=_given_up(lost, aim, made.target), says=says)
    target = {field: str(getattr(entry.facts, name)) for name, field in TARGET_KEYS.items()}
    return Base(
        flattened(entry, library),
        entry.file,
        entry,
        _given_up(lost, aim, target),
        f"It is based on {entry.stem}.",
        target,
    )


def _is_usual(entry: Entry, wanted: dict[str, str], usual: Mapping[str, frozenset[str]]) -> bool:
    """Whether a template has what is meant where nothing is said."""
    return all(
        field in wanted or getattr(entry.facts, name) in usual[field]
        for name, field in TARGET_KEYS.items()
        if field in usual
    )


def _given_up(lost: tuple[str, ...], aim: Aim, target: dict[str, str]) -> tuple[Outcome, ...]:
    outcomes = []
    for field in lost:
        wish = next((one for one in aim.open if TARGET_KEYS[one.kind] == field), None)
        if wish:
            others = " ".join(
                LABELS.get(value, value) for key, value in aim.target.items() if key not in {field, "os"}
            )
            why = f"There is neither a template nor defaults for {LABELS.get(wish.value, wish.value)}{f' with {others}' if others else ''}; {LABELS.get(target[field], target[field])} is taken."
            outcomes.append(Outcome(wish, "undeliverable", why))
    return tuple(outcomes)


def _fits(entry: Entry, wanted: dict[str, str]) -> bool:
    return all(
        getattr(entry.facts, name) == wanted[field] for name, field in TARGET_KEYS.items() if field in wanted
    )


def flattened(entry: Entry, library: TemplateLibrary) -> Document:
    """A template that needs no parents: they are put into it, its own text staying as it is."""
    document = Document.read(entry.template.text, entry.file)
    if "extends" not in document.data:
        return document
    parents = resolve(entry.template, library._parent, lambda _target: None)  # noqa: SLF001 - the defaults stay out
    order = [key for key in document.data if key != "extends"]
    merged = parents.data
    return document.adjusted(
        {
            **{key: merged[key] for key in order if key in merged},
            **{key: value for key, value in merged.items() if key not in order},
        }
    )


def _usually(value: str, usual: frozenset[str] | None) -> str:
    return value if not usual or value in usual else min(usual)


def _bare(
    wanted: dict[str, str],
    usual: Mapping[str, frozenset[str]],
    entries: Sequence[Entry],
    library: TemplateLibrary,
) -> Base | None:
    """A template of the defaults alone, for a target that no template has; `None` where there are no defaults for it either."""
    for entry in entries:
        target = {
            field: wanted.get(field) or _usually(str(getattr(entry.facts, name)), usual.get(field))
            for name, field in TARGET_KEYS.items()
        }
        if OS_OF.get(target["dist"]) != target["os"]:
            continue
        if not isinstance(library.defaults_of(dict(target)), Template):
            continue
        name = f"{target['dist']}-{target['arch']}-{target['imageType']}"
        data: Data = {
            "image": {"name": name, "version": "1.0.0"},
            "target": dict(target),
            "systemConfig": {
                "name": name,
                "description": f"{LABELS.get(target['os'], target['os'])} for {target['arch']}",
                "packages": [],
            },
        }
        if target["imageType"] == "wsl2":
            data = {**data, "disk": {"name": name, "artifacts": [{"type": "tar", "compression": "gz"}]}}
        says = f"No template of the library is for {LABELS.get(target['os'], target['os'])} ({target['dist']}) as {target['imageType']} on {target['arch']}; it is made of the distribution's defaults."
        file = f"{target['dist']}/{name}.yml"
        if not all(
            map(is_sound, check(data, library=library, file=file))
        ):  # the defaults themselves are at fault
            continue
        return Base(Document.read(document(data), file), file, None, (), says, target)
    return None
