"""Choose what a draft starts from: the target that a request asks for, and its defaults or a template."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

from vademecum.core.errors import AnswerError
from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.editing.geometry import up_to_root
from vademecum.desks.composer.editing.outcome import Outcome
from vademecum.desks.composer.editing.yaml_text import document
from vademecum.desks.composer.image_template import Data, Facts, Template, facts_of, resolve
from vademecum.desks.composer.image_template.capabilities import capabilities_of, says
from vademecum.desks.composer.image_template.model import SYSTEM_OF
from vademecum.desks.composer.image_template.template import mapping
from vademecum.desks.composer.library import Entry, TemplateLibrary
from vademecum.desks.composer.packages.choice import LABELS, is_general, present_of
from vademecum.desks.composer.packages.concepts import concept_of
from vademecum.desks.composer.request.words.vocabulary import section
from vademecum.desks.composer.search.classification import capability_of
from vademecum.desks.composer.search.search import Found
from vademecum.desks.composer.template.check import check, is_sound
from vademecum.desks.composer.wish import TARGET_KEYS, TARGETS, Kind, Wish

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


_USUAL = {"imageType": "raw", "arch": "x86_64"}
"""What is meant where nothing is said of type and architecture."""

_ORDER = ("imageType", "arch", "dist", "os")
"""What is given up first, where not everything can be had."""

_SURELY = 0.7
"""The strength from which on a request surely speaks of a capability."""

_LAYOUT: frozenset[Kind] = frozenset(["disk_size", "partition", "swap", "grow"])
"""Wishes about the disk. The partitions of the defaults that nobody asked for are then left out."""

_BY_FLAG = frozenset(["encrypted", "read-only-root", "secure-boot"])
"""Consequences that are asked for by a flag of their own: a purpose that hints at one does not bring it."""


class Base(NamedTuple):
    """What a draft starts from.

    Attributes:
        document: Its text, parents flattened into it.
        entry: The template that it is; `None` for bare defaults.
        outcomes: What of the target could not be had.
    """

    document: Document
    file: str
    entry: Entry | None
    outcomes: tuple[Outcome, ...]
    says: str
    target: dict[str, str]


class Asked(NamedTuple):
    """What decides between templates of a target.

    Attributes:
        named: Capabilities that are asked for by name or brought by software that is.
        needs: Those of them that only a template can bring, and the purposes that are surely spoken of and that no software which
            is asked for serves.
        lays_out: Whether it says something of the disk.
        has_format: Whether it names a format of the image file.
    """

    named: frozenset[str]
    surely: frozenset[str]
    needs: frozenset[str]
    packages: tuple[str, ...]
    lays_out: bool
    has_format: bool


def asked_of(wishes: Iterable[Wish], strengths: Mapping[str, float]) -> Asked:
    """What a request asks for that a template may have."""
    wishes = tuple(wishes)
    wanted = [
        wish for wish in wishes if wish.wanted and not (wish.kind == "capability" and wish.value in _BY_FLAG)
    ]
    packages = tuple(wish.value for wish in wanted if wish.kind == "package")
    given = {name for package in packages if not is_general(package) for name in _given_by(package)}
    named = {name for wish in wanted if (name := capability_of(wish))}
    abilities = {wish.value for wish in wanted if wish.kind == "capability"}
    if "secure-boot" in named:
        named.add("read-only-root")
    ruled_out = {capability_of(wish) for wish in wishes if not wish.wanted}
    spoken = {name: strength for name, strength in strengths.items() if name not in ruled_out}
    surely = frozenset(name for name, strength in spoken.items() if strength >= _SURELY)
    only_there = frozenset(abilities - given - {"minimal"})
    return Asked(
        frozenset(named | given),
        surely,
        only_there | (surely & section("unasked") - given),
        packages,
        any(wish.kind in _LAYOUT for wish in wanted),
        any(wish.kind == "artifact" for wish in wanted),
    )


def select(
    target: Target, asked: Asked, found: Found, library: TemplateLibrary, *, preferred: str = ""
) -> Base:
    """The template to start from."""
    sound = [entry for entry in library.templates if not entry.problems] or list(library.templates)
    if not sound:
        raise AnswerError(
            "There are no templates to start from.",
            hint="Correct ai.templates_dir, or leave it out for the templates of the package.",
        )
    overlay = "overlay" in asked.named
    eligible = [
        entry
        for entry in sound
        if entry.facts.overlay == overlay
        and not _consequences(entry) - asked.named
        and not target.unwanted & {str(getattr(entry.facts, name)) for name in TARGET_KEYS}
    ]
    scores = {ranked.file: ranked.score for ranked in found.ranked}

    def key(entry: Entry) -> tuple[float, ...]:
        able = set(entry.indexed.capabilities)
        unasked = (able & section("unasked")) - asked.surely - asked.named
        lacks = len(asked.needs - able) + sum(_brings(entry.facts, package) for package in asked.packages)
        return lacks, len(unasked), -scores.get(entry.file, 0.0), len(entry.facts.packages)

    order = sorted(eligible, key=lambda entry: (*key(entry), entry.file))
    said = [field for field in _ORDER if field in target.values]
    if named := library.entry(preferred) if preferred else None:
        has = _target_of(named)
        other = [field for field in said if has[field] != target.values[field]]
        return _on(named, library)._replace(outcomes=_given_up(other, target, has))
    for count in range(len(said) + 1):
        for lost in combinations(said, count):
            if "os" in lost and "dist" in said and "dist" not in lost:
                continue
            wanted = {field: value for field, value in target.values.items() if field not in lost}
            if made := _base(wanted, asked, order, sound, library):
                return made._replace(outcomes=_given_up(lost, target, made.target))
    raise AnswerError(
        "There is no template to start from.",
        hint="Name another distribution, or another folder of templates.",
    )


def _base(
    wanted: dict[str, str],
    asked: Asked,
    order: Sequence[Entry],
    sound: Sequence[Entry],
    library: TemplateLibrary,
) -> Base | None:
    """The defaults of a target, or the first template where only that has what is asked for; `None` if there is neither."""
    usual = {**_USUAL, **wanted}
    best = next((entry for entry in order if _fits(entry.facts, usual)), None)
    if best is None and "os" not in wanted and not wanted.keys() & _USUAL.keys():
        best = next((entry for entry in order if _fits(entry.facts, wanted)), None)
    is_needed = best is not None and (
        best.facts.overlay
        or bool(asked.needs & {*best.indexed.capabilities})
        or any(_brings(best.facts, package) < 0 for package in asked.packages)
    )
    if not is_needed:
        near = _target_of(best) if best is not None else {}
        bare = _bare({**near, **usual}, sound, library, lays_out=asked.lays_out)
        if bare is not None:
            return bare
    if best is None:
        return None
    made = _on(best, library)
    return (
        made if asked.has_format or best.facts.overlay else made._replace(document=_only_raw(made.document))
    )


def _on(entry: Entry, library: TemplateLibrary) -> Base:
    return Base(
        flattened(entry, library), entry.file, entry, (), f"It is based on {entry.stem}.", _target_of(entry)
    )


def _only_raw(document: Document) -> Document:
    """Return a template that is written as a raw file alone: nobody inherits file formats."""
    found = document.get("disk", "artifacts")
    if document.get("target", "imageType") != "raw" or not isinstance(found, list):
        return document
    raw = [artifact for artifact in found if mapping(artifact).get("type") == "raw"] or [{"type": "raw"}]
    return document if raw == found else document.set(("disk", "artifacts"), raw)


def _target_of(entry: Entry) -> dict[str, str]:
    return {field: str(getattr(entry.facts, name)) for name, field in TARGET_KEYS.items()}


def _consequences(entry: Entry) -> frozenset[str]:
    """What changes how a system is used: nobody inherits it who has not asked for it."""
    facts = entry.facts
    return frozenset(
        name
        for name, has in {
            "encrypted": facts.encrypted,
            "read-only-root": facts.read_only_root,
            "secure-boot": facts.secure_boot,
            "slots": "slots" in entry.indexed.capabilities,
        }.items()
        if has
    )


def _given_by(package: str) -> tuple[str, ...]:
    """The capabilities that a package gives an image, whatever it is based on."""
    concept = concept_of(package)
    names = tuple({package, *(concept.every_name() if concept else ())})
    return tuple(name for name in capabilities_of(Facts(packages=names)) if name not in _given_by_nothing())


@cache
def _given_by_nothing() -> frozenset[str]:
    return frozenset(capabilities_of(Facts()))


def _brings(facts: Facts, package: str) -> int:
    """Return 1 if the release of a template has no package for some software; -1 if the template has it nevertheless; else 0."""
    concept = concept_of(package)
    if concept is None or concept.names(facts.distribution, facts.version) != ():
        return 0
    return -1 if present_of(package, facts.packages) else 1


def _fits(facts: Facts, wanted: Mapping[str, str]) -> bool:
    return all(
        getattr(facts, name) == wanted[field] for name, field in TARGET_KEYS.items() if field in wanted
    )


def _given_up(lost: Collection[str], target: Target, values: Mapping[str, str]) -> tuple[Outcome, ...]:
    outcomes = []
    for field in lost:
        wish = next((wish for wish in target.open if TARGET_KEYS[wish.kind] == field), None)
        if wish:
            others = " ".join(
                LABELS.get(value, value) for key, value in target.values.items() if key not in {field, "os"}
            )
            why = f"There is neither a template nor defaults for {LABELS.get(wish.value, wish.value)}{f' with {others}' if others else ''}; {LABELS.get(values[field], values[field])} is taken."
            outcomes.append(Outcome(wish, "undeliverable", why))
    return tuple(outcomes)


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


def _bare(
    wanted: Mapping[str, str], entries: Sequence[Entry], library: TemplateLibrary, *, lays_out: bool
) -> Base | None:
    """A template of the defaults alone; `None` where there are no defaults for the target, or where they are at fault."""
    releases = [entry.facts.version for entry in entries if entry.facts.distribution == wanted.get("os")]
    for release in dict.fromkeys([wanted["dist"]] if "dist" in wanted else releases):
        target = {
            "os": wanted["os"],
            "dist": release,
            "arch": wanted["arch"],
            "imageType": wanted["imageType"],
        }
        defaults = library.defaults_of(dict(target))
        if SYSTEM_OF.get(release) != target["os"] or not isinstance(defaults, Template):
            continue
        name = f"{release}-{target['arch']}-{target['imageType']}"
        label = LABELS.get(target["os"], target["os"])
        data: Data = {
            "image": {"name": name, "version": "1.0.0"},
            "target": dict(target),
            "systemConfig": {"name": name, "description": f"{label} for {target['arch']}", "packages": []},
        }
        if mapping(mapping(defaults.data.get("systemConfig")).get("immutability")).get("enabled"):
            data["systemConfig"]["immutability"] = {"enabled": False}
        if lays_out and (shorter := up_to_root(mapping(defaults.data.get("disk")))):
            data["disk"] = shorter
        if target["imageType"] == "wsl2":
            data["disk"] = {"name": name, "artifacts": [{"type": "tar", "compression": "gz"}]}
        file = f"{release}/{name}.yml"
        if all(map(is_sound, check(data, library=library, file=file))):
            says = f"It is made of the defaults of {label} ({release})."
            return Base(Document.read(document(data), file), file, None, (), says, target)
    return None


def described(document: Document, library: TemplateLibrary, file: str, based_on: str) -> Document:
    """Return a draft without the metadata of its template, with a description of its own, and with a comment that says whose comments it has."""
    facts = facts_of(library.resolve(document.data, file))
    if document.get("metadata") is not None:
        document = document.remove(("metadata",))
    if document.get("systemConfig", "description"):
        label = LABELS.get(facts.distribution, facts.distribution)
        words = f"{label} ({facts.version}) for {facts.architecture}. {says(frozenset(capabilities_of(facts)))}".strip()
        document = document.set(("systemConfig", "description"), words)
    return document._replace(
        text=f"# Drafted from {based_on}, whose comments follow.\n{document.text.lstrip()}"
    )
