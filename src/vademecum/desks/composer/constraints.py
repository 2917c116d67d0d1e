"""What a request demands of the target: distribution, version, architecture and image type, in all the ways they are called."""

from functools import cache
from typing import Literal, NamedTuple

from vademecum.desks.composer.patterns import Pattern

Kind = Literal["distribution", "version", "architecture", "image_type"]


class Named(NamedTuple):
    """A value of the target that a request names.

    Attributes:
        kind: Of what.
        value: As facts call it.
        said: The words.
        start: Where they stand in the request.
        end: One past their last character.
    """

    kind: Kind
    value: str
    said: str
    start: int
    end: int


_OTHERS = (
    ("fedora", r"fedora(?!-like)"),
    ("arch-linux", r"arch\s*linux|manjaro"),
    ("suse", r"(?:open)?suse(?:\s+\w+)?|sles"),
    ("alpine", r"alpine(?:\s+linux)?"),
    ("nixos", r"nixos"),
    ("gentoo", r"gentoo"),
    ("slackware", r"slackware"),
    ("amazon-linux", r"amazon\s+linux"),
    ("oracle-linux", r"oracle\s+linux"),
    ("photon", r"photon\s+os"),
    ("linux-mint", r"linux\s+mint"),
    ("kali", r"kali(?:\s+linux)?"),
    ("raspberry-pi-os", r"raspbian|raspberry\s+pi\s+os"),
    ("yocto", r"yocto"),
    ("freebsd", r"(?:free|open|net)bsd"),
)
"""Distributions that no template can be made for. They are known, so that a request for one is not taken for another."""

_NAMES: tuple[tuple[Kind, str, str], ...] = (
    ("version", "ubuntu26", r"ubuntu[\s-]*26(?:\.04)?(?:\s*lts)?|resolute(?:\s+raccoon)?"),
    ("version", "ubuntu24", r"ubuntu[\s-]*24(?:\.04)?(?:\.\d)?(?:\s*lts)?|noble(?:\s+numbat)?"),
    ("version", "debian13", r"debian[\s-]*13|trixie"),
    ("version", "azl3", r"azl[\s-]*3(?:\.0)?|azure[\s-]*linux[\s-]*3(?:\.0)?"),
    ("version", "emt3", r"emt[\s-]*3(?:\.\d)?|edge[\s-]*microvisor(?:[\s-]*toolkit)?[\s-]*3(?:\.\d)?"),
    (
        "version",
        "elxr12",
        r"elxr[\s-]*12|wind[\s-]*river(?:'s)?(?:\s+elxr)?,?\s+(?:version\s+|release\s+)?(?:12|twelve)",
    ),
    (
        "version",
        "elxr13",
        r"elxr[\s-]*13|elxr[\s-]+edge[\s-]+26\.04|wind[\s-]*river(?:'s)?(?:\s+elxr)?,?\s+(?:version\s+|release\s+)?(?:13|thirteen)",
    ),
    (
        "version",
        "el10",
        r"el[\s-]?10|rcd[\s-]?10|rhel[\s-]*10|(?:centos(?:\s+stream)?|rocky(?:\s+linux)?|alma(?:\s*linux)?|red\s*hat(?:\s+enterprise\s+linux)?|enterprise\s+linux)[\s-]*10",
    ),
    ("version", "ubuntu22", r"jammy(?:\s+jellyfish)?"),
    ("version", "ubuntu20", r"focal(?:\s+fossa)?"),
    ("version", "debian12", r"bookworm"),
    ("version", "debian11", r"bullseye"),
    ("version", "ubuntu", r"ubuntu[\s-]*(\d\d)(?:\.\d\d)?"),
    ("version", "debian", r"debian[\s-]*(\d\d?)"),
    ("version", "azl", r"(?:azl|azure[\s-]*linux)[\s-]*(\d)(?:\.0)?"),
    ("version", "elxr", r"elxr[\s-]*(\d\d)"),
    (
        "version",
        "el",
        r"(?:el|rhel|centos(?:\s+stream)?|rocky(?:\s+linux)?|alma\s*linux)[\s-]*(\d\d?)(?:\.\d)?",
    ),
    ("distribution", "ubuntu", r"[xkl]?ubuntu|canonical(?:'s)?"),
    ("distribution", "debian", r"debian"),
    (
        "distribution",
        "azure-linux",
        r"azure[\s-]*linux|azl|(?:cbl-?)?mariner(?:\s+linux)?|microsoft(?:'s)?\s+(?:own\s+)?(?:linux|distribution|distro)",
    ),
    (
        "distribution",
        "edge-microvisor-toolkit",
        r"edge[\s-]*microvisor(?:[\s-]*toolkit)?|emt|microvisor(?:\s+toolkit)?|intel(?:'s)?\s+own\s+(?:edge\s+)?(?:system|linux|distribution)",
    ),
    ("distribution", "wind-river-elxr", r"e?lxr|wind[\s-]*river"),
    (
        "distribution",
        "redhat-compatible-distro",
        r"red[\s-]*hat|rhel|centos(?:\s+stream)?|rocky(?:\s+linux)?|alma\s*linux|enterprise\s+linux|fedora-like|rcd",
    ),
    *(("distribution", name, pattern) for name, pattern in _OTHERS),
    (
        "architecture",
        "aarch64",
        r"aarch64|arm[\s-]?64|armv8|(?<!robot )(?<!robotic )(?<!mechanical )(?<!manipulator )(?<!swivel )(?<!conveyor )arm(?![\s-]+(?:robot|gripper|joint|of\s+(?:an?|the)\s+robot))(?!\s+(?:that\s+|which\s+|to\s+)?(?:moves?|lifts?|picks?|grips?|grabs?|holds?|sorts?|swings?|welds?|handles?)\b)(?:\s+(?:chips?|processors?|boards?|cpus?|servers?|computers?))?|64[\s-]bit[\s-]arm",
    ),
    ("architecture", "armv7hl", r"armv7(?:hl)?|armhf|32[\s-]bit[\s-]arm"),
    (
        "architecture",
        "x86_64",
        r"x86[_-]64|amd64|x64|x86|(?:intel|amd)(?:\s+or\s+(?:intel|amd))?\s+(?:chips?|processors?|cpus?)|ordinary\s+pc\s+processors?",
    ),
    ("architecture", "riscv64", r"risc[\s-]?v(?:64)?"),
    ("architecture", "ppc64le", r"ppc64(?:le|el)?|power\s?pc"),
    ("architecture", "s390x", r"s390x"),
    ("architecture", "i386", r"i[3-6]86|32[\s-]bit\s+(?:pc|intel|x86)"),
    ("image_type", "iso", r"isos?"),
    ("image_type", "raw", r"raw"),
    ("image_type", "wsl2", r"wsl[\s-]?2?"),
    (
        "image_type",
        "img",
        r"(?:imagetype[\s:=]+)?img|initrd\s+imag(?:e|es)|(?:azl3|emt3|elxr1[23]|ubuntu2[46]|debian13|el10)\s+initrd",
    ),
)
_LETTERS = Pattern(r"(?<!\\)[a-z]{2,}(?!\?)", flags=0)
_WITHOUT = frozenset(["x86_64", "i386"])
"""The values of which some name has no two letters together."""

OS_OF = {
    "ubuntu24": "ubuntu",
    "ubuntu26": "ubuntu",
    "debian13": "debian",
    "azl3": "azure-linux",
    "emt3": "edge-microvisor-toolkit",
    "elxr12": "wind-river-elxr",
    "elxr13": "wind-river-elxr",
    "el10": "redhat-compatible-distro",
}
"""The distribution of each version."""


@cache
def _compiled(names: str) -> Pattern:
    return Pattern(rf"(?<![\w-])(?:{names})(?![\w])")


def named(query: str) -> list[Named]:
    """The values of the target that a request names, in order; where two readings overlap, the more exact one."""
    text = query.replace("’", "'")
    taken: list[tuple[int, int]] = []
    found: list[Named] = []
    lowered = text.lower()
    for kind, value, names in _NAMES:
        if value not in _WITHOUT and not any(letters in lowered for letters in _LETTERS.findall(names)):
            continue  # compiling them all takes longer than looking
        pattern = _compiled(names)
        for one in pattern.finditer(text):
            start, end = one.span()
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            taken.append((start, end))
            number = one[1] if pattern.compiled.groups and one[1] else ""
            found.append(Named(kind, f"{value}{number}", one[0], start, end))
    return sorted(found, key=lambda one: one.start)
