"""Check whether the image builder accepts a template, and find problems that it does not report."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.desks.composer.image_template import Data, Resolved, Template
from vademecum.desks.composer.image_template.facts import is_placeholder
from vademecum.desks.composer.image_template.template import mapping, text
from vademecum.desks.composer.template.checks import BREAKING, check_findings
from vademecum.desks.composer.template.findings import Finding
from vademecum.desks.composer.template.rules import merged_findings, rule_findings
from vademecum.desks.composer.template.validate import validate
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from vademecum.desks.composer.library import TemplateLibrary

_MOST_BYTES = 64 << 10
"""So much of a passphrase file is looked at."""


def check(data: Data, *, library: "TemplateLibrary", file: str = "") -> list[Finding]:
    """Everything wrong with a template; errors first, each in the order of the file. An empty list: it is valid and clean."""
    return check_resolved(data, library.resolve(data, file))


def check_resolved(data: Data, resolved: Resolved) -> list[Finding]:
    """The same for a template that is resolved already. Files that it needs beside it are looked for where it was read from a folder."""
    found = list(_all(data, resolved))
    return [finding for severity in ("error", "warning") for finding in found if finding.severity == severity]


def is_valid(findings: Iterable[Finding]) -> bool:
    """Return whether the tool accepts the template."""
    return not any(finding.severity == "error" for finding in findings)


def is_sound(finding: Finding) -> bool:
    """Return whether an image can be built and started in spite of a finding."""
    return finding.severity != "error" and finding.kind not in BREAKING


def _all(data: Data, resolved: Resolved) -> Iterator[Finding]:
    yield from validate(data)
    yield from rule_findings(data)
    yield from _passphrase_file(resolved.template._replace(data=data))
    for problem in resolved.problems:
        if problem is resolved.defaults:  # the tool does without them
            message = f"The defaults of the distribution are left out: {problem.message}"
            yield Finding("extends", message, "warning", "defaults")
        else:
            yield Finding("extends", problem.message, "error", "extends")
    for parent in resolved.parents:
        for finding in _of_parent(parent):
            message = f"Its parent {printable(parent.file, 100)} is not valid: {finding.message}"
            yield Finding("extends", message, "error", "extends")
    yield from merged_findings(resolved.data, data, [parent.data for parent in resolved.parents])
    yield from check_findings(data, resolved)


def _of_parent(parent: Template) -> list[Finding]:
    """The first thing wrong with a parent, which the tool checks like any template."""
    found = [*validate(parent.data), *rule_findings(parent.data), *_passphrase_file(parent)]
    return found[:1]


def _passphrase_file(template: Template) -> Iterator[Finding]:
    fde = mapping(mapping(template.data.get("systemConfig")).get("fde"))
    named = text(fde.get("passphraseFile")).strip()
    if fde.get("enabled") is not True or not named or not template.folder:
        return
    where = "systemConfig.fde.passphraseFile"
    path = Path(template.folder, template.file).parent / named
    name = f"The passphrase file {printable(named, 100)}"
    try:
        passphrase = _passphrase(path)
    except ValueError as fault:
        yield Finding(where, f"{name} {fault}.", "error", "file")
    else:
        if is_placeholder(passphrase):
            yield Finding(
                where, f"{name} holds a placeholder still to be filled in.", "warning", "placeholder"
            )


def _passphrase(path: Path) -> str:
    """The beginning of a passphrase file, without blanks around it."""
    try:
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode):
            raise ValueError("is a symbolic link")
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("is not a file")
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode(errors="replace").strip()
    except OSError as error:
        raise ValueError(f"cannot be read: {os.strerror(error.errno or 0)}") from error
    if not text and found.st_size <= _MOST_BYTES:
        raise ValueError("is empty")
    return text
