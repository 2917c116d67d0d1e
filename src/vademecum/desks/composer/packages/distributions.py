"""Distributions, as templates name them: families and versions."""

from typing import NamedTuple


class Distribution(NamedTuple):
    """A distribution.

    Attributes:
        family: `deb` or `rpm`.
    """

    name: str
    family: str
    versions: tuple[str, ...]
    short: tuple[str, ...] = ()


DISTRIBUTIONS = (
    Distribution("debian", "deb", ("debian13",)),
    Distribution("ubuntu", "deb", ("ubuntu24", "ubuntu26")),
    Distribution("wind-river-elxr", "deb", ("elxr12", "elxr13"), ("elxr", "wind-river")),
    Distribution("azure-linux", "rpm", ("azl3",), ("azl", "azurelinux")),
    Distribution("edge-microvisor-toolkit", "rpm", ("emt3",), ("emt",)),
    Distribution("redhat-compatible-distro", "rpm", ("el10",), ("rcd", "el", "redhat", "centos")),
)

FAMILIES = {known.name: known.family for known in DISTRIBUTIONS}
"""The family of each distribution."""

_BY_NAME = {
    name: distribution
    for distribution in DISTRIBUTIONS
    for name in (distribution.name, *distribution.versions, *distribution.short)
}

DEBIAN_ARCHITECTURES = {
    "x86_64": "amd64",
    "aarch64": "arm64",
    "armv7hl": "armhf",
    "i386": "i386",
    "riscv64": "riscv64",
}
"""What Debian calls the architectures of templates."""

ARCHITECTURES = {name: one for one, other in DEBIAN_ARCHITECTURES.items() for name in (one, other)}
"""Architectures as templates have them, by all their names."""


def distribution_of(name: str) -> Distribution | None:
    """A distribution by its name, a version of it, or what people call it.

    >>> distribution_of("emt3").name, distribution_of("plan9")
    ('edge-microvisor-toolkit', None)
    """
    return _BY_NAME.get(name.strip().lower())
