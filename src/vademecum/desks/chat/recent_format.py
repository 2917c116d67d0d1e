"""Convert a configuration that already has services and rules, but in another format.

Its `{{rag_context}}`, `collection_contains`, `_comment` and keys in camel case become those of the new form. What has no counterpart,
such as `tools` and `topic`, is left out and listed; a rule that asks for it would match too much without it, and is left out whole.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from vademecum.desks.chat.checking import NEVER_REACHED
from vademecum.desks.chat.loading import ConfigurationFaulty, Loaded, read
from vademecum.desks.chat.normal_form import Fault
from vademecum.desks.chat.profile import FIELDS
from vademecum.text.printable import printable

Plain = dict[str, Any]

_CONTAINS = "_contains"
_RENAMED = {"rag_context": "context", "user_message": "user"}
"""Variables of texts, and what they are now."""

_VARIABLE = re.compile(r"\{\{\s*(rag_context|user_message)\s*\}\}|\$\{\s*(rag_context|user_message)\s*\}")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_OF_RULE = re.compile(r"responses\[(\d+)\](?:\.match\b.*)?")
_MOST_ROUNDS = 50
_SPECIAL = re.compile(r"([\\.^$|?*+()\[\]{}/])")


def renew(
    old: Plain, name: str, environment: Mapping[str, str], text: Callable[[str, str], str]
) -> tuple[Plain, list[str], Loaded]:
    """Write a configuration of that form in the new one.

    Args:
        old: The configuration, keys in small letters.
        name: What messages call it.
        environment: For checking it.
        text: Makes of a text, and where it is, one whose variables there are.

    Returns:
        The new one as plain data, what of the old one is not in it, and the new one checked.

    Raises:
        ConfigurationFaulty: Something is wrong with it that was wrong before.
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
                f"llms.{printable(llm, 60)}: its key is not written down any more; set {section['api_key'][2:-1]} in the environment."
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
    """Plain data whose `_comment` is `comment`; other keys that begin with a line are comments, too."""
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
    """Leave out what has no counterpart, and say so; whether that could be done."""
    unknown = "not a key" in fault.message
    rule = _OF_RULE.fullmatch(fault.path)
    if rule and ((".match" in fault.path and unknown) or fault.message.startswith(NEVER_REACHED)):
        place = int(rule[1])
        if len(new["responses"]) <= max(1, place):
            return False
        gone = new["responses"].pop(place)
        comment = printable(str(gone.get("comment") or ""), 60)
        named = f"The rule responses[{place}]{f' ({comment})' if comment else ''}"
        why = f"{printable(fault.path, 120)} has no counterpart" if unknown else "it is never reached"
        losses.append(f"{named} is left out: {why}.")
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
    losses.append(f"{printable(fault.path, 120)} has no counterpart, and is left out.")
    return True
