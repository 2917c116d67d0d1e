"""Fix problems that have exactly one lossless fix."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from vademecum.desks.composer.image_template import Data
from vademecum.desks.composer.image_template.template import copied, mapping
from vademecum.desks.composer.image_template.text import ALIASES
from vademecum.desks.composer.template.findings import Finding


class Fixed(NamedTuple):
    """Something that was mended: where, and what was done, in a sentence."""

    where: str
    message: str


def fix(data: Data, findings: Sequence[Finding]) -> tuple[Data, list[Fixed]]:
    """A mended copy, and what was done. What has no fix stays as it is; mending twice changes nothing more."""
    made = copied(data)
    return made, fix_in_place(made, findings)


def fix_in_place(tree: Any, findings: Sequence[Finding]) -> list[Fixed]:
    """Mend a tree itself, such as one that keeps its comments, and say what was done."""
    done = _metadata(tree)
    removed: list[tuple[list[Any], int]] = []
    for finding in findings:
        holder, key = _place(tree, finding.where)
        if holder is None or finding.fix is None:
            continue
        action, says, value = finding.fix
        if action == "remove" and isinstance(holder, list):
            removed.append((holder, int(key)))  # last: the numbers of what follows must not change before
        elif not _has(holder, key):
            continue
        elif action == "remove":
            del holder[key]
        elif action == "set":
            holder[key] = value
        elif value not in holder:
            holder[value] = holder.pop(key)
        done.append(Fixed(finding.where, says))
    for holder, at in sorted(removed, key=lambda place: -place[1]):
        del holder[at]
    return done


def _metadata(tree: Any) -> list[Fixed]:
    """Names of metadata in older templates become those of today."""
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
            metadata[key] = [word.strip() for word in metadata[key].split(",") if word.strip()]
            done.append(Fixed(f"metadata.{key}", f"{key} became a list."))
    return done


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
