"""Names, encryption, a read-only root, network, services, time zone and repositories in a template."""

import re
from urllib.parse import urlsplit

from vademecum.desks.composer.editing import geometry, layout
from vademecum.desks.composer.editing.disk import put_disk, refusal
from vademecum.desks.composer.editing.document import Document, Path
from vademecum.desks.composer.editing.outcome import Done, Outcome, Scene, already, delivered, undeliverable
from vademecum.desks.composer.image_template import Data
from vademecum.desks.composer.image_template.facts import offset, written
from vademecum.desks.composer.image_template.template import copied
from vademecum.desks.composer.packages.distributions import FAMILIES
from vademecum.desks.composer.wish import Wish
from vademecum.text.patterns import Pattern

_NAMED: dict[str, tuple[Path, str]] = {
    "hostname": (("systemConfig", "hostname"), "The host name"),
    "image_name": (("image", "name"), "The image's name"),
    "image_version": (("image", "version"), "The image's version"),
    "description": (("metadata", "description"), "The description"),
}


def change_name(document: Document, wish: Wish, scene: Scene) -> Done:
    """A name, version or description."""
    where, what = _NAMED[wish.kind]
    now = document.get(*where)
    if not wish.wanted:
        if now is None:
            return already(document, wish, f"{what} is not set.")
        return delivered(document.remove(where), wish, f"{what} is no longer set.")
    if now == wish.value:
        return already(document, wish, f"{what} is {wish.value} already.")
    del scene
    was = f" (was {now})" if now and wish.kind != "description" else ""
    return delivered(document.set(where, wish.value), wish, f"{what} is {wish.value}{was}.")


PASSPHRASE_FILE = "secrets/disk-passphrase.txt"  # noqa: S105 - where it lies, and not what it is


def _to_encrypt(disk: Data, what: str, now: Data) -> tuple[list[str], str]:
    """The ids of the partitions to encrypt, and what of them is not there."""
    rows = geometry.partitions_of(disk)
    if what == "all":
        return [str(row.get("id")) for row in rows if _holds_data(row)], ""
    if not what and isinstance(now.get("partitions"), list) and now.get("enabled") is True:
        return [str(name) for name in now["partitions"]], ""
    found = []
    for name in (what or "/").split(","):
        at = geometry.find(disk, name)
        if at is None:
            return [], name
        found.append(str(rows[at].get("id") or "rootfs"))
    return found, ""


def _holds_data(row: Data) -> bool:
    kind = f"{row.get('id', '')} {row.get('type', '')}".lower()
    return str(row.get("mountPoint")) not in {"/boot", "/boot/efi"} and not any(
        word in kind for word in ("esp", "hash", "bios", "swap")
    )


def change_encryption(document: Document, wish: Wish, scene: Scene) -> Done:
    """Encryption of the disk."""
    where = ("systemConfig", "fde")
    if why := refusal(document, scene):
        return undeliverable(document, wish, why)
    now = scene.section(document, *where)
    if not wish.wanted:
        if now.get("enabled") is not True:
            return already(document, wish, "The disk is not encrypted.")
        return delivered(document.set(where, {"enabled": False}), wish, "The disk is not encrypted.")
    disk = scene.section(document, "disk")
    parts, missing = _to_encrypt(disk, wish.detail("what"), now)
    if missing:
        return undeliverable(document, wish, f"there is no partition {missing} to encrypt.")
    has_swap = wish.detail("what") == "all" and geometry.find(disk, "swap") is not None
    in_clear = "The swap partition is not encrypted. May it stay in clear, or go?" if has_swap else ""
    if now.get("enabled") is True:
        changes: dict[str, object] = {
            key: value
            for key, value in (("unlock", wish.detail("unlock")), ("passphraseFile", wish.detail("file")))
            if value and now.get(key) != value
        }
        if wish.detail("what") and now.get("partitions") != parts:
            changes["partitions"] = parts
        for key, value in changes.items():
            document = document.set((*where, key), value)
        if scene.drafting and not wish.detail("file"):
            question = f"The disk is encrypted. Which file holds the passphrase? {now.get('passphraseFile')} is named; put it there, or name another one."
            return Done(document, Outcome(wish, "asked back", question))
        if in_clear:
            return Done(document, Outcome(wish, "asked back", in_clear))
        if not changes:
            return already(document, wish, "The disk is encrypted already.")
        named = {
            "unlock": "how it is unlocked",
            "passphraseFile": "the file of its passphrase",
            "partitions": "what is encrypted",
        }
        return delivered(
            document, wish, f"The disk is encrypted; changed {', '.join(named[key] for key in changes)}."
        )
    file = wish.detail("file") or PASSPHRASE_FILE
    made: Data = {"enabled": True, "passphraseFile": file, "partitions": parts}
    if wish.detail("unlock"):
        made["unlock"] = wish.detail("unlock")
    done = document.set(where, made)
    family = FAMILIES.get(str(document.get("target", "os")), "deb")
    needed = (
        "cryptsetup-initramfs"
        if family == "deb" and "initramfs-tools" in scene.packages(document)
        else "cryptsetup"
    )
    extra: tuple[str, ...] = ()
    if needed not in scene.packages(document):
        done = done.append(("systemConfig", "packages"), needed)
        extra = (needed,)
    what = "The root is" if len(parts) == 1 and not wish.detail("what") else f"{', '.join(parts)} is"
    what = what.replace(" is", " are") if len(parts) > 1 else what
    says = (
        f"{what} encrypted by LUKS. Put the passphrase into {file} beside the template; it is not part of it."
    )
    if not wish.detail("file"):
        question = f"{what} encrypted by LUKS. Which file holds the passphrase? {file} is named; put it there, or name another one."
        return Done(done, Outcome(wish, "asked back", question, extra))
    if in_clear:
        return Done(done, Outcome(wish, "asked back", in_clear, extra))
    return delivered(done, wish, says, packages=extra)


HASHES_SIZE = "512MiB"


def change_read_only_root(document: Document, wish: Wish, scene: Scene) -> Done:
    """A root that cannot be changed, checked by dm-verity."""
    where = ("systemConfig", "immutability")
    if why := refusal(document, scene):
        return undeliverable(document, wish, why)
    now = scene.section(document, *where)
    disk = scene.section(document, "disk")
    hashes = geometry.find(disk, "roothashmap")
    if hashes is None:
        hashes = geometry.find(disk, "hash")
    if not wish.wanted:
        if now.get("enabled") is not True:
            return already(document, wish, "The root can be written to.")
        return delivered(document.set((*where, "enabled"), False), wish, "The root can be written to.")
    if now.get("enabled") is True and hashes is not None:
        done = (
            document if document.get(*where, "enabled") is True else document.set((*where, "enabled"), True)
        )
        return already(done, wish, "The root is read-only already.")
    done = document
    notes: tuple[str, ...] = ()
    if hashes is None:
        try:
            disk, notes = _with_hashes(disk)
        except layout.NoRoom as reason:
            return undeliverable(document, wish, f"{reason}.")
        done = put_disk(done, disk)
    done = done.set((*where, "enabled"), True)
    if done.get("disk", "extendLastPartitionToFillDisk") is True:
        done = done.remove(("disk", "extendLastPartitionToFillDisk"))
        notes = (*notes, "The last partition no longer grows, since a read-only root cannot.")
    boot = scene.section(document, "systemConfig", "bootloader")
    if str(boot.get("provider", "")).startswith("grub"):
        done = done.set(("systemConfig", "bootloader", "provider"), "systemd-boot")
        if "systemd-boot" not in scene.packages(document):
            done = done.append(("systemConfig", "packages"), "systemd-boot")
        notes = (*notes, "The boot loader is systemd-boot, which it needs (was GRUB).")
    family = FAMILIES.get(str(document.get("target", "os")), "deb")
    needed = "cryptsetup-bin" if family == "deb" else "veritysetup"
    if needed not in scene.packages(document) and not (
        family == "deb" and "cryptsetup" in scene.packages(document)
    ):
        done = done.append(("systemConfig", "packages"), needed)
    says = "The root is read-only, checked by dm-verity; what is written lies elsewhere."
    return delivered(done, wish, " ".join([says, *notes]))


def _with_hashes(disk: Data) -> tuple[Data, tuple[str, ...]]:
    """A disk with a partition for the hashes of its root, right behind the root, and one for what is written if there is none."""
    made = copied(disk)
    root = geometry.find(made, "/")
    if root is None:
        raise layout.NoRoom("there is no root partition to protect")
    parts = geometry.partitions_of(made)
    notes: tuple[str, ...] = ()
    if parts[root] is max(parts, key=geometry.start_of):
        grown = layout.added(made, "/opt", "1GiB", name="userdata")
        made, notes = grown.disk, grown.notes
        parts = geometry.partitions_of(made)
    after = sorted(
        (part for part in parts if geometry.start_of(part) > geometry.start_of(parts[root])),
        key=geometry.start_of,
    )
    begin = geometry.start_of(after[0])
    at = made["partitions"].index(after[0])
    size = 512 << 20
    new = {
        "id": "roothashmap",
        "type": "linux",
        "start": offset(begin),
        "end": offset(begin + size),
        "fsType": "ext4",
        "mountPoint": "none",
    }
    for one in after:
        one["start"] = offset(geometry.start_of(one) + size)
        if not geometry.takes_rest(one):
            one["end"] = offset(geometry.end_of(one, made) + size)
    made["partitions"].insert(at, new)
    whole = geometry.disk_bytes(made)
    made["size"] = written(whole + (1 << 30) if whole % (1 << 30) == 0 else whole + size)
    return made, (*notes, f"Its hashes have a partition of {HASHES_SIZE}; the disk has {made['size']}.")


_KEYS = "${SECURE_BOOT_KEY_DIR}"


def change_secure_boot(document: Document, wish: Wish, scene: Scene) -> Done:
    """Secure Boot, signed by the operator's keys."""
    where = ("systemConfig", "immutability")
    now = scene.section(document, *where)
    fields = {
        "secureBootDBKey": f"{_KEYS}/DB.key",
        "secureBootDBCrt": f"{_KEYS}/DB.crt",
        "secureBootDBCer": f"{_KEYS}/DB.cer",
    }
    if not wish.wanted:
        done = document
        for key in fields:
            if done.get(*where, key) is not None:
                done = done.remove((*where, key))
        return (
            delivered(done, wish, "It is not signed for Secure Boot.")
            if done.text != document.text
            else already(document, wish, "It is not signed for Secure Boot.")
        )
    given = {
        name: wish.detail(key)
        for name, key in zip(fields, ("key", "crt", "cer"), strict=True)
        if wish.detail(key)
    }
    if given and len(given) < len(fields):
        missing = [
            key for name, key in zip(fields, (".key", ".crt", ".cer"), strict=True) if name not in given
        ]
        return undeliverable(
            document, wish, f"Secure Boot needs three files of keys; {' and '.join(missing)} is not named."
        )
    fields |= given
    if now.get("secureBootDBKey") and not given:
        return already(document, wish, "It is signed for Secure Boot already.")
    protected = change_read_only_root(document, wish, scene)
    if not protected.outcome.is_met:
        return protected
    done = protected.document
    for key, value in fields.items():
        done = done.set((*where, key), value)
    says = "It is signed for Secure Boot; name the folder of your keys in SECURE_BOOT_KEY_DIR when the image is built."
    if given:
        says = "It is signed for Secure Boot by your keys."
    more = protected.outcome.says if protected.outcome.state == "delivered" else ""
    if not given:
        question = "It is signed for Secure Boot. Where are your keys (.key, .crt, .cer)? SECURE_BOOT_KEY_DIR is named for their folder."
        return Done(done, Outcome(wish, "asked back", f"{question} {more}".strip()))
    return delivered(done, wish, f"{says} {more}".strip())


def _command(document: Document, wish: Wish, command: str, says: str) -> Done:
    """A command of a fixed form. It is written into the template, and never run here."""
    where = ("systemConfig", "configurations")
    found = document.get(*where)
    there = [one.get("cmd") for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    if command in there:
        return already(document, wish, "It is like that already.")
    return delivered(document.append(where, {"cmd": command}), wish, says)


def change_service(document: Document, wish: Wish, scene: Scene) -> Done:
    """A service that starts at boot, or does not."""
    del scene
    unit = {"ssh": "ssh", "docker": "docker"}.get(wish.value.lower(), wish.value)
    verb = "enable" if wish.wanted else "disable"
    opposite = f"systemctl {'disable' if wish.wanted else 'enable'} {unit}"
    found = document.get("systemConfig", "configurations")
    if isinstance(found, list):
        for at, one in enumerate(found):
            if isinstance(one, dict) and one.get("cmd") == opposite:
                return delivered(
                    document.remove(("systemConfig", "configurations", at)),
                    wish,
                    f"{unit} is no longer {'disabled' if wish.wanted else 'enabled'}.",
                )
    return _command(
        document,
        wish,
        f"systemctl {verb} {unit}",
        f"{unit} is {verb}d by a command that runs while the image is built.",
    )


_ZONE = Pattern(r"[A-Za-z]+(?:/[A-Za-z_+-]+[A-Za-z0-9_+-]*){0,2}", flags=re.ASCII)


def change_timezone(document: Document, wish: Wish, scene: Scene) -> Done:
    """The time zone, which has no field of its own."""
    del scene
    if not _ZONE.fullmatch(wish.value):
        return undeliverable(document, wish, f"{wish.value[:40]!r} is no time zone.")
    found = document.get("systemConfig", "configurations")
    command = f"ln -sf /usr/share/zoneinfo/{wish.value} /etc/localtime"
    if isinstance(found, list):
        for at, one in enumerate(found):
            if (
                isinstance(one, dict)
                and str(one.get("cmd", "")).startswith("ln -sf /usr/share/zoneinfo/")
                and one["cmd"] != command
            ):
                return delivered(
                    document.set(("systemConfig", "configurations", at, "cmd"), command),
                    wish,
                    f"The time zone is {wish.value}.",
                )
    return _command(
        document,
        wish,
        command,
        f"The time zone is {wish.value}, set by a command that runs while the image is built.",
    )


_SETTINGS: dict[str, dict[str, str]] = {
    "locale": {
        "deb": "sed -i 's/^# *{value}/{value}/' /etc/locale.gen && locale-gen && update-locale LANG={value}",
        "rpm": "echo LANG={value} > /etc/locale.conf",
    },
    "keyboard": {
        "deb": "sed -i 's/^XKBLAYOUT=.*/XKBLAYOUT={value}/' /etc/default/keyboard",
        "rpm": "echo KEYMAP={value} > /etc/vconsole.conf",
    },
    "ssh-keys-only": dict.fromkeys(
        ("deb", "rpm"), "echo 'PasswordAuthentication no' > /etc/ssh/sshd_config.d/10-keys-only.conf"
    ),
}
"""Settings that have no field of their own, and the commands that make them, by the family of packages."""

_NEEDED = {("locale", "deb"): "locales", ("keyboard", "deb"): "keyboard-configuration"}


def change_setting(document: Document, wish: Wish, scene: Scene) -> Done:
    """A setting without a field, which a command makes."""
    name = wish.detail("name")
    family = FAMILIES.get(str(document.get("target", "os")), "deb")
    if not wish.wanted:
        return undeliverable(document, wish, f"the {name} of the system is not set by the template.")
    needed = _NEEDED.get((name, family))
    if needed and needed not in scene.packages(document):
        document = document.append(("systemConfig", "packages"), needed)
    command = _SETTINGS[name][family].format(value=wish.value)
    said = f"The {name} is {wish.value}" if wish.value and name != "ssh-keys-only" else "SSH takes keys only"
    return _command(document, wish, command, f"{said}, set by a command that runs while the image is built.")


def change_command(document: Document, wish: Wish, scene: Scene) -> Done:
    """A command that runs while the image is built. It is only written here, and never run."""
    del scene
    if not wish.wanted:
        return undeliverable(document, wish, "a command is taken out by editing the template.")
    return _command(
        document, wish, wish.value, f"This command runs as root while the image is built: {wish.value}"
    )


def change_repository(document: Document, wish: Wish, scene: Scene) -> Done:
    """A further source of packages."""
    found = document.get("packageRepositories")
    there = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    if not wish.wanted and not wish.value:
        if not there:
            return already(document, wish, "There is no further repository.")
        return delivered(document.remove(("packageRepositories",)), wish, "Removed all further repositories.")
    if not wish.wanted:
        for at, one in enumerate(there):
            if wish.value.lower() in f"{one.get('codename', '')} {one.get('url', '')}".lower():
                done = (
                    document.remove(("packageRepositories",))
                    if len(there) == 1
                    else document.remove(("packageRepositories", at))
                )
                return delivered(done, wish, f"Removed the repository {one.get('codename')}.")
        return already(document, wish, f"There is no repository {wish.value}.")
    del scene
    url = urlsplit(wish.value)
    if url.username or url.password:
        return undeliverable(
            document, wish, "an address with a password in it is not written into a template."
        )
    if any(str(one.get("url", "")).rstrip("/") == wish.value.rstrip("/") for one in there):
        return already(document, wish, "That repository is there already.")
    key = wish.detail("key")
    if not key:
        return undeliverable(
            document,
            wish,
            "a repository needs the address of its signing key; say it, as in: repository https://… key https://….",
        )
    codename = wish.detail("codename") or re.sub(
        r"[^a-z0-9]+", "-", (url.hostname or "repository").lower()
    ).strip("-")
    entry: Data = {"codename": codename, "url": wish.value, "pkey": key}
    if wish.detail("component"):
        entry["component"] = wish.detail("component")
    if wish.detail("priority"):
        entry["priority"] = int(wish.detail("priority"))
    if wish.detail("allow"):
        entry["allowPackages"] = wish.detail("allow").split(",")
    return delivered(
        document.append(("packageRepositories",), entry), wish, f"Added the repository {codename}."
    )
