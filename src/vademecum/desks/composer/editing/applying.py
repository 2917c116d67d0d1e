"""Apply wishes one after another, and show the changes."""

from collections.abc import Callable, Collection, Iterable
from difflib import unified_diff

from vademecum.desks.composer.editing import (
    artifacts,
    disk,
    geometry,
    kernel,
    network,
    software,
    system,
    users,
)
from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.editing.outcome import Done, Outcome, Scene, already, delivered, undeliverable
from vademecum.desks.composer.image_template import size_bytes
from vademecum.desks.composer.image_template.facts import MIB, written
from vademecum.desks.composer.image_template.model import field_at
from vademecum.desks.composer.packages.choice import has_capability, is_general, meant_to_go
from vademecum.desks.composer.packages.concepts import concept_of
from vademecum.desks.composer.wish import Kind, Wish

FILES = ("systemConfig", "additionalFiles")


def change_field(document: Document, wish: Wish, scene: Scene) -> Done:
    """A field by its path, such as `disk.selectionPolicy.requireEmpty`."""
    field = field_at(wish.value)
    if field is None:
        return undeliverable(document, wish, f"A template has no field {wish.value}.")
    if wish.value.startswith("disk.selectionPolicy") and document.get("target", "imageType") != "iso":
        return undeliverable(document, wish, "Only an installer picks the disk that it installs on.")
    path = tuple(wish.value.split("."))
    value: object = wish.detail("value") == "true" if field.kind == "switch" else wish.detail("value")
    if document.get(*path) == value:
        return already(document, wish, "It is like that already.")
    if path[0] == "disk" and not isinstance(document.get("disk"), dict):
        document = document.set(
            ("disk",), dict(scene.section(document, "disk")) or {"name": str(document.get("image", "name"))}
        )
    return delivered(document.set(path, value), wish, f"{wish.value} is {wish.detail('value')}.")


def change_file(document: Document, wish: Wish, scene: Scene) -> Done:
    """A file that is copied into the image."""
    del scene
    found = document.get(*FILES)
    rows = found if isinstance(found, list) else []
    at = next(
        (place for place, row in enumerate(rows) if isinstance(row, dict) and row.get("final") == wish.value),
        None,
    )
    if not wish.wanted:
        if at is None:
            return already(document, wish, f"No file is copied to {wish.value}.")
        done = document.remove(FILES) if len(rows) == 1 else document.remove((*FILES, at))
        return delivered(done, wish, f"No file is copied to {wish.value} any more.")
    local = wish.detail("local")
    says = f"{local} is copied to {wish.value}; keep it beside the template."
    if at is None:
        return delivered(document.append(FILES, {"local": local, "final": wish.value}), wish, says)
    if rows[at].get("local") == local:
        return already(document, wish, f"{local} is copied to {wish.value} already.")
    return delivered(document.set((*FILES, at, "local"), local), wish, says)


Edit = Callable[[Document, Wish, Scene], Done]

_EDITS: dict[Kind, Edit] = {
    "package": software.change_package, "capability": software.change_capability, "kernel_flavour": software.change_kernel_flavour,
    "disk_size": disk.change_size, "partition": disk.change_partition, "swap": disk.change_swap, "artifact": artifacts.change_artifact,
    "compression": artifacts.change_artifact, "partition_table": disk.change_disk_field, "grow": disk.change_disk_field,
    "disk_selection": disk.change_disk_field, "user": users.change_user, "kernel_option": kernel.change_option, "kernel_module": kernel.change_module,
    "kernel_version": kernel.change_version, "boot_loader": kernel.change_loader, "boot_type": kernel.change_loader, "hostname": system.change_name,
    "image_name": system.change_name, "image_version": system.change_name, "description": system.change_name, "encryption": system.change_encryption,
    "read_only_root": system.change_read_only_root, "secure_boot": system.change_secure_boot, "network": network.change_network,
    "network_backend": network.change_network, "service": system.change_service, "timezone": system.change_timezone, "repository": system.change_repository,
    "uki": kernel.change_unified, "file": change_file, "field": change_field, "command": system.change_command, "setting": system.change_setting,
}  # fmt: skip
_LAST = ("package", "user", "service")
_FIRST: tuple[Kind, ...] = (
    "disk_size",
    "partition_table",
    "read_only_root",
    "secure_boot",
    "partition",
    "swap",
    "encryption",
)
"""The disk is laid out from its size on, whatever order it is told in."""


def apply(document: Document, wish: Wish, scene: Scene) -> Done:
    """Make one wish true, or say why not. The document is only changed for what was asked."""
    if wish.kind == "impossible":
        return Done(document, Outcome(wish, "undeliverable", wish.value))
    if wish.kind == "unclear":
        return Done(document, Outcome(wish, "asked back", wish.value))
    if wish.kind == "unknown":
        if not wish.wanted and (done := _by_what_is_there(document, wish, scene)):
            return done
        if wish.detail("shape") == "package":
            return Done(
                document,
                Outcome(
                    wish, "undeliverable", f"No package {wish.value} is known, nor one of a name like it."
                ),
            )
        return Done(document, Outcome(wish, "not understood", f"Not understood: {wish.value}."))
    edit = _EDITS.get(wish.kind)
    if edit is None:
        return Done(document, Outcome(wish, "not understood", f"This cannot be changed: {wish.said}."))
    done = edit(document, wish, scene)
    says = done.outcome.says
    begins_with_name = says.startswith((wish.value or "\0", *done.outcome.packages)) or wish.kind == "package"
    return (
        done
        if begins_with_name
        else Done(done.document, done.outcome._replace(says=says[:1].upper() + says[1:]))
    )


def _by_what_is_there(document: Document, wish: Wish, scene: Scene) -> Done | None:
    """Take out a thing that the words alone do not tell the kind of: whatever the template has of that name."""
    name = (
        wish.value.split()[-1]
        if wish.value.split()[-1:] not in ([], ["packages"], ["package"])
        else wish.value.split()[0]
    )
    users_there = document.get("systemConfig", "users")
    if isinstance(users_there, list) and any(
        isinstance(one, dict) and one.get("name") == name for one in users_there
    ):
        return users.change_user(document, wish._replace(kind="user", value=name), scene)
    words = [word for word in wish.value.split() if len(word) > 3 and word not in {"packages", "package"}]
    for word in words:
        done = software.change_package(document, wish._replace(kind="package", value=word), scene)
        if done.outcome.state == "delivered":
            return done
    partitions = document.get("disk", "partitions")
    if isinstance(partitions, list) and any(
        isinstance(partition, dict) and name in {partition.get("id"), partition.get("name")}
        for partition in partitions
    ):
        return disk.change_partition(document, wish._replace(kind="partition", value=name), scene)
    return None


def _turn(wish: Wish) -> int:
    """When a wish has its turn: the disk first; of software what is named before what would do, so that it does."""
    if wish.kind in _FIRST:
        place = _FIRST.index("encryption") if wish.detail("size") == "rest" else _FIRST.index(wish.kind)
        return 2 * place + (wish.kind == "partition" and wish.value != "/")  # the root makes room first
    if wish.kind == "capability" and wish.wanted:
        return 3 * len(_FIRST)
    return (
        2 * len(_FIRST)
        + (wish.wanted and wish.kind in _LAST)
        + (wish.wanted and wish.kind == "user")  # a package may bring the group that it is to be in
        + (wish.wanted and wish.kind == "package" and is_general(wish.value))
    )


def apply_all(document: Document, wishes: Iterable[Wish], scene: Scene) -> tuple[Document, list[Outcome]]:
    """Make several wishes true; what came of them is in their order."""
    numbered = list(enumerate(wishes))
    there = scene.packages(document)
    order = sorted(numbered, key=lambda one: _turn(one[1]))
    outcomes: dict[int, Outcome] = {}
    places: dict[str, str] = {}
    static = {
        one.value: number
        for number, one in numbered
        if one.kind == "network" and one.wanted and one.detail("address")
    }
    asked = [one for _, one in numbered if one.kind == "package" and one.wanted and not is_general(one.value)]
    sized = any(one.kind == "disk_size" for _, one in numbered)
    scene = scene._replace(
        sized=frozenset(
            one.value
            for _, one in numbered
            if one.kind == "partition" and one.wanted and one.detail("size") not in {"", "rest"}
        )
    )
    for number, wish in order:
        if sized and wish.kind in {"partition", "swap"}:
            wish = wish._replace(details={**wish.details, "fixed": "yes"})  # noqa: PLW2901 - the same wish, its disk known
        if wish.detail("instead") in places:  # it comes to where the other one stood
            wish = wish._replace(details={**wish.details, "at": places[wish.detail("instead")]})  # noqa: PLW2901 - the same wish, its place known
        if wish.kind == "network" and wish.wanted and wish.detail("dhcp") and wish.value in static:
            other = numbered[static[wish.value]][1]
            later = other if other.start > wish.start else wish
            if later is wish:
                why = f"DHCP and a static address exclude each other on an interface; {wish.value or 'it'} has the static address {other.detail('address')}."
                outcomes[number] = Outcome(wish, "undeliverable", why)
                continue
        elif wish.kind == "network" and wish.wanted and wish.detail("address"):
            first = next(
                (
                    one
                    for _, one in numbered
                    if one.kind == "network"
                    and one.wanted
                    and one.detail("dhcp")
                    and one.value == wish.value
                    and one.start < wish.start
                ),
                None,
            )
            if first is not None:
                why = f"A static address and DHCP exclude each other on an interface; {wish.value or 'it'} asks for its address by DHCP."
                outcomes[number] = Outcome(wish, "undeliverable", why)
                continue
        if why := _contradiction(wish, asked):
            outcomes[number] = Outcome(wish, "undeliverable", why)
            continue
        before = document.get(*software.PACKAGES) or []
        document, outcomes[number] = apply(document, wish, scene)
        if wish.detail("op") == "replace" and not wish.wanted and outcomes[number].packages:
            gone = before.index(outcomes[number].packages[0])
            follower = next((one for one in before[gone:] if one not in outcomes[number].packages), "")
            places[wish.value] = follower
    made = [_kept(document, outcomes[number], scene) for number, _ in numbered]
    return _in_agreement(document, _with_givers(made, there))


def _kept(document: Document, outcome: Outcome, scene: Scene) -> Outcome:
    """What came of a size, where a later edit had to take some of it away: then it is not delivered."""
    wish = outcome.wish
    if wish.kind not in {"partition", "swap"} or not outcome.is_met or not wish.wanted or wish.detail("op"):
        return outcome
    size = size_bytes(wish.detail("size") or (wish.value if wish.kind == "swap" else ""))
    mount = "swap" if wish.kind == "swap" else wish.value
    row = geometry.find(scene.section(document, "disk"), mount)
    if not size or row is None:
        return outcome
    disk = scene.section(document, "disk")
    part = geometry.partitions_of(disk)[row]
    has = geometry.end_of(part, disk) - geometry.start_of(part)
    if abs(has - size) <= max(_SLACK_BYTES, size // 12):
        return outcome
    why = f"{mount} has {written(has // MIB * MIB)} in the end: the sizes that are asked for do not go together on this disk."
    return outcome._replace(state="undeliverable", says=why)


_SLACK_BYTES = 64 << 20
"""What alignment may take of a partition."""


def _contradiction(wish: Wish, asked: list[Wish]) -> str:
    """Why something general cannot be ruled out: a program that is asked for by name does just that."""
    if wish.wanted or wish.kind not in {"package", "capability"}:
        return ""
    for other in asked:
        concept = concept_of(other.value)
        names = tuple({other.value, *(concept.every_name() if concept else ())})
        general = wish.kind == "package" and is_general(wish.value) and meant_to_go(wish.value, names)
        able = wish.kind == "capability" and has_capability(wish.value, names)
        if general or able:
            return f"It contradicts {other.said!r}, which counts."
    return ""


def _in_agreement(document: Document, outcomes: list[Outcome]) -> tuple[Document, list[Outcome]]:
    """What is ruled out is not in it for another wish: a name counts more than what would do, and both are told."""
    asked = [
        outcome
        for outcome in outcomes
        if outcome.wish.kind == "package" and outcome.wish.wanted and outcome.is_met
    ]
    for at, ruled_out in enumerate(outcomes):
        wish = ruled_out.wish
        if wish.kind != "package" or wish.wanted or not ruled_out.is_met:
            continue
        for one in [one for one in asked if not is_general(wish.value) and is_general(one.wish.value)]:
            if going := meant_to_go(wish.value, one.packages):
                document = software.without(document, going)
                why = f"It would be {', '.join(going)}, which is ruled out: name another one."
                outcomes[outcomes.index(one)] = Outcome(one.wish, "undeliverable", why)
                asked.remove(one)
        left = list(dict.fromkeys(name for one in asked for name in meant_to_go(wish.value, one.packages)))
        gone = [name for name in ruled_out.packages if name not in left]
        if left and not gone:
            why = f"There is none in it beside {', '.join(left)}, which was asked for."
            outcomes[at] = ruled_out._replace(state="already", says=why, packages=())
        elif gone != [*ruled_out.packages]:
            why = f"Removed {', '.join(gone)}, and not {', '.join(left)}, which was asked for."
            outcomes[at] = ruled_out._replace(says=why, packages=tuple(gone))
    return document, outcomes


def _with_givers(outcomes: list[Outcome], there: Collection[str]) -> list[Outcome]:
    """What came of wishes, where software that only another wish has brought is not said to have been there before."""
    givers: dict[str, str] = {}
    for outcome in outcomes:
        if outcome.wish.wanted and outcome.wish.kind == "package" and outcome.state == "delivered":
            givers |= {name: outcome.wish.said for name in outcome.packages if name not in there}
    return [
        outcome._replace(says=f"{', '.join(outcome.packages)} is added for {givers[outcome.packages[0]]!r}.")
        if outcome.wish.kind == "package"
        and outcome.state == "already"
        and outcome.packages
        and givers.keys() >= {*outcome.packages}
        else outcome
        for outcome in outcomes
    ]


def diff(before: str, after: str, name: str = "template.yml") -> str:
    """What changed between two texts, as a unified diff; "" if nothing."""
    lines = unified_diff(before.splitlines(), after.splitlines(), f"a/{name}", f"b/{name}", lineterm="", n=2)
    return "".join(f"{line}\n" for line in lines)
