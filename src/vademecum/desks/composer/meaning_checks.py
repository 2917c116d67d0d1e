"""What no schema can say of a template: whether its parts fit together.

All of it is looked at as it comes out after merging; a fault is told at the template's own field where there is one.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from vademecum.desks.composer.patterns import Pattern
from vademecum.sources.image_template import Data, Facts, Partition, Resolved, facts_of, size_bytes
from vademecum.sources.image_template.facts import is_placeholder
from vademecum.sources.image_template.template import mapping, mappings, text, texts, walk
from vademecum.text.printable import printable

KINDS = (
    "size", "partition-order", "partition-overlap", "partition-past-end", "duplicate-partition", "no-root", "no-esp", "immutability",
    "encryption", "overlay-forbidden", "kernel-pin", "password", "placeholder", "duplicate-repository", "duplicate-user",
)  # fmt: skip

_OVERLAY_KEEPS = ("bootloader", "kernel", "immutability", "fde", "initramfs", "users", "network")
"""What of the system an overlay can not change: the image below it brings it."""

_ROLLING = Pattern(
    r"(?:linux-image-(?:generic|virtual|amd64|arm64|cloud-\w+|rt-\w+|lowlatency)(?:-hwe-[\d.]+)?|kernel)\*?",
    flags=0,
)
_HASHED = Pattern(r"\$(?:1|2[abxy]?|5|6|7|y|gy|sha1|md5|argon2\w*)\$.+|[!*]+.*", flags=0)
_MOST_PARTITIONS = 128
"""What a partition table of the usual size holds."""

_TOLERANCE_BYTES = 1 << 20
"""What partitions may stand into each other: `513MB` and `513MiB` are mixed up so often that the tool rounds."""


class Check(NamedTuple):
    """Something that does not fit: where, what, how bad, and its kind."""

    where: str
    message: str
    severity: Literal["error", "warning"]
    kind: str


def meaning_checks(data: Data, resolved: Resolved) -> Iterator[Check]:
    """Everything that does not fit together, in the order of the fields.

    Args:
        data: The template's own values.
        resolved: The template with its parents and defaults.
    """
    facts = facts_of(resolved)
    yield from _disk(resolved.data, facts)
    yield from _overlay(data, resolved.data, facts)
    yield from _protection(resolved.data, facts)
    yield from _kernel(resolved.data, facts)
    yield from _users(data)
    yield from _repositories(data)


def _disk(data: Data, facts: Facts) -> Iterator[Check]:
    disk = mapping(data.get("disk"))
    if "size" in disk and facts.disk_size_bytes is None:
        shown = printable(str(disk["size"]), 40)
        yield Check(
            "disk.size", f"The disk's size is no size: {shown}. Write it as in 8GiB.", "error", "size"
        )
    if facts.overlay or facts.image_type == "wsl2" or not facts.partitions:
        return
    rows = mappings(disk.get("partitions"))
    if len(rows) > _MOST_PARTITIONS:
        message = f"It has {len(rows)} partitions; a disk has room for {_MOST_PARTITIONS}."
        yield Check("disk.partitions", message, "error", "partition-past-end")
        return
    yield from _borders(rows, facts)
    yield from _named_twice(facts.partitions)
    if not any(one.mount == "/" for one in facts.partitions):
        yield Check("disk.partitions", "No partition is mounted at /.", "error", "no-root")
    if facts.boot_type == "efi" and not any(
        _is_esp(one, row) for one, row in zip(facts.partitions, rows, strict=True)
    ):
        yield Check(
            "disk.partitions",
            "It starts by EFI, and there is no EFI system partition (type: esp).",
            "error",
            "no-esp",
        )


def _is_esp(partition: Partition, row: Data) -> bool:
    return partition.type == "esp" or "esp" in texts(row.get("flags")) or partition.mount == "/boot/efi"


def _borders(rows: list[Data], facts: Facts) -> Iterator[Check]:
    spans: list[tuple[int, int, str]] = []
    for at, (row, one) in enumerate(zip(rows, facts.partitions, strict=True)):
        where = f"disk.partitions.{at}"
        name = f"The partition {printable(one.id or str(at + 1), 40)}"
        for field in ("start", "end"):
            if field in row and str(row[field]) != "0" and size_bytes(row[field]) is None:
                shown = printable(str(row[field]), 40)
                yield Check(
                    f"{where}.{field}", f"{name} has no size as its {field}: {shown}.", "error", "size"
                )
        if one.start_bytes is None or (one.end_bytes is None and not one.to_end):
            continue
        end = one.end_bytes if one.end_bytes is not None else facts.disk_size_bytes
        if end is not None and end <= one.start_bytes:
            beyond = one.to_end or (
                facts.disk_size_bytes is not None and one.start_bytes >= facts.disk_size_bytes
            )
            message = (
                f"{name} starts behind the end of the disk."
                if beyond and one.to_end
                else f"{name} ends before it starts."
            )
            kind = "partition-past-end" if beyond and one.to_end else "partition-order"
            yield Check(
                f"{where}.{'start' if kind == 'partition-past-end' else 'end'}", message, "error", kind
            )
            continue
        if facts.disk_size_bytes is not None and end is not None and end > facts.disk_size_bytes:
            message = (
                f"{name} ends behind the end of the disk ({_size(end)} of {_size(facts.disk_size_bytes)})."
            )
            yield Check(f"{where}.end", message, "error", "partition-past-end")
        spans.append((one.start_bytes, end if end is not None else 1 << 62, name))
        if one.to_end and at + 1 < len(rows):
            message = f"{name} takes the rest of the disk, and others follow it."
            yield Check(f"{where}.end", message, "error", "partition-overlap")
    for at, (start, end, name) in enumerate(spans):
        for other_start, other_end, other in spans[:at]:
            if min(end, other_end) - max(start, other_start) > _TOLERANCE_BYTES and other_end < 1 << 62:
                message = f"{name} and {other[0].lower()}{other[1:]} overlap."
                yield Check(f"disk.partitions.{at}.start", message, "error", "partition-overlap")


def _size(size: int) -> str:
    return f"{size / (1 << 30):.4g}GiB" if size >= 1 << 30 else f"{size / (1 << 20):.4g}MiB"


def _named_twice(partitions: tuple[Partition, ...]) -> Iterator[Check]:
    for what in ("id", "mount"):
        seen: set[str] = set()
        for at, one in enumerate(partitions):
            value = getattr(one, what)
            if value in {"", "none", "swap"}:
                continue
            if value in seen:
                field = "id" if what == "id" else "mountPoint"
                message = f"Two partitions have the {field} {printable(value, 40)}."
                yield Check(f"disk.partitions.{at}.{field}", message, "error", "duplicate-partition")
            seen.add(value)


def _overlay(data: Data, merged: Data, facts: Facts) -> Iterator[Check]:
    if not facts.overlay:
        if "overlayPolicy" in merged:
            yield Check(
                "overlayPolicy", "An overlayPolicy is for overlays only.", "error", "overlay-forbidden"
            )
        return
    for key in _OVERLAY_KEEPS:
        if mapping(merged.get("systemConfig")).get(key):
            message = f"An overlay can not set {key}: the image that it is put on keeps its own."
            yield Check(f"systemConfig.{key}", message, "error", "overlay-forbidden")
    disk = mapping(data.get("disk"))
    for key in ("partitions", "partitionTableType"):
        if disk.get(key):
            message = f"An overlay can not set {key}: the image that it is put on keeps its own layout."
            yield Check(f"disk.{key}", message, "error", "overlay-forbidden")
    if disk.get("size") and mapping(merged.get("overlayPolicy")).get("allowDiskResize") is not True:
        message = (
            "An overlay takes the size of the image below it, unless overlayPolicy.allowDiskResize is true."
        )
        yield Check("disk.size", message, "warning", "overlay-forbidden")


def _protection(data: Data, facts: Facts) -> Iterator[Check]:
    system = mapping(data.get("systemConfig"))
    if mapping(system.get("immutability")).get("enabled") is True and not facts.overlay:
        where = "systemConfig.immutability"
        if facts.partitions and not facts.read_only_root:
            message = (
                "Immutability is on, and there is no partition for its hashes (id: roothashmap, mountPoint: none); "
                "the tool then leaves the root writable."
            )
            yield Check(where, message, "warning", "immutability")
        elif facts.boot_loader and facts.boot_loader != "systemd-boot":
            message = (
                f"Immutability needs systemd-boot, and the boot loader is {printable(facts.boot_loader, 40)}."
            )
            yield Check(where, message, "warning", "immutability")
    if facts.encrypted:
        ids = {one.id for one in facts.partitions}
        for at, one in enumerate(facts.encrypted_partitions):
            if ids and one not in ids:
                message = f"There is no partition {printable(one, 40)} to encrypt."
                yield Check(f"systemConfig.fde.partitions.{at}", message, "error", "encryption")
        esp = {one.id for one in facts.partitions if one.type == "esp"}
        for one in sorted(esp & set(facts.encrypted_partitions)):
            message = (
                f"The EFI system partition {printable(one, 40)} can not be encrypted: nothing would start."
            )
            yield Check("systemConfig.fde.partitions", message, "error", "encryption")


_EXACT_VERSION = Pattern(r"\d+\.\d+\.\d+", flags=0)


def _kernel(data: Data, facts: Facts) -> Iterator[Check]:
    version = facts.kernel_version
    rolling = [one for one in facts.kernel_packages if _ROLLING.fullmatch(one)]
    if version and _EXACT_VERSION.match(version) and rolling:
        message = f"The kernel's version is pinned ({printable(version, 40)}) beside {rolling[0]}, which is always the newest."
        yield Check("systemConfig.kernel.version", message, "warning", "kernel-pin")
    if facts.image_type == "wsl2" and mapping(data.get("systemConfig")).get("kernel"):
        yield Check(
            "systemConfig.kernel", "Windows brings the kernel of a WSL2 image.", "error", "kernel-pin"
        )


def _users(data: Data) -> Iterator[Check]:
    seen: set[str] = set()
    for at, user in enumerate(mappings(mapping(data.get("systemConfig")).get("users"))):
        name = text(user.get("name"))
        if name in seen:
            message = f"The user {printable(name, 40)} is set up twice."
            yield Check(f"systemConfig.users.{at}.name", message, "error", "duplicate-user")
        seen.add(name)
        password = text(user.get("password"))
        if password and not _HASHED.fullmatch(password) and not is_placeholder(password):
            message = f"The password of {printable(name, 40) or 'a user'} stands there in plain text; put a hash of it (openssl passwd -6)."
            yield Check(f"systemConfig.users.{at}.password", message, "warning", "password")


def _repositories(data: Data) -> Iterator[Check]:
    seen: dict[tuple[str, str, str], int] = {}
    for at, one in enumerate(mappings(data.get("packageRepositories"))):
        key = (
            text(one.get("codename")),
            text(one.get("url")) or text(one.get("path")),
            text(one.get("component")),
        )
        if key in seen:
            message = f"The repository {printable(key[0], 40)} stands there twice."
            yield Check(f"packageRepositories.{at}", message, "warning", "duplicate-repository")
        seen.setdefault(key, at)
    for where, value in walk(data):
        if is_placeholder(value) and not where.startswith("metadata"):
            yield Check(
                where,
                f"This is a placeholder still to be filled in: {printable(str(value), 40)}.",
                "warning",
                "placeholder",
            )
