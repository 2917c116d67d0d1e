"""A collection's metadata on how to answer from it. It is untrusted, so all values are validated."""

import math
from collections.abc import Mapping
from typing import Any

from vademecum.desks.chat.profile import CollectionSettings
from vademecum.text.printable import printable

_LONGEST = {"prompt": 20_000, "description": 2000, "model": 200, "threshold_scale": 200}
_MOST_TOKENS = 1_000_000
_ALIASES = {"system_prompt": "prompt", "candidate_threshold": "partial_threshold"}


def settings_of(metadata: Mapping[str, Any], description: str = "") -> CollectionSettings:
    """Return the settings in a collection's metadata. Unusable values are ignored, with a warning."""
    warnings: list[str] = []
    given = {_ALIASES[name]: value for name, value in metadata.items() if name in _ALIASES}
    given |= {name: value for name, value in metadata.items() if name not in _ALIASES}

    def unusable(name: str, wanted: str) -> None:
        shown = printable(repr(given[name]), 40)
        warnings.append(f"The collection's {name} is not used: it must be {wanted}, not {shown}.")

    def text(name: str) -> str | None:
        value = given.get(name)
        if value is None or value == "":
            return None
        if not isinstance(value, str) or len(value) > _LONGEST[name]:
            unusable(name, f"a text of at most {_LONGEST[name]:,} characters")
            return None
        return value

    def number(name: str, least: float, most: float) -> float | None:
        value = given.get(name)
        if value is None:
            return None
        if isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                value = math.nan
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            unusable(name, f"a number from {least:g} to {most:g}")
            return None
        return float(value)

    tokens = number("max_tokens", 1, _MOST_TOKENS)
    match, partial = number("match_threshold", 0, 2), number("partial_threshold", 0, 2)
    found = CollectionSettings(
        description=text("description") or description,
        prompt=text("prompt"),
        max_tokens=None if tokens is None else int(tokens),
        model=text("model"),
        temperature=number("temperature", 0, 5),
        match_threshold=match,
        partial_threshold=partial,
        scale=text("threshold_scale") or "",
    )
    return found._replace(warnings=tuple(warnings))
