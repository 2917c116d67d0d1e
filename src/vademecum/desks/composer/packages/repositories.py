"""The repositories of each distribution, from the provider configurations next to its defaults, and those that templates add.

Nothing here knows an address: `<defaults>/<os>/<dist>/providerconfigs/` names those every image of a version is built from, the
`packageRepositories` of default and user templates name more.
"""

import json
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from vademecum.core.documents import Problem
from vademecum.desks.composer.image_template import Data, parse_template
from vademecum.desks.composer.packages.distributions import ARCHITECTURES, distribution_of
from vademecum.text.printable import printable

Role = Literal["system", "template"]
_MOST_BYTES = 1 << 20
_PROVIDER = re.compile(r"(?:(?P<arch>[a-z0-9_]+)_)?repo\.ya?ml")
_DEFAULT = re.compile(r"default-.*-(?P<arch>x86_64|aarch64|armv7hl)\.ya?ml")
_ODD_ARCHITECTURES = {"aarch64_64": "aarch64", "x86": "x86_64"}
_SUITE = re.compile(r"[A-Za-z0-9._~+-][A-Za-z0-9._~+/-]{0,99}")
_COMPONENT = re.compile(r"[A-Za-z0-9._~+-][A-Za-z0-9._~+/-]{0,59}")
_RELEASE = re.compile(r"/dists/(?P<suite>[^?#]+?)/(?:In)?Release$")
_HINT = "Correct the file; the others are read all the same."


class Repository(NamedTuple):
    """A repository for one version of a distribution on one architecture.

    Attributes:
        suite: Of a Debian repository (`trixie`; one that ends with `/` has no components); else "".
        role: Whether every image is built from it (`system`), or only those of templates that name it (`template`).
    """

    name: str
    family: str
    url: str
    suite: str
    components: tuple[str, ...]
    distribution: str
    version: str
    architecture: str
    role: Role
    file: str

    @property
    def id(self) -> str:
        """What it is kept under: 16 hexadecimal digits of what makes it what it is."""
        own = [self.family, self.url, self.suite, *self.components, self.version, self.architecture]
        return sha256(json.dumps(own).encode()).hexdigest()[:16]

    @property
    def said(self) -> str:
        """Itself in words."""
        return f"{self.name} ({self.version} {self.architecture})"


class Named(NamedTuple):
    """The repositories that were found, and the files and entries that cannot be used."""

    repositories: tuple[Repository, ...]
    problems: tuple[Problem, ...]


def repositories_in(os_defaults_dir: Path, templates_dir: Path | None = None) -> Named:
    """All repositories that a folder of defaults names, and the templates of a folder.

    One that is named several times counts once; as the system's, if any of them is.
    """
    found: dict[str, Repository] = {}
    problems: list[Problem] = []
    for folder in sorted(os_defaults_dir.glob("*/*/providerconfigs")):
        _add(found, problems, _of_provider(folder))
    for file in sorted(os_defaults_dir.glob("*/*/imageconfigs/defaultconfigs/*.y*ml")):
        _add(found, problems, _of_template(file, os_defaults_dir, "system"))
    if templates_dir is not None:
        for file in sorted(templates_dir.rglob("*.y*ml")):
            _add(found, problems, _of_template(file, templates_dir, "template"))
    return Named(tuple(found.values()), tuple(problems))


def urls_named_by(data: Data) -> tuple[str, ...]:
    """The addresses of the further repositories that a resolved template names, stand-ins left out."""
    entries = data.get("packageRepositories")
    urls = (
        [entry.get("url") for entry in entries if isinstance(entry, dict)]
        if isinstance(entries, list)
        else []
    )
    return tuple(
        dict.fromkeys(_bare(url) for url in urls if isinstance(url, str) and not url.startswith("<"))
    )


def _add(
    found: dict[str, Repository], problems: list[Problem], given: Iterable[Repository | Problem]
) -> None:
    for one in given:
        if isinstance(one, Problem):
            problems.append(one)
        elif one.id not in found or found[one.id].role == "template":
            found[one.id] = one


def _of_provider(folder: Path) -> Iterator[Repository | Problem]:
    """What the provider configurations of a version name."""
    version, distribution = folder.parent.name, folder.parent.parent.name
    files: dict[str, Path] = {}
    for file in sorted(folder.iterdir()):
        if match := _PROVIDER.fullmatch(file.name):
            said = match["arch"] or ""
            files[_ODD_ARCHITECTURES.get(said, ARCHITECTURES.get(said, said))] = file
    general = files.pop("", None)
    wanted = dict(files)
    if general is not None:
        for architecture in ("x86_64", "aarch64"):
            wanted.setdefault(architecture, general)
    read: dict[Path, Data | Problem] = {}
    for architecture, file in wanted.items():
        data = read.setdefault(file, _data(file, folder.parent.parent.parent))
        if isinstance(data, Problem):
            yield data
            continue
        for entry in _entries(data):
            if file == general and architecture != "x86_64" and "{arch}" not in str(entry.get("baseURL")):
                continue  # what is said without an architecture is said of the usual one
            place = str(file.relative_to(folder.parent.parent.parent))
            yield from _from_provider(entry, distribution, version, architecture, place)


def _entries(data: Data) -> list[dict[str, Any]]:
    listed = data.get("repositories", [data])
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _from_provider(
    entry: dict[str, Any], distribution: str, version: str, architecture: str, place: str
) -> Iterator[Repository | Problem]:
    if entry.get("enabled") is False:
        return
    known = distribution_of(version) or distribution_of(distribution)
    family = str(entry.get("type") or (known.family if known else ""))
    release = _RELEASE.search(str(entry.get("releaseFile") or ""))
    name = str(entry.get("name") or "")
    suite = (release["suite"] if release else name) if family == "deb" else ""
    yield _checked(
        Repository(
            name=printable(name or str(entry.get("component") or "unnamed"), 80),
            family=family,
            url=_bare(str(entry.get("baseURL") or "")).replace("{arch}", architecture),
            suite=suite,
            components=_components(entry) if family == "deb" else (),
            distribution=distribution,
            version=version,
            architecture=architecture,
            role="system",
            file=place,
        )
    )


def _of_template(file: Path, root: Path, role: Role) -> Iterator[Repository | Problem]:
    """What a template names; nothing for a file that is none, which is somebody else's to complain of."""
    if role == "system" and not _DEFAULT.fullmatch(file.name):
        return
    data = _data(file, root)
    if isinstance(data, Problem):
        return
    target, listed = data.get("target"), data.get("packageRepositories")
    if not isinstance(target, dict) or not isinstance(listed, list):
        return
    known = distribution_of(str(target.get("dist"))) or distribution_of(str(target.get("os")))
    if known is None:
        return
    for entry in listed:
        url = entry.get("url") if isinstance(entry, dict) else None
        if not isinstance(url, str) or url.startswith("<"):
            continue
        codename = str(entry.get("codename") or "")
        yield _checked(
            Repository(
                name=printable(codename or url, 80),
                family=known.family,
                url=_bare(url),
                suite=codename if known.family == "deb" else "",
                components=_components(entry) if known.family == "deb" else (),
                distribution=known.name,
                version=str(target.get("dist")),
                architecture=str(target.get("arch")),
                role=role,
                file=str(file.relative_to(root)),
            )
        )


def _components(entry: dict[str, Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(entry.get("component") or "main").split()))


def _bare(url: str) -> str:
    return url.strip().rstrip("/")


def _checked(repository: Repository) -> Repository | Problem:
    """The repository, or why it cannot be read."""
    what = ""
    if repository.family not in {"deb", "rpm"}:
        what = f"its type is {printable(repository.family, 40) or 'not said'}, and must be deb or rpm"
    elif not repository.url.startswith(("http://", "https://")):
        what = f"its address must begin with http:// or https://, not {printable(repository.url, 80) or 'be empty'}"
    elif repository.family == "deb" and not _is_path(repository.suite, _SUITE):
        what = f"{printable(repr(repository.suite), 80)} is not a valid name for a suite"
    elif any(not _is_path(component, _COMPONENT) for component in repository.components):
        what = "the name of a component cannot be part of an address"
    if not what:
        return repository
    message = f"The repository {repository.name} cannot be read: {what}."
    return Problem(place=printable(repository.file, 300), fault="bad-repository", message=message, hint=_HINT)


def _is_path(text: str, pattern: re.Pattern[str]) -> bool:
    return bool(pattern.fullmatch(text)) and ".." not in text.split("/")


def _data(file: Path, root: Path) -> Data | Problem:
    """What a file holds, as a template is read: no tags, no bombs, no more than a megabyte."""
    place = str(file.relative_to(root))
    try:
        with file.open("rb") as opened:
            raw = opened.read(_MOST_BYTES + 1)
        found = parse_template(raw.decode("utf-8"), place)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        message = f"It cannot be read: {reason}."
        return Problem(place=printable(place, 300), fault="unreadable", message=message, hint=_HINT)
    return found if isinstance(found, Problem) else found.data
