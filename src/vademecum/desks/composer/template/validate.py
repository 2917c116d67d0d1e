"""Validate the values of a file against the model: field names, types, choices and formats."""

import json
import re
from collections.abc import Iterator
from typing import Any

from vademecum.desks.composer.image_template import Data
from vademecum.desks.composer.image_template.model import Field, fields_of
from vademecum.desks.composer.template.findings import Finding, Fix
from vademecum.desks.composer.template.forms import FORMS
from vademecum.text.printable import printable
from vademecum.text.similar import closest

_SHOWN = 60
_LARGEST_NUMBER = 1 << 63
_SECRET = re.compile(r"(?:^|\.)(?:password|passphrase\w*)$")
_OTHER_NAMES = {
    "amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64", "armhf": "armv7hl", "uefi": "efi", "bios": "legacy", "grub-efi": "grub",
    "redhat": "redhat-compatible-distro", "rhel": "redhat-compatible-distro", "azl": "azure-linux", "emt": "edge-microvisor-toolkit",
    "elxr": "wind-river-elxr", "netplan.io": "netplan", "networkd": "systemd-networkd",
}  # fmt: skip
"""What values are called elsewhere."""

_ALIASES = {"useCase": "use_cases", "capabilities": "keywords", "recommendedFor": "use_cases"}
"""Names of metadata in older templates."""


def validate(data: Data) -> Iterator[Finding]:
    """Every value that the model does not allow, in the order of the file."""
    yield from _section(data, "", "")


def finding(where: str, message: str, fix: Fix | None = None) -> Finding:
    """A finding that a value by itself gives rise to."""
    return Finding(where, message, "error", "field", fix)


def _section(value: Data, path: str, where: str) -> Iterator[Finding]:
    known = fields_of(path)
    for name, field in known.items():
        if field.required and name not in value:
            yield finding(where, f"{name_of(where)} lacks {name}.")
    for name, inner in value.items():
        place = below(where, name)
        if name in known:
            yield from _value(inner, known[name], place)
        else:
            yield _unknown(name, place, value, tuple(known))


def _unknown(name: str, where: str, holder: Data, known: tuple[str, ...]) -> Finding:
    meant = _ALIASES.get(name, "") if where.startswith("metadata.") else ""
    meant = meant or closest(name, known)
    hint = f" Did you mean {meant}?" if meant else ""
    same = _bare(meant) == _bare(name) and meant not in holder
    fix = Fix("rename", f"{name} became {meant}.", meant) if meant and same else None
    return finding(where, f"{printable(name, _SHOWN)} is not a field here.{hint}", fix)


def _value(value: object, field: Field, where: str) -> Iterator[Finding]:
    match field.kind:
        case "section":
            if isinstance(value, dict):
                yield from _section(value, field.path, where)
            else:
                yield _wrong_kind(value, "a mapping", where)
        case "sections" | "free-sections":
            yield from _sections(value, field, where)
        case "texts":
            yield from _texts(value, field, where)
        case "text":
            yield from _text(value, field, where)
        case "switch":
            if not isinstance(value, bool):
                yield _wrong_kind(value, "true or false", where)
        case "number":
            yield from _number(value, field, where)


def _sections(value: object, field: Field, where: str) -> Iterator[Finding]:
    if not isinstance(value, list):
        yield _wrong_kind(value, "a list", where)
        return
    for at, entry in enumerate(value):
        place = below(where, str(at))
        if not isinstance(entry, dict):
            yield _wrong_kind(entry, "a mapping", place)
        elif field.kind == "sections":
            yield from _section(entry, f"{field.path}[]", place)


def _texts(value: object, field: Field, where: str) -> Iterator[Finding]:
    if not isinstance(value, list):
        yield _wrong_kind(value, "a list", where)
        return
    if len(value) < field.least:
        yield finding(where, f"{name_of(where)} must have at least {field.least} entries, not {len(value)}.")
    seen: set[str] = set()
    for at, entry in enumerate(value):
        place = below(where, str(at))
        yield from _text(entry, field, place)
        key = json.dumps(entry, sort_keys=True)
        if field.unique and key in seen:
            fix = Fix("remove", f"{shown(entry, place)} was in the list twice; the second one was removed.")
            yield finding(place, f"{shown(entry, place)} is in the list twice.", fix)
        seen.add(key)


def _text(value: object, field: Field, where: str) -> Iterator[Finding]:
    if not isinstance(value, str):
        numeric = isinstance(value, int | float) and not isinstance(value, bool)
        fix = Fix("set", f"The number {value} became a text.", str(value)) if numeric else None
        yield _wrong_kind(value, "a text", where, " Put it in quotes." if numeric else "", fix)
    elif field.choices and value not in field.choices:
        yield _no_choice(value, field.choices, where)
    elif field.form and not FORMS[field.form].test(value):
        form = FORMS[field.form]
        message = f"{name_of(where)} must be {form.meaning}, as in {form.example}, not {shown(value, where)}."
        yield finding(where, message)


def _no_choice(value: str, choices: tuple[str, ...], where: str) -> Finding:
    others = ", ".join(choice or '""' for choice in choices)
    meant = _other_name(value, choices)
    close = meant or closest(value, choices)
    hint = f" Did you mean {close}?" if close else ""
    fix = Fix("set", f"{printable(value, _SHOWN)} became {meant}.", meant) if meant else None
    return finding(where, f"{name_of(where)} must be one of {others}, not {shown(value, where)}.{hint}", fix)


def _number(value: object, field: Field, where: str) -> Iterator[Finding]:
    if isinstance(value, bool) or not (
        isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    ):
        yield _wrong_kind(value, "a whole number", where)
    elif field.bounds and not field.bounds[0] <= value <= field.bounds[1]:
        least, most = field.bounds
        yield finding(
            where, f"{name_of(where)} must be between {least} and {most}, not {shown(value, where)}."
        )
    elif value >= _LARGEST_NUMBER or (isinstance(value, int) and value < -_LARGEST_NUMBER):
        yield finding(where, f"{name_of(where)} is too large a number: {shown(value, where)}.")


def _wrong_kind(value: object, wanted: str, where: str, hint: str = "", fix: Fix | None = None) -> Finding:
    return finding(where, f"{name_of(where)} must be {wanted}, not {shown(value, where)}.{hint}", fix)


def below(where: str, name: str) -> str:
    """The path of something in a section."""
    return f"{where}.{name}" if where else name


def name_of(where: str) -> str:
    """What a place is called in a message."""
    return printable(where, 120) or "The template"


def shown(value: object, where: str) -> str:
    """A value as it can be in a message: short, printable, and never a secret."""
    if _SECRET.search(where):
        return "the value that is there"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a mapping"
    if value is None:
        return "nothing"
    return printable(str(value).lower() if isinstance(value, bool) else str(value), _SHOWN) or '""'


def _other_name(value: str, choices: tuple[str, ...]) -> str:
    """The one choice that a value means; "" if none does, or several do."""
    other = _OTHER_NAMES.get(value.lower().strip(), "")
    if other in choices:
        return other
    same: list[Any] = [choice for choice in choices if choice and _bare(choice) == _bare(value)]
    return str(same[0]) if len(same) == 1 else ""


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
