"""Compare the metadata of templates with their content."""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from vademecum.desks.composer.image_template import Facts
from vademecum.desks.composer.image_template.template import mapping
from vademecum.desks.composer.image_template.text import ALIASES, claims_of
from vademecum.desks.composer.library import Entry, TemplateLibrary
from vademecum.desks.composer.request.words.clauses import words_of
from vademecum.desks.composer.request.words.lexer import tokens_of
from vademecum.desks.composer.request.words.vocabulary import Vocabulary
from vademecum.text.printable import printable

_CLAIMS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (r"containers?|container[\s-]+(?:runtime|hosts?|workloads?)", "no container runtime", ("containers", "docker", "podman", "kubernetes")),
    (r"docker", "no Docker", ("docker", "podman")),
    (r"podman", "no Podman", ("podman",)),
    (r"kubernetes|k8s|k3s", "nothing of Kubernetes", ("kubernetes",)),
    (r"desktop|gnome|gui", "no desktop", ("desktop",)),
    (r"real[\s-]?time|preempt[_-]rt", "no real-time kernel", ("real-time",)),
    (r"(?:full[\s-]+)?disk[\s-]+encryption|encrypted\s+(?:root|disk|system)|luks|fde", "no encryption", ("encrypted",)),
    (r"immutable|read-only\s+root|dm-verity", "a root that can be written to", ("read-only-root",)),
    (r"secure\s+boot", "no keys for Secure Boot", ("secure-boot",)),
    (r"cloud-init", "no cloud-init", ("cloud",)),
    (r"ros\s?2?|robotics", "nothing of ROS", ("robotics",)),
    (r"virtuali[sz]ation(?:\s+host)?|kvm", "no hypervisor", ("virtualisation", "virtual-desktop")),
    (r"selinux", "nothing of SELinux", ("selinux",)),
    (r"openvino", "no OpenVINO", ("inference",)),
    (r"dl\s?streamer|dlstreamer", "no Deep Learning Streamer", ("video-analytics",)),
    (r"wsl2?", "another image type than WSL2", ("wsl",)),
    (r"pxe|network[\s-]boot|diskless", "another image type than an initrd", ("netboot",)),
    (r"qcow2", "no qcow2 among its files", ("qcow2",)),
    (r"unattended\s+(?:installation|installer|install|iso|setup)|fully\s+unattended", "no installer that asks nothing", ("unattended",)),
    (r"nginx|web[\s-]server", "no web server", ("web-server",)),
    (r"postgres(?:ql)?|database", "no database", ("database",)),
)  # fmt: skip
"""A claim, what is there instead, and the capabilities of which one bears it out."""


class Claim(NamedTuple):
    """A claim that the facts do not bear out, or something else a searcher is misled by.

    Attributes:
        kind: `untrue`, `other-architecture`, `copied`, `no-metadata`, `alias`.
    """

    file: str
    where: str
    line: int
    kind: str
    message: str


def lint(library: TemplateLibrary) -> list[Claim]:
    """Everything misleading in a library, by file."""
    copies = _copies(library)
    return [claim for entry in library.templates for claim in (*_of(entry), *copies.get(entry.file, ()))]


def _of(entry: Entry) -> Iterator[Claim]:
    template = entry.template
    metadata = template.data.get("metadata")
    if not metadata:
        message = "It has no metadata: it is found by its facts alone."
        yield Claim(entry.file, "metadata", 1, "no-metadata", message)
        return
    for key in mapping(metadata):
        if key in ALIASES:
            message = (
                f"{printable(key, 40)} is read as {ALIASES[key]}, which is the name that the schema has."
            )
            yield _claim(entry, f"metadata.{key}", "alias", message)
    told: set[str] = set()
    for where, words in _claimed(entry):
        for claim, instead in _unborne(words, entry.indexed.capabilities, entry.facts):
            if instead not in told:
                told.add(instead)
                message = f'It claims "{printable(claim, 40)}", and there is {instead}.'
                yield _claim(entry, where, "untrue", message)
        for other in _architectures(words, entry.facts):
            message = f"It speaks of {other}, and is for {entry.facts.architecture}."
            yield _claim(entry, where, "other-architecture", message)


def _unborne(words: str, able: Collection[str], facts: Facts) -> Iterator[tuple[str, str]]:
    """Claims that the capabilities do not bear out, and what there is instead."""
    if "packages" in facts.unresolved:
        return  # what might bear a claim out is not known
    for pattern, instead, having in _CLAIMS:
        found = re.search(rf"(?<![\w-])(?:{pattern})(?![\w-])", words, re.IGNORECASE)
        if found and not {*having} & {*able} and not _is_denied(words, found.start()):
            yield found[0], instead


def _is_denied(words: str, at: int) -> bool:
    """Return whether the words say that something is not there, or not needed."""
    read = words_of(Vocabulary().terms(words, tokens_of(words)))
    return any(word.term.start <= at < word.term.end and not word.wanted for word in read)


def _claimed(entry: Entry) -> Iterator[tuple[str, str]]:
    """Every text of the metadata with its path."""
    metadata = mapping(entry.template.data.get("metadata"))
    for key, value in metadata.items():
        if isinstance(value, str):
            yield f"metadata.{key}", value
        elif isinstance(value, list):
            for at, one in enumerate(value):
                if isinstance(one, str):
                    yield f"metadata.{key}.{at}", one


def _architectures(words: str, facts: Facts) -> Iterator[str]:
    """Other architectures that some words speak of."""
    has = facts.architecture
    for pattern, value in ((r"aarch64|arm64", "aarch64"), (r"x86[_-]64|amd64", "x86_64")):
        if has and value != has and re.search(rf"(?<![\w-])(?:{pattern})(?![\w-])", words, re.IGNORECASE):
            yield value


def _copies(library: TemplateLibrary) -> dict[str, list[Claim]]:
    """Metadata that is the same, word for word, in templates that are not."""
    seen: dict[tuple[object, ...], list[Entry]] = {}
    for entry in library.templates:
        claims = claims_of(entry.template)
        if claims.description:
            seen.setdefault((claims.description, claims.use_cases), []).append(entry)
    found: dict[str, list[Claim]] = {}
    for entries in seen.values():
        for at, entry in enumerate(entries):
            others = [one for one in entries if one.indexed.capabilities != entry.indexed.capabilities]
            if at and others:
                message = (
                    f"Its description is that of {others[0].file}, word for word, and it is another image."
                )
                found.setdefault(entry.file, []).append(
                    _claim(entry, "metadata.description", "copied", message)
                )
    return found


def _claim(entry: Entry, where: str, kind: str, message: str) -> Claim:
    return Claim(entry.file, where, entry.template.line_of(where), kind, message)
