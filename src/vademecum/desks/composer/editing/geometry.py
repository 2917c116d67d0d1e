"""The positions of partitions on a disk, and which partition a wish refers to."""

from vademecum.desks.composer.image_template import Data, size_bytes
from vademecum.desks.composer.image_template.template import copied


def disk_bytes(disk: Data) -> int:
    """The size of a disk; 0 if it is not said."""
    return size_bytes(disk.get("size")) or 0


def partitions_of(disk: Data) -> list[Data]:
    """The partitions, as far as they are mappings."""
    found = disk.get("partitions")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def find(disk: Data, called: str) -> int | None:
    """The place of a partition by mount point, id, name, label or what people call it ("root", "EFI", "swap")."""
    wanted = called.strip().lower().removesuffix(" partition").strip("'\" ")
    wanted = _NAMES.get(wanted, wanted)
    parts = partitions_of(disk)
    for at, part in enumerate(parts):
        if wanted in {str(part.get(key, "")).lower() for key in ("mountPoint", "id", "name", "fsLabel")} - {
            "",
            "none",
        }:
            return at
    for at, part in enumerate(parts):
        kind = f"{part.get('type', '')} {part.get('fsType', '')}".lower()
        if (wanted == "swap" and "swap" in kind) or (wanted == "/boot/efi" and "esp" in kind.split()):
            return at
    if not wanted.startswith("/"):
        return find(disk, f"/{wanted}") if wanted and " " not in wanted else None
    return None


_NAMES = {
    "root": "/", "rootfs": "/", "root filesystem": "/", "root file system": "/", "system": "/", "efi": "/boot/efi", "esp": "/boot/efi",
    "efi system": "/boot/efi", "boot/efi": "/boot/efi", "log": "/var/log", "logs": "/var/log", "data": "/data", "temp": "/tmp",  # noqa: S108 - a mount point
}  # fmt: skip


def start_of(part: Data) -> int:
    """Where a partition begins, in bytes."""
    return size_bytes(part.get("start")) or 0


def end_of(part: Data, disk: Data) -> int:
    """Where a partition ends, in bytes: of one that takes the rest, the disk's end."""
    return disk_bytes(disk) if takes_rest(part) else (size_bytes(part.get("end")) or 0)


def takes_rest(part: Data) -> bool:
    """Return whether it reaches to the end of the disk."""
    return str(part.get("end", "")).strip() == "0"


def up_to_root(disk: Data) -> Data | None:
    """Return a disk without the partitions behind the root, which takes the rest; `None` if there are none."""
    parts = partitions_of(disk)
    at = find(disk, "/")
    if at is None or at == len(parts) - 1:
        return None
    shorter: Data = copied(disk)
    shorter["partitions"] = [*partitions_of(shorter)[:at], {**copied(parts[at]), "end": "0"}]
    return shorter
