"""Common names of software and its packages in each distribution: "ssh server" is `openssh-server`, "docker" is `docker.io`.

`data/software.txt` has one line a concept. Nothing here knows a template, or whether a repository has a package: that is what an
index is for.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from vademecum.desks.composer.packages.distributions import distribution_of
from vademecum.text.patterns import Pattern

_FILE = Path(__file__).parents[1] / "data" / "software.txt"
_KEYS = {
    "elxr": "wind-river-elxr",
    "azl": "azure-linux",
    "emt": "edge-microvisor-toolkit",
    "el": "redhat-compatible-distro",
}
_WORD = Pattern(r"[a-z0-9][a-z0-9+.]*", flags=0)
_ARTICLES = frozenset(
    """a an the some any my our of and for to package packages program programs software""".split()  # noqa: SIM905 - one list reads best
)
_FILLERS = _ARTICLES | frozenset(
    """tool tools support service server daemon client utility utilities app application runtime engine stack""".split()  # noqa: SIM905
)
"""Words that name nothing by themselves: "docker engine" is docker. They count where they tell things apart: "ssh client"."""

_SHORTEST_PLURAL = 4


class Concept(NamedTuple):
    """Something that software is or does.

    Attributes:
        name: Short and fixed (`ssh-server`).
        phrases: How people ask for it, in lower case, the plainest first.
        packages: What gives it: names installed together, by release, distribution, family, or `*` for all. An empty tuple says that
            there is none.
        vendor: What its maker's own repository calls it.
        others: Further names of packages that are the same thing, or do the same, anywhere.
    """

    name: str
    phrases: tuple[str, ...]
    packages: Mapping[str, tuple[str, ...]]
    vendor: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def names(self, distribution: str, release: str = "") -> tuple[str, ...] | None:
        """Its packages in a distribution: empty if it has none there, `None` if that is not known."""
        known = distribution_of(distribution)
        keys = (release, distribution, *((known.name, known.family) if known else ()), "*")
        return next((self.packages[key] for key in keys if key in self.packages), None)

    def every_name(self) -> frozenset[str]:
        """The names of its packages in all distributions."""
        return frozenset(name for names in (*self.packages.values(), self.vendor) for name in names)


@cache
def concepts() -> Mapping[str, Concept]:
    """All concepts by name."""
    lines = _FILE.read_text("utf-8").splitlines()
    made = (_concept(line) for line in lines if line and not line.startswith("#"))
    return {concept.name: concept for concept in made}


def _concept(line: str) -> Concept:
    name, phrases, packages, others = [*(part.strip() for part in line.split("|")), "", ""][:4]
    given: dict[str, tuple[str, ...]] = {}
    for part in filter(None, map(str.strip, packages.split(","))):
        key, colon, names = part.rpartition(":")
        key = key.strip() if colon else "*"
        given[_KEYS.get(key, key)] = tuple(name for name in names.split() if name != "-")
    vendor = given.pop("vendor", ())
    said = tuple(phrase.strip() for phrase in phrases.split(";"))
    return Concept(name, said, given, vendor, tuple(others.split()))


@cache
def phrases() -> Mapping[str, str]:
    """The concept that a phrase, or the name of a package, stands for."""
    found: dict[str, str] = {}
    for concept in concepts().values():
        for phrase in concept.phrases:
            found.setdefault(phrase, concept.name)
    for concept in concepts().values():
        for names in (*concept.packages.values(), concept.vendor):
            if len(names) == 1:
                found.setdefault(names[0].lower(), concept.name)
    return found


@cache
def package_names() -> frozenset[str]:
    """The names of all packages of all concepts."""
    return frozenset(
        name for concept in concepts().values() for name in (*concept.every_name(), *concept.others)
    )


def concept_of(term: str) -> Concept | None:
    """The concept that a term stands for; `None` if it is the name of a package and nothing else."""
    name = phrases().get(term.lower())
    return concepts()[name] if name else None


def meant(words: str) -> Concept | None:
    """The concept that some words name as a whole: a phrase, or a package that is the thing somewhere.

    >>> meant("an SSH server").name, meant("docker-ce-cli").name, meant("purple")
    ('ssh-server', 'docker', None)
    """
    said = words.strip().lower()
    if said in phrases():
        return concepts()[phrases()[said]]
    for left_out in (_ARTICLES, _FILLERS):
        found = _by_words(left_out).get(_key(said, left_out))
        if found:
            return found
    return _by_package().get(said)


def siblings(name: str, distribution: str) -> tuple[str, ...]:
    """What a distribution calls the thing that a package, or a concept, is elsewhere.

    >>> siblings("httpd", "debian13")
    ('apache2',)
    """
    found = meant(name)
    return (
        tuple(other for other in found.names(distribution, distribution) or () if other != name)
        if found
        else ()
    )


@cache
def _by_words(left_out: frozenset[str]) -> Mapping[frozenset[str], Concept]:
    found: dict[frozenset[str], Concept] = {}
    for concept in concepts().values():
        for phrase in concept.phrases:
            found.setdefault(_key(phrase, left_out), concept)
    return found


@cache
def _by_package() -> Mapping[str, Concept]:
    found: dict[str, Concept] = {}
    for concept in concepts().values():
        for name in concept.others:
            found.setdefault(name.lower(), concept)
    for concept in concepts().values():
        for names in (*concept.packages.values(), concept.vendor):
            for name in names[:1]:  # what is behind the first is needed with it, and is not the thing
                found.setdefault(name.lower(), concept)
    return found


def _key(said: str, left_out: frozenset[str]) -> frozenset[str]:
    words = [
        word.removesuffix("s") if len(word) > _SHORTEST_PLURAL and not word.endswith("ss") else word
        for word in _WORD.findall(said)
    ]
    return frozenset(word for word in words if word not in left_out) or frozenset(words)
