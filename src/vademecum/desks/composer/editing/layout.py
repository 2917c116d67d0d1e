"""Add, remove or enlarge partitions so that all of them still fit.

Offsets are whole MiB. The last partition mostly reaches to the end of the disk (`end: "0"`); what is put behind it takes its room from
it if enough is left, and otherwise the disk grows, which is said.
"""

import re
from collections.abc import Collection
from typing import NamedTuple

from vademecum.desks.composer.editing.geometry import (
    disk_bytes,
    end_of,
    find,
    partitions_of,
    start_of,
    takes_rest,
)
from vademecum.desks.composer.image_template import Data, size_bytes
from vademecum.desks.composer.image_template.facts import GIB, MIB, offset, written
from vademecum.desks.composer.image_template.template import copied

LEAST_ROOT_BYTES = 2 * GIB
"""What a root file system is never shrunk below to make room for something else."""

_LEAST_OTHER_BYTES = 256 * MIB
DEFAULT_SIZE = "2GiB"
"""Of a partition whose size is not said."""

_TAIL_BYTES = MIB
"""What the second copy of a partition table needs at the end of the disk."""


class NoRoom(Exception):
    """It cannot be done on this disk; the message says why."""


class Laid(NamedTuple):
    """A disk after a change."""

    disk: Data
    notes: tuple[str, ...] = ()


def with_bios_boot(disk: Data) -> Data:
    """A GPT disk with the small partition that GRUB needs to start by the old BIOS, before all others."""
    made: Data = copied(disk)
    parts = sorted(partitions_of(made), key=start_of)
    if any("bios" in str(part.get("type", "")) or "bios_grub" in (part.get("flags") or []) for part in parts):
        return made
    for part in parts:
        part["start"] = offset(start_of(part) + _BIOS_BYTES)
        if not takes_rest(part):
            part["end"] = offset((size_bytes(part.get("end")) or 0) + _BIOS_BYTES)
    last = parts[-1]
    if not takes_rest(last) and end_of(last, made) + _TAIL_BYTES > disk_bytes(made):
        _grown(made, end_of(last, made) + _TAIL_BYTES)
    new = {
        "id": "biosboot",
        "type": "bios-boot",
        "flags": ["bios_grub"],
        "start": "1MiB",
        "end": offset(MIB + _BIOS_BYTES),
        "mountPoint": "none",
    }
    made["partitions"].insert(0, new)
    return made


_BIOS_BYTES = 4 * MIB


def resized_disk(disk: Data, size: str) -> Laid:
    """A disk of another size. If a partition would lie beyond its end, only the last one is shrunk."""
    made, wanted = copied(disk), size_bytes(size)
    if not wanted:
        raise NoRoom(f"{size} is not a size of a disk")
    made["size"] = size
    parts = partitions_of(made)
    if not parts:
        return Laid(made)
    last = max(parts, key=start_of)
    if takes_rest(last):
        if wanted - start_of(last) < _least(last):
            raise NoRoom(
                f"its partitions before {_called(last)} take {written(start_of(last))} already; "
                f"{_called(last)} would have less than {written(_least(last))}"
            )
        return Laid(made)
    if end_of(last, made) + _TAIL_BYTES <= wanted:
        return Laid(made)
    room = wanted - start_of(last) - _TAIL_BYTES
    if room < _least(last):
        raise NoRoom(f"its partitions reach to {written(end_of(last, made))}")
    last["end"] = "0"
    return Laid(made, (f"The partition {_called(last)} now ends with the disk.",))


def added(
    disk: Data,
    mount: str,
    size: str,
    filesystem: str = "",
    *,
    name: str = "",
    options: str = "",
    fixed: bool = False,
    kept: Collection[str] = (),
) -> Laid:
    """A disk with one more partition at its end."""
    made: Data = copied(disk)
    parts = partitions_of(made)
    if not parts:
        raise NoRoom("the template lays out no disk")
    if str(made.get("partitionTableType", "gpt")) == "mbr" and len(parts) >= 4:
        raise NoRoom("a disk with an MBR has four partitions at most")
    notes: list[str] = []
    wanted = 0 if size == "rest" else size_bytes(size or DEFAULT_SIZE)
    if wanted is None:
        raise NoRoom(f"{size} is not a size of a partition")
    whole = disk_bytes(made)
    if not whole:
        return _on_any_disk(made, _partition(made, mount, filesystem, name, options), wanted)
    giver, last = _giver(made, kept), max(parts, key=start_of)
    if (
        giver is not None
        and giver is not last
        and takes_rest(last)
        and (size != "rest" or _mount(last) in kept)
    ):
        if size == "rest":
            wanted = end_of(giver, made) - start_of(giver) - _comfortable(giver, whole)
        if wanted > 0:
            return _beside_giver(
                made, giver, wanted, _partition(made, mount, filesystem, name, options), fixed=fixed
            )
    if fixed and not size:
        wanted = min(wanted, (whole - (start_of(last) if takes_rest(last) else end_of(last, made))) // 2)
    if takes_rest(last):
        begin = whole - (wanted or 0)
        if size == "rest":
            begin = start_of(last) + max(GIB, _comfortable(last, whole))
        begin -= begin % MIB
        if begin - start_of(last) < (_least(last) if fixed else _comfortable(last, whole)):
            if fixed:
                raise NoRoom(
                    f"a disk of {made['size']} has no room for {written(wanted or DEFAULT_BYTES)} more"
                )
            grown = whole + (wanted or DEFAULT_BYTES)
            size_then = _rounded(grown, str(made["size"]))
            notes.append(
                f"The disk grew from {made['size']} to {size_then}, so that {_called(last)} keeps its room."
            )
            begin, made["size"] = whole - whole % MIB, size_then
        else:
            notes.append(f"{_called(last)} ends at {offset(begin)} to make room.")
        last["end"] = offset(begin)
    else:
        begin = end_of(last, made)
        begin += -begin % MIB
        if begin + (wanted or _LEAST_OTHER_BYTES) > whole - (_TAIL_BYTES if wanted else 0):
            if fixed:
                raise NoRoom(
                    f"a disk of {made['size']} has no room for {written(wanted or DEFAULT_BYTES)} more"
                )
            notes.append(_grown(made, begin + (wanted or DEFAULT_BYTES)))
    new = _partition(made, mount, filesystem, name, options)
    rest = disk_bytes(made) - begin - wanted
    new["start"], new["end"] = (
        offset(begin),
        offset(begin + wanted) if wanted and rest > 2 * _TAIL_BYTES else "0",
    )
    made["partitions"].append({key: new[key] for key in _ORDER if key in new})
    return Laid(made, tuple(notes))


_ORDER = ("id", "type", "start", "end", "fsType", "mountPoint", "mountOptions")


def _on_any_disk(disk: Data, new: Data, wanted: int) -> Laid:
    """A disk of any size, that of the machine, with one more partition: before the one that takes the rest, if there is one."""
    last = max(partitions_of(disk), key=start_of)
    if takes_rest(last) and not wanted:
        raise NoRoom(f"{_called(last)} takes the rest of the disk; say its size")
    begin = start_of(last) if takes_rest(last) else end_of(last, disk)
    new |= {"start": offset(begin), "end": offset(begin + wanted) if wanted else "0"}
    at = disk["partitions"].index(last) + (not takes_rest(last))
    if takes_rest(last):
        last["start"] = offset(begin + wanted)
    disk["partitions"].insert(at, {key: new[key] for key in _ORDER if key in new})
    return Laid(disk)


DEFAULT_BYTES = size_bytes(DEFAULT_SIZE) or 0


def _giver(disk: Data, kept: Collection[str]) -> Data | None:
    """The partition that room is best taken from: the largest of those whose size nobody needs."""
    free = [
        one
        for one in partitions_of(disk)
        if not _is_fixed(one) and _mount(one) not in {"/boot", "/boot/efi", *kept}
    ]
    return max(free, key=lambda one: end_of(one, disk) - start_of(one), default=None)


def _beside_giver(made: Data, giver: Data, wanted: int, new: Data, *, fixed: bool) -> Laid:
    """A new partition right behind the one that gives it room; all others stay where they are."""
    border, whole = end_of(giver, made), disk_bytes(made)
    begin = border - wanted
    begin -= begin % MIB
    notes = [f"{_called(giver)} ends at {offset(begin)} to make room."]
    if begin - start_of(giver) < (_least(giver) if fixed else _comfortable(giver, whole // 2)):
        if fixed:
            raise NoRoom(f"a disk of {made['size']} has no room for {written(wanted)} more")
        for one in partitions_of(made):
            if start_of(one) >= border:
                one["start"] = offset(start_of(one) + wanted)
                if not takes_rest(one):
                    one["end"] = offset((size_bytes(one.get("end")) or 0) + wanted)
        old, made["size"] = made["size"], _rounded(whole + wanted, str(made["size"]))
        notes, begin, border = (
            [f"The disk grew from {old} to {made['size']} to make room."],
            border,
            border + wanted,
        )
    else:
        giver["end"] = offset(begin)
    new["start"], new["end"] = offset(begin), offset(border)
    order = ("id", "type", "start", "end", "fsType", "mountPoint", "mountOptions")
    made["partitions"].insert(
        made["partitions"].index(giver) + 1, {key: new[key] for key in order if key in new}
    )
    return Laid(made, tuple(notes))


def _partition(disk: Data, mount: str, filesystem: str, name: str, options: str) -> Data:
    taken = {str(one.get("id", "")) for one in partitions_of(disk)}
    if mount == "swap":
        return {
            "id": _free("swap", taken),
            "type": "linux-swap",
            "fsType": "linux-swap",
            "mountPoint": "none",
            "mountOptions": "sw",
        }
    root = find(disk, "/")
    like = str(partitions_of(disk)[root].get("fsType", "")) if root is not None else ""
    identity = name or re.sub(r"[^a-z0-9]+", "-", mount.lower()).strip("-") or "data"
    return {
        "id": _free(identity, taken),
        "type": "linux",
        "fsType": filesystem or like or "ext4",
        "mountPoint": mount,
        "mountOptions": options or "defaults",
    }


def _free(name: str, taken: set[str]) -> str:
    return next(one for one in (name, *(f"{name}-{number}" for number in range(2, 999))) if one not in taken)


def removed(disk: Data, at: int) -> Laid:
    """A disk without a partition. Its room goes to the one before it, if that is the last one then or reaches up to it."""
    made: Data = copied(disk)
    parts = partitions_of(made)
    gone = parts[at]
    if gone.get("mountPoint") == "/":
        raise NoRoom("a system cannot start without its root file system")
    if "esp" in str(gone.get("type", "")).lower().split() or gone.get("mountPoint") == "/boot/efi":
        raise NoRoom("a system that starts by EFI needs its EFI partition")
    notes: list[str] = []
    before = [part for part in parts if start_of(part) < start_of(gone)]
    last = gone is max(parts, key=start_of)
    if last and before:
        neighbour = max(before, key=start_of)
        if takes_rest(gone) and not _is_fixed(neighbour):
            neighbour["end"] = "0"
            notes.append(f"{_called(neighbour)} takes its room.")
    made["partitions"] = [one for one in made["partitions"] if one is not gone]
    return Laid(made, tuple(notes))


def resized(disk: Data, at: int, size: str) -> Laid:
    """A disk with a partition of another size; those behind it move, and the disk grows if they no longer fit."""
    made: Data = copied(disk)
    parts = sorted(partitions_of(made), key=start_of)
    part = partitions_of(made)[at]
    wanted = size_bytes(size)
    if not wanted:
        raise NoRoom(f"{size} is not a size of a partition")
    wanted += -wanted % MIB
    whole, place = disk_bytes(made), parts.index(part)
    notes: list[str] = []
    if place == len(parts) - 1:
        return _last_resized(made, parts, place, wanted)
    old_end = end_of(part, made)
    shift = start_of(part) + wanted - old_end
    for other in parts[place + 1 :]:
        if not takes_rest(other):
            other["end"] = offset((size_bytes(other.get("end")) or 0) + shift)
        other["start"] = offset(start_of(other) + shift)
    part["end"] = offset(start_of(part) + wanted)
    last = parts[-1]
    needed = start_of(last) + _comfortable(last, 0) if takes_rest(last) else end_of(last, made) + _TAIL_BYTES
    if needed > whole:
        notes.append(_grown(made, max(needed, whole + shift)))
    if shift:
        moved = ", ".join(_called(one) for one in parts[place + 1 :])
        notes.append(f"What lies behind it moved: {moved}.")
    return Laid(made, tuple(notes))


def _last_resized(made: Data, parts: list[Data], place: int, wanted: int) -> Laid:
    """The last partition of another size: what it leaves stays empty, and the disk grows if it is too small."""
    part = parts[place]
    end = start_of(part) + wanted
    if takes_rest(part) and disk_bytes(made) < end and disk_bytes(made) and not end % GIB:
        return Laid(made, (_grown(made, end),))
    part["end"] = offset(end)
    if not disk_bytes(made) or end + _TAIL_BYTES <= disk_bytes(made):
        return Laid(made)
    return Laid(made, (_grown(made, end + _TAIL_BYTES),))


def _grown(disk: Data, needed: int) -> str:
    """Make a disk large enough, in whole GiB, and say so."""
    old = disk.get("size")
    disk["size"] = _rounded(needed, str(old or ""))
    return (
        f"The disk grew from {old} to {disk['size']} to make room."
        if old
        else f"The disk has {disk['size']}."
    )


def _rounded(needed: int, like: str) -> str:
    """A size of a disk that is large enough, in whole gigabytes of the kind that it had before: GB or GiB."""
    if like.endswith("B") and not like.endswith("iB"):
        return f"{-(-needed // 10**9)}GB"
    return written(needed + -needed % GIB)


def _least(part: Data) -> int:
    return LEAST_ROOT_BYTES // 2 if part.get("mountPoint") == "/" else _LEAST_OTHER_BYTES // 2


def _comfortable(part: Data, whole: int) -> int:
    """What a partition keeps when room is taken from it."""
    if part.get("mountPoint") == "/":
        return max(LEAST_ROOT_BYTES, whole // 4)
    return _LEAST_OTHER_BYTES


def _is_fixed(part: Data) -> bool:
    """Return whether a partition has the size that its content needs, and no use for more."""
    kind = f"{part.get('id', '')} {part.get('type', '')} {part.get('fsType', '')}".lower()
    return any(word in kind for word in ("esp", "swap", "hash", "bios"))


def _mount(part: Data) -> str:
    return str(part.get("mountPoint", ""))


def _called(part: Data) -> str:
    mount = _mount(part)
    return mount if mount.startswith("/") else str(part.get("id") or part.get("name") or "the partition")
