"""Wishes: the single requirements of a request, as data, before it is known whether they can be met."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

Kind = Literal[
    "distribution", "version", "architecture", "image_type", "package", "kernel_flavour", "disk_size",
    "partition", "swap", "partition_table", "grow", "disk_selection", "artifact", "compression",
    "hostname", "user", "kernel_option", "kernel_module", "kernel_version", "boot_loader", "boot_type",
    "read_only_root", "encryption", "secure_boot", "network", "network_backend", "repository", "service",
    "timezone", "image_name", "image_version", "description", "capability", "uki", "file", "field",
    "command", "setting", "impossible", "unclear", "unknown",
]  # fmt: skip

TARGET_KEYS: Mapping[Kind, str] = {
    "distribution": "os",
    "version": "dist",
    "architecture": "arch",
    "image_type": "imageType",
}
"""What a target is told by, and the keys of the template that hold it."""

TARGETS = frozenset(TARGET_KEYS)
"""Kinds that say what an image is for; all others say what is in it."""

ONE_OF_EACH: frozenset[Kind] = frozenset(
    ["hostname", "image_name", "image_version", "description", "disk_size", "timezone", "kernel_version", "partition_table"]
)  # fmt: skip
"""Kinds of which a template has one value."""


class Wish(NamedTuple):
    """One thing asked for.

    Attributes:
        value: What exactly, as templates call it (`16GiB`, `/data`, `qcow2`); of a package the concept or name that was said; of an
            `impossible` wish why it is so.
        wanted: Whether it is to be there; if not, it is ruled out.
        said: The words of the request, without secrets.
        start: Where they are in it.
        details: More of it (`{"size": "2GiB", "fs": "ext4"}`), and what is to be done with what is there already (`op`).
        note: How the words were taken, where that is not plain ("taken for nginx, the nearest known name").
        secret: A password. It is never shown, kept or sent.
    """

    kind: Kind
    value: str = ""
    wanted: bool = True
    said: str = ""
    start: int = 0
    details: Mapping[str, str] = MappingProxyType({})
    note: str = ""
    secret: "Secret | None" = None

    def detail(self, name: str) -> str:
        """A detail; "" if it is not said."""
        return self.details.get(name, "")


class Secret:
    """A password on its way from a request to its hash. It cannot be printed, nor found in a dump of what holds it."""

    __slots__ = ("_reveal",)

    def __init__(self, text: str) -> None:
        def reveal() -> str:
            return text

        self._reveal = reveal

    def reveal(self) -> str:
        """The password itself, for who hashes it."""
        return self._reveal()

    def __repr__(self) -> str:
        return "Secret(…)"

    def __reduce__(self) -> str:
        raise TypeError("a password is not kept")
