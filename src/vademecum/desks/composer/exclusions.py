"""What a request rules out, in the terms of facts: a package, a capability, a distribution; and what of it was not understood."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from vademecum.desks.composer.constraints import Named, named
from vademecum.desks.composer.negation import Negated, negated
from vademecum.desks.composer.package_names import KnownPackages
from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.understanding import meant_by
from vademecum.sources.image_template import Facts
from vademecum.text.words import terms

_WORD = Pattern(r"[a-z0-9]+", flags=0)
_NO_MORE = frozenset(
    [
        "linux",
        "image",
        "images",
        "based",
        "like",
        "distribution",
        "distributions",
        "distro",
        "family",
        "system",
        "systems",
        "or",
        "and",
        "type",
    ]
)
"""Words beside the name of a distribution that change nothing of what is ruled out."""

_PARTS = Pattern(r"[^a-z0-9+]+", flags=0)


class Exclusion(NamedTuple):
    """Something that a template must not have or be.

    Attributes:
        said: The words of the request.
        packages: Words of package names: whatever is called so, or begins so, is ruled out.
        capabilities: Names.
        targets: Values of the target.
        start: Where the words stand.
        end: One past their last character.
    """

    said: str
    packages: tuple[str, ...]
    capabilities: tuple[str, ...]
    targets: tuple[Named, ...]
    start: int
    end: int

    @property
    def is_understood(self) -> bool:
        """Whether it was found out what is meant."""
        return bool(self.packages or self.capabilities or self.targets)


def parts_of(name: str) -> list[str]:
    """The parts of a package's name."""
    return _PARTS.split(name.lower())


def exclusions(query: str, known: KnownPackages) -> list[Exclusion]:
    """What a request rules out, in order.

    Args:
        query: The request.
        known: Names of packages.
    """
    things = negated(query)
    targets = named(query) if things else []
    found: list[Exclusion] = []
    while things:
        together = [one for one in things if one.negation == things[0].negation]
        joint = meant_by(" ".join(one.words for one in together)) if len(together) > 1 else ()
        if joint:
            words = " and ".join(one.words for one in together)
            found.append(Exclusion(words, (), joint, (), together[0].start, together[-1].end))
        else:
            found += [_exclusion(one, targets, known) for one in together]
        things = things[len(together) :]
    return found


def _exclusion(thing: Negated, named_in_it: Sequence[Named], known: KnownPackages) -> Exclusion:
    targets = tuple(one for one in named_in_it if thing.start <= one.start and one.end <= thing.end)
    others = [word for word in _WORD.findall(_without(thing, targets)) if word not in _NO_MORE]
    if targets and not others:
        return Exclusion(thing.words, (), (), targets, thing.start, thing.end)
    words = [word for word in thing.words.split() if terms(word)]
    meant = meant_by(thing.words)
    if len(words) > 1:
        packages = () if meant else tuple(word for word in words if word in known.names)
    else:
        packages = tuple(word for word in words if word in known.names or word in known.parts)
        if (
            words and words[0] in known.names
        ):  # a package of exactly this name, and not all that does the same
            meant = tuple(name for name in meant if name == words[0])
    return Exclusion(thing.words, packages, meant, (), thing.start, thing.end)


def _without(thing: Negated, targets: Sequence[Named]) -> str:
    """The words of a thing that are no names of targets."""
    words = thing.words
    for one in targets:
        words = words.replace(one.said.lower(), " ")
    return words


def has(facts: Facts, exclusion: Exclusion, able: Collection[str]) -> str:
    """What of an exclusion a template has, in words; "" if nothing.

    Args:
        facts: The template's.
        exclusion: What is ruled out.
        able: The names of the template's capabilities.
    """
    for one in exclusion.targets:
        if one.value in {facts.distribution, facts.version, facts.architecture, facts.image_type}:
            return f"it is {one.value}"
    for word in exclusion.packages:
        for name in (*facts.packages, *facts.kernel_packages):
            if is_called(name, word):
                return f"it has {name}"
    for name in exclusion.capabilities:
        if name in able:
            return f"it has: {_says(name)}"
    return ""


def is_called(package: str, word: str) -> bool:
    """Whether a package's name is a word, begins with it, or has it as a part.

    >>> is_called("docker-ce", "docker"), is_called("intel-dlstreamer_2025.2.0", "dlstreamer"), is_called("digital", "git")
    (True, True, False)
    """
    name, word = package.lower(), word.lower()
    if word not in name:
        return False
    after = name[len(word) : len(word) + 1]
    return (name.startswith(word) and not after.isalpha()) or word in parts_of(name)


def _says(name: str) -> str:
    from vademecum.desks.composer.capabilities import capabilities  # noqa: PLC0415 - for those that are left out only

    return next(one.says for one in capabilities() if one.name == name)
