"""Holding values against a JSON schema: the part of draft 2020-12 that the tool's schema uses, formats asserted.

The usual library takes over a second to load with the grammar it needs for `uri`, and a template is checked after every edit; so this
is our own, and the library is its oracle in the tests. A keyword that is not known here is an error when the schema is read.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from ipaddress import ip_address, ip_interface
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.desks.composer.patterns import Pattern
from vademecum.text.printable import printable

SCHEMA = Path(__file__).parent / "schemas" / "os-image-template.schema.json"

_SILENT = frozenset(
    ["$schema", "$id", "$defs", "title", "description", "default", "then", "else", "examples"]
)
"""Keywords that demand nothing by themselves."""

_SECRET = Pattern(r"(?:^|\.)(?:password|passphrase\w*)$")
_URI = Pattern(r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+", flags=0)
_SHOWN = 60

Schema = dict[str, Any] | bool


class Fault(NamedTuple):
    """A value that is not as the schema demands: its dotted path, and what is wrong in a sentence."""

    where: str
    message: str


def faults(data: object, definition: str) -> list[Fault]:
    """What is wrong with a template by one of the schema's definitions (`UserTemplate`, `FullTemplate`), in the order of the schema."""
    return list(_check(data, _schema()["$defs"][definition], ""))


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(SCHEMA.read_bytes())
    unknown = _keywords(schema) - _KEYWORDS.keys() - _BESIDE_OTHERS.keys() - _SILENT
    if unknown:
        raise NotImplementedError(
            f"{SCHEMA.name} uses keywords that are not known: {', '.join(sorted(unknown))}"
        )
    return schema


def _keywords(schema: object) -> set[str]:
    """All keywords of a schema and those within it."""
    if not isinstance(schema, dict):
        return set()
    found = set(schema)
    for name, value in schema.items():
        inner = (
            value.values()
            if name in {"properties", "$defs"}
            else value
            if isinstance(value, list)
            else [value]
        )
        found |= (
            {keyword for one in inner for keyword in _keywords(one)}
            if name not in {"const", "default"}
            else set()
        )
    return found


def _check(value: object, schema: Schema, where: str) -> Iterator[Fault]:
    if schema is True:
        return
    if schema is False:
        yield Fault(where, f"{_name(where)} is not allowed here.")
        return
    for keyword, demand in schema.items():
        if check := _KEYWORDS.get(keyword):
            yield from check(value, demand, where)
        elif beside := _BESIDE_OTHERS.get(keyword):
            yield from beside(value, demand, where, schema)


def _fits(value: object, schema: Schema, where: str) -> bool:
    return next(_check(value, schema, where), None) is None


def _ref(value: object, demand: str, where: str) -> Iterator[Fault]:
    yield from _check(value, _schema()["$defs"][demand.rpartition("/")[2]], where)


_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_WORDS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}


def _is_of(value: object, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    whole = kind == "integer" and isinstance(value, float) and value.is_integer()
    return whole or isinstance(value, _KINDS[kind])


def _type(value: object, demand: str, where: str) -> Iterator[Fault]:
    if not _is_of(value, demand):
        hint = " Put it in quotes." if demand == "string" and isinstance(value, int | float) else ""
        yield Fault(where, f"{_name(where)} must be {_WORDS[demand]}, not {_shown(value, where)}.{hint}")


def _enum(value: object, demand: list[Any], where: str) -> Iterator[Fault]:
    if not any(_same(value, one) for one in demand):
        choices = ", ".join(one or '""' for one in map(str, demand))
        meant = _meant(value, demand)
        yield Fault(where, f"{_name(where)} must be one of {choices}, not {_shown(value, where)}.{meant}")


def choices_at(message: str) -> list[str]:
    """The choices that a fault's message names."""
    found = re.search(r"must be one of (.+?), not ", message)
    return found[1].split(", ") if found else []


def _const(value: object, demand: object, where: str) -> Iterator[Fault]:
    if not _same(value, demand):
        yield Fault(where, f"{_name(where)} must be {demand}, not {_shown(value, where)}.")


def _same(one: object, other: object) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _properties(value: object, demand: dict[str, Schema], where: str) -> Iterator[Fault]:
    if isinstance(value, dict):
        for name, schema in demand.items():
            if name in value:
                yield from _check(value[name], schema, _below(where, name))


def _required(value: object, demand: list[str], where: str) -> Iterator[Fault]:
    if isinstance(value, dict):
        for name in demand:
            if name not in value:
                yield Fault(where, f"{_name(where)} lacks {name}.")


def _additional(value: object, demand: Schema, where: str, schema: dict[str, Any]) -> Iterator[Fault]:
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for name in value:
            if name in known:
                continue
            if demand is False:
                shown = printable(str(name), _SHOWN)
                yield Fault(_below(where, str(name)), f"{shown} is no field here.{_meant(name, list(known))}")
            else:
                yield from _check(value[name], demand, _below(where, str(name)))


def _items(value: object, demand: Schema, where: str) -> Iterator[Fault]:
    if isinstance(value, list):
        for at, one in enumerate(value):
            yield from _check(one, demand, _below(where, str(at)))


def _min_items(value: object, demand: int, where: str) -> Iterator[Fault]:
    if isinstance(value, list) and len(value) < demand:
        yield Fault(where, f"{_name(where)} must have at least {demand} entries, and has {len(value)}.")


def _max_items(value: object, demand: int, where: str) -> Iterator[Fault]:
    if isinstance(value, list) and len(value) > demand:
        wanted = "be empty" if not demand else f"have at most {demand} entries"
        yield Fault(where, f"{_name(where)} must {wanted}, and has {len(value)}.")


def _unique(value: object, demand: object, where: str) -> Iterator[Fault]:
    if demand and isinstance(value, list):
        seen: set[tuple[bool, str]] = set()
        for at, one in enumerate(value):
            key = (isinstance(one, str), one if isinstance(one, str) else json.dumps(one, sort_keys=True))
            if key not in seen:
                seen.add(key)
            else:
                yield Fault(_below(where, str(at)), f"{_shown(one, where)} stands in the list before.")


def _min_length(value: object, demand: int, where: str) -> Iterator[Fault]:
    if isinstance(value, str) and len(value) < demand:
        yield Fault(where, f"{_name(where)} must not be empty.")


def _pattern(value: object, demand: str, where: str) -> Iterator[Fault]:
    if isinstance(value, str) and not _compiled(demand).search(value):
        yield Fault(where, f"{_name(where)} is not written as it must be: {_shown(value, where)}.")


_DOLLAR = Pattern(r"(?<!\\)\$(?=\)?$|\))", flags=0)


@cache
def _compiled(pattern: str) -> Pattern:
    """A pattern whose `$` is the end of the text, and not a line end before it."""
    return Pattern(_DOLLAR.sub(r"\\Z", pattern), flags=0)


def _minimum(value: object, demand: float, where: str) -> Iterator[Fault]:
    if isinstance(value, int | float) and not isinstance(value, bool) and value < demand:
        yield Fault(where, f"{_name(where)} must be at least {demand}, not {value}.")


def _maximum(value: object, demand: float, where: str) -> Iterator[Fault]:
    if isinstance(value, int | float) and not isinstance(value, bool) and value > demand:
        yield Fault(where, f"{_name(where)} must be at most {demand}, not {value}.")


def _format(value: object, demand: str, where: str) -> Iterator[Fault]:
    if isinstance(value, str) and not FORMATS[demand](value):
        yield Fault(where, f"{_name(where)} is no {demand}: {_shown(value, where)}.")


def _all_of(value: object, demand: list[Schema], where: str) -> Iterator[Fault]:
    for one in demand:
        yield from _check(value, one, where)


def _any_of(value: object, demand: list[Schema], where: str) -> Iterator[Fault]:
    if not any(_fits(value, one, where) for one in demand):
        yield _none_of(value, demand, where)


def _one_of(value: object, demand: list[Schema], where: str) -> Iterator[Fault]:
    fitting = sum(_fits(value, one, where) for one in demand)
    if not fitting:
        yield _none_of(value, demand, where)
    elif fitting > 1:
        names = " and ".join(
            ", ".join(one["required"]) for one in demand if isinstance(one, dict) and "required" in one
        )
        yield Fault(
            where,
            f"{_name(where)} fits several forms at once, and must be one of them{f': {names}' if names else ''}.",
        )


def _none_of(value: object, demand: list[Schema], where: str) -> Fault:
    """What is said of a value that fits none of several forms."""
    fields = [one["required"] for one in demand if isinstance(one, dict) and one.keys() == {"required"}]
    if len(fields) == len(demand):
        return Fault(where, f"{_name(where)} must have {' or '.join(' and '.join(one) for one in fields)}.")
    forms = [one.get("format") or one.get("const") for one in demand if isinstance(one, dict)]
    wanted = " or ".join(str(one) for one in forms if one)
    return Fault(
        where,
        f"{_name(where)} is {f'no {wanted}' if wanted else 'not written as it must be'}: {_shown(value, where)}.",
    )


def _not(value: object, demand: Schema, where: str) -> Iterator[Fault]:
    if _fits(value, demand, where):
        if isinstance(demand, dict) and demand.keys() == {"required"}:
            yield Fault(where, f"{_name(where)} must not have {' and '.join(demand['required'])} here.")
        else:
            yield Fault(where, f"{_name(where)} is not allowed as it is: {_shown(value, where)}.")


def _if(value: object, demand: Schema, where: str, schema: dict[str, Any]) -> Iterator[Fault]:
    branch = schema.get("then" if _fits(value, demand, where) else "else")
    if branch is not None:
        yield from _check(value, branch, where)


def _address(value: str) -> int:
    """4 or 6; 0 if it is no address."""
    try:
        return ip_address(value).version
    except ValueError:
        return 0


def _network(value: str) -> int:
    """4 or 6 of an address with the length of its network; 0 if it is none."""
    address, slash, length = value.partition("/")
    if not slash or not length.isdecimal():
        return 0
    try:
        return ip_interface(f"{address}/{length}").version
    except ValueError:
        return 0


FORMATS: dict[str, Callable[[str], bool]] = {
    "uri": lambda value: bool(_URI.fullmatch(value)),
    "ipv4": lambda value: _address(value) == 4,
    "ipv6": lambda value: _address(value) == 6,
    "ipv4-cidr": lambda value: _network(value) == 4,
    "ipv6-cidr": lambda value: _network(value) == 6,
}
"""Every format that the schema names, asserted."""

_KEYWORDS: dict[str, Callable[[object, Any, str], Iterator[Fault]]] = {
    "$ref": _ref,
    "type": _type,
    "enum": _enum,
    "const": _const,
    "required": _required,
    "properties": _properties,
    "items": _items,
    "minItems": _min_items,
    "maxItems": _max_items,
    "uniqueItems": _unique,
    "minLength": _min_length,
    "pattern": _pattern,
    "minimum": _minimum,
    "maximum": _maximum,
    "format": _format,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
}
_BESIDE_OTHERS: dict[str, Callable[[object, Any, str, dict[str, Any]], Iterator[Fault]]] = {
    "additionalProperties": _additional,
    "if": _if,
}
"""Keywords whose meaning depends on others beside them."""


def _below(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _name(where: str) -> str:
    return printable(where, 120) or "The template"


def _shown(value: object, where: str) -> str:
    """A value as it can stand in a message; never a secret."""
    if _SECRET.search(where):
        return "what stands there"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a mapping"
    if value is None:
        return "nothing"
    return printable(str(value).lower() if isinstance(value, bool) else str(value), _SHOWN) or '""'


def _meant(value: object, known: list[Any]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - needed for a mistake only

    close = get_close_matches(str(value)[:_SHOWN], [str(one) for one in known], n=1)
    return f" Did you mean {close[0]}?" if close else ""
