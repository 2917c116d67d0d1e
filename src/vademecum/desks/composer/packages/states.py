"""Whether packages are available: verified, resolved, unverified or unavailable, according to the stored indexes."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from vademecum.desks.composer.packages.concepts import meant, siblings
from vademecum.desks.composer.packages.distributions import ARCHITECTURES, distribution_of
from vademecum.desks.composer.packages.near import nearest
from vademecum.desks.composer.packages.store import Known, PackageStore
from vademecum.desks.composer.settings import composer_folder
from vademecum.text.patterns import Pattern
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.desks.composer.packages.names_at_rest import Names

State = Literal["verified", "resolved", "unverified", "not_available"]
By = Literal["alias", "provides", "version", "glob", ""]
MOST_ALTERNATIVES = 5
_MOST_STARS = 4
_NEAR = 3
_SHOWN = 80
_ASKED = Pattern(r"[A-Za-z0-9*?][A-Za-z0-9+._:~=*?-]{0,199}", flags=0)
_PIN = Pattern(r"[-_=](?=v?[0-9])", flags=0)
_RPM_END = Pattern(r"(?:\.(?:x86_64|aarch64|noarch|armv7hl|i686))?\.rpm$", flags=0)


class PackageCheck(NamedTuple):
    """What was found out about a package.

    Attributes:
        state: `verified` (a repository has it under this name), `resolved` (it has it under another one), `unverified` (that
            cannot be told: a repository has not been read), `not_available` (all were read, and none has it).
        found: The name, or the names with spaces between, by which it can be had; "" if it cannot.
        by: How it was resolved.
        alternatives: Names in the same distribution that may be meant or serve instead.
        reason: Why this state, in a sentence.
    """

    name: str
    state: State
    found: str = ""
    by: By = ""
    alternatives: tuple[str, ...] = ()
    reason: str = ""


def packages_folder() -> Path:
    """`${XDG_DATA_HOME}/vademecum/composer/packages`: where indexes are kept."""
    return composer_folder() / "packages"


class PackageIndex:
    """What is kept of all repositories. Open one with `PackageIndex.open`; it never touches the network."""

    def __init__(self, store: PackageStore) -> None:
        self._store = store
        self._known = store.known()
        self._open: dict[str, Names | None] = {}

    @classmethod
    def open(cls, folder: Path | None = None) -> "PackageIndex":
        """What is kept in a folder, None for the usual one. With nothing kept, everything is unverified."""
        return cls(PackageStore(folder or packages_folder()))

    @property
    def known(self) -> tuple[Known, ...]:
        """Every repository that was named when indexes were last read."""
        return tuple(self._known.values())

    def check(
        self,
        names: Iterable[str],
        *,
        distribution: str,
        version: str = "",
        architecture: str = "x86_64",
        repositories: Sequence[str] = (),
    ) -> list[PackageCheck]:
        """Look packages up, in their order."""
        scope = self._scope(distribution, version, architecture, tuple(repositories))
        return [scope.check(name) for name in names]

    def names(self, distribution: str, version: str = "", architecture: str = "x86_64") -> tuple[str, ...]:
        """All names of packages that the repositories of a distribution have, sorted; some ten thousands."""
        return self._scope(distribution, version, architecture, ()).all_names

    def among(
        self, words: Iterable[str], distribution: str, version: str = "", architecture: str = "x86_64"
    ) -> frozenset[str]:
        """Those of some words that are names of packages: fast, where `names` is not."""
        scope = self._scope(distribution, version, architecture, ())
        return frozenset(word for word in words if scope.has(word))

    def providers(
        self, name: str, distribution: str, version: str = "", architecture: str = "x86_64"
    ) -> tuple[str, ...]:
        """The packages that provide a name which is none of a package: the shortest first."""
        return self._scope(distribution, version, architecture, ()).providers(name)

    def covers(self, distribution: str, version: str = "", architecture: str = "x86_64") -> bool:
        """Return whether every repository of a distribution has been read, so that what is not found is not there."""
        scope = self._scope(distribution, version, architecture, ())
        return bool(scope.read) and not scope.unread

    def _scope(self, distribution: str, version: str, architecture: str, urls: tuple[str, ...]) -> "_Scope":
        named = distribution_of(distribution) or distribution_of(version)
        version = version or (distribution if named and distribution in named.versions else "")
        architecture = ARCHITECTURES.get(architecture, architecture)
        bare = {url.strip().rstrip("/") for url in urls if not url.startswith("<")}
        read: list[Names] = []
        unread: list[Known] = []
        for known in self._known.values():
            one = known.repository
            fits = one.version == version if version else bool(named and one.distribution == named.name)
            if not fits or one.architecture != architecture or not (one.role == "system" or one.url in bare):
                continue
            bare.discard(one.url)
            names = self._names(known)
            if names is None:
                unread.append(known)
            else:
                read.append(names)
        where = f"{version or distribution} {architecture}"
        return _Scope(where, version or distribution, read, unread, sorted(bare))

    def _names(self, known: Known) -> "Names | None":
        key = known.repository.id
        if key not in self._open:
            self._open[key] = None
            if self._store.is_whole(known):
                from vademecum.desks.composer.packages.names_at_rest import opened  # noqa: PLC0415 - SQLite is only for who keeps indexes

                self._open[key] = opened(self._store.file(key), known)
        return self._open[key]


class _Scope:
    """The repositories that count for one template, and what they have."""

    def __init__(
        self, where: str, distribution: str, read: "list[Names]", unread: list[Known], unknown: list[str]
    ) -> None:
        self.read, self.unread = read, unread
        self._where, self._distribution, self._unknown = where, distribution, unknown

    @property
    def _is_deb(self) -> bool:
        return self.read[0].known.repository.family == "deb"

    @cached_property
    def all_names(self) -> tuple[str, ...]:
        return tuple(sorted({name for one in self.read for name in one.all()}))

    def has(self, name: str) -> bool:
        return any(one.versions(name) for one in self.read)

    def providers(self, name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(found for one in self.read for found in one.providers(name)))

    def check(self, name: str) -> PackageCheck:
        shown = printable(name, _SHOWN)
        if not _ASKED.fullmatch(name):
            return PackageCheck(name, "not_available", reason=f"{shown!r} cannot be the name of a package.")
        if not self.read:
            return PackageCheck(name, "unverified", reason=self._why_unread())
        found = (
            self._exact(name)
            or self._by_glob(name)
            or self._by_version(name)
            or self._by_alias(name)
            or self._by_provides(name)
        )
        if found:
            return found
        near = self._alternatives(name)
        if self.unread or self._unknown:
            return PackageCheck(
                name, "unverified", alternatives=near, reason=f"Not in what was read; {self._why_unread()}"
            )
        as_of = f"The repositories of {self._where} do not have {shown}."
        return PackageCheck(name, "not_available", alternatives=near, reason=as_of)

    def _exact(self, name: str) -> PackageCheck | None:
        for one in self.read:
            if versions := one.versions(name):
                reason = f"{one.known.repository.name} has it ({_some(versions)})."
                usual = self._usual(name)
                if usual:
                    reason += f" What people mean by it is mostly {' '.join(usual)}."
                return PackageCheck(name, "verified", name, "", usual, reason)
        return None

    def _usual(self, name: str) -> tuple[str, ...]:
        """What a word that people use for another thing is called here: Debian's `docker` was a tray for icons."""
        concept = meant(name)
        if concept is None or name not in concept.phrases:
            return ()
        names = concept.names(self._distribution, self._distribution) or ()
        return names if name not in names and all(map(self.has, names)) else ()

    def _by_glob(self, name: str) -> PackageCheck | None:
        if not any(mark in name for mark in "*?") or name.count("*") > _MOST_STARS or not name.strip("*?"):
            return None
        names = sorted(
            {found for one in self.read for found in one.matching(name)},
            key=lambda found: (len(found), found),
        )
        if not names:
            return None
        count = f"{len(names)} packages" if len(names) > 1 else "one package"
        return PackageCheck(
            name,
            "resolved",
            names[0],
            "glob",
            tuple(names[1 : 1 + MOST_ALTERNATIVES]),
            f"{count} of that form.",
        )

    def _by_version(self, name: str) -> PackageCheck | None:
        """A name with a version behind it: `openvino_2025.3.0`, `kernel-6.6.57.1-6.azl3`, `nginx=1.24*`."""
        bare = _RPM_END.sub("", name)
        for cut in reversed([found.start() for found in _PIN.finditer(bare)]):
            base, mark, wanted = bare[:cut], bare[cut], bare[cut + 1 :].removeprefix("v").rstrip("*")
            versions = [version for one in self.read for version in one.versions(base)]
            if not versions:
                continue
            if any(_is_of(version, wanted) for version in versions):
                return PackageCheck(
                    name, "resolved", base, "version", (), f"{base} is there in this version."
                )
            others = tuple(
                f"{base}{mark}{version.partition(':')[2] or version}"
                for version in versions[:MOST_ALTERNATIVES]
            )
            if self.unread or self._unknown or (mark == "-" and self._is_deb):
                continue  # in Debian's names a `-` comes before much else
            reason = f"{base} is there as {_some(versions)}, and not in this version."
            return PackageCheck(name, "not_available", "", "", (base, *others)[:MOST_ALTERNATIVES], reason)
        return None

    def _by_alias(self, name: str) -> PackageCheck | None:
        names = siblings(name, self._distribution)
        if not names or not all(map(self.has, names)):
            return None
        concept = meant(name)
        thing = concept.name.replace("-", " ") if concept else name
        return PackageCheck(
            name, "resolved", " ".join(names), "alias", (), f"That is what {thing} is called here."
        )

    def _by_provides(self, name: str) -> PackageCheck | None:
        names = self.providers(name)
        if not names:
            return None
        reason = f"{names[0]} provides it{f', and {len(names) - 1} more do' if len(names) > 1 else ''}."
        return PackageCheck(name, "resolved", names[0], "provides", names[1 : 1 + MOST_ALTERNATIVES], reason)

    def _alternatives(self, name: str) -> tuple[str, ...]:
        found = [sibling for sibling in siblings(name, self._distribution) if self.has(sibling)]
        found += self._near(name)
        if len(found) < MOST_ALTERNATIVES and len(name) > 3:
            longer = {near for one in self.read for near in one.beginning(name)}
            found += sorted(longer, key=lambda near: (len(near), near))
        return tuple(dict.fromkeys(found))[:MOST_ALTERNATIVES]

    def _near(self, name: str) -> list[str]:
        """Names that are spelled nearly so; those with another first letter only if there are no others."""
        least, most = max(1, len(name) - _NEAR), len(name) + _NEAR
        for start in (name[0], ""):
            names = dict.fromkeys(near for one in self.read for near in one.sized(least, most, start))
            if found := nearest(name, names, MOST_ALTERNATIVES):
                return found
        return []

    def _why_unread(self) -> str:
        if self.unread:
            first = self.unread[0]
            why = first.message or (
                "it was never read" if not first.read_s else "what was kept of it is damaged"
            )
            more = f" (and {len(self.unread) - 1} more)" if len(self.unread) > 1 else ""
            return f"{first.repository.said} has not been read{more}: {why.rstrip('.')}."
        if self._unknown and self.read:
            return f"{printable(self._unknown[0], _SHOWN)}, which the template names, has not been read; run: vademecum packages sync --with-templates"
        return f"no package index for {self._where}; run: vademecum packages sync"


def _is_of(version: str, wanted: str) -> bool:
    """Return whether a version is the wanted one, or one of it: `1.24.0-2` is of `1.24`."""
    bare = version.partition(":")[2] or version
    rest = next((one.removeprefix(wanted) for one in (version, bare) if one.startswith(wanted)), "?")
    return not rest or rest[0] in ".-+~"


def _some(versions: Sequence[str]) -> str:
    shown = ", ".join(printable(version, 40) for version in versions[:3])
    return f"{shown} and {len(versions) - 3} more" if len(versions) > 3 else shown
