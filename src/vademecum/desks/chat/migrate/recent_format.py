"""Convert a configuration that already has services and rules, but in another format.

`{{rag_context}}`, `collection_contains`, `_comment` and keys in camel case are converted. Keys without a counterpart,
such as `tools` and `topic`, are removed and listed. A rule that tests such a key is removed as a whole, because it
would match too much without the key.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from vademecum.desks.chat.config.check import NEVER_REACHED
from vademecum.desks.chat.config.normal_form import Fault
from vademecum.desks.chat.load import UNKNOWN_KEY, ConfigurationFaulty, Loaded, read
from vademecum.desks.chat.profile import FIELDS
from vademecum.text.printable import printable

Plain = dict[str, Any]

_CONTAINS = "_contains"
_RENAMED = {"rag_context": "context", "user_message": "user"}
"""The old and new names of variables in texts."""

_VARIABLE = re.compile(r"\{\{\s*(rag_context|user_message)\s*\}\}|\$\{\s*(rag_context|user_message)\s*\}")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_OF_RULE = re.compile(r"responses\[(\d+)\](?:\.match\b.*)?")
_MOST_ROUNDS = 50
_SPECIAL = re.compile(r"([\\.^$|?*+()\[\]{}/])")


def renew(
    old: Plain, name: str, environment: Mapping[str, str], text: Callable[[str, str], str]
) -> tuple[Plain, list[str], Loaded]:
    """Convert a configuration to the new format.

    Returns:
        The new configuration as plain data, the losses, and the validated new configuration.
    """
    losses: list[str] = []
    new: Plain = _without_comments(old)
    for place, rule in enumerate(new.get("responses") or []):
        if isinstance(rule, dict):
            _renew_rule(rule, f"responses[{place}]", text)
    for llm, section in (new.get("llms") or {}).items():
        key = section.get("api_key") if isinstance(section, dict) else None
        if key and not re.fullmatch(r"\$\{[^}]*\}", str(key)):
            section["api_key"] = f"${{{re.sub(r'[^A-Z0-9]+', '_', llm.upper())}_API_KEY}}"
            losses.append(
                f"llms.{printable(llm, 60)}: its key is no longer in the file; set {section['api_key'][2:-1]} in the environment."
            )
    for _ in range(_MOST_ROUNDS):
        try:
            loaded = read(json.dumps(new).encode(), name, is_json=True, environment=environment)
        except ConfigurationFaulty as error:
            if not sum(_left_out(new, fault, losses) for fault in reversed(error.faults)):
                raise
        else:
            return new, losses, loaded
    loaded = read(json.dumps(new).encode(), name, is_json=True, environment=environment)
    return new, losses, loaded


def _without_comments(value: Any) -> Any:
    """Return plain data with `_comment` renamed to `comment`. Other keys that begin with an underscore are comments."""
    if isinstance(value, list):
        return [_without_comments(one) for one in value]
    if not isinstance(value, dict):
        return value
    kept = {key: _without_comments(one) for key, one in value.items() if not key.startswith("_")}
    said = [one for key, one in value.items() if key.startswith("_") and isinstance(one, str)]
    return {"comment": " ".join(said), **kept} if said and "comment" not in kept else kept


def _renew_rule(rule: Plain, where: str, text: Callable[[str, str], str]) -> None:
    for key in ("prompt", "static_response"):
        if isinstance(rule.get(key), str):
            named = _VARIABLE.sub(lambda found: f"${{{_RENAMED[found[1] or found[2]]}}}", rule[key])
            rule[key] = text(named, f"{where}.{key}")
    match = rule.get("match")
    if not isinstance(match, dict):
        return
    for key in [key for key in match if key.endswith(_CONTAINS) and key.removesuffix(_CONTAINS) in FIELDS]:
        wanted = match.pop(key)
        words = [str(word) for word in (wanted if isinstance(wanted, list) else [wanted])]
        pattern = "|".join(_SPECIAL.sub(r"\\\1", word) for word in words)
        match[f"{key.removesuffix(_CONTAINS)}_regexp"] = f"/{pattern}/i"


def _left_out(new: Plain, fault: Fault, losses: list[str]) -> bool:
    """Remove the cause of a fault, and record the loss. Return whether this was possible."""
    unknown = fault.message.startswith(UNKNOWN_KEY) or "not a key of match" in fault.message
    rule = _OF_RULE.fullmatch(fault.path)
    if rule and ((".match" in fault.path and unknown) or fault.message.startswith(NEVER_REACHED)):
        place = int(rule[1])
        if len(new["responses"]) <= max(1, place):
            return False
        gone = new["responses"].pop(place)
        comment = printable(str(gone.get("comment") or ""), 60)
        named = f"The rule responses[{place}]{f' ({comment})' if comment else ''}"
        why = f"{printable(fault.path, 120)} has no counterpart" if unknown else "it is never reached"
        losses.append(f"{named} is omitted: {why}.")
        return True
    if not unknown:
        return False
    steps: list[Any] = [int(number) if number else name for name, number in _STEP.findall(fault.path)]
    holder: Any = new
    for step in steps[:-1]:
        try:
            holder = holder[step]
        except (KeyError, IndexError, TypeError):
            return False
    if not isinstance(holder, dict) or steps[-1] not in holder:
        return False
    del holder[steps[-1]]
    losses.append(f"{printable(fault.path, 120)} has no counterpart, and is omitted.")
    return True
