"""Merge a template: the operating system's defaults, its parents from the root down, and its own file.

The rules are those of the build tool. Packages are an ordered union and cannot be removed. A disk replaces the whole
inherited disk. The kernel is merged field by field, with its packages as one list. Metadata is not inherited.
An overlay is not merged with defaults, because the image below it has its own.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from vademecum.desks.composer.image_template.parse import problem
from vademecum.desks.composer.image_template.template import Data, Template, copied, mapping, text, texts

if TYPE_CHECKING:
    from vademecum.core.documents import Problem

Lookup = Callable[[Template, str], "Template | Problem"]
"""A function that finds the parent that a template names: `lookup(child, reference)`."""

Defaults = Callable[[Data], "Template | Problem | None"]
"""A function that finds the defaults of a `target`; `None` if there is no folder of defaults."""


class Resolved(NamedTuple):
    """A template with everything that it inherits.

    Attributes:
        chain: The merged files: the defaults (if any), the parents from the root down, and the template itself.
        data: The merged values, without `extends`; the `target` and `metadata` are its own.
        problems: Missing or circular parents, and missing defaults. `data` contains everything that could be merged.
        has_defaults: Whether the defaults are included, or not needed (an overlay). Otherwise, facts that may depend on them
            are unresolved.
        parents: Its parents from the root down, as far as they were found.
        defaults: The defaults, or the reason why they cannot be read; `None` if there are none.
    """

    template: Template
    chain: tuple[str, ...]
    data: Data
    problems: "tuple[Problem, ...]" = ()
    has_defaults: bool = True
    parents: tuple[Template, ...] = ()
    defaults: "Template | Problem | None" = None


def resolve(template: Template, lookup: Lookup, defaults: Defaults) -> Resolved:
    """Merge a template with its parents and defaults. It always terminates and raises no exception."""
    layers, problems = _chain(template, lookup)
    merged: Data = {}
    for layer in layers:
        merged = _merged(merged, layer.data)
    parents = tuple(layers[:-1])
    has_defaults = True
    base: Template | Problem | None = None
    if not is_overlay(merged):
        base = defaults(mapping(template.data.get("target")))
        if isinstance(base, Template):
            merged = _merged(_merged({}, base.data), merged)
            layers = [base, *layers]
        else:
            has_defaults = False
            problems += [base] if base else []
    for own in ("metadata", "target"):
        merged.pop(own, None)
        if own in template.data:
            merged[own] = copied(template.data[own])
    merged.pop("extends", None)
    return Resolved(
        template=template,
        chain=tuple(layer.file for layer in layers),
        data={key: merged[key] for key in sorted(merged, key=_place)},
        problems=tuple(problems),
        has_defaults=has_defaults,
        parents=parents,
        defaults=base,
    )


def is_overlay(data: Data) -> bool:
    """Return whether a template changes an existing image instead of creating one."""
    return mapping(data.get("baseline")).get("mode") == "overlay"


def _place(key: str) -> int:
    return _ORDER.index(key) if key in _ORDER else len(_ORDER)


_ORDER = (
    "metadata",
    "image",
    "target",
    "baseline",
    "overlayPolicy",
    "disk",
    "systemConfig",
    "packageRepositories",
)
_MOST_PARENTS = 16


def _chain(template: Template, lookup: Lookup) -> "tuple[list[Template], list[Problem]]":
    """Return the template's parents from the root down, as far as they were found, and the template itself."""
    found = [template]
    target = template.data.get("target")
    while reference := found[-1].data.get("extends"):
        child = found[-1]
        if isinstance(reference, str) and not reference.strip():
            break
        parent = lookup(child, reference) if isinstance(reference, str) else _no_text(child)
        if not isinstance(parent, Template):
            return found[::-1], [parent]
        if any(parent.file == one.file for one in found):
            way = " -> ".join([*(one.name for one in found), parent.name])
            return found[::-1], [
                problem(child.file, "circle", f"Its parents go round in a circle: {way}.", _CIRCLE)
            ]
        if parent.data.get("target") != target:
            message = f"Its parent {parent.name} has another target; both must have the same."
            return found[::-1], [problem(child.file, "other-target", message, _TARGET)]
        if len(found) > _MOST_PARENTS:
            message = f"It has more than {_MOST_PARENTS} parents above each other."
            return found[::-1], [problem(child.file, "too-many-parents", message, _CIRCLE)]
        found.append(parent)
    return found[::-1], []


_CIRCLE = "Take `extends` out of one of them."
_TARGET = "Correct `target`, or extend a template of the same distribution, architecture and image type."


def _no_text(child: Template) -> "Problem":
    return problem(child.file, "extends", "`extends` is not a path.", "Write the parent's file name.")


def _merged(base: Data, leaf: Data) -> Data:
    """Merge two mappings. The values of the leaf take precedence."""
    made: Data = copied(base)
    for key, value in leaf.items():
        below = made.get(key)
        if key == "image" and isinstance(below, dict) and isinstance(value, dict):
            made[key] = below | {name: one for name, one in value.items() if not _blank(one)}
        elif key == "systemConfig" and isinstance(below, dict) and isinstance(value, dict):
            made[key] = _merged_system(below, value)
        elif key == "packageRepositories" and isinstance(below, list) and isinstance(value, list):
            made[key] = _by_name(below, value, "codename")
        elif not _blank(value) or key not in made:
            made[key] = copied(value)
    return made


def _merged_system(base: Data, leaf: Data) -> Data:
    made = dict(base)
    for key, value in leaf.items():
        below = made.get(key)
        if isinstance(below, list) and isinstance(value, list):
            made[key] = _merged_list(key, below, value)
        elif key in _FIELD_BY_FIELD and isinstance(below, dict) and isinstance(value, dict):
            made[key] = below | {name: copied(one) for name, one in value.items() if not _blank(one)}
        elif not _blank(value) or key not in made:
            made[key] = copied(value)
    return made


_FIELD_BY_FIELD = frozenset(["kernel", "bootloader", "network", "immutability", "initramfs"])


def _merged_list(key: str, base: list[Any], leaf: list[Any]) -> list[Any]:
    if key == "packages":
        return _united(base, leaf)
    if key == "configurations":
        return [*base, *copied(leaf)]
    if key == "users":
        return _by_name(base, leaf, "name", _merged_user)
    if key == "additionalFiles":
        return _by_name(base, leaf, "final")
    return copied(leaf) if leaf else base


def _united(base: list[Any], leaf: list[Any]) -> list[Any]:
    """Return the base with the new items of the leaf. Items that are not texts are kept, so that validation reports them."""
    known = {one for one in base if isinstance(one, str)}
    made = list(base)
    for one in leaf:
        if not isinstance(one, str) or one not in known:
            made.append(one)
        if isinstance(one, str):
            known.add(one)
    return made


def _by_name(
    base: list[Any], leaf: list[Any], name: str, join: Callable[[Data, Data], Data] | None = None
) -> list[Any]:
    """Return the base's mappings, replaced by or merged with the leaf's mappings of the same name, then the leaf's others."""
    made = list(base)
    places: dict[str, int] = {}
    for at, one in enumerate(made):
        if (known := _named(one, name)) is not None:
            places.setdefault(known, at)
    for one in copied(leaf):
        at = places.get(_named(one, name) or "", -1)
        if at < 0:
            if known := _named(one, name):
                places[known] = len(made)
            made.append(one)
        else:
            made[at] = join(made[at], one) if join else one
    return made


def _named(value: object, name: str) -> str | None:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def _merged_user(base: Data, leaf: Data) -> Data:
    made: Data = base | {key: value for key, value in leaf.items() if not _blank(value)}
    if groups := [*texts(base.get("groups")), *texts(leaf.get("groups"))]:
        made["groups"] = list(dict.fromkeys(groups))
    if text(leaf.get("password")).startswith("$"):  # it is hashed already
        made.pop("hash_algo", None)
    if "sudo" in base:
        made["sudo"] = leaf.get("sudo", False)
    return made


def _blank(value: object) -> bool:
    """Return whether a value is empty; `False` and 0 are not."""
    return value is None or value in ("", [], {})
