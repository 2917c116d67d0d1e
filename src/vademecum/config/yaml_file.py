"""Read the values of settings from a YAML configuration file."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vademecum.config.document import Node, NotReadable, parse, read_bytes
from vademecum.config.schema import Line, Schema, Setting, intended, shortened
from vademecum.core.errors import ConfigError

MOST_BYTES = 1 << 16
"""The maximum size of a configuration file."""

_TYPES = {bool: "bool", int: "int", float: "float", str: "str", type(None): "null"}


def lines_of(schema: Schema, path: Path) -> Iterator[Line]:
    """Yield the values that a file gives for the settings of a schema."""
    try:
        data = read_bytes(path, MOST_BYTES)
        root = parse(data, is_json=False, finite=False, sections=schema.roots)
    except NotReadable as error:
        line = f", line {error.line}" if error.line else ""
        message = f"{path}{line}: {error.message[0].lower()}{error.message[1:]}"
        raise ConfigError(message, hint=schema.hint) from error
    return _File(schema, path).lines(root)


class _File(NamedTuple):
    schema: Schema
    path: Path

    def lines(self, root: Node) -> Iterator[Line]:
        known = {setting.key: setting for setting in self.schema.settings}
        for key, node in self._pairs(root, (), self.schema.roots):
            if key in self.schema.sections:
                yield from self._entries(key, node)
            elif key in self.schema.roots:
                yield from self._group(node, (key,), known)
            elif not self.schema.is_shared:
                raise self._unknown(node, (key,), self.schema.roots)
            elif key.lower() in self.schema.roots or any(f".{key}." in f"{name}." for name in known):
                raise self._fault(node, f"{shortened(key)} must be under {self.schema.roots[0]}:")

    def _entries(self, section: str, node: Node) -> Iterator[Line]:
        fields = {setting.key: setting for setting in self.schema.sections[section]()}
        for name, inner in self._pairs(node, (section,), ()):
            yield Line((section, name), inner.line, "map", "")
            yield from self._group(inner, (section, name), fields, 2)

    def _group(
        self, node: Node, above: tuple[str, ...], known: dict[str, Setting], skipped: int = 0
    ) -> Iterator[Line]:
        """Yield the values of a mapping whose keys are `above`, of which `skipped` are not part of the settings' keys."""
        inside = ".".join((*above[skipped:], ""))
        names = tuple(
            dict.fromkeys(key[len(inside) :].partition(".")[0] for key in known if key.startswith(inside))
        )
        for name, inner in self._pairs(node, above, names):
            path = (*above, name)
            if inside + name in known:
                yield self._line(inner, path, known[inside + name])
            elif name in names:
                yield from self._group(inner, path, known, skipped)
            else:
                raise self._unknown(inner, path, names)

    def _line(self, node: Node, path: tuple[str, ...], setting: Setting) -> Line:
        if isinstance(node.value, dict | list):
            what = "a list" if isinstance(node.value, list) else "a mapping"
            raise self._fault(node, f"{shortened('.'.join(path))} must be {setting.kind.wanted}, not {what}")
        text = "" if node.value is None else node.written
        return Line(path, node.line, _TYPES[type(node.value)], text)

    def _pairs(
        self, node: Node, above: tuple[str, ...], known: tuple[str, ...]
    ) -> Iterator[tuple[str, Node]]:
        """Yield the keys and values of a mapping; nothing for a mapping that is absent or empty."""
        if isinstance(node.value, dict):
            yield from node.value.items()
        elif node.value is not None:
            wanted = (
                f"must hold keys: {', '.join(known)}"
                if known
                else "must contain named entries, each with its own settings"
            )
            raise self._fault(node, f"{shortened('.'.join(above)) or 'the file'} {wanted}")

    def _unknown(self, node: Node, path: tuple[str, ...], known: tuple[str, ...]) -> ConfigError:
        key = ".".join(path)
        ending = intended(self.schema, key, known) or f" (known: {', '.join(known)})"
        return self._fault(node, f"{shortened(key)} is not a setting{ending}")

    def _fault(self, node: Node, what: str) -> ConfigError:
        ending = "" if what.endswith("?") else "."
        return ConfigError(f"{self.path}, line {node.line}: {what}{ending}", hint=self.schema.hint)
