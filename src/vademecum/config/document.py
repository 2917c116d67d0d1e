"""Parse YAML or JSON files into plain values with their positions.

Files are untrusted: their size is limited, endless aliases are rejected, and duplicate keys are errors, also in JSON.
"""

import json
import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from pathlib import Path

import yaml

from vademecum.core.errors import ConfigError
from vademecum.files.read import Unreadable, open_file, read_open
from vademecum.text.printable import printable

MOST_BYTES = 1 << 20
MOST_NODES = 100_000
_DEEPEST = 60
_SHOWN = 60
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_SPACE = re.compile(r"[ \t\r\n]*")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_TAGS = "tag:yaml.org,2002:"
_FLOATS = re.compile(r"[-+]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?")
_INTEGERS = re.compile(r"[-+]?(?:0|[1-9][\d_]*)")
_TRUE, _FALSE = {"true", "yes", "on"}, {"false", "no", "off"}

Scalar = str | int | float | bool | None


class NotReadable(ValueError):
    """A text that is not a configuration.

    Args:
        line: The line of the error, from 1; 0 for the whole file.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message, self.line = message, line


@dataclass(slots=True)
class Node:
    """A value in the file.

    Attributes:
        value: A mapping, a list or a plain value.
        line: The line of the value, from 1; for a value in a mapping, the line of its key.
        path: The path for users (`responses[2].match.intent`); "" for the whole file.
        written: A YAML scalar as it is written in the file, without quotes (`1_000`, `on`).
    """

    value: "dict[str, Node] | list[Node] | Scalar"
    line: int
    path: str
    written: str = ""

    def plain(self) -> object:
        """Return the value without positions."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    def at(self, place: tuple[str | int, ...]) -> "Node":
        """Return the node at a path of keys and positions, or the last existing node on the way."""
        node = self
        for step in place:
            inner = node.value
            if isinstance(inner, dict) and step in inner:
                node = inner[str(step)]
            elif isinstance(inner, list) and isinstance(step, int) and 0 <= step < len(inner):
                node = inner[step]
            else:
                break
        return node

    def walk(self) -> "Iterator[Node]":
        """Yield this node and all nodes below it."""
        yield self
        if isinstance(self.value, dict | list):
            for inner in self.value.values() if isinstance(self.value, dict) else self.value:
                yield from inner.walk()


def read_bytes(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Read a file."""
    try:
        return read_open(open_file(path, most_bytes, follow=True), most_bytes)
    except Unreadable as error:
        message = f"{printable(str(path), 200)}{error.message.removeprefix('It')}"
        raise ConfigError(message, hint="Check its name, owner and permissions.") from error


def parse(
    data: bytes, *, is_json: bool, finite: bool = True, sections: Collection[str] | None = None
) -> Node:
    """Parse a text.

    Args:
        data: The text, in UTF-8.
        is_json: Whether the text is JSON; otherwise it is YAML, which includes most JSON.
        finite: Whether `.nan` and `.inf` are rejected. Otherwise they become `nan`, for callers that collect faults.
        sections: The keys of a YAML file whose values are wanted. Others have the value None, whatever the file says.
    """
    if len(data) > MOST_BYTES:
        raise NotReadable(f"It is larger than {MOST_BYTES:,} bytes.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        wrong = f"byte {data[error.start]:#04x}"
        raise NotReadable(f"It is not UTF-8 text ({wrong}).", line) from error
    try:
        root = _Json(text).whole() if is_json else _yaml(text, sections)
    except RecursionError as error:
        raise NotReadable("It is nested too deeply.") from error
    if finite and (no_number := next(not_finite(root), None)):
        raise NotReadable(f"{no_number.path}: .nan is not a number.", no_number.line)
    return root


def not_finite(root: Node) -> "Iterator[Node]":
    """Yield the numbers that are not finite."""
    return (node for node in root.walk() if isinstance(node.value, float) and math.isnan(node.value))


def joined(path: str, key: str | int) -> str:
    """Return the path of a key or of a position in a list.

    >>> joined(joined("", "responses"), 2)
    'responses[2]'
    """
    if isinstance(key, int):
        return f"{path}[{key}]"
    shown = key if re.fullmatch(r"[\w./-]{1,60}", key) else printable(repr(key), _SHOWN)
    return f"{path}.{shown}" if path else shown


# --- JSON ---


class _Json:
    """A parser of standard JSON."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._nodes = 0
        self._line, self._counted = 1, 0

    def whole(self) -> Node:
        self._skip()
        node = self._value("", 0, self._now())
        self._skip()
        if self._at < len(self._text):
            raise self._fault("There is text after its end.")
        return node

    def _value(self, path: str, depth: int, line: int) -> Node:
        self._nodes += 1
        if depth > _DEEPEST:
            raise self._fault("It is nested too deeply.")
        if self._nodes > MOST_NODES:
            raise self._fault(f"It has more than {MOST_NODES:,} values.")
        first = self._text[self._at : self._at + 1]
        if first == "{":
            return self._mapping(path, depth, line)
        if first == "[":
            return self._list(path, depth, line)
        if first == '"':
            return Node(self._string(), line, path)
        if found := _NUMBER.match(self._text, self._at):
            self._at = found.end()
            return Node(_number(found[0], path, line, whole=not (found[1] or found[2])), line, path)
        for word, value in _WORDS.items():
            if self._text.startswith(word, self._at):
                self._at += len(word)
                return Node(value, line, path)
        for word in ("NaN", "Infinity", "-Infinity"):
            if self._text.startswith(word, self._at):
                raise self._fault(f"{path or 'It'}: {word} is not a number.")
        raise self._fault("This is not JSON: a value is missing here.")

    def _mapping(self, path: str, depth: int, line: int) -> Node:
        found: dict[str, Node] = {}
        self._at += 1
        self._skip()
        while not self._took("}"):
            if found:
                self._must(",")
            if self._text[self._at : self._at + 1] != '"':
                raise self._fault("This is not JSON: a key in double quotes is missing here.")
            key_line = self._now()
            key = self._string()
            inner = joined(path, key)
            if key in found:
                raise NotReadable(f"{inner} is duplicated; it is first in line {found[key].line}.", key_line)
            self._skip()
            self._must(":")
            found[key] = self._value(inner, depth + 1, key_line)
            self._skip()
        return Node(found, line, path)

    def _list(self, path: str, depth: int, line: int) -> Node:
        found: list[Node] = []
        self._at += 1
        self._skip()
        while not self._took("]"):
            if found:
                self._must(",")
            found.append(self._value(joined(path, len(found)), depth + 1, self._now()))
            self._skip()
        return Node(found, line, path)

    def _string(self) -> str:
        try:
            text, self._at = scanstring(self._text, self._at + 1, True)
        except json.JSONDecodeError as error:
            raise NotReadable(f"This is not JSON: {error.msg}.", error.lineno) from error
        return _text(text, self._now())

    def _took(self, mark: str) -> bool:
        if self._text.startswith(mark, self._at):
            self._at += 1
            return True
        return False

    def _must(self, mark: str) -> None:
        if not self._took(mark):
            raise self._fault(f"This is not JSON: “{mark}” is missing here.")
        self._skip()

    def _skip(self) -> None:
        found = _SPACE.match(self._text, self._at)
        self._at = found.end() if found else self._at

    def _now(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def _fault(self, message: str) -> NotReadable:
        return NotReadable(message, self._now())


# --- YAML ---


def _yaml(text: str, sections: Collection[str] | None) -> Node:
    if text.count("[") + text.count("{") > MOST_NODES or _steps(text) > _DEEPEST:
        raise NotReadable("It is nested too deeply.")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        root = loader.get_single_node()
    except yaml.YAMLError as error:
        raise _not_yaml(text, error) from error
    finally:
        loader.dispose()
    if root is None:
        return Node(None, 1, "")
    return _Yaml(sections).node(root, "", 0, root.start_mark.line + 1)


def _steps(text: str) -> int:
    """Return the maximum nesting of brackets, or of dashes on one line, since the parser's stack is limited."""
    deepest = depth = 0
    for one in re.finditer(r"[\[{]|[\]}]|^[ ]*(?:[-?] +)+", text, re.MULTILINE):
        mark = one[0]
        if mark in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in "]}":
            depth = max(0, depth - 1)
        else:
            deepest = max(deepest, mark.count("- ") + mark.count("? "))
    return deepest


class _Yaml:
    """A converter of the YAML parser's nodes."""

    def __init__(self, sections: Collection[str] | None) -> None:
        self._nodes = 0
        self._sections = sections

    def node(self, node: yaml.Node, path: str, depth: int, line: int) -> Node:
        self._nodes += 1
        if depth > _DEEPEST:
            raise NotReadable("It is nested too deeply, or contains itself.", line)
        if self._nodes > MOST_NODES:
            raise NotReadable(f"It has more than {MOST_NODES:,} values.", line)
        if isinstance(node, yaml.MappingNode):
            self._check(node, "map", path, line)
            return Node(self._mapping(node, path, depth), line, path)
        if isinstance(node, yaml.SequenceNode):
            self._check(node, "seq", path, line)
            inner = [
                self.node(one, joined(path, place), depth + 1, one.start_mark.line + 1)
                for place, one in enumerate(node.value)
            ]
            return Node(inner, line, path)
        return Node(_scalar(node, path, line), line, path, str(node.value))

    def _mapping(self, node: yaml.MappingNode, path: str, depth: int) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise NotReadable(f"{path or 'It'} has a key that is not text.", line)
            key = _text(key_node.value, line)
            inner = joined(path, key)
            if key == "<<" and key_node.tag == f"{_TAGS}merge":
                raise NotReadable(
                    f"{path or 'It'}: merging with << is not supported; write out the keys.", line
                )
            if key in found:
                raise NotReadable(f"{inner} is duplicated; it is first in line {found[key].line}.", line)
            if depth or self._sections is None or key in self._sections:
                found[key] = self.node(value_node, inner, depth + 1, line)
            else:
                found[key] = Node(None, line, inner)
        return found

    @staticmethod
    def _check(node: yaml.Node, kind: str, path: str, line: int) -> None:
        if node.tag != f"{_TAGS}{kind}":
            raise NotReadable(
                f"{path or 'It'} has the tag {printable(str(node.tag), _SHOWN)}, which is not supported.",
                line,
            )


def _scalar(node: yaml.Node, path: str, line: int) -> Scalar:
    """Return a plain value. Dates and sexagesimal numbers remain text."""
    text = _text(str(node.value), line)
    kind = str(node.tag).removeprefix(_TAGS)
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() in _TRUE if text.lower() in _TRUE | _FALSE else text
    if kind == "int":
        return _number(text.replace("_", ""), path, line, whole=True) if _INTEGERS.fullmatch(text) else text
    if kind == "float":
        if text.lower().lstrip("+-") in {".nan", ".inf"}:
            return math.nan
        return _number(text.replace("_", ""), path, line, whole=False) if _FLOATS.fullmatch(text) else text
    if kind not in {"str", "timestamp"}:
        raise NotReadable(
            f"{path or 'It'} has the tag {printable(str(node.tag), _SHOWN)}, which is not supported.", line
        )
    return text


def _number(text: str, path: str, line: int, *, whole: bool) -> int | float:
    try:
        number = int(text) if whole else float(text)
    except ValueError as error:  # more digits than Python takes
        raise NotReadable(f"{path or 'It'}: a number has too many digits.", line) from error
    if not math.isfinite(number):
        raise NotReadable(
            f"{path or 'It'}: {printable(text, _SHOWN)} is not a number that can be used.", line
        )
    return number


def _text(text: str, line: int) -> str:
    if not text.isascii() and any("\ud800" <= one <= "\udfff" for one in text):
        raise NotReadable("A text contains an incomplete character.", line)
    return text


def _not_yaml(text: str, error: yaml.YAMLError) -> NotReadable:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    position = getattr(error, "position", None)
    line = mark.line + 1 if mark else text.count("\n", 0, position) + 1 if isinstance(position, int) else 0
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    around = text.splitlines()[max(line - 1, 0) : line + 1]  # the parser may name the line before
    if any(re.match(r" *\t", given) for given in around):
        problem = "it is indented with a tab; use spaces"
    return NotReadable(f"This is not YAML: {printable(problem, 120)}.", line)
