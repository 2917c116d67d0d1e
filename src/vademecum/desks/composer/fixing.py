"""Mending what needs no thought: one right way to put it, and nothing lost by it."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from vademecum.desks.composer.checking import Finding
from vademecum.desks.composer.indexed_text import ALIASES
from vademecum.desks.composer.schema import choices_at
from vademecum.sources.image_template import Data
from vademecum.sources.image_template.template import mapping

_OTHER_NAMES = {
    "amd64": "x86_64",
    "x64": "x86_64",
    "arm64": "aarch64",
    "armhf": "armv7hl",
    "uefi": "efi",
    "bios": "legacy",
    "grub-efi": "grub",
    "redhat": "redhat-compatible-distro",
    "rhel": "redhat-compatible-distro",
    "azl": "azure-linux",
    "emt": "edge-microvisor-toolkit",
    "elxr": "wind-river-elxr",
    "netplan.io": "netplan",
    "networkd": "systemd-networkd",
}
"""What values are called elsewhere."""


class Fixed(NamedTuple):
    """Something that was mended: where, and what was done, in a sentence."""

    where: str
    message: str


def fix(data: Data, findings: Sequence[Finding]) -> tuple[Data, list[Fixed]]:
    """A mended copy, and what was done. What is not known how to mend stays as it is; mending twice changes nothing more."""
    made = _copied(data)
    return made, fix_in_place(made, findings)


def fix_in_place(tree: Any, findings: Sequence[Finding]) -> list[Fixed]:
    """Mend a tree itself, such as one that keeps its comments, and say what was done."""
    done = _metadata(tree)
    removed: list[tuple[list[Any], int]] = []
    for finding in findings:
        holder, key = _place(tree, finding.where)
        if holder is None:
            continue
        if finding.kind == "schema":
            fixed = _schema_fault(holder, key, finding, removed)
        elif finding.kind == "duplicate-repository" and isinstance(holder, list):
            removed.append((holder, int(key)))
            fixed = Fixed(finding.where, "The repository stood there twice; the second one was taken out.")
        else:
            fixed = None
        if fixed:
            done.append(fixed)
    for holder, at in sorted(removed, key=lambda one: -one[1]):
        del holder[at]
    return done


def _metadata(tree: Any) -> list[Fixed]:
    """Names of metadata that the schema does not have become those that they stand for."""
    metadata = tree.get("metadata") if isinstance(tree, dict) else None
    if not isinstance(metadata, dict):
        return []
    done = []
    for key in [key for key in metadata if key in ALIASES]:
        value = metadata.pop(key)
        values = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        known = metadata.setdefault(ALIASES[key], [])
        if isinstance(known, list):
            known.extend(one for one in values if one not in known)
        done.append(Fixed(f"metadata.{key}", f"{key} became {ALIASES[key]}."))
    for key in ("use_cases", "keywords"):
        if isinstance(metadata.get(key), str):
            metadata[key] = [one.strip() for one in metadata[key].split(",") if one.strip()]
            done.append(Fixed(f"metadata.{key}", f"{key} became a list."))
    return done


def _schema_fault(
    holder: Any, key: Any, finding: Finding, removed: list[tuple[list[Any], int]]
) -> Fixed | None:
    value = holder[key] if _has(holder, key) else None
    where = finding.where
    if "stands in the list before" in finding.message and isinstance(holder, list):
        removed.append((holder, int(key)))
        return Fixed(where, f"{value} stood in the list twice; the second one was taken out.")
    if "must be a text" in finding.message and isinstance(value, int | float) and not isinstance(value, bool):
        holder[key] = str(value)
        return Fixed(where, f"The number {value} became a text.")
    if "must be one of" in finding.message and isinstance(value, str):
        chosen = _choice(value, choices_at(finding.message))
        if chosen:
            holder[key] = chosen
            return Fixed(where, f"{value} became {chosen}.")
    if (
        "is no field here" in finding.message
        and isinstance(holder, dict)
        and "Did you mean " in finding.message
    ):
        meant = finding.message.rpartition("Did you mean ")[2].rstrip("?")
        if _bare(meant) == _bare(str(key)) and meant not in holder:
            holder[meant] = holder.pop(key)
            return Fixed(where, f"{key} became {meant}.")
    return None


def _choice(value: str, choices: Sequence[str]) -> str:
    """The one choice that a value stands for; "" if none does, or several do."""
    other = _OTHER_NAMES.get(value.lower().strip(), "")
    if other in choices:
        return other
    same = [one for one in choices if _bare(one) == _bare(value)]
    return same[0] if len(same) == 1 else ""


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _place(tree: Any, where: str) -> tuple[Any, Any]:
    """What holds a value, and its key or number; `None` if there is no such place."""
    *way, last = where.split(".") if where else [""]
    holder = tree
    for step in way:
        key = int(step) if isinstance(holder, list) and step.isdecimal() else step
        if not _has(holder, key):
            return None, None
        holder = holder[key]
    key = int(last) if isinstance(holder, list) and last.isdecimal() else last
    return (holder, key) if isinstance(holder, dict | list) else (None, None)


def _has(holder: Any, key: Any) -> bool:
    if isinstance(holder, list):
        return isinstance(key, int) and key < len(holder)
    return key in mapping(holder)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(one) for key, one in value.items()}
    return [_copied(one) for one in value] if isinstance(value, list) else value
