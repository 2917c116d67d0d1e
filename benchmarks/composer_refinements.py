"""Refinements of the image composer: how many change what was asked for and nothing else, counted on parsed YAML."""

import re
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from composer_requests import Json, is_about, length, same_size, share

from vademecum.core.errors import VademecumError
from vademecum.desks.composer.agent import Agent
from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.session.conversation import Conversation
from vademecum.desks.composer.session.sessions import Sessions, Turn
from vademecum.desks.composer.settings import ComposerSettings
from vademecum.desks.composer.template.check import check


def refinements(
    real: Agent, ours: Agent, settings: ComposerSettings, lines: Sequence[Json], *, each: bool = False
) -> Json:
    """Count the refinements."""
    rows = []
    for line in lines:
        agent = real if real.around.library.entry(line["start"]) else ours
        why, valid = _refined(agent, settings, line)
        rows.append((line, why, valid))
        if each and why:
            print(f"{line['id']} {line['kind']} {line['turns']!r} on {line['start']}\n      {why}")
    kinds = Counter(line["kind"] for line, _, _ in rows)
    wrong = Counter(line["kind"] for line, why, _ in rows if why)
    return {
        "n": len(rows),
        "right": share(not why for _, why, _ in rows),
        "valid": share(valid for _, _, valid in rows),
        "by_kind": {kind: f"{number - wrong[kind]}/{number}" for kind, number in kinds.items()},
    }


def _refined(agent: Agent, settings: ComposerSettings, line: Json) -> tuple[str, bool]:
    """What is wrong with an edit; "" if nothing; and whether the template is valid."""
    library = agent.around.library
    entry = library.entry(line["start"])
    if entry is None:
        return "there is no such template", False
    text = entry.template.text
    session = Sessions(Path("unused"), settings).new()
    session.turns.append(Turn("a template", "new", ({"file": entry.file, "base": entry.stem},), text, ""))
    conversation = Conversation(agent, session)
    states, said = [text], ""
    for turn in line["turns"]:
        try:
            said = conversation.say(turn).summary
        except VademecumError as error:
            said = f"{error.message} {error.hint}"
        states.append(conversation.text)
    after = _data(states[-1])
    before = _data(text)
    findings = check(after, library=library, file=entry.file) if after else []
    old = {one.message for one in check(before, library=library, file=entry.file)}
    valid = not [one for one in findings if one.severity == "error" and one.message not in old]
    return _difference(
        line["expect"], before, after, library.resolve(before, entry.file).data, states, said
    ), valid


def _data(text: str) -> Json:
    return Document.read(text).data if text else {}


def _difference(  # noqa: PLR0917 - what a turn is held against
    expect: Json, before: Json, after: Json, merged: Json, states: Sequence[str], said: str
) -> str:
    if missing := [one for one in expect.get("answer_contains", []) if one.lower() not in said.lower()]:
        return f"the answer lacks {missing}: {said[:200]!r}"
    if "same_as" in expect:
        number = 0 if expect["same_as"] == "start" else int(expect["same_as"].rpartition("-")[2])
        return "" if _data(states[number]) == after else f"not the same as {expect['same_as']}"
    if expect.get("refused"):
        if before != after:
            return f"changed, and should be refused: {said[:150]!r}"
        return "" if said else "nothing was said"
    choices = expect.get("changed_any") or [expect.get("changed", {})]
    reasons = [_not_changed(one, expect.get("may_change", []), before, after, merged) for one in choices]
    return "" if "" in reasons else f"{reasons[0]}; said {said[:120]!r}"


def _not_changed(changed: Json, may: Sequence[str], before: Json, after: Json, merged: Json) -> str:
    before, after = deepcopy(before), deepcopy(after)
    if any(path.startswith("disk") for path in [*changed, *may]) and "disk" not in before and "disk" in after:
        before["disk"] = deepcopy(merged.get("disk"))
    changed = {_by_place(path, before): value for path, value in changed.items()}
    may = [_by_place(path, before) for path in may]
    for path, value in changed.items():
        if why := _one_change(path, value, before, after, merged):
            return why
    for path in [*changed, *may]:
        for data in (before, after):
            _blot(path, data, before)
    _prune(before)
    _prune(after)
    if before == after:
        return ""
    return f"more was changed: {_where(before, after)}"


def _steps(path: str) -> list[tuple[str, str]]:
    return [(one[1], one[2] or "") for one in re.finditer(r"([^.\[\]]+)(?:\[([^\]]*)\])?", path)]


def _follow(path: str, data: Any) -> Any:
    for key, chosen in _steps(path):
        data = data.get(key) if isinstance(data, dict) else None
        if chosen:
            data = _chosen(data, chosen)
    return data


def _by_place(path: str, before: Json) -> str:
    """A path whose items are chosen by their places before the turn, so that a renamed one is still found."""
    made, holder = [], before
    for key, chosen in _steps(path):
        items = holder.get(key) if isinstance(holder, dict) else None
        place = (
            next((at for at, one in enumerate(items) if one is _chosen(items, chosen)), None)
            if chosen and isinstance(items, list)
            else None
        )
        made.append(f"{key}[#{place}]" if place is not None else f"{key}[{chosen}]" if chosen else key)
        holder = items[place] if place is not None and isinstance(items, list) else items
    return ".".join(made)


def _chosen(items: Any, called: str) -> Any:
    if called.startswith("#") and isinstance(items, list):
        place = int(called[1:])
        return items[place] if place < len(items) else None
    for key in ("name", "mountPoint", "id", "type", "fsType"):
        for one in items if isinstance(items, list) else []:
            if isinstance(one, dict) and str(one.get(key)) == called:
                return one
    return None


def _one_change(path: str, value: Any, before: Json, after: Json, merged: Json) -> str:
    if path.startswith("disk.partitions[") and path.endswith(".size"):
        part = _follow(path.removesuffix(".size"), after)
        bytes_long = length(part, after.get("disk", {})) if part else None
        return "" if is_about(bytes_long, value) else f"{path} is {bytes_long}, not {value}"
    now = _follow(path, after)
    if path == "disk.size":
        return "" if same_size(now, value) else f"{path} is {now}, not {value}"
    if not (isinstance(value, dict) and set(value) & {"add", "remove", "add_any"}):
        if value is None:
            return "" if now is None else f"{path} is still there"
        if isinstance(value, list) and not isinstance(now, list):
            return "" if now in value else f"{path} is {now!r}, not any of {value!r}"
        return (
            ""
            if now == value or (isinstance(value, dict) and _covers(value, now))
            else f"{path} is {now!r}, not {value!r}"
        )
    old = _follow(path, before)
    if old is None:  # what is inherited is compared with all that is there then
        old = _follow(path, merged)
        if path == "systemConfig.packages" and isinstance(now, list):
            now = [*old, *now] if isinstance(old, list) else now
    old_items, new_items = _items(old, path), _items(now, path)
    if path == "disk.partitions":
        old_items, new_items = _sized(old_items, before), _sized(new_items, after)
    lacking = [one for one in value.get("add", []) if not any(_covers(one, item) for item in new_items)]
    lacking += [one for one in value.get("add_any", []) if not any(item in one for item in new_items)]
    kept = [one for one in value.get("remove", []) if any(_covers(one, item) for item in new_items)]
    if lacking or kept:
        return f"{path}: lacks {lacking}, still has {kept}"
    added = [item for item in new_items if item not in old_items]
    allowed = [*value.get("add", []), *(one for group in value.get("add_any", []) for one in group)]
    if path == "disk.partitions":  # others may have another size; they are held against `may_change`
        names = {_named(one) for one in old_items}
        added = [item for item in added if _named(item) not in names]
    extra = [item for item in added if not any(_covers(one, item) for one in allowed)]
    gone = [item for item in old_items if item not in new_items]
    if path == "disk.partitions":
        names = {_named(one) for one in new_items}
        gone = [item for item in gone if _named(item) not in names]
    may_go = [*value.get("remove", []), *value.get("may_remove", [])]
    lost = [item for item in gone if not any(_covers(one, item) for one in may_go)]
    return f"{path}: also {extra}, lost {lost}" if extra or lost else ""


def _named(part: Any) -> str:
    return str(part.get("id") or part.get("mountPoint"))


def _sized(parts: list[Any], data: Json) -> list[Any]:
    """Partitions with the size that each has in the place of its borders, which neighbours share."""
    disk = data.get("disk") or {}
    return [
        {**{key: one[key] for key in one if key not in {"start", "end"}}, "size": length(one, disk)}
        for one in parts
    ]


def _items(value: Any, path: str) -> list[Any]:
    if isinstance(value, str):
        return value.split(",") if path.endswith("mountOptions") else value.split()
    return list(value) if isinstance(value, list) else []


def _covers(wanted: Any, found: Any) -> bool:
    if isinstance(wanted, str) and isinstance(found, dict):
        return wanted in {str(found.get(key)) for key in ("name", "mountPoint", "id", "type", "fsType")}
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(
            is_about(found.get(key), one) if key == "size" else _covers(one, found.get(key))
            for key, one in wanted.items()
        )
    if isinstance(wanted, list) and not isinstance(found, list):
        return any(_covers(one, found) for one in wanted)
    return bool(wanted == found)


def _blot(path: str, data: Json, start: Json) -> None:
    """Take a path out of what is compared."""
    if path.startswith("disk.partitions[") and path.endswith(".size"):
        part = _follow(path.removesuffix(".size"), data)
        for key in ("start", "end"):
            if part:
                part.pop(key, None)
        return
    *way, last = _steps(path)
    holder: Any = data
    for key, chosen in way:
        holder = holder.get(key) if isinstance(holder, dict) else None
        holder = _chosen(holder, chosen) if chosen else holder
    if not isinstance(holder, dict):
        return
    key, chosen = last
    if chosen:
        items = holder.get(key)
        if isinstance(items, list):
            found = _chosen(items, chosen)
            if found is not None:
                items.remove(found)
    else:
        holder.pop(key, None)
    del start


def _prune(data: Any) -> None:
    """Take out what is empty, so that a section that holds nothing more is as good as none."""
    if isinstance(data, dict):
        for key in list(data):
            _prune(data[key])
            if data[key] in ({}, []):
                del data[key]
    elif isinstance(data, list):
        for one in data:
            _prune(one)


def _where(before: Any, after: Any, path: str = "") -> str:
    if isinstance(before, dict) and isinstance(after, dict):
        found = [
            _where(before.get(key), after.get(key), f"{path}.{key}")
            for key in {**before, **after}
            if before.get(key) != after.get(key)
        ]
        return ", ".join(found)
    return f"{path.lstrip('.')}: {str(before)[:150]} -> {str(after)[:150]}"
