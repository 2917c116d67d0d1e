"""What one thing is called in each distribution: "ssh server" is `openssh-server` everywhere, "docker" `docker.io` or `moby-engine`.

A *concept* is a thing that people ask for. It has the ways in which they say it, and the packages that give it, by family (`deb`,
`rpm`), by distribution, or by version. Nothing here knows whether a repository has a package: that is what an index is for.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from vademecum.desks.composer.packages.distributions import distribution_of
from vademecum.desks.composer.patterns import Pattern

_WORD = Pattern(r"[a-z0-9][a-z0-9+.]*", flags=0)
_ARTICLES = frozenset(
    """a an the some any my our of and for to package packages program programs software""".split()  # noqa: SIM905 - one list reads best
)
_FILLERS = _ARTICLES | frozenset(
    """tool tools support service server daemon client utility utilities app application runtime engine stack""".split()  # noqa: SIM905
)
"""Words that name no thing by themselves: "docker engine" is docker. They are kept as long as they tell things apart: "ssh client"."""


class Concept(NamedTuple):
    """Something that people ask for.

    Attributes:
        name: Short and fixed (`ssh-server`).
        phrases: How people say it, in lower case; the name's own words among them.
        packages: What gives it: names installed together, by family, distribution or version; the closest entry counts, and an
            empty one says that there is none.
        others: Further names of packages that are this thing, or do the same, anywhere.
    """

    name: str
    phrases: tuple[str, ...]
    packages: Mapping[str, tuple[str, ...]]
    others: tuple[str, ...] = ()


_SHORTEST_PLURAL = 4


def concept(name: str, phrases: str, *, also: str = "", **packages: str) -> Concept:
    """A concept; phrases parted by `;`, names by spaces, `-` for none. `wind_river` stands for wind-river-elxr, and so on."""
    said = [" ".join(part.split()) for part in phrases.split(";")]
    given = {
        _KEYS.get(key, key): () if names == "-" else tuple(names.split()) for key, names in packages.items()
    }
    own = name.replace("-", " ")
    return Concept(name, tuple(dict.fromkeys([own, *filter(None, said)])), given, tuple(also.split()))


_KEYS = {
    "elxr": "wind-river-elxr",
    "azl": "azure-linux",
    "emt": "edge-microvisor-toolkit",
    "el": "redhat-compatible-distro",
}


@cache
def all_concepts() -> Mapping[str, Concept]:
    """Every concept by its name."""
    from vademecum.desks.composer.packages.alias_table import TABLE  # noqa: PLC0415 - it is made of this module

    return {one.name: one for one in TABLE}


def concepts() -> tuple[str, ...]:
    """The names of all concepts."""
    return tuple(all_concepts())


def named_for(name: str, distribution: str) -> tuple[str, ...]:
    """The packages that give a concept, installed together.

    Args:
        name: Of the concept, or one of the ways in which people say it.
        distribution: Its name or version (`ubuntu`, `elxr12`).

    Returns:
        Names of packages; none where the distribution has nothing of the kind, or either is not known.

    >>> named_for("docker", "ubuntu"), named_for("docker", "azl3"), named_for("web server", "el10")
    (('docker.io',), ('moby-engine', 'docker-cli'), ('nginx',))
    """
    found, known = all_concepts().get(name) or meant(name), distribution_of(distribution)
    if found is None or known is None:
        return ()
    for key in (distribution.strip().lower(), known.name, known.family):
        if key in found.packages:
            return found.packages[key]
    return ()


def meant(words: str) -> Concept | None:
    """The concept that some words name as a whole: a name, a phrase, or a package that is the thing somewhere.

    >>> meant("an SSH server").name, meant("docker-ce").name, meant("purple")
    ('ssh-server', 'docker', None)
    """
    said = words.strip().lower()
    for left_out in (_ARTICLES, _FILLERS):
        found = _by_words(left_out).get(_key(said, left_out))
        if found:
            return found
    return concept_of_package(said)


def concept_of_package(name: str) -> Concept | None:
    """The concept that a package is, by any distribution's name for it. One that several need (`containerd`) is its own concept's, or the first's."""
    return _by_package().get(name.strip().lower())


def siblings(name: str, distribution: str) -> tuple[str, ...]:
    """What a distribution calls the thing that a package, or a concept, is elsewhere.

    >>> siblings("httpd", "debian13")
    ('apache2',)
    """
    found = meant(name)
    return tuple(one for one in named_for(found.name, distribution) if one != name) if found else ()


@cache
def _by_words(left_out: frozenset[str]) -> dict[frozenset[str], Concept]:
    found: dict[frozenset[str], Concept] = {}
    for one in all_concepts().values():
        for phrase in one.phrases:
            found.setdefault(_key(phrase, left_out), one)
    return found


@cache
def _by_package() -> dict[str, Concept]:
    found: dict[str, Concept] = {}
    for one in all_concepts().values():
        for name in one.others:
            found.setdefault(name.lower(), one)
    for one in all_concepts().values():
        for names in one.packages.values():
            for name in names[:1]:  # what stands behind the first is needed beside it, and is not the thing
                found.setdefault(name.lower(), one)
    return found


def _key(said: str, left_out: frozenset[str]) -> frozenset[str]:
    words = [
        word.removesuffix("s") if len(word) > _SHORTEST_PLURAL and not word.endswith("ss") else word
        for word in _WORD.findall(said)
    ]
    return frozenset(word for word in words if word not in left_out) or frozenset(words)
