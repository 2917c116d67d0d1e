"""The packages that a request asks for by name: on word borders, and never an English word that happens to be a package's name."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vademecum.desks.composer.patterns import Pattern

_WORD = Pattern(r"[A-Za-z0-9][A-Za-z0-9+_.:-]*[A-Za-z0-9+]|[A-Za-z]", flags=0)
_JOIN = Pattern(
    r"\s*(?:,|&|\+|/|\band\b|\bor\b|\bplus\b|\bwith\b|\balong\b|\btogether\b|\bas well as\b|\balso\b|\bboth\b)+\s*"
)
_NAMED_AS_PACKAGE = Pattern(r"\s*\bpackages?\b|\s+installed\b")
_CALLED_PACKAGE = Pattern(r"\bpackages?\s+(?:named\s+|called\s+)?$|\binstall\s+$")
_ENGLISH = frozenset(
    """acl adapt amazon amd android at audit azure backup base basesystem bash bc bind bird bison bridge browser cage can cloud cluster column console container
    containers debian cups dash database desktop dialog docs edge editor eject elephant elxr expect fabric file files filesystem find firmware flex
    gateway go google graph hardware hostname image init initramfs intel iron join kernel kiosk less letters light lime linux language locale locales login m make man
    manager media medium memory menu meson message metal micro minimal mirror mixer modem module monitor monitoring mount mouse nano
    network node notes office packages parallel parted passwd patch patience perl phone picture pipe plan platform play player power printer
    python r recipe redhat reporting robot root router rust s sane scope screen script secret security sensors server service session setup shadow shell
    shim signal simple sleuth snap software sound source space spell stress swap system table tape target terminal test tests thread
    time timer tools top trace tree tripwire tuna ubuntu units update updates user users vault virtual volume wall watch watchdog weather web
    which window windows wine wireless word words workstation""".split()  # noqa: SIM905 - one word list reads best
)
"""Names of packages that are words, too. They count where they stand beside a package, or are said to be one."""

_SHORTEST_STEM = 4
_SHORTEST_PART = 3
_BORDERS = Pattern(r"[^a-z0-9+]+", flags=0)


class KnownPackages(NamedTuple):
    """Names that count as packages in a request, all in lower case.

    Attributes:
        names: Whole names.
        stems: What stands before the first `-` or `_` of longer names.
        parts: What stands between the signs of names.
    """

    names: frozenset[str]
    stems: frozenset[str]
    parts: frozenset[str]


def known_packages(names: Iterable[str]) -> KnownPackages:
    """Names, ready to be looked for."""
    every = frozenset(name.lower() for name in names)
    stems = {_BORDERS.split(name)[0] for name in every if "-" in name or "_" in name}
    return KnownPackages(
        every,
        frozenset(stem for stem in stems if len(stem) >= _SHORTEST_STEM and not stem.isalpha()),
        frozenset(part for name in every for part in _BORDERS.split(name) if len(part) >= _SHORTEST_PART),
    )


class NamedPackage(NamedTuple):
    """A package that a request names, and where."""

    name: str
    start: int
    end: int


def packages_in(query: str, known: KnownPackages) -> list[NamedPackage]:
    """The packages that a request names, in order and each once.

    Args:
        query: The request.
        known: Names of packages. A stem stands for all that begin so (`librealsense2`).
    """
    found: list[NamedPackage] = []
    sure: list[bool] = []
    for one in _WORD.finditer(query):
        word = one[0].lower()
        if word in known.names or word in known.stems:
            found.append(NamedPackage(word, one.start(), one.end()))
            sure.append(word not in _ENGLISH or _is_called_one(query, one.start(), one.end()))
    _spread(query, found, sure)
    chosen = [one for one, is_sure in zip(found, sure, strict=True) if is_sure]
    return list({one.name: one for one in reversed(chosen)}.values())[::-1]


def _is_called_one(query: str, start: int, end: int) -> bool:
    return bool(_NAMED_AS_PACKAGE.match(query, end) or _CALLED_PACKAGE.search(query[:start]))


def _spread(query: str, found: Sequence[NamedPackage], sure: list[bool]) -> None:
    """Make sure those that are joined with one that is sure."""
    for _ in found:
        for at in range(len(found) - 1):
            joined = _JOIN.fullmatch(query[found[at].end : found[at + 1].start])
            if joined and sure[at] != sure[at + 1]:
                sure[at] = sure[at + 1] = True
