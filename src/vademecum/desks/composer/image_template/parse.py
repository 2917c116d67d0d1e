"""Parse a template into plain values with their lines. Tags create no objects, and aliases cannot expand without limit.

The values are those that the build tool reads: `no` and `on` are texts, `1_000`, `017` and `0b11` are numbers, a date is the
text of its timestamp, and only the first of several documents is used.
"""

import base64
import binascii
import re
from datetime import date
from typing import TYPE_CHECKING, Any

from vademecum.desks.composer.image_template.template import Template
from vademecum.text.printable import printable

if TYPE_CHECKING:
    from ruamel.yaml.comments import CommentedMap

    from vademecum.core.documents import Problem

MOST_BYTES = 1 << 20
"""The maximum size of a template. The largest known templates have 30 kB."""

_MOST_VALUES = 20_000
"""The maximum number of values in a template, counted after aliases are expanded."""

_DEEPEST = 20
_NULL = frozenset(["", "~", "null", "Null", "NULL"])
_SWITCHES = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]{1,40}|0[oO]?[0-7]{1,40}|0[bB][01]{1,80}|0|[1-9][0-9]{0,40})")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]{1,40}|[0-9]{1,40}(?:\.[0-9]{0,40})?)(?:[eE][-+]?[0-9]{1,3})?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_DATE = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})")
_SCALARS = {
    f"tag:yaml.org,2002:{name}": name
    for name in ("str", "int", "float", "bool", "null", "binary", "timestamp")
}
_PLAIN_TAGS = {*_SCALARS, "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map", "!"}
_HINT = "Correct the file: the line is where the parser stopped."


class _Broken(Exception):
    """A syntax error and its position."""

    def __init__(self, fault: str, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.fault, self.message, self.line = fault, message, line


def parse_template(text: str, file: str) -> "Template | Problem":
    """Parse a template, or return the problem with it. No text raises an exception."""
    size_bytes = len(text.encode(errors="surrogatepass"))
    if size_bytes > MOST_BYTES:
        return problem(
            file, "too-large", f"It holds {size_bytes:,} bytes; a template may have {MOST_BYTES:,}."
        )
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        built = _build(text)
    except _Broken as broken:
        at = f"line {broken.line}: " if broken.line else ""
        return problem(file, broken.fault, f"{at}{broken.message}")
    if built.root is None:
        return problem(file, "empty", "It is empty.")
    if not isinstance(built.root, dict):
        return problem(
            file, "no-mapping", "It holds no fields: a template begins with `image:` and `target:`."
        )
    text = _first_document(text, built.end)
    return Template(file=file, text=text, data=built.root, lines=built.lines, comments=_comments(text))


def _first_document(text: str, end: int) -> str:
    """Return the text up to the end of the first document, with the comments after it."""
    rest = text[end:]
    return text[:end] if re.search(r"^(?:---|%)", rest, re.MULTILINE) else text


def problem(file: str, fault: str, message: str, hint: str = _HINT) -> "Problem":
    """Return a problem of one template."""
    from vademecum.core.documents import Problem  # noqa: PLC0415 - 8 ms that a sound template does not need

    return Problem(place=printable(file, 300), fault=fault, message=message, hint=hint)


def load_tree(text: str, file: str = "") -> "CommentedMap | Problem":
    """Load the same text as a tree that preserves comments, order and quotes, for editing (see `dump_tree`).

    The text has passed `parse_template` before, so rejected texts are never loaded.
    """
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415 - 60 ms that only editing needs

    found = parse_template(text, file)
    if not isinstance(found, Template):
        return found
    if tags := _build(found.text).tags:
        tag, line = next(iter(tags.items()))
        shown = printable(tag.replace("tag:yaml.org,2002:", "!!"), 60)
        return problem(file, "tag", f"line {line}: the tag {shown} cannot be edited; remove it")
    try:
        tree: CommentedMap = _editor().load(found.text)
    except (YAMLError, ValueError, RecursionError) as error:
        return problem(file, "not-yaml", printable(" ".join(str(error).split()), 200))
    return tree


def dump_tree(tree: "CommentedMap") -> str:
    """Return a tree as text that ends with a newline."""
    from io import StringIO  # noqa: PLC0415 - with what it belongs to

    out = StringIO()
    _editor().dump(tree, out)
    return out.getvalue()


def _editor() -> Any:
    from ruamel.yaml import YAML  # noqa: PLC0415 - see `load_tree`

    editor = YAML()
    editor.preserve_quotes = True
    editor.width = 4096  # no line is broken that was whole
    editor.indent(mapping=2, sequence=4, offset=2)
    return editor


class _Builder:
    """Builds values from the parser's events."""

    def __init__(self) -> None:
        self.root: Any = None
        self.lines: dict[str, int] = {}
        self._open: list[_Holder] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._values = 0
        self.end = 0
        self.tags: dict[str, int] = {}

    def take(self, event: Any, kind: str) -> None:
        """Process one event, by its class."""
        line = event.start_mark.line + 1
        tag = getattr(event, "tag", None)
        if tag and tag not in _PLAIN_TAGS:
            self.tags.setdefault(tag, line)
        if kind == "DocumentStartEvent":
            if event.version == (1, 2):
                raise _Broken("not-yaml", "%YAML 1.2 is not read; leave the line out", line)
        elif kind == "AliasEvent":
            self._alias(event.anchor, line)
        elif kind == "ScalarEvent":
            self._scalar(event, line)
        elif kind in {"MappingStartEvent", "SequenceStartEvent"}:
            if len(self._open) >= _DEEPEST:
                raise _Broken("too-deep", f"it is nested deeper than {_DEEPEST} levels", line)
            value: Any = {} if kind == "MappingStartEvent" else []
            where = self._add(value, line, size=1)
            self._open.append(_Holder(value, where, event.anchor, self._values))
        elif kind in {"MappingEndEvent", "SequenceEndEvent"}:
            self._close()

    def _scalar(self, event: Any, line: int) -> None:
        plain = not event.style and event.tag is None
        value = _plain_value(event.value, line) if plain else _tagged(event.value, event.tag, line)
        if event.anchor:
            self._anchors[event.anchor] = (value, 1)
        self._add(value, line, size=1, plain=plain)

    def _alias(self, anchor: str, line: int) -> None:
        if anchor not in self._anchors:
            raise _Broken("unknown-reference", f"*{printable(anchor, 40)} refers to nothing before it", line)
        value, size = self._anchors[anchor]
        self._add(value, line, size=size)

    def _close(self) -> None:
        holder = self._open.pop()
        for merged, line in holder.merged:
            for source in _merge_sources(merged, line):
                for key, value in source.items():
                    holder.value.setdefault(key, value)
        if holder.anchor:
            self._anchors[holder.anchor] = (holder.value, self._values - holder.before + 1)

    def _add(self, value: Any, line: int, *, size: int, plain: bool = False) -> str:
        """Add a value to its container, and return its dotted path."""
        self._values += size
        if self._values > _MOST_VALUES:
            raise _Broken(
                "too-many-values", f"it has more than {_MOST_VALUES:,} values, references counted", line
            )
        if not self._open:
            self.root = value
            self.lines[""] = line
            return ""
        holder = self._open[-1]
        prefix = f"{holder.where}." if holder.where else ""
        if isinstance(holder.value, list):
            where = f"{prefix}{len(holder.value)}"
            holder.value.append(value)
        elif holder.key is None:
            holder.key = _key(value, line, is_plain=plain)
            holder.is_merge = plain and holder.key == "<<"
            if not holder.is_merge and holder.key in holder.value:
                raise _Broken("duplicate-key", f"{printable(holder.key, 60)} is set a second time", line)
            where = f"{prefix}{holder.key}"
            self.lines[where] = line
            return where
        else:
            where = f"{prefix}{holder.key}"
            if holder.is_merge:
                holder.merged.append((value, line))  # it is filled by the time the mapping ends
            else:
                holder.value[holder.key] = value
            holder.key = None
            self.lines.setdefault(where, line)
            return where
        self.lines[where] = line
        return where


class _Holder:
    """A list or mapping that is being built."""

    __slots__ = ("anchor", "before", "is_merge", "key", "merged", "value", "where")

    def __init__(self, value: Any, where: str, anchor: str | None, before: int) -> None:
        self.value, self.where, self.anchor, self.before = value, where, anchor, before
        self.key: str | None = None
        self.is_merge = False
        self.merged: list[tuple[Any, int]] = []


def _build(text: str) -> _Builder:
    import yaml  # noqa: PLC0415 - 30 ms; templates that were read before are kept in a form that needs none of it

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=loader):
            kind = type(event).__name__
            builder.take(event, kind)
            if kind == "DocumentEndEvent":
                builder.end = event.end_mark.index if event.end_mark else 0
                break
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 0
        raise _Broken(*_said(error, text, line), line) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _Broken("not-yaml", printable(" ".join(str(error).split()), 160)) from error
    return builder


def _said(error: Any, text: str, line: int) -> tuple[str, str]:
    """Return the fault and the message for a parser error."""
    lines = text.split("\n")
    for number in (line, line - 1):
        if 0 < number <= len(lines) and re.match(r" *\t", lines[number - 1]):
            return "tab", "it is indented with a tab; use spaces"
    what = " ".join(part for part in (error.context, error.problem) if part) or "it cannot be read"
    return "not-yaml", f"this is not YAML: {printable(what, 120)}"


def _plain_value(text: str, line: int) -> Any:
    """Return the value of a scalar without quotes and tag."""
    if text in _NULL:
        return None
    if text in _SWITCHES:
        return _SWITCHES[text]
    if text[0] not in "+-.0123456789":
        return text
    if (found := _DATE.fullmatch(text)) and _is_date(found):
        return f"{int(found[1]):04}-{int(found[2]):02}-{int(found[3]):02}T00:00:00Z"
    if _NOT_FINITE.fullmatch(text):
        raise _Broken("number", f"{text} is not a number that a template can hold", line)
    return _number(text)


def _number(text: str) -> Any:
    """Return the number that a text represents, or the text itself."""
    bare = text.replace("_", "")
    if _INTEGER.fullmatch(bare):
        octal = re.sub(r"^([-+]?)0(?=[0-9])", r"\g<1>0o", bare)
        return int(octal, 0)
    return float(bare) if _FLOAT.fullmatch(bare) else text


def _is_date(found: re.Match[str]) -> bool:
    try:
        date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return False
    return True


def _tagged(text: str, tag: str | None, line: int) -> Any:
    """Return the value of a scalar with quotes or a tag. Tags that YAML does not define are ignored."""
    name = _SCALARS.get(tag or "", "str")
    if name == "str":
        return text
    if name == "binary":
        try:
            return base64.b64decode("".join(text.split()), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise _Broken("tag", "what follows !!binary is not text in base64", line) from None
    value = _plain_value(text, line)
    if name == "timestamp":
        value = value if isinstance(value, str) and value != text else None
    wanted: tuple[type, ...] = _TYPES[name]
    if not isinstance(value, wanted) or (isinstance(value, bool) and name != "bool"):
        raise _Broken("tag", f"{printable(text, 40) or 'nothing'} is not a value for !!{name}", line)
    return float(str(value)) if name == "float" else value


_TYPES = {"timestamp": (str,), "int": (int,), "float": (int, float), "bool": (bool,), "null": (type(None),)}


def _key(value: Any, line: int, *, is_plain: bool) -> str:
    if isinstance(value, str) and not (is_plain and value.endswith("T00:00:00Z")):
        return value
    raise _Broken("key", "a key must be a text: put it in quotes", line)


def _merge_sources(value: Any, line: int) -> list[dict[str, Any]]:
    sources = value if isinstance(value, list) else [value]
    if not all(isinstance(source, dict) for source in sources):
        raise _Broken("merge", "<< takes a mapping, or a list of mappings", line)
    return sources


def _comments(text: str) -> tuple[str, ...]:
    """Return the comments on separate lines, joined to paragraphs."""
    found: list[list[str]] = [[]]
    for line in text.split("\n"):
        stripped = line.strip()
        words = stripped.lstrip("#").strip() if stripped.startswith("#") else ""
        if any(map(str.isalnum, words)):
            found[-1].append(words)
        elif found[-1]:
            found.append([])
    return tuple(" ".join(lines) for lines in found if lines)
