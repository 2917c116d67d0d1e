"""Add and remove packages."""

import re
from collections.abc import Iterable

from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.editing.outcome import Done, Outcome, Scene, already, delivered, undeliverable
from vademecum.desks.composer.image_template import facts_of
from vademecum.desks.composer.image_template.capabilities import capabilities
from vademecum.desks.composer.packages.choice import (
    LABELS,
    choose,
    has_capability,
    kernel_package,
    meant_to_go,
)
from vademecum.desks.composer.packages.concepts import concept_of
from vademecum.desks.composer.wish import Wish
from vademecum.text.patterns import Pattern

PACKAGES = ("systemConfig", "packages")


def change_package(document: Document, wish: Wish, scene: Scene) -> Done:
    """Add or take out the packages of a wish."""
    if wish.wanted and _KERNELS.fullmatch(wish.value):
        return _kernel(document, wish, scene)
    return _added(document, wish, scene) if wish.wanted else _removed(document, wish, scene)


_KERNELS = Pattern(r"linux-image-[a-z0-9.*-]+|kernel-(?:rt|lt|ml|64k|longterm|mainline)", flags=0)
"""Packages that are the kernel itself, and not something beside it."""


def _kernel(document: Document, wish: Wish, scene: Scene) -> Done:
    kernel = scene.section(document, "systemConfig", "kernel")
    now = (
        [one for one in kernel.get("packages", []) if isinstance(one, str)]
        if isinstance(kernel.get("packages"), list)
        else []
    )
    if wish.value in now:
        return already(document, wish, f"The kernel is {wish.value} already.", packages=(wish.value,))
    done = document.set(("systemConfig", "kernel", "packages"), [wish.value])
    if done.get(
        "systemConfig", "kernel", "version"
    ):  # a version pinned beside another kernel would not be its own
        done = done.remove(("systemConfig", "kernel", "version"))
    return delivered(
        done,
        wish,
        f"The kernel is {wish.value} (was {', '.join(now) or 'the default'}).",
        packages=(wish.value,),
    )


def _own(document: Document) -> tuple[str, ...]:
    found = document.get(*PACKAGES)
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


def _all(document: Document, scene: Scene) -> tuple[str, ...]:
    found = scene.section(document, "systemConfig").get("packages")
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


def _added(document: Document, wish: Wish, scene: Scene) -> Done:
    distribution = str(document.get("target", "os") or "")
    own = _own(document)
    chosen = choose(
        wish.value,
        distribution,
        _all(document, scene),
        scene.known | {wish.value} if wish.detail("indexed") else scene.known,
        scene.elsewhere,
        release=str(document.get("target", "dist") or ""),
        anyway="yes" in {wish.detail("anyway"), wish.detail("plausible")},
        vendored=bool(scene.resolved(document).get("packageRepositories")),
    )
    if not chosen.names:
        return undeliverable(document, wish, chosen.why_not)
    every = _all(document, scene)
    new = [one for one in chosen.names if one not in every]
    place = own.index(wish.detail("at")) if wish.detail("at") in own else None
    for number, name in enumerate(new):
        document = document.append(PACKAGES, name, None if place is None else place + number)
    note = "; ".join(one for one in (chosen.note, wish.note, _of_release(wish, chosen.names)) if one)
    tail = f" ({note})" if note else ""
    names = tuple(dict.fromkeys((*chosen.present, *chosen.names)))
    if new:
        return delivered(document, wish, f"Added {', '.join(new)}{tail}.", packages=names)
    inherited = [one for one in names if one not in own]
    where = "comes with the defaults" if inherited else "is there already"
    return already(document, wish, f"{', '.join(names)} {where}{tail}.", packages=names)


def _of_release(wish: Wish, names: tuple[str, ...]) -> str:
    """What is to be said of a release that was asked for."""
    release = wish.detail("release")
    if not release or any(release in name for name in names):
        return ""
    return f"in the release that the distribution has: a template does not choose {release}"


def _removed(document: Document, wish: Wish, scene: Scene) -> Done:
    own, every = _own(document), _all(document, scene)
    going = meant_to_go(wish.value, every)
    done = without(document, going)
    left = meant_to_go(wish.value, _all(done, scene))
    if more := tuple(one for one in left if one in own and one.startswith(f"{wish.value}-")):
        going = (*going, *more)
        done = without(done, more)
        left = tuple(one for one in left if one not in more)
    if left:  # what only bears the name in its own stays beside what cannot go
        named = concept.every_name() if (concept := concept_of(wish.value)) else frozenset()
        going = tuple(one for one in going if one == wish.value or one in named)
        done = without(document, going)
    return _taken_out(document, done, wish, tuple(one for one in going if one in own), left)


def without(document: Document, names: Iterable[str]) -> Document:
    """The template without some of its own packages."""
    for name in names:
        own = _own(document)
        if name in own:
            document = document.remove((*PACKAGES, list(document.get(*PACKAGES)).index(name)))
    return document


def _taken_out(
    before: Document, after: Document, wish: Wish, gone: tuple[str, ...], left: tuple[str, ...]
) -> Done:
    label = LABELS.get(str(before.get("target", "os")), "the distribution")
    if left:
        verb = "comes" if len(left) == 1 else "come"
        why = f"{', '.join(left)} {verb} with the defaults of {label}, and a template cannot take inherited packages out."
        why = f"Removed {', '.join(gone)}; {why}" if gone else why
        return undeliverable(after, wish, why)
    if gone:
        after, says = _without_commands(after, gone)
        done = delivered(after, wish, f"Removed {', '.join(gone)}.{says}", packages=gone)
        return Done(after, done.outcome._replace(state="asked back")) if says else done
    return already(before, wish, f"It has no {wish.value}.")


def _without_commands(document: Document, gone: tuple[str, ...]) -> tuple[Document, str]:
    """The template without commands that only start services of packages that are gone; others that name one are named."""
    names = {name for package in gone for name in (package, re.sub(r"[-.]?[0-9.]+$", "", package))}
    commands = document.get("systemConfig", "configurations")
    left = []
    for at in range(len(commands) - 1, -1, -1) if isinstance(commands, list) else ():
        command = commands[at].get("cmd") if isinstance(commands[at], dict) else None
        if not isinstance(command, str) or not names & set(
            re.findall(r"[\w.+-]+", command.replace(".service", ""))
        ):
            continue
        enabling = re.fullmatch(
            r"(systemctl\s+(?:enable|start)(?:\s+--now)?)((?:\s+[\w@.-]+)+)", command.strip()
        )
        if not enabling:
            left.append(command.strip()[:60])
            continue
        units = [unit for unit in enabling[2].split() if unit.removesuffix(".service") not in names]
        place = ("systemConfig", "configurations", at)
        document = (
            document.set((*place, "cmd"), " ".join([enabling[1], *units]))
            if units
            else document.remove(place)
        )
    return document, f" A command still speaks of it: {'; '.join(left)}." if left else ""


def change_capability(document: Document, wish: Wish, scene: Scene) -> Done:
    """Take out whatever gives an image a capability, or say whether it has one. What gives it one is asked for by name."""
    if wish.wanted:
        return _able(document, wish, scene)
    own = _own(document)
    going = has_capability(wish.value, own)
    done = without(document, going)
    return _taken_out(document, done, wish, going, has_capability(wish.value, _all(done, scene)))


def _able(document: Document, wish: Wish, scene: Scene) -> Done:
    """Return whether the template can do something already. What it should do it by is not guessed."""
    if wish.value == "minimal":
        return _minimal(document, wish, scene)
    capability = next(found for found in capabilities() if found.name == wish.value)
    if not capability.test(facts_of(scene.library.resolve(document.data, scene.file))):
        why = "Nothing in the template is known to be for this. Name the software, or the setting, that is to do it."
        return Done(document, Outcome(wish, "asked back", why))
    giving = has_capability(wish.value, tuple(scene.packages(document)))
    return already(
        document, wish, f"It has {', '.join(giving[:3])} for this." if giving else f"{capability.says}."
    )


def _minimal(document: Document, wish: Wish, scene: Scene) -> Done:
    """As little as possible: a template is chosen for it, and nothing is taken out of one that is in work."""
    number = len(scene.packages(document))
    if scene.drafting:
        return already(document, wish, f"It has {number} packages, with those of the defaults.")
    if "else" in wish.said or "more" in wish.said:
        return already(document, wish, "Nothing else was changed.")
    why = f"It has {number} packages, and none is taken out that is not named: say which, or ask for a new image."
    return undeliverable(document, wish, why)


def change_kernel_flavour(document: Document, wish: Wish, scene: Scene) -> Done:
    """Another kernel in the place of the one that is there."""
    target = scene.section(document, "target")
    name, why = kernel_package(wish.value, str(target.get("dist", "")), str(target.get("arch", "")))
    kernel = scene.section(document, "systemConfig", "kernel")
    now = (
        [one for one in kernel.get("packages", []) if isinstance(one, str)]
        if isinstance(kernel.get("packages"), list)
        else []
    )
    is_rt = [one for one in now if "rt" in one.replace("_", "-").split("-") or "realtime" in one]
    if not wish.wanted:
        if not is_rt:
            return already(document, wish, "It has no such kernel.")
        name, why = kernel_package("generic", str(target.get("dist", "")), str(target.get("arch", "")))
    elif wish.value == "rt" and is_rt:
        document = (
            document
            if document.get("systemConfig", "kernel", "packages")
            else document.set(("systemConfig", "kernel", "packages"), now)
        )
        return already(document, wish, f"It has {', '.join(is_rt)} already.", packages=tuple(is_rt))
    if not name:
        return undeliverable(document, wish, why)
    if name in now:
        return already(document, wish, f"It has {name} already.", packages=(name,))
    if target.get("imageType") == "wsl2":
        return undeliverable(document, wish, "an image for WSL has no kernel of its own.")
    done = document.set(("systemConfig", "kernel", "packages"), [name])
    if done.get(
        "systemConfig", "kernel", "version"
    ):  # a version pinned beside another kernel would not be its own
        done = done.remove(("systemConfig", "kernel", "version"))
    return delivered(
        done, wish, f"The kernel is {name} (was {', '.join(now) or 'the default'}).", packages=(name,)
    )
