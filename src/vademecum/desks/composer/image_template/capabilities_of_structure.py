"""Capabilities that follow from a template's structure: target, disk, boot, security, network, inheritance."""

from collections.abc import Callable

from vademecum.desks.composer.image_template import Facts

Test = Callable[[Facts], bool]
"""Whether facts have a capability."""

_GIB = 1 << 30
_SMALL_DISK = 4 * _GIB
_LARGE_DISK = 16 * _GIB
_FEW_PACKAGES = 40
"""From more than these on an image is not minimal; the defaults of a distribution alone have up to 35."""


def _artifact(*types: str) -> Test:
    return lambda facts: any(artifact.type in types for artifact in facts.artifacts)


def _compression(*names: str) -> Test:
    return lambda facts: any(artifact.compression in names for artifact in facts.artifacts)


def _option(*starts: str) -> Test:
    return lambda facts: any(option.startswith(starts) for option in facts.kernel_options)


def _mounted(facts: Facts, *starts: str) -> bool:
    return any(
        partition.mount.startswith(starts)
        for partition in facts.partitions
        if partition.mount not in {"/boot", "/boot/efi"}
    )


def _is_real_time(facts: Facts) -> bool:
    names = (*facts.kernel_packages, *facts.packages, facts.replaced_kernel)
    return any(
        "rt" in name.replace("_", "-").split("-") or "preempt" in name
        for name in names
        if "kernel" in name or "linux" in name
    )


def _legacy_boot(facts: Facts) -> bool:
    return facts.boot_type == "legacy" or any(
        "bios" in partition.type or "bios" in partition.id.lower() for partition in facts.partitions
    )


def _has_slots(facts: Facts) -> bool:
    roots = [
        partition.id.lower()
        for partition in facts.partitions
        if "root" in partition.id.lower() or "root" in partition.type
    ]
    return len([root for root in roots if "hash" not in root and "verity" not in root]) > 1


def _is_minimal(facts: Facts) -> bool:
    return len(facts.packages) <= _FEW_PACKAGES and not facts.overlay and facts.image_type != "img"


OF_STRUCTURE: tuple[tuple[str, str, Test], ...] = (
    ("arm", "For 64-bit ARM processors (aarch64, arm64)", lambda facts: facts.architecture in {"aarch64", "armv7hl"}),
    ("x86", "For 64-bit PC processors (x86_64, amd64)", lambda facts: facts.architecture == "x86_64"),
    ("installer", "An installer: a bootable ISO for USB stick or DVD", lambda facts: facts.image_type == "iso"),
    ("unattended", "Installs by itself without questions (unattended)", lambda facts: facts.unattended),
    ("picks-disk", "An installer that chooses the disk by itself", lambda facts: bool(facts.picks_disk)),
    ("netboot", "An initrd image that runs from memory: network boot, PXE, diskless", lambda facts: facts.image_type == "img"),
    ("wsl", "A root file system for Windows Subsystem for Linux (WSL2)", lambda facts: facts.image_type == "wsl2"),
    ("disk-image", "A disk image that is written or started as it is", lambda facts: facts.image_type == "raw"),
    ("qcow2", "Written as qcow2, for QEMU, KVM, OpenStack and Proxmox", _artifact("qcow2")),
    ("vhd", "Written as VHD, for Azure", _artifact("vhd")),
    ("vhdx", "Written as VHDX, for Hyper-V", _artifact("vhdx")),
    ("vmdk", "Written as VMDK, for VMware", _artifact("vmdk")),
    ("vdi", "Written as VDI, for VirtualBox", _artifact("vdi")),
    ("tarball", "Written as a tar archive", _artifact("tar")),
    ("zstd", "Compressed with zstd", _compression("zstd")),
    ("xz", "Compressed with xz", _compression("xz")),
    ("read-only-root", "Read-only root file system, protected by dm-verity: immutable", lambda facts: facts.read_only_root),
    ("writable-root", "A system that can be written to", lambda facts: (not facts.read_only_root and facts.image_type not in {"img", "iso"} and not facts.overlay)),
    ("encrypted", "Encrypted disk (LUKS, full disk encryption)", lambda facts: facts.encrypted),
    ("unlocks-itself", "The encrypted disk opens by itself at start", lambda facts: facts.encrypted and facts.unlock == "auto"),
    ("asks-passphrase", "The passphrase of the encrypted disk is asked for at every start", lambda facts: facts.encrypted and facts.unlock == "manual"),
    ("secure-boot", "Signed for UEFI Secure Boot with own keys", lambda facts: facts.secure_boot),
    ("overlay", "An overlay: adds to a ready image instead of building one", lambda facts: facts.overlay),
    ("overlay-of-file", "The ready image is a file on the own disk", lambda facts: facts.overlay and "://" not in facts.baseline),
    ("overlay-of-download", "The ready image is downloaded from its vendor", lambda facts: facts.overlay and "://" in facts.baseline),
    ("replaces-kernel", "Replaces the kernel of a ready image", lambda facts: bool(facts.replaced_kernel)),
    ("extends", "Inherits from another template (extends)", lambda facts: bool(facts.extends)),
    ("swap", "Has a swap partition", lambda facts: facts.swap),
    ("grows", "The last partition grows to fill the disk", lambda facts: facts.grows),
    ("separate-boot", "A /boot partition of its own", lambda facts: any(partition.mount == "/boot" for partition in facts.partitions)),
    ("legacy-boot", "Starts old PCs without UEFI, too (BIOS boot)", _legacy_boot),
    (
        "data-partition",
        "A data partition of its own that outlives the system",
        lambda facts: _mounted(facts, "/opt", "/data", "/var", "/home", "/srv", "/persistent", "/mnt"),
    ),
    ("slots", "Two system slots (A and B), for updates that can be taken back", _has_slots),
    ("small-disk", "A small disk image", lambda facts: facts.disk_size_bytes is not None and facts.disk_size_bytes < _SMALL_DISK),
    ("large-disk", "A large disk image", lambda facts: facts.disk_size_bytes is not None and facts.disk_size_bytes >= _LARGE_DISK),
    ("static-address", "A fixed network address", lambda facts: any(interface.addresses for interface in facts.interfaces)),
    ("interfaces", "Several network interfaces set up", lambda facts: len(facts.interfaces) > 1),
    ("dhcp", "Asks the network for its address (DHCP)", lambda facts: any(interface.dhcp for interface in facts.interfaces)),
    ("accounts", "User accounts are set up", lambda facts: any(name != "root" for name in facts.users)),
    ("uki", "Kernel and start-up files are one file (unified kernel image), started by systemd-boot", lambda facts: facts.uki),
    ("grub", "Started by GRUB", lambda facts: facts.boot_loader == "grub"),
    ("real-time", "Real-time kernel (PREEMPT_RT)", _is_real_time),
    ("intel-kernel", "Intel's own kernel", lambda facts: any("-intel" in name for name in facts.kernel_packages)),
    ("hwe-kernel", "Hardware-enablement or OEM kernel", lambda facts: any("hwe" in name or "oem" in name for name in (*facts.kernel_packages, facts.replaced_kernel))),
    (
        "huge-pages",
        "Large memory pages",
        lambda facts: (
            any(option.startswith(("hugepages", "default_hugepagesz")) for option in facts.kernel_options)
            or any("64k" in name for name in facts.kernel_packages)
        ),
    ),
    ("iommu", "Devices passed through to virtual machines (IOMMU)", _option("intel_iommu", "amd_iommu", "iommu", "vfio")),
    (
        "virtual-functions",
        "A graphics card that is split into virtual ones (SR-IOV)",
        _option("i915.max_vfs", "xe.max_vfs", "i915.enable_guc", "xe.force_probe", "i915.force_probe"),
    ),
    ("own-repositories", "Takes packages from further repositories", lambda facts: bool(facts.repositories) and not facts.placeholders),
    ("minimal", "Minimal: few packages", _is_minimal),
    (
        "early-boot-module",
        "Parts of its own in the start-up memory (a dracut module or initramfs hook)",
        lambda facts: any("/dracut/" in file or "/initramfs-tools/" in file for file in facts.files),
    ),
    ("scripted", "Runs commands of its own while it is built", lambda facts: facts.commands > 0),
)  # fmt: skip
"""The name of each capability, what it is, and its test."""
