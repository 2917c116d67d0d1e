"""A YAML configuration file: its values with their lines, and its errors.

The file may hold anything. Only so much of it is read, nothing in it becomes an object other than a plain value, and lists
and mappings where a value must be are not even inspected: aliases can make them endless.
"""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

from vademecum.config.kinds import ANY
from vademecum.config.reader import Line, intended
from vademecum.config.schema import Schema, Setting, shortened
from vademecum.core.errors import ConfigError

MOST_BYTES = 1 << 16
"""The size of a configuration file. The parser takes half a second for as much, and at worst one and a half."""

_TAG = "tag:yaml.org,2002:"


def lines_of(schema: Schema, path: Path) -> Iterator[Line]:
    """The values that a file gives for a schema's settings.

    Raises:
        ConfigError: It cannot be read, is not YAML, or has a key that the schema does not know.
    """
    return _File(schema, path).lines()


def text_of(path: Path, hint: str) -> str:
    """The text of a configuration file.

    Raises:
        ConfigError: It cannot be read, is too large, or is not text.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # reading a named pipe would never end
            what = "it is a folder" if path.is_dir() else "it is not a regular file"
            raise ConfigError(f"{path} cannot be read: {what}.", hint=hint)
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}."
        raise ConfigError(message, hint="Check its owner and rights.") from error
    if len(data) > MOST_BYTES:
        message = f"{path} is too large: it may have {MOST_BYTES:,} bytes, and has {status.st_size:,}."
        raise ConfigError(message, hint=hint)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"this is not YAML: it is not text in UTF-8 (byte {data[error.start]:#04x})"
        raise ConfigError(f"{path}, line {line}: {what}.", hint=f"Save it as UTF-8. {hint}") from error


def problem_of(text: str, error: yaml.YAMLError) -> tuple[str, int]:
    """What the parser did not understand, and the line, from 1; 0 where it is not known."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    position = getattr(error, "position", None)  # of a character that YAML does not allow
    line = mark.line + 1 if mark else text.count("\n", 0, position) + 1 if isinstance(position, int) else 0
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    if r"'\t'" in problem:
        problem = "it is indented with a tab; use spaces"
    return problem, line


class _File(NamedTuple):
    schema: Schema
    path: Path

    def lines(self) -> Iterator[Line]:
        text = text_of(self.path, self.schema.hint)
        try:
            root = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.YAMLError as error:
            problem, line = problem_of(text, error)
            at = f", line {line}" if line else ""
            message = f"{self.path}{at}: this is not YAML: {shortened(problem)}."
            raise ConfigError(message, hint=self.schema.hint) from error
        except RecursionError as error:
            raise ConfigError(f"{self.path}: it is nested too deeply.", hint=self.schema.hint) from error
        known = {setting.key: setting for setting in self.schema.settings}
        for key, key_node, node in self._pairs(root, (), self.schema.roots):
            if key in self.schema.sections:
                yield from self._entries(key, node)
            elif key in self.schema.roots:
                yield from self._group(node, (key,), known)
            elif not self.schema.is_shared:
                raise self._unknown(key_node, (key,), self.schema.roots)
            elif key.lower() in self.schema.roots or any(f".{key}." in f"{name}." for name in known):
                raise self._fault(key_node, f"{shortened(key)} must be below {self.schema.roots[0]}:")

    def _entries(self, section: str, node: yaml.Node) -> Iterator[Line]:
        fields = {setting.key: setting for setting in self.schema.sections[section]()}
        for name, key_node, inner in self._pairs(node, (section,), ()):
            yield Line((section, name), key_node.start_mark.line + 1, "map", "")
            yield from self._group(inner, (section, name), fields, 2)

    def _group(
        self, node: yaml.Node, above: tuple[str, ...], known: dict[str, Setting], skipped: int = 0
    ) -> Iterator[Line]:
        """The values of a mapping whose keys are `above`, of which `skipped` are not a part of the settings' keys."""
        inside = ".".join((*above[skipped:], ""))
        names = tuple(
            dict.fromkeys(key[len(inside) :].partition(".")[0] for key in known if key.startswith(inside))
        )
        for name, key_node, inner in self._pairs(node, above, names):
            path = (*above, name)
            if inside + name in known:
                yield self._line(inner, path, known[inside + name])
            elif name in names:
                yield from self._group(inner, path, known, skipped)
            else:
                raise self._unknown(key_node, path, names)

    def _line(self, node: yaml.Node, path: tuple[str, ...], setting: Setting) -> Line:
        kind = node.tag.removeprefix(_TAG)
        if kind not in ANY or not isinstance(node.value, str):
            kind_of_node = getattr(node, "id", "")  # the parser's types leave it out
            what = {"sequence": "a list", "mapping": "a mapping"}.get(kind_of_node) or shortened(node.tag)
            raise self._fault(node, f"{shortened('.'.join(path))} must be {setting.kind.wanted}, not {what}")
        text = "" if kind == "null" else node.value
        return Line(path, node.start_mark.line + 1, kind, text)

    def _pairs(
        self, node: yaml.Node | None, above: tuple[str, ...], known: tuple[str, ...]
    ) -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
        """The keys of a mapping, their nodes and those of the values; nothing for a mapping that is absent or empty."""
        if node is None or node.tag == f"{_TAG}null":
            return
        if not isinstance(node.value, list) or node.tag != f"{_TAG}map":
            wanted = (
                f"must hold keys: {', '.join(known)}" if known else "must hold names, each with its settings"
            )
            raise self._fault(node, f"{shortened('.'.join(above)) or 'the file'} {wanted}")
        seen = set()
        for key_node, value_node in node.value:
            key = key_node.value if isinstance(key_node.value, str) else "?"
            if key in seen:
                raise self._fault(key_node, f"{shortened('.'.join((*above, key)))} is set twice")
            seen.add(key)
            yield key, key_node, value_node

    def _unknown(self, node: yaml.Node, path: tuple[str, ...], known: tuple[str, ...]) -> ConfigError:
        key = ".".join(path)
        ending = intended(self.schema, key, known) or f" (known: {', '.join(known)})"
        return self._fault(node, f"{shortened(key)} is not a setting{ending}")

    def _fault(self, node: yaml.Node, what: str) -> ConfigError:
        ending = "" if what.endswith("?") else "."
        message = f"{self.path}, line {node.start_mark.line + 1}: {what}{ending}"
        return ConfigError(message, hint=self.schema.hint)
