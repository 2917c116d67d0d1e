"""Settings as a desk declares them, and their values as the sources give them.

A desk declares each setting once. The file, the environment and the command line are read, checked and shown by that
declaration. See `reader.read`.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from vademecum.config.kinds import Kind
from vademecum.core.errors import ConfigError
from vademecum.text.printable import printable

DEFAULT = "default"
SHOWN = 60
"""The length of a text of the user in a message, in characters."""

_Record = TypeVar("_Record", bound=tuple[Any, ...])


class Setting(NamedTuple):
    """One setting.

    Attributes:
        key: Its dotted key (`ai.ollama.timeout`); the name of its variable where no file gives it.
        kind: What it may be.
        default: As a text; "" where nothing is set.
        field: The path of the field that holds it in the desk's record; () for the last part of the key, None for none.
        meaning: One line for a file with all defaults.
        variables: Environment variables that set it; the last one wins.
        is_required: Whether an entry of a section of free names must have it.
    """

    key: str
    kind: Kind
    default: str = ""
    field: tuple[str, ...] | None = ()
    meaning: str = ""
    variables: tuple[str, ...] = ()
    is_required: bool = False


class Given(NamedTuple):
    """What a source gives for a setting.

    Attributes:
        text: As it is written there.
        origin: Where: `FILE, line 3`, `environment NAME`, or the name of a flag.
        label: What messages call the value.
        hint: What to do about a wrong value.
        type: YAML's name of its type; "" outside a file.
    """

    text: str
    origin: str
    label: str
    hint: str
    type: str = ""


class Schema(NamedTuple):
    """The settings of a desk.

    Attributes:
        settings: Each of them, in the order of the file.
        sections: Sections of the file whose keys are names that the user chooses, and what gives the settings of an entry
            when they are needed. Their keys begin after that name.
        hint: What to do about a file that cannot be used.
        list_hint: How to see all settings.
        prefix: How the names of the desk's own environment variables begin; others with that beginning are mistakes.
        is_shared: Whether the file has sections of other programs, which are ignored.
        check: Checks what kinds of values cannot, once a file has been parsed; it raises a `ConfigError`.
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
        """The sections at the top of the file."""
        return (*dict.fromkeys(setting.key.partition(".")[0] for setting in self.settings), *self.sections)


class Entry(NamedTuple):
    """An entry of a section of free names: the origin of its name, and its values."""

    origin: str
    values: dict[str, Any]
    origins: dict[str, str]


class Values(NamedTuple):
    """The values of a schema's settings, and where each comes from.

    Attributes:
        schema: The declaration.
        given: The values that a source gives, by key.
        origins: Their origins, by key.
        sections: The entries of each section of free names.
        file: The configuration file that was looked for; None for none.
    """

    schema: Schema
    given: dict[str, Any]
    origins: dict[str, str]
    sections: dict[str, dict[str, Entry]]
    file: Path | None = None

    def value(self, key: str) -> Any:
        """The value of a setting, its default if no source gives it."""
        if key in self.given:
            return self.given[key]
        return _default(self.schema.by_key[key])

    def origin(self, key: str) -> str:
        """Where a value comes from; `default` if no source gives it."""
        return self.origins.get(key, DEFAULT)

    def shown(self, key: str) -> str:
        """A value as a file would have it. A secret is not shown."""
        setting = self.schema.by_key[key]
        if key not in self.given or self.given[key] == _default(setting):
            return setting.default
        return "(set)" if setting.kind.is_secret else setting.kind.written(self.given[key])

    def rows(self) -> list[tuple[str, str, str]]:
        """Key, value and origin of each setting, as texts; "" for a value that is not set."""
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
        """A desk's record of its defaults, with the values that a source gives."""
        fields = {setting.key: setting.field for setting in self.schema.settings}
        for key, value in self.given.items():
            field = fields[key]
            if field is not None:
                record = _with(record, field or (key.rpartition(".")[2],), value)
        return record


def value_of(setting: Setting, given: Given) -> Any:
    """The value of a setting.

    Raises:
        ConfigError: The text is not of the setting's kind.
    """
    kind = setting.kind
    if not given.type or given.type in kind.types:
        with suppress(ValueError):
            return kind.read(given.text)
    but = "" if kind.is_secret else f", not {_quoted(given)}"
    raise ConfigError(f"{given.label} must be {kind.wanted}{but}.", hint=given.hint)


def _default(setting: Setting) -> Any:
    """The value that a setting has unless a source gives one; "" where nothing is set and the kind has no such value."""
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
    """A text as messages can show it: short, and without characters that control a terminal."""
    return printable(text, SHOWN)


def _with(record: Any, field: tuple[str, ...], value: Any) -> Any:
    inner = value if len(field) == 1 else _with(getattr(record, field[0]), field[1:], value)
    return record._replace(**{field[0]: inner})
