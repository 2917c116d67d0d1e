"""All fields of a template: name, type and meaning.

Validation, the JSON Schema for editors, the generic edits, the wishes that a model may state and the reference page are all made from
this table. `[]` in a path says that the field before it is a list of mappings. Rules between several fields are in `rules`.
"""

from collections.abc import Mapping
from functools import cache
from typing import Literal, NamedTuple

Kind = Literal["text", "switch", "number", "texts", "section", "sections", "free", "free-sections"]
"""What a field holds. `free` sections may have any keys."""


class Field(NamedTuple):
    """A field of a template.

    Attributes:
        path: With `[]` behind each list of mappings on the way (`disk.partitions[].mountPoint`).
        kind: What it holds.
        choices: The values that a text may have; empty for any.
        form: The form of its text, or of each text of its list, by its name in `forms.FORMS`; "" for any.
        required: Whether the section that it belongs to must have it.
        least: The fewest entries of a list; 0 for any.
        bounds: The smallest and the largest value of a number; `None` for any.
        unique: Whether no entry of a list may be there twice.
        key: In a list of mappings, the field that tells its entries apart; "" if none does.
        default: What the tool assumes where the field is missing, as text; "" if nothing.
    """

    path: str
    kind: Kind
    meaning: str
    choices: tuple[str, ...] = ()
    form: str = ""
    required: bool = False
    least: int = 0
    bounds: tuple[int, int] | None = None
    unique: bool = False
    key: str = ""
    default: str = ""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition(".")[2].removesuffix("[]")

    @property
    def parent(self) -> str:
        """The path of the section that it belongs to; "" for the template itself."""
        return self.path.rpartition(".")[0]


IMAGE_TYPES = ("raw", "img", "iso", "wsl2")
ARCHITECTURES = ("x86_64", "aarch64", "armv7hl")
RELEASES: Mapping[str, tuple[str, ...]] = {
    "azure-linux": ("azl3",),
    "edge-microvisor-toolkit": ("emt3",),
    "wind-river-elxr": ("elxr12", "elxr13"),
    "ubuntu": ("ubuntu24", "ubuntu26"),
    "redhat-compatible-distro": (),
    "debian": ("debian13",),
}
"""The operating systems, each with the releases that `target.dist` may name; empty for any."""

SYSTEM_OF: Mapping[str, str] = {
    release: system
    for system, releases in RELEASES.items()
    for release in (
        releases or ("el10",)
    )  # of the systems whose release is free, the one that there are defaults for
}
"""The operating system of each release."""

_COMPRESSIONS = ("gz", "gzip", "xz", "zstd", "bz2")
_ARTIFACTS = ("raw", "qcow2", "vhd", "vhdx", "vmdk", "vdi", "tar")

FIELDS: tuple[Field, ...] = (
    Field("extends", "text", "Path of the template that this one is based on, from its own folder."),
    Field("metadata", "section", "What the template is for. It does not change the image."),
    Field("metadata.description", "text", "The purpose in a sentence or two."),
    Field("metadata.use_cases", "texts", "Uses that the image is made for."),
    Field("metadata.keywords", "texts", "Words that people search for."),
    Field("image", "section", "What the image is called.", required=True),
    Field("image.name", "text", "Name of the image.", form="image-name", required=True),
    Field("image.version", "text", "Version of the image.", form="image-version", required=True),
    Field("target", "section", "What the image is built for.", required=True),
    Field("target.os", "text", "The distribution.", choices=tuple(RELEASES), required=True),
    Field("target.dist", "text", "Its release.", required=True),
    Field("target.arch", "text", "The processor's architecture.", choices=ARCHITECTURES, required=True),
    Field("target.imageType", "text", "Disk image (raw), initrd (img), installer (iso) or root for WSL2 (wsl2).", choices=IMAGE_TYPES, required=True),
    Field("baseline", "section", "Whether the image is made from scratch or put on an existing one."),
    Field("baseline.mode", "text", "`create` makes a new image, `overlay` changes an existing one.", choices=("create", "overlay"), default="create"),
    Field("baseline.source", "section", "The image that an overlay is put on: a path or a URL."),
    Field("baseline.source.path", "text", "Local path of that image.", form="local-path"),
    Field("baseline.source.url", "text", "Address of that image, over https.", form="https"),
    Field("baseline.source.format", "text", "Format of that image.", choices=("raw", "qcow2", "vhd", "vhdx"), default="raw"),
    Field("baseline.source.sbomPath", "text", "Local path of its bill of materials (SPDX, JSON).", form="local-path"),
    Field("overlayPolicy", "section", "What an overlay may change in the image below it."),
    Field("overlayPolicy.packageOperation", "text", "Whether packages may also be upgraded.", choices=("additive-only", "additive-and-upgrade"), default="additive-only"),
    Field("overlayPolicy.conflictPolicy", "text", "What to do when packages conflict.", choices=("fail", "allow-explicit"), default="fail"),
    Field("overlayPolicy.kernelCmdline", "text", "Kernel command line that replaces the one of the image below."),
    Field("overlayPolicy.grubDefault", "text", "Entry of GRUB's menu that starts by default."),
    Field("overlayPolicy.allowDiskResize", "switch", "Whether the image below may be enlarged.", default="false"),
    Field("overlayPolicy.allowPackageRemoval", "switch", "Whether packages that are in the way may be removed.", default="false"),
    Field("overlayPolicy.replaceKernel", "section", "Replaces the kernel of the image below."),
    Field("overlayPolicy.replaceKernel.package", "text", "Package of the new kernel.", form="kernel-package", required=True),
    Field("disk", "section", "The disk and its partitions. A template's disk replaces an inherited one as a whole."),
    Field("disk.name", "text", "Name of the layout.", required=True),
    Field("disk.path", "text", "Device that an installer writes to."),
    Field("disk.selectionPolicy", "section", "How an installer picks the device when `path` is empty."),
    Field("disk.selectionPolicy.strategy", "text", "Which device it takes.", choices=("first", "largest", "fastest")),
    Field("disk.selectionPolicy.excludeRemovable", "switch", "Whether removable devices are left out.", default="true"),
    Field("disk.selectionPolicy.requireEmpty", "switch", "Whether a device with partitions is left alone.", default="true"),
    Field("disk.extendLastPartitionToFillDisk", "switch", "Whether the last partition grows to the disk's size at the first start."),
    Field("disk.artifacts", "sections", "The files that a build gives.", key="type"),
    Field("disk.artifacts[].type", "text", "Format of the file.", choices=_ARTIFACTS, required=True),
    Field("disk.artifacts[].compression", "text", "How it is compressed.", choices=_COMPRESSIONS),
    Field("disk.size", "text", "Size of the disk, such as 8GiB."),
    Field("disk.partitionTableType", "text", "Kind of the partition table.", choices=("gpt", "mbr")),
    Field("disk.partitions", "sections", "The partitions in their order.", key="id"),
    Field("disk.partitions[].id", "text", "What other fields call the partition."),
    Field("disk.partitions[].index", "number", "Its number."),
    Field("disk.partitions[].name", "text", "Its label in the partition table."),
    Field("disk.partitions[].type", "text", "What it is for, such as esp or linux-root-amd64."),
    Field("disk.partitions[].typeUUID", "text", "The type as a UUID."),
    Field("disk.partitions[].fsType", "text", "File system, such as ext4."),
    Field("disk.partitions[].fsLabel", "text", "Label of the file system."),
    Field("disk.partitions[].start", "text", "Where it starts, such as 1MiB."),
    Field("disk.partitions[].end", "text", "Where it ends; 0 for the end of the disk."),
    Field("disk.partitions[].mountPoint", "text", "Where it is mounted."),
    Field("disk.partitions[].mountOptions", "text", "Options of the mount, with commas between them."),
    Field("disk.partitions[].flags", "texts", "Flags, such as boot or esp."),
    Field("systemConfig", "section", "What the system holds."),
    Field("systemConfig.name", "text", "Name of this configuration."),
    Field("systemConfig.description", "text", "What the configuration is."),
    Field("systemConfig.initramfs", "section", "The initramfs."),
    Field("systemConfig.initramfs.template", "text", "Path of the template that it is made from.", required=True),
    Field("systemConfig.hostname", "text", "Name of the machine on the network."),
    Field("systemConfig.immutability", "section", "Read-only root and Secure Boot."),
    Field("systemConfig.immutability.enabled", "switch", "Whether the root file system is read-only, checked by dm-verity.", required=True, default="false"),
    Field("systemConfig.immutability.secureBootDBKey", "text", "Private key that signs for Secure Boot.", form="private-key"),
    Field("systemConfig.immutability.secureBootDBCrt", "text", "Certificate to that key (PEM).", form="certificate"),
    Field("systemConfig.immutability.secureBootDBCer", "text", "Certificate to that key (DER).", form="der-certificate"),
    Field("systemConfig.fde", "section", "Encryption of partitions (LUKS)."),
    Field("systemConfig.fde.enabled", "switch", "Whether partitions are encrypted.", required=True, default="false"),
    Field("systemConfig.fde.passphraseFile", "text", "File with the passphrase, absolute or from the template's folder."),
    Field("systemConfig.fde.partitions", "texts", "Ids of the partitions that are encrypted."),
    Field("systemConfig.fde.unlock", "text", "`auto` unlocks by a key in the initramfs, `manual` asks at each start.", choices=("auto", "manual"), default="auto"),
    Field("systemConfig.users", "sections", "The accounts.", key="name"),
    Field("systemConfig.users[].name", "text", "Name of the account.", form="account", required=True),
    Field("systemConfig.users[].password", "text", "Hash of the password."),
    Field("systemConfig.users[].hash_algo", "text", "Algorithm that hashes a password written in plain."),
    Field("systemConfig.users[].passwordMaxAge", "number", "Days until the password must be changed."),
    Field("systemConfig.users[].startupScript", "text", "Program that runs at login.", form="script"),
    Field("systemConfig.users[].groups", "texts", "Further groups.", form="group"),
    Field("systemConfig.users[].sudo", "switch", "Whether the account may act as root."),
    Field("systemConfig.users[].home", "text", "Home directory."),
    Field("systemConfig.users[].shell", "text", "Login shell."),
    Field("systemConfig.bootloader", "section", "How the machine starts."),
    Field("systemConfig.bootloader.bootType", "text", "By UEFI (efi) or BIOS (legacy).", choices=("efi", "legacy")),
    Field("systemConfig.bootloader.provider", "text", "The boot loader.", choices=("grub", "grub2", "systemd-boot")),
    Field("systemConfig.network", "section", "The network of the installed system."),
    Field("systemConfig.network.backend", "text", "What configures it.", choices=("systemd-networkd", "netplan")),
    Field("systemConfig.network.interfaces", "sections", "The interfaces.", key="name"),
    Field("systemConfig.network.interfaces[].name", "text", "Name of the interface.", form="interface", required=True),
    Field("systemConfig.network.interfaces[].dhcp4", "switch", "Whether it gets an IPv4 address by DHCP."),
    Field("systemConfig.network.interfaces[].dhcp6", "switch", "Whether it gets an IPv6 address by DHCP."),
    Field("systemConfig.network.interfaces[].addresses", "texts", "Static addresses with their prefix.", form="network"),
    Field("systemConfig.network.interfaces[].routes", "sections", "Static routes.", key="to"),
    Field("systemConfig.network.interfaces[].routes[].to", "text", "Destination; `default` for the gateway.", form="destination", required=True),
    Field("systemConfig.network.interfaces[].routes[].via", "text", "Address of the gateway.", form="address", required=True),
    Field("systemConfig.network.interfaces[].nameservers", "texts", "Name servers.", form="address"),
    Field("systemConfig.packages", "texts", "Packages that are installed.", form="package", unique=True),
    Field("systemConfig.additionalFiles", "sections", "Files that are copied into the image.", key="final"),
    Field("systemConfig.additionalFiles[].local", "text", "Path of the file on the machine that builds.", form="some-text", required=True),
    Field("systemConfig.additionalFiles[].final", "text", "Path of the file in the image.", form="some-text", required=True),
    Field("systemConfig.additionalFiles[].stage", "text", "In an overlay: when it is copied.", choices=("", "pre-initramfs")),
    Field("systemConfig.configurations", "free-sections", "Commands (`cmd`) that run while the image is built."),
    Field("systemConfig.kernel", "section", "The kernel."),
    Field("systemConfig.kernel.name", "text", "What the kernel is called."),
    Field("systemConfig.kernel.version", "text", "Its version."),
    Field("systemConfig.kernel.cmdline", "text", "Its command line."),
    Field("systemConfig.kernel.enableExtraModules", "text", "Modules that are loaded, with blanks between them."),
    Field("systemConfig.kernel.uki", "switch", "Whether kernel and initramfs are one file."),
    Field("systemConfig.kernel.packages", "texts", "Packages of the kernel."),
    Field("sbomPackageMetadata", "free-sections", "Entries for the bill of materials."),
    Field("packageRepositories", "sections", "Further sources of packages.", key="codename"),
    Field("packageRepositories[].codename", "text", "Name of the source.", form="some-text"),
    Field("packageRepositories[].url", "text", "Address of the source.", form="url"),
    Field("packageRepositories[].path", "text", "Local folder of the source.", form="absolute-path"),
    Field("packageRepositories[].packages", "texts", "Files that a local source is filled with.", form="package-file", least=1),
    Field("packageRepositories[].insecureSkipVerify", "switch", "Whether certificates are not verified.", default="false"),
    Field("packageRepositories[].pkey", "text", "Key that signs the packages.", form="signing-key"),
    Field("packageRepositories[].pkeys", "texts", "Several such keys.", form="signing-keys", least=1),
    Field("packageRepositories[].component", "text", "Component, such as main.", form="some-text"),
    Field("packageRepositories[].priority", "number", "Which source wins; a larger number does.", bounds=(-9999, 9999), default="0"),
    Field("packageRepositories[].allowPackages", "texts", "The only packages that are taken from it.", form="package"),
)  # fmt: skip
"""All fields, each behind the section that it belongs to."""


@cache
def fields_by_path() -> Mapping[str, Field]:
    """The fields by their paths."""
    return {field.path: field for field in FIELDS}


@cache
def fields_of(section: str) -> Mapping[str, Field]:
    """The fields of a section by their names."""
    return {field.name: field for field in FIELDS if field.parent == section}


def field_at(where: str) -> Field | None:
    """The field that a dotted path with numbers leads to (`disk.partitions.1.end`, `systemConfig.packages.0`); `None` if there is none."""
    path = ""
    for step in where.split("."):
        path = f"{path}[]" if step.isdecimal() else f"{path}.{step}" if path else step
    return fields_by_path().get(path) or fields_by_path().get(path.removesuffix("[]"))
