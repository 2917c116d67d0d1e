"""The facts of a resolved template as plain fields. They describe its content, not its metadata."""

import re
from typing import NamedTuple

from vademecum.desks.composer.image_template.resolve import Resolved, is_overlay
from vademecum.desks.composer.image_template.template import Data, mapping, mappings, text, texts


class Artifact(NamedTuple):
    """A file that a build produces: its `type` (`qcow2`), and its `compression` or ""."""

    type: str
    compression: str


class Partition(NamedTuple):
    """A partition.

    Attributes:
        start_bytes: Its start; `None` if it is not set or not a size.
        end_bytes: Its end; `None` likewise, and if the partition extends to the end of the disk.
    """

    id: str
    type: str
    filesystem: str
    mount: str
    start_bytes: int | None
    end_bytes: int | None
    to_end: bool


class Interface(NamedTuple):
    """A network interface: its name, whether it uses DHCP, and its static addresses."""

    name: str
    dhcp: bool
    addresses: tuple[str, ...]


class Facts(NamedTuple):
    """The facts of a template that is merged with its defaults and parents. A text is "" where the template does not set it.

    Attributes:
        distribution: `target.os` (`ubuntu`, `azure-linux`).
        version: `target.dist` (`ubuntu24`).
        architecture: `x86_64`, `aarch64` or `armv7hl`.
        image_type: `raw`, `img`, `iso` or `wsl2`.
        baseline: The path or URL of that image, or "".
        packages: The system's packages in order, without the kernel's.
        replaced_kernel: The kernel package with which an overlay replaces the existing one, or "".
        boot_loader: `grub`, `systemd-boot` or "" (`grub2` counts as `grub`).
        uki: Whether kernel and initramfs are one file.
        read_only_root: Whether the root file system cannot be changed: immutability is on, and there is a partition for its hashes.
        encrypted_partitions: The ids of the encrypted partitions; empty if `encrypted` is set and the build tool chooses them.
        unlock: `auto`, `manual` or "".
        disk_size_bytes: The size of the disk; `None` if it is not set or not a size.
        picks_disk: The rule by which an installer selects the disk (`largest`), or "".
        repositories: The codenames of additional package repositories.
        placeholders: Whether any of them has a placeholder as its address.
        files: The destinations of files that are copied into the image.
        commands: The number of commands that run during a build. They are never run here.
        unresolved: The fields above that are unknown because the defaults are missing.
    """

    distribution: str = ""
    version: str = ""
    architecture: str = ""
    image_type: str = ""
    overlay: bool = False
    baseline: str = ""
    packages: tuple[str, ...] = ()
    kernel_packages: tuple[str, ...] = ()
    kernel_version: str = ""
    kernel_options: tuple[str, ...] = ()
    kernel_modules: tuple[str, ...] = ()
    replaced_kernel: str = ""
    boot_type: str = ""
    boot_loader: str = ""
    uki: bool = False
    read_only_root: bool = False
    secure_boot: bool = False
    encrypted: bool = False
    encrypted_partitions: tuple[str, ...] = ()
    unlock: str = ""
    artifacts: tuple[Artifact, ...] = ()
    disk_size_bytes: int | None = None
    partitions: tuple[Partition, ...] = ()
    partition_table: str = ""
    swap: bool = False
    grows: bool = False
    picks_disk: str = ""
    unattended: bool = False
    users: tuple[str, ...] = ()
    hostname: str = ""
    network: str = ""
    interfaces: tuple[Interface, ...] = ()
    repositories: tuple[str, ...] = ()
    placeholders: bool = False
    files: tuple[str, ...] = ()
    commands: int = 0
    extends: str = ""
    unresolved: tuple[str, ...] = ()


def facts_of(resolved: Resolved) -> Facts:
    """Return the facts of a resolved template. Values of a wrong type are treated as missing."""
    data = resolved.data
    target, disk, system = (mapping(data.get(key)) for key in ("target", "disk", "systemConfig"))
    kernel, boot, fde = (mapping(system.get(key)) for key in ("kernel", "bootloader", "fde"))
    immutability, network = mapping(system.get("immutability")), mapping(system.get("network"))
    overlay = is_overlay(data)
    source = mapping(mapping(data.get("baseline")).get("source"))
    partitions = tuple(_partition(one) for one in mappings(disk.get("partitions")))
    loader = _LOADERS.get(text(boot.get("provider")), text(boot.get("provider")))
    repositories = mappings(data.get("packageRepositories"))
    return Facts(
        distribution=text(target.get("os")),
        version=text(target.get("dist")),
        architecture=text(target.get("arch")),
        image_type=text(target.get("imageType")),
        overlay=overlay,
        baseline=(text(source.get("path")) or text(source.get("url"))) if overlay else "",
        packages=tuple(dict.fromkeys(texts(system.get("packages")))),
        kernel_packages=tuple(dict.fromkeys(texts(kernel.get("packages")))),
        kernel_version=_said(kernel.get("version")),
        kernel_options=tuple(text(kernel.get("cmdline")).split()),
        kernel_modules=tuple(text(kernel.get("enableExtraModules")).split()),
        replaced_kernel=text(mapping(mapping(data.get("overlayPolicy")).get("replaceKernel")).get("package")),
        boot_type=text(boot.get("bootType")),
        boot_loader=loader,
        uki=loader == "systemd-boot" or (not loader and kernel.get("uki") is True),
        read_only_root=immutability.get("enabled") is True and any(map(_holds_hashes, partitions)),
        secure_boot=bool(text(immutability.get("secureBootDBKey"))),
        encrypted=fde.get("enabled") is True,
        encrypted_partitions=tuple(texts(fde.get("partitions"))) if fde.get("enabled") is True else (),
        unlock=(text(fde.get("unlock")) or "auto") if fde.get("enabled") is True else "",
        artifacts=tuple(
            Artifact(text(one.get("type")), text(one.get("compression")))
            for one in mappings(disk.get("artifacts"))
        ),
        disk_size_bytes=size_bytes(disk.get("size")),
        partitions=partitions,
        partition_table=text(disk.get("partitionTableType")),
        swap=any("swap" in partition.type or partition.filesystem == "swap" for partition in partitions),
        grows=disk.get("extendLastPartitionToFillDisk") is True,
        picks_disk=text(mapping(disk.get("selectionPolicy")).get("strategy")),
        unattended="unattended" in _installers(system),
        users=tuple(text(one.get("name")) for one in mappings(system.get("users"))),
        hostname=text(system.get("hostname")),
        network=text(network.get("backend")),
        interfaces=tuple(_interface(one) for one in mappings(network.get("interfaces"))),
        repositories=tuple(_said(repository.get("codename")) for repository in repositories),
        placeholders=any(is_placeholder(repository.get("url")) for repository in repositories),
        files=tuple(text(one.get("final")) for one in mappings(system.get("additionalFiles"))),
        commands=len(mappings(system.get("configurations"))),
        extends=text(resolved.template.data.get("extends")),
        unresolved=() if resolved.has_defaults else _unresolved(disk, system),
    )


_LOADERS = {"grub2": "grub"}


def is_placeholder(value: object) -> bool:
    """Return whether a text is a placeholder that has to be replaced (`<URL>`)."""
    return isinstance(value, str) and value.startswith("<") and value.endswith(">")


def _said(value: object) -> str:
    """Return a text, or a number as a text, such as in `version: 6.12`."""
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _partition(data: Data) -> Partition:
    end = data.get("end")
    to_end = _said(end) == "0"
    return Partition(
        id=text(data.get("id")),
        type=text(data.get("type")),
        filesystem=text(data.get("fsType")),
        mount=text(data.get("mountPoint")),
        start_bytes=size_bytes(data.get("start")),
        end_bytes=None if to_end else size_bytes(end),
        to_end=to_end,
    )


def _holds_hashes(partition: Partition) -> bool:
    """Return whether a partition can hold dm-verity's hashes, by the rule of the build tool."""
    return partition.id in {"roothashmap", "hash"} or (
        partition.mount == "none" and partition.type == "linux"
    )


def _interface(data: Data) -> Interface:
    dhcp = data.get("dhcp4") is True or data.get("dhcp6") is True
    return Interface(text(data.get("name")), dhcp, tuple(texts(data.get("addresses"))))


def _installers(system: Data) -> str:
    """Return the names of everything that an installer runs."""
    scripts = [text(one.get("startupScript")) for one in mappings(system.get("users"))]
    return " ".join([text(mapping(system.get("initramfs")).get("template")), *scripts])


def _unresolved(disk: Data, system: Data) -> tuple[str, ...]:
    """Return the facts that may depend on the missing defaults."""
    found = ["packages"]
    if not disk:
        found += ["artifacts", "disk_size_bytes", "partitions"]
    found += [
        name
        for name, section in (
            ("boot_loader", "bootloader"),
            ("read_only_root", "immutability"),
            ("kernel_packages", "kernel"),
            ("users", "users"),
        )
        if section not in system
    ]
    return tuple(found)


_SIZE = re.compile(r"\s*([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([KMGTP]?)(i?B?|B)\s*", re.IGNORECASE)
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


def size_bytes(text: object) -> int | None:
    """Return a size (`4GiB`, `4G`, `4096 MiB`, `512MB`) in bytes; `None` for any other text.

    `K`, `M`, `G` and `T` are powers of 1024, with or without `iB`; `KB`, `MB`, `GB` and `TB` are powers of 1000.

    >>> size_bytes("4GiB"), size_bytes("1MB"), size_bytes("rest")
    (4294967296, 1000000, None)
    """
    if isinstance(text, int) and not isinstance(text, bool) and text >= 0:
        return text
    found = _SIZE.fullmatch(text) if isinstance(text, str) else None
    if not found:
        return None
    number, letter, unit = found[1], found[2].upper(), found[3].lower()
    step = 1000 if unit == "b" and letter else 1024
    return int(float(number) * step ** _POWERS[letter])


KIB, MIB, GIB, TIB = 1 << 10, 1 << 20, 1 << 30, 1 << 40
_BYTES = {"TiB": TIB, "GiB": GIB, "MiB": MIB, "GB": 10**9, "MB": 10**6, "KiB": KIB, "KB": 10**3}


def written(size: int) -> str:
    """A number of bytes in the largest unit that leaves no fraction.

    >>> written(2 << 30), written(513 << 20), written(8_000_000_000)
    ('2GiB', '513MiB', '8GB')
    """
    for unit, unit_bytes in _BYTES.items():
        if size and not size % unit_bytes:
            return f"{size // unit_bytes}{unit}"
    return f"{size}B"


def offset(size_bytes: int) -> str:
    """A place on a disk, in whole MiB, as templates write it."""
    return f"{size_bytes // MIB}MiB"
