"""Declarations of settings, and the values that files, the environment and flags provide.

Each desk declares its settings once. The declaration controls how values are read, validated and displayed. See
`reader.read`.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from vademecum.config.kinds import Kind
from vademecum.core.errors import ConfigError
from vademecum.text.printable import printable
from vademecum.text.similar import closest

DEFAULT = "default"
SHOWN = 60
"""The length of a text of the user in a message, in characters."""

_Record = TypeVar("_Record", bound=tuple[Any, ...])


class Setting(NamedTuple):
    """One setting.

    Attributes:
        key: Its dotted key (`ai.ollama.timeout`). For a setting that cannot be set in a file, the name of its environment variable.
        default: The default, as a string; "" if there is none.
        field: The path of the field in the desk's record; empty to use the last part of the key, None if no field holds it.
        meaning: A one-line description for the default file.
        variables: Environment variables that set it; the last one takes precedence.
        is_required: Whether every entry of a section with user-defined names must set it.
    """

    key: str
    kind: Kind
    default: str = ""
    field: tuple[str, ...] | None = ()
    meaning: str = ""
    variables: tuple[str, ...] = ()
    is_required: bool = False


class Given(NamedTuple):
    """The value that a source provides for a setting.

    Attributes:
        origin: `FILE, line 3`, `environment NAME`, or the name of a flag.
        type: The YAML type; "" for values that do not come from a file.
    """

    text: str
    origin: str
    label: str
    hint: str
    type: str = ""


class Schema(NamedTuple):
    """The settings of a desk.

    Attributes:
        settings: The settings, in the order of the file.
        sections: Sections with user-defined names, and functions that return the settings of an entry. Keys of these
            settings are relative to the name.
        prefix: The prefix of the desk's environment variables. Unknown variables with this prefix are errors.
        is_shared: Whether to ignore sections of other programs.
        check: Additional checks after a file has been parsed; raises a `ConfigError`.
    """

    settings: tuple[Setting, ...]
    sections: "Mapping[str, Callable[[], tuple[Setting, ...]]]" = MappingProxyType({})
    hint: str = ""
    list_hint: str = ""
    prefix: str = ""
    is_shared: bool = False
    check: "Callable[[Values], None] | None" = None

    @property
    def by_key(self) -> dict[str, Setting]:
        """The settings by their keys."""
        return {setting.key: setting for setting in self.settings}

    @property
    def roots(self) -> tuple[str, ...]:
        """The top-level sections of the file."""
        return (*dict.fromkeys(setting.key.partition(".")[0] for setting in self.settings), *self.sections)


class Entry(NamedTuple):
    """An entry of a section with user-defined names: the origin of its name, and its values."""

    origin: str
    values: dict[str, Any]
    origins: dict[str, str]


class Values(NamedTuple):
    """The values of a schema's settings, and where each comes from.

    Attributes:
        sections: The entries of each section with user-defined names.
        file: The path of the configuration file, which need not exist; None if there is none.
    """

    schema: Schema
    given: dict[str, Any]
    origins: dict[str, str]
    sections: dict[str, dict[str, Entry]]
    file: Path | None = None

    def value(self, key: str) -> Any:
        """The value of a setting, or its default."""
        if key in self.given:
            return self.given[key]
        return _default(self.schema.by_key[key])

    def origin(self, key: str) -> str:
        """The origin of a value; `default` if it is not set."""
        return self.origins.get(key, DEFAULT)

    def shown(self, key: str) -> str:
        """A value as it is written in a file. Secrets are not shown."""
        setting = self.schema.by_key[key]
        if key not in self.given or self.given[key] == _default(setting):
            return setting.default
        return "(set)" if setting.kind.is_secret else setting.kind.written(self.given[key])

    def rows(self) -> list[tuple[str, str, str]]:
        """The key, value and origin of each setting, as strings; "" for a value that is not set."""
        rows = [
            (setting.key, self.shown(setting.key), self.origin(setting.key))
            for setting in self.schema.settings
        ]
        for section, entries in self.sections.items():
            for name, entry in entries.items():
                rows += [
                    (f"{section}.{name}.{key}", str(value), entry.origins[key])
                    for key, value in entry.values.items()
                ]
        return rows

    def into(self, record: _Record) -> _Record:
        """A copy of a desk's record of defaults, with the values that are set."""
        fields = {setting.key: setting.field for setting in self.schema.settings}
        for key, value in self.given.items():
            field = fields[key]
            if field is not None:
                record = _with(record, field or (key.rpartition(".")[2],), value)
        return record


class Line(NamedTuple):
    """A value in the file.

    Attributes:
        path: The keys that lead to it. In a section with user-defined names, each name also has its own `Line`, whose path
            ends at the name.
        number: The line number, from 1.
        type: The YAML type; "map" for a line with a name.
    """

    path: tuple[str, ...]
    number: int
    type: str
    text: str


def value_of(setting: Setting, given: Given) -> Any:
    """The value of a setting."""
    kind = setting.kind
    if not given.type or given.type in kind.types:
        with suppress(ValueError):
            return kind.read(given.text)
    but = "" if kind.is_secret else f", not {_quoted(given)}"
    raise ConfigError(f"{given.label} must be {kind.wanted}{but}.", hint=given.hint)


def _default(setting: Setting) -> Any:
    """The default of a setting; "" if it has none."""
    try:
        return setting.kind.read(setting.default)
    except ValueError:
        if setting.default:
            raise
        return ""


def _quoted(given: Given) -> str:
    if given.type in {"", "str"}:
        return shortened(repr(given.text))
    return shortened(given.text) or "empty"


def shortened(text: str) -> str:
    """A text for messages: short, and without terminal control characters."""
    return printable(text, SHOWN)


def intended(schema: Schema, key: str, known: Iterable[str] = ()) -> str:
    """A suggestion for an unknown key, as the end of a sentence; "" if no setting is similar.

    Args:
        known: The valid names at its level; empty to consider all settings.
    """
    above, _, last = key.rpartition(".")
    inside, root = f"{above}." if above else "", f"{schema.roots[0]}."
    found = next((name for name in schema.by_key if name.rpartition(".")[2] == last), "")
    if not found and known:
        similar = closest(last, known)
        found = inside + similar if similar else ""
    elif not found:
        short = {name.removeprefix(root): name for name in schema.by_key}
        found = short.get(closest(key.removeprefix(root), short), "")
    if not found:
        found = next((inside + name for name in known if len(name) > 2 and last.startswith(name)), "")
    return f"; did you mean {found}?" if found else ""


def _with(record: Any, field: tuple[str, ...], value: Any) -> Any:
    inner = value if len(field) == 1 else _with(getattr(record, field[0]), field[1:], value)
    return record._replace(**{field[0]: inner})
