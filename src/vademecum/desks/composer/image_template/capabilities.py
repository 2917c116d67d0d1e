"""Derive the capabilities of an image from its facts. They connect the words of a request with the structure of a template.

A request says "our laptops get stolen"; a template says `fde: {enabled: true}`. Each capability has the test that tells whether a
template has it; `phrases.txt` has the ways in which people speak of it. Nothing here knows any template.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from vademecum.desks.composer.image_template import Facts
from vademecum.desks.composer.image_template.capabilities_of_structure import OF_STRUCTURE, Test
from vademecum.text.patterns import Pattern

_FILE = Path(__file__).parents[1] / "data" / "capabilities.txt"


class Capability(NamedTuple):
    """Something an image can do or is.

    Attributes:
        name: Short and fixed (`read-only-root`).
        says: What it is, in words that may be shown and are searched.
        test: Whether facts have it.
    """

    name: str
    says: str
    test: Test


def _provided_by(pattern: str) -> Test:
    """A test for packages of which one matches, from its first to its last character; versions at the end are let pass."""
    return lambda facts: any(map(_matcher(pattern).fullmatch, (*facts.packages, *facts.kernel_packages)))


@cache
def _matcher(pattern: str) -> re.Pattern[str]:
    """Compiled when it is first needed: a search over templates that are kept needs none of them."""
    return Pattern(rf"(?:{pattern})(?:[_-]\d[\w.+~:-]*)?\*?", flags=0)


@cache
def capabilities() -> tuple[Capability, ...]:
    """All that are known, those of the structure first."""
    return (*(Capability(*row) for row in OF_STRUCTURE), *_of_packages())


def _of_packages() -> Iterator[Capability]:
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, says, pattern = line.split(" | ", 2)
            yield Capability(name, says, _provided_by(pattern))


def capabilities_of(facts: Facts) -> tuple[str, ...]:
    """The names of what a template can do or is, in the order of `capabilities`."""
    return tuple(capability.name for capability in capabilities() if capability.test(facts))


def says(names: Iterable[str]) -> str:
    """The words of some capabilities, in a sentence each."""
    wanted = set(names)
    return " ".join(f"{capability.says}." for capability in capabilities() if capability.name in wanted)
