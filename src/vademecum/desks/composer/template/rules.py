"""The rules that the image builder enforces between fields.

Each rule looks at one file alone, as the tool does: a template, and each of its parents. After merging, only overlays are looked at again.
"""

import posixpath
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from vademecum.desks.composer.image_template import Data
from vademecum.desks.composer.image_template.model import RELEASES
from vademecum.desks.composer.image_template.template import mapping, mappings, text, walk
from vademecum.desks.composer.template.findings import Finding, Fix
from vademecum.desks.composer.template.forms import FORMS
from vademecum.desks.composer.template.validate import below, name_of, shown
from vademecum.text.similar import closest

_MOST_CHARACTERS = 4096
_SHELL_CHARACTERS = frozenset('"$`\\\n')
_KEYS = ("secureBootDBKey", "secureBootDBCrt", "secureBootDBCer")
_SBOM_LISTS = ("provides", "requires", "requiresver", "requirespkgnames", "files", "breaks")
_SBOM_TEXTS = ("name", "type", "description", "origin", "license", "version", "arch", "url", "pkgname")
_UPGRADE = "additive-and-upgrade"


def rule_findings(data: Data) -> Iterator[Finding]:
    """Every rule that one file breaks."""
    for rule in _RULES:
        yield from rule(data)


def merged_findings(data: Data, own: Data, parents: Sequence[Data]) -> Iterator[Finding]:
    """What an overlay sets that it may not, once it is merged with its parents."""
    if not is_overlay(data):
        return
    merged = dict(data)
    system = dict(mapping(merged.get("systemConfig")))
    inherited = any("immutability" in mapping(parent.get("systemConfig")) for parent in parents)
    if not inherited and not any(key in mapping(system.get("immutability")) for key in _KEYS):
        system.pop("immutability", None)
    merged["systemConfig"] = system
    alone = {finding.where for finding in _overlay(own)}
    for rule in (_overlay, _baseline, _overlay_policy):
        yield from (found for found in rule(merged) if found.where not in alone)


def is_overlay(data: Data) -> bool:
    """Return whether a file says that it is an overlay."""
    return mapping(data.get("baseline")).get("mode") == "overlay"


def _error(where: str, message: str, fix: Fix | None = None) -> Finding:
    return Finding(where, message, "error", "rule", fix)


def _texts(data: Data) -> Iterator[Finding]:
    """Texts hold printable characters only, and not too many."""
    for where, value in walk(data):
        if not isinstance(value, str):
            continue
        if len(value) > _MOST_CHARACTERS:
            yield _error(
                where, f"{name_of(where)} has {len(value):,} characters; at most {_MOST_CHARACTERS:,} may be."
            )
        bad = next((letter for letter in value if not _is_printable(letter)), None)
        if bad is not None:
            yield _error(
                where, f"{name_of(where)} has a character that cannot be printed (U+{ord(bad):04X})."
            )


def _is_printable(letter: str) -> bool:
    return letter in " \n\t" or unicodedata.category(letter)[0] in "LMNPS"


def _target(data: Data) -> Iterator[Finding]:
    target = mapping(data.get("target"))
    releases = RELEASES.get(text(target.get("os")), ())
    release = target.get("dist")
    if releases and isinstance(release, str) and release not in releases:
        hint = f" Did you mean {close}?" if (close := closest(release, releases)) else ""
        message = f"target.dist must be one of {', '.join(releases)}, not {shown(release, '')}.{hint}"
        yield _error("target.dist", message)


def _image_type(data: Data) -> Iterator[Finding]:
    """An image for WSL2 is a compressed archive without a kernel; no other image is an archive."""
    is_wsl2 = mapping(data.get("target")).get("imageType") == "wsl2"
    disk, system = data.get("disk"), mapping(data.get("systemConfig"))
    if is_wsl2 and "kernel" in system:
        yield _error("systemConfig.kernel", "An image for WSL2 has no kernel: Windows brings its own.")
    if not isinstance(disk, dict):
        return
    artifacts = disk.get("artifacts")
    if is_wsl2:
        for name in disk:
            if name not in {"name", "artifacts"}:
                yield _error(
                    f"disk.{name}", f"An image for WSL2 has no disk.{name}, only a name and artifacts."
                )
        if not mappings(artifacts):
            yield _error(
                "disk", "An image for WSL2 needs artifacts: one of the type tar with the compression gz."
            )
    for at, artifact in enumerate(mappings(artifacts)):
        where = f"disk.artifacts.{at}"
        is_archive = artifact.get("type") == "tar"
        if is_wsl2 and not (is_archive and artifact.get("compression") == "gz"):
            yield _error(where, "An image for WSL2 has the type tar and the compression gz.")
        if not is_wsl2 and is_archive:
            yield _error(f"{where}.type", "Only an image for WSL2 may be of the type tar.")


def _growth(data: Data) -> Iterator[Finding]:
    """Where the last partition grows, it is the root of a writable disk image."""
    disk = mapping(data.get("disk"))
    kind = mapping(data.get("target")).get("imageType")
    where = "disk.extendLastPartitionToFillDisk"
    if disk.get("extendLastPartitionToFillDisk") is not True or kind not in {"raw", "iso"}:
        return
    off = Fix("remove", "The last partition no longer grows.")
    if kind == "iso":
        yield _error(where, "The last partition of an installer (iso) cannot grow.", off)
        return
    if mapping(mapping(data.get("systemConfig")).get("immutability")).get("enabled") is True:
        yield _error(where, "The last partition cannot grow on a read-only root (immutability.enabled).", off)
    partitions = disk.get("partitions")
    if isinstance(partitions, list):
        if not partitions:
            yield _error(where, "The last partition cannot grow: the list of partitions is empty.", off)
        elif mapping(partitions[-1]).get("mountPoint") != "/":
            last = mapping(partitions[-1]).get("mountPoint") or mapping(partitions[-1]).get("id")
            message = f"Only a root partition can grow, and the last one in the list is {shown(last, '')}."
            yield _error(where, message, off)


def _encryption(data: Data) -> Iterator[Finding]:
    fde = mapping(mapping(data.get("systemConfig")).get("fde"))
    if fde.get("enabled") is True and not text(fde.get("passphraseFile")).strip():
        message = "Encryption needs systemConfig.fde.passphraseFile, the file with the passphrase."
        yield _error("systemConfig.fde", message)


def _immutability(data: Data) -> Iterator[Finding]:
    section = mapping(mapping(data.get("systemConfig")).get("immutability"))
    there = [key for key in _KEYS if key in section]
    where = "systemConfig.immutability"
    if there and (missing := [key for key in _KEYS if key not in section]):
        yield _error(where, f"Secure Boot needs three files; {' and '.join(missing)} is missing.")
    if there and isinstance(section.get("enabled"), bool) and not section["enabled"]:
        yield _error(f"{where}.enabled", "Keys for Secure Boot need a read-only root: enabled must be true.")


def _users(data: Data) -> Iterator[Finding]:
    for at, user in enumerate(mappings(mapping(data.get("systemConfig")).get("users"))):
        script = text(user.get("startupScript"))
        if script and (script != posixpath.normpath(script) or script.startswith("//")):
            where = f"systemConfig.users.{at}.startupScript"
            yield _error(where, f"{where} must be in its shortest form, without .. and //.")


def _network(data: Data) -> Iterator[Finding]:
    network = mapping(mapping(data.get("systemConfig")).get("network"))
    for at, interface in enumerate(mappings(network.get("interfaces"))):
        is_dynamic = interface.get("dhcp4") is True or interface.get("dhcp6") is True
        if is_dynamic and interface.get("addresses"):
            where = f"systemConfig.network.interfaces.{at}.addresses"
            yield _error(where, "An interface has either DHCP or static addresses, not both.")


def _baseline(data: Data) -> Iterator[Finding]:
    baseline = data.get("baseline")
    if not isinstance(baseline, dict):
        return
    source = baseline.get("source")
    if baseline.get("mode") == "overlay":
        if source is None:
            yield _error("baseline", "An overlay needs baseline.source, the image that it is put on.")
    elif "source" in baseline and baseline.get("mode") in {None, "create"}:
        yield _error("baseline.source", "Only an overlay (baseline.mode) has a source.")
    if not isinstance(source, dict):
        return
    where = "baseline.source"
    if ("path" in source) == ("url" in source):
        yield _error(where, f"{where} must have either path or url.")
    path, url = text(source.get("path")), text(source.get("url"))
    if "path" in source and not path.strip():
        yield _error(f"{where}.path", f"{where}.path must not be blank.")
    for name in ("path", "sbomPath"):
        value = text(source.get(name)).strip()
        if value and not FORMS["local-path"].test(value):
            yield _error(f"{where}.{name}", f"{where}.{name} must be the path of a local file, not a URL.")
    if url and not (FORMS["url"].test(url.strip()) and _host_of(url.strip())):
        yield _error(f"{where}.url", f"{where}.url must be a valid https URL with a host.")


def _host_of(url: str) -> str:
    authority = url.partition("://")[2].partition("/")[0].partition("?")[0]
    return authority.rpartition("@")[2]


def _overlay_policy(data: Data) -> Iterator[Finding]:
    policy = data.get("overlayPolicy")
    if not isinstance(policy, dict):
        return
    if not is_overlay(data):
        yield _error(
            "overlayPolicy",
            "overlayPolicy is for overlays only (baseline.mode).",
            Fix("remove", "overlayPolicy was removed."),
        )
    for name in ("kernelCmdline", "grubDefault"):
        if _SHELL_CHARACTERS & set(text(policy.get(name))):
            message = f'overlayPolicy.{name} must not hold any of " $ ` \\ or a line end.'
            yield _error(f"overlayPolicy.{name}", message)
    needs = [
        name
        for name in ("allowPackageRemoval", "replaceKernel")
        if policy.get(name) is True or (name == "replaceKernel" and name in policy)
    ]
    if needs and policy.get("packageOperation") != _UPGRADE:
        yield _error("overlayPolicy", f"{' and '.join(needs)} needs packageOperation: {_UPGRADE}.")


def _overlay(data: Data) -> Iterator[Finding]:
    """An overlay keeps what the image below it brings."""
    if not is_overlay(data):
        return
    system = mapping(data.get("systemConfig"))
    for name, is_set in _KEPT_BY_OVERLAYS.items():
        if name in system and is_set(system[name]):
            where = f"systemConfig.{name}"
            yield _error(
                where, f"An overlay cannot set systemConfig.{name}: the image below it keeps its own."
            )


def _any_of(*names: str) -> Any:
    return lambda section: any(mapping(section).get(name) for name in names)


_KEPT_BY_OVERLAYS = {
    "hostname": bool,
    "network": _any_of("backend", "interfaces"),
    "initramfs": _any_of("template"),
    "kernel": _any_of("version", "cmdline", "enableExtraModules", "packages", "uki"),
    "immutability": lambda section: isinstance(section, dict),
    "fde": _any_of("enabled", "passphraseFile", "unlock", "partitions"),
    "bootloader": _any_of("bootType", "provider"),
}


def _repositories(data: Data) -> Iterator[Finding]:
    for at, repository in enumerate(mappings(data.get("packageRepositories"))):
        where = f"packageRepositories.{at}"
        places = [name for name in ("url", "path", "packages") if name in repository]
        if "codename" not in repository:
            yield _error(where, f"{where} lacks codename.")
        if len(places) != 1:
            yield _error(where, f"{where} must have exactly one of url, path and packages.")
        if not {"pkey", "pkeys"} & repository.keys():
            yield _error(where, f"{where} must have pkey or pkeys.")
        files = repository.get("packages")
        for number, file in enumerate(files if isinstance(files, list) else []):
            if (
                isinstance(file, str)
                and "://" in file
                and not (file.startswith("https://") and FORMS["url"].test(file))
            ):
                place = below(where, f"packages.{number}")
                yield _error(place, f"{place} must be a valid https URL or a path.")


def _commands(data: Data) -> Iterator[Finding]:
    for at, entry in enumerate(mappings(mapping(data.get("systemConfig")).get("configurations"))):
        if isinstance(entry.get("cmd"), list | dict):
            where = f"systemConfig.configurations.{at}.cmd"
            yield _error(where, f"{where} must be a text, not {shown(entry['cmd'], where)}.")


def _bill_of_materials(data: Data) -> Iterator[Finding]:
    for at, entry in enumerate(mappings(data.get("sbomPackageMetadata"))):
        where = f"sbomPackageMetadata.{at}"
        for name in _SBOM_TEXTS:
            if isinstance(entry.get(name), list | dict):
                yield _error(f"{where}.{name}", f"{where}.{name} must be a text.")
        for name in _SBOM_LISTS:
            value = entry.get(name)
            if value is not None and not _is_list_of_texts(value):
                yield _error(f"{where}.{name}", f"{where}.{name} must be a list of texts.")
        sums = entry.get("checksums")
        if sums is not None and not (isinstance(sums, list) and all(_is_checksum(one) for one in sums)):
            message = f"{where}.checksums must be a list of mappings with algorithm and value."
            yield _error(f"{where}.checksums", message)


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and not any(isinstance(one, list | dict) for one in value)


def _is_checksum(value: object) -> bool:
    if value is None:
        return True
    return isinstance(value, dict) and not any(
        isinstance(value.get(name), list | dict) for name in ("algorithm", "value")
    )


_RULES = (
    _texts, _target, _image_type, _growth, _encryption, _immutability, _users, _network, _baseline, _overlay_policy, _overlay, _repositories,
    _commands, _bill_of_materials,
)  # fmt: skip
