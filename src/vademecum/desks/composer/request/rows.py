"""Fields of an image with typed values: the rows that a sheet of data or a model gives become wishes.

A row holds only if its value is of the type of its field. The English of a request is read elsewhere.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from ipaddress import ip_interface
from typing import NamedTuple, cast

from vademecum.desks.composer.request.words.lexer import tokens_of
from vademecum.desks.composer.request.words.vocabulary import Vocabulary, values
from vademecum.desks.composer.request.zones import LOCALE, zone_of
from vademecum.desks.composer.wish import Kind, Secret, Wish


class Row(NamedTuple):
    """A field, its value, and the words of the request that give it.

    Attributes:
        key: What the field belongs to, where there may be several: an account, a mount point, an interface.
        start: The position of `quote` in the request.
    """

    field: str
    value: str
    quote: str
    start: int
    key: str = ""
    wanted: bool = True


class Known(NamedTuple):
    """The vocabulary, and the passwords of the request by their marks, which values are checked against."""

    vocabulary: Vocabulary
    secrets: Mapping[str, Secret]


class Field(NamedTuple):
    """A field of an image.

    Attributes:
        says: What its value is, for a model.
        read: Returns the wishes of a row; nothing if its value is of another type.
        aliases: The keys by which sheets of data name it.
    """

    says: str
    read: Callable[[Row, Known], Iterable[Wish]]
    aliases: tuple[str, ...] = ()


_YES = frozenset(["yes", "y", "true", "on", "1", "enabled", "enable", "required", "active"])
_NO = frozenset(["no", "n", "false", "off", "0", "disabled", "disable", "none", "without"])
_LIST = re.compile(r"\s*(?:[,;\n]|\s(?:and|&|\+)\s|\s\+|(?<=\w)\s+(?=\w))\s*")
_NAME = re.compile(r"[a-zA-Z_][\w.-]{0,31}", re.ASCII)
_HOST = re.compile(
    r"(?=.{1,253}$)[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9][A-Za-z0-9-]{0,62})*", re.ASCII
)
_PACKAGE = re.compile(r"[A-Za-z0-9][\w.+:@-]*\+{0,2}", re.ASCII)
_OPTION = re.compile(r"[A-Za-z][\w.-]*(?:=[\w.,:/@%+*-]*)?", re.ASCII)
_PATH = re.compile(r"/(?:[\w.@%+~*-]+/?)*")


def wishes_of(row: Row, known: Known) -> tuple[Wish, ...]:
    """Return the wishes of a row; nothing if its field is unknown, or its value is of another type."""
    field = FIELDS.get(row.field)
    made = (
        tuple(field.read(row._replace(value=row.value.strip(), key=row.key.strip()), known)) if field else ()
    )
    return tuple(
        wish._replace(
            said=wish.said if wish.said and wish.said in row.quote else row.quote[:200],
            start=row.start + max(0, row.quote.find(wish.said)),
        )
        for wish in made
    )


_ADDRESS = re.compile(r"[\d.:a-fA-F]+(?:/\d+)?")


def with_interfaces(wishes: Iterable[Wish]) -> list[Wish]:
    """Return the wishes, those about one network interface as one. What names none belongs to the only one that is named."""
    wishes = [
        wish._replace(value="") if wish.detail("mask") and _ADDRESS.fullmatch(wish.value) else wish
        for wish in wishes
    ]
    addressed = [
        wish for wish in wishes if wish.kind == "network" and wish.wanted and not wish.detail("dhcp")
    ]
    names = list(dict.fromkeys(wish.value for wish in addressed if wish.value))
    faces: dict[str, Wish] = {}
    for wish in addressed:
        name = wish.value or (names[0] if len(names) == 1 else "")
        first = faces.get(name, wish._replace(value=name, details={}))
        details = {
            key: ",".join(dict.fromkeys(filter(None, [first.detail(key), wish.detail(key)])))
            for key in {**first.details, **wish.details}
        }
        if (mask := details.get("mask")) and "/" not in (address := details.get("address", "/")):
            details["address"] = f"{address}/{ip_interface(f'0.0.0.0/{mask}').network.prefixlen}"
            del details["mask"]
        faces[name] = first._replace(details=details)
    return [
        *(wish for wish in wishes if wish not in addressed),
        *(face for face in faces.values() if face.details),
    ]


def from_repositories(wishes: Iterable[Wish]) -> list[Wish]:
    """Return the wishes; with a further repository, packages that are unknown, or named to the letter, are taken as they are."""
    wishes = list(wishes)
    if not any(wish.kind == "repository" and wish.wanted for wish in wishes):
        return wishes
    return [
        wish._replace(kind="package", details={"literal": "yes", "indexed": "yes"})
        if wish.wanted
        and (wish.detail("shape") == "package" or (wish.kind == "package" and wish.value == wish.said))
        else wish
        for wish in wishes
    ]


def items(value: str) -> list[str]:
    """Return the items of a list, as in `[a, b]`, `a b` or `a and b`."""
    return [item for part in _LIST.split(value.strip("[](){} ")) if (item := part.strip("'\"` -*•"))]


def size_in(value: str) -> str:
    """Return a size as templates write it, or "".

    >>> size_in("20 GB"), size_in("about 20 GB"), size_in("20")
    ('20GB', '', '')
    """
    tokens = tokens_of(value)
    return tokens[0].norm if len(tokens) == 1 and tokens[0].kind == "size" else ""


def _is_on(row: Row) -> bool | None:
    """Return whether a switch is on; `None` for another value."""
    said = row.value.lower()
    return row.wanted if said in _YES or not said else not row.wanted if said in _NO else None


def _by_sense(*kinds: str) -> Callable[[Row, Known], Iterable[Wish]]:
    """Return a reader of values that the vocabulary knows as of some kinds. Several may be in one value: `EL10 / amd64 / ISO`."""

    def read(row: Row, known: Known) -> Iterable[Wish]:
        made: list[Wish] = []
        for part in re.split(r"\s*[,/|()]\s*|\s+-\s+", row.value.strip("[]() ")) if row.value else ():
            if kind := next((kind for kind in kinds if part in values(kind)), None):
                made.append(Wish(cast("Kind", kind), part, row.wanted))
                continue
            terms = list(known.vocabulary.terms(part, tokens_of(part)))
            found = [sense for term in terms if (sense := term.sense(*kinds, *_WITH_TARGETS))]
            if len(found) < sum(not term.has("filler", "article") for term in terms):
                return ()
            made += [Wish(cast("Kind", sense.kind), sense.value, row.wanted) for sense in found]
        if row.field == "format" and len(made) > 1:  # "raw, vhdx" are two files
            made = [wish._replace(kind="artifact") for wish in made]
        return made if any(wish.kind in {*kinds, "artifact"} for wish in made) else ()

    return read


_WITH_TARGETS = ("version", "distribution", "architecture", "image_type", "artifact", "compression")


def _packages(row: Row, known: Known) -> Iterable[Wish]:
    """Yield a wish for each package; one that nobody knows is named as such. `web server` is one thing, `nginx redis` are two."""
    names = items(row.value)
    if (
        " " in row.value
        and not re.search(r"[,;\n]", row.value)
        and not all(_is_package(name, known) for name in names)
    ):
        names = [row.value]
    for name in names:
        lowered = name.lower()
        senses = known.vocabulary.senses_of(lowered)
        sense = next((sense for sense in senses if sense.kind in {"package", "capability", "ability"}), None)
        if sense and sense.kind != "package":
            yield Wish("capability", sense.value, row.wanted, said=name)
        elif sense:
            yield Wish("package", known.vocabulary.package(lowered, sense.value), row.wanted, said=name)
        elif not row.wanted or _is_package(name, known):
            yield Wish("package", lowered, row.wanted, said=name)
        else:
            yield Wish(
                "unknown",
                lowered,
                said=name,
                details={"shape": "package"} if _PACKAGE.fullmatch(name) else {},
            )


def _is_package(name: str, known: Known) -> bool:
    tokens = tokens_of(name)
    term = next(known.vocabulary.terms(name, tokens)) if tokens else None
    return term is not None and term.text == name and term.has("package", "family")


def _text(kind: Kind, form: re.Pattern[str]) -> Callable[[Row, Known], Iterable[Wish]]:
    def read(row: Row, _known: Known) -> Iterable[Wish]:
        value = row.value.strip("'\"`")
        return [Wish(kind, value, row.wanted)] if form.fullmatch(value) else []

    return read


def _each(kind: Kind, form: re.Pattern[str], **details: str) -> Callable[[Row, Known], Iterable[Wish]]:
    def read(row: Row, _known: Known) -> Iterable[Wish]:
        said = items(row.value) if kind != "kernel_option" else row.value.strip("'\"`[] ").split()
        is_right = said and all(form.fullmatch(value) for value in said)
        return [Wish(kind, value, row.wanted, details=details) for value in said] if is_right else []

    return read


def _switch(kind: Kind) -> Callable[[Row, Known], Iterable[Wish]]:
    def read(row: Row, _known: Known) -> Iterable[Wish]:
        is_on = _is_on(row)
        return [] if is_on is None else [Wish(kind, "", is_on)]

    return read


def _disk(row: Row, _known: Known) -> Iterable[Wish]:
    size = size_in(row.value)
    return [Wish("disk_size", size)] if size and row.wanted else []


def _at_most(row: Row, _known: Known) -> Iterable[Wish]:
    size = size_in(row.value)
    return [Wish("disk_size", size, details={"op": "at-most"})] if size else []


def _swap(row: Row, _known: Known) -> Iterable[Wish]:
    size = size_in(row.value)
    if size and row.wanted:
        return [Wish("swap", size)]
    return [Wish("swap", "", bool(_is_on(row)))] if not size and _is_on(row) is not None else []


def _partition(row: Row, known: Known) -> Iterable[Wish]:
    """Read a mount point with a size, a file system and options in any order: `/home 20GiB xfs`."""
    mount, details = row.key, {}
    for token in tokens_of(row.value):
        word = token.text
        sense = next(iter(known.vocabulary.senses_of(token.norm)), None)
        if token.kind == "path" and not mount:
            mount = word
        elif token.kind == "size":
            details["size"] = token.norm
        elif sense and sense.kind in {"filesystem", "mount_option"}:
            name = "fs" if sense.kind == "filesystem" else "options"
            details[name] = ",".join(filter(None, [details.get(name, ""), sense.value]))
        elif sense and sense.kind == "rest":
            details["size"] = "rest"
        elif token.kind != "mark" or word not in ",:()":
            return []
    if mount in {"swap", "[SWAP]"}:
        return _swap(row._replace(value=details.get("size", "")), known)
    if mount.lower() in {"root", "rootfs"}:
        mount = "/"
    return [Wish("partition", mount, row.wanted, details=details)] if _PATH.fullmatch(mount) else []


def _account(**details: str) -> Callable[[Row, Known], Iterable[Wish]]:
    """Return a reader of accounts: of names without a key, and of a detail of the account `key`."""

    def read(row: Row, known: Known) -> Iterable[Wish]:
        if not details:
            found = items(row.value)
            are_names = all(map(_is_account, found)) and not any(
                sense.kind == "field" for name in found for sense in known.vocabulary.senses_of(name)
            )
            return [Wish("user", name, row.wanted) for name in found] if are_names else []
        (detail, value), *_ = details.items()
        name = row.key or (row.value if value else "")
        if not _is_account(name):
            return []
        if detail == "mark":
            secret = known.secrets.get(row.value)
            return [Wish("user", name, secret=secret)] if secret else []
        if value == "switch":
            is_on = _is_on(row) if row.key else row.wanted
            said = "" if is_on is None else "yes" if is_on else "no"
        else:
            said = ",".join(items(row.value)) if detail == "groups" else row.value
        return (
            [Wish("user", name, details={detail if row.wanted or detail != "groups" else "groups-off": said})]
            if said
            else []
        )

    return read


def _is_account(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and name.lower() not in _YES | _NO | {"none"}


def _encryption(detail: str, form: re.Pattern[str]) -> Callable[[Row, Known], Iterable[Wish]]:
    def read(row: Row, _known: Known) -> Iterable[Wish]:
        value = {"typed": "manual", "automatic": "auto"}.get(row.value, row.value)
        return [Wish("encryption", details={detail: value})] if form.fullmatch(row.value) else []

    return read


def _root(row: Row, _known: Known) -> Iterable[Wish]:
    locks = row.wanted if row.value in {"", "root"} or "lock" in row.value else _is_on(row) is False
    return [Wish("user", "root", details={"lock": "yes"})] if locks else []


def _network(detail: str) -> Callable[[Row, Known], Iterable[Wish]]:
    def read(row: Row, _known: Known) -> Iterable[Wish]:
        if detail == "dhcp":
            is_on = _is_on(row)
            return [] if is_on is None else [Wish("network", row.key, is_on, details={"dhcp": "4"})]
        said = items(row.value)
        try:
            for value in said:
                ip_interface(value)
        except ValueError:
            return []
        return [Wish("network", row.key, details={detail: ",".join(said)})] if said else []

    return read


def _interface(row: Row, _known: Known) -> Iterable[Wish]:
    return [Wish("network", row.value)] if _NAME.fullmatch(row.value) else []


def _zone(row: Row, _known: Known) -> Iterable[Wish]:
    zone = row.value if row.value in {"UTC", "GMT"} or "/" in row.value else zone_of(row.value)
    return [Wish("timezone", zone)] if zone and " " not in zone else []


def _one_of(row: Row, known: Known) -> Iterable[Wish]:
    """Read alternatives: the first one is taken, and that is noted."""
    found = list(_packages(row, known))
    return [found[0]._replace(note=f"one of {row.value}; the first one is taken")] if len(found) > 1 else []


def _with_key(kind: Kind, detail: str) -> Callable[[Row, Known], Iterable[Wish]]:
    def read(row: Row, _known: Known) -> Iterable[Wish]:
        return (
            [Wish(kind, row.value, row.wanted, details={detail: row.key} if row.key else {})]
            if row.value
            else []
        )

    return read


def _impossible(row: Row, known: Known) -> Iterable[Wish]:
    terms = known.vocabulary.terms(row.quote, tokens_of(row.quote))
    reason = next((sense.value for term in terms if (sense := term.sense("unavailable"))), "")
    return [Wish("impossible", reason or "A template has no field for this.")] if row.wanted else []


def _setting(name: str, form: re.Pattern[str]) -> Callable[[Row, Known], Iterable[Wish]]:
    """Return a reader of a setting that a command makes (`editing.settings`)."""

    def read(row: Row, _known: Known) -> Iterable[Wish]:
        value = row.value.strip("'\"`")
        return [Wish("setting", value, row.wanted, details={"name": name})] if form.fullmatch(value) else []

    return read


_LOCAL = re.compile(r"[\w.@%+~/-]+")
_ANY = re.compile(r"[^\n]{1,300}")
_TARGET = ("version", "distribution")

FIELDS: dict[str, Field] = {
    "release": Field("distribution and release, such as debian 13", _by_sense(*_TARGET), ("system", "os", "distro", "distribution", "dist", "release", "target", "base", "base os", "operating system", "platform", "os release", "flavour", "base image")),
    "architecture": Field("x86_64 or aarch64", _by_sense("architecture"), ("arch", "architecture", "cpu", "processor", "machine type")),
    "image_type": Field("raw, iso, img (initrd) or wsl2", _by_sense("image_type", "artifact"), ("type", "image type", "imagetype", "image", "kind", "medium", "deliverable")),
    "format": Field("a file format of the image: raw, qcow2, vhd, vhdx, vmdk, vdi", _by_sense("artifact", "image_type"), ("format", "formats", "output", "output format", "artifact", "artifacts", "file format")),
    "compression": Field("gz, xz, zstd, bz2 or none", _by_sense("compression"), ("compression", "compress", "compressed")),
    "package": Field("software, by the name of its package", _packages, ("packages", "package", "pkgs", "pkg", "software", "install", "installed", "apps", "tools", "programs", "extra packages", "additional packages")),
    "one_of": Field("packages of which one is wanted, such as podman, docker", _one_of),
    "service": Field("a service that starts at boot", _each("service", _PACKAGE), ("services", "service", "enable", "enabled services", "autostart", "daemons")),
    "hostname": Field("the name of the machine in the network", _text("hostname", _HOST), ("hostname", "host name", "host", "machine name", "computer name", "fqdn")),
    "image_name": Field("the name of the image", _text("image_name", _NAME), ("image name", "image.name", "template name")),
    "image_version": Field("the version of the image", _text("image_version", re.compile(r"\d+(?:\.[0-9A-Za-z-]+){0,2}")), ("image version", "image ver", "image ver.", "image.version", "template version")),
    "account": Field("an account", _account(), ("user", "users", "account", "accounts", "username", "user name", "login")),
    "password": Field("key: the account, value: its mark, such as <password-1>", _account(mark="yes"), ("password", "passwd", "pw", "user password")),
    "administrator": Field("an account with administrator rights", _account(sudo="switch"), ("sudo", "admin", "administrator", "sudo user", "admin user")),
    "group": Field("key: the account, value: a group", _account(groups=""), ("groups", "group", "user groups")),
    "shell": Field("key: the account, value: its shell, a path", _account(shell=""), ("shell", "login shell")),
    "home": Field("key: the account, value: its home, a path", _account(home=""), ("home directory",)),
    "root_locked": Field("nobody can log in as root", _root, ("root login", "root account", "root password", "permit root login", "permitrootlogin", "root")),
    "disk_size": Field("the size of the whole disk", _disk, ("disk", "disk size", "size", "storage", "disk.size", "image size", "capacity", "hdd", "ssd", "disksize")),
    "at_most": Field("the largest size that the disk may have", _at_most, ("max size", "maximum size", "max disk", "size limit")),
    "partition": Field("key: a mount point, value: its size and file system, such as 20GiB xfs", _partition, ("partition",)),
    "swap": Field("the size of the swap partition, or no", _swap, ("swap", "swap size", "swap partition", "swapfile")),
    "partition_table": Field("gpt or mbr", _by_sense("partition_table"), ("partition table", "partitioning", "partitiontabletype", "partition scheme")),
    "disk_selection": Field("the disk that an installer takes: largest, first or fastest", _by_sense("disk_selection"), ("target disk", "install disk", "disk selection", "strategy")),
    "last_partition_grows": Field("the last partition fills the disk", _switch("grow"), ("extendlastpartitiontofilldisk", "grow last partition", "expand last partition")),
    "encryption": Field("an encrypted disk", _switch("encryption"), ("encryption", "disk encryption", "luks", "fde", "full disk encryption", "encrypted")),
    "passphrase_file": Field("the file with the passphrase of the disk", _encryption("file", _LOCAL), ("passphrase file", "key file", "keyfile", "passphrasefile")),
    "unlock": Field("how an encrypted disk is unlocked: typed or automatic", _encryption("unlock", re.compile("typed|automatic|manual|auto")), ("unlock",)),
    "read_only_root": Field("a root file system that cannot be changed", _switch("read_only_root"), ("read only root", "readonly root", "immutable", "immutability", "read-only root", "ro root")),
    "secure_boot": Field("Secure Boot", _switch("secure_boot"), ("secure boot", "secureboot")),
    "boot_loader": Field("grub or systemd-boot", _by_sense("boot_loader"), ("bootloader", "boot loader", "loader", "provider")),
    "boot_type": Field("efi or legacy", _by_sense("boot_type", "boot_loader"), ("boot", "boot type", "boottype", "firmware", "boot mode")),
    "kernel_option": Field("a word of the kernel's command line", _each("kernel_option", _OPTION), ("cmdline", "kernel cmdline", "kernel args", "kernel arguments", "kernel options", "kernel option", "kernel parameters", "kernel command line", "boot options", "boot parameters", "kargs")),
    "kernel_module": Field("a kernel module", _each("kernel_module", _PACKAGE), ("modules", "kernel modules", "module", "kernel module", "enableextramodules")),
    "kernel_version": Field("the version of the kernel, such as 6.12", _text("kernel_version", re.compile(r"\d+(?:\.\d+){1,3}(?:[-.\w]*)")), ("kernel version",)),
    "kernel_flavour": Field("rt, lowlatency, hwe, generic, virtual, cloud or oem", _by_sense("kernel_flavour"), ("kernel", "kernel flavour", "kernel flavor", "kernel type")),
    "time_zone": Field("a time zone, such as Europe/Vienna", _zone, ("timezone", "time zone", "tz", "zone", "clock")),
    "locale": Field("a locale, such as en_GB.UTF-8", _setting("locale", LOCALE), ("locale", "lang", "language")),
    "keyboard": Field("a keyboard layout by its code, such as us, de, br", _setting("keyboard", re.compile(r"[a-z]{2}(?:-[a-z0-9]+)?")), ("keyboard", "keymap", "keyboard layout", "kbd", "layout")),
    "ssh_keys_only": Field("SSH without passwords", _setting("ssh-keys-only", re.compile(r"|yes|true|on")), ("ssh keys only", "ssh key only")),
    "interface": Field("a network interface", _interface, ("interface", "nic", "iface", "network interface", "device")),
    "address": Field("key: the interface, value: a static address with its prefix", _network("address"), ("ip", "ip address", "address", "static ip", "ipv4", "ipv6", "ip addr")),
    "netmask": Field("key: the interface, value: the mask of its network", _network("mask"), ("netmask", "mask", "subnet mask")),
    "gateway": Field("key: the interface, value: an address", _network("gateway"), ("gateway", "default gateway", "gw")),
    "name_server": Field("key: the interface, value: an address", _network("dns"), ("dns", "nameserver", "nameservers", "name server", "name servers", "dns servers", "dns server")),
    "dhcp": Field("key: the interface", _network("dhcp"), ("dhcp", "dhcp4")),
    "network_backend": Field("systemd-networkd or netplan", _by_sense("network_backend"), ("network backend", "backend")),
    "repository": Field("value: the address of a repository, key: the address of its signing key", _with_key("repository", "key"), ()),
    "file": Field("value: a path in the image, key: the local file that is copied there", _with_key("file", "local"), ()),
    "impossible": Field("words that ask for what an image cannot hold: firewall rules, VLAN, Wi-Fi, RAID, LVM, cron jobs, SSH keys, memory, pictures", _impossible),
    "command": Field("a command that runs while the image is built", _text("command", _ANY), ()),
}  # fmt: skip
"""The fields, by the names that a model uses."""

ALIASES: dict[str, str] = {alias: name for name, field in FIELDS.items() for alias in field.aliases}
"""The fields, by the keys of sheets of data."""
