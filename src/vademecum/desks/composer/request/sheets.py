"""Read the parts of a request that are data, before any English: `key=value`, `Key: value`, lists, JSON and YAML.

A part whose value is not of the type of its field is left to the reader of English.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from vademecum.desks.composer.image_template import Template
from vademecum.desks.composer.image_template.parse import parse_template
from vademecum.desks.composer.request.rows import (
    ALIASES,
    Known,
    Row,
    from_repositories,
    wishes_of,
    with_interfaces,
)
from vademecum.desks.composer.wish import Wish


class Sheet(NamedTuple):
    """The data of a request.

    Attributes:
        wishes: What is asked for in them; keys that no field has are among them as `unknown`.
        rest: The request with spaces in their place, so that positions hold.
    """

    wishes: tuple[Wish, ...]
    rest: str


class _Pair(NamedTuple):
    """A key and its value as written, with the positions of both together."""

    path: tuple[str, ...]
    value: str
    start: int
    end: int
    is_sure: bool = False


_KEY = re.compile(
    r"(?:(?<=^)|(?<=[\s,;.({\[•*-]))(?P<key>[A-Za-z][\w.-]*(?: [A-Za-z][\w-]*\.?){0,2})(?P<mark>[ \t]*=(?![=>])[ \t]*|[ \t]*:(?!//)(?=\s|$)[ \t]*|[ \t]*\.{3,}[ \t]*)",
    re.MULTILINE,
)
_VALUE = re.compile(r"\[[^\]\n]*\]|\"[^\"\n]*\"|'[^'\n]*'|[^\s,;]+(?:,[^\s,;=]+(?![^\s,;]*=))*(?<![.])")
_END = re.compile(r"\n|;|\.(?=\s+[A-Z]|\s*$)")
_BULLET = re.compile(r"\n[ \t]*(?:[-*•+]|\d+[.)])[ \t]+(?P<item>[^\n]+)")
_FENCED = re.compile(r"```\w*\n(?P<text>.*?)\n?```", re.DOTALL)
_GAP = re.compile(r"\n[ \t]*\n")
_MOST_GAPS = 6
_NESTED = re.compile(r"^[ \t]*[\w.\"-]+:[ \t]*\n[ \t]+[\w.\"-]+:(?:[ \t]|$)", re.MULTILINE)


def read_sheet(text: str, known: Known) -> Sheet:
    """Read the data of a request."""
    pairs, region = _document(text) or _table(text) or ([*_written(text)], None)
    fields, taken = _together(pairs, known)
    made: list[Wish] = []
    unknown: list[_Pair] = []
    owner = ""
    for pair, field in zip(pairs, fields, strict=True):
        own = owner if field in _OF_ACCOUNT else ""
        key = next((step[1:] for step in pair.path if step.startswith("@")), own)
        found = wishes_of(Row(field, pair.value, _quoted(text, pair), pair.start, key), known)
        if found:
            made += found
            taken.append((pair.start, pair.end))
            owner = next((wish.value for wish in found if wish.kind == "user"), owner)
        elif pair.is_sure and (region or not field) and (pair.start, pair.end) not in taken:
            unknown.append(pair)
    for pair in unknown if made else ():
        said = _quoted(text, pair)
        what = f"{pair.path[-1]} = {pair.value}" if region else said
        made.append(Wish("unknown", what, said=said[:200], start=pair.start))
        taken.append((pair.start, pair.end))
    rest = list(text)
    for start, end in [*taken, *([region] if region else [])] if made else ():
        rest[start:end] = ["\n" if letter == "\n" else " " for letter in rest[start:end]]
    return Sheet(tuple(from_repositories(with_interfaces(made))), "".join(rest))


def _together(pairs: list[_Pair], known: Known) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the fields of pairs, and the ranges of those that only complete another one.

    A bare `version` is that of the distribution next to it, if that has none; next to it, a bare `name` is that of the image.
    """
    fields = [_field_of(pair.path) for pair in pairs]
    bare = {pair.path[-1].lower(): at for at, pair in enumerate(pairs) if len(pair.path) == 1}
    at = bare.get("version", -1)
    release = fields.index("release") if "release" in fields else -1
    if at < 0:
        return fields, []
    senses = known.vocabulary.senses_of(pairs[release].value.lower()) if release >= 0 else ()
    if any(sense.kind == "distribution" for sense in senses):
        pairs[release] = pairs[release]._replace(value=f"{pairs[release].value} {pairs[at].value}")
        fields[at] = ""
        return fields, [(pairs[at].start, pairs[at].end)]
    if "name" in bare:
        fields[bare["name"]] = "image_name"
    return fields, []


def _quoted(text: str, pair: _Pair) -> str:
    return " ".join(text[pair.start : pair.end].split())


_OF_ACCOUNT = frozenset(["password", "group", "shell", "home", "administrator"])
"""Fields that belong to the account named before them, where no account is said."""


def _field_of(path: Sequence[str]) -> str:
    """Return the field of a key, by its longest end that is an alias; "" if none is."""
    words = [re.sub(r"[_-]", " ", step).strip().lower() for step in path if not step.startswith("@")]
    whole = ".".join(words).replace(" ", "")
    if whole in _PATHS:
        return _PATHS[whole]
    last = words[-1].split() if words else []
    ends = (" ".join(last[at:]) for at in range(len(last)))
    return next((ALIASES[end] for end in ends if end in ALIASES), "")


_PATHS = {
    "target.os": "release", "target.dist": "release", "target.arch": "architecture", "target.imagetype": "image_type",
    "image.name": "image_name", "image.version": "image_version", "disk.size": "disk_size", "disk.artifacts.type": "format",
    "disk.artifacts.compression": "compression", "systemconfig.hostname": "hostname", "systemconfig.packages": "package",
    "systemconfig.users.name": "account", "systemconfig.users.password": "password", "systemconfig.users.sudo": "administrator",
    "systemconfig.users.groups": "group", "systemconfig.users.shell": "shell", "systemconfig.kernel.cmdline": "kernel_option",
    "systemconfig.kernel.version": "kernel_version", "systemconfig.immutability.enabled": "read_only_root",
    "systemconfig.fde.enabled": "encryption", "systemconfig.bootloader.provider": "boot_loader",
    "users.name": "account", "users.password": "password", "users.sudo": "administrator", "users.groups": "group",
    "name": "hostname", "version": "image_version",
}  # fmt: skip
"""Fields by the paths that templates have; a bare `name` is that of the machine."""


def _written(text: str) -> Iterator[_Pair]:
    """Yield the pairs of a key and a value in running text and lists."""
    found = [match for match in _KEY.finditer(text) if _is_key(match)]
    for at, match in enumerate(found):
        start, begin = match.start("key"), match.end()
        words = match["key"].split(" ")
        while (len(words) > 1 and not _field_of([" ".join(words)])) or (
            len(words) > 1
            and _field_of([" ".join(words[1:])]) == _field_of([" ".join(words)])
            and " ".join(words).lower().replace("_", " ") not in ALIASES
        ):
            start += len(words[0]) + 1
            words = words[1:]
        key = " ".join(words)
        following = found[at + 1].start("key") if at + 1 < len(found) else len(text)
        if "=" in match["mark"]:
            value = _VALUE.match(text, begin)
            end = value.end() if value else begin
            yield _Pair(
                (key,), text[begin:end].strip("'\""), start, end, is_sure=bool(value) and " " not in key
            )
            continue
        end = min(following, (stop.start() if (stop := _END.search(text, begin)) else len(text)))
        value_text = text[begin:end].strip(" \t,-•*")
        if not value_text and (bullets := _bullets(text, begin)):
            yield _Pair((key,), ", ".join(bullets[0]), start, bullets[1])
            continue
        end = begin + len(text[begin:end].rstrip(" \t,-•*"))
        yield _Pair((key,), value_text, start, end)


def _is_key(match: re.Match[str]) -> bool:
    """Return whether a match is a key: of an equals sign always, before a colon only the name of a field."""
    return "=" in match["mark"] or bool(_field_of([match["key"].split(" ")[-1]]) or _field_of([match["key"]]))


_ROW = re.compile(r"^[ \t]*\|(?P<cells>[^\n]*)\|[ \t]*$", re.MULTILINE)
_CELL = re.compile(r"[^|]+")


def _table(text: str) -> tuple[list[_Pair], tuple[int, int]] | None:
    """Return the pairs of a table with one row, whose columns are named by its head, and its range."""
    rows = [match for match in _ROW.finditer(text) if match["cells"].strip(" |:-")]
    if len(rows) != _HEAD_AND_ROW:
        return None
    head, row = (
        [
            (cell[0].strip(), match.start("cells") + cell.start(), match.start("cells") + cell.end())
            for cell in _CELL.finditer(match["cells"])
        ]
        for match in rows
    )
    pairs = [
        _Pair((key,), value, start, end, is_sure=True)
        for (key, *_), (value, start, end) in zip(head, row, strict=False)
    ]
    return pairs, (rows[0].start(), rows[1].end())


_HEAD_AND_ROW = 2


def _bullets(text: str, at: int) -> tuple[list[str], int] | None:
    """Return the items of the list that begins on the next line, and its end."""
    found = []
    while bullet := _BULLET.match(text, at):
        found.append(bullet["item"].strip())
        at = bullet.end()
    return (found, at) if found else None


def _document(text: str) -> tuple[list[_Pair], tuple[int, int]] | None:
    """Return the pairs of a JSON or YAML document in the request, and its range.

    It is a fenced block, what is in braces, or the text up to one of its blank lines.
    """
    fenced = _FENCED.search(text)
    ends = [len(text), *(gap.start() for gap in reversed([*_GAP.finditer(text)]))]
    whole = [(0, end) for end in ends[:_MOST_GAPS]]
    for start, end in (
        fenced.span("text") if fenced else (0, 0),
        (text.find("{"), text.rfind("}") + 1),
        *whole,
    ):
        part = text[start:end] if start >= 0 else ""
        found = parse_template(part, "") if part[:1] == "{" or _NESTED.search(part) else None
        if not isinstance(found, Template):
            continue
        pairs = []
        at = start
        for path, value in _leaves(found.data, ()):
            said = text.find(value.partition(",")[0], at, end)
            at = said if said >= 0 else at
            pairs.append(_Pair(path, value, at, min(end, at + len(value)), is_sure=True))
        if any(_field_of(pair.path) for pair in pairs):
            return pairs, (start, end)
    return None


def _leaves(data: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the values of a document with their paths; the name of an account is a step that begins with `@`."""
    if isinstance(data, dict):
        mount = data.get("mountPoint") or data.get("mount")
        if mount and "size" in data:
            yield (
                ("partition",),
                " ".join(
                    str(data[key]) for key in ("mountPoint", "mount", "size", "fsType", "fs") if key in data
                ),
            )
            return
        name = data.get("name")
        owner = (f"@{name}",) if isinstance(name, str) and "users" in path else ()
        for key, value in data.items():
            yield from _leaves(value, (*path, *(owner if key != "name" else ()), str(key)))
    elif isinstance(data, list) and all(isinstance(item, str | int | float) for item in data):
        yield path, ", ".join(map(str, data))
    elif isinstance(data, list):
        for item in data:
            yield from _leaves(item, path)
    elif data is not None:
        yield path, ("yes" if data else "no") if isinstance(data, bool) else str(data)
