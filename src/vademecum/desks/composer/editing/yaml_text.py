"""Format values as YAML in the style of the templates: block style, two spaces, quotes only where needed.

What is quoted is decided by what the text could be taken for, in YAML 1.1 and 1.2 alike: nothing that a person writes can become a
switch, a number, a comment or a further key.
"""

import re
from typing import Any

from vademecum.text.patterns import Pattern

_WORDS = frozenset("y n yes no on off true false null ~ nan inf = <<".split())  # noqa: SIM905 - one list reads best
_PLAIN = Pattern(r"[A-Za-z_/][\w./+@%=,:~*()'<>&;!?|-]*(?: [\w./+@%=,:~*()'<>&;!?|-]+)*", flags=re.ASCII)
_MEASURE = Pattern(r"[0-9][0-9.]*(?:[KMGTP]i?B?|ms|s|%)|[0-9]+[g-nq-wyzG-NQ-WYZ][\w.-]*", flags=re.ASCII)
_FLOW_MARKS = Pattern(r"[,\[\]{}]", flags=0)


def scalar(value: Any, style: str = "", *, flow: bool = False) -> str:
    """A text, number, switch or `None` on one line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    text = str(value)
    if style == "'" and text.isprintable() and text.isascii():
        return "'" + text.replace("'", "''") + "'"
    if style != '"' and is_plain(text) and not (flow and _FLOW_MARKS.search(text)):
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    """A character within double quotes; JSON's pairs of surrogates are not characters in YAML."""
    if character in {'"', "\\"}:
        return f"\\{character}"
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def is_plain(text: str) -> bool:
    """Return whether a text needs no quotes."""
    if _MEASURE.fullmatch(text):
        return True
    return (
        bool(_PLAIN.fullmatch(text))
        and text.lower() not in _WORDS
        and ": " not in text
        and not text.endswith(":")
        and not text.startswith(("...", "---", "."))
    )


def entry(key: str, value: Any, indent: int) -> str:
    """A key with its value, as lines without the last line end; the first one is not indented."""
    if isinstance(value, dict | list) and value:
        step = indent + 2
        return f"{scalar(key)}:\n{' ' * step}{block(value, step)}"
    return f"{scalar(key)}: {_empty(value) if isinstance(value, dict | list) else scalar(value)}"


def block(value: Any, indent: int) -> str:
    """A value as lines without the last line end; the first one is not indented."""
    if isinstance(value, dict) and value:
        return f"\n{' ' * indent}".join(entry(key, one, indent) for key, one in value.items())
    if isinstance(value, list) and value:
        return f"\n{' ' * indent}".join(f"- {block(one, indent + 2)}" for one in value)
    return _empty(value) if isinstance(value, dict | list) else scalar(value)


def flow(value: list[Any]) -> str:
    """A list of scalars in brackets."""
    return "[" + ", ".join(scalar(one, flow=True) for one in value) + "]"


def document(data: dict[str, Any]) -> str:
    """A whole template; its sections stand apart by an empty line."""
    return "\n\n".join(entry(key, value, 0) for key, value in data.items()) + "\n"


def _empty(value: Any) -> str:
    return "{}" if isinstance(value, dict) else "[]"
