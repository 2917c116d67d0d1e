"""Answer questions about the current template, from the template alone."""

import re

from vademecum.desks.composer.image_template import Facts
from vademecum.desks.composer.image_template.facts import written
from vademecum.desks.composer.packages.choice import LABELS, present_of
from vademecum.desks.composer.template.check import is_sound
from vademecum.desks.composer.template.findings import Finding
from vademecum.desks.composer.wish import Wish
from vademecum.text.patterns import Pattern

_MOST_NAMES = 60


def summary(facts: Facts) -> str:
    """A template in some lines."""
    lines = [
        f"{len(facts.packages)} packages, the last ones first: {_few(facts.packages[::-1], 8)}",
        f"Target: {LABELS.get(facts.distribution, facts.distribution)} ({facts.version}), {facts.architecture}, {facts.image_type}",
        f"Disk: {disk_line(facts)}",
        f"Start: {_boot(facts)}",
        f"Kernel: {_kernel(facts)}",
    ]
    if facts.users:
        lines.append(f"Accounts: {', '.join(facts.users)}")
    if facts.hostname:
        lines.append(f"Host name: {facts.hostname}")
    if facts.network or facts.interfaces:
        lines.append(f"Network: {_network(facts)}")
    if security := _security(facts):
        lines.append(f"Protection: {security}")
    if facts.repositories:
        lines.append(f"Further repositories: {', '.join(facts.repositories)}")
    if facts.commands:
        lines.append(f"Commands that run while it is built: {facts.commands}")
    return "\n".join(f"- {line}" for line in lines)


def answer(
    said: str,
    facts: Facts,
    findings: list[Finding],
    wishes: tuple[Wish, ...],
    *,
    based_on: str = "",
    changes: str = "",
    reasons: str = "",
) -> str:
    """What a question asks, in some lines."""
    text = said.lower()
    parts: list[str] = []

    def asks(*words: str) -> bool:
        return any(re.search(rf"\b{word}", text) for word in words)

    named = [
        wish
        for wish in wishes
        if wish.kind in {"package", "unknown"}
        and not re.fullmatch(r"included|installed|packages?", wish.value)
    ]
    if asks(
        "summar", "overview", "describe", "explain (?:it|the template|this)", "tell me about"
    ) or re.fullmatch(r"\W*(?:explain|show|list)\W*", text):
        parts.append(summary(facts))
    if asks("valid", "correct", "errors?\\b", "problems?\\b", "ok\\b", "okay\\b", "wrong"):
        parts.append(_validity(findings))
    if asks("why", "based on", "which template", "base template", "come from"):
        parts.append(
            reasons
            or (f"It is based on {based_on}." if based_on else "It is made of the distribution's defaults.")
        )
    if asks("chang", "differ", "did you do", "diff\\b"):
        parts.append(changes or "Nothing has been changed yet.")
    if named and (
        asks("have", "has", "include", "contain", "install", "there", "is\\b", "does", "got", "with")
    ):
        parts += [_has(one.value, facts) for one in named]
    elif asks("packages?", "software", "programs?", "installed", "included"):
        parts.append(_packages(facts, everything=asks("all", "list", "which", "what")))
    for asked, told in (
        (("disk", "partition", "how (?:big|large)", "size", "swap", "file ?system", "storage"), _disk(facts)),
        (("kernel", "cmdline", "command line", "real-?time"), f"Kernel: {_kernel(facts)}"),
        (("boot", "start"), f"Start: {_boot(facts)}"),
        (("users?\\b", "accounts?", "log ?in", "sudo"), _named_account(said, facts) or f"Accounts: {', '.join(facts.users) or 'none beside those of the defaults'}"),
        (("host ?name", "called", "name of the (?:host|machine)"), f"Host name: {facts.hostname or 'not set'}"),
        (("network", "dhcp", "address", "\\bip\\b", "interface"), f"Network: {_network(facts) or 'as the defaults set it up'}"),
        (("encrypt", "read-?only", "immutable", "secure", "protect"), f"Protection: {_security(facts) or 'none of encryption, a read-only root or Secure Boot'}"),
        (("distribution", "distro", "architecture", "\\bos\\b", "operating system", "target", "release", "image type", "what kind"), f"Target: {LABELS.get(facts.distribution, facts.distribution)} ({facts.version}), {facts.architecture}, {facts.image_type}"),
        (("repositor",), f"Further repositories: {', '.join(facts.repositories) or 'none'}"),
        (("format", "qcow2", "artifact", "output", "file type"), f"Written as: {_artifacts(facts)}"),
    ):  # fmt: skip
        if asks(*asked) and not (parts and told.split(":")[0] in parts[0]):
            parts.append(told)
    return "\n".join(dict.fromkeys(parts)) if parts else summary(facts)


_CALLED = Pattern(r"\b(?:user|account)\s+(?:called\s+|named\s+)?[\"'`]?(?P<name>[A-Za-z_][\w.-]*)")


def _named_account(said: str, facts: Facts) -> str:
    found = _CALLED.search(said)
    if not found or found["name"].lower() in {"called", "named", "is", "are", "in", "on", "there", "have"}:
        return ""
    name = found["name"]
    return f"Accounts: {name} is one of them." if name in facts.users else f"Accounts: there is no {name}."


def _has(term: str, facts: Facts) -> str:
    present = present_of(term, (*facts.packages, *facts.kernel_packages))
    if not present:
        present = tuple(
            package
            for package in facts.packages
            if re.match(rf"{re.escape(term.lower())}(?:$|[-_.\d])", package)
        )[:5]
    return f"Yes, it has {', '.join(present)}." if present else f"No, it has no {term}."


def _packages(facts: Facts, *, everything: bool) -> str:
    count = f"{len(facts.packages)} packages, defaults included"
    names = _few(facts.packages[::-1], _MOST_NAMES if everything else 12)
    kernel = f"\nKernel: {', '.join(facts.kernel_packages)}" if facts.kernel_packages else ""
    return f"{count}: {names}{kernel}"


def _few(names: tuple[str, ...], most: int) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _validity(findings: list[Finding]) -> str:
    if not findings:
        return "It is valid: schema and checks found nothing."
    errors = sum(not is_sound(finding) for finding in findings)
    head = (
        f"It is not valid: {errors} error{'s' if errors > 1 else ''}."
        if errors
        else "It is valid, with warnings."
    )
    return "\n".join(
        [
            head,
            *(
                f"- {finding.where}: {finding.message}" if finding.where else f"- {finding.message}"
                for finding in findings
            ),
        ]
    )


def disk_line(facts: Facts) -> str:
    """The disk in a line."""
    if facts.disk_size_bytes is None and not facts.partitions:
        return "none" if facts.image_type in {"wsl2", "img"} else "as the defaults lay it out"
    parts = ", ".join(
        partition.mount if partition.mount.startswith("/") else (partition.id or partition.type)
        for partition in facts.partitions
    )
    size = written(facts.disk_size_bytes) if facts.disk_size_bytes else "of no fixed size"
    count = len(facts.partitions)
    return f"{size} with {count} partition{'s' if count != 1 else ''} ({parts})"


def _disk(facts: Facts) -> str:
    lines = [f"Disk: {disk_line(facts)}"]
    for partition in facts.partitions:
        end = partition.end_bytes if partition.end_bytes is not None else facts.disk_size_bytes
        size = (
            written((end - partition.start_bytes) // (1 << 20) * (1 << 20))
            if end and partition.start_bytes is not None
            else "?"
        )
        rest = " (the rest)" if partition.to_end else ""
        lines.append(
            f"- {partition.id or partition.type}: {size}{rest}, {partition.filesystem or partition.type}, {partition.mount or 'not mounted'}"
        )
    if facts.swap:
        lines.append("It has swap.")
    return "\n".join(lines)


def _boot(facts: Facts) -> str:
    loader = facts.boot_loader or "the default boot loader"
    how = {"efi": "by EFI", "legacy": "by the old BIOS"}.get(facts.boot_type, "")
    return f"{loader} {how}".strip() + (", kernel and initrd in one file" if facts.uki else "")


def _kernel(facts: Facts) -> str:
    names = ", ".join(facts.kernel_packages) or "the default"
    version = f", version {facts.kernel_version}" if facts.kernel_version else ""
    modules = f", modules {' '.join(facts.kernel_modules)}" if facts.kernel_modules else ""
    options = f", options {' '.join(facts.kernel_options)}" if facts.kernel_options else ""
    return f"{names}{version}{modules}{options}"


def _network(facts: Facts) -> str:
    faces = "; ".join(
        f"{interface.name} {'by DHCP' if interface.dhcp else ', '.join(interface.addresses)}"
        for interface in facts.interfaces
    )
    return " ".join(one for one in (facts.network, faces) if one)


def _security(facts: Facts) -> str:
    found = []
    if facts.encrypted:
        found.append(f"encrypted ({facts.unlock} unlock)")
    if facts.read_only_root:
        found.append("read-only root")
    if facts.secure_boot:
        found.append("signed for Secure Boot")
    return ", ".join(found)


def _artifacts(facts: Facts) -> str:
    return (
        ", ".join(
            f"{artifact.type}{f' ({artifact.compression})' if artifact.compression else ''}"
            for artifact in facts.artifacts
        )
        or facts.image_type
    )
