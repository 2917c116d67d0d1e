"""Problems that the image builder accepts: inconsistent sections, and placeholders that were not filled in.

All of it is looked at after merging; a finding names the template's own field where there is one.
"""

import re
from collections.abc import Iterator

from vademecum.desks.composer.image_template import Data, Facts, Partition, Resolved, facts_of, size_bytes
from vademecum.desks.composer.image_template.facts import is_placeholder
from vademecum.desks.composer.image_template.template import mapping, mappings, text, texts, walk
from vademecum.desks.composer.template.findings import Finding, Fix
from vademecum.text.printable import printable

BREAKING = frozenset(
    ["size", "partition-order", "partition-overlap", "partition-past-end", "duplicate-partition", "no-root", "no-esp", "encryption", "duplicate-user"]
)  # fmt: skip
"""Kinds of findings that keep an image from being built or started, although the tool accepts the template."""

KINDS = (
    *sorted(BREAKING),
    "immutability",
    "overlay",
    "kernel-pin",
    "password",
    "placeholder",
    "duplicate-repository",
)
"""All kinds of findings made here."""

_ROLLING = re.compile(
    r"(?:linux-image-(?:generic|virtual|amd64|arm64|cloud-\w+|rt-\w+|lowlatency)(?:-hwe-[\d.]+)?|kernel)\*?"
)
_HASHED = re.compile(r"\$(?:1|2[abxy]?|5|6|7|y|gy|sha1|md5|argon2\w*)\$.+|[!*]+.*")
_MOST_PARTITIONS = 128
"""What a partition table of the usual size holds."""

_TOLERANCE_BYTES = 1 << 20
"""How far partitions may overlap: `513MB` and `513MiB` are confused so often that the tool rounds."""


def check_findings(data: Data, resolved: Resolved) -> Iterator[Finding]:
    """Everything that does not fit together, in the order of the fields."""
    facts = facts_of(resolved)
    yield from _disk(resolved.data, facts)
    yield from _overlay(data, resolved.data, facts)
    yield from _protection(resolved.data, facts)
    yield from _kernel(facts)
    yield from _users(data)
    yield from _repositories(data)


def _warning(where: str, message: str, kind: str, fix: Fix | None = None) -> Finding:
    return Finding(where, message, "warning", kind, fix)


def _disk(data: Data, facts: Facts) -> Iterator[Finding]:
    disk = mapping(data.get("disk"))
    if "size" in disk and facts.disk_size_bytes is None:
        shown = printable(str(disk["size"]), 40)
        yield _warning("disk.size", f"disk.size must be a size such as 8GiB, not {shown}.", "size")
    if facts.overlay or facts.image_type == "wsl2" or not facts.partitions:
        return
    rows = mappings(disk.get("partitions"))
    if len(rows) > _MOST_PARTITIONS:
        message = f"It has {len(rows)} partitions; a disk has room for {_MOST_PARTITIONS}."
        yield _warning("disk.partitions", message, "partition-past-end")
        return
    yield from _borders(rows, facts)
    yield from _named_twice(facts.partitions)
    if not any(partition.mount == "/" for partition in facts.partitions):
        yield _warning("disk.partitions", "No partition is mounted at /.", "no-root")
    if facts.boot_type == "efi" and not any(
        _is_esp(partition, row) for partition, row in zip(facts.partitions, rows, strict=True)
    ):
        yield _warning(
            "disk.partitions", "It starts by EFI, and there is no EFI system partition (type: esp).", "no-esp"
        )


def _is_esp(partition: Partition, row: Data) -> bool:
    return partition.type == "esp" or "esp" in texts(row.get("flags")) or partition.mount == "/boot/efi"


def _borders(rows: list[Data], facts: Facts) -> Iterator[Finding]:
    spans: list[tuple[int, int, str]] = []
    for at, (row, partition) in enumerate(zip(rows, facts.partitions, strict=True)):
        where = f"disk.partitions.{at}"
        name = f"The partition {printable(partition.id or str(at + 1), 40)}"
        for field in ("start", "end"):
            if field in row and str(row[field]) != "0" and size_bytes(row[field]) is None:
                shown = printable(str(row[field]), 40)
                yield _warning(
                    f"{where}.{field}", f"{name} must have a size as its {field}, not {shown}.", "size"
                )
        if partition.start_bytes is None or (partition.end_bytes is None and not partition.to_end):
            continue
        end = partition.end_bytes if partition.end_bytes is not None else facts.disk_size_bytes
        if end is not None and end <= partition.start_bytes:
            beyond = partition.to_end or (
                facts.disk_size_bytes is not None and partition.start_bytes >= facts.disk_size_bytes
            )
            message = (
                f"{name} starts after the end of the disk."
                if beyond and partition.to_end
                else f"{name} ends before it starts."
            )
            kind = "partition-past-end" if beyond and partition.to_end else "partition-order"
            yield _warning(f"{where}.{'start' if kind == 'partition-past-end' else 'end'}", message, kind)
            continue
        if facts.disk_size_bytes is not None and end is not None and end > facts.disk_size_bytes:
            message = (
                f"{name} ends after the end of the disk ({_size(end)} of {_size(facts.disk_size_bytes)})."
            )
            yield _warning(f"{where}.end", message, "partition-past-end")
        spans.append((partition.start_bytes, end if end is not None else 1 << 62, name))
        if partition.to_end and at + 1 < len(rows):
            message = f"{name} takes the rest of the disk, and others follow it."
            yield _warning(f"{where}.end", message, "partition-overlap")
    for at, (start, end, name) in enumerate(spans):
        for other_start, other_end, other in spans[:at]:
            if min(end, other_end) - max(start, other_start) > _TOLERANCE_BYTES and other_end < 1 << 62:
                message = f"{name} and {other[0].lower()}{other[1:]} overlap."
                yield _warning(f"disk.partitions.{at}.start", message, "partition-overlap")


def _size(size: int) -> str:
    return f"{size / (1 << 30):.4g}GiB" if size >= 1 << 30 else f"{size / (1 << 20):.4g}MiB"


def _named_twice(partitions: tuple[Partition, ...]) -> Iterator[Finding]:
    for what in ("id", "mount"):
        seen: set[str] = set()
        for at, partition in enumerate(partitions):
            value = getattr(partition, what)
            if value in {"", "none", "swap"}:
                continue
            if value in seen:
                field = "id" if what == "id" else "mountPoint"
                message = f"Two partitions have the {field} {printable(value, 40)}."
                yield _warning(f"disk.partitions.{at}.{field}", message, "duplicate-partition")
            seen.add(value)


def _overlay(data: Data, merged: Data, facts: Facts) -> Iterator[Finding]:
    if not facts.overlay:
        return
    disk = mapping(data.get("disk"))
    for key in ("partitions", "partitionTableType"):
        if disk.get(key):
            message = f"An overlay keeps the layout of the image below it: disk.{key} has no effect."
            yield _warning(f"disk.{key}", message, "overlay")
    if disk.get("size") and mapping(merged.get("overlayPolicy")).get("allowDiskResize") is not True:
        message = (
            "An overlay keeps the size of the image below it, unless overlayPolicy.allowDiskResize is true."
        )
        yield _warning("disk.size", message, "overlay")


def _protection(data: Data, facts: Facts) -> Iterator[Finding]:
    system = mapping(data.get("systemConfig"))
    if mapping(system.get("immutability")).get("enabled") is True and not facts.overlay:
        where = "systemConfig.immutability"
        if facts.partitions and not facts.read_only_root:
            message = (
                "Immutability is on, and there is no partition for its hashes (id: roothashmap, mountPoint: none); "
                "the tool then leaves the root writable."
            )
            yield _warning(where, message, "immutability")
        elif facts.boot_loader and facts.boot_loader != "systemd-boot":
            message = (
                f"Immutability needs systemd-boot, and the boot loader is {printable(facts.boot_loader, 40)}."
            )
            yield _warning(where, message, "immutability")
    if facts.encrypted:
        ids = {partition.id for partition in facts.partitions}
        for at, identity in enumerate(facts.encrypted_partitions):
            if ids and identity not in ids:
                message = f"There is no partition {printable(identity, 40)} to encrypt."
                yield _warning(f"systemConfig.fde.partitions.{at}", message, "encryption")
        esp = {partition.id for partition in facts.partitions if partition.type == "esp"}
        for identity in sorted(esp & set(facts.encrypted_partitions)):
            message = f"The EFI system partition {printable(identity, 40)} cannot be encrypted: nothing would start."
            yield _warning("systemConfig.fde.partitions", message, "encryption")


_EXACT_VERSION = re.compile(r"\d+\.\d+\.\d+")


def _kernel(facts: Facts) -> Iterator[Finding]:
    version = facts.kernel_version
    rolling = [name for name in facts.kernel_packages if _ROLLING.fullmatch(name)]
    if version and _EXACT_VERSION.match(version) and rolling:
        message = f"The kernel's version is pinned ({printable(version, 40)}) beside {rolling[0]}, which is always the newest."
        yield _warning("systemConfig.kernel.version", message, "kernel-pin")


def _users(data: Data) -> Iterator[Finding]:
    seen: set[str] = set()
    for at, user in enumerate(mappings(mapping(data.get("systemConfig")).get("users"))):
        name = text(user.get("name"))
        if name in seen:
            message = f"The user {printable(name, 40)} is set up twice."
            yield _warning(f"systemConfig.users.{at}.name", message, "duplicate-user")
        seen.add(name)
        password = text(user.get("password"))
        if password and not _HASHED.fullmatch(password) and not is_placeholder(password):
            message = f"The password of {printable(name, 40) or 'a user'} is in plain text. Use a hash: openssl passwd -6"
            yield _warning(f"systemConfig.users.{at}.password", message, "password")


def _repositories(data: Data) -> Iterator[Finding]:
    seen: dict[tuple[str, str, str], int] = {}
    for at, repository in enumerate(mappings(data.get("packageRepositories"))):
        key = (
            text(repository.get("codename")),
            text(repository.get("url")) or text(repository.get("path")),
            text(repository.get("component")),
        )
        if key in seen:
            message = f"The repository {printable(key[0], 40)} is in the list twice."
            fix = Fix("remove", "The repository was in the list twice; the second one was removed.")
            yield _warning(f"packageRepositories.{at}", message, "duplicate-repository", fix)
        seen.setdefault(key, at)
    for where, value in walk(data):
        if is_placeholder(value) and not where.startswith("metadata"):
            yield _warning(
                where,
                f"This is a placeholder still to be filled in: {printable(str(value), 40)}.",
                "placeholder",
            )
