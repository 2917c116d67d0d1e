"""The disk of a template: size, partitions, swap and output formats."""

from collections.abc import Callable

from vademecum.desks.composer.editing import geometry, layout
from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.editing.outcome import Done, Scene, already, delivered, undeliverable
from vademecum.desks.composer.image_template import Data, size_bytes
from vademecum.desks.composer.image_template.facts import MIB, written
from vademecum.desks.composer.image_template.template import copied
from vademecum.desks.composer.wish import Wish

_NO_DISK = {
    "wsl2": "an image for WSL is an archive of files, without a disk.",
    "img": "an initial RAM disk has no disk of its own.",
}


def refusal(document: Document, scene: Scene) -> str:
    """Why the disk of this template cannot be laid out; "" if it can."""
    kind = str(document.get("target", "imageType") or "")
    if kind in _NO_DISK:
        return _NO_DISK[kind]
    if document.get("baseline", "mode") == "overlay":
        return "an overlay keeps the partitions of the image it is put on."
    return (
        ""
        if scene.section(document, "disk")
        else "the template lays out no disk, and no defaults for it are known."
    )


def put_disk(document: Document, disk: Data) -> Document:
    """Write a changed disk with as few changes as it takes."""
    old = document.get("disk")
    if not isinstance(old, dict):
        return document.set(("disk",), disk)
    for key, value in disk.items():
        if key != "partitions" and old.get(key) != value:
            document = document.set(("disk", key), value)
    for key in [one for one in old if one not in disk]:
        document = document.remove(("disk", key))
    return _put_partitions(document, disk)


def _put_partitions(document: Document, disk: Data) -> Document:
    new, old = disk.get("partitions"), document.get("disk", "partitions")
    if new == old or not isinstance(new, list):
        return document
    if not isinstance(old, list):
        return document.set(("disk", "partitions"), new)
    kept = [one.get("id") if isinstance(one, dict) else None for one in new]
    for at in range(len(old) - 1, -1, -1):
        if len(new) < len(old) and old[at].get("id") not in kept:
            document = document.remove(("disk", "partitions", at))
    now = document.get("disk", "partitions")
    ids = [one.get("id") if isinstance(one, dict) else None for one in now]
    for at, part in enumerate(new):
        if len(new) > len(now) and part.get("id") not in ids and at < len(now):
            document = document.append(("disk", "partitions"), part, at)
    now = document.get("disk", "partitions")
    if len(now) > len(new):
        return document.set(("disk", "partitions"), new)
    for at, part in enumerate(new):
        if at >= len(now):
            document = document.append(("disk", "partitions"), part)
            continue
        for key in [one for one in now[at] if one not in part]:
            document = document.remove(("disk", "partitions", at, key))
        for key, value in part.items():
            if now[at].get(key) != value:
                document = document.set(("disk", "partitions", at, key), value)
    return document


def _laid(
    document: Document, wish: Wish, scene: Scene, change: Callable[[Data], layout.Laid], says: str
) -> Done:
    try:
        made = change(scene.section(document, "disk"))
    except layout.NoRoom as reason:
        return undeliverable(document, wish, f"{reason}.")
    if made.disk == scene.section(document, "disk"):
        return already(
            document if document.get("disk") else put_disk(document, made.disk),
            wish,
            "It is like that already.",
        )
    return delivered(put_disk(document, made.disk), wish, " ".join([says, *made.notes]))


def change_size(document: Document, wish: Wish, scene: Scene) -> Done:
    """Another size of the disk."""
    if (
        document.get("baseline", "mode") == "overlay"
        and size_bytes(wish.value)
        and wish.detail("op") not in {"grow", "shrink", "times"}
    ):
        return _overlay_size(document, wish)
    if why := refusal(document, scene):
        return undeliverable(document, wish, why)
    disk = scene.section(document, "disk")
    now = geometry.disk_bytes(disk)
    op = wish.detail("op")
    size = wish.value
    if op == "times":
        size = written(int(now * float(wish.value)))
    elif op in {"grow", "shrink"}:
        by = size_bytes(_in_units_of(str(disk.get("size", "")), wish.value)) or 0
        size = written(max(0, now + by if op == "grow" else now - by))
    elif op == "at-most" and now and now <= (size_bytes(size) or 0):
        return already(document, wish, f"The disk has {disk.get('size')}, which is no more than {size}.")
    if op and not now:
        return undeliverable(document, wish, "the template says no size of the disk that could change.")
    if not (total := size_bytes(size)) or total < 64 * MIB:
        return undeliverable(
            document, wish, f"{size or 'that'} is not a size of a disk that a system fits on."
        )
    if total > 256 << 40:
        return undeliverable(document, wish, f"{size} is larger than any disk.")
    if document.get("target", "imageType") == "iso" and "size" not in disk:
        return undeliverable(document, wish, "an installer takes the whole of the disk it finds.")
    if (now == total or _is_about(size, now)) and document.get("disk", "size"):
        return already(document, wish, f"The disk has {document.get('disk', 'size')} already.")
    was = f" (was {disk['size']})" if disk.get("size") else ""
    return _laid(
        document, wish, scene, lambda found: layout.resized_disk(found, size), f"The disk has {size}{was}."
    )


def _overlay_size(document: Document, wish: Wish) -> Done:
    """An overlay may let the image below it grow, if its policy says so."""
    was = document.get("disk", "size")
    if was == wish.value:
        return already(document, wish, f"The disk has {wish.value} already.")
    if not isinstance(document.get("disk"), dict):
        done = document.set(
            ("disk",), {"name": str(document.get("image", "name") or "overlay"), "size": wish.value}
        )
    else:
        done = document.set(("disk", "size"), wish.value)
    if document.get("overlayPolicy", "allowDiskResize") is not True:
        done = done.set(("overlayPolicy", "allowDiskResize"), True)
    return delivered(done, wish, f"The disk grows to {wish.value}; the overlay's policy allows it now.")


def _in_units_of(size: str, said: str) -> str:
    """What is said to be added, in the kind of units that the disk has: of a disk in GiB "4 GB more" are 4 GiB."""
    return (
        f"{said[:-1]}iB" if size.endswith("iB") and said.endswith("B") and not said.endswith("iB") else said
    )


def change_partition(document: Document, wish: Wish, scene: Scene) -> Done:
    """A partition that is new, larger, smaller, renamed, of another file system, or gone."""
    if why := refusal(document, scene):
        return undeliverable(document, wish, why)
    disk = scene.section(document, "disk")
    at = geometry.find(disk, wish.value)
    if not wish.wanted:
        if at is None:
            return already(document, wish, f"There is no partition {wish.value}.")
        part = geometry.partitions_of(disk)[at]
        immutable = scene.section(document, "systemConfig", "immutability").get("enabled") is True
        if immutable and (str(part.get("id")) in {"roothashmap", "hash"}):
            return undeliverable(
                document,
                wish,
                "a read-only root needs the partition for its hashes; make the root writable first.",
            )
        return _laid(
            document,
            wish,
            scene,
            lambda found: layout.removed(found, at),
            f"Removed the partition {wish.value}.",
        )
    if wish.detail("op") == "rename":
        return _renamed(document, wish, scene, at)
    if at is None:
        if wish.detail("op") in {"grow", "shrink", "times"} or wish.value in {"/", "/boot/efi"}:
            return undeliverable(document, wish, f"there is no partition {wish.value}.")
        return _new(document, wish, scene)
    return _altered(document, wish, scene, at)


def _new(document: Document, wish: Wish, scene: Scene) -> Done:
    if not wish.value.startswith("/") or ".." in wish.value.split("/"):
        return undeliverable(document, wish, f"{wish.value} is not a place to mount a partition at.")
    return _laid_new(document, wish, scene, wish.value, wish.detail("size"))


def _laid_new(document: Document, wish: Wish, scene: Scene, mount: str, size: str) -> Done:
    fixed = wish.detail("fixed") == "yes"
    try:
        made = layout.added(
            scene.section(document, "disk"),
            mount,
            size,
            wish.detail("fs"),
            options=wish.detail("options"),
            fixed=fixed,
            kept=scene.sized,
        )
    except layout.NoRoom as reason:
        return undeliverable(document, wish, f"{reason}.")
    before = {str(one.get("id")) for one in geometry.partitions_of(scene.section(document, "disk"))}
    part = next(one for one in geometry.partitions_of(made.disk) if str(one.get("id")) not in before)
    length = geometry.end_of(part, made.disk) - geometry.start_of(part)
    has = written(length // MIB * MIB) if length > 0 else "the rest of the disk"
    note = "" if size else " (no size was said)"
    kind = "swap partition" if mount == "swap" else f"{part['fsType']} partition {mount}"
    article = "an" if kind[0] in "aeiou" else "a"
    says = f"Added {article} {kind}: {has}{note}."
    return delivered(put_disk(document, made.disk), wish, " ".join([says, *made.notes]))


def _renamed(document: Document, wish: Wish, scene: Scene, at: int | None) -> Done:
    new = wish.detail("new")
    if at is None:
        return undeliverable(document, wish, f"there is no partition {wish.value}.")
    disk = copied(scene.section(document, "disk"))
    part = geometry.partitions_of(disk)[at]
    key = "mountPoint" if new.startswith("/") else "id"
    taken = [
        one
        for place, one in enumerate(geometry.partitions_of(disk))
        if place != at and str(one.get(key)) == new
    ]
    if taken:
        return undeliverable(document, wish, f"there is a partition {new} already.")
    part[key] = new
    return delivered(
        put_disk(document, disk),
        wish,
        f"The partition {wish.value} is {'mounted at' if key == 'mountPoint' else 'called'} {new}.",
    )


def _is_about(size: str, now: int) -> bool:
    """Return whether a size in GB is what is there in GiB, or the other way round: who says "2 GB" of 2 GiB means that."""
    other = f"{size[:-1]}iB" if not size.endswith("iB") else f"{size[:-2]}B"
    return size_bytes(other) == now


def _altered(document: Document, wish: Wish, scene: Scene, at: int) -> Done:
    disk = scene.section(document, "disk")
    part = geometry.partitions_of(disk)[at]
    says: list[str] = []
    done = document
    size = wish.detail("size")
    if size:
        now = geometry.end_of(part, disk) - geometry.start_of(part)
        op = wish.detail("op")
        wanted = size_bytes(size) or 0 if size != "rest" else 0
        if op == "times":
            wanted = int(now * float(size))
        elif op in {"grow", "shrink"}:
            wanted = now + wanted if op == "grow" else now - wanted
        if size == "rest":
            says.append("it takes the rest of the disk already" if geometry.takes_rest(part) else "")
        elif wanted <= 0:
            return undeliverable(document, wish, f"{wish.value} has only {written(now)}.")
        elif abs(wanted - now) >= max(2 * MIB, wanted // 12 if _is_about(size, now) else 0):
            try:
                made = layout.resized(disk, at, written(wanted))
            except layout.NoRoom as reason:
                return undeliverable(document, wish, f"{reason}.")
            done = put_disk(done, made.disk)
            says += [f"{wish.value} has {written(wanted)}.", *made.notes]
    for key, name in (("fs", "fsType"), ("options", "mountOptions")):
        value = wish.detail(key)
        if key == "options" and value:
            old = [one for one in str(part.get(name) or "").split(",") if one]
            value = ",".join([*old, *(one for one in value.split(",") if one not in old)])
        if value and part.get(name) != value:
            changed = copied(scene.section(done, "disk"))
            geometry.partitions_of(changed)[at][name] = value
            done = put_disk(done, changed)
            says.append(
                f"{wish.value} is formatted as {value}."
                if key == "fs"
                else f"{wish.value} is mounted with {value}."
            )
    if done.text == document.text:
        if not isinstance(document.get("disk", "partitions"), list) and scene.drafting:
            done = put_disk(document, disk)
        return already(done, wish, f"{wish.value} is like that already.")
    return delivered(done, wish, " ".join(one for one in says if one))


def change_swap(document: Document, wish: Wish, scene: Scene) -> Done:
    """A swap partition, or none."""
    if why := refusal(document, scene):
        return undeliverable(document, wish, why)
    disk = scene.section(document, "disk")
    at = geometry.find(disk, "swap")
    if not wish.wanted:
        if at is None:
            return already(document, wish, "There is no swap partition.")
        return _laid(
            document, wish, scene, lambda found: layout.removed(found, at), "Removed the swap partition."
        )
    parts = geometry.partitions_of(disk)
    if at is not None and wish.detail("op") in {"times", "grow", "shrink"}:
        now = geometry.end_of(parts[at], disk) - geometry.start_of(parts[at])
        by = (
            int(now * (float(wish.value) - 1))
            if wish.detail("op") == "times"
            else size_bytes(wish.value) or 0
        )
        after = now - by if wish.detail("op") == "shrink" else now + by
        if after < MIB:
            return undeliverable(document, wish, f"swap has only {written(now)}.")
        wish = wish._replace(value=written(after // MIB * MIB), details={})
    if at is not None and wish.value and parts[at] is max(parts, key=geometry.start_of):
        try:  # at the end of the disk: its room is given back, and taken again as that of a new one is
            without = put_disk(document, layout.removed(disk, at).disk)
        except layout.NoRoom:
            without = document
        now = geometry.end_of(parts[at], disk) - geometry.start_of(parts[at])
        if without is not document and abs((size_bytes(wish.value) or now) - now) > 2 * MIB:
            made = _laid_new(without, wish, scene, "swap", wish.value)
            if made.outcome.state == "delivered":
                return delivered(made.document, wish, f"Swap has {wish.value} (was {written(now)}).")
    if at is not None:
        return _altered(
            document,
            wish._replace(value="swap", details={"size": wish.value} if wish.value else {}),
            scene,
            at,
        )
    return _laid_new(document, wish, scene, "swap", wish.value)


def _fixed_size(document: Document, disk: Data, scene: Scene) -> str:
    """Why the last partition cannot grow; "" if it can."""
    if document.get("target", "imageType") == "iso":
        return "the last partition of an installer cannot grow."
    if scene.section(document, "systemConfig", "immutability").get("enabled") is True:
        return "the last partition cannot grow on a read-only root."
    parts = geometry.partitions_of(disk)
    if parts and parts[-1].get("mountPoint") != "/":
        return f"only a root partition can grow, and the last one is {parts[-1].get('mountPoint') or parts[-1].get('id')}."
    return ""


def change_disk_field(document: Document, wish: Wish, scene: Scene) -> Done:
    """The partition table, whether the last partition grows, and how an installer picks its disk."""
    if wish.kind == "disk_selection":
        if document.get("target", "imageType") != "iso":
            return undeliverable(document, wish, "only an installer picks the disk that it installs on.")
        now = document.get("disk", "selectionPolicy", "strategy")
        if (now == wish.value) is wish.wanted or not wish.wanted:
            return already(document, wish, "It is like that already.")
        done = document
        if not isinstance(document.get("disk"), dict):
            disk = scene.section(document, "disk")
            done = document.set(
                ("disk",), {**disk, "name": disk.get("name") or str(document.get("image", "name"))}
            )
        if not done.get("disk", "selectionPolicy"):
            done = done.set(("disk", "path"), "") if not done.get("disk", "path") else done
        return delivered(
            done.set(("disk", "selectionPolicy", "strategy"), wish.value),
            wish,
            f"The installer takes the {wish.value} disk.",
        )
    if why := refusal(document, scene):
        return undeliverable(document, wish, why)
    disk = scene.section(document, "disk")
    if wish.kind == "grow":
        writable = ""
        if (
            wish.wanted
            and wish.detail("writable")
            and (scene.section(document, "systemConfig", "immutability").get("enabled") is True)
        ):
            document = document.set(("systemConfig", "immutability", "enabled"), False)
            writable = " For that the root, which is read-only by the defaults, can be written to."
        if wish.wanted and (why := _fixed_size(document, disk, scene)):
            return undeliverable(document, wish, why)
        value: object = wish.wanted
        key, says = (
            "extendLastPartitionToFillDisk",
            f"The last partition grows to fill the disk.{writable}"
            if wish.wanted
            else "The last partition does not grow.",
        )
    else:
        value, key, says = wish.value, "partitionTableType", f"The partition table is {wish.value.upper()}."
    if disk.get(key, False if wish.kind == "grow" else None) == value:
        return already(document, wish, "It is like that already.")
    if not isinstance(document.get("disk"), dict):
        return delivered(document.set(("disk",), {**disk, key: value}), wish, says)
    return delivered(document.set(("disk", key), value), wish, says)
