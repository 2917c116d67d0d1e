"""What people call software, and what its packages are called in each family of distributions.

A line: `concept | what people say; ... | packages`. What a package is called is the alias table's to say (`packages.alias_table`): a
concept whose first phrase that table knows is the same thing there, and has only those packages here that a person may mean who says
one outright though the table has another, or none. Other concepts have their packages here, the same everywhere, or given by family and
distribution: `deb: apache2, rpm: httpd, el: httpd httpd-tools`. A distribution's own entry wins over its family's; `-` means that it
has none. Every package name is itself a thing people say. Nothing here knows a template or a repository.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from vademecum.desks.composer.packages.aliases import all_concepts, named_for

FAMILIES = {
    "ubuntu": "deb",
    "debian": "deb",
    "wind-river-elxr": "deb",
    "azure-linux": "rpm",
    "edge-microvisor-toolkit": "rpm",
    "redhat-compatible-distro": "rpm",
}
_SHORT = {
    "ubuntu": "ubuntu",
    "debian": "debian",
    "wind-river-elxr": "elxr",
    "azure-linux": "azl",
    "edge-microvisor-toolkit": "emt",
    "redhat-compatible-distro": "el",
}

_TABLE = "lay_words.txt"


class Concept(NamedTuple):
    """Something that software is or does.

    Attributes:
        name: Short and fixed.
        phrases: How people ask for it, in lower case, the plainest first.
        packages: Names of packages by family or distribution; `*` stands for all. An empty tuple: it has none.
        alias: The concept of the alias table that it is, or "". What that table says of a distribution counts more.
    """

    name: str
    phrases: tuple[str, ...]
    packages: dict[str, tuple[str, ...]]
    alias: str = ""

    def names(self, distribution: str, release: str = "") -> tuple[str, ...] | None:
        """Its packages in a distribution (`target.os`, `target.dist`): empty if it has none there, `None` if that is not known."""
        if self.alias:
            given = all_concepts()[self.alias].packages
            if {release, distribution, FAMILIES.get(distribution)} & given.keys():
                return named_for(self.alias, release or distribution)
        return self._own(distribution)

    def own_names(self, distribution: str) -> tuple[str, ...]:
        """Names that count for who says one outright, whatever the alias table says of that distribution."""
        own = self._own(distribution)
        return own if own is not None else named_for(self.alias, distribution) if self.alias else ()

    def _own(self, distribution: str) -> tuple[str, ...] | None:
        if self.packages:
            for key in (_SHORT.get(distribution), FAMILIES.get(distribution), "*"):
                if key in self.packages:
                    return self.packages[key]
        return None

    def every_name(self) -> frozenset[str]:
        """The names of its packages in all distributions."""
        own = {one for names in self.packages.values() for one in names}
        more = all_concepts()[self.alias].packages.values() if self.alias else ()
        return frozenset(own.union(*more))


@cache
def concepts() -> dict[str, Concept]:
    """All concepts by name: those of this table, and those that the alias table has beside them."""
    by_phrase = {phrase: one.name for one in all_concepts().values() for phrase in one.phrases}
    found: dict[str, Concept] = {}
    linked: set[str] = set()
    for line in Path(__file__).with_name(_TABLE).read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        name, phrases, packages = (part.strip() for part in line.split("|"))
        said = tuple(one.strip() for one in phrases.split(";"))
        alias = "" if name in _THEMSELVES else by_phrase.get(said[0], "")
        linked.add(alias)
        found[name] = Concept(name, said, _packages(packages), alias)
    for one in all_concepts().values():
        if one.name not in linked:
            said = tuple(
                phrase
                for phrase in one.phrases
                if " " in phrase or phrase == one.name or not phrase.isalpha()
            )
            found.setdefault(f"{one.name}+", Concept(one.name, said, {}, one.name))
    return found


_THEMSELVES = frozenset(
    """node-exporter nftables chrony ntpsec timesyncd docker-ce ping qemu buildah skopeo restic borg vlc tlp lynis openscap mtr picocom testdisk ddrescue
    mysql postgresql-client valkey rkhunter""".split()  # noqa: SIM905 - one list reads best
)
"""Programs that the alias table only has among others that do the same."""


@cache
def phrases() -> dict[str, str]:
    """The key in `concepts` that a phrase, or a package's name, stands for."""
    found: dict[str, str] = {}
    for key, one in concepts().items():
        for phrase in one.phrases:
            found.setdefault(phrase, key)
    for key, one in concepts().items():
        elsewhere = [] if key.endswith("+") else [one.own_names(distribution) for distribution in FAMILIES]
        for names in (*one.packages.values(), *elsewhere):
            if len(names) == 1:
                found.setdefault(names[0].lower(), key)
    return found


def _packages(text: str) -> dict[str, tuple[str, ...]]:
    if not text:
        return {}
    if ":" not in text:
        return {"*": tuple(text.split())}
    made = {}
    for part in text.split(","):
        keys, _, names = part.partition(":")
        made[keys.strip()] = tuple(one for one in names.split() if one != "-")
    return made
