"""The kernel command line, modules and version, and the boot loader of a template."""

import re

from vademecum.desks.composer.editing import geometry, layout
from vademecum.desks.composer.editing.disk import put_disk
from vademecum.desks.composer.editing.document import Document, Path
from vademecum.desks.composer.editing.outcome import Done, Outcome, Scene, already, delivered, undeliverable
from vademecum.desks.composer.image_template import Data
from vademecum.desks.composer.packages.distributions import FAMILIES
from vademecum.desks.composer.wish import Wish
from vademecum.text.patterns import Pattern

KERNEL = ("systemConfig", "kernel")
_RIGHT = Pattern(r"[A-Za-z0-9][\w.-]*(?:=[\w.,:/@%+*=-]*)?", flags=re.ASCII)
_REPEATED = frozenset(
    ["console", "isolcpus_", "modprobe.blacklist", "earlycon", "hugepagesz", "module_blacklist"]
)
"""Options that may stand several times, each with a value of its own."""


def _refusal(document: Document) -> str:
    if document.get("target", "imageType") == "wsl2":
        return "an image for WSL has no kernel of its own."
    return ""


def change_option(document: Document, wish: Wish, scene: Scene) -> Done:
    """An option on the kernel's command line: put in, given another value, or taken out."""
    if why := _refusal(document):
        return undeliverable(document, wish, why)
    if not _RIGHT.fullmatch(wish.value):
        return undeliverable(document, wish, f"{wish.value[:60]!r} is not a kernel option.")
    where: Path = (*KERNEL, "cmdline")
    overlay = document.get("baseline", "mode") == "overlay"
    if overlay:
        where = ("overlayPolicy", "kernelCmdline")
        line = str(document.get(*where) or "")
    else:
        line = str(scene.section(document, *KERNEL).get("cmdline") or "")
    token = wish.value
    if (
        not overlay
        and token.startswith("console=ttyS0")
        and str(document.get("target", "arch")) == "aarch64"
        and "ttyS0" not in wish.said
    ):
        token = token.replace("ttyS0", "ttyAMA0")
    words = line.split()
    key, mark, value = token.partition("=")
    same = [word for word in words if word.partition("=")[0] == key]
    if key == "console":  # each device has a line of its own
        same = [one for one in same if one.partition(",")[0] == token.partition(",")[0]]
    if key == "modprobe.blacklist" and mark and not wish.wanted:
        same = [one for one in same if value in one.partition("=")[2].split(",")]
    if not wish.wanted:
        going = [word for word in words if word == token] or (
            [] if mark and key not in {"console", "modprobe.blacklist"} else same
        )
        if not going:
            return already(document, wish, f"{token} is not on the kernel's command line.")
        words = [word for word in words if word not in going]
        says = f"Removed {' '.join(going)} from the kernel's command line."
    elif token in words:
        done = document if document.get(*where) else document.set(where, line)
        return already(done, wish, f"{token} is on the kernel's command line already.")
    elif mark and same and (wish.detail("op") == "set" or key not in _REPEATED or key == "console"):
        words = [token if word == same[0] else word for word in words if word not in same[1:]]
        says = f"{token} is on the kernel's command line (was {' '.join(same)})."
    else:
        words = [*words, token]
        says = f"Added {token} to the kernel's command line."
    return delivered(document.set(where, " ".join(words)) if words else _emptied(document, where), wish, says)


def _emptied(document: Document, where: Path) -> Document:
    return document.set(where, "") if document.get(*where) is not None else document


def change_module(document: Document, wish: Wish, scene: Scene) -> Done:
    """A module that is loaded."""
    if why := _refusal(document):
        return undeliverable(document, wish, why)
    where = (*KERNEL, "enableExtraModules")
    words = str(scene.section(document, *KERNEL).get("enableExtraModules") or "").split()
    if wish.wanted:
        if wish.value in words or wish.value.replace("-", "_") in {word.replace("-", "_") for word in words}:
            return already(document, wish, f"The module {wish.value} is loaded already.")
        return delivered(
            document.set(where, " ".join([*words, wish.value])), wish, f"The module {wish.value} is loaded."
        )
    if wish.value not in words:
        return already(document, wish, f"The module {wish.value} is not loaded.")
    left = [word for word in words if word != wish.value]
    done = document.set(where, " ".join(left)) if left or not document.get(*where) else document.remove(where)
    return delivered(done, wish, f"The module {wish.value} is no longer loaded.")


def change_version(document: Document, wish: Wish, scene: Scene) -> Done:
    """The kernel's version."""
    if why := _refusal(document):
        return undeliverable(document, wish, why)
    kernel = scene.section(document, *KERNEL)
    if not wish.wanted:
        if not document.get(*KERNEL, "version"):
            return already(document, wish, "No kernel version is pinned.")
        return delivered(document.remove((*KERNEL, "version")), wish, "No kernel version is pinned any more.")
    if str(kernel.get("version", "")) == wish.value:
        return already(document, wish, f"The kernel has the version {wish.value} already.")
    return delivered(
        document.set((*KERNEL, "version"), wish.value), wish, f"The kernel has the version {wish.value}."
    )


def _legacy(document: Document, wish: Wish, scene: Scene) -> Done:
    """A start by the old BIOS: GRUB, and its packages. A GPT disk gets the partition that GRUB needs there."""
    where = ("systemConfig", "bootloader")
    if str(document.get("target", "arch")) != "x86_64":
        return undeliverable(document, wish, "only PCs (x86_64) have an old BIOS.")
    done = document.set((*where, "bootType"), "legacy").set((*where, "provider"), "grub")
    disk = scene.section(document, "disk")
    notes = ""
    if str(disk.get("partitionTableType", "gpt")) == "gpt" and geometry.partitions_of(disk):
        try:
            disk = layout.with_bios_boot(disk)
        except layout.NoRoom as reason:
            return undeliverable(document, wish, f"{reason}.")
        done = put_disk(done, disk)
        notes = " The disk has a BIOS boot partition for it."
    family = FAMILIES.get(str(document.get("target", "os")), "deb")
    names = ("grub-pc", "grub2-common") if family == "deb" else ("grub2-pc", "grub2-tools")
    have = scene.section(document, "systemConfig").get("packages") or []
    added = tuple(name for name in names if name not in have)
    for name in added:
        done = done.append(("systemConfig", "packages"), name)
    return delivered(
        done, wish, f"It starts by the old BIOS, with GRUB ({', '.join(names)}).{notes}", packages=added
    )


_GRUB = {
    ("deb", "x86_64"): ("grub-efi-amd64", "grub2-common"),
    ("deb", "aarch64"): ("grub-efi-arm64", "grub2-common"),
    ("rpm", "x86_64"): ("grub2-efi-x64", "grub2-tools"),
    ("rpm", "aarch64"): ("grub2-efi-aa64", "grub2-tools"),
}
_AZURE_GRUB = ("grub2", "grub2-efi")


def change_loader(document: Document, wish: Wish, scene: Scene) -> Done:
    """The boot loader, and how it is started."""
    where = ("systemConfig", "bootloader")
    if why := _refusal(document):
        return undeliverable(document, wish, why.replace("kernel", "boot loader"))
    if document.get("baseline", "mode") == "overlay":
        return undeliverable(document, wish, "an overlay keeps the boot loader of the image it is put on.")
    boot = scene.section(document, *where)
    if wish.kind == "boot_type":
        kind = wish.value if wish.wanted else ("efi" if wish.value == "legacy" else "legacy")
        if boot.get("bootType") == kind:
            return already(document, wish, "It is like that already.")
        if kind == "legacy":
            return _legacy(document, wish, scene)
        return delivered(document.set((*where, "bootType"), kind), wish, "It starts by EFI.")
    if wish.detail("uki") and wish.wanted:
        return _unified(document, wish, scene, boot)
    loader = wish.value if wish.wanted else ("systemd-boot" if wish.value == "grub" else "grub")
    now = {"grub2": "grub"}.get(str(boot.get("provider", "")), str(boot.get("provider", "")))
    if now == loader:
        done = document if document.get(*where, "provider") else document.set((*where, "provider"), loader)
        return already(done, wish, f"The boot loader is {loader} already.")
    if loader == "systemd-boot" and boot.get("bootType") == "legacy":
        return undeliverable(
            document, wish, "systemd-boot starts by UEFI only, and the image starts by legacy BIOS."
        )
    done = document
    if not done.get(*where, "bootType"):
        done = done.set((*where, "bootType"), str(boot.get("bootType") or "efi"))
    done = done.set((*where, "provider"), loader)
    added = _loader_packages(document, loader)
    own = done.get("systemConfig", "packages") or []
    for name in added:
        if name not in own:
            done = done.append(("systemConfig", "packages"), name)
    return delivered(done, wish, f"The boot loader is {loader}; it needs {', '.join(added)}.", packages=added)


def _unified(document: Document, wish: Wish, scene: Scene, boot: Data) -> Done:
    """Kernel, initrd and command line in one file, which systemd-boot starts."""
    if (
        str(boot.get("provider", "")) == "systemd-boot"
        and scene.section(document, *KERNEL).get("uki") is True
    ):
        return already(document, wish, "Kernel and initrd are one file already.")
    done = document
    if str(boot.get("provider", "")) != "systemd-boot":
        done = done.set(("systemConfig", "bootloader", "provider"), "systemd-boot")
        if "systemd-boot" not in (scene.section(document, "systemConfig").get("packages") or []):
            done = done.append(("systemConfig", "packages"), "systemd-boot")
    done = done.set((*KERNEL, "uki"), True)
    return delivered(done, wish, "Kernel and initrd are one file (UKI), started by systemd-boot.")


def change_unified(document: Document, wish: Wish, scene: Scene) -> Done:
    """One file of kernel and initrd, or not."""
    boot = scene.section(document, "systemConfig", "bootloader")
    if wish.wanted:
        return _unified(document, wish, scene, boot)
    is_on = boot.get("provider") == "systemd-boot" or scene.section(document, *KERNEL).get("uki") is True
    if not is_on:
        return already(document, wish, "Kernel and initrd are separate files.")
    loader = Wish("boot_loader", "grub", said=wish.said, start=wish.start)
    done = (
        change_loader(document, loader, scene)
        if boot.get("provider") == "systemd-boot"
        else Done(document, Outcome(wish, "already", ""))
    )
    changed = done.document
    if changed.get(*KERNEL, "uki") is not None or scene.section(changed, *KERNEL).get("uki") is True:
        changed = changed.set((*KERNEL, "uki"), False)
    return delivered(changed, wish, "Kernel and initrd are separate files, started by GRUB.")


def _loader_packages(document: Document, loader: str) -> tuple[str, ...]:
    if loader == "systemd-boot":
        return ("systemd-boot",)
    distribution = str(document.get("target", "os"))
    if distribution in {"azure-linux", "edge-microvisor-toolkit"}:
        return _AZURE_GRUB
    return _GRUB.get(
        (FAMILIES.get(distribution, "deb"), str(document.get("target", "arch"))), ("grub2-common",)
    )
